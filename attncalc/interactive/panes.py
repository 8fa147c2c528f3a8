"""The panes of the full screen: the list of steps, a table, and the texts around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text
from textual.containers import VerticalScroll
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.widget import Widget

from attncalc.core.wrapping import cells
from attncalc.document.blocks import Block, Figure, Matrix, Remark, Tree
from attncalc.document.heading import arithmetic_in_words, notes_on, title_of
from attncalc.document.view import View
from attncalc.document.walking import cell_blocks, given_blocks, place, source_texts, why_line
from attncalc.explore.walk import Walk, move
from attncalc.interactive.moves import MOVES, Move
from attncalc.interactive.window import Table, Window, window
from attncalc.messages import Say
from attncalc.messages.safe_text import visible
from attncalc.renderers.terminal import render

LOOKS = {
    "cursor": "reverse bold", "source": "bold underline cyan", "changed": "bold yellow", "hidden": "dim",
    "label": "bold", "here": "bold reverse",
}  # fmt: skip
SCROLL = 3
NEAR = 12
"""So many of the cells that a cell is made from are shown around the chosen one."""
DROPPED = ("quit", "undo", "edit", "return", "back", "next", "follow")
"""What the footer leaves out first where there is little room."""

Action = Callable[[Walk], Walk]


class Grid(Widget, can_focus=False):
    """A table of which only the part that fits is drawn; a click names a cell, the wheel moves the cursor."""

    def __init__(
        self, on_cell: Callable[[int, int], Any] | None = None, on_turn: Callable[[Action], Any] | None = None,
        **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(**more)
        self.on_cell, self.on_turn = on_cell, on_turn
        self.table: Table | None = None
        self.seen: Window | None = None

    def show(self, table: Table) -> None:
        """Draws this table from now on, from where the last one was scrolled to."""
        self.table = table
        self.refresh()

    def render(self) -> Text:
        """The visible part."""
        if self.table is None:
            return Text()
        top, left = (self.seen.top, self.seen.left) if self.seen else (0, 0)
        self.seen = window(self.table, self.size.width, self.size.height, top, left)
        lines = (Text.assemble(*((p.text, LOOKS.get(p.look, "")) for p in line)) for line in self.seen.lines)
        return Text("\n", no_wrap=True, overflow="crop").join(lines)

    def on_click(self, event: Click) -> None:
        """The cell under the pointer."""
        seen = self.seen
        if seen is None or self.on_cell is None or not 1 <= event.y <= seen.rows:
            return
        for number, (start, stop) in enumerate(seen.spans):
            if start <= event.x < stop:
                self.on_cell(seen.top + event.y - 1, seen.left + number)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Down the rows."""
        if self.on_turn is not None:
            self.on_turn(lambda walk: move(walk, SCROLL, 0))

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Up the rows."""
        if self.on_turn is not None:
            self.on_turn(lambda walk: move(walk, -SCROLL, 0))


class Told(VerticalScroll):
    """What is said below the table; another size asks for it to be broken anew."""

    def __init__(self, on_size: Callable[[], Any], **more: Any) -> None:
        super().__init__(**more)
        self.on_size = on_size

    def on_resize(self, event: Resize) -> None:
        """Another width or height."""
        self.on_size()


class StepList(Widget, can_focus=False):
    """The steps by title, the current one set off, those with changed numbers marked; a click goes there."""

    def __init__(self, on_step: Callable[[str], Any], **more: Any) -> None:
        super().__init__(**more)
        self.on_step = on_step
        self.names: list[str] = []
        self.lines: list[Text] = []
        self.current = 0

    def show(self, walk: Walk, view: View) -> None:
        """Draws the steps of this walk."""
        self.names = [step.name for step in walk.trace]
        self.current = self.names.index(walk.cell.name)
        self.lines = [self._line(walk, view, number) for number in range(len(self.names))]
        self.refresh()

    def _line(self, walk: Walk, view: View, number: int) -> Text:
        name = self.names[number]
        here = ">" if number == self.current else " "
        changed = "*" if name in walk.changed else " "
        title = view.say(f"title.{walk.trace[name].stage.texts()}")
        return Text(f"{here}{number + 1:>2} {title}{changed}", "reverse bold" if number == self.current else "")

    @property
    def first(self) -> int:
        """The first step that is seen: the current one is always among them."""
        return max(0, min(self.current - self.size.height // 2, len(self.lines) - self.size.height))

    def render(self) -> Text:
        """The visible steps."""
        shown = self.lines[self.first : self.first + max(self.size.height, 1)]
        return Text("\n", no_wrap=True, overflow="ellipsis").join(shown)

    def on_click(self, event: Click) -> None:
        """The step under the pointer."""
        if 0 <= self.first + event.y < len(self.names):
            self.on_step(self.names[self.first + event.y])


def header_text(walk: Walk, view: View) -> Text:
    """Arithmetic, the changes so far, title."""
    scenario = walk.trace.scenario
    title = title_of(scenario, view)
    changes = view.say("walk-changes", changes=visible(" ".join(walk.now.changes))) if walk.now.changes else ""
    between = " - " if view.signs.ascii else " · "
    return Text(between.join(part for part in (arithmetic_in_words(walk.trace, view), changes, title) if part))


def told_text(walk: Walk, view: View, width: int) -> tuple[Text, Text]:
    """The title line, and below the table: why, the derivation, what it is made from, notes."""
    at = place(walk, view)
    title = Text(f"{at.position}{' - ' if view.signs.ascii else ' · '}{at.title}")
    title.append(f"  {at.formula}" if at.formula else "", "magenta")
    blocks = list(cell_blocks(walk, view))
    text = Text(_rendered([block for block in blocks if isinstance(block, Tree)], view, width), "bold")
    text.append(_rendered([block for block in blocks if not isinstance(block, Tree)], view, width), "not bold")
    text.append_text(_sources(walk, view, width))
    text.append(_rendered(list(given_blocks(walk, view)), view, width), "not bold")
    text.append(_rendered(notes_on(walk.trace, walk.cell, view), view, width), "not bold")
    text.append("\n" + why_line(walk, view), "dim not bold")
    return title, text


def _rendered(blocks: list[Any], view: View, width: int) -> str:
    if not blocks:
        return ""
    lines = render(blocks, view, width).strip("\n").split("\n")
    cut = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
    start = "\n" if isinstance(blocks[0], Remark) or not isinstance(blocks[0], Tree) else ""
    return start + "\n".join(line[cut:] for line in lines)


def _sources(walk: Walk, view: View, width: int) -> Text:
    """The cells that the cell is made from, the chosen one set off, those around it where they are many."""
    texts = source_texts(walk, view)
    if not texts:
        return Text()
    chosen = walk.choice % len(texts)
    first = max(0, min(chosen - NEAR // 2, len(texts) - NEAR))
    lead = view.say("lead.made-from") + "  "
    block, used = Text("\n" + lead, "not bold"), cells(lead)
    for number in range(first, min(first + NEAR, len(texts))):
        here, text = number == chosen, texts[number]
        if used > cells(lead) and used + cells(text) + 2 > width:
            block.append("\n" + " " * cells(lead))
            used = cells(lead)
        block.append(f"[{text}]" if here else f" {text} ", "reverse" if here else "cyan not bold")
        used += cells(text) + 2
    if len(texts) > NEAR:
        block.append(view.say("walk-of-sources", number=chosen + 1, all=len(texts)), "dim not bold")
    return block


def footer_text(say: Say, width: int) -> Text:
    """The keys that are used most, as many as fit; how to get help stays longest."""
    shown = [row for row in MOVES if row.in_footer]
    for dropped in DROPPED:
        if sum(cells(key + meaning) for key, meaning in _footer(say, shown)) <= width:
            break
        shown = [row for row in shown if row.name != dropped]
    return Text.assemble(*(part for key, meaning in _footer(say, shown) for part in ((key, "reverse"), (meaning, ""))))


def _footer(say: Say, rows: Sequence[Move]) -> list[tuple[str, str]]:
    return [(f" {_key_name(say, row.keys[0])} ", f"{say(f'walk-do.{row.name}-short')} ") for row in rows]


def help_blocks(view: View) -> list[Block]:
    """Every key and what it does."""
    say = view.say
    on_keys = [row for row in MOVES if row.keys]
    rows = tuple("  ".join(_key_name(say, key) for key in row.keys) for row in on_keys)
    meanings = tuple((Figure(say(f"walk-do.{row.name}")),) for row in on_keys)
    return [Matrix("", say("column.key"), "", rows, (say("column.does"),), meanings, False)]


def _key_name(say: Say, key: str) -> str:
    return say(f"walk-key.{key.replace('+', '-').replace('_', '-')}") if len(key) > 1 else key
