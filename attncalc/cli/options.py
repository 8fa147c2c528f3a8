"""The options, one row each, spelled the same in every command; a command names those it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import typer

from attncalc.core import names
from attncalc.messages import Say


class Option(NamedTuple):
    """One option (or, without flags, argument): what Typer needs, and the placeholder that help shows."""

    name: str
    flags: tuple[str, ...]
    type: Any = str
    default: Any = None
    metavar: str = ""
    values: tuple[str, ...] = ()  # offered by completion
    help: str = ""

    def code(self) -> str:
        """The message code of its help."""
        return f"help.{self.help or self.name.replace('_', '-')}"


MANY = list[str]

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("scenario", (), metavar="[SCENARIO]"),
        Option("scenarios", (), MANY, metavar="SCENARIO…"),
        Option("source", (), metavar="SCENARIO", help="scenario"),
        Option("name", (), metavar="NAME"),
        Option("cell", (), MANY, metavar="CELL…"),
        Option("path", (), metavar="PATH"),
        Option("from_", (), metavar="FROM", help="from"),
        Option("to", (), metavar="TO"),
        Option("points", ("--points",), metavar="N"),
        Option("with_", ("--with",), MANY, metavar="CHANGES", help="with"),
        Option("fail_on_difference", ("--fail-on-difference",), bool, False),
        Option("depth", ("--depth",), metavar="N"),
        Option("sensitivity", ("--sensitivity",), bool, False),
        Option("token", ("--token",), MANY, metavar="TOKEN"),
        Option("head", ("--head",), metavar="N|all"),
        Option("batch", ("--batch",), metavar="N|all"),
        Option("step", ("--step",), MANY, metavar="STEP", values=names.STEPS, help="only-step"),
        Option("set", ("--set",), MANY, metavar="PATH=VALUE"),
        Option("places", ("--places",), metavar="N"),
        Option("by_hand", ("--by-hand",), metavar="N|off"),
        Option("rounding", ("--rounding",), metavar="RULE", values=names.ROUNDINGS),
        Option("arithmetic", ("--arithmetic",), metavar="KIND", values=names.ARITHMETICS),
        Option("shift", ("--shift/--no-shift",), bool),
        Option("all", ("--all",), bool, False),
        Option("format", ("--format",), metavar="FORMAT", values=names.FORMATS),
        Option("json", ("--json",), bool, False),
        Option("plain", ("--plain",), bool, False),
        Option("jsonl", ("--jsonl",), bool, False),
        Option("indent", ("--indent",), metavar="N"),
        Option("output", ("-o", "--output"), metavar="FILE"),
        Option("force", ("--force",), bool, False),
        Option("lang", ("--lang",), metavar="en|zh", values=names.LANGUAGES),
        Option("color", ("--color",), metavar="WHEN", values=names.COLORS),
        Option("width", ("--width",), metavar="N"),
        Option("ascii", ("--ascii",), bool, False),
        Option("quiet", ("-q", "--quiet"), bool, False),
        Option("debug", ("--debug",), bool, False),
    )
}

CALCULATION = ("set", "places", "by_hand", "rounding", "arithmetic", "shift")
OUTPUT = ("output", "force")
SCREEN = ("lang", "color", "width", "ascii", "quiet", "debug")
FORMAT = ("format", "json", "plain")


def signature(
    chosen: Iterable[str], scenario_names: Callable[[], list[str]], say: Say, on_help: Any
) -> inspect.Signature:
    """The parameters of a command as Typer reads them."""
    parameters = [_parameter(OPTIONS[name], scenario_names, say) for name in chosen]
    help_option = typer.Option(False, "--help", is_eager=True, callback=on_help, help=say("help.help"))
    parameters.append(inspect.Parameter("help_", inspect.Parameter.KEYWORD_ONLY, default=help_option, annotation=bool))
    return inspect.Signature(parameters)


def _parameter(option: Option, scenario_names: Callable[[], list[str]], say: Say) -> inspect.Parameter:
    default = option.default if option.type is not MANY else []
    complete = _completer(option, scenario_names)
    if option.flags:
        info = typer.Option(default, *option.flags, metavar=option.metavar or None, autocompletion=complete)
    else:
        info = typer.Argument(default, metavar=option.metavar, autocompletion=complete)
    kind: Any = option.type if option.type is MANY or option.default is not None else option.type | None
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=kind)


def _completer(option: Option, scenario_names: Callable[[], list[str]]) -> Callable[..., list[str]] | None:
    if option.name in ("cell", "set"):
        return _by_scenario("cell_words" if option.name == "cell" else "path_words")
    if option.name in ("path", "from_", "to"):
        return None
    if not option.flags:
        return lambda incomplete: [name for name in scenario_names() if name.startswith(incomplete)]
    if option.values:
        return lambda incomplete: [value for value in option.values if value.startswith(incomplete)]
    return None


def _by_scenario(function: str) -> Callable[[typer.Context, str], list[str]]:
    """A completion that reads the scenario, loaded when the key is pressed."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        from attncalc.cli import completion

        words: list[str] = getattr(completion, function)(ctx, incomplete)
        return words

    complete.__annotations__ = {"ctx": typer.Context, "incomplete": str}
    return complete
