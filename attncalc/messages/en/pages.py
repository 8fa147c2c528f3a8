"""The English sentences of pages of HTML."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    "given-others": "Given numbers",
    "page-language": "Language",
    "page-theme": "Colours",
    "page-system": "System",
    "page-light": "Light",
    "page-dark": "Dark",
    "page-batch": "Batch entry",
    "page-head": "Head",
    "page-query": "Query",
    "page-before": "Step back",
    "page-after": "Next step",
    "page-single": "One step at a time",
    "page-steps": "Steps",
    "page-ending": "Reading and notes",
    "page-others": "Other queries and heads",
    "page-cell": "Where the number comes from",
    "page-keys": "Keys: ← → or j k for the steps; inside a table the arrows go from number to number, Home and End to the ends of a row, Esc back to the step. A number in focus says below where it comes from, and the numbers it is made from light up.",
    "page-hint": "Point at a number, or go to it with Tab and the arrow keys, to see where it comes from.",
    "page-given": "given",
    "page-not-told": "The page does not carry where this number comes from.",
    "page-no-story": "The story of this query is not on the page; its numbers are in the tables.",
    "given-shape": "the first of {shape}",
    "page-from": "Made from:",
    "note.cropped-sides": "The tables show at most {most} rows and columns.",
    "note.cropped-heads": "Of {all} heads, batch entries included, this page carries the tables of {count}, the first ones.",
    "note.cropped-heads-one": "Of {all} heads, batch entries included, this page carries the tables of {count}, the first one.",
    "note.cropped-stories": "Where a number comes from is told for {rows} of {all} rows, in {count} heads, the first ones.",
    "note.cropped-stories-one": "Where a number comes from is told for {rows} of {all} rows, in {count} head, the first one.",
}
