"""From a scenario whose large arrays lie in files to the problem that is calculated block by block."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.arithmetic import Floats
from attncalc.core.bounded import Values
from attncalc.core.certain import OWN
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage
from attncalc.errors import ScenarioError, UsageError
from attncalc.fold import Slot, fold
from attncalc.long.extents import Extent, is_finite, longest_row
from attncalc.long.hiding import Hiding
from attncalc.long.problem import BOUND, Problem
from attncalc.long.stages import of_cells, steps
from attncalc.long.tables import Table, held, place
from attncalc.ops import weighing
from attncalc.scenario_files.array_places import Located
from attncalc.scenario_files.array_rows import BY_CELLS, Outlines
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.lifting import ROWS
from attncalc.scenario_files.load import outlined
from attncalc.scenario_files.sources import Source
from attncalc.scenario_files.zarr_arrays import Chunked

KINDS = ("float32", "float64")
COMPARED = ("q", "k", "v")
"""The arrays that may stay in their files when queries and keys are compared as they are."""


class Long(NamedTuple):
    """A scenario that is never whole in memory: what was checked, and the outlines of its large arrays."""

    scenario: Scenario
    outlines: Outlines
    source: Source
    kind: str = ""

    def table(self, name: str) -> Table | None:
        """The rows of an array with four axes, in its file or in memory; None where there is none."""
        if name in self.outlines.located:
            return Filed(self.outlines.located[name], name, self.outlines.shapes[name], self.kind)
        if not self.scenario.has(name):
            return None
        return held(Floats(self.kind).given(self.scenario.arrays[name], name))


class Filed(NamedTuple):
    """A table in a file, whose rows are read when they are asked for."""

    located: Located | Chunked
    name: str
    shape: tuple[int, ...]
    kind: str

    def rows(self, batch: int, head: int, heads: int, rows: slice) -> Values:
        """Some rows of one batch entry and query head."""
        batch, head = place(self.shape, batch, head, heads)
        rank = len(self.located.shape)
        lead = {4: (batch, head), 3: (batch if self.name in (*ROWS, "residual") else head,)}.get(rank, ())
        if len(lead) == 2 and self.located.shape[0] == 1:
            lead = (0, head)
        values = self.located.read(lead, rows if self.shape[2] > 1 else slice(None))
        if self.name.startswith("mask."):
            _check_flags(self.name, values)
        else:
            values = Floats(self.kind).given(values, self.name)
        split = rank == 2 and self.shape[1] > 1
        return values.reshape(len(values), self.shape[1], -1)[:, head] if split else values

    def all(self) -> Values:
        """The whole array with its four axes."""
        values = self.located.all()
        if values.ndim == 2 and self.shape[1] > 1:
            return values.reshape(len(values), self.shape[1], -1).swapaxes(0, 1)[None]
        return values.reshape(self.shape)


def _check_flags(name: str, values: Values) -> None:
    wrong = ~np.isin(values, (0, 1))
    if wrong.any():
        raise ScenarioError.of("not-a-mask-cell", name, found=str(values[wrong][0]))


def load_long(
    source: Source, changes: Sequence[str] = (), options: Mapping[str, Any] | None = None
) -> Long:  # fmt: skip
    """The scenario of a source, its large arrays left in their files; raises a ScenarioError with every fault."""
    with localcontext(OWN):
        return of_a_kind(outline(changed(source, changes, options)))


def outline(source: Source) -> Long:
    """The scenario of a source with its changes, in whatever arithmetic it asks for."""
    return Long(*outlined(source), source)


def of_a_kind(long: Long) -> Long:
    """The same in float32 or float64; a UsageError where another arithmetic is asked for."""
    return long._replace(kind=_kind(long.scenario, long.outlines))


def _kind(scenario: Scenario, outlines: Outlines) -> str:
    """float32 or float64: as the scenario says, else as the files have their numbers."""
    asked = scenario.option("arithmetic") or ("by-hand" if scenario.option("by_hand") is not None else None)
    if asked in KINDS:
        return str(asked)
    if asked is not None:
        raise UsageError.of("long-arithmetic", scenario.name, found=asked)
    types = [found.dtype for found in outlines.located.values()]
    types += [a.dtype for a in scenario.arrays.values() if a.dtype.kind == "f" and a.dtype != np.float64]
    floats = [dtype for dtype in types if dtype.kind == "f"]
    return "float32" if floats and all(dtype.itemsize <= 4 for dtype in floats) else "float64"


class Ready(NamedTuple):
    """A problem, and the rows of the calculation that go on from its context."""

    problem: Problem
    scenario: Scenario
    after: tuple[Stage, ...]
    slots: dict[str, Slot]


def ready(long: Long, streamed: Sequence[str] = ()) -> Ready:
    """What comes before the scores calculated, from N·d numbers; `streamed` are the arrays left in their files."""
    arithmetic = Floats(long.kind)
    rows = steps(long.scenario)
    cut = next((i for i, row in enumerate(rows) if of_cells(row)), len(rows))
    end = next((i for i, row in enumerate(rows) if row.name == "context"), len(rows) - 1)
    before = rows[:cut]
    plain = bool(streamed) and all(row.given for row in before)
    needed = {read.slot for row in rows for read in row.reads} | {row.name for row in rows if row.given}
    arrays = dict(long.scenario.arrays)
    for name in long.outlines.located:
        if name in needed and name not in BY_CELLS and not (plain and name in streamed):
            table = long.table(name)
            arrays[name] = arithmetic.given(table.all(), name) if isinstance(table, Filed) else arrays[name]
    scenario = replace(long.scenario, arrays=arrays)
    slots: dict[str, Slot] = {}
    kept = tuple(row for row in before if not (plain and row.name in long.outlines.located))
    with np.errstate(all="ignore"):
        fold(kept, scenario, arithmetic, lambda row, read: row.calculate(arithmetic, scenario, read), slots)
    problem = _problem(long._replace(scenario=scenario), slots, plain)
    return Ready(problem, scenario, rows[end + 1 :], slots)


def _problem(long: Long, slots: Mapping[str, Slot], streamed: bool) -> Problem:
    scenario, kind = long.scenario, long.kind

    def table(name: str) -> Table | None:
        if name in slots:
            return held(slots[name].array)
        if streamed and name in long.outlines.located:
            return long.table(name)
        return held(Floats(kind).given(scenario.arrays[name], name)) if name == "v" and scenario.has("v") else None

    softmax = scenario.needs_scores and scenario.weighting == "softmax"
    compared = scenario.needs_scores and scenario.start != "scores"
    per_head = {name: _per_head(scenario, name) for name in ("alibi", "sink")}
    if scenario.option("alibi") is True:
        per_head["alibi"] = tuple(2.0 ** float(n) for n in scenario.arrays["slope_exponents"].flat)
    base = scenario.option("base")
    problem = Problem(
        scenario.grid, kind, hiding_of(long),
        table("q") if compared else None, table("k") if compared else None, table("v"),
        long.table("scores") if scenario.needs_scores and scenario.start == "scores" else None,
        weights=long.table("weights") if scenario.start == "weights" else None,
        factor=_factor(scenario) if scenario.needs_scores else 1.0,
        softcap=None if scenario.option("softcap") is None else float(scenario.number("softcap")),
        slopes=per_head["alibi"], bias=long.table("bias"), log_base=None if base is None else math.log(float(base)),
        sink=per_head["sink"], empty=str(scenario.option("empty_rows")),
        own=_among_keys(long), settings=_settings(scenario), start=_start(scenario), width_said=scenario.width,
        name=scenario.name, labels=scenario.query_tokens, softmax=softmax,
    )  # fmt: skip
    return judged(problem, scenario.option("shift") is False)


SETTINGS = (
    "scale", "temperature", "softcap", "alibi", "mask", "sink", "weighting", "base", "shift", "empty_rows", "places",
    "rounding",
)  # fmt: skip
"""The keys that say how scores become weights."""


def _settings(scenario: Scenario) -> dict[str, Any]:
    return {key: scenario.option(key) for key in SETTINGS if scenario.option(key) is not None}


def _start(scenario: Scenario) -> str:
    """What a block of rows starts from."""
    if scenario.start in ("scores", "weights") and (scenario.needs_scores or scenario.start == "weights"):
        return scenario.start
    return "q" if scenario.needs_scores else "v"


def _among_keys(long: Long) -> bool:
    """Whether the place of a query among the keys is known."""
    scenario = long.scenario
    queries, keys = scenario.grid[2:]
    mask = scenario.option("mask")
    placed = mask == "causal" or (isinstance(mask, Mapping) and bool({"causal", "window"} & set(mask)))
    square = queries == keys - scenario.sizes["past"]
    return square or placed or scenario.option("alibi") is not None or _single(long)


def _single(long: Long) -> bool:
    """Whether the scores or weights are those of one query, one-dimensional."""
    name = long.scenario.start
    if name not in ("scores", "weights"):
        return False
    if name in long.outlines.located:
        return len(long.outlines.located[name].shape) == 1
    written = long.scenario.option(name)
    return isinstance(written, list) and not isinstance(written[0], list)


def _per_head(scenario: Scenario, name: str) -> tuple[float, ...] | None:
    """The numbers of an array that has one a head."""
    if not scenario.has(name):
        return None
    numbers = [float(number) for number in scenario.arrays[name].flat]
    return tuple(numbers * (scenario.heads if len(numbers) == 1 else 1))


def _factor(scenario: Scenario) -> float:
    """What every score is multiplied by."""
    scale = scenario.option("scale")
    factor = 1.0 if isinstance(scale, str) else float(scale)
    divisor = weighing.divisor(Floats("float64"), scenario.width, str(scale), scenario.number("temperature"))
    return factor if divisor is None else factor / float(divisor)


def hiding_of(long: Long) -> Hiding:
    """The mask of a scenario, to be found a block at a time."""
    arrays, mask = long.scenario.arrays, long.scenario.option("mask")
    parts: Mapping[str, Any] = mask if isinstance(mask, Mapping) else {}
    return Hiding(
        long.scenario.grid[3], arrays["places"], bool(mask == "causal" or parts.get("causal")),
        int(parts["window"]) if "window" in parts else None,
        arrays["hidden_keys"] if len(arrays["hidden_keys"]) else None, tuple(int(n) for n in arrays["key_lengths"]),
        long.table("mask.keep"), long.table("mask.drop"),
    )  # fmt: skip


def judged(problem: Problem, unshifted: bool = False, known: Mapping[str, Extent] = MappingProxyType({})) -> Problem:
    """The problem with what its numbers allow: tiles at all, and leaving the row maximum out.

    `unshifted`: the maximum must not be taken off even where the exponentials overflow without. `known` are the extents
    of arrays that stay in their files.
    """
    tables = {"q": problem.q, "k": problem.k, "v": problem.v}
    sound = problem.softmax and all(
        is_finite(table, known.get(name)) for name, table in tables.items() if table is not None
    )
    sound = sound and all(math.isfinite(number) for number in problem.sink or ())
    bounded = sound and _most(problem, known) < BOUND[problem.kind]
    return problem._replace(softmax=sound and (bounded or not unshifted), bounded=bounded)


def _most(problem: Problem, known: Mapping[str, Extent]) -> float:
    """What no exponent exceeds in size (Cauchy and Schwarz); infinite where that is not known beforehand."""
    lengths = longest_row(problem.q, known.get("q")), longest_row(problem.k, known.get("k"))
    if lengths[0] is None or lengths[1] is None or problem.slopes or problem.bias:
        return math.inf
    bound = lengths[0] * lengths[1] * abs(problem.factor)
    if problem.softcap is not None:
        bound = min(bound, problem.softcap)
    bound = max(bound, *(abs(number) for number in problem.sink or (0.0,)))
    return bound * abs(problem.log_base if problem.log_base is not None else 1)
