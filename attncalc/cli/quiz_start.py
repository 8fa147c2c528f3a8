"""Which quiz a call asks for: of a scenario, of random numbers, or the one whose progress a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncalc.cli import output
from attncalc.cli.choices import Options, one_place, query_of, seed_of, whole_number
from attncalc.core import names
from attncalc.errors import UsageError
from attncalc.scenario_files import builtin
from attncalc.scenario_files.beside import HERE, Folder
from attncalc.scenario_files.sources import Source, read, source_at

if TYPE_CHECKING:
    from attncalc.core.stage import Trace
    from attncalc.practice.quiz_file import Setting
    from attncalc.practice.quiz_state import State

ONLY_RANDOM = ("seed", "level")
RANDOM = "random"


class Begun(NamedTuple):
    """A quiz that is asked for, new or gone on with, and where it stands; `file` is where its progress is kept."""

    setting: Setting
    state: State
    file: Path | None = None
    new: bool = True
    held: list[bytes] = []  # noqa: RUF012 – given by `begun`: what the file held when it was last read or written

    def keep(self, state: State) -> None:
        """Writes the progress, where that is asked for: the file is the old one or the new one, never half.

        What another quiz has written there meanwhile is not overwritten.
        """
        from attncalc.practice.quiz_file import as_text

        if self.file is None:
            return
        if self.held and self.file.exists() and bytes_of(str(self.file)) != self.held[-1]:
            raise UsageError.of("quiz-file-changed", str(self.file))
        data = as_text(self.setting, state).encode("utf-8", "backslashreplace")
        output.write_file(data, self.file, force=True)
        self.held[:] = [data]


def begun(options: Options) -> Begun:
    """The quiz of the options, new or gone on with."""
    from attncalc.practice.quiz_file import quiz_in
    from attncalc.practice.quiz_state import State

    file = _progress_file(options["resume"])
    if file is not None and file.exists():
        return _gone_on(options, file)
    source, lot = _source(options)
    setting = _setting(options, source, _moved(source, file), lot)
    folder = source.folder if file is None else source.folder._replace(path=file.parent)
    quiz = quiz_in(setting, source._replace(folder=folder))
    new = Begun(setting, State(quiz), file, held=[])
    new.keep(new.state)
    return new


def is_named(options: Options) -> bool:
    """Whether the options name a quiz at all; a file of progress does where it is there, and is refused where not."""
    if options["scenario"] or options["random"]:
        return True
    file = _progress_file(options["resume"])
    if file is not None and not file.exists():
        raise UsageError.of("quiz-file-missing", str(file))
    return file is not None


def _progress_file(name: str | None) -> Path | None:
    """Where progress is kept; refused where it cannot be."""
    if name is None:
        return None
    output.check_target(name, force=True)
    path = Path(name)
    if name in output.STANDARD_OUTPUT or not name or (path.exists() and not path.is_file()):
        raise UsageError.of("quiz-file-where", f"--resume {name}")
    return path


# --- which numbers --------------------------------------------------------------------------------


class Lot(NamedTuple):
    """How a random scenario is made again."""

    level: int
    seed: int


def _source(options: Options) -> tuple[Source, Lot | None]:
    """The scenario that is named, or a random one."""
    if not options["random"]:
        return source_at(options["scenario"], options["allow_outside"]), None
    lot = _lot(options)
    return Source(RANDOM, HERE, _drawn(lot, options["step"])), lot


def _lot(options: Options) -> Lot:
    from attncalc.practice.generator import LEVELS

    return Lot(whole_number(options, "level", 1, 1, len(LEVELS)), seed_of(options))


def _drawn(lot: Lot, only: list[str]) -> Any:
    """The random scenario whose numbers tell the mistakes of the asked steps apart, as if it had been read."""
    from attncalc.core.stage import Row
    from attncalc.practice.discriminating import drawn
    from attncalc.practice.generator import LEVELS, random_document
    from attncalc.practice.quiz import quiz_of, right_trace
    from attncalc.scenario_files.json_text import parse
    from attncalc.scenario_files.json_writing import written

    recipe = LEVELS[lot.level - 1]
    first = parse(written(random_document(recipe, lot.seed)).encode(), RANDOM)
    trace = right_trace(Source(RANDOM, HERE, first), {})
    asked = quiz_of(trace, Row(0, 0, trace.scenario.queries[0]), only).questions
    found = drawn(recipe, lot.seed, [question.step for question in asked])
    return parse(written(found.document).encode(), RANDOM)


def _moved(source: Source, file: Path | None) -> Any:
    """The document as it can be read from where the progress is kept."""
    from attncalc.scenario_files.inlining import moved

    if file is None or not isinstance(source.document, dict):
        return source.document
    return moved(source.document, source.folder, file.parent)


# --- the setting ----------------------------------------------------------------------------------


def _setting(
    options: Options, source: Source, document: Any, lot: Lot | None, kept: Setting | None = None
) -> Setting:  # fmt: skip
    """The setting of the options; what is left out is that of the quiz that is gone on with, or as usual."""
    from attncalc.core.stage import Row
    from attncalc.practice.quiz import asked_places, right_trace
    from attncalc.practice.quiz_file import Setting
    from attncalc.scenario_files.folding import changed

    changes = tuple(options["set"]) or (kept.changes if kept else ())
    shift = kept.shift if kept and options["shift"] is None else options["shift"]
    trace = right_trace(changed(source, changes), {"shift": shift})
    usual = kept.places if kept else asked_places(trace.scenario)
    places = whole_number(options, "places", usual, 0, names.MOST_PLACES)
    return Setting(
        source.name, document, changes, shift, Row(*_row(options, trace, kept)),
        places, tuple(options["step"]) or (kept.steps if kept else ()),
        *(lot or (None, None)),
    )  # fmt: skip


def _row(options: Options, trace: Trace, kept: Setting | None) -> tuple[int, int, int]:
    """Batch entry, head and query."""
    batch, head = (
        kept.row[number] if kept and options[axis] is None else one_place(trace, options, axis)
        for number, axis in enumerate(("batch", "head"))
    )
    if len(options["token"]) > 1:
        raise UsageError.of("quiz-one-query", "--token " + " --token ".join(options["token"]))
    if options["token"]:
        return batch, head, query_of(trace, options["token"][0])
    return batch, head, kept.row.query if kept else trace.scenario.queries[0]


# --- going on -------------------------------------------------------------------------------------


def _gone_on(options: Options, file: Path) -> Begun:
    """The quiz whose progress a file holds; refused where the options ask for another."""
    from attncalc.practice.quiz_file import quiz_in, saved, state_in

    name = str(file)
    data = bytes_of(name)
    found = saved(data, name)
    setting = found.setting
    source = Source(setting.name, Folder(file.parent, options["allow_outside"]), setting.document)
    document = setting.document
    if options["scenario"] or options["seed"] is not None:
        other, _ = _source({**options, "step": options["step"] or list(setting.steps)})
        document = _moved(other, file)
    asked = _setting(options, source._replace(document=document), document, None, setting)
    if _other_lot(options, setting) or not asked.same(setting):
        raise UsageError.of("quiz-file-other", name, name=setting.name)
    quiz = quiz_in(setting, source)
    return Begun(setting, state_in(found, quiz, name), file, new=False, held=[data])


def _other_lot(options: Options, setting: Setting) -> bool:
    """Whether random numbers are asked for where the quiz has none, or those of another level."""
    if not options["random"]:
        return False
    level = setting.level if options["level"] is None else _lot({**options, "seed": "0"}).level
    return setting.level is None or level != setting.level


def bytes_of(name: str) -> bytes:
    """The bytes of a file, also where its name is that of a built-in scenario."""
    return read(f"./{name}" if builtin.is_name(name) and name != "-" else name)
