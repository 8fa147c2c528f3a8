"""Random documents whose exponentials lie hundreds of digits apart, with values that make ties."""

from __future__ import annotations

from decimal import Decimal
from random import Random

from .straight_line import Document

SIZES = (1, 30, 300, 1000)


def far_apart(rng: Random) -> Document:
    """Scores up to ±1000 under a cap, a bias, a sink, a base, in blocks or not, exact or by hand."""
    size, places = rng.choice(SIZES), rng.randint(0, 8)
    queries, keys = rng.randint(1, 3), rng.randint(1, 4)
    document: Document = {
        "scores": [[number(rng, size) for _ in range(keys)] for _ in range(queries)],
        "v": [[half_unit(rng, places), number(rng, 2)] for _ in range(keys)],
        "places": places,
        "rounding": rng.choice(("half-up", "half-even", "truncate", "truncate")),
    }
    document |= {key: value for key, value in options(rng, size, keys).items() if rng.random() < 0.35}
    document |= {"algorithm": "online", "block": rng.randint(1, 3)} if rng.random() < 0.4 else {}
    by_hand = {"arithmetic": "by-hand", "by_hand": places} if rng.random() < 0.3 else {"arithmetic": "exact"}
    return document | by_hand


def options(rng: Random, size: int, keys: int) -> Document:
    """What changes scores, or what they are divided by."""
    return {
        "softcap": rng.choice((Decimal("5.05"), 10, 30)),
        "sink": number(rng, rng.choice((2, size))),
        "base": rng.choice((Decimal("0.5"), 2, 10)),
        "temperature": rng.choice((Decimal("0.5"), 3)),
        "bias": [number(rng, size) for _ in range(keys)],
        "mask": {"drop": [[rng.randrange(2) for _ in range(keys)]]},
        "shift": True,
    }


def number(rng: Random, size: int) -> Decimal:
    """A number within ±size with few decimals, often a whole one."""
    decimals = rng.choice((0, 0, 1, 2))
    return Decimal(round(rng.uniform(-size, size) * 10**decimals)).scaleb(-decimals)


def half_unit(rng: Random, places: int) -> Decimal:
    """An odd multiple of half a unit of the last place, or a multiple of the unit."""
    return Decimal(5 * rng.randint(-8, 8)).scaleb(-places - 1)
