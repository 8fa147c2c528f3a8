"""The pages of the repository as a reader finds them, and the shell in which their commands are typed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
from calling import call

import attncalc
from attncalc.scenario_files import builtin

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?P<language>\S*)[ ]?(?P<name>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")

PAGES = [str(path.relative_to(ROOT)) for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))]
PAIRS = [("README.md", "README.zh.md")]
ENGLISH = [page for page in PAGES if page.startswith("docs/") and "/zh/" not in page]
PAIRS += [(page, page.replace("docs/", "docs/zh/")) for page in ENGLISH]

CALL = re.compile(r"(\S+ .*\| )?attncalc ")
"""How a line of shell begins that calls attncalc."""

NUMBER = re.compile(
    r"(?<![\d.,])(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)+(?:e-?\d+)?|\d{3,})(?![\d]|\.\d)(?P<percent> ?%)?"
)
"""A number with a point, or of at least three digits."""

LISTED: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tests/data/numbers.toml").read_text(encoding="utf-8"))
"""By page, the numbers of its text that stand in none of its blocks, and what says each."""

MANY = 100
"""More questions than a command asks."""


def text_of(page: str) -> str:
    """The text of a page of the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def language_of(page: str) -> str:
    """The language that a page is written in."""
    return "zh" if "zh" in re.split(r"[/.]", page) else "en"


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return [match["body"] for match in BLOCK.finditer(text_of(page)) if match["language"] == language]


def prose(page: str) -> str:
    """What a page says outside its blocks."""
    return BLOCK.sub("", text_of(page))


def commands(page: str) -> list[str]:
    """The commands of a page's screens."""
    return commands_of(text_of(page))


def commands_of(text: str) -> list[str]:
    """The commands of the screens of a text."""
    bodies = (match["body"] for match in BLOCK.finditer(text) if match["language"] == "console")
    return [line.removeprefix("$ ") for body in bodies for line in body.splitlines() if line.startswith("$ ")]


def sections(page: str, level: str = "## ") -> dict[str, str]:
    """The sections of a page under their headings."""
    parts = re.split(rf"^{level}", text_of(page), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def anchors(page: str) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    return [anchor(heading) for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)]


def anchor(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def first_cells(text: str) -> list[str]:
    """What stands as code in the first cell of each table row."""
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row)]


def brought_up_to_date(page: Path, expected: str) -> str:
    """What a page says; with UPDATE_DOCS in the environment, after what is expected was written there."""
    found = page.read_text(encoding="utf-8") if page.exists() else ""
    if os.environ.get("UPDATE_DOCS") and found != expected:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(expected, encoding="utf-8")
        return expected
    return found


class Shell:
    """A folder with nothing in it, where `attncalc` is the program under test and a screen has 80 columns."""

    def __init__(self, folder: Path, language: str) -> None:
        self.folder, self.language = folder / "here", language
        self.package = Path(attncalc.__file__).parent
        self.refused: list[str] = []
        self.said: list[str] = []
        self.folder.mkdir()
        np.savez(self.folder / "run.npz", **{name: np.eye(2) for name in ("query_states", "key_states", "k", "v")})
        draw = np.random.default_rng(7)
        for name in ("q", "k", "v"):  # as the page on long contexts makes them
            np.save(self.folder / f"{name}.npy", draw.standard_normal((5000, 64), dtype=np.float32))
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "attncalc"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m attncalc "$@"\n')
        program.chmod(0o755)
        self.environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "LANG": "zh_CN.UTF-8" if language == "zh" else "C.UTF-8",
            "COLUMNS": "80",
            "PYTHONPATH": str(self.package.parent),
        }

    def change_the_package(self, text: str) -> None:
        """Carries out what a page says to change in the package, on a copy of it, and runs that from now on."""
        changes = [match for match in BLOCK.finditer(text) if match["name"].startswith("attncalc/")]
        if changes:
            copy = self.folder.parent / "copy"
            shutil.copytree(self.package, copy / "attncalc", ignore=shutil.ignore_patterns("__pycache__", ".*"))
            shutil.copytree(builtin.folder(), copy / "attncalc/scenarios", dirs_exist_ok=True)
            for match in changes:
                change(copy / match["name"], match["language"], match["body"])
            self.package, self.environment["PYTHONPATH"] = copy / "attncalc", str(copy)

    def ended(self, command: str, asked: int = 0) -> tuple[int, str]:
        """The exit code of a command line and what it prints on both streams, without blanks at the ends of lines.

        `asked` is how many questions are answered with an empty line.
        """
        inside = is_plain(command) and self.package == Path(attncalc.__file__).parent
        code, printed = self._inside(shlex.split(command), asked) if inside else self._outside(command, asked)
        return code, "".join(f"{line.rstrip()}\n" for line in printed.splitlines())

    def printed(self, command: str) -> str:
        """What a command line prints."""
        return self.ended(command)[1]

    def run_all(self, lines: Iterable[str]) -> None:
        """Runs those of the lines that call attncalc; keeps what they print in `said`, what was refused in `refused`.

        Where a line asks something it gets empty lines, and the full screen of `step` is left to its dialogue.
        """
        for line in lines:
            if CALL.match(line):
                plain = line.startswith("attncalc step ") and "--plain" not in line
                code, printed = self.ended(f"{line} --plain" if plain else line, MANY)
                self.said.append(printed)
                self.refused += [line] if code not in (0, 1) else []

    def _inside(self, words: list[str], asked: int) -> tuple[int, str]:
        done = call(*words[1:], stdin=b"\n" * asked, env=self.environment, cwd=self.folder)
        return done.code, done.out + done.err

    def _outside(self, command: str, asked: int) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment, input=b"\n" * asked,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.decode()


def change(path: Path, language: str, body: str) -> None:
    """Makes a new file of a block, or changes one: in a `diff`, what a minus and a blank begin stands there once."""
    if language != "diff":
        path.write_text(body, encoding="utf-8")
        return
    text, lines = path.read_text(encoding="utf-8"), body.splitlines(keepends=True)
    before, after = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
    assert text.count(before) == 1, f"{path.name} has {text.count(before)} times:\n{before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def is_plain(command: str) -> bool:
    """Whether a line is one call of attncalc that asks nothing of a shell: it can run in this process, quicker."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    signs = any(set(word) <= set("();<>|&") for word in words) or re.search(r"[$`*?~\\]", command)
    return not signs and words[0] == "attncalc"


def refreshed(page: str, shell: Shell, text: str | None = None) -> str:
    """The page (or this text of it) with every screen as it is printed now; what has no screen there is run too."""

    def again(match: re.Match[str]) -> str:
        if match["language"] == "json" and match["name"]:
            (shell.folder / match["name"]).write_text(match["body"], encoding="utf-8")
        if match["language"] == "sh":
            shell.run_all(match["body"].splitlines())
        if match["language"] != "console":
            return match[0]
        return f"```console\n{''.join(screens(match['body'], shell))}```"

    text = text_of(page) if text is None else text
    shell.change_the_package(text)
    done = BLOCK.sub(again, text)
    shell.run_all(commands_in_line(done))
    return done


def commands_in_line(text: str) -> list[str]:
    """The commands in the sentences of a text that can be typed as they stand: with arguments, none a placeholder."""
    found = re.findall(r"`(attncalc [^`\n]+ [^`\n]+)`", BLOCK.sub("", text))
    return [line for line in found if not re.search(r"[A-Z]{3,}|…|名称|算例|文件", line)]


def numbers(text: str) -> Iterator[tuple[str, bool]]:
    """The numbers of a text that has no blocks, each with whether it is a percentage."""
    return ((match["number"], bool(match["percent"])) for match in NUMBER.finditer(text))


def numbers_without_a_source(page: str, text: str, shell: Shell) -> list[str]:
    """The numbers of a page's text that neither its blocks nor what their lines print have, and that are not listed."""
    said = (*(match["body"] for match in BLOCK.finditer(text)), *shell.said)
    held = {value for body in said for number, _ in numbers(body) if (value := value_of(number)) is not None}
    listed = LISTED.get(twin_in_english(page), {})
    return [
        number for number, percent in numbers(spoken(text))
        if value_of(number) not in held and number not in listed and not (percent and is_share(number, held))
    ]  # fmt: skip


def spoken(text: str) -> str:
    """The sentences of a text: without blocks, code in a line, and the addresses of links."""
    return re.sub(r"`[^`\n]+`|\]\([^)]*\)", "``", BLOCK.sub("", text))


def value_of(number: str) -> Decimal | None:
    """What a number says, however many zeros it ends with; nothing where it is a version such as 2.13.0."""
    return Decimal(number.replace(",", "")) if number.count(".") < 2 else None


def is_share(percent: str, held: Iterable[Decimal]) -> bool:
    """Whether one of the numbers is this percentage."""
    unit = Decimal(1).scaleb(-len(percent.partition(".")[2]))
    return any(value < 10 and (value * 100).quantize(unit, ROUND_HALF_UP) == Decimal(percent) for value in held)


def twin_in_english(page: str) -> str:
    """The English page of a page."""
    return page.replace("README.zh", "README").replace("docs/zh/", "docs/")


def screens(body: str, shell: Shell) -> Iterator[str]:
    """Each command of a block and what it prints; where jq is wanted and missing, what stands there already."""
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        command = part.partition("\n")[0]
        if not command.startswith("$ "):
            yield part
        elif "jq " in command and shutil.which("jq") is None:
            warnings.warn(f"jq is missing, so this was not run: {command}", stacklevel=2)
            yield part
        else:
            yield f"{command}\n{shell.printed(command.removeprefix('$ '))}"
