"""What the options of a call choose: the calculation, the format, and which part of a trace is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from attncalc.cli.options import ALGORITHM, CALCULATION, OPTIONS
from attncalc.cli.session import Session, one_of, whole
from attncalc.core import names
from attncalc.core.labels import known, places_named
from attncalc.errors import UsageError, nearest, shortened
from attncalc.messages import Word

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.document.view import View

Options = Mapping[str, Any]

RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")

KEYS_IN_A_PIPE = 1000
LINES_BESIDE_KEYS = 10
POINTS = "11"
"""Values of a sweep where nothing is said."""
MOST_LOTS = 1_000_000
MOST_BLOCK = 1_000_000
KINDS = {"rounding": names.ROUNDINGS, "arithmetic": names.ARITHMETICS, "algorithm": names.CHOICES["algorithm"]}


def calculation(options: Options) -> dict[str, Any]:
    """The options that change a calculation, checked."""
    chosen = {key: options.get(key) for key in (*CALCULATION, *ALGORITHM) if key != "set"}
    if chosen["places"] is not None:
        whole("--places", chosen["places"], 0, names.MOST_PLACES)
    if chosen["block"] is not None:
        whole("--block", chosen["block"], 1, MOST_BLOCK)
    if chosen["by_hand"] not in (None, "off"):
        whole("--by-hand", chosen["by_hand"], 0, names.MOST_PLACES, "not-by-hand")
    for key, choices in KINDS.items():
        if (value := chosen[key]) is not None:
            one_of(f"--{key}", value, choices)
    return chosen


def whole_number(options: Options, name: str, default: int, least: int, most: int) -> int:
    """The whole number of an option; the default where it is left out."""
    text = options[name]
    return default if text is None else whole(OPTIONS[name].flags[0], text, least, most)


def seed_of(options: Options, copies: int = 1) -> int:
    """The seed that is asked for, so that the copies after the first have one too; any where it is left out."""
    from attncalc.practice.scenario_questions import MOST_SEED

    return whole_number(options, "seed", SystemRandom().randrange(MOST_LOTS), 0, MOST_SEED - copies + 1)


FITTING = {"indent": ("json",), "standalone": ("latex",), "picture": ("svg", "png")}
"""Options that only some formats read."""


def settings_of(options: Options, format: str) -> dict[str, Any]:
    """What a format takes besides the view: the options that only it reads, checked."""
    if options["picture"] == names.MAP:  # `run` alone draws it, and does not come here with it
        raise UsageError.of("map-of-all", f"--picture {names.MAP}")
    for name, fitting in FITTING.items():
        if options[name] not in (None, False) and format not in fitting:
            raise UsageError.of("works-only-with", f"--{name}", options=f"--format {', '.join(fitting)}")
    settings: dict[str, Any] = {}
    if format == "json" and options["indent"] is not None:
        settings["indent"] = whole("--indent", options["indent"], 0, 8)
    if format == "latex":
        settings["standalone"] = options["standalone"]
    if options["picture"] is not None:
        settings["picture"] = one_of("--picture", options["picture"], names.PICTURES)
    return settings


def format_of(options: Options, known: Sequence[str]) -> str:
    """The format that is asked for by option, short option or suffix."""
    asked = [name for name in ("json", "plain") if options.get(name)]
    if options.get("format") is not None:
        asked.append(one_of("--format", options["format"], tuple(known)))
    if len(set(asked)) > 1:
        raise UsageError.of("two-formats", first=asked[0], second=asked[1])
    if asked:
        return one_of(f"--{asked[0]}", asked[0], tuple(known))
    suffix = PurePath(options.get("output") or "").suffix
    if suffix.lower() == ".pdf":
        raise UsageError.of("no-pdf", options["output"])
    if suffix and names.SUFFIXES.get(suffix.lower()) not in known:
        possible = ", ".join(s for s, format in names.SUFFIXES.items() if format in known)
        raise UsageError.of("unknown-suffix", options["output"], suffix=suffix, known=possible)
    return names.SUFFIXES.get(suffix.lower(), "table")


def plain_view(session: Session, format: str) -> View:
    """The view of a session: its language, and the signs of the format."""
    from attncalc.document.view import view_in

    return view_in(session.language, format, session.ascii)


def view_of(session: Session, options: Options, trace: Trace, format: str) -> View:
    """The view of one trace: which queries, steps and keys."""
    view, most = plain_view(session, format), None
    if not options["all"]:
        if session.height is None or format in names.PUBLISHED:
            most = view.most_side if len(trace.scenario.tokens) < KEYS_IN_A_PIPE else 20
        else:
            most = max(5, session.height - LINES_BESIDE_KEYS)
    tokens = options["token"]
    return view._replace(
        queries=tuple(query_of(trace, token) for token in tokens) if tokens else None,
        batches=places_chosen(trace.scenario, options, "batch"), heads=places_chosen(trace.scenario, options, "head"),
        steps=tuple(_step(trace, step) for step in options["step"]),
        most_keys=most, most_side=None if options["all"] else view.most_side, everything=bool(options["all"]),
    )  # fmt: skip


def places_chosen(scenario: Scenario, options: Options, axis: str) -> tuple[int, ...] | None:
    """The heads or batch entries of `2`, `0-3` or `all`; None where the option is left out."""
    text = options.get(axis)
    if text is None:
        return None
    count, place = scenario.grid[("batch", "head").index(axis)], f"--{axis}"
    if axis not in scenario.axes and text not in ("0", "all"):
        raise UsageError.of("no-such-axis", place, axis=Word(f"axis.{axis}"))
    if text == "all":
        return tuple(range(count))
    match = RANGE.fullmatch(text)
    first, last = (int(part) for part in (match[1], match[2] or match[1])) if match else (0, count)
    if not first <= last < count:
        raise UsageError.of("unknown-index", place, found=shortened(text), count=count, last=count - 1)
    return tuple(range(first, last + 1))


def one_place(trace: Trace, options: Options, axis: str) -> int:
    """The head or batch entry that is asked for; the first where the option is left out."""
    chosen = places_chosen(trace.scenario, options, axis) or (0,)
    if len(chosen) > 1:
        raise UsageError.of("one-place", f"--{axis}", axis=Word(f"axis.{axis}"), found=shortened(options[axis]))
    return chosen[0]


def query_of(trace: Trace, word: str) -> int:
    """The query of a label, a quoted label, or a position."""
    return place_named(trace.scenario.query_tokens, word, "--token")


def place_named(labels: Sequence[str], word: str, option: str) -> int:
    """The position among labels that a word of an option means, or a UsageError."""
    places = places_named(labels, word)
    if len(places) > 1:
        raise UsageError.of("ambiguous-token", option, found=word, count=len(places))
    if not places:
        raise UsageError.of("unknown-token", option, found=shortened(word), known=known(labels))
    return places[0]


def _step(trace: Trace, name: str) -> str:
    if name not in trace:
        known = [step.name for step in trace]
        raise UsageError.of("unknown-step", "--step", found=name, known=", ".join(known), near=nearest(name, known))
    return name
