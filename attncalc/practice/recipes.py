"""What a random scenario is like, as records: five for learners, and one of the sizes that somebody asks for."""

from __future__ import annotations

from typing import NamedTuple


class Recipe(NamedTuple):
    """The sizes and the parts of a random scenario, and which numbers it is made of.

    `start` is where its numbers start: `scores` (of a single query where `one_row`), `q` or `x`. Numbers lie between
    `low` and `high`, with so many `decimals`; `places` is what the scenario shows.
    """

    start: str = "x"
    tokens: int = 4
    d_model: int = 0
    heads: int = 1
    d_k: int = 0
    d_v: int = 3
    one_row: bool = False
    causal: bool = False
    w_o: bool = False
    residual: bool = False
    low: int = -1
    high: int = 1
    decimals: int = 0
    places: int = 2

    @property
    def projections(self) -> bool:
        """Whether queries, keys and values are projected from x."""
        return self.start == "x"

    @property
    def out(self) -> int:
        """The width of a row of the output."""
        return self.d_model if self.w_o and self.projections else self.heads * self.d_v


LEVELS: tuple[Recipe, ...] = (
    Recipe("scores", one_row=True, low=-2, high=2, decimals=1),
    Recipe("q", tokens=3, d_k=4, d_v=4, low=-2, high=2),
    Recipe("q", d_k=3, causal=True, low=-2, high=2),
    Recipe("x", d_model=5, d_k=3, causal=True, w_o=True),
    Recipe("x", d_model=6, heads=2, d_k=3, causal=True, w_o=True, residual=True),
)
"""For learners: one row of scores; queries and keys; a causal mask; a head from x; two heads and the residual."""


def recipe_for(tokens: int, d_model: int, heads: int) -> Recipe:
    """A block from x of these sizes, with a causal mask, W_O and residual; the heads share d_model."""
    width = d_model // heads
    return Recipe("x", tokens, d_model, heads, width, width, causal=True, w_o=True, residual=True)


def shapes(recipe: Recipe) -> dict[str, tuple[int, ...]]:
    """The arrays of a scenario that is made so, in their order, with their shapes."""
    n, query_width, width = recipe.tokens, recipe.heads * recipe.d_k, recipe.heads * recipe.d_v
    rows = () if recipe.one_row else (n,)
    starts: dict[str, dict[str, tuple[int, ...]]] = {
        "scores": {"scores": (*rows, n), "v": (n, width)},
        "q": {"q": (n, query_width), "k": (n, query_width), "v": (n, width)},
        "x": {
            "x": (n, recipe.d_model), "w_q": (recipe.d_model, query_width), "w_k": (recipe.d_model, query_width),
            "w_v": (recipe.d_model, width),
        },
    }  # fmt: skip
    w_o = {"w_o": (width, recipe.out)} if recipe.w_o else {}
    residual = {"residual": (*rows, recipe.out)} if recipe.residual and not recipe.projections else {}
    return starts[recipe.start] | w_o | residual


def coincident_sizes(recipe: Recipe) -> tuple[tuple[str, str], ...]:
    """Divisors that are the same number here, so that one taken for the other goes unseen: √n and √d_k, …"""
    squares = {"√n": recipe.tokens, "√d_k": recipe.d_k, "d_k": recipe.d_k**2, "√d_model": recipe.d_model}
    known = [(name, square) for name, square in squares.items() if square and recipe.start != "scores"]
    return tuple(
        (name, other) for i, (name, square) in enumerate(known) for other, same in known[i + 1 :] if same == square
    )
