"""What a reader asked to see, and the language and signs it is said in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attncalc.core.expression import Expression, with_numbers
from attncalc.core.names import PUBLISHED
from attncalc.core.numbers import operand
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Equation
from attncalc.document.notation import TextNotation, as_put_in
from attncalc.document.signs import ASCII, PLAIN, TO_ASCII, UNICODE, Signs
from attncalc.messages import Say, catalogue, speaker, speaker_of

MOST_TERMS = 12


class View(NamedTuple):
    """Everything a composer needs to know besides the trace."""

    say: Say
    signs: Signs = UNICODE
    language: str = "en"
    queries: tuple[int, ...] | None = None  # None: what the command shows by itself
    batches: tuple[int, ...] | None = None  # None: the first, with a note
    heads: tuple[int, ...] | None = None
    steps: tuple[str, ...] = ()  # empty: all
    most_keys: int | None = None  # None: every key
    everything: bool = False  # every feature and every term, however many
    most_side: int | None = None  # rows and columns of a table; None: all
    options: bool = True  # whether the reader can type options such as --all, or is inside a program or reads a page

    def number(self, text: str) -> str:
        """A number's text with the minus sign of the sign set."""
        return self.signs.number(text)

    def in_data(self) -> View:
        """The view of sentences that stand in JSON: their numbers have the minus sign of its numbers."""
        return self._replace(signs=self.signs if self.signs.ascii else PLAIN)

    def aloud(self, code: str, **fields: Any) -> str:
        """A sentence of the catalogue; the one without options (`-here`) for a reader who can type none."""
        return self.say(code if self.options else f"{code}-here", **fields)

    def in_language(self, language: str) -> View:
        """The same view in another language."""
        return self._replace(say=say_in(language, self.signs.ascii), language=language)

    def listed(self, words: Sequence[str]) -> str:
        """`a, b and c`, as the language joins them."""
        *before, last = words
        return self.say("list-comma").join(before) + self.say("list-and") + last if before else last

    def notation(self) -> TextNotation:
        """The printer of formulas, and of derivations whose numbers are texts already (`shown_tree`)."""
        most = MOST_TERMS if not self.everything else 1_000_000_000
        return TextNotation(as_put_in, self.say, self.signs, most)

    def equation(self, equation: Equation) -> str:
        """`A = E / Σ`, in one line."""
        return f"{equation.left} {self.signs.equals} {self.notation().print(equation.right)}"

    def places(self, scenario: Scenario) -> list[tuple[int, int]]:
        """The batch entries and heads that are shown."""
        batches = self.batches if self.batches is not None else (0,)
        heads = self.heads if self.heads is not None else (0,)
        return [(batch, head) for batch in batches for head in heads if batch < scenario.grid[0]]

    def place_name(self, scenario: Scenario, batch: int | None, head: int | None) -> str:
        """`batch 0, head 1`, as far as the scenario has these axes."""
        parts = [("batch", batch), ("head", head)]
        said = [self.say(f"place.{axis}", number=n) for axis, n in parts if n is not None and axis in scenario.axes]
        return self.say("list-comma").join(said)

    def step_name(self, name: str) -> str:
        """A step in words: "weights"; of the online algorithm with its block."""
        before, _, block = name.rpartition("_")
        return self.say(f"name.online-{before}", block=block) if block.isdigit() else self.say(f"name.{name}")

    def wants(self, step: Step) -> bool:
        """Whether the step is asked for."""
        return not self.steps or step.name in self.steps

    def draws(self, step: Step) -> bool:
        """The same where a drawing has no room for all: the terms of the weighted value sum only by their name."""
        return self.wants(step) and (step.name != "terms" or bool(self.steps))


MOST_SIDE = 64
"""Rows and columns of a table on a page."""


def view_in(language: str, format: str, ascii_only: bool = False) -> View:
    """The view of a language, with the signs of a format and as much as a page of it shows."""
    signs = ASCII if ascii_only else PLAIN if format == "plain" else UNICODE
    published = format in PUBLISHED
    return View(
        say_in(language, ascii_only), signs, language, most_side=MOST_SIDE if published else None,
        options=not published,
    )  # fmt: skip


def say_in(language: str, ascii_only: bool = False) -> Say:
    """The speaker of a language; for ASCII its signs are spelled out, the tokens put into a sentence never."""
    if not ascii_only:
        return speaker(language)
    return speaker_of({code: text.translate(TO_ASCII) for code, text in catalogue(language).items()})


def shown_tree(trace: Trace, tree: Expression) -> Expression:
    """The derivation with every number as the text its step shows."""
    return with_numbers(tree, lambda number: operand(trace, number))
