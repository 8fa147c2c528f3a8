"""The English sentences of what else explains a number: slips, rounding on the way, other conventions."""

from __future__ import annotations

MESSAGES: dict[str, str] = {
    # One number
    "slip.sign": "The sign of {cell} is turned: {given} instead of {right}.",
    "slip.swapped-digits": "Two digits of {cell} are swapped: {given} instead of {right}.",
    "slip.decimal-point": "The decimal point of {cell} has moved: {given} instead of {right}.",
    "slip.one-digit": "One digit of {cell} is wrong: {given} instead of {right}.",
    "slip.missed-term": "The term {term} is missing from the sum of {cell}: {given} instead of {right}.",
    "slip.extra-term": "The term {term} is counted twice in the sum of {cell}: {given} instead of {right}.",
    "slip.term-sign": "The term {term} has the wrong sign in the sum of {cell}: {given} instead of {right}.",
    "slip.another-cell": "{cell} holds the number that belongs to {other}: {given} instead of {right}.",
    "slip.plain": "{cell} is {given} instead of {right}; everywhere else the method is right.",
    # One number further back
    "slip-inside.step": "All numbers fit if {cell} was {given} instead of {right}.",
    "slip-inside.input": "All numbers fit if {cell}, which is given as {right}, was read as {given}.",
    # The right method, rounded
    "rounded.on-the-way": "The method is right; each step was rounded to {places} {places:place|places}.",
    "rounded.half-even": "The method is right; each step was rounded to {places} {places:place|places}, half to even.",
    "rounded.cut": "The method is right; each step was cut off after {places} {places:place|places} instead of rounded.",
    "rounded.cut-at-end": "The method is right; only the result was cut off instead of rounded.",
    "rounded.coarse-root": "The method is right; {root} was taken as {value}.",
    "rounded.last-weight": "The method is right; {cell} was adjusted so that its row adds to 1.",
    "rounded.float32": "No mistake was found; the numbers are off by as much as float32 leaves.",
    "rounded.float16": "No mistake was found; the numbers are off by as much as float16 leaves.",
    "rounded.bfloat16": "No mistake was found; the numbers are off by as much as bfloat16 leaves.",
    "rounded.few-units": "The method is right; no number is off by more than {units} in the last digit written, which rounding on the way explains.",
    "rounded.own-numbers": "The method is right; the numbers follow from the rounded numbers of the steps before.",
    "rounded.inputs": "The method is right; the inputs were probably used with more digits than are shown here.",
    # A right answer, written otherwise
    "convention.columns": "The tables are in column notation: transposed, they are right.",
    "convention.percent": "The weights are written in percent.",
    "convention.counted-from-1": "The tokens are counted from 1; here they are counted from 0.",
    "convention.heads-averaged": "The weights are averaged over the heads; here each head has its own. nn.MultiheadAttention averages them unless it is called with average_attn_weights=False.",
}
