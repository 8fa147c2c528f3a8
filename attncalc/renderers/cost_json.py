"""The JSON of `cost` (`attncalc-cost/1`)."""

from __future__ import annotations

from typing import Any

from attncalc.document.costs import Asked
from attncalc.long.cost import BYTES, UNITS, cache_bytes, products, score_bytes, scores


def as_document(asked: Asked) -> dict[str, Any]:
    """Every number whole, by unit and type, for each number of tokens."""
    sizes = asked.sizes
    return {
        "format": "attncalc-cost/1",
        "model": asked.model or None,
        "sizes": {name: value for name, value in sizes._asdict().items() if name != "source"},
        "source": sizes.source or None,
        "costs": [_cost(asked, tokens) for tokens in asked.tokens],
    }


def _cost(asked: Asked, tokens: int) -> dict[str, Any]:
    sizes = asked.sizes
    return {
        "tokens": tokens,
        "scores": {unit: scores(sizes, tokens, unit) for unit in UNITS},
        "layer": [
            {
                "step": row.step,
                "heads": row.heads,
                "shapes": [list(shape) for shape in row.shapes],
                "multiply_adds": row.multiply_adds,
            }
            for row in products(sizes, tokens)
        ],
        "score_bytes": {type: {unit: score_bytes(sizes, tokens, unit, type) for unit in UNITS} for type in BYTES},
        "cache_bytes": {type: {unit: cache_bytes(sizes, tokens, unit, type) for unit in UNITS} for type in BYTES},
    }
