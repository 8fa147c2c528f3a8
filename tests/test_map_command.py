"""`--picture map`: the same cells on a screen, in a picture and as data; what cannot be drawn is refused."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import trace_of
from calling import call, document, out
from svg_read import read
from test_long_map import boxes

from attncalc.core.wrapping import cells
from attncalc.long.problem import Pooling

TOKENS, HEADS = 300, 2
MAP = ("--picture", "map")
SIGNS = " ░▒▓█"
ASCII = " :+*#"


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario of two heads with its arrays in files."""
    folder, numbers = tmp_path_factory.mktemp("map"), np.random.default_rng(4)
    for name in "qkv":
        np.save(folder / f"{name}.npy", numbers.standard_normal((HEADS, TOKENS, 4)).astype(np.float32))
    path = folder / "big.json"
    arrays: dict[str, Any] = {name: {"npy": f"{name}.npy"} for name in "qkv"}
    path.write_text(json.dumps({**arrays, "heads": HEADS, "mask": "causal", "title": "Two heads"}))
    return path


@pytest.fixture(scope="module")
def weights(big: Path) -> Any:
    """Those of the whole trace."""
    return trace_of(json.loads(big.read_text()), "float32", big.parent)["weights"].cells[0].astype(np.float64)


def rows_of(text: str) -> list[str]:
    """The cells of each row of a map on a screen; the blanks at the end of a line are no less cells."""
    lines = [line.split("│", 1)[1] for line in text.splitlines() if "│" in line]
    return [line.ljust(max(map(len, lines))) for line in lines]


@pytest.mark.parametrize(("pool", "function"), [("max", np.max), ("mean", np.mean)])
def test_json_holds_the_pooled_array_with_its_edges(pool: str, function: Any, big: Path, weights: Any) -> None:
    """Null where no query of a cell may see a key of it; every head that is asked for, or their mean."""
    found = document("run", str(big), *MAP, "--pool", pool, "--head", "all")
    assert (found["format"], found["pooling"]) == ("attncalc-map/1", pool)
    assert found["query_edges"] == found["key_edges"] == [*range(0, TOKENS, 3), TOKENS]
    assert [one["head"] for one in found["maps"]] == [0, 1]
    wanted = np.array([boxes(weights[head], Pooling(pool, 3, 3, ()), function) for head in (0, 1)])
    later = np.triu(np.ones(wanted.shape[1:], bool), 1)
    for one, cells_wanted in zip(found["maps"], wanted, strict=True):
        got = np.array(one["cells"], dtype=np.float64)
        assert (np.isnan(got) == later).all()
        np.testing.assert_allclose(got[~later], cells_wanted[~later], 1e-5, 1e-9)
    mean = document("run", str(big), *MAP, "--pool", pool, "--head", "mean")["maps"]
    assert [one["head"] for one in mean] == ["mean"]
    got = np.array(mean[0]["cells"], dtype=np.float64)
    np.testing.assert_allclose(got[~later], wanted.mean(axis=0)[~later], 1e-5, 1e-9)


def test_a_summary_as_data_has_the_map_beside_the_rest(big: Path) -> None:
    """The same cells in JSON and among the arrays of a file."""
    alone = document("run", str(big), *MAP)
    found = document("run", str(big), "--summary", *MAP)
    assert found["format"] == "attncalc-summary/1"
    np.testing.assert_allclose(
        np.array(found["map"]["maps"][0]["cells"], dtype=float), np.array(alone["maps"][0]["cells"], dtype=float), 1e-5
    )
    target = big.parent / "rows.npz"
    assert out("run", str(big), "--summary", *MAP, "--head", "mean", "-o", str(target)) == ""
    arrays = np.load(BytesIO(target.read_bytes()))
    assert {"context", "map", "map_visible", "map_query_edges", "map_key_edges", "map_head"} <= {*arrays}
    assert (arrays["map"].shape, arrays["map_head"].tolist()) == ((1, 100, 100), [-1])


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_map_keeps_within_the_terminal(width: int, language: str, big: Path) -> None:
    """No line is wider, every row has the same cells, and what is hidden is a dot of its own."""
    text = out("run", str(big), *MAP, "--width", str(width), language=language)
    assert max(map(cells, text.splitlines())) <= width
    rows = rows_of(text)
    assert len(rows) == 30
    assert len({len(row) for row in rows}) == 1
    assert width - 24 <= len(rows[0]) + 9 or len(rows[0]) == TOKENS // 2
    assert set("".join(rows)) <= {*SIGNS, "·"}
    assert [row.index("·") for row in rows[:-1]] == sorted(row.index("·") for row in rows[:-1])


def test_the_signs_of_a_screen_are_those_of_the_numbers(big: Path, weights: Any) -> None:
    """By the bounds that the legend says."""
    text = out("run", str(big), *MAP, "--width", "80", "--head", "1")
    rows = rows_of(text)
    across, down = -(-TOKENS // len(rows[0])), -(-TOKENS // len(rows))
    assert f"largest of {down} × {across} weights" in text
    bounds = [float(number) for number in re.findall(r"from ([\d.e-]+)", text)]
    assert len(bounds) == len(SIGNS) - 1
    wanted = boxes(weights[1], Pooling("max", down, across, ()), np.max)
    for number, (row, line) in enumerate(zip(wanted, rows, strict=True)):
        for column, value in enumerate(row):
            if column * across > number * down + down - 1:
                assert line[column] == "·"
            elif all(abs(value / bound - 1) > 1e-4 for bound in bounds):
                assert line[column] == SIGNS[sum(value >= bound for bound in bounds)]


def test_without_colour_and_in_ascii_the_shades_are_there() -> None:
    """One weight a cell, as a scenario of few tokens has it."""
    text = out("run", "mini-head", *MAP, "--width", "80", "--ascii")
    assert text.isascii()
    assert "Each cell is one weight" in text
    lines = [line.split("|")[1] for line in text.splitlines() if "|" in line]
    assert [line[0] for line in lines] == ["#", "*", ":", " ", " "]
    assert all(label in text for label in ("We", "saw", "birds", "fly", "south"))


def test_plain_text_says_a_cell_a_line() -> None:
    """For a reader who hears it."""
    lines = out("run", "mini-head", *MAP, "--plain", "--places", "2").splitlines()
    assert "query We, key We: 1.00" in lines
    assert "query We, key saw: hidden" in lines


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_picture_shades_every_cell_once(language: str, big: Path) -> None:
    """The patches of all looks fill half of the map with the hatching and never meet; texts stay on the page."""
    found = read(out("run", str(big), *MAP, "--format", "svg", language=language))
    assert all(text.room.inside(found.page, 1) for text in found.texts)
    patches = dict(found.patches)
    side = 100 * 6
    areas = {look: sum((r.right - r.left) * (r.bottom - r.top) for r in rooms) for look, rooms in patches.items()}
    assert areas["hidden"] == 99 * 100 / 2 * 36
    assert sum(areas.values()) <= side * side
    assert all(re.fullmatch(r"shade([1-9]|10)|hidden", look) for look in areas)
    words = " ".join(text.text for text in found.texts)
    assert ("3 × 3 weights" in words, "3 × 3 个权重" in words) == (language == "en", language == "zh")
    ticks = [text.text for text in found.texts if text.text.isdigit()]
    assert {"0", "150"} <= set(ticks)


def test_several_heads_stand_beside_each_other_and_an_average_says_so(big: Path) -> None:
    """Each under its name; the first of several alone is said to be one."""
    both = read(out("run", str(big), *MAP, "--head", "all", "--format", "svg"))
    names = {text.text: text.room for text in both.texts if text.text.startswith("head ")}
    assert names["head 0"].top == names["head 1"].top
    assert "average of 2 heads" in out("run", str(big), *MAP, "--head", "mean", "--format", "svg")
    assert "a mere average over the heads" in out("run", str(big), *MAP, "--head", "mean")
    assert "Head 0 is shown" in out("run", str(big), *MAP)


def test_pages_carry_the_map(big: Path) -> None:
    """Markdown as a block of text, HTML as a picture of its own; PNG is a picture too."""
    assert "```text" in out("run", str(big), *MAP, "--format", "markdown")
    page = out("run", str(big), *MAP, "--format", "html")
    assert page.count('<img src="data:image/svg+xml;base64,') == 2
    target = big.parent / "map.png"
    assert out("run", str(big), *MAP, "-o", str(target)) == ""
    assert target.read_bytes().startswith(b"\x89PNG")


REFUSALS: list[tuple[tuple[str, ...], str, str]] = [
    (("run", "BIG", *MAP, "--pool", "median"), "median", "median"),
    (("run", "BIG", "--pool", "max"), "works with --picture map only", "只能与 --picture map 一起使用"),
    (("run", "BIG", "BIG", *MAP), "takes one scenario", "一个"),
    (("run", "BIG", *MAP, "--head", "2"), "2 is not one of the 2", "--head"),
    (("run", "BIG", *MAP, "--token", "3"), "--picture map alone", "--token"),
    (("run", "BIG", *MAP, "--format", "latex"), "latex", "latex"),
    (("run", "BIG", "--summary", "--picture", "bars"), "together with --summary", "--summary"),
    (("run", "draw", *MAP), "--arithmetic float64", "--arithmetic float64"),
    (("explain", "mini-head", *MAP), "attncalc run FILE --picture map", "attncalc run"),
    (("explain", "mini-head", *MAP, "--format", "svg"), "attncalc run FILE --picture map", "attncalc run"),
]


@pytest.mark.parametrize(("args", "english", "chinese"), REFUSALS)
def test_what_has_no_map_is_refused(args: tuple[str, ...], english: str, chinese: str, big: Path) -> None:
    """In both languages, with what to do."""
    words = [str(big) if word == "BIG" else word for word in args]
    for language, said in (("en", english), ("zh", chinese)):
        done = call(*words, language=language)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


def test_a_number_on_a_bound_has_the_shade_that_begins_there() -> None:
    """Given weights, one a cell."""
    scenario = json.dumps({"weights": [[0.2, 0.8], [0.4, 0.6]], "v": [[1], [2]]}).encode()
    rows = rows_of(out("run", "-", *MAP, "--width", "40", stdin=scenario))
    assert [(row[0], row.strip()[-1]) for row in rows] == [("░", "█"), ("▒", "▓")]
