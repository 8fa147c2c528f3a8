"""The exact rival: every step as rigorous error balls (python-flint ``arb``), straight-line.

Written from the contract alone, with plain loops and no line shared with the product. The whole
calculation is done at 200 bits; where the two ends of a ball would be shown differently, all of it
is done again with twice as many. What is still open beyond 20,000 bits is a tie: by the linear
independence of exponentials (Lindemann-Weierstrass) a true value sits on a boundary only where
terms cancel exactly, so the value is then the boundary point inside the ball.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, TypeVar

from flint import arb, ctx, fmpq

START_BITS = 200
TIE_BITS = 20_000
SCIENTIFIC_FROM = 10
NEG_INF = "-inf"
NAN = "NaN"

Document = dict[str, Any]
Nested = Any
"""A list, or list of lists, of cells. A cell is an ``arb``, or the text ``NEG_INF`` or ``NAN``."""
Slots = dict[str, Nested]
Step = tuple[str, Callable[[Slots], Nested]]
Value = TypeVar("Value")


class Ratio(NamedTuple):
    """A fraction that is never reduced (``den`` > 0)."""

    num: int
    den: int


class Undecided(Exception):
    """The ball is too wide to say how its number is shown."""


# --- numbers to text --------------------------------------------------------------------------


def round_quotient(num: int, den: int, rounding: str) -> int:
    """``num / den`` (num ≥ 0, den > 0) as a whole number by the rule ``rounding``."""
    whole, rest = divmod(num, den)
    if rounding == "truncate" or 2 * rest < den:
        return whole
    if 2 * rest > den or rounding == "half-up":
        return whole + 1
    return whole + whole % 2


def decade(value: Ratio) -> int:
    """The e with 10^e ≤ |value| < 10^(e+1); value is not zero."""
    size = abs(value.num)
    guess = (size.bit_length() - value.den.bit_length()) * 30103 // 100000
    while not _at_least(size, value.den, guess):
        guess -= 1
    while _at_least(size, value.den, guess + 1):
        guess += 1
    return guess


def _at_least(num: int, den: int, power: int) -> bool:
    return num * _ten(-power) >= den * _ten(power)


def _ten(power: int) -> int:
    return 10**power if power > 0 else 1


def text_of(value: Ratio, places: int, rounding: str) -> str:
    """How the contract shows ``value``: fixed, or scientific when huge or when only zeros would show."""
    sign = "-" if value.num < 0 else ""
    units = round_quotient(abs(value.num) * 10**places, value.den, rounding)
    if units == 0 and value.num != 0:
        return sign + _scientific(value, 1, rounding)
    if units >= 10 ** (SCIENTIFIC_FROM + places):
        return sign + _scientific(value, places, rounding)
    return sign + _point(units, places)


def _scientific(value: Ratio, decimals: int, rounding: str) -> str:
    power = decade(value)
    shift = decimals - power
    units = round_quotient(abs(value.num) * _ten(shift), value.den * _ten(-shift), rounding)
    if units == 10 ** (decimals + 1):
        units, power = units // 10, power + 1
    return f"{_point(units, decimals)}e{power}"


def _point(units: int, decimals: int) -> str:
    digits = str(units).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits


# --- balls to decided values ------------------------------------------------------------------


def ends(ball: arb) -> tuple[Ratio, Ratio]:
    """The lower and the upper end of a finite ball, as they are (nothing is rounded)."""
    middle, power = (int(part) for part in ball.mid().man_exp())
    radius, radius_power = (int(part) for part in ball.rad().man_exp())
    least = min(power, radius_power)
    middle <<= power - least
    radius <<= radius_power - least
    return _binary(middle - radius, least), _binary(middle + radius, least)


def _binary(whole: int, power: int) -> Ratio:
    return Ratio(whole << power, 1) if power >= 0 else Ratio(whole, 1 << -power)


def grid_point(low: Ratio, high: Ratio, digits: int) -> Ratio:
    """The one multiple of half of 10^-digits between ``low`` and ``high``."""
    den = 2 * _ten(digits)
    first = -(-low.num * den // low.den)
    last = high.num * den // high.den
    if first != last:
        raise ArithmeticError("a ball that no precision decides holds no single boundary point")
    return Ratio(first, den)


def text_boundary(low: Ratio, high: Ratio, places: int) -> Ratio:
    """The place between ``low`` and ``high`` where the shown text changes."""
    if low.num <= 0 <= high.num:
        return Ratio(0, 1)
    return grid_point(low, high, max(places, 2 - decade(high)))


def decide(ball: arb, show: Callable[[Ratio], Value], tie: Callable[[Ratio, Ratio], Ratio], last: bool) -> Value:
    """``show`` of the number in the ball; Undecided where its ends differ and it is not the ``last`` try."""
    if not ball.is_finite():
        raise ZeroDivisionError("a total is zero") if last else Undecided
    low, high = ends(ball)
    shown = show(low)
    if low == high or shown == show(high):
        return shown
    if not last:
        raise Undecided
    return show(tie(low, high))


def map_cells(function: Callable[[Any], Any], nested: Nested) -> Nested:
    """``function`` of every cell of a nested list, in the same nesting."""
    if isinstance(nested, list):
        return [map_cells(function, part) for part in nested]
    return function(nested)


def refine(evaluate: Callable[[], Nested], settle: Callable[..., Any], tie_bits: int = TIE_BITS) -> Nested:
    """``evaluate()`` with more and more bits until ``settle(cell, last)`` decides every cell."""
    before, bits = ctx.prec, START_BITS
    try:
        while True:
            ctx.prec = bits
            balls = evaluate()
            last = bits >= tie_bits and bits >= tie_bits + 2 * _reach(balls)
            try:
                return map_cells(partial(settle, last=last), balls)
            except Undecided:
                bits *= 2
    finally:
        ctx.prec = before


def _reach(nested: Nested) -> int:
    """The largest size of a binary exponent: bits that a cancellation between cells may need."""
    if isinstance(nested, list):
        return max(map(_reach, nested), default=0)
    if not isinstance(nested, arb) or not nested.is_finite() or nested.contains(0):
        return 0
    whole, power = nested.mid().man_exp()
    return abs(int(power) + int(whole).bit_length())


# --- the document as balls --------------------------------------------------------------------

ARRAYS = ("scores", "weights", "q", "k", "v", "x", "memory", "embedding", "positions", "residual")
PARAMETERS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
ONE_ROW = ("scores", "weights", "residual")


def to_ball(number: Any) -> arb | str:
    """A given number as a ball at the present precision; infinities and NaN as their texts."""
    if number in ("-Infinity", NEG_INF, Decimal("-Infinity")):
        return NEG_INF
    if isinstance(number, Decimal) and number.is_nan():
        return NAN
    return number_ball(number)


def number_ball(number: Decimal | int) -> arb:
    """A finite number, exactly as written, as a ball at the present precision."""
    return arb(fmpq(*number.as_integer_ratio()))


def given_arrays(document: Document) -> Slots:
    """The arrays of the document, numbers as written; one-dimensional rows get their query axis."""
    found = {name: document[name] for name in ARRAYS + PARAMETERS if isinstance(document.get(name), list)}
    for name in ONE_ROW:
        if name in found and not isinstance(found[name][0], list):
            found[name] = [found[name]]
    if document.get("layout") == "out_in":
        for name in ("w_q", "w_k", "w_v", "w_o"):
            if name in found:
                found[name] = [list(column) for column in zip(*found[name], strict=True)]
    return found


def to_balls(slots: Slots) -> Slots:
    """Every array of exact numbers as balls at the present precision."""
    return {name: map_cells(to_ball, nested) for name, nested in slots.items()}


# --- small arithmetic -------------------------------------------------------------------------


def dot(left: list[Any], right: list[Any]) -> arb | str:
    """Σ left·right; NaN where any part is."""
    total = arb(0)
    for a, b in zip(left, right, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            return NAN
        total = total + a * b
    return total


def add(left: Any, right: Any) -> arb | str:
    """left + right; NaN where one of them is."""
    return NAN if isinstance(left, str) or isinstance(right, str) else left + right


def product(rows: Nested, matrix: Nested) -> Nested:
    """rows · matrix, by the definition."""
    columns = [[line[j] for line in matrix] for j in range(len(matrix[0]))]
    return [[dot(row, column) for column in columns] for row in rows]


def add_rows(left: Nested, right: Nested) -> Nested:
    """Two matrices added cell by cell."""
    return [[add(a, b) for a, b in zip(one, two, strict=True)] for one, two in zip(left, right, strict=True)]


# --- the steps --------------------------------------------------------------------------------


def look_up(ids: list[int], slots: Slots) -> Nested:
    """x: rows of the embedding, plus the positions."""
    rows = [list(slots["embedding"][int(number)]) for number in ids]
    return add_rows(rows, slots["positions"][: len(rows)]) if "positions" in slots else rows


def project(source: str, matrix: str, bias: str, slots: Slots) -> Nested:
    """source · matrix + bias; a matrix or bias that is not there changes nothing."""
    rows = slots[source]
    result = product(rows, slots[matrix]) if matrix in slots else [list(row) for row in rows]
    return add_rows(result, [slots[bias]] * len(result)) if bias in slots else result


def score(slots: Slots) -> Nested:
    """scores = q kᵀ."""
    return [[dot(query, key) for key in slots["k"]] for query in slots["q"]]


def rescale(document: Document, source: str, slots: Slots) -> Nested:
    """scores times the scale, divided by the temperature."""
    factor = _scale(document, slots) / number_ball(document.get("temperature", 1))
    return [[cell if isinstance(cell, str) else cell * factor for cell in row] for row in slots[source]]


def _scale(document: Document, slots: Slots) -> arb:
    scale = _scale_option(document)
    if scale == "none":
        return arb(1)
    if not isinstance(scale, str):
        return number_ball(scale)
    width = arb(_width(document, slots, scale.removeprefix("sqrt_")))
    return 1 / (width.sqrt() if scale.startswith("sqrt_") else width)


def _scale_option(document: Document) -> Any:
    return document.get("scale", "none" if "scores" in document else "sqrt_d_k")


def _width(document: Document, slots: Slots, name: str) -> int:
    if name in document:
        return int(document[name])
    return len(slots["q" if name == "d_k" else "x"][0])


def hide(document: Document, source: str, slots: Slots) -> Nested:
    """−∞ where the mask hides."""
    return [
        [cell if _visible(document, i, j) else NEG_INF for j, cell in enumerate(row)]
        for i, row in enumerate(slots[source])
    ]


def _visible(document: Document, i: int, j: int) -> bool:
    if document.get("mask", "none") == "none":
        return True
    return j <= (_one_query(document) if _is_single(document) else i)


def _is_single(document: Document) -> bool:
    return "scores" in document and not isinstance(document["scores"][0], list)


def _one_query(document: Document) -> int:
    length = len(document["scores"])
    query = document.get("query", length - 1)
    return document["tokens"].index(query) if isinstance(query, str) else int(query)


def count_mask(document: Document, slots: Slots) -> Nested:
    """masked of ``uniform``: 1 where a key is visible, 0 where it is hidden."""
    queries, keys = _lengths(slots)
    return [[arb(int(_visible(document, i, j))) for j in range(keys)] for i in range(queries)]


def _lengths(slots: Slots) -> tuple[int, int]:
    if "scores" in slots:
        return len(slots["scores"]), len(slots["scores"][0])
    queries = next(name for name in ("q", "x", "v") if name in slots)
    keys = next(name for name in ("k", "memory", "x", "v") if name in slots)
    return len(slots[queries]), len(slots[keys])


def row_maximum(source: str, slots: Slots) -> Nested:
    """The largest score of each row that is not hidden."""
    return [_largest(row) for row in slots[source]]


def _largest(row: list[Any]) -> Any:
    numbers = [cell for cell in row if not isinstance(cell, str)]
    if not numbers:
        return NEG_INF
    largest = numbers[0]
    for cell in numbers[1:]:
        largest = largest if largest > cell else cell if cell > largest else largest.max(cell)
    return largest


def subtract_maximum(source: str, slots: Slots) -> Nested:
    """Each score minus the maximum of its row."""
    return [[_minus(cell, peak) for cell in row] for row, peak in zip(slots[source], slots["maximum"], strict=True)]


def _minus(cell: Any, peak: Any) -> Any:
    if isinstance(cell, str):
        return cell
    return arb(0) if cell is peak else cell - peak


def exponentiate(document: Document, source: str, slots: Slots) -> Nested:
    """e^s, or base^s; 0 where hidden."""
    base = number_ball(document["base"]) if "base" in document else None
    return [[_power(base, cell) for cell in row] for row in slots[source]]


def _power(base: arb | None, cell: Any) -> Any:
    if isinstance(cell, str):
        return arb(0)
    return cell.exp() if base is None else base**cell


def row_total(source: str, slots: Slots) -> Nested:
    """The sum of each row; what is hidden adds nothing."""
    return [sum((cell for cell in row if not isinstance(cell, str)), arb(0)) for row in slots[source]]


def divide(document: Document, source: str, logits: str, slots: Slots) -> Nested:
    """Each cell of ``source`` divided by the total; a row whose ``logits`` are all hidden by its policy."""
    policy = document.get("empty_rows", "zero")
    return [
        _empty(policy, len(row)) if all(isinstance(c, str) for c in seen) else _shares(row, total)
        for row, total, seen in zip(slots[source], slots["total"], slots[logits], strict=True)
    ]


def _empty(policy: str, keys: int) -> Nested:
    if policy == "error":
        raise ZeroDivisionError("a row sees no key")
    return [{"zero": arb(0), "nan": NAN, "uniform": arb(1) / keys}[policy]] * keys


def _shares(row: list[Any], total: arb) -> Nested:
    if total.is_zero():
        raise ZeroDivisionError("a total is zero")
    return [arb(0) if isinstance(cell, str) else cell / total for cell in row]


def own_only(document: Document, slots: Slots) -> Nested:
    """weights of ``self``: 1 for the token itself, 0 elsewhere."""
    queries, keys = _lengths(slots)
    return [[arb(int(i == j and _visible(document, i, j))) for j in range(keys)] for i in range(queries)]


def mix(slots: Slots) -> Nested:
    """context = weights · v."""
    return product(slots["weights"], slots["v"])


def add_residual(source: str, added: str, slots: Slots) -> Nested:
    """The residual: what comes out plus ``added``."""
    return add_rows(slots[source], slots[added])


# --- their order ------------------------------------------------------------------------------


def plan(document: Document) -> list[Step]:
    """The computed steps of a document, in the contract's order."""
    steps = _inputs(document)
    if "weights" not in document:
        steps += _weights(document)
    if "v" in document or _from_x(document):
        steps += [("context", mix), *_after(document)]
    return steps


def _from_x(document: Document) -> bool:
    return "x" in document or "ids" in document


def _takes_scores(document: Document) -> bool:
    return document.get("weighting", "softmax") in ("softmax", "linear")


def _inputs(document: Document) -> list[Step]:
    steps: list[Step] = []
    if "ids" in document:
        steps.append(("x", partial(look_up, document["ids"])))
    if not _from_x(document):
        return steps
    keys = "memory" if "memory" in document else "x"
    if _takes_scores(document):
        steps.append(("q", partial(project, "x", "w_q", "b_q")))
        steps.append(("k", partial(project, keys, "w_k", "b_k")))
    steps.append(("v", partial(project, keys, "w_v", "b_v")))
    return steps


def _weights(document: Document) -> list[Step]:
    weighting = document.get("weighting", "softmax")
    if weighting == "self":
        return [("weights", partial(own_only, document))]
    if weighting == "uniform":
        return [
            ("masked", partial(count_mask, document)),
            ("total", partial(row_total, "masked")),
            ("weights", partial(divide, document, "masked", "masked")),
        ]
    steps, logits = _logits(document)
    numerator = logits
    if weighting == "softmax":
        exponentials, numerator = _exponentials(document, logits), "exponentials"
        steps += exponentials
    steps.append(("total", partial(row_total, numerator)))
    steps.append(("weights", partial(divide, document, numerator, logits)))
    return steps


def _logits(document: Document) -> tuple[list[Step], str]:
    """The steps up to the masked scores, and the name of the last of them."""
    steps: list[Step] = [] if "scores" in document else [("scores", score)]
    last = "scores"
    if _scale_option(document) != "none" or document.get("temperature", 1) != 1:
        steps.append(("scaled", partial(rescale, document, last)))
        last = "scaled"
    if document.get("mask", "none") != "none":
        steps.append(("masked", partial(hide, document, last)))
        last = "masked"
    return steps, last


def _exponentials(document: Document, logits: str) -> list[Step]:
    steps: list[Step] = []
    if document.get("shift") is True:
        steps.append(("maximum", partial(row_maximum, logits)))
        steps.append(("shifted", partial(subtract_maximum, logits)))
        logits = "shifted"
    return [*steps, ("exponentials", partial(exponentiate, document, logits))]


def _after(document: Document) -> list[Step]:
    steps: list[Step] = []
    last = "context"
    if "w_o" in document or "b_o" in document:
        steps.append(("output", partial(project, last, "w_o", "b_o")))
        last = "output"
    residual = document.get("residual", False)
    if residual is not False:
        added = "x" if residual is True else "residual_given"
        steps.append(("residual", partial(add_residual, last, added)))
    return steps


def start(document: Document) -> Slots:
    """The slots before the first step: what is given, as exact numbers."""
    slots = given_arrays(document)
    if "residual" in slots:
        slots["residual_given"] = slots.pop("residual")
    return slots


def evaluate(document: Document) -> list[Nested]:
    """The balls of every computed step at the present precision, in the order of ``plan``."""
    slots = to_balls(start(document))
    results: list[Nested] = []
    for name, function in plan(document):
        slots[name] = function(slots)
        results.append(slots[name])
    return results


# --- what the tests ask for -------------------------------------------------------------------


def exact_figures(document: Document) -> dict[str, Nested]:
    """Every computed step as the texts that the contract prescribes (``places``, ``rounding``).

    One head, no batch. Steps have the contract's axes: a one-dimensional ``scores`` gives steps
    with one query. Given steps are left out. ZeroDivisionError where a total is zero.
    """
    places = int(document.get("places", 4))
    rounding = document.get("rounding", "half-up")
    show = partial(text_of, places=places, rounding=rounding)
    tie = partial(text_boundary, places=places)
    return _every_step(document, partial(_text, show=show, tie=tie))


def exact_doubles(document: Document) -> dict[str, Nested]:
    """Every computed step as doubles nearest the true values (ties to even; no −0; inf beyond a double)."""
    return _every_step(document, _double)


def _every_step(document: Document, settle: Callable[..., Any]) -> dict[str, Nested]:
    names = [name for name, _ in plan(document)]
    return dict(zip(names, refine(partial(evaluate, document), settle), strict=True))


def _text(cell: Any, last: bool, show: Callable[[Ratio], str], tie: Callable[[Ratio, Ratio], Ratio]) -> str:
    return cell if isinstance(cell, str) else decide(cell, show, tie, last)


def _double(cell: Any, last: bool) -> float:
    return float(cell) if isinstance(cell, str) else decide(cell, nearest_double, _midpoint, last)


def nearest_double(value: Ratio) -> float:
    """The double nearest a fraction, ties to even; an infinity beyond the largest."""
    try:
        return value.num / value.den + 0.0
    except OverflowError:
        return float("inf") if value.num > 0 else float("-inf")


def _midpoint(low: Ratio, high: Ratio) -> Ratio:
    """The point half-way between the neighbouring doubles of the two ends."""
    if low.num <= 0 <= high.num:
        return Ratio(0, 1)
    below, above = nearest_double(low).as_integer_ratio(), nearest_double(high).as_integer_ratio()
    return Ratio(below[0] * above[1] + above[0] * below[1], 2 * below[1] * above[1])
