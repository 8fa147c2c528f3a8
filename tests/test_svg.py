"""Pictures as SVG: the numbers of the terminal, nothing over another, valid and safe, legible in light and dark."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from hostile import TOKENS
from programs import needed
from samples import BUILT_IN, LANGUAGES, random_traces, trace_of
from svg_read import SVG, Read, Room, overlapping, read

from attncalc import load, run
from attncalc.core.expression import numbers_in
from attncalc.core.names import PICTURES
from attncalc.core.numbers import figures
from attncalc.core.rows import hidden_cells
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.derive import derivation
from attncalc.document.blocks import Heading, Matrix
from attncalc.document.pictures.drawing import SHADES
from attncalc.document.tables import tables
from attncalc.document.view import view_in
from attncalc.renderers.plot_svg import render as render_plot
from attncalc.renderers.svg import render
from attncalc.renderers.svg_style import CURVES, PAINTS, PAPER, contrast, on_shade, shade, style_sheet

ALL = list(product(BUILT_IN, PICTURES, LANGUAGES))
FLOW_SIDE, SIDE = 8, 24

NASTY = [
    "<script>alert(1)</script>",
    "</style>",
    '=HYPERLINK("x")',
    "\\input{/etc/passwd}",
    "|",
    "``",
    "]]>",
    "a&amp;b'\"",
]


@cache
def trace_at(name: str) -> Trace:
    """A built-in scenario, calculated."""
    return run(load(name))


@cache
def drawn(name: str, picture: str, language: str = "en", told: bool = False) -> str:
    """Its picture."""
    return render(trace_at(name), view_in(language, "svg"), told, picture=picture)


def nasty(**more: Any) -> Trace:
    """A trace of tokens that would do harm if they were not quoted, in texts and labels."""
    tokens = [*NASTY, *TOKENS]
    scores = [[(7 * i + j) % 5 / 10 for j in range(len(tokens))] for i in range(2)]
    document = {"title": "</title><b>\u202e", "tokens": tokens, "query_tokens": tokens[:2], "scores": scores}
    return trace_of({**document, "v": [[i, 1] for i in range(len(tokens))], **more})


@pytest.mark.parametrize(("name", "picture", "language"), ALL)
def test_the_numbers_are_those_of_the_terminal(name: str, picture: str, language: str) -> None:
    """Each cell that the tables of the terminal show, as far as a picture has room, and no other."""
    trace, terminal = trace_at(name), view_in(language, "table")
    blocks = [block for block in tables(trace, terminal) if isinstance(block, Matrix)]
    shown = {cell.cell: cell.text for block in blocks for row in block.cells for cell in row if cell.cell}
    side = FLOW_SIDE if picture == "flow" else SIDE
    wanted = {cell: text for cell, text in shown.items() if max(cell.place[-2:]) < side}
    if picture != "flow":
        wanted = {cell: text for cell, text in wanted.items() if cell.name == "weights"}
    if picture == "bars":
        wanted = {cell: text for cell, text in wanted.items() if cell.place[2] in trace.scenario.queries}
    assert read(drawn(name, picture, language)).cells() == wanted


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_weights_are_those_of_the_trace(name: str) -> None:
    """Against the figures of the trace, without the tables between."""
    trace = trace_at(name)
    texts = figures(trace, "weights").reshape(trace["weights"].cells.shape)
    hidden = hidden_cells(trace, trace["weights"], (0, 0))
    for cell, text in read(drawn(name, "weights")).cells().items():
        out_of_sight = hidden is not None and hidden[cell.place[2:]] and trace["weights"].cells[cell.place] == 0
        assert text == ("·" if out_of_sight else texts[cell.place].replace("-", "−", texts[cell.place][0] == "-"))


@pytest.mark.parametrize(("name", "picture", "language"), ALL)
def test_nothing_lies_over_another(name: str, picture: str, language: str) -> None:
    """Every text has its room inside the picture, no two share any, a number stays in its box, a box in its frame."""
    assert_apart(read(drawn(name, picture, language)))


def assert_apart(picture: Read) -> None:
    """No text over another or over an edge; no frame over a frame."""
    assert [text for text in picture.texts if not text.room.inside(picture.page)] == []
    pairs = overlapping([text.room for text in picture.texts])
    assert [(picture.texts[a].text, picture.texts[b].text) for a, b in pairs] == []
    frames = [room for look, room in picture.boxes if look in ("step", "given")]
    assert list(overlapping(frames)) == []
    cells = [room for look, room in picture.boxes if look.startswith("shade") or look == "hidden"]
    for text in picture.texts:
        over = [room for room in (*frames, *cells) if room.meets(text.room)]
        assert all(text.room.inside(room) for room in over), text


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_arrow_leads_to_each_step_from_each_that_it_reads(name: str) -> None:
    """As many heads at the top of a box as steps stand in its derivations; no wire runs over a box or along another."""
    trace = trace_at(name)
    tips = assert_wired(read(drawn(name, "flow")))
    assert sorted(tips) == sorted(len(put_in(trace, step)) for step in trace if step.name != "terms")


def put_in(trace: Trace, step: Step) -> set[str]:
    """The steps whose numbers are put into the cells of a step."""
    if step.stage.given:
        return set()
    trees = (derivation(trace, step, index) for index in np.ndindex(step.cells.shape))
    cells = (number.cell for tree in trees for number in numbers_in(tree))
    return {cell.name for cell in cells if cell is not None and not cell.given}


@pytest.mark.parametrize("number", range(0, 60, 20))
def test_random_calculations_are_wired_too(number: int) -> None:
    """Every kind of attention, whatever reads what."""
    for trace in random_traces(20, number):
        picture = read(render(trace, view_in("en", "svg")))
        assert_apart(picture)
        tips = assert_wired(picture)
        read_at_all = [{source.name for source in step.sources if not source.given} for step in trace]
        wanted = sum(len(put_in(trace, step)) for step in trace)
        assert wanted <= sum(tips) <= sum(map(len, read_at_all))


def assert_wired(picture: Read) -> list[int]:
    """Heads of the wires of a flow at each box."""
    heads = [node.get("points", "").split()[-1] for node in picture.root.iter(f"{SVG}polygon")]
    assert len(heads) == len({*heads})
    frames = [room for look, room in picture.boxes if look in ("step", "given")]
    tips = [tuple(map(float, head.split(","))) for head in heads]
    found = [sum(room.left < x < room.right and abs(room.top - y) < 3 for x, y in tips) for room in frames]
    assert sum(found) == len(heads)
    wires = [points for look, points in picture.ways if look == "wire"]
    for (x0, y0), (x1, y1) in (ends for points in wires for ends in pairwise(points)):
        line = Room(min(x0, x1) - 1, min(y0, y1) + 1, max(x0, x1) + 1, max(y0, y1) - 1)
        assert not any(line.meets(room) for room in frames)
    lines = [_line(points) for points in wires]
    assert [(lines[a], lines[b]) for a, b in overlapping(lines) if _along(lines[a], lines[b])] == []
    return found


def _line(points: list[tuple[float, float]]) -> Room:
    """A straight line, a little wide."""
    (x0, y0), (x1, y1) = points
    return Room(min(x0, x1) - 0.5, min(y0, y1) - 0.5, max(x0, x1) + 0.5, max(y0, y1) + 0.5)


def _along(first: Room, second: Room) -> bool:
    """Whether two lines run along each other, not across."""
    across = min(first.right, second.right) - max(first.left, second.left)
    down = min(first.bottom, second.bottom) - max(first.top, second.top)
    return max(across, down) > 2


@pytest.mark.parametrize(("name", "language"), list(product(BUILT_IN, LANGUAGES)))
def test_a_flow_has_the_titles_and_formulas_of_the_tables(name: str, language: str) -> None:
    """Each step's number, title and formula; nothing is left out."""
    trace, view = trace_at(name), view_in(language, "table")
    picture = read(drawn(name, "flow", language))
    headings = [block for block in tables(trace, view) if isinstance(block, Heading)][1:]
    said = [text.text for text in picture.texts if text.looks[0] == "heading"]
    assert sorted(said) == sorted(" ".join(filter(None, (block.number, block.text))) for block in headings)
    formulas = "".join(
        sorted("".join(text.text for text in picture.texts if text.looks[0] == "formula").replace(" ", ""))
    )
    printed = (f"{f.left}={view.notation().print(f.right)}" for block in headings if (f := block.formula))
    assert formulas == "".join(sorted("".join(printed).replace(" ", "")))


@pytest.mark.parametrize("name", BUILT_IN)
def test_bars_are_as_long_as_the_weights_they_stand_for(name: str) -> None:
    """In one scale, from the line of 0; a hidden key has a hatched box and no bar."""
    trace = trace_at(name)
    picture = read(drawn(name, "bars", told=True))
    weights = [float(trace["weights"].cells[cell.place]) for cell, text in picture.cells().items() if text != "·"]
    lengths = [room.right - room.left for look, room in picture.boxes if look == "bar"]
    rows = [abs(weight) for weight in weights if weight]
    scale = max(lengths) / max(rows)
    assert [pytest.approx(weight * scale, abs=0.11) for weight in rows if weight * scale > 0.2] == [
        n for n in lengths if n > 0.2
    ]
    hatched = sum(text == "·" for text in picture.cells().values())
    assert sum(look == "hidden" for look, _ in picture.boxes) == hatched + bool(hatched)  # one in the legend


def test_told_and_quiet() -> None:
    """`explain` draws the bars of its query, with the sentence that reads them; quiet leaves the notes out."""
    trace, view = trace_at("draw"), view_in("en", "svg")
    assert out("explain", "draw", "--format", "svg") == render(trace, view, True, picture="bars")
    assert out("run", "draw", "--format", "svg") == render(trace, view, picture="flow")
    said = " ".join(text.text for text in read(render(trace, view, True)).texts)
    assert "draw looks mostly at I (0.62)" in said
    assert "add to 1.01" in said
    assert "add to 1.01" not in " ".join(text.text for text in read(render(trace, view, True, True)).texts)
    flow = read(out("explain", "mini-head", "--format", "svg", "--picture", "flow")).cells()
    assert {cell.place[2] for cell in flow if cell.name == "weights"} == {2}


@pytest.mark.parametrize("picture", PICTURES)
def test_heads_and_queries_are_chosen_and_said(picture: str) -> None:
    """The first head with a note, or those that are asked for, each under its name."""
    first = read(out("run", "grouped", "--format", "svg", "--picture", picture))
    assert {cell.place[1] for cell in first.cells() if cell.name == "weights"} == {0}
    assert any("Head 0 is shown." in text.text for text in first.texts)
    both = read(out("run", "grouped", "--format", "svg", "--picture", picture, "--head", "1-2", "--token", "0"))
    assert {cell.place[1:3] for cell in both.cells() if cell.name == "weights"} == {(1, 0), (2, 0)}
    said = " ".join(text.text for text in both.texts)
    assert "head 1" in said
    assert "head 2" in said
    assert_apart(both)


def test_a_large_table_is_cut_and_says_so() -> None:
    """24 a side, the largest weights as bars; `--all` shows everything."""
    count = 60
    document = {
        "scores": [[(i * j) % 7 / 3 for j in range(count)] for i in range(count)],
        "v": [[j] for j in range(count)],
    }
    trace, view = trace_of(document), view_in("en", "svg")
    heat = read(render(trace, view, picture="weights"))
    assert len(heat.cells()) == SIDE * SIDE
    assert any("columns 1 to 24 of 60" in text.text for text in heat.texts)
    bars = read(render(trace, view, picture="bars"))
    row = sorted(trace["weights"].cells[0, 0, -1], reverse=True)
    shown = [trace["weights"].cells[cell.place] for cell in bars.cells()]
    assert sorted(shown, reverse=True) == row[:SIDE]
    assert any("24 of 60" in text.text for text in bars.texts)
    flow = read(render(trace, view))
    assert any(f"rows 1 to {FLOW_SIDE} of 60" in text.text for text in flow.texts)
    whole = view._replace(most_side=None)
    assert len(read(render(trace, whole, picture="weights")).cells()) == count * count
    assert_apart(heat)
    assert_apart(bars)


@pytest.mark.parametrize("picture", PICTURES)
def test_hostile_tokens_are_shown_as_text(picture: str) -> None:
    """Every label stands there as the terminal shows it; the file is well-formed and holds no element of theirs."""
    trace = nasty()
    view = view_in("en", "svg")._replace(most_side=None)
    svg = render(trace, view, picture=picture)
    found = read(svg)
    assert {*labels(trace.scenario.tokens)} <= {text.text for text in found.texts}
    allowed = {"svg", "title", "desc", "style", "rect", "text", "path", "polygon", "circle", "defs", "pattern", "line"}
    assert {node.tag.removeprefix(SVG) for node in found.root.iter()} <= allowed
    assert (found.root.findtext(f"{SVG}title") or "") == "</title><b>\\u{202e}"
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", svg)
    assert_apart(found)


@pytest.mark.parametrize(("picture", "language"), list(product(PICTURES, LANGUAGES)))
def test_a_file_needs_nothing_else_and_says_what_it_shows(picture: str, language: str) -> None:
    """One address, the name of SVG itself; a title and a description; the language; the same bytes again."""
    svg = drawn("mini-head", picture, language)
    assert re.findall(r"\b\w+:/+[^\"\s]*", svg) == ["http://www.w3.org/2000/svg"]
    assert re.findall(r"@import|@font-face|url\((?!#hatch\))|href|<script|<foreignObject|\bon\w+=", svg) == []
    root = read(svg).root
    assert root.get("role") == "img"
    assert root.get("lang") == {"en": "en", "zh": "zh-Hans"}[language]
    assert root.findtext(f"{SVG}title")
    assert len(root.findtext(f"{SVG}desc") or "") > 10
    assert render(run(load("mini-head")), view_in(language, "svg"), picture=picture) == svg


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_every_text_and_line_can_be_told_from_its_ground(mode: int) -> None:
    """4.5 to 1 for texts, those on shades too; 3 to 1 for lines and bars."""
    lines = {name: paint for name, paint in PAINTS.items() if paint.stroke or name == "bar"}
    texts = {name: paint for name, paint in PAINTS.items() if name not in {*lines, "paper"}}
    assert {name for name, paint in texts.items() if contrast(paint[mode], PAPER[mode]) < 4.5} == set()
    curves = {f"curve{number}": paint for number, paint in enumerate(CURVES)}
    assert {name for name, paint in {**lines, **curves}.items() if contrast(paint[mode], PAPER[mode]) < 3} == set()
    assert [n for n in range(SHADES) if contrast(on_shade(n)[mode], shade(n)[mode]) < 4.5] == []
    steps = [contrast(shade(n)[mode], PAPER[mode]) for n in range(SHADES)]
    assert steps == sorted(steps)
    assert (PAPER.light, PAINTS["number"].light) == ("#ffffff", "#000000")
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # an example that WCAG's readers know


def test_dark_is_for_screens_only() -> None:
    """What is printed is black on white, whatever the screen is."""
    assert re.findall(r"@media[^{]*", style_sheet()) == ["@media screen and (prefers-color-scheme: dark) "]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "args",
    [
        ("draw", "scores.0", "-2", "4"),
        ("mini-head", "scale", "0.1", "3"),
        ("draw", "v.0.0", "0", "1", "--step", "context"),
        ("draw", "scores.0", "-2", "4", "--points", "101"),
    ],
)
def test_a_sweep_is_a_line_chart(args: tuple[str, ...], language: str) -> None:
    """A line for each curve with as many points, its name at its end, the ends of both axes, no text over another."""
    picture = read(out("sweep", *args, "--format", "svg", language=language))
    table = json.loads(out("sweep", *args, "--json", language=language))
    curves = [points for look, points in picture.ways if look.startswith("curve") and len(points) > 2]
    assert {len(points) for points in curves} == {len(table["points"])}
    names = [text.text for text in picture.texts if text.looks[0] == "label"]
    assert len(names) == len(curves) + 1
    assert_apart(picture)


def test_a_curve_goes_through_its_numbers() -> None:
    """Up is more; a gap parts a curve, a number alone is a dot; the own value has its mark."""
    from attncalc.document.blocks import Curve, Plot

    curves = (Curve("a", (0.0, 1.0, 0.5)), Curve("b", (1.0, None, 0.0)))
    plot = Plot("x", ("1", "2", "3"), (0.0, 0.5, 1.0), curves, 0.0, 1.0, "0.00", "1.00", 0.25)
    picture = read(render_plot([Heading("T", aside="exact"), Heading("Divide"), plot], view_in("en", "svg")))
    line = next(points for look, points in picture.ways if look == "curve0" and len(points) == 3)
    (x0, y0), (x1, y1), (x2, y2) = line
    assert (x1 - x0, y0 - y1) == (pytest.approx(x2 - x1), pytest.approx(2 * (y2 - y1)))
    assert y1 < y2 < y0
    assert len(list(picture.root.iter(f"{SVG}circle"))) == 2
    own = next(points for look, points in picture.ways if look == "own")
    assert own[0][0] == pytest.approx(x0 + (x2 - x0) / 4)
    empty = read(render_plot([Heading("T"), Heading("Divide")], view_in("zh", "svg")))
    assert any("有限" in text.text for text in empty.texts)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ("--picture", "weights", "--step", "scores"),
            "attncalc: --step: the picture weights shows the weights and no other step, and scores was asked for; leave --step out, or take --picture flow\n",
        ),
        (("--picture", "bar"), "--picture"),
    ],
)
def test_what_a_picture_cannot_show_is_refused(args: tuple[str, ...], said: str) -> None:
    """In a sentence, without a file."""
    done = call("run", "draw", "--format", "svg", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_steps_are_chosen_for_a_flow() -> None:
    """Only the boxes that are asked for, and the arrows among them."""
    picture = read(
        out("run", "draw", "--format", "svg", "--step", "exponentials", "--step", "total", "--step", "terms")
    )
    assert {cell.name for cell in picture.cells()} == {"exponentials", "total", "terms"}
    assert len(list(picture.root.iter(f"{SVG}polygon"))) == 1


def test_png_is_the_picture_on_white(tmp_path: Path) -> None:
    """Twice as many pixels a side; without the library a sentence says what to install; too large is refused."""
    pytest.importorskip("resvg_py", reason="needs resvg-py: pip install '.[png]'")
    target = tmp_path / "a.png"
    assert call("run", "draw", "--picture", "weights", "-o", str(target)).code == 0
    data = target.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(data[start : start + 4]) for start in (16, 20))
    page = read(drawn("draw", "weights")).page
    assert (width, height) == (pytest.approx(2 * page.right, abs=1), pytest.approx(2 * page.bottom, abs=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "resvg_py", None)
        done = call("run", "draw", "--format", "png")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "attncalc: --format: needs the package resvg-py: pip install '.[png]' in a copy of the repository\n",
    )


def test_a_png_that_is_too_large_is_refused() -> None:
    """Before any memory is asked for."""
    from attncalc.errors import UsageError
    from attncalc.renderers import png

    pytest.importorskip("resvg_py", reason="needs resvg-py: pip install '.[png]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(png, "MOST_PIXELS", 1000)
        with pytest.raises(UsageError, match="too large"):
            png.render(trace_at("draw"), view_in("en", "png"))


BOXES = """
const page = document.documentElement.getBoundingClientRect();
return [...document.querySelectorAll('text')].map(node => {
  const seen = node.getBoundingClientRect();
  const inside = seen.left >= page.left - 0.5 && seen.right <= page.right + 0.5
    && seen.top >= page.top - 0.5 && seen.bottom <= page.bottom + 0.5;
  return [node.textContent, node.getAttribute('class'), node.getComputedTextLength(), inside];
});
"""


def test_a_browser_shows_every_picture(tmp_path: Path) -> None:
    """No message, every text inside the picture and no wider than it was measured; dark where that is asked for."""
    from attncalc.document.pictures.letters import width_of

    some = [row for row in ALL if row[2] == LANGUAGES[(BUILT_IN.index(row[0]) + PICTURES.index(row[1])) % 2]]
    files = {f"{name}-{picture}-{language}": drawn(name, picture, language) for name, picture, language in some}
    files |= {
        f"nasty-{picture}": render(nasty(), view_in("en", "svg")._replace(most_side=None), picture=picture)
        for picture in PICTURES
    }
    files["sweep"] = out("sweep", "draw", "scores.0", "-2", "4", "--format", "svg")
    for name, text in files.items():
        (tmp_path / f"{name}.svg").write_text(text, encoding="utf-8")
    driver = browser(tmp_path)
    try:
        for name in files:
            driver.get((tmp_path / f"{name}.svg").as_uri())
            found = driver.execute_script(BOXES)
            assert [text for text, _, _, inside in found if not inside] == [], name
            wide = [(text, look, width, width_of(text, look.split()[0])) for text, look, width, _ in found]
            assert [row for row in wide if row[2] > row[3] + 1] == [], name
        assert driver.get_log("browser") == []
        paper = "return getComputedStyle(document.querySelector('.paper')).fill"
        light = driver.execute_script(paper)
        feature = {"name": "prefers-color-scheme", "value": "dark"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        assert (light, driver.execute_script(paper)) == ("rgb(255, 255, 255)", "rgb(20, 23, 28)")
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [feature]})
        assert driver.execute_script(paper) == light
    finally:
        driver.quit()


FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


def browser(folder: Path) -> Any:
    """A Chromium of its own."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install '.[test]'")
    options = webdriver.ChromeOptions()
    options.binary_location = str(needed("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(str(needed("chromedriver"))))
