"""The English sentences of pictures."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    "picture-flow": "A flow of {count} {count:box|boxes} with tables, each below the boxes whose numbers it reads: {titles}.",
    "picture-weights": "A heat map of the weights: each row is a query, each column a key; the stronger its colour, the larger its weight.",
    "picture-bars": "The weights of a query as bars, one for each key.",
    "picture-weight": "weight",
    "picture-without-step": "the picture {picture} shows the weights and no other step, and {found} was asked for; leave --step out, or take --picture flow",
    "picture-too-large": "a PNG of {width} × {height} pixels is too large; ask for less, or take --format svg",
    "picture-no-curves": "There is no finite number to draw.",
    "picture-curves": "A line chart over the values of {path}, with a line for each of: {curves}.",
    "picture-own": "the scenario's own value",
}
