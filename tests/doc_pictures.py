"""The pictures of README and docs: screens of the program, and what `--format svg` draws."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from random import Random
from typing import NamedTuple

from calling import call
from pages import ROOT
from rich.console import Console
from rich.segment import Segment
from screen_svg import lines_of, screen_svg
from test_walk import walk_in

from attncalc.cli.stepping import save
from attncalc.document.view import View, say_in
from attncalc.interactive.screen import StepScreen

CHECKED = (
    "check",
    "draw",
    "--answer",
    "weights=0.62 0.12 0.19 0.08",
    "--answer",
    "context=0.70 0.27 0.47",
    "--answer",
    "residual=0.70 0.27 0.47",
)
COMPARED = (
    "compare",
    "draw",
    "--set",
    "weighting=linear",
    "--with",
    "weighting=uniform",
    "--with",
    "weighting=self",
    "--step",
    "weights",
    "--quiet",
)
TYPED = "0.62 0.21 0.19 0.08\n6.05 1.22 1.82 0.74\n0.62 0.12 0.19 0.08\n"


def long_scenario(tokens: int = 480, width: int = 8) -> str:
    """Two heads over many tokens, which look the farther back the higher the head, and from some of them far."""
    draw = Random(7)
    arrays = {
        name: [[[round(draw.gauss(0, 1.4), 2) for _ in range(width)] for _ in range(tokens)] for _ in range(2)]
        for name in "qk"
    }
    title = {"en": "Two heads over 480 tokens, random numbers", "zh": "480 个 token，两个头，随机数"}
    return json.dumps({"title": title, **arrays, "heads": 2, "alibi": [0.08, 0.01], "mask": "causal"})


class Shown(NamedTuple):
    """A picture: the call, whether it is a screen or writes SVG itself, what is typed into it, how it is written."""

    args: tuple[str, ...]
    screen: bool = True
    typed: str = ""
    keys: tuple[str, ...] = ()
    command: str = ""


PICTURES = {
    "explain": Shown(("explain", "draw")),
    "why": Shown(("why", "draw", "weights", "draw", "I", "--quiet")),
    "check": Shown(CHECKED, command="attncalc check draw --answer 'weights=0.62 0.12 0.19 0.08' …"),
    "compare": Shown(COMPARED, command="attncalc compare draw --set weighting=linear --with weighting=uniform …"),
    "quiz": Shown(("quiz", "draw", "--step", "weights"), typed=TYPED),
    "sweep": Shown(("sweep", "draw", "scores.0", "-2", "4", "--quiet")),
    "step": Shown(("step", "draw"), keys=("n", "n", "n", "n", "n")),
    "flow": Shown(("run", "draw", "--format", "svg"), screen=False),
    "weights": Shown(("run", "mini-head", "--format", "svg", "--picture", "weights"), screen=False),
    "bars": Shown(("explain", "draw", "--format", "svg"), screen=False),
    "map": Shown(("run", "-", "--format", "svg", "--picture", "map", "--head", "all"), False, long_scenario()),
    "curves": Shown(("sweep", "draw", "scores.0", "-2", "4", "--format", "svg"), screen=False),
}  # fmt: skip
"""By name; one in each language."""

FOLDERS = {"en": "docs/pictures", "zh": "docs/zh/pictures"}


def path_of(name: str, language: str) -> Path:
    """Where a picture stands."""
    return ROOT / FOLDERS[language] / f"{name}.svg"


def made(name: str, language: str) -> str:
    """A picture as the program makes it now."""
    shown = PICTURES[name]
    if not shown.screen:
        return printed(shown.args, language, shown.typed)
    command = shown.command or " ".join(("attncalc", *shown.args))
    if shown.keys:
        return screen_svg(full_screen(shown.keys, language), command, language)
    text = printed((*shown.args, "--color", "always", "--width", "80"), language, shown.typed)
    return screen_svg(lines_of(text), command, language)


def printed(args: tuple[str, ...], language: str, typed: str = "") -> str:
    """What a call prints; a wrong answer is no fault here."""
    done = call(*args, language=language, stdin=typed.encode())
    assert done.code in (0, 1), done.err
    return done.out


def full_screen(keys: tuple[str, ...], language: str, size: tuple[int, int] = (80, 24)) -> list[list[Segment]]:
    """The full screen of `step draw` after some keys."""
    app = StepScreen(walk_in("draw"), View(say_in(language), language=language), save)
    seen: list[str] = []

    async def tell() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await pilot.press(*keys)
            await pilot.pause()
            file = io.StringIO()
            console = Console(
                file=file,
                width=size[0],
                height=size[1],
                force_terminal=True,
                color_system="truecolor",
                legacy_windows=False,
                _environ={},
            )
            console.print(app.screen._compositor.render_update(full=True), end="")
            seen.append(file.getvalue())

    asyncio.run(tell())
    return lines_of(seen[0])


def all_pictures() -> list[tuple[str, str]]:
    """Each picture in each language."""
    return [(name, language) for language in FOLDERS for name in PICTURES]
