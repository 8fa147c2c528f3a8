"""The options, one row each, spelled the same in every command; a command names those it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

import typer

from attncalc.core import names
from attncalc.errors import AttncalcError, UsageError, nearest
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
    complete: str = ""  # what else is: names of scenarios, or what a function of cli.completion finds

    def code(self) -> str:
        """The message code of its help."""
        return f"help.{self.help or self.name.replace('_', '-')}"


MANY = list[str]

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("scenario", (), metavar="[SCENARIO]", complete="scenarios"),
        Option("scenarios", (), MANY, metavar="SCENARIO…", complete="scenarios"),
        Option("source", (), metavar="SCENARIO", help="scenario", complete="scenarios"),
        Option("name", (), metavar="NAME", complete="scenarios"),
        Option("cell", (), MANY, metavar="CELL…", complete="cell_words"),
        Option("answers", (), MANY, metavar="[ANSWERS…]"),
        Option("path", (), metavar="PATH", complete="number_paths"),
        Option("from_", (), metavar="FROM", help="from"),
        Option("to", (), metavar="TO"),
        Option("points", ("--points",), metavar="N"),
        Option("with_", ("--with",), MANY, metavar="CHANGES", help="with", complete="path_words"),
        Option("fail_on_difference", ("--fail-on-difference",), bool, False),
        Option("depth", ("--depth",), metavar="N"),
        Option("sensitivity", ("--sensitivity",), bool, False),
        Option("answer", ("--answer",), MANY, metavar="STEP[PLACE]=NUMBERS"),
        Option("code", ("--code",), bool, False),
        Option("random", ("--random",), bool, False),
        Option("seed", ("--seed",), metavar="N"),
        Option("level", ("--level",), metavar="1-5"),
        Option("token_count", ("--tokens",), metavar="N"),
        Option("d_model", ("--d-model",), metavar="N"),
        Option("heads", ("--heads",), metavar="N"),
        Option("kv_heads", ("--kv-heads",), metavar="N"),
        Option("d_k", ("--d-k",), metavar="N"),
        Option("layers", ("--layers",), metavar="N"),
        Option("model", ("--model",), metavar="NAME", values=names.MODELS),
        Option("summary", ("--summary",), bool, False),
        Option("threads", ("--threads",), metavar="N"),
        Option("scheduler", ("--scheduler",), metavar="ADDRESS|local", values=("local",)),
        Option("workers", ("--workers",), metavar="N"),
        Option("top", ("--top",), metavar="N"),
        Option("near", ("--near",), metavar="N"),
        Option("shapes", ("--shapes",), bool, False),
        Option("token_counts", (), MANY, metavar="[N…]"),
        Option("source_file", ("--from",), MANY, metavar="FILE"),
        Option("map", ("--map",), MANY, metavar="KEY=NAME"),
        Option("blank", ("--blank",), MANY, metavar="STEPS", values=names.STEPS),
        Option("copies", ("--copies",), metavar="N"),
        Option("part", ("--part",), metavar="PART", values=("sheet", "key", "both")),
        Option("update", ("--update",), bool, False),
        Option("answer_file", ("--answers",), MANY, metavar="FILE"),
        Option("resume", ("--resume",), metavar="FILE"),
        Option("token", ("--token",), MANY, metavar="TOKEN"),
        Option("head", ("--head",), metavar="N|all"),
        Option("batch", ("--batch",), metavar="N|all"),
        Option("step", ("--step",), MANY, metavar="STEP", values=names.STEPS, help="only-step"),
        Option("allow_outside", ("--allow-outside",), bool, False),
        Option("set", ("--set",), MANY, metavar="PATH=VALUE", complete="path_words"),
        Option("places", ("--places",), metavar="N"),
        Option("by_hand", ("--by-hand",), metavar="N|off"),
        Option("rounding", ("--rounding",), metavar="RULE", values=names.ROUNDINGS),
        Option("arithmetic", ("--arithmetic",), metavar="KIND", values=names.ARITHMETICS),
        Option("shift", ("--shift/--no-shift",), bool),
        Option("algorithm", ("--algorithm",), metavar="NAME", values=names.CHOICES["algorithm"]),
        Option("block", ("--block",), metavar="N"),
        Option("all", ("--all",), bool, False),
        Option("format", ("--format",), metavar="FORMAT", values=names.FORMATS),
        Option("json", ("--json",), bool, False),
        Option("plain", ("--plain",), bool, False),
        Option("jsonl", ("--jsonl",), bool, False),
        Option("indent", ("--indent",), metavar="N"),
        Option("standalone", ("--standalone",), bool, False),
        Option("picture", ("--picture",), metavar="PICTURE", values=(*names.PICTURES, names.MAP)),
        Option("pool", ("--pool",), metavar="max|mean", values=names.POOLINGS),
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

ALGORITHM = ("algorithm", "block")
CALCULATION = ("set", "places", "by_hand", "rounding", "arithmetic", "shift")
OUTPUT = ("output", "force")
SCREEN = ("lang", "color", "width", "ascii", "quiet", "debug")
FORMAT = ("format", "json", "plain")
PUBLISHING = (*FORMAT, "standalone")


SIGNED = re.compile(r"-(?:[0-9.]|inf|nan)", re.IGNORECASE)
"""How an argument begins that has a minus sign and is meant as a number."""


def flags_of(chosen: Iterable[str]) -> list[str]:
    """The long spellings of options: `--token`, `--shift`, `--no-shift`."""
    flags = (part for name in chosen for flag in OPTIONS[name].flags for part in flag.split("/"))
    return [flag for flag in flags if flag.startswith("--")]


def mistyped(words: Iterable[object]) -> str:
    """The first word that looks like an option: a command that takes -1 as an argument takes it as one too."""
    texts = (word for word in words if isinstance(word, str))
    return next((text for text in texts if len(text) > 1 and text[0] == "-" and not SIGNED.match(text)), "")


def no_such_option(found: str, flags: Collection[str]) -> AttncalcError:
    """The refusal of an option that a command with these flags does not have, or that stands behind `--`."""
    if found.partition("=")[0] in flags:
        return UsageError.of("usage-option-after-dashes", found=found)
    near = nearest(found.lstrip("-"), (flag.lstrip("-") for flag in flags))
    return UsageError.of("usage-no-such-option", found=found, near=f"--{near}" if near else "")


def signature(
    chosen: Iterable[str], scenario_names: Callable[[], list[str]], say: Say, on_help: Any
) -> inspect.Signature:
    """The parameters of a command as Typer reads them."""
    parameters = [_parameter(OPTIONS[name], scenario_names) for name in chosen]
    help_option = typer.Option(False, "--help", is_eager=True, callback=on_help, help=say("help.help"))
    parameters.append(inspect.Parameter("help_", inspect.Parameter.KEYWORD_ONLY, default=help_option, annotation=bool))
    return inspect.Signature(parameters)


def _parameter(option: Option, scenario_names: Callable[[], list[str]]) -> inspect.Parameter:
    default = option.default if option.type is not MANY else []
    complete = _completer(option, scenario_names)
    if option.flags:
        info = typer.Option(default, *option.flags, metavar=option.metavar or None, autocompletion=complete)
    else:
        info = typer.Argument(default, metavar=option.metavar, autocompletion=complete)
    kind: Any = option.type if option.type is MANY or option.default is not None else option.type | None
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=kind)


def _completer(option: Option, scenario_names: Callable[[], list[str]]) -> Callable[..., list[str]] | None:
    if option.complete == "scenarios":
        return lambda incomplete: [name for name in scenario_names() if name.startswith(incomplete)]
    if option.complete:
        return _by_scenario(option.complete)
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
