"""From a JSON value to a scenario: kinds, what belongs together, shapes, labels, defaults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.core.memory import check_fits
from attncalc.core.scenario import Scenario
from attncalc.errors import Fault, ScenarioError
from attncalc.messages import Word
from attncalc.scenario_files.beside import HERE, Folder
from attncalc.scenario_files.defaults import with_defaults
from attncalc.scenario_files.expected import check_expected
from attncalc.scenario_files.json_text import TRACE, repeated_keys
from attncalc.scenario_files.keys import SCENARIO, check_loaded, number_arrays
from attncalc.scenario_files.kinds import found
from attncalc.scenario_files.known import Known
from attncalc.scenario_files.labelling import Labelling
from attncalc.scenario_files.masks import Masks
from attncalc.scenario_files.number_arrays import as_decimal
from attncalc.scenario_files.reading_rules import check_rules
from attncalc.scenario_files.shapes import Shapes

if TYPE_CHECKING:
    from attncalc.scenario_files.array_rows import Outlines

Made = TypeVar("Made")


class Faults:
    """The faults of one document, collected; a place is reported once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[Fault] = []
        self.places: set[str] = set()

    def report(self, path: str, code: str, **fields: Any) -> None:
        """Notes a fault at a path of the document."""
        place = f"{self.name}: {path}" if path else self.name
        if place not in self.places:
            self.places.add(place)
            self.found.append(Fault(place, code, fields))

    def raise_any(self) -> None:
        """Raises what was found, if anything was."""
        if self.found:
            raise ScenarioError(self.found)


def build(
    document: Any, name: str, folder: Folder = HERE, outlines: Outlines | None = None, known: Known | None = None
) -> Scenario:  # fmt: skip
    """The scenario of a JSON value; raises a ScenarioError with every fault there is.

    Arrays in files are looked for in the folder. With `outlines` the large ones stay there, nothing is made over the
    whole grid, and `places`, `hidden_keys` and `key_lengths` are what the mask would be made of. What is `known` of the
    document from another reading is not looked at again.
    """
    faults, known = Faults(name), known or Known()
    if not isinstance(document, dict):
        faults.report("", "not-a-scenario", found=Word("found-list" if isinstance(document, list) else "found-other"))
    faults.raise_any()
    document = _inside_a_trace(document, faults)
    for path in repeated_keys(document):
        faults.report(path, "repeated-key")
    SCENARIO.check(known.unlike(document), "", faults.report)
    arrays = _arrays(document, folder, faults, outlines, known)
    broken = {fault.place.removeprefix(f"{name}: ").split("[")[0].split(".")[0] for fault in faults.found}
    misspelt = [
        fault for fault in faults.found if fault.code == "unknown-key" and "." not in fault.place.rpartition(": ")[2]
    ]
    broken |= {str(fault.fields.get("near")) for fault in misspelt}  # a misspelt key is not missing as well
    usable = {key: value for key, value in document.items() if key not in broken and key != "$schema"}
    start = check_rules(usable, broken, faults.report)
    if not start:
        faults.raise_any()
    arrays = {path: values for path, values in arrays.items() if path.split(".")[0] not in broken}
    return _assembled(name, with_defaults(usable, start), start, arrays, faults, broken, outlines)


def _inside_a_trace(document: dict[str, Any], faults: Faults) -> dict[str, Any]:
    """The scenario that a trace holds; a document that is no trace is itself."""
    named = document.get("format")
    if named is None:
        return document
    if named != TRACE:
        near = TRACE if isinstance(named, str) and named.startswith("attncalc") else ""
        faults.report("format", "not-a-choice", found=found(named), known=TRACE, near=near)
    elif "scenario" not in document:
        faults.report("scenario", "trace-without-scenario")
    elif not isinstance(document["scenario"], dict):
        faults.report("scenario", "not-an-object", found=found(document["scenario"]))
    faults.raise_any()
    inside: dict[str, Any] = document["scenario"]
    return inside


def _arrays(
    document: Mapping[str, Any], folder: Folder, faults: Faults, outlines: Outlines | None, known: Known
) -> dict[str, Values]:  # fmt: skip
    """The arrays of a document by path, those in files loaded, where their form was right."""
    places = {fault.place for fault in faults.found}
    arrays = {}
    for path, value in number_arrays(document):
        place = f"{faults.name}: {path}"
        if any(other.startswith(place) for other in places):
            continue
        before = known.array(path, value)
        if before is not None or isinstance(value, list):
            arrays[path] = array(value) if before is None else before
            continue
        try:
            if outlines is None:
                from attncalc.scenario_files.array_files import load_array  # few scenarios have arrays in files

                arrays[path] = load_array(value, folder, place)
            else:
                arrays[path] = outlines.load(path, value, folder, place)
            filed = outlines is not None and path in outlines.located
            checked = arrays[path][(slice(1),) * arrays[path].ndim] if filed else arrays[path]
            check_loaded(path, checked, faults.report)
        except ScenarioError as error:
            faults.found += error.faults
    if not faults.found:
        whole = {path: value for path, value in number_arrays(document) if outlines is None or isinstance(value, list)}
        known.keep(document, {path: (value, arrays[path]) for path, value in whole.items()})
    return arrays


def _assembled(
    name: str, document: Mapping[str, Any], start: str, given: Mapping[str, Values], faults: Faults,
    broken: Collection[str], outlines: Outlines | None,
) -> Scenario:  # fmt: skip
    if not _enough(start, given):
        faults.raise_any()
    shapes = Shapes(document, start, given, faults.report)
    shapes.check()
    if shapes.unliftable:
        faults.raise_any()
    grid = shapes.grid
    if outlines is None:
        check_fits(name, grid)
    labelling = Labelling(document, grid, shapes.past, shapes.single, faults.report, "tokens" in broken)
    arrays, places = _fitting(faults, lambda: shapes.lifted(with_places=outlines is None))
    if isinstance(document.get("sink"), Decimal):
        arrays["sink"], places["sink"] = (
            np.full((1, 1, 1, 1), document["sink"], dtype=object),
            np.zeros((1, 1, 1, 1), int),
        )
    if outlines is not None:
        outlines.shapes = {name: arrays[name].shape for name in outlines.located}
    whole = outlines is None
    arrays |= _fitting(faults, lambda: _positions(document, arrays, grid, shapes.past, labelling, faults, whole))
    check_expected(document, labelling)
    faults.raise_any()
    for values in arrays.values():
        values.setflags(write=False)
    origins = {path: (places[path], given[path].shape if path in given else ()) for path in places}
    axes = ("batch",) * shapes.counts.has_batch + ("head",) * shapes.counts.has_heads + ("query", "key", "feature")
    return Scenario(
        name=name, document=document, start=start, arrays=arrays, tokens=labelling.tokens,
        query_tokens=labelling.query_tokens, queries=labelling.queries, grid=grid, sizes=shapes.sizes(),
        width=shapes.width(), axes=axes, origins=origins,
    )  # fmt: skip


def _fitting(faults: Faults, make: Callable[[], Made]) -> Made:
    """What is made of arrays; one that nothing reads need not fit, and that nothing reads it is reported already."""
    try:
        return make()
    except ValueError:
        faults.raise_any()
        raise


def _enough(start: str, given: Mapping[str, Values]) -> bool:
    """Whether the arrays that a starting point needs were all read."""
    needed = {"q": ("q", "k"), "ids": ("ids", "embedding")}.get(start, (start,))
    return all(name in given for name in needed)


def _positions(
    document: Mapping[str, Any], arrays: Mapping[str, Values], grid: tuple[int, int, int, int], past: int,
    labelling: Labelling, faults: Faults, whole: bool,
) -> dict[str, Values]:  # fmt: skip
    """What is made from positions: the mask, the token itself, distances, and the positions for a rotation.

    Not `whole`: what these would be made of.
    """

    def find_all(labels: Sequence[Any], path: str) -> list[int]:
        return labelling.find_all(labels, labelling.tokens, path)

    masks = Masks(document, arrays, grid, past, labelling.place, find_all, faults.report)
    positions = masks.positions()
    slopes = {"slope_exponents": slope_exponents(grid[1])} if document.get("alibi") is True else {}
    if not whole:
        return {
            "places": positions[:, 0],
            "hidden_keys": np.unique(np.array(masks.hidden_keys(), dtype=int)),
            "key_lengths": np.array(masks.key_lengths()),
            "query_positions": np.arange(past, past + grid[2], dtype=np.float64)[None, None, :, None],
            "key_positions": np.arange(past, grid[3], dtype=np.float64)[None, None, :, None],
            **slopes,
        }
    visible = masks.visible(positions)
    keys = np.arange(grid[3])
    return {
        "visible": visible,
        "own": np.broadcast_to(keys == positions, grid) & visible,
        **slopes,
        **({"distance": np.abs(positions - keys)[None, None].astype(np.float64)} if "alibi" in document else {}),
        **(
            {"query_positions": _column(past, past + grid[2]), "key_positions": _column(past, grid[3])}
            if "rope" in document
            else {}
        ),
    }


def _column(first: int, end: int) -> Values:
    return _decimals(np.arange(first, end))[None, None, :, None]


def _decimals(values: Values) -> Values:
    return np.asarray(np.frompyfunc(lambda x: Decimal(int(x)), 1, 1)(values), dtype=object)


def slope_exponents(heads: int) -> Values:
    """ALiBi's published slopes as powers of two, (1, heads, 1, 1).

    −8h/n for a power of two n; otherwise those of the next smaller one, then every second of the next larger.
    """
    nearest = 1 << (heads.bit_length() - 1)
    exponents = [Decimal(-8 * h) / nearest for h in range(1, nearest + 1)]
    exponents += [Decimal(-8 * h) / (2 * nearest) for h in range(1, 2 * (heads - nearest), 2)]
    return np.array(exponents, dtype=object).reshape(1, -1, 1, 1)


def array(value: list[Any]) -> Values:
    """A nested list of checked numbers as an object array of decimals."""
    shape, part = [], value
    while isinstance(part, list):
        shape.append(len(part))
        part = part[0]
    flat: list[Any] = value
    for _ in shape[1:]:
        flat = [cell for row in flat for cell in row]
    cells = np.empty(len(flat), dtype=object)
    cells[:] = flat if set(map(type, flat)) == {Literal} else [as_decimal(cell) for cell in flat]
    return cells.reshape(shape)
