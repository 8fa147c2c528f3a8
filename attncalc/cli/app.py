"""The program's commands as Typer sees them, built for one language."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import typer

from attncalc.cli import options as o
from attncalc.cli.help import command_help, program_help
from attncalc.cli.report import checked_language, guarded, written
from attncalc.messages import speaker
from attncalc.scenario_files import builtin


class Command(NamedTuple):
    """One command: the file in this folder and the function there, its options, and lines that show its use."""

    name: str
    home: str
    options: tuple[str, ...]
    examples: tuple[str, ...]
    negatives: bool = False  # whether an argument may be a number such as -1


SHOWING = (
    "token", "head", "batch", "step", *o.CALCULATION, *o.ALGORITHM, "all", *o.PUBLISHING, "picture", "indent",
    "allow_outside", *o.OUTPUT, *o.SCREEN,
)  # fmt: skip

COMMANDS: tuple[Command, ...] = (
    Command(
        "explain", "commands.explain", ("scenario", *SHOWING),
        ("attncalc explain draw", "attncalc explain mini-head --token saw"),
    ),
    Command(
        "run", "commands.run", ("scenarios", *SHOWING[:-6], "jsonl", "summary", "top", "near", "threads", "scheduler",
         "workers", "pool", *o.SCREEN),
        ("attncalc run draw --by-hand off", "attncalc run big.json --summary -o rows.npz",
         "attncalc run layer-0.json layer-1.json --summary --scheduler tcp://10.0.0.1:8786 -o rows.npz",
         "attncalc show draw | attncalc run - --json | jq '.steps[-1]'"),
    ),
    Command(
        "step", "stepping.step",
        ("scenario", "plain", *o.CALCULATION, *o.ALGORITHM, "all", "allow_outside", "lang", "color", "ascii", "debug"),
        ("attncalc step draw", "attncalc step mini-head --plain"),
    ),
    Command(
        "why", "exploring.why",
        ("scenario", "cell", "depth", "sensitivity", "head", "batch", *o.CALCULATION, *o.ALGORITHM, "all",
         *o.PUBLISHING, "allow_outside", *o.OUTPUT, *o.SCREEN),
        ("attncalc why draw context draw 0", "attncalc why grouped --head 3 weights red fox --sensitivity"),
    ),
    Command(
        "compare", "comparing.compare",
        ("scenarios", "with_", "fail_on_difference", "token", "head", "batch", "step", *o.CALCULATION, "all",
         *o.PUBLISHING, "allow_outside", *o.OUTPUT, *o.SCREEN),
        ("attncalc compare draw --set weighting=linear --with weighting=uniform --with weighting=self",
         "attncalc compare mini-head --set scale=none --token saw", "attncalc compare apple-fruit apple-company"),
    ),
    Command(
        "sweep", "sweeping.sweep",
        ("source", "path", "from_", "to", "points", "token", "head", "batch", "step", *o.CALCULATION, "all",
         *o.PUBLISHING, "allow_outside", *o.OUTPUT, *o.SCREEN),
        ("attncalc sweep draw scores.0 -1 3", "attncalc sweep mini-head temperature 0.2 5 --token saw"), True,
    ),
    Command(
        "check", "checking.check",
        ("source", "answers", "answer", "code", "map", "head", "batch", "step", "set", "places", "rounding", "all",
         *o.PUBLISHING, "allow_outside", *o.OUTPUT, *o.SCREEN),
        ("attncalc check draw --answer 'weights[draw]=0.62 0.12 0.19 0.08'", "attncalc check mini-head answers.json",
         "attncalc check gpt2-block --code"),
    ),
    Command(
        "quiz", "quizzing.quiz",
        ("scenario", "random", "level", "seed", "token", "head", "batch", "step", "answer_file", "resume", "set",
         "places", "shift", "all", *o.FORMAT, "allow_outside", *o.SCREEN),
        ("attncalc quiz draw", "attncalc quiz mini-head --step scores --step weights",
         "attncalc quiz --random --level 2 --resume mine.json", "attncalc quiz draw --answers ann.txt --json"),
    ),
    Command(
        "verify", "verifying.verify",
        ("scenarios", "update", *o.CALCULATION, *o.PUBLISHING, "allow_outside", *o.OUTPUT, *o.SCREEN),
        ("attncalc verify draw", "attncalc verify mine.json --update"),
    ),
    Command(
        "worksheet", "worksheets.worksheet",
        ("seed", "level", "blank", "copies", "part", "places", "format", "standalone", *o.OUTPUT,
         "lang", "quiet", "debug"),
        ("attncalc worksheet --seed 7 --level 3", "attncalc worksheet --level 3 --blank weights,context --part sheet",
         "attncalc worksheet --seed 7 --copies 30 -o sheets"),
    ),
    Command(
        "cost", "costing.cost",
        ("token_counts", "model", "d_model", "heads", "kv_heads", "d_k", "layers", "shapes", *o.PUBLISHING, *o.OUTPUT,
         *o.SCREEN),
        ("attncalc cost 1000 10000", "attncalc cost --model llama-3-8b 8192 131072", "attncalc cost 4 --shapes"),
    ),
    Command("list", "scenarios.list_", (*o.PUBLISHING, *o.OUTPUT, *o.SCREEN), ("attncalc list",)),
    Command(
        "show", "scenarios.show", ("name", *o.CALCULATION, "allow_outside", *o.OUTPUT, "lang", "debug"),
        ("attncalc show draw > mine.json",),
    ),
    Command(
        "new", "making.new",
        ("random", "level", "token_count", "d_model", "heads", "seed", "source_file", "map", *o.CALCULATION,
         "allow_outside", *o.OUTPUT, "lang", "quiet", "debug"),
        ("attncalc new -o mine.json", "attncalc new --random --tokens 4 --d-model 6 --heads 2 --seed 7",
         "attncalc new --from run.npz --map q=query_states -o run.json"),
    ),
    Command(
        "schema", "scenarios.schema", (*o.OUTPUT, "lang", "debug"), ("attncalc schema > attncalc.schema.json",)
    ),
)  # fmt: skip


def build(language: str, arguments: Sequence[str] = ()) -> typer.Typer:
    """The application with its help in the language.

    Where the arguments begin with a command, only that one is built: Typer takes a millisecond for each.
    """
    say = speaker(language)
    app = typer.Typer(add_completion=True, rich_markup_mode=None, pretty_exceptions_enable=False)
    plain: dict[str, Any] = {"add_help_option": False}
    asked = [command for command in COMMANDS if command.name in arguments[:1] and "COMP_WORDS" not in os.environ]
    for command in asked or COMMANDS:
        settings = {"ignore_unknown_options": True} if command.negatives else None
        app.command(command.name, context_settings=settings, **plain)(_function(command, language))

    def on_help(value: bool) -> None:
        if value:
            raise typer.Exit(written(program_help((c.name for c in COMMANDS), say), language))

    def on_version(value: bool) -> None:
        if value:
            from attncalc import __version__

            raise typer.Exit(written(f"attncalc {__version__}\n", language))

    @app.callback(invoke_without_command=True, **plain)
    def main(
        context: typer.Context,
        help_: bool = typer.Option(False, "--help", is_eager=True, callback=on_help),
        version: bool = typer.Option(False, "--version", is_eager=True, callback=on_version),
        lang: str = typer.Option(None, "--lang"),
    ) -> None:
        if lang is not None:
            refused = checked_language(lang, language)
            if refused:
                raise typer.Exit(refused)
        if context.invoked_subcommand is None:
            lines = (say(line) for line in ("welcome", "welcome-start", "welcome-list"))
            raise typer.Exit(written("".join(f"{line}\n" for line in lines), language))

    return app


def _function(command: Command, language: str) -> Callable[..., None]:
    """The function of a command, with the signature that its options make."""
    say = speaker(language)

    def on_help(value: bool) -> None:
        if value:
            page = command_help(command.name, command.options, command.examples, say)
            raise typer.Exit(written(page, language))

    def function(**values: Any) -> None:
        raise typer.Exit(guarded(command, values, language))

    function.__signature__ = o.signature(command.options, builtin.names, say, on_help)  # type: ignore[attr-defined]
    function.__annotations__ = {p.name: p.annotation for p in function.__signature__.parameters.values()}  # type: ignore[attr-defined]
    return function
