"""Random scenario documents for one head, as ``json.loads(text, parse_float=Decimal)`` would read them.

Plain ones cover the starting points and the options; ``TIES`` holds the builders of documents
whose true values sit on, or a hair beside, a boundary of what is shown.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

Document = dict[str, Any]
Matrix = list[list[Decimal]]
Builder = Callable[[Random], Document]

TIE_SHARE = 0.4
ROUNDINGS = ("half-up", "half-even", "truncate")
HAIRS = (0, 0, 0, 1, -1)


# --- what the tests ask for -------------------------------------------------------------------


class Dice(Random):
    """A source of chance that knows how many places may be shown."""

    places = (0, 12)


def documents(seed: int | str, count: int, places: tuple[int, int] = (0, 12)) -> Iterator[Document]:
    """``count`` valid documents; the same for the same seed. None has ``by_hand``."""
    rng = Dice(seed)
    rng.places = places
    for _ in range(count):
        with localcontext() as context:
            context.prec = 400
            builders = TIES if rng.random() < TIE_SHARE else PLAIN
            document = rng.choice(builders)(rng)
        yield document


def documents_by_hand(seed: int, count: int) -> Iterator[Document]:
    """The same documents with ``by_hand`` added: a number, or places by step."""
    rng = Random(seed)
    for document in documents(seed, count):
        yield {**document, "by_hand": _hand_places(rng, document)}


def as_json(document: Document) -> str:
    """The JSON text of a document, every digit kept."""
    return _json(document)


def _json(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def _hand_places(rng: Random, document: Document) -> Any:
    if rng.random() < 0.5:
        return rng.randint(0, 6)
    places: dict[str, int] = {}
    if rng.random() < 0.8:
        places["default"] = rng.randint(1, 6)
    if "weights" not in document:
        places["weights"] = rng.randint(0, 8)
        if document.get("weighting", "softmax") == "softmax":
            places["exponentials"] = rng.randint(0, 4)
    return places or 3


# --- numbers ----------------------------------------------------------------------------------


def _number(rng: Random, size: float) -> Decimal:
    """A number within ±size with 0 to 6 decimals, often few, now and then zero."""
    if rng.random() < 0.05:
        return Decimal("0")
    decimals = rng.choice((0, 1, 1, 2, 2, 3, 6))
    return _fixed(round(rng.uniform(-size, size) * 10**decimals), decimals)


def _fixed(units: int, decimals: int) -> Decimal:
    return Decimal(f"{units}E{-decimals}") if decimals > 6 else Decimal(units).scaleb(-decimals)


def _row(rng: Random, length: int, size: float) -> list[Decimal]:
    return [_number(rng, size) for _ in range(length)]


def _matrix(rng: Random, rows: int, columns: int, size: float) -> Matrix:
    return [_row(rng, columns, size) for _ in range(rows)]


def _positive(rng: Random, rows: int, columns: int) -> Matrix:
    return [[_fixed(rng.randint(1, 400), 2) for _ in range(columns)] for _ in range(rows)]


def _score_size(rng: Random) -> float:
    return rng.choice((1, 3, 10, 50, 300, 1000))


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


# --- options ----------------------------------------------------------------------------------


def _shown(rng: Random) -> Document:
    """places and rounding, each left out now and then."""
    options: Document = {}
    if rng.random() < 0.85:
        options["places"] = rng.randint(*getattr(rng, "places", Dice.places))
    if rng.random() < 0.8:
        options["rounding"] = rng.choice(ROUNDINGS)
    return options


def _fixed_places(rng: Random) -> tuple[Document, int]:
    options = _shown(rng)
    return options, int(options.get("places", 4))


def _softmax(rng: Random) -> Document:
    options: Document = {}
    if rng.random() < 0.2:
        options["weighting"] = "softmax"
    if rng.random() < 0.3:
        options["base"] = rng.choice((Decimal("2"), Decimal("3"), Decimal("10"), Decimal("0.5")))
    if rng.random() < 0.4:
        options["shift"] = rng.random() < 0.7
    return options


def _scaling(rng: Random, names: tuple[str, ...]) -> Document:
    options: Document = {}
    if rng.random() < 0.5:
        numbers = tuple(map(Decimal, ("0.5", "0.125", "0.1", "2", "1", "-0.5", "0.3333")))
        options["scale"] = rng.choice(names if rng.random() < 0.6 else numbers)
    if rng.random() < 0.3:
        options["temperature"] = rng.choice(tuple(map(Decimal, ("0.7", "1.0", "2", "3", "10", "0.25"))))
    return options


def _causal(rng: Random, document: Document, square: bool) -> None:
    if rng.random() < 0.15:
        document["mask"] = "none"
    elif square and rng.random() < 0.45:
        document["mask"] = "causal"


def _tail(rng: Random, document: Document, queries: int, width: int, model: int | None) -> Document:
    """w_o, b_o and residual after a context of ``width``; ``model`` is the width of x, if there is one."""
    out = width
    if rng.random() < 0.35:
        out = model if model and rng.random() < 0.6 else rng.randint(1, 5)
        matrix = _matrix(rng, width, out, 2)
        document["w_o"] = _transposed(matrix) if document.get("layout") == "out_in" else matrix
    if "w_o" in document and rng.random() < 0.5:
        document["b_o"] = _row(rng, out, 1)
    if rng.random() < 0.4:
        document["residual"] = _residual(rng, document, queries, out, model)
    return document


def _residual(rng: Random, document: Document, queries: int, out: int, model: int | None) -> Any:
    if model == out and rng.random() < 0.7:
        return True
    given = document.get("scores", document.get("weights"))
    single = given is not None and not isinstance(given[0], list)
    return _row(rng, out, 3) if single else _matrix(rng, queries, out, 3)


# --- plain documents --------------------------------------------------------------------------


def _score_document(rng: Random) -> Document:
    queries, keys = rng.randint(1, 8), rng.randint(1, 8)
    single = rng.random() < 0.4
    if single or rng.random() < 0.5:
        queries = 1 if single else keys
    size = _score_size(rng)
    rows = _matrix(rng, queries, keys, size)
    document: Document = {"scores": rows[0] if single else rows, **_shown(rng)}
    plain_mean = rng.random() < 0.08
    document |= {"weighting": "uniform"} if plain_mean else _softmax(rng) | _scores_scaling(rng)
    _causal(rng, document, square=not single and queries == keys)
    if single and rng.random() < 0.2:
        document |= {"query": rng.randrange(keys), "mask": "causal"}
    return _with_values(rng, document, queries, keys)


def _scores_scaling(rng: Random) -> Document:
    options = _scaling(rng, ("none", "sqrt_d_k", "d_k", "sqrt_d_model"))
    scale = options.get("scale", "none")
    if isinstance(scale, str) and scale != "none":
        options[scale.removeprefix("sqrt_")] = rng.choice((2, 3, 4, 7, 64, 512))
    return options


def _with_values(rng: Random, document: Document, queries: int, keys: int) -> Document:
    if rng.random() < 0.15:
        return document
    width = rng.randint(1, 5)
    document["v"] = _matrix(rng, keys, width, rng.choice((1, 3, 100)))
    return _tail(rng, document, queries, width, None)


def _hidden_document(rng: Random) -> Document:
    """Scores with "-Infinity" cells, one whole row now and then, and a policy for it."""
    size = rng.randint(2, 6)
    rows: list[list[Any]] = [list(row) for row in _matrix(rng, size, size, 5)]
    for row in rows:
        for j in range(size):
            row[j] = "-Infinity" if rng.random() < 0.3 else row[j]
    empty = rng.randrange(size)
    rows[empty] = ["-Infinity"] * size
    document: Document = {"scores": rows, **_shown(rng)}
    if rng.random() < 0.8:
        document["empty_rows"] = rng.choice(("zero", "nan", "uniform"))
    if rng.random() < 0.3:
        document["base"] = Decimal("2")
    return _with_values(rng, document, size, size)


def _linear_document(rng: Random) -> Document:
    """Linear weights; every visible prefix of a row has a sum that is not zero."""
    queries, keys = rng.randint(1, 6), rng.randint(1, 6)
    rows = _positive(rng, queries, keys)
    if rng.random() < 0.5:
        rows = [_safe_row(rng, keys) for _ in range(queries)]
    document: Document = {"scores": rows, "weighting": "linear", **_shown(rng), **_scores_scaling(rng)}
    _causal(rng, document, square=queries == keys)
    return _with_values(rng, document, queries, keys)


def _safe_row(rng: Random, keys: int) -> list[Decimal]:
    while True:
        row = _row(rng, keys, rng.choice((1, 5, 100)))
        if all(sum(map(Fraction, row[: end + 1])) != 0 for end in range(keys)):
            return row


def _query_key_document(rng: Random) -> Document:
    queries, keys, width = rng.randint(1, 8), rng.randint(1, 8), rng.randint(1, 5)
    if rng.random() < 0.6:
        queries = keys
    size = rng.choice((1, 2, 5, 14))
    document: Document = {"q": _matrix(rng, queries, width, size), "k": _matrix(rng, keys, width, size)}
    document |= _shown(rng) | _weighted(rng, queries == keys, ("none", "sqrt_d_k", "d_k"))
    if document.get("weighting") == "linear":
        document["q"], document["k"] = _positive(rng, queries, width), _positive(rng, keys, width)
    _causal(rng, document, square=queries == keys)
    if document.get("weighting") in ("uniform", "self"):
        document["v"] = _matrix(rng, keys, width, 3)
    return document if "v" in document else _with_values(rng, document, queries, keys)


def _weighted(rng: Random, square: bool, names: tuple[str, ...]) -> Document:
    """One of the weightings with the options that it reads."""
    chosen = rng.choice(("softmax",) * 6 + ("linear", "uniform") + (("self",) if square else ()))
    if chosen == "softmax":
        return _softmax(rng) | _scaling(rng, names)
    return {"weighting": chosen} | (_scaling(rng, names) if chosen == "linear" else {})


def _input_document(rng: Random) -> Document:
    """From x, with or without memory and projections."""
    queries, model = rng.randint(1, 8), rng.randint(1, 5)
    document: Document = {"x": _matrix(rng, queries, model, 2)}
    keys = queries
    if rng.random() < 0.3:
        keys = rng.choice((queries, rng.randint(1, 8)))
        document["memory"] = _matrix(rng, keys, model, 2)
    return _projected(rng, document, queries, keys, model)


def _id_document(rng: Random) -> Document:
    """From ids with an embedding, with or without positions."""
    queries, model, words = rng.randint(1, 8), rng.randint(1, 5), rng.randint(1, 6)
    document: Document = {
        "ids": [rng.randrange(words) for _ in range(queries)],
        "embedding": _matrix(rng, words, model, 2),
    }
    if rng.random() < 0.6:
        document["positions"] = _matrix(rng, queries, model, 1)
    return _projected(rng, document, queries, queries, model)


def _projected(rng: Random, document: Document, queries: int, keys: int, model: int) -> Document:
    document |= _shown(rng)
    names = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
    document |= _weighted(rng, queries == keys, names)
    width = _projections(rng, document, model)
    if document.get("weighting") == "linear":
        _make_positive(document)
    _causal(rng, document, square=queries == keys)
    return _tail(rng, document, queries, width, model)


def _projections(rng: Random, document: Document, model: int) -> int:
    """Adds w_q, w_k, w_v and biases; the width of v."""
    kind = rng.choice(("none", "all", "all", "mixed"))
    if kind == "none":
        return model
    inner = model if kind == "mixed" else rng.randint(1, 5)
    widths = {"q": inner, "k": inner, "v": rng.choice((model, inner))}
    letters = ["q", "k", "v"]
    identity = rng.sample(letters, rng.randint(1, 2)) if kind == "mixed" else []
    for letter in letters:
        matrix = _matrix(rng, model, widths[letter], 1.5)
        document[f"w_{letter}"] = "identity" if letter in identity else matrix
    _biases(rng, document, [letter for letter in letters if letter not in identity], widths)
    if rng.random() < 0.3:
        _store_out_in(document)
    return widths["v"]


def _biases(rng: Random, document: Document, letters: list[str], widths: dict[str, int]) -> None:
    if document.get("weighting") in ("uniform", "self"):
        letters = [letter for letter in letters if letter == "v"]
    for letter in letters:
        if rng.random() < 0.35:
            document[f"b_{letter}"] = _row(rng, widths[letter], 1)


def _store_out_in(document: Document) -> None:
    document["layout"] = "out_in"
    for name in ("w_q", "w_k", "w_v"):
        if isinstance(document[name], list):
            document[name] = _transposed(document[name])


def _make_positive(document: Document) -> None:
    """All numbers that the scores come from made positive, so that no linear total is zero."""
    for name in ("x", "memory", "embedding", "positions", "w_q", "w_k", "b_q", "b_k"):
        if isinstance(document.get(name), list):
            document[name] = _absolute(document[name])


def _absolute(nested: Any) -> Any:
    if isinstance(nested, list):
        return [_absolute(part) for part in nested]
    return abs(nested) or Decimal("0.1")


def _weight_document(rng: Random) -> Document:
    queries, keys, width = rng.randint(1, 6), rng.randint(1, 8), rng.randint(1, 5)
    single = rng.random() < 0.4
    queries = 1 if single else queries
    rows = [[_fixed(rng.randint(0, 100), 2) for _ in range(keys)] for _ in range(queries)]
    document: Document = {"weights": rows[0] if single else rows}
    document |= {"v": _matrix(rng, keys, width, 3), **_shown(rng)}
    return _tail(rng, document, queries, width, None)


def _value_document(rng: Random) -> Document:
    keys, width = rng.randint(1, 8), rng.randint(1, 5)
    document: Document = {"v": _matrix(rng, keys, width, 3), **_shown(rng)}
    document["weighting"] = rng.choice(("uniform", "uniform", "self"))
    _causal(rng, document, square=True)
    return _tail(rng, document, keys, width, None)


# --- documents that tie, or nearly ------------------------------------------------------------


def _half_unit(rng: Random, places: int, reach: int = 40) -> Decimal:
    """An odd (now and then an even) multiple of half a unit of the last place shown."""
    return _fixed(5 * (2 * rng.randint(-reach, reach) + rng.choice((1, 1, 1, 0))), places + 1)


def _hair(rng: Random, places: int) -> Decimal:
    """Nothing, or a number far below the last place shown, of either sign."""
    return rng.choice(HAIRS) * Decimal(f"1E{-places - rng.choice((3, 15, 60, 100))}")


def _spread(rng: Random, centre: Decimal, count: int) -> list[Decimal]:
    """``count`` numbers whose mean is exactly ``centre``."""
    numbers = [centre + _number(rng, 3) for _ in range(count - 1)]
    return [*numbers, count * centre - sum(numbers, Decimal(0))]


def _equal_scores(rng: Random) -> Document:
    """n equal scores: weights 1/n, values whose mean is half a unit, or a hair beside."""
    options, places = _fixed_places(rng)
    count, score = rng.choice((1, 2, 2, 3, 4, 5, 8, 8)), _number(rng, _score_size(rng))
    columns = [_spread(rng, _half_unit(rng, places) + _hair(rng, places), count) for _ in range(rng.randint(1, 3))]
    return {"scores": [score] * count, "v": _transposed(columns), **options, **_softmax(rng)}


def _equal_causal(rng: Random) -> Document:
    """Equal scores under a causal mask: rows of 1/1, 1/2, 1/3, … and values of half units."""
    options, places = _fixed_places(rng)
    count, score = rng.randint(2, 8), _number(rng, 5)
    values = [[_half_unit(rng, places), _half_unit(rng, places)] for _ in range(count)]
    document: Document = {"scores": [[score] * count for _ in range(count)], "v": values}
    return document | {"mask": "causal", **options, **_softmax(rng)}


def _groups(rng: Random) -> Document:
    """Groups of equal scores, the values of every group with the same half unit as their mean."""
    options, places = _fixed_places(rng)
    sizes = [rng.randint(1, 3) for _ in range(rng.randint(2, 3))]
    size = _score_size(rng)
    scores = [score for count in sizes for score in [_number(rng, size)] * count]
    columns = [_group_column(rng, sizes, _half_unit(rng, places)) for _ in range(rng.randint(1, 3))]
    order = rng.sample(range(len(scores)), len(scores))
    rows = _transposed(columns)
    document: Document = {"scores": [scores[i] for i in order], "v": [rows[i] for i in order]}
    return document | options | _softmax(rng) | _scores_scaling(rng)


def _group_column(rng: Random, sizes: list[int], centre: Decimal) -> list[Decimal]:
    return [value for count in sizes for value in _spread(rng, centre, count)]


def _dominating(rng: Random) -> Document:
    """One score far ahead: a weight is 1 − 1e-40 … 1 − 1e-400; its value is half a unit or a whole one."""
    options, places = _fixed_places(rng)
    options["rounding"] = rng.choice((*ROUNDINGS, "truncate"))
    count = rng.randint(2, 5)
    scores = [Decimal(-rng.choice((100, 300, 700, 1000))) for _ in range(count)]
    scores[rng.randrange(count)] = _number(rng, 2)
    unit = [_half_unit(rng, places), _fixed(rng.randint(-9, 9), places)]
    rest = [[_number(rng, 3), _number(rng, 3)] for _ in scores]
    values = [unit if score > -50 else other for score, other in zip(scores, rest, strict=True)]
    return {"scores": scores, "v": values, **options, **_shift_only(rng)}


def _shift_only(rng: Random) -> Document:
    return {"shift": True} if rng.random() < 0.3 else {}


def _cancelling(rng: Random) -> Document:
    """A context, or a residual, that cancels to exactly zero, or leaves a hair."""
    options, places = _fixed_places(rng)
    count, score = rng.randint(2, 6), _number(rng, 100)
    centre = _half_unit(rng, places) if rng.random() < 0.5 else Decimal(0)
    columns = [_spread(rng, centre, count), [Decimal("0")] * count]
    document: Document = {"scores": [[score] * count], "v": _transposed(columns), **options}
    document["residual"] = [[-centre + _hair(rng, places), _hair(rng, places)]]
    return document | _softmax(rng)


def _huge(rng: Random) -> Document:
    """Results at 10^10, where fixed notation ends, or at a tie of a scientific mantissa."""
    options, places = _fixed_places(rng)
    edge = Decimal(10**10) + rng.choice((-1, 0)) * _fixed(5, places + 1)
    mantissa = _fixed(10 * rng.randint(10**places, 10 ** (places + 1) - 1) + 5, places + 1)
    centres = [edge + _hair(rng, places), mantissa.scaleb(rng.randint(10, 30)) + _hair(rng, places)]
    count = rng.randint(1, 4)
    columns = [_spread(rng, rng.choice((1, -1)) * centre, count) for centre in centres]
    return {"scores": [_number(rng, 5)] * count, "v": _transposed(columns), **options}


def _tiny(rng: Random) -> Document:
    """Results at half of the smallest unit, at the unit, or at a tie of a two-digit mantissa."""
    options, places = _fixed_places(rng)
    mantissa = _fixed(rng.choice((995, 105, 115, 455, 500, 495, 994)), 2)
    centres = [
        _fixed(5, places + 1) + _hair(rng, places),
        _fixed(1, places) + _hair(rng, places),
        mantissa.scaleb(-places - rng.randint(1, 30)) + _hair(rng, places + 40),
    ]
    count = rng.randint(1, 4)
    columns = [[rng.choice((1, -1)) * centre] * count for centre in centres]
    return {"scores": [_number(rng, 5)] * count, "v": _transposed(columns), **options}


def _given_halves(rng: Random) -> Document:
    """Given weights 1/2, 1/4, 1/8 and values that make half units."""
    options, places = _fixed_places(rng)
    count = rng.choice((2, 4, 8))
    weight = {2: Decimal("0.5"), 4: Decimal("0.25"), 8: Decimal("0.125")}[count]
    columns = [_spread(rng, _half_unit(rng, places) + _hair(rng, places), count) for _ in range(2)]
    return {"weights": [[weight] * count], "v": _transposed(columns), **options}


def _powers(rng: Random) -> Document:
    """Whole scores to a base: exponentials, totals and weights are fractions, often on a boundary."""
    options, count = _shown(rng), rng.randint(1, 6)
    base = rng.choice((Decimal("2"), Decimal("10"), Decimal("0.5")))
    scores = [Decimal(rng.randint(-4, 5)) for _ in range(count)]
    places = int(options.get("places", 4))
    values = [[_half_unit(rng, places), Decimal(rng.randint(-4, 4))] for _ in scores]
    return {"scores": scores, "v": values, "base": base, **options, **_shift_only(rng)}


def _uniform_halves(rng: Random) -> Document:
    """Plain means that are half units."""
    options, places = _fixed_places(rng)
    count = rng.randint(1, 8)
    columns = [_spread(rng, _half_unit(rng, places) + _hair(rng, places), count) for _ in range(2)]
    document: Document = {"v": _transposed(columns), "weighting": "uniform", **options}
    _causal(rng, document, square=True)
    return document


def _linear_halves(rng: Random) -> Document:
    """Linear weights that are short fractions, such as 1/8 or 3/8, on the shown boundary."""
    options, places = _fixed_places(rng)
    scores = [Decimal(rng.choice((1, 2, 3, 5, -1))) for _ in range(rng.randint(1, 4))]
    total = rng.choice((8, 16, 20, 40))
    scores.append(total - sum(scores, Decimal(0)))
    values = [[_half_unit(rng, places), Decimal(8 * rng.randint(-3, 3))] for _ in scores]
    return {"scores": [scores], "v": values, "weighting": "linear", **options}


def _dot_halves(rng: Random) -> Document:
    """Dot products, and a projection, that end exactly on a half unit."""
    options, places = _fixed_places(rng)
    x = [[_half_unit(rng, places), Decimal(rng.randint(-3, 3))] for _ in range(rng.randint(1, 4))]
    identity = [[Decimal("1"), Decimal("0")], [Decimal("0.5"), Decimal("1")]]
    document: Document = {"x": x, "w_q": identity, "w_k": "identity", "w_v": identity, **options}
    document |= {"residual": True} if rng.random() < 0.5 else {}
    document["scale"] = rng.choice(("sqrt_d_k", "d_k", "none", Decimal("0.5")))
    return document


PLAIN: tuple[Builder, ...] = (
    _score_document,
    _score_document,
    _score_document,
    _query_key_document,
    _query_key_document,
    _input_document,
    _input_document,
    _id_document,
    _weight_document,
    _value_document,
    _linear_document,
    _hidden_document,
)
TIES: tuple[Builder, ...] = (
    _equal_scores,
    _equal_causal,
    _groups,
    _dominating,
    _cancelling,
    _huge,
    _tiny,
    _given_halves,
    _powers,
    _uniform_halves,
    _linear_halves,
    _dot_halves,
)
