"""Answers from the arrays of real code: `.npy`, `.npz`, `.safetensors`; never pickled data."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import numpy as np

from attncalc.core.figures import WIDE
from attncalc.core.names import MOST_PLACES
from attncalc.core.stage import Step, Trace
from attncalc.errors import AttncalcError, Fault, UsageError, nearest, some
from attncalc.explore.placing import WrongShape
from attncalc.practice.answered import DIGITS, Answered
from attncalc.practice.assembling import Assembly
from attncalc.practice.cells_typed import cell_typed
from attncalc.practice.fitting import Fitted, fitted, step_named
from attncalc.practice.numbers_typed import TypedNumber, plain_number
from attncalc.scenario_files.json_text import TRACE
from attncalc.scenario_files.opened_arrays import array_of, foreign, opened
from attncalc.scenario_files.plain_files import NotRead
from attncalc.scenario_files.stored_arrays import SINGLE, Opened

NPY = b"\x93NUMPY"
"""How an `.npy` begins."""


def answers_in_arrays(
    trace: Trace, data: bytes, kind: str, name: str, step: str | None, mapping: Sequence[str]
) -> tuple[Answered, ...]:
    """The answers in a file of arrays, whose keys are steps or are mapped to them.

    A single array needs its step. Arrays that are no step of the scenario are left aside.
    """
    assembly = Assembly(trace, name)
    found = []
    try:
        # NumPy takes a single array under the other suffix as well.
        file = opened("npy" if kind == "npz" and data.startswith(NPY) else kind, io.BytesIO(data))
        places = _hand_places(file)
        for answered_step, key in _wanted(assembly, file, step, mapping):
            found.append(_answered(assembly, answered_step, file, key, places.get(key)))
    except NotRead as refused:
        code = "answers-broken" if refused.code == "array-file-broken" else refused.code
        raise UsageError.of(code, name, file=name, kind=kind, **refused.fields) from None
    return assembly.answers(found)


def _answered(assembly: Assembly, step: Step, file: Opened, key: str, places: int | None) -> Answered | None:
    """The answers of one array, with the decimals it was rounded to by hand; None after a report."""
    path = key if len(file.keys) > 1 else ""
    try:
        stored = array_of(file, key)
        cells = fitted(stored.values, step)
        if places is not None:
            return assembly.typed(step, _as_rounded(cells, places), DIGITS)
        return assembly.binary(step, cells, PRECISIONS.get(stored.type, "float64"))
    except NotRead as refused:
        if refused.code != "array-not-numbers":
            raise
        assembly.report(path, refused.code, file=path or assembly.name, **refused.fields)
    except WrongShape as wrong:
        assembly.misfit(path, step, wrong)
    return None


PRECISIONS = {"float32": "float32", "F32": "float32", "float16": "float16", "F16": "float16", "BF16": "bfloat16"}
"""The types that are narrower than a double; whole numbers are as exact as one."""


# --- rounded by hand ------------------------------------------------------------------------------

DESCRIPTION = "trace"
"""The array of an archive of attncalc's own that says how the others were calculated."""


def _hand_places(file: Opened) -> Mapping[str, int]:
    """The least decimals of the steps where the file says that attncalc rounded by hand; a given step has its own."""
    if DESCRIPTION not in file.keys or file.text is None:
        return {}
    try:
        with foreign():
            document = json.loads(file.text(DESCRIPTION))
        if document["format"] != TRACE or document["arithmetic"]["kind"] != "by-hand":
            return {}
        said = document["arithmetic"]["places"]
        by_step = said if isinstance(said, dict) else {"default": said}
        default = by_step.get("default", document["scenario"]["places"])
        given = {step["name"]: bool(step["given"]) for step in document["steps"]}
        found = {name: 0 if given[name] else int(by_step.get(name, default)) for name in given}
    except (NotRead, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}
    return {name: places for name, places in found.items() if 0 <= places <= MOST_PLACES}


def _as_rounded(cells: Fitted, places: int) -> Fitted:
    """The doubles nearest to rounded numbers as those numbers, with their zeros at the end: 0.70."""

    def rounded(value: float) -> TypedNumber | None:
        if not math.isfinite(value):
            return cell_typed(str(float(value)))
        shortest = Decimal(repr(float(value)))
        padded = shortest.quantize(Decimal(1).scaleb(-places, WIDE), context=WIDE)
        number = padded if padded == shortest else shortest
        return plain_number(number, format(number, "f"))

    return cells._replace(numbers=np.asarray(np.frompyfunc(rounded, 1, 1)(cells.numbers), dtype=object))


# --- which arrays ---------------------------------------------------------------------------------


def _wanted(assembly: Assembly, file: Opened, step: str | None, mapping: Sequence[str]) -> Iterator[tuple[Step, str]]:
    """The steps that are answered, each with the key of its array."""
    if step is not None and len(file.keys) == 1 and not mapping:
        yield step_named(assembly.trace, step, "--step"), file.keys[0]
        return
    if file.keys == SINGLE:
        if mapping:
            raise UsageError.of("answers-map-none", f"--map {mapping[0]}")
        raise UsageError.of("answers-which-step", assembly.name)
    chosen = chosen_keys(assembly.trace, file.keys, mapping, assembly.name)
    if step is not None:
        wanted = step_named(assembly.trace, step, "--step")
        if wanted.name not in chosen:
            raise UsageError.of("answers-not-there", assembly.name, step=step, known=some(file.keys))
        chosen = {wanted.name: chosen[wanted.name]}
    for name, key in chosen.items():
        yield step_named(assembly.trace, name), key


def chosen_keys(trace: Trace, keys: Sequence[str], mapping: Sequence[str], name: str) -> dict[str, str]:
    """The key of every step that is answered: as `--map STEP=KEY` says, else its own name.

    Raises a UsageError with all that is wrong with the mapping, or where no key is a step.
    """
    chosen: dict[str, str] = {}
    faults: list[Fault] = []
    for text in mapping:
        try:
            step, key = _mapped(trace, text, keys)
        except AttncalcError as error:
            faults += error.faults
            continue
        if step in chosen:
            faults.append(Fault(f"--map {text}", "map-twice", {"found": step}))
        chosen[step] = key
    if faults:
        raise UsageError(faults)
    for key in keys:
        if key in trace or (key == "terms" and "context" in trace):
            chosen.setdefault(key, key)
    if not chosen:
        steps = ", ".join(step.name for step in trace)
        example = f"weights={keys[0] if keys else 'attn'}"
        raise UsageError.of("answers-no-key", name, known=some(keys), steps=steps, example=example)
    return chosen


def _mapped(trace: Trace, text: str, keys: Sequence[str]) -> tuple[str, str]:
    """`weights=attn` as a step and a key."""
    place = f"--map {text}"
    step, equals, key = (part.strip() for part in text.partition("="))
    if not (step and equals and key):
        raise UsageError.of("map-syntax", place, example="weights=attn")
    step = step_named(trace, step, place).name
    if key not in keys:
        raise UsageError.of("no-such-array", place, found=key, known=some(keys), near=nearest(key, keys))
    return step, key
