"""`new`: a scenario made by questions, of random numbers, or from the arrays of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from attncalc.cli import output
from attncalc.cli.answering import as_typed, write_text
from attncalc.cli.asking import Asker
from attncalc.cli.choices import Options, calculation, seed_of, whole_number
from attncalc.cli.options import OPTIONS
from attncalc.cli.report import Status, complain
from attncalc.cli.session import Session
from attncalc.cli.watching import told
from attncalc.errors import AttncalcError, Fault, ScenarioError, UsageError, shortened, some
from attncalc.messages import LANGUAGES, Say, speaker

if TYPE_CHECKING:
    from attncalc.scenario_files.beside import Folder

SIZES = ("token_count", "d_model", "heads")
ONLY_RANDOM = ("seed", "level", "token_count", "d_model")

SEGMENT = re.compile(r"\w+")

Made = tuple[dict[str, Any], list[str]]
"""A document, and what has to be said of it."""


def new(session: Session, options: Options) -> int:
    """Writes a scenario that can be run."""
    from attncalc.scenario_files.json_writing import written
    from attncalc.scenario_files.referring import fitting
    from attncalc.scenario_files.sources import source_at

    _check_ways(options)
    _check_target(options["output"], options["force"])
    chosen, say = calculation(options), speaker(session.language)
    document, notes = _made(session, options, say)
    name = options["source_file"][0] if options["source_file"] else "new"
    source = source_at(document)._replace(name=name, folder=_folder(options))
    try:
        fitted = fitting(source, options["set"], chosen)
    except ScenarioError as error:
        raise ScenarioError(_of_change(fault, options["set"]) for fault in error.faults) from None
    write_text(options, written(fitted.source.document, 2) + "\n")
    notes += [say("from-layout")] if fitted.turned else []
    if not session.quiet:
        complain(notes, session.language)
    if output.is_file(options["output"]):
        told(f"{say('lead.next')}  attncalc explain {as_typed(options['output'])}", session)
    return Status.DONE


def _of_change(fault: Fault, changes: Sequence[str]) -> Fault:
    """The fault at the --set that made it, where one did: what it names stands in no file."""
    path = SEGMENT.findall(fault.place.rpartition(": ")[2])
    for change in reversed(changes):
        changed = SEGMENT.findall(change.partition("=")[0])
        if path[: len(changed)] == changed:
            return fault._replace(place=f"--set {change}")
    return fault


def _check_ways(options: Options) -> None:
    """Refuses options of which one makes the other useless."""
    given = [name for name in (*ONLY_RANDOM, "heads", "map") if options[name] not in (None, [])]
    flags = {name: OPTIONS[name].flags[0] for name in given}
    if options["random"] and options["source_file"]:
        raise UsageError.of("new-two-ways", "--from", other="--random")
    for name in given:
        if name == "map" and not options["source_file"]:
            raise UsageError.of("works-only-with", flags[name], options="--from")
        if name != "map" and not options["random"] and not (name == "heads" and options["source_file"]):
            raise UsageError.of("works-only-with", flags[name], options="--random")
    sizes = [flags[name] for name in SIZES if name in given]
    if options["level"] is not None and sizes:
        raise UsageError.of("new-level-sizes", "--level", found=", ".join(sizes))


def _check_target(target: str | None, force: bool) -> None:
    """Refuses a name that no scenario has, or that cannot be written."""
    if target == "":
        raise UsageError.of("new-no-name", OPTIONS["output"].flags[0])
    suffix = PurePath(target).suffix if target is not None and output.is_file(target) else ""
    if suffix.lower() not in ("", ".json"):
        raise UsageError.of("new-suffix", shortened(target or ""), suffix=shortened(suffix))
    output.check_target(target, force)


def _folder(options: Options) -> Folder:
    """Where the scenario will be, and what it refers to is looked for."""
    from attncalc.scenario_files.beside import Folder

    path = Path(options["output"]).parent if output.is_file(options["output"]) else Path()
    return Folder(path, options["allow_outside"])


def _made(session: Session, options: Options, say: Say) -> Made:
    if options["source_file"]:
        return _from_arrays(options, say)
    return _random(options, say) if options["random"] else (_asked(session), [])


def _from_arrays(options: Options, say: Say) -> Made:
    """A document that refers to the arrays of files."""
    from attncalc.practice.scenario_questions import WIDEST
    from attncalc.scenario_files.referring import referring

    document, unused = referring(options["source_file"], _folder(options), options["map"])
    heads = {"heads": whole_number(options, "heads", 1, 1, WIDEST)} if options["heads"] is not None else {}
    return document | heads, [say("from-unused", names=some(unused))] if unused else []


def _random(options: Options, say: Say) -> Made:
    """A document of random numbers, which says how it is made again."""
    from attncalc.practice.generator import LEVELS, coincident_sizes, random_document, recipe_for
    from attncalc.practice.scenario_questions import MOST_TOKENS, WIDEST, shared

    seed = seed_of(options)
    if options["level"] is not None:
        level = whole_number(options, "level", 1, 1, len(LEVELS))
        recipe, sizes = LEVELS[level - 1], {"level": level}
    else:
        tokens = whole_number(options, "token_count", 4, 1, MOST_TOKENS)
        d_model = whole_number(options, "d_model", 6, 1, WIDEST)
        heads = whole_number(options, "heads", 1 if d_model % 2 else 2, 1, WIDEST)
        try:
            recipe = recipe_for(tokens, d_model, shared(heads, d_model))
        except AttncalcError as error:
            raise UsageError(fault._replace(place="--heads") for fault in error.faults) from None
        sizes = {"token_count": tokens, "d_model": d_model, "heads": heads}
    words = " ".join(f"{OPTIONS[name].flags[0]} {number}" for name, number in {**sizes, "seed": seed}.items())
    about = {language: speaker(language)("made-about", options=f"--random {words}") for language in LANGUAGES}
    title, *rest = random_document(recipe, seed).items()
    pairs = "; ".join(f"{one} = {other}" for one, other in coincident_sizes(recipe))
    return dict([title, ("about", about), *rest]), [say("made-coincident", pairs=pairs)] if pairs else []


def _asked(session: Session) -> dict[str, Any]:
    """A document of the answers to questions."""
    from attncalc.practice.scenario_questions import QUESTIONS, Answers, document_of

    asker = Asker(session.language)
    answers: Answers = {}
    for question in QUESTIONS:
        if question.asked(answers):
            sentence, read = asker.say(f"new-ask-{question.name}"), partial(question.read, answers)
            answers[question.name] = asker.ask(sentence, question.default(answers), read)
    return document_of(answers, _typed(asker, answers) if answers["fill"] == "type" else {})


def _typed(asker: Asker, answers: dict[str, Any]) -> dict[str, Any]:
    """The arrays, typed row by row."""
    from attncalc.practice.scenario_questions import numbers_in, recipe_of, rows_to_type

    typed: dict[str, Any] = {}
    for row in rows_to_type(recipe_of(answers), answers["tokens"]):
        sentence = asker.say("new-ask-row", path=row.path, count=row.length)
        numbers = asker.ask(sentence, "", partial(numbers_in, row.length))
        if row.path == row.array:
            typed[row.array] = numbers
        else:
            typed.setdefault(row.array, []).append(numbers)
    return typed
