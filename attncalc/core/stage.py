"""A stage is one row of the calculation, a step what it wrote, a trace all the steps with their notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.expression import Expression
from attncalc.core.figures import as_decimal
from attncalc.core.notebooks import InNotebooks

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario

AXES = ("batch", "head", "query", "key", "feature")


class Read(NamedTuple):
    """A slot that a stage reads, with a name for each of its four axes.

    An axis named like an axis of the result is read at the same position; any other is read whole.
    """

    slot: str
    axes: tuple[str, str, str, str]
    optional: bool = False  # read only where the scenario gives it


class Source(NamedTuple):
    """Where numbers come from: a step, or an array that the scenario gives."""

    name: str
    given: bool = False


class Stage(NamedTuple):
    """One row: what it is called, what it reads and writes, how it is calculated and how that is written down."""

    name: str
    symbol: str
    axes: tuple[str, ...]
    writes: tuple[str, ...]
    reads: tuple[Read, ...] = ()
    compute: Callable[..., Array] | None = None  # (arithmetic, scenario, *arrays); None: the numbers are given
    formula: Callable[..., Expression] | None = None  # (scenario, *symbols)
    when: Callable[[Scenario], bool] = lambda scenario: True
    words: str = ""  # the texts, where one name has several ways (weights by softmax, linear, …)

    @property
    def given(self) -> bool:
        """Whether the scenario gives the numbers."""
        return self.compute is None

    @property
    def layout(self) -> tuple[str, ...]:
        """The names of its array's axes, four (terms: five); one of length 1 that is no axis of the step is "one"."""
        return _layout(self.axes)

    def texts(self) -> str:
        """The code under which the catalogue has its title and its why."""
        return self.words or self.name

    def calculate(self, arithmetic: Arithmetic, scenario: Scenario, arrays: list[Array]) -> Array:
        """What the stage writes, from the arrays it reads."""
        if self.compute is None:
            raise TypeError(f"{self.name} is given")
        return self.compute(arithmetic, scenario, *arrays)


@cache  # asked for with every cell that is named
def _layout(axes: tuple[str, ...]) -> tuple[str, ...]:
    rest = [axis for axis in axes if axis not in ("batch", "head")]
    return ("batch", "head" if "head" in axes else "one", *rest, *["one"] * (2 - len(rest)))


class Row(NamedTuple):
    """One row of scores or weights."""

    batch: int
    head: int
    query: int


class Note(NamedTuple):
    """Something worth knowing about a trace: a code of the contract, the step, and what fills the sentence."""

    code: str
    step: str
    fields: dict[str, Any]
    words: str = ""  # the message, where one code has several
    rows: tuple[Row, ...] = ()  # the rows it speaks of; empty: the whole

    def message(self) -> str:
        """The code under which the catalogue has the sentence."""
        return f"note.{self.words or self.code}"


@dataclass(frozen=True, eq=False)
class Step(InNotebooks):
    """What a stage wrote. `cells` has all four axes; `values` and `exact` leave out those the scenario lacks."""

    stage: Stage
    cells: Values
    axes: tuple[str, ...]
    labels: dict[str, Sequence[str]]
    sources: tuple[Source, ...] = ()  # where each read came from
    scenario: Scenario | None = None  # what it was calculated from, so that a step by itself can be shown

    def __repr__(self) -> str:
        sizes = ", ".join(f"{axis}={length}" for axis, length in zip(self.axes, self.shape, strict=True))
        return f"<Step {self.name}: {sizes}>"

    @property
    def name(self) -> str:
        """The step's name in the contract."""
        return self.stage.name

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape along `axes`."""
        layout = self.stage.layout
        return tuple(self.cells.shape[layout.index(axis)] for axis in self.axes)

    @cached_property
    def values(self) -> Values:
        """A read-only float64 array: for decimals the double nearest each."""
        values = self.cells.astype(np.float64, copy=False).reshape(self.shape)
        values.setflags(write=False)
        return values

    @cached_property
    def exact(self) -> Values:
        """The decimals; of a binary number the exact value it stores."""
        cells = self.cells if self.cells.dtype == object else np.asarray(np.frompyfunc(as_decimal, 1, 1)(self.cells))
        values = cells.reshape(self.shape)
        values.setflags(write=False)
        return values


@dataclass(frozen=True, eq=False)
class Trace(InNotebooks):
    """A whole calculation: the scenario, the arithmetic, the steps in order and the notes."""

    scenario: Scenario
    kind: str
    steps: tuple[Step, ...]
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return f"<Trace of {self.scenario.name}, {self.kind}: {', '.join(step.name for step in self.steps)}>"

    @cached_property
    def _by_name(self) -> dict[str, Step]:
        return {step.name: step for step in self.steps}

    def __getitem__(self, name: str) -> Step:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)
