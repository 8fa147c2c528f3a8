"""The pages of docs/ that the program makes: the frame of each command's page, and all of each built-in scenario's.

What stands between `<!-- made: NAME -->` and `<!-- end -->` is made; so is a page that has no other text. The screens
are left out here: `pages.refreshed` fills them in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from calling import call
from pages import ROOT, anchor, commands_of, prose, text_of

from attncalc import load, run
from attncalc.cli.app import COMMANDS, Command
from attncalc.cli.help import OWN
from attncalc.cli.options import OPTIONS, Option
from attncalc.core.bounded import Values
from attncalc.core.expression import Cell
from attncalc.core.names import FORMATS
from attncalc.core.stage import Trace
from attncalc.explore.cells import places_said, typed_name
from attncalc.messages import speaker, text_in
from attncalc.practice.catalogue import plans
from attncalc.practice.plan import plan_of
from attncalc.practice.simulation import Simulation
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import parse

LANGUAGES = ("en", "zh")
FOLDER = {"en": "docs", "zh": "docs/zh"}
MADE = re.compile(r"<!-- made: (?P<name>\w+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)

IN_PART = ("commands", "formats")
"""The pages, besides those of commands, of which a part is made."""

PARTS = ("head", "examples", "options")
"""What is made of a command's page."""

LONG = 150
"""A screen of more lines is not shown whole on the page of its scenario."""

ASKING = ("step", "quiz", "new -o", "worksheet --level", "worksheet --seed 7 --level")
"""How examples begin that ask something in a terminal, draw other numbers each time, or print very much."""

WORDS: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tests/data/page_words.toml").read_text(encoding="utf-8"))
"""What these pages say besides what the program says."""


def made_pages() -> list[str]:
    """The paths of all pages that are made, wholly or in part."""
    names = [*(f"commands/{command.name}" for command in COMMANDS), *(f"scenarios/{n}" for n in builtin.names())]
    return [f"{FOLDER[language]}/{name}.md" for language in LANGUAGES for name in (*IN_PART, "scenarios", *names)]


def made(page: str) -> str:
    """A page as the program makes it, without the output of its screens."""
    language = "zh" if page.startswith(FOLDER["zh"]) else "en"
    *folder, name = page.removeprefix(f"{FOLDER[language]}/").removesuffix(".md").split("/")
    if folder == ["scenarios"]:
        return scenario_page(name, language)
    if name == "scenarios":
        return scenarios_page(language)
    in_part = {"commands": lambda: command_list(language), "which": lambda: format_table(language)}
    parts = command_parts(name, language, page) if folder else in_part
    text = text_of(page) if (ROOT / page).exists() else frame(name, language)
    return MADE.sub(lambda m: f"<!-- made: {m['name']} -->\n{parts[m['name']]()}<!-- end -->", text)


# --- commands --------------------------------------------------------------------------------------


def command_list(language: str) -> str:
    """A line for each command, with what its help says and a link to its page."""
    say = speaker(language)
    lines = (f"- [`{c.name}`](commands/{c.name}.md): {say(f'help.{c.name}')}" for c in COMMANDS)
    return "".join(f"{line}\n" for line in (lines if language == "en" else map(full_width, lines)))


def full_width(line: str) -> str:
    """A line of a list with the Chinese colon."""
    return line.replace("): ", ")：")


def frame(name: str, language: str) -> str:
    """The page of a new command, before anything is written on it."""
    back = WORDS[language]["back"].format(page=f"commands/{name}", overview=WORDS[language]["commands"], up="commands")
    return "\n\n".join([f"# {name}", back, *(f"<!-- made: {part} -->\n<!-- end -->" for part in PARTS)]) + "\n"


def command_parts(name: str, language: str, page: str) -> dict[str, Callable[[], str]]:
    """What is made of a command's page, by the names that stand there."""
    command = next(command for command in COMMANDS if command.name == name)
    return {
        "head": lambda: command_head(command, language),
        "examples": lambda: examples(command, language, page),
        "options": lambda: option_table(command, language),
    }


def command_head(command: Command, language: str) -> str:
    """What a command does, in the words of its help, and how it is called."""
    arguments = (OPTIONS[option].metavar for option in command.options if not OPTIONS[option].flags)
    usage = " ".join(("attncalc", command.name, *arguments, "[…]"))
    return f"{speaker(language)(f'help.{command.name}')}\n\n    {usage}\n"


def examples(command: Command, language: str, page: str) -> str:
    """The examples of a command's help that its page does not have already: with screens, and those without."""
    words = WORDS[language]
    shown = commands_of(MADE.sub("", text_of(page))) if (ROOT / page).exists() else []
    left = [line for line in command.examples if line not in shown]
    parts = [screen(line) for line in left if not asks(line)]
    without = "\n".join(line for line in left if asks(line))
    parts += [words["asking"], f"```sh\n{without}\n```"] if without else []
    return "\n\n".join([f"## {words['examples']}", *parts]) + "\n" if left else ""


def asks(line: str) -> bool:
    """Whether an example stands without its screen."""
    return line.removeprefix("attncalc ").startswith(ASKING) and "--answers" not in line


def option_table(command: Command, language: str) -> str:
    """The arguments and options of a command, in the words of its help."""
    say, words = speaker(language), WORDS[language]
    rows = [(OPTIONS[name], OWN.get((command.name, name), OPTIONS[name].code())) for name in command.options]
    told = [(spelled(option), say(code)) for option, code in rows]
    told.append(("`--help`", say("help.help")))
    lines = (f"| {left} | {escaped(text)} |\n" for left, text in told)
    return f"## {words['options']}\n\n| {words['option']} | {words['meaning']} |\n|---|---|\n" + "".join(lines)


def spelled(option: Option) -> str:
    """An option as it is typed: `-o FILE`, `--output FILE`."""
    told = (" ".join(filter(None, (flag, option.metavar))) for flag in option.flags or ("",))
    return ", ".join(f"`{text}`" for text in told).replace("|", "\\|")


def escaped(text: str) -> str:
    """A sentence with what Markdown would obey written out."""
    return re.sub(r"([*_`<|\[\]])", r"\\\1", text)


# --- formats ---------------------------------------------------------------------------------------

SHOWN: dict[str, tuple[str, ...]] = {
    "explain": ("draw",), "run": ("draw",), "why": ("draw", "total"), "compare": ("draw", "--set", "temperature=2"),
    "sweep": ("draw", "temperature", "1", "2", "--points", "2"), "check": ("draw", "--answer", "total=9.83"),
    "verify": ("draw",), "quiz": ("draw", "--answers", "-"), "worksheet": ("--seed", "7", "--level", "1"), "list": (),
    "cost": ("100",),
}  # fmt: skip
"""The commands that have formats, each with what it needs besides."""


def format_table(language: str) -> str:
    """A row for the commands that give the same formats, and these formats."""
    words, alike = WORDS[language], dict[tuple[str, ...], list[str]]()
    for command in SHOWN:
        alike.setdefault(given(command), []).append(command)
    rows = (
        (", ".join(f"[`{command}`](commands/{command}.md)" for command in commands),
         ", ".join(f"[`{name}`](#{name})" for name in formats))
        for formats, commands in alike.items()
    )  # fmt: skip
    lines = "".join(f"| {left} | {right} |\n" for left, right in rows)
    return f"\n| {words['command']} | {words['format']} |\n|---|---|\n{lines}\n"


@cache
def given(command: str) -> tuple[str, ...]:
    """The formats that a command does not refuse."""
    with TemporaryDirectory() as folder:
        into = () if command == "quiz" else ("-o", f"{folder}/it", "--force")
        return tuple(name for name in FORMATS if call(command, *SHOWN[command], *into, "--format", name).code != 2)


# --- scenarios -------------------------------------------------------------------------------------


def scenarios_page(language: str) -> str:
    """The built-in scenarios, with their titles and links to their pages."""
    words = WORDS[language]
    lines = (f"- [`{name}`](scenarios/{name}.md): {escaped(title(name, language))}" for name in builtin.names())
    listed = "\n".join(lines if language == "en" else map(full_width, lines))
    return f"# {words['scenarios-title']}\n\n{words['index']}\n\n{words['listed']}\n\n{listed}\n"


def title(name: str, language: str) -> str:
    """The title of a scenario."""
    return text_in(scenario_document(name)["title"], language)


@cache
def scenario_document(name: str) -> dict[str, Any]:
    """A built-in scenario as its file has it."""
    found: dict[str, Any] = parse(builtin.path_of(name).read_bytes(), name)
    return found


def scenario_page(name: str, language: str) -> str:
    """The page of a built-in scenario: what it is, the calculation, the file, what to try next."""
    words = WORDS[language]
    back = words["back"].format(page=f"scenarios/{name}", overview=words["scenarios"], up="scenarios")
    parts = [f"# {name}", back, f"**{escaped(title(name, language))}**"]
    parts += [escaped(text_in(scenario_document(name).get("about"), language)), source(name, language)]
    parts += [f"## {words['calculation']}", *calculation(name, language)]
    parts += [f"## {words['file']}", f"```json\n{builtin.path_of(name).read_text(encoding='utf-8').strip()}\n```"]
    parts += [f"## {words['next']}", *trying(name, language)]
    return "\n\n".join(filter(None, parts)) + "\n"


def source(name: str, language: str) -> str:
    """Where the numbers come from, with a link to what is said of it."""
    words, given = WORDS[language], scenario_document(name).get("source", {})
    told = escaped(text_in(given.get("title"), language))
    if given.get("url"):
        told = f"[{told}]({given['url']})"
    return words["source" if told else "no-source"].format(title=told, link=told_at(name, language))


def told_at(name: str, language: str) -> str:
    """The section of docs/ that speaks of a scenario."""
    for page in ("sources", "attention-kinds"):
        headings = re.findall(r"^#+ (.*)$", prose(f"{FOLDER[language]}/{page}.md"), re.MULTILINE)
        for heading in headings:
            if name in re.split(r", |、", heading):
                return f"../{page}.md#{anchor(heading)}"
    raise AssertionError(f"neither sources.md nor attention-kinds.md has a section on {name}")


def calculation(name: str, language: str) -> Iterator[str]:
    """The screen of `explain`; where it is very long, that of the weights."""
    lines = screen_lines(name, language)
    if lines > LONG:
        yield WORDS[language]["part"].format(count=lines, name=name)
    yield screen(f"attncalc explain {name}" + (" --step weights" if lines > LONG else ""))


@cache
def screen_lines(name: str, language: str) -> int:
    """The lines that `explain` prints of a scenario."""
    return call("explain", name, "--width", "80", language=language).out.count("\n")


def trying(name: str, language: str) -> Iterator[str]:
    """Commands to go on with, each with its screen: why, check, verify; quiz and step, which ask."""
    words, trace = WORDS[language], run(load(name))
    yield words["why"]
    yield screen(f"attncalc why {name} {typed_name(trace, largest_weight(trace))} --depth 2 --quiet")
    answer, wrong = answers(name)
    yield words["slip" if wrong else "right"]
    yield screen(f"attncalc check {name} --answer '{answer}' --quiet")
    if "expect" in scenario_document(name):
        yield words["verify"]
        yield screen(f"attncalc verify {name} | tail -n 1")
    yield words["ask"]
    yield f"```sh\nattncalc quiz {name}\nattncalc step {name}\n```"


def screen(command: str) -> str:
    """A block for a command and what it prints."""
    return f"```console\n$ {command}\n```"


def largest_weight(trace: Trace) -> Cell:
    """The cell of the largest weight of the query that `explain` shows, in the first head."""
    query = trace.scenario.queries[0]
    weights = trace["weights"].cells[0, 0, query].astype(float)
    return Cell("weights", (0, 0, query, int(np.nanargmax(weights))))


@cache
def answers(name: str) -> tuple[str, bool]:
    """The weights of that query as somebody may give them, and whether a mistake is in them.

    Of the mistakes that can be made here the commonest that `check` knows again by these numbers alone; else none.
    """
    trace = run(load(name))
    for mistake, plan in sorted(plans(plan_of(trace.scenario)), key=lambda made: made[0].rank):
        steps = Simulation(plan_of(trace.scenario)).run(plan) or {}
        if "weights" in steps and is_an_answer(trace, steps["weights"]):
            answer = typed_answer(trace, steps["weights"])
            found = call("check", name, "--answer", answer, "--json").out
            if [row["name"] for row in parse(found.encode(), "check")["mistakes"]] == [mistake.name]:
                return answer, True
    return typed_answer(trace, trace["weights"].cells), False


def is_an_answer(trace: Trace, weights: Values) -> bool:
    """Whether somebody could take these for the weights of the query: not another shape, not all of them 0."""
    return weights.shape == trace["weights"].cells.shape and bool(weights[largest_weight(trace).place[:3]].any())


def typed_answer(trace: Trace, weights: Values) -> str:
    """A row of weights as `--answer` takes it, with three decimals."""
    place = largest_weight(trace).place
    numbers = " ".join(f"{float(number):.3f}" for number in weights[place[:3]])
    return f"weights[{places_said(trace['weights'], place)[0]}]={numbers}"
