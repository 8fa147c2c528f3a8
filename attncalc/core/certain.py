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


Compute = Callable[[bool, list[Bounded]], Sequence[Bounded]]
"""A calculation in the decimal context at hand; true says that there will be no run with more digits.

The exponentials that it takes inside its steps go into the list.
"""


def certain(compute: Compute, edges: Edges, given: Iterable[Bounded]) -> tuple[list[Values], bool]:
    """What `compute` gives, with enough digits to tell each number from its edges, and whether none is left open.

    A number that more digits than the spread of the given numbers and the results, and that of the exponentials, cannot
    tell from an edge is on it: a tie.
    """
    given, digits = list(given), max(FIRST_DIGITS, edges.places + 30)
    while True:
        powers: list[Bounded] = []
        results = attempt(compute, edges, digits, powers)
        if results is not None and not any(True for array in results for _ in open_cells(array, edges)):
            return [array.values for array in results], True
        if results is not None and any(_hopeless(array, edges) for array in results):
            return [settled(array, edges) for array in results], False
        apart = spread([*given, *(results or ())]) + sum(spread([power]) for power in powers)  # they are multiplied
        wanted = apart + SPARE_DIGITS + edges.places
        digits, most = digits * MORE, most_digits([*given, *(results or ())])
        if digits >= min(wanted, most):
            break
    return _with_ties(compute, edges, wanted, apart, most)


def _with_ties(compute: Compute, edges: Edges, digits: int, apart: int, most: int) -> tuple[list[Values], bool]:
    """What is open with so many digits lies on its edge, once its error is far below all that could be a difference."""
    while True:
        final = attempt(compute, edges, min(digits, most), [], last=True) or []
        missing = max((_missing(array, edges, apart, digits) for array in final), default=0)
        if missing <= 0 or digits >= most:
            break
        digits += missing
    return [settled(array, edges) for array in final], digits <= most and not any(map(_unbounded, final))


def _missing(array: Bounded, edges: Edges, apart: int, digits: int) -> int:
    """How many more digits than these an array needs: one bound serves all its numbers, and they may lie far apart."""
    if _unbounded(array):
        return digits
    found = 0
    for index, _ in open_cells(array, edges):
        value, error = array.values[index], array.error(array.values[index])
        size = value.adjusted() if value.copy_abs() > error else 0  # what may be nothing has no size
        found = max(found, error.adjusted() - min(0, size) + apart + SPARE_DIGITS // 2)
    return found


def _hopeless(array: Bounded, edges: Edges) -> bool:
    """Whether the places ask for more digits of a number than are ever used: by hand, where nothing is scientific."""
    if edges.doubles or array.absolute == EXACT:
        return False
    most = MOST_DIGITS - edges.places
    return any(x.is_finite() and x.adjusted() > most for x in array.values.flat if x)


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


def attempt(
    compute: Compute, edges: Edges, digits: int, powers: list[Bounded], last: bool = False
) -> Sequence[Bounded] | None:
    """The results with that many digits, or None where a choice inside needs more."""
    try:
        with localcontext(context(digits, vanishing=not edges.doubles)) as here:
            here.clear_flags()
            return compute(last, powers)
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
