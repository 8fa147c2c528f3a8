"""`quiz`: asks for the numbers of a calculation, at a terminal, from a pipe, or from an answer sheet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attncalc.cli import output
from attncalc.cli.answering import answer_format, as_typed, write_json
from attncalc.cli.choices import Options, plain_view
from attncalc.cli.lines import keys_from_the_terminal, lines, there_is_input
from attncalc.cli.options import OPTIONS
from attncalc.cli.quiz_start import ONLY_RANDOM, RANDOM, Begun, begun, bytes_of, is_named
from attncalc.cli.report import Status, complain
from attncalc.cli.session import Session
from attncalc.errors import AttncalcError, UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.document.blocks import Block
    from attncalc.document.quiz_ending import Followed
    from attncalc.document.view import View
    from attncalc.practice.quiz_state import State

FORMATS = ("table", "plain", "json")

Write = Callable[[Sequence["Block"]], str]
"""Blocks as the text of the format."""


def quiz(session: Session, options: Options) -> int:
    """Asks for the numbers of one scenario; without one, lists those there are."""
    _refuse(options)
    options = {**options, "answer_file": next(iter(options["answer_file"]), None)}
    if not is_named(options):
        return _list(session, options)
    format = answer_format(options, FORMATS)
    if format == "json" and not options["answer_file"]:
        raise UsageError.of("quiz-json-answers", "--json")
    begun_with = begun(options)
    view = plain_view(session, format)._replace(everything=bool(options["all"]))
    if options["answer_file"]:
        return _on_paper(session, options, begun_with, view, format)
    return _asked(session, options, begun_with, view, format)


def _refuse(options: Options) -> None:
    """Refuses options of which one makes the other useless."""
    if options["random"] and options["scenario"]:
        raise UsageError.of("quiz-two-ways", options["scenario"])
    for name in ONLY_RANDOM:
        if options[name] is not None and not options["random"]:
            raise UsageError.of("works-only-with", OPTIONS[name].flags[0], options="--random")
    if len(options["answer_file"]) > 1:
        raise UsageError.of("quiz-one-answers", "--answers", found=", ".join(options["answer_file"]))
    if [options["scenario"]] == options["answer_file"] == ["-"]:
        raise UsageError.of("quiz-two-stdin", "--answers -")


def _list(session: Session, options: Options) -> int:
    """The built-in scenarios."""
    from attncalc.cli.scenarios import list_
    from attncalc.document.blocks import Prose
    from attncalc.document.listing import listing
    from attncalc.scenario_files.sources import source_at

    format = answer_format(options, FORMATS)
    if format == "json":
        return list_(session, options)
    view = plain_view(session, format)
    documents = {name: source_at(name).document for name in builtin.names()}
    following = [] if session.quiet else [Prose(view.say("quiz-list-next"), view.say("lead.next"))]
    output.write(_writer(session, view, format)([*listing(documents, view), *following]).lstrip("\n"))
    return Status.DONE


def _writer(session: Session, view: View, format: str) -> Write:
    """What turns blocks into text; without notes where quiet is asked for."""
    from attncalc.document.blocks import without_remarks
    from attncalc.renderers import block_renderer

    settings: dict[str, Any] = {"width": session.width, "color": session.color} if format == "table" else {}

    def text(blocks: Sequence[Block]) -> str:
        kept = without_remarks(blocks, session.quiet)
        return block_renderer(format)(kept, view, **settings) if kept else ""

    return text


# --- at a terminal, or from a pipe ----------------------------------------------------------------


def _asked(session: Session, options: Options, begun_with: Begun, view: View, format: str) -> int:
    """Line by line until the end, or until it is left; what was answered so far is always scored."""
    from attncalc.interactive.quizzing import greeting

    if options["scenario"] == "-":
        keys_from_the_terminal()
    if not there_is_input():
        raise UsageError.of("quiz-no-answers", "quiz")
    text = _writer(session, view, format)
    asked = _Asked(session, begun_with, view, text)
    asked.write(_opened(options, begun_with, greeting(begun_with.state, view), view), first=True)
    try:
        asked.go_on()
    except KeyboardInterrupt:
        asked.interrupted = True
    if asked.typed and asked.state.question is not None and not asked.left:
        output.write("\n")
    output.write(text(_ending(session, begun_with, asked.state, view)))
    return asked.status()


class _Asked:
    """A quiz line by line: where it stands, and how it went."""

    def __init__(self, session: Session, begun_with: Begun, view: View, text: Write) -> None:
        self.session, self.begun, self.view, self.text = session, begun_with, view, text
        self.state = begun_with.state
        self.typed = sys.stdin.isatty()
        self.failed = self.left = self.interrupted = False

    def go_on(self) -> None:
        """Takes lines until the end, or until it is left."""
        if self.state.question is None:
            return
        for number, line in enumerate(lines(self.typed), 1):
            self._take(number, line)
            if self.left or self.state.question is None:
                return

    def _take(self, number: int, line: str) -> None:
        """Replies to a line; progress is kept before anything is said."""
        from attncalc.interactive.quizzing import reply

        if not self.typed and line.strip():
            output.write(f"\n{_echo(line)}")
        try:
            found = reply(self.state, line, self.view)
        except AttncalcError as error:
            self._refuse(number, error)
            return
        if found.state is not self.state:
            self.begun.keep(found.state)
        self.state, self.left = found.state, found.left
        self.write(found.blocks)

    def _refuse(self, number: int, error: AttncalcError) -> None:
        """Says what is wrong with a line; in a pipe with its number."""
        language = self.session.language
        if not self.typed:
            error = UsageError(fault._replace(place=f"stdin:{number}") for fault in error.faults)
        complain(error.sentences(language), language, lead="" if self.typed else "attncalc: ")
        self.failed = True

    def write(self, blocks: list[Block], first: bool = False) -> None:
        """Writes blocks; where a terminal cannot hold them, with how the tables are seen one at a time."""
        text = self.text(blocks).lstrip("\n" if first else "")
        room = self.session.height
        if self.typed and room is not None and text.count("\n") >= room:
            text += self.text(list(scrolled(self.state, self.view)))
        output.write(text)

    def status(self) -> int:
        """0 at the end, or where it was left on purpose; a pipe that holds too little, or what is no answer, is not."""
        if self.interrupted:
            return Status.INTERRUPTED
        if self.typed:
            return Status.DONE
        if self.failed:
            return Status.REFUSED
        return Status.DONE if self.left or self.state.question is None else Status.WRONG


def scrolled(state: State, view: View) -> Iterator[Block]:
    """How one table after another can be seen of a question that needs more than one."""
    from attncalc.document.blocks import Prose
    from attncalc.document.quiz_task import table_names

    names = table_names(state)
    if len(names) > 1:
        word = view.say("quiz-word.show").split(" ")[0]
        commands = view.say("list-comma").join(f"{word} {name}" for name in names)
        yield Prose(view.say("quiz-scrolled", commands=commands))


def _echo(line: str) -> str:
    """A line that came from a pipe or a file, as if it had been typed."""
    from attncalc.messages.safe_text import escaped

    return f"> {escaped(line.strip())}\n"


def _opened(options: Options, begun_with: Begun, blocks: list[Block], view: View) -> list[Block]:
    """The first screen: after its title what has to be said of the numbers and of the row."""
    from attncalc.document.blocks import Prose, Remark

    if begun_with.state.question is None:
        return [Prose(view.say("quiz-done"))]
    notes: list[Block] = []
    if begun_with.setting.seed is not None:
        notes.append(Remark("random", view.say("quiz-made", command=_again(begun_with, seed=True))))
    trace = begun_with.state.quiz.trace
    if trace.kind != "exact":
        notes.append(Remark("judged-in-float64", view.say("check-float64")))
    for axis, count in zip(("batch", "head"), trace.scenario.grid, strict=False):
        if options[axis] is None and begun_with.new and count > 1:
            notes.append(Remark(f"first-{axis}", view.say(f"quiz-first-{axis}")))
    return [*notes, *blocks] if not notes else [blocks[0], *notes, *blocks[1:]]


# --- an answer sheet ------------------------------------------------------------------------------


def _on_paper(session: Session, options: Options, begun_with: Begun, view: View, format: str) -> int:
    """Takes an answer for each question from a file; 1 where one is wrong or missing."""
    from attncalc.interactive.quizzing import greeting, sheet

    name = "stdin" if options["answer_file"] == "-" else options["answer_file"]
    found = sheet(begun_with.state, _written_lines(options["answer_file"], name), name, view)
    begun_with.keep(found.state)
    if format == "json":
        from attncalc.renderers.quiz_json import as_document

        write_json(options, as_document(found.state, begun_with.setting.name, view))
    else:
        text = _writer(session, view, format)
        parts = [text(_opened(options, begun_with, greeting(begun_with.state, view, paper=True), view)).lstrip("\n")]
        parts += [f"\n{_echo(line)}{text(blocks)}" for line, blocks in found.told]
        parts.append(text(_ending(session, begun_with, found.state, view)))
        output.write("".join(parts))
    return Status.DONE if found.state.right else Status.WRONG


def _written_lines(file: str, name: str) -> Iterator[tuple[int, str]]:
    """The lines of an answer sheet with their numbers; blank ones, and what follows a `#`, are left out."""
    from attncalc.scenario_files.json_text import decoded

    data = bytes_of(file)
    for number, line in enumerate(decoded(data, name).splitlines(), 1):
        if text := line.partition("#")[0].strip():
            yield number, text


# --- the end --------------------------------------------------------------------------------------


def _ending(session: Session, begun_with: Begun, state: State, view: View) -> list[Block]:
    from attncalc.document.quiz_ending import Followed, ending

    followed = Followed() if session.quiet else _followed(begun_with, state)
    return list(ending(state, view, followed))


def _followed(begun_with: Begun, state: State) -> Followed:
    """What may be typed next: to go on, to practise what went wrong, another one."""
    from attncalc.document.quiz_ending import Followed
    from attncalc.practice.quiz_state import QUARTERS

    resume = f"attncalc quiz --resume {as_typed(str(begun_with.file))}" if begun_with.file else ""
    missed = [done.step for done in state.done if done.quarters < QUARTERS]
    full = state.question is None and not missed
    return Followed((*_same_steps(begun_with, missed), _again(begun_with, full=full)), resume)


def _same_steps(begun_with: Begun, missed: Sequence[str]) -> Iterator[str]:
    """The same scenario, only the steps that went wrong."""
    setting = begun_with.setting
    if missed and len(missed) < len(begun_with.state.quiz.questions) and setting.name not in ("stdin", RANDOM):
        yield " ".join(("attncalc quiz", as_typed(setting.name), *(f"--step {step}" for step in missed)))


def _again(begun_with: Begun, seed: bool = False, full: bool = False) -> str:
    """The command for random numbers: the same ones, or others of the same level, of the next one after full marks."""
    from attncalc.practice.generator import LEVELS

    setting = begun_with.setting
    level = setting.level or 1
    level = min(level + 1, len(LEVELS)) if full and setting.level else level
    words = ["attncalc quiz --random --level", str(level)]
    words += ["--seed", str(setting.seed)] if seed else []
    words += [f"--step {step}" for step in setting.steps] if seed or setting.level else []
    return " ".join(words)
