"""Answers from a file or from standard input, in whatever format they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError, Fault, UsageError, some
from attncalc.practice.answer_arrays import NPY, answers_in_arrays, chosen_keys
from attncalc.practice.answer_json import answered, answers_of
from attncalc.practice.answer_matrix import answers_in_matrix
from attncalc.practice.answer_tidy import answers_by_line, is_tidy
from attncalc.practice.answered import Answered
from attncalc.practice.assembling import Assembly
from attncalc.practice.csv_lines import is_word, lines_of
from attncalc.practice.fitting import step_named
from attncalc.practice.working_out import within_reason
from attncalc.scenario_files.json_text import MOST_BYTES, decoded, parse
from attncalc.scenario_files.number_arrays import FILES
from attncalc.scenario_files.sources import NoBytes, bytes_at, shown_name

MOST_ARRAY_BYTES = 256 * 1024 * 1024
SUFFIXES = {".json": "json", ".csv": "csv", ".tsv": "csv", **{f".{kind}": kind for kind in FILES}}
PICKLED = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".bin")
"""Files that would run a program when they are read."""

OTHER_SUFFIXES = (".md", ".markdown", ".html", ".htm", ".ipynb", ".tex", ".pdf", ".docx", ".odt", ".xlsx", ".ods")
"""Files that may well have numbers in them, in no way that can be read."""

NO_ANSWERS = NoBytes("answers-no-stdin", "answers-stdin-terminal", "answers-directory")

IN_OTHER_WORDS = {"file-empty": "answers-empty", "json-too-deep": "answers-deep", "file-binary": "answers-binary"}
"""Sentences about a file that speak of a scenario, and what is said instead."""


@within_reason()
def read_answers(
    trace: Trace, source: str, step: str | None = None, mapping: Sequence[str] = ()
) -> tuple[Answered, ...]:
    """The answers in a file, or on standard input (`-`), to the steps of a trace.

    What the file is shows in its suffix, else in how it begins. `step` is what a bare matrix answers, or the only step
    that is read; `mapping` are texts `STEP=KEY` for arrays with other names.
    Raises a UsageError with every fault that is found.
    """
    name, data = shown_name(source), _bytes(source)
    if Path(source).suffix.lower() in OTHER_SUFFIXES:
        raise UsageError.of("answers-no-kind", name)
    kind = SUFFIXES.get(Path(source).suffix.lower()) or kind_of(data)
    if kind in FILES:
        return answers_in_arrays(trace, data, kind, name, step, mapping)
    try:
        if kind == "json":
            return _in_json(trace, data, name, step, mapping)
        return _in_csv(trace, data, name, step, mapping)
    except AttncalcError as error:
        raise UsageError((_in_our_words(fault, name) for fault in error.faults), error.partial) from None


def _in_our_words(fault: Fault, name: str) -> Fault:
    return fault._replace(code=IN_OTHER_WORDS.get(fault.code, fault.code), place=fault.place or name)


def kind_of(data: bytes) -> str:
    """What a file is, by how it begins."""
    if data.startswith(NPY):
        return "npy"
    if data.startswith(b"PK\x03\x04"):
        return "npz"
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= len(data):
        return "safetensors"
    return "json" if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[") else "csv"


def _in_json(trace: Trace, data: bytes, name: str, step: str | None, mapping: Sequence[str]) -> tuple[Answered, ...]:
    """The answers in a JSON text: an object, or the array of the step that is asked for."""
    document = parse(data, name)
    if isinstance(document, dict) and mapping:
        keys = chosen_keys(trace, list(document), mapping, name)
        document = {answered_step: document[key] for answered_step, key in keys.items()}
    elif mapping:
        raise UsageError.of("answers-map-none", f"--map {mapping[0]}")
    if isinstance(document, dict):
        return _only(trace, answers_of(trace, document, name), name, step)
    if step is None:
        raise UsageError.of("answers-which-step", name)
    assembly = Assembly(trace, name)
    return assembly.answers([answered(assembly, step_named(trace, step, "--step").name, document, "")])


def _only(trace: Trace, answers: tuple[Answered, ...], name: str, step: str | None) -> tuple[Answered, ...]:
    """The answers to the step that is asked for, all where none is."""
    if step is None:
        return answers
    wanted = step_named(trace, step, "--step").name
    found = tuple(answer for answer in answers if answer.step == wanted)
    if not found:
        raise UsageError.of("answers-not-there", name, step=step, known=some([answer.step for answer in answers]))
    return found


def _in_csv(trace: Trace, data: bytes, name: str, step: str | None, mapping: Sequence[str]) -> tuple[Answered, ...]:
    """The answers in a CSV text: one number a line, or the matrix of the step that is asked for."""
    if mapping:
        raise UsageError.of("answers-map-none", f"--map {mapping[0]}")
    if len(data) > MOST_BYTES:
        raise UsageError.of("file-too-large", name, most=MOST_BYTES)
    lines = lines_of(decoded(data, name), name)
    if not lines:
        raise UsageError.of("answers-empty", name)
    header = [cell.strip().lower() for cell in lines[0].cells]
    assembly = Assembly(trace, name)
    if is_tidy(header):
        return answers_by_line(assembly, header, lines[1:], step)
    if step is None:
        is_table = len({len(line.cells) for line in lines[1:]}) < 2 and not all(map(is_word, lines[-1].cells))
        raise UsageError.of("answers-which-step" if is_table else "answers-no-kind", name)
    return answers_in_matrix(assembly, step_named(trace, step, "--step"), lines)


# --- bytes ----------------------------------------------------------------------------------------


def _bytes(source: str) -> bytes:
    """What a file or standard input holds."""
    if source != "-" and Path(source).suffix.lower() in PICKLED:
        raise UsageError.of("answers-pickled", source)
    try:
        data = bytes_at(source, MOST_ARRAY_BYTES, NO_ANSWERS)
    except FileNotFoundError:
        raise UsageError.of("file-missing", source) from None
    if len(data) > MOST_ARRAY_BYTES:
        raise UsageError.of("file-too-large", shown_name(source), most=MOST_ARRAY_BYTES)
    return data
