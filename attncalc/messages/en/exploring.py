"""The English sentences of asking where a number comes from, and of moving through a calculation."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    # Cells
    "no-cell": "no cell is named; write a step and a place, for example weights 0 0; the steps are {known}",
    "cell-places": "a place is wanted on each axis, for example {example} ({axes})",
    "axes.query": "query: {query}",
    "axes.query-key": "query: {query}; key: {key}",
    "axes.query-feature": "query: {query}; feature: 0 to {last}",
    "axes.key-feature": "key: {key}; feature: 0 to {last}",
    "axes.query-key-feature": "query: {query}; key: {key}; feature: 0 to {last}",
    "no-such-place": "{found} is not a label or position of the axis {axis}; there are {known}",
    "no-such-feature": "{found} is not a position of the axis {axis}; it goes from 0 to {last}",
}
