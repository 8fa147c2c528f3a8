"""The shape of the package: imports go one way, libraries stay in their rooms, every public name says its promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import attncalc
from attncalc.core import names
from attncalc.core.figures import ROUNDINGS
from attncalc.messages import LANGUAGES
from attncalc.scenario_files.kinds import Choice, Either, Flag

PACKAGE = Path(attncalc.__file__).parent

ROOMS: tuple[tuple[str, ...], ...] = (
    ("messages",),
    ("errors",),
    ("core",),
    ("ops",),
    ("pipelines",),
    ("fold", "calculations", "derive"),
    ("scenario_files",),
    ("full_run",),
    ("notes",),
    ("running", "explore", "long"),
    ("practice",),
    ("document",),
    ("renderers",),
    ("interactive", "notebook"),
    ("cli",),
    ("__main__", ""),
)
"""From the ground up: a room imports from itself and from those before it."""


def name_of(path: Path) -> str:
    """`cli.app` for attncalc/cli/app.py, `cli` for its __init__, "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def room(name: str) -> int:
    """Which floor a module is on; the longest name counts, so that a single file may have a floor of its own."""
    found = [
        (len(prefix), floor)
        for floor, prefixes in enumerate(ROOMS)
        for prefix in prefixes
        if name == prefix or (prefix and name.startswith(f"{prefix}."))
    ]
    assert found, f"{name} has no room"
    return max(found)[1]


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "a relative import"
            assert not node.level, "a relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def named(tree: ast.AST) -> Iterator[str]:
    """The modules that a file may import by their name: `"attncalc.running"`, or the room of `f"attncalc.cli.{file}"`."""
    for node in ast.walk(tree):
        value = getattr(node, "value", None)
        if isinstance(node, ast.Constant) and isinstance(value, str) and re.fullmatch(r"attncalc\.[\w.]+", value):
            yield value.rstrip(".")


def for_types_only(tree: ast.AST) -> set[int]:
    """The imports under `if TYPE_CHECKING`."""
    blocks = (n for n in ast.walk(tree) if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING")
    return {id(node) for block in blocks for node in ast.walk(block)}


def inner_imports(name: str) -> set[str]:
    """The modules of the package that a module uses, at once or late."""
    skipped = for_types_only(TREES[name])
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in skipped:
            found |= {ours(module) for module in imported(node) if is_ours(module)}
    return found & set(FILES)


def ours(module: str) -> str:
    """The name of a module within the package."""
    return module.removeprefix("attncalc").lstrip(".")


def is_ours(module: str) -> bool:
    """Whether a module belongs to the package."""
    return module == "attncalc" or module.startswith("attncalc.")


@pytest.mark.parametrize("name", FILES)
def test_imports_go_one_way(name: str) -> None:
    """From the ground up as ROOMS has them: core, ops, pipelines, … document, renderers, interactive, cli."""
    for other in inner_imports(name) - {""}:
        assert room(other) <= room(name), f"{name or 'attncalc'} imports {other}"


BY_NAME = [("core.notebooks", "notebook")]
"""What is looked up by name in a room above: a notebook asks an object of `core` how it shows itself as HTML."""


def test_no_name_is_a_way_round() -> None:
    """A module is looked up by its name in its own room or below, but for the one case that says why."""
    upwards = [
        (name, other)
        for name, tree in TREES.items()
        for other in map(ours, named(tree))
        if name and other in FILES and room(other) > room(name)
    ]
    assert upwards == BY_NAME


def test_no_module_imports_itself_in_a_circle() -> None:
    """Not even within a room, and not by an import inside a function either."""
    graph = {name: inner_imports(name) - {""} for name in FILES if name}
    while graph:
        free = [name for name, others in graph.items() if not others & graph.keys()]
        assert free, f"a circle among {sorted(graph)}"
        for name in free:
            del graph[name]


LIBRARIES: list[tuple[str, tuple[str, ...]]] = [
    ("rich", ("renderers.terminal", "interactive", "cli")),
    ("textual", ("interactive",)),
    ("typer", ("cli",)),
    ("plotille", ("renderers.plot",)),
    ("jinja2", ("renderers",)),
    ("markupsafe", ("renderers",)),
    ("xlsxwriter", ("renderers.workbook_file",)),
    ("resvg_py", ("renderers.png",)),
    ("dask", ("long.cluster", "long.spread")),
    ("distributed", ("long.cluster", "long.spread")),
    ("zarr", ("scenario_files.zarr_arrays",)),
    ("click", ()),
    ("torch", ()),
    ("pydantic", ()),
    ("flint", ()),
    ("pickle", ()),
]


@pytest.mark.parametrize(("library", "homes"), LIBRARIES)
def test_a_library_stays_in_its_room(library: str, homes: tuple[str, ...]) -> None:
    """`rich` only in the terminal renderer and the command line, `typer` only there."""
    users = [name for name, tree in TREES.items() if any(m.split(".")[0] == library for m in imported(tree))]
    assert [name for name in users if not name.startswith(homes or ("nowhere",))] == []


@pytest.mark.parametrize(
    "room_name", ["core", "ops", "pipelines", "document", "explore", "practice", "interactive", "scenario_files"]
)
def test_only_the_command_line_prints(room_name: str) -> None:
    """No room of the calculation writes to a stream or asks a question."""
    for name, tree in TREES.items():
        if name.startswith(room_name):
            calls = {getattr(node.func, "id", "") for node in ast.walk(tree) if isinstance(node, ast.Call)}
            assert not calls & {"print", "input"}, name


def public(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The public functions and classes of a module and the public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                yield from (
                    (f"{node.name}.{part.name}", part)
                    for part in node.body
                    if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")
                )


@pytest.mark.parametrize("name", FILES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    """Modules, classes, functions, methods: the first line says the promise and ends as a sentence does."""
    assert ast.get_docstring(TREES[name])
    for place, node in public(TREES[name]):
        text = ast.get_docstring(node)  # type: ignore[arg-type]
        assert text, f"{name}.{place}"
        assert text.splitlines()[0][-1] in ".:?…;,`\"'" or text.count("\n"), f"{name}.{place}: {text}"


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """All functions, inner ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_argument_is_annotated() -> None:
    """And every result."""
    bare = [
        f"{name}.{function.name}({argument.arg})"
        for name, tree in TREES.items()
        for function in functions(tree)
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if argument.annotation is None and argument.arg not in ("self", "cls")
    ]
    assert bare == []
    assert [f"{n}.{f.name}" for n, tree in TREES.items() for f in functions(tree) if f.returns is None] == []


def test_functions_and_files_are_short() -> None:
    """No function over 40 lines, no file over 300; `pytest -s` shows how long they are."""
    lengths = sorted(
        ((f.end_lineno or 0) - f.lineno + 1, f"{name}.{f.name}") for name, t in TREES.items() for f in functions(t)
    )
    files = sorted((path.read_text(encoding="utf-8").count("\n"), name) for name, path in FILES.items())
    for what, found in (("functions", lengths), ("files", files)):
        middle, ninth = median(n for n, _ in found), found[len(found) * 9 // 10][0]
        longest = ", ".join(f"{n} {name}" for n, name in found[:-4:-1])
        print(f"{what}: {len(found)}, median {middle}, 90 % within {ninth}; longest {longest}")
    assert [name for length, name in lengths if length > 40] == []
    assert [name for length, name in files if length > 300] == []


# --- names that stand twice -----------------------------------------------------------------------


def words_of(kind: Any) -> tuple[str, ...]:
    """The words that a kind of key takes; those of a flag where it may be both."""
    if isinstance(kind, Either):
        return next(filter(None, (words_of(part) for _, part in kind.kinds)), ())
    if isinstance(kind, Flag):
        return ("true", "false") if kind.only is None else ()
    return kind.names if isinstance(kind, Choice) else ()


def test_names_for_completion_are_those_of_the_tables() -> None:
    """core.names repeats what would load NumPy: steps and their axes, formats, words that keys take, languages."""
    from attncalc.calculations import CALCULATIONS
    from attncalc.pipelines.standard import ROWS, STEP_NAMES
    from attncalc.renderers import FORMATS
    from attncalc.scenario_files.keys import KEYS as SCENARIO_KEYS

    layouts = {row.name: row.layout[2:] for row in ROWS}
    assert names.STEPS == STEP_NAMES
    assert [name for name, axes in layouts.items() if axes[:2] == ("query", "key")] == list(names.KEY_COLUMNS)
    assert [name for name, axes in layouts.items() if axes[0] == "key"] == list(names.KEY_ROWS)
    assert {key: words for key, kind in SCENARIO_KEYS.items() if (words := words_of(kind))} == names.CHOICES
    assert tuple(FORMATS) == names.FORMATS
    assert {name for name, format in FORMATS.items() if format.blocks or name == "json"} == {*names.DOCUMENTS, "svg"}
    assert set(names.SUFFIXES.values()) == {*names.FORMATS} - {"plain"}
    assert set(names.ARITHMETICS) == set(CALCULATIONS)
    assert names.ROUNDINGS == tuple(ROUNDINGS) == SCENARIO_KEYS["rounding"].names  # type: ignore[attr-defined]
    assert names.LANGUAGES == LANGUAGES


def test_every_stage_reads_what_an_earlier_one_writes() -> None:
    """A slot is written before it is read, or the scenario gives it."""
    from attncalc.pipelines.standard import ROWS
    from attncalc.scenario_files.keys import KEYS as SCENARIO_KEYS

    made = {"visible", "own", "distance", "slope_exponents", "query_positions", "key_positions"}
    given = {*SCENARIO_KEYS, *made, "key_input", "entering"}
    written: set[str] = set()
    for row in ROWS:
        missing = [read.slot for read in row.reads if read.slot.split(".")[0] not in written | given]
        assert missing == [], row.name
        written |= set(row.writes)
