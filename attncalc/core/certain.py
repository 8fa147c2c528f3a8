"""Calculating again with more digits, until every shown digit is the digit of the true result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Overflow, Underflow, localcontext

from attncalc.core.bounded import EXACT, UNKNOWN, Bounded, Values
from attncalc.core.edges import Edges
from attncalc.core.figures import NEAR

FIRST_DIGITS = 50
SPARE_DIGITS = 80
MORE = 4  # most numbers are decided long before the spread, and exponentials of a thousand digits are slow
MOST_DIGITS = 20_000  # what is open even then is said in a note
FEW_DIGITS = 400  # for which there is time whatever the size
MOST_WORK = 1.25e8
"""Numbers × digits², which is about what exponentials take: a few seconds."""

OWN = Context(prec=1000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""What everything around the calculation is done in, whatever decimal context the caller has set."""


class Undecided(ArithmeticError):
    """A choice inside a step (is this sum zero?) needs more digits."""


class OutOfRange(ArithmeticError):
    """A number lies outside the range of decimals."""


def context(digits: int, vanishing: bool = False) -> Context:
    """A decimal context of that many digits, in which only a number out of all range is an exception.

    With `vanishing` a number below the range is 0, as it is where results are rounded to places.
    """
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Overflow] if vanishing else [Overflow, Underflow])


Compute = Callable[[bool], Sequence[Bounded]]
"""A calculation in the decimal context at hand; true says that there will be no run with more digits."""


def certain(compute: Compute, edges: Edges, given: Iterable[Bounded]) -> tuple[list[Values], bool]:
    """What `compute` gives, with enough digits to tell each number from its edges, and whether none is left open.

    A number that more digits than the spread of the given numbers and the results cannot tell from an edge is on it:
    a tie.
    """
    given, digits = list(given), max(FIRST_DIGITS, edges.places + 30)
    while True:
        results = attempt(compute, edges, digits)
        if results is not None and not any(True for array in results for _ in open_cells(array, edges)):
            return [array.values for array in results], True
        wanted = spread([*given, *(results or ())]) + SPARE_DIGITS + edges.places
        digits, most = digits * MORE, most_digits([*given, *(results or ())])
        if digits >= min(wanted, most):
            break
    final = attempt(compute, edges, min(wanted, most), last=True) or []
    return [settled(array, edges) for array in final], wanted <= most and not any(map(_unbounded, final))


def most_digits(arrays: Iterable[Bounded]) -> int:
    """The digits for which there is time: fewer, the more numbers there are."""
    count = max((array.values.size for array in arrays), default=1)
    return min(MOST_DIGITS, max(FEW_DIGITS, int((MOST_WORK / count) ** 0.5)))


def spread(arrays: Iterable[Bounded]) -> int:
    """How many decimal digits lie between the largest number and the finest digit that was given or reached."""
    highest, lowest = 0, 0
    for array in arrays:
        for x in array.values.flat:
            if x and x.is_finite():
                highest = max(highest, x.adjusted())
                lowest = min(lowest, int(x.as_tuple().exponent) if array.absolute == EXACT else x.adjusted())
    return highest - lowest


def attempt(compute: Compute, edges: Edges, digits: int, last: bool = False) -> Sequence[Bounded] | None:
    """The results with that many digits, or None where a choice inside needs more."""
    try:
        with localcontext(context(digits, vanishing=not edges.doubles)) as here:
            here.clear_flags()
            return compute(last)
    except Undecided:
        return None
    except (Overflow, Underflow):
        raise OutOfRange from None


def open_cells(array: Bounded, edges: Edges) -> Iterator[tuple[tuple[int, ...], Decimal]]:
    """Where the error bound reaches an edge, and that edge."""
    if array.absolute == EXACT:
        return
    for index in edges.suspects(array):
        value = array.values[index]
        if error := array.error(value):
            for edge in edges.near(value):
                if NEAR.subtract(value, edge).copy_abs() <= error:
                    yield index, edge
                    break


def _unbounded(array: Bounded) -> bool:
    """Whether nothing is known of the error: then nothing can be called a tie."""
    return array.absolute == UNKNOWN


def settled(array: Bounded, edges: Edges) -> Values:
    """The numbers, those that lie on an edge put exactly there."""
    if _unbounded(array):
        return array.values
    values = array.values.copy()
    for index, edge in open_cells(array, edges):
        values[index] = edge
    return values
