"""`check`: are numbers that somebody got right, and if not, which step went wrong and by which mistake."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from attncalc.cli import output
from attncalc.cli.answering import all_of, answer_format, as_typed, asked_for, write_blocks, write_json, write_text
from attncalc.cli.choices import Options, calculation, one_place, plain_view
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.core.stage import Trace
    from attncalc.document.blocks import Block
    from attncalc.document.view import View
    from attncalc.practice.answered import Answered
    from attncalc.practice.verdicts import Diagnosis

MOST_TOLD, A_LINE = 10_000, 160.0
"""Answers that are told one by one without force; the microseconds that each takes."""


def check(session: Session, options: Options) -> int:
    """The verdict on answers to a scenario; 1 where the method is not right. With --code, how to save them."""
    from attncalc.practice.diagnose import diagnose
    from attncalc.practice.judging import as_asked, right_calculation

    asked_for(options["source"])
    if options["code"]:
        return _code(session, options)
    _refuse(options)
    format = answer_format(options, names.DOCUMENTS)
    trace = right_calculation(options["source"], options["set"], calculation(options), options["allow_outside"])
    files = options["answers"] or [""]
    answers = all_of(lambda file: _answers(trace, options, file), files)
    has_places = options["places"] is not None
    found = [diagnose(as_asked(trace, one, has_places), one) for one in answers]
    _refuse_many(options, found, format)
    view = plain_view(session, format)._replace(everything=bool(options["all"]))
    if len(files) > 1:
        _write_all(session, options, list(zip(files, found, strict=True)), view, format)
    elif format == "json":
        from attncalc.renderers.check_json import as_document

        write_json(options, as_document(found[0], view))
    else:
        write_blocks(session, options, lambda view: _blocks(session, options, found[0], view), view, format)
    return Status.DONE if all(one.accepted for one in found) else Status.WRONG


def _write_all(
    session: Session, options: Options, found: Sequence[tuple[str, Diagnosis]], view: View, format: str
) -> None:  # fmt: skip
    """A line for each of several files."""
    if format == "json":
        from attncalc.renderers.check_json import as_document

        write_json(options, *(as_document(one, view, name) for name, one in found))
        return
    from attncalc.document.diagnoses import diagnoses

    write_blocks(session, options, lambda view: diagnoses(found, view), view, format)


def _refuse(options: Options) -> None:
    """Refuses a call without answers, with both from standard input, or with options that need a file."""
    files = options["answers"]
    if not all(files) or not (files or options["answer"]):
        if os.path.isdir(options["source"]):
            raise UsageError.of("is-a-directory", options["source"])
        raise UsageError.of("check-no-answers", "check", scenario=options["source"])
    for kind, needing in (("answers", ("step", "map")), ("answer", ("batch", "head"))):
        idle = [f"--{name}" for name in needing if options[name]]
        if idle and not options[kind]:
            raise UsageError.of(f"check-idle-{kind}", ", ".join(idle))
    if options["source"] == "-" and "-" in files:
        raise UsageError.of("check-both-stdin", "stdin")
    if files.count("-") > 1:
        raise UsageError.of("check-many-stdin", "stdin", count=files.count("-"))
    if len(files) > 1 and options["answer"]:
        raise UsageError.of("check-many-typed", "--answer", count=len(files))
    if len(options["step"]) > 1:
        raise UsageError.of("check-several-steps", "--step", found=", ".join(options["step"]))


def _refuse_many(options: Options, found: Sequence[Diagnosis], format: str) -> None:
    """Refuses, without --force, to tell very many numbers one by one."""
    if not options["all"] or options["force"] or format == "json" or len(found) > 1:
        return
    count = sum(step.sheet.count for step in found[0].steps)
    if count > MOST_TOLD:
        raise UsageError.of("check-all-large", "--all", count=f"{count:,}", seconds=math.ceil(count * A_LINE / 1e6))


def _answers(trace: Trace, options: Options, file: str) -> tuple[Answered, ...]:
    """The answers of the file and those that were typed, in the order of the steps; all their faults at once."""
    from attncalc.practice.answer_files import read_answers
    from attncalc.practice.answer_texts import answers_in_texts

    sources: list[Callable[[], tuple[Answered, ...]]] = []
    if file:
        step = next(iter(options["step"]), None)
        sources.append(lambda: read_answers(trace, file, step, options["map"]))
    if options["answer"]:
        places = one_place(trace, options, "batch"), one_place(trace, options, "head")
        sources.append(lambda: answers_in_texts(trace, options["answer"], *places))
    found = [answered for answers in all_of(lambda read: read(), sources) for answered in answers]
    for step_name, count in Counter(answered.step for answered in found).items():
        if count > 1:
            raise UsageError.of("check-twice", "--answer", step=step_name, name=file)
    return tuple(sorted(found, key=lambda answered: names.STEPS.index(answered.step)))


def _blocks(session: Session, options: Options, found: Diagnosis, view: View) -> Iterator[Block]:
    """The diagnosis, and the command that takes the first number that is off apart."""
    from attncalc.document.blocks import Prose
    from attncalc.document.diagnosis import diagnosis
    from attncalc.explore.cells import typed_name

    yield from diagnosis(found, view)
    if found.first_wrong is None or session.quiet or options["source"] == "-" or not view.options:
        return
    words = typed_name(found.trace, found.first_wrong.cell)
    settings = [f"--set {as_typed(change)}" for change in options["set"]]
    settings += ["--by-hand off"] if found.trace.scenario.option("by_hand") is not None else []
    command = " ".join(("attncalc why", as_typed(options["source"]), _words(words), *settings))
    yield Prose(command, view.say("lead.next"))


def _words(words: str) -> str:
    """The words of a cell as a shell takes them."""
    from attncalc.core.labels import WHOLE

    return " ".join(as_typed(word) for word in WHOLE.findall(words))


def _code(session: Session, options: Options) -> int:
    """Prints the lines of PyTorch that save what this scenario can be set beside."""
    from attncalc.document.torch_code import torch_code
    from attncalc.practice.judging import right_calculation

    idle = ("answer", "step", "map", "head", "batch", "json", "plain", "format")
    found = [*options["answers"], *(f"--{name}" for name in idle if options[name])]
    if found:
        raise UsageError.of("check-code-alone", "--code", found=", ".join(found))
    output.check_target(options["output"], options["force"])
    trace = right_calculation(options["source"], options["set"], calculation(options), options["allow_outside"])
    view = plain_view(session, "table")
    write_text(options, torch_code(trace, as_typed(options["source"]), view))
    return Status.DONE
