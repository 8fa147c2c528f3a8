"""`cost`: what attention over N tokens takes, as tables and a plot of the growth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from attncalc.document.blocks import Block, Curve, Figure, Heading, Matrix, Plot, Prose
from attncalc.document.signs import TO_ASCII
from attncalc.document.view import View
from attncalc.long.cost import BYTES, UNITS, Product, cache_bytes, products, score_bytes, scores
from attncalc.long.models import Sizes

PREFIXES = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
LONG_NUMBER = 10**15
POINTS = 33

MEMORY = (("cost-score-bytes", "cost-score-bytes-why", score_bytes), ("cost-cache", "cost-cache-why", cache_bytes))
"""What takes memory: its title, a sentence on it, and its bytes."""


class Asked(NamedTuple):
    """What is costed: the model's name ("" for sizes of one's own), its sizes, the numbers of tokens."""

    model: str
    sizes: Sizes
    tokens: tuple[int, ...]


def costs(asked: Asked, view: View) -> Iterator[Block]:
    """Scores, multiply-adds, bytes and the cache, for every number of tokens."""
    yield Heading(view.say("cost-title"), aside=asked.model)
    yield from _sizes(asked, view)
    units = tuple(view.say(f"cost-unit.{unit}") for unit in UNITS)
    yield Heading(view.say("cost-scores"))
    yield Prose(view.say("cost-scores-why"))
    yield _by_unit(asked, view, units, lambda n, unit: grouped(scores(asked.sizes, n, unit), view))
    yield Heading(view.say("cost-products"))
    yield Prose(view.say("cost-products-why"))
    yield _by_step(asked, view)
    for title, why, count in MEMORY:
        yield Heading(view.say(title))
        yield Prose(view.say(why))
        for kinds in ({"fp32"}, {"fp16", "bf16"}):
            types = [type for type in BYTES if type in kinds]

            def text(n: int, unit: str, type: str = types[0], count: Callable[..., int] = count) -> str:
                return in_bytes(count(asked.sizes, n, unit, type))

            yield _by_unit(asked, view, units, text)._replace(caption=view.listed(types))
    yield from _growth(asked, view)


def shapes(asked: Asked, view: View) -> Iterator[Block]:
    """The shape of every product of one layer: `X 4×768 · W_V 768×768 → V 4×768`."""
    for tokens in asked.tokens:
        yield Heading(view.say("cost-shapes", tokens=tokens), aside=asked.model)
        yield from _sizes(asked, view)
        rows = products(asked.sizes, tokens)
        cells = tuple((Figure(_shape(row, view)), Figure(grouped(row.multiply_adds, view))) for row in rows)
        names = tuple(view.say(f"name.{row.step}") for row in rows)
        columns = (view.say("cost-column.shapes"), view.say("cost-column.multiply-adds"))
        yield Matrix("", view.say("column.step"), "", names, columns, cells, False)
        sizes = asked.sizes
        yield Prose(view.say("cost-one-head", d_model=sizes.d_model, d_k=sizes.d_k, by=_signed("×", view)))


def in_bytes(count: int) -> str:
    """`200 MB`: three digits that count, in units of a thousand."""
    size, unit = next((size, unit) for size, unit in PREFIXES if count >= size or size == 1)
    digits = max(0, 3 - len(str(count // size)))
    text = f"{count / size:.{digits}f}" if size > 1 else str(count)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def grouped(number: int, view: View) -> str:
    """A whole number in groups of three digits; a very long one as a power of ten."""
    return f"{number:,}" if number < LONG_NUMBER else view.number(f"{number:.3e}".replace("e+", "e"))


SYMBOLS = {
    "q": ("X", "W_Q", "Q"), "k": ("X", "W_K", "K"), "v": ("X", "W_V", "V"), "scores": ("Q", "Kᵀ", "S"),
    "context": ("A", "V", "C"), "output": ("C", "W_O", "O"),
}  # fmt: skip
"""The letters of a step's two factors and of its result."""


def _shape(row: Product, view: View) -> str:
    left, right, result = (view.notation().symbol_text(letter) for letter in SYMBOLS[row.step])
    first, second, third = (f"{rows}×{columns}" for rows, columns in row.shapes)
    text = _signed(f"{left} {first} · {right} {second} → {result} {third}", view)
    return text if row.heads == 1 else view.say("cost-each-head", count=row.heads, text=text)


def _signed(text: str, view: View) -> str:
    return text.translate(TO_ASCII) if view.signs.ascii else text


def _sizes(asked: Asked, view: View) -> Iterator[Block]:
    sizes = asked.sizes
    parts = [f"d_model = {sizes.d_model}", view.say("sizes-heads", count=sizes.heads)]
    parts += [view.say("cost-kv-heads", count=sizes.kv_heads)] if sizes.kv_heads != sizes.heads else []
    parts += [f"d_k = {sizes.d_k}", view.say("cost-layers", count=sizes.layers)]
    yield Prose(view.say("list-comma").join(parts), view.say("lead.sizes"))
    if sizes.source:
        yield Prose(sizes.source, view.say("lead.source"))


def _by_unit(asked: Asked, view: View, units: Sequence[str], text: Callable[[int, str], str]) -> Matrix:
    cells = tuple(tuple(Figure(text(tokens, unit)) for unit in UNITS) for tokens in asked.tokens)
    return Matrix("", view.say("cost-axis"), view.say("cost-of"), _names(asked, view), tuple(units), cells)


def _by_step(asked: Asked, view: View) -> Matrix:
    """The multiply-adds of a layer, a column for each number of tokens, and their sum."""
    table = [[row.multiply_adds for row in products(asked.sizes, tokens)] for tokens in asked.tokens]
    steps = [view.say(f"name.{row.step}") for row in products(asked.sizes, 1)]
    rows = [*zip(*table, strict=True), [sum(column) for column in table]]
    cells = tuple(tuple(Figure(grouped(number, view)) for number in row) for row in rows)
    names = (*steps, view.say("cost-together"))
    return Matrix("", view.say("column.step"), view.say("cost-axis"), names, _names(asked, view), cells)


def _names(asked: Asked, view: View) -> tuple[str, ...]:
    return tuple(grouped(tokens, view) for tokens in asked.tokens)


def _growth(asked: Asked, view: View) -> Iterator[Block]:
    """A layer's multiply-adds between the smallest number of tokens and the largest, and what part grows with N²."""
    if len({*asked.tokens}) < 2:
        return
    first, last = min(asked.tokens), max(asked.tokens)
    tokens = [first + (last - first) * point // (POINTS - 1) for point in range(POINTS)]
    drawn = [_parts(asked.sizes, n) for n in tokens]
    curves = tuple(
        Curve(view.say(f"cost-curve.{name}"), tuple(float(part[place]) for part in drawn))
        for place, name in enumerate(("all", "squared"))
    )
    at = tuple(point / (POINTS - 1) for point in range(POINTS))
    names, highest = tuple(grouped(n, view) for n in tokens), drawn[-1][0]
    yield Heading(view.say("cost-growth"))
    yield Plot(view.say("cost-axis"), names, at, curves, 0.0, float(highest), "0", grouped(highest, view))
    shares = [f"{100 * squared / whole:.0f}" for whole, squared in (drawn[0], drawn[-1])]
    fields = {"before": shares[0], "after": shares[1], "first": names[0], "last": names[-1]}
    yield Prose(view.say("cost-share", **fields), view.say("lead.reading"))


def _parts(sizes: Sizes, tokens: int) -> tuple[int, int]:
    """The multiply-adds of a layer, and those of them that grow with the square of the tokens."""
    rows = products(sizes, tokens)
    return sum(r.multiply_adds for r in rows), sum(r.multiply_adds for r in rows if r.step in ("scores", "context"))
