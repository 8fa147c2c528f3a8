"""HTML in a real browser: the numbers are the terminal's, every cell tells its story, and nothing leaves the page."""

from __future__ import annotations

import re
from decimal import localcontext

import pytest
from browser import Browser, browser, invalid
from hostile import HOSTILE
from html_pages import COMMANDS, MARKUP, Pages, hostile_documents, pages, trace
from samples import BUILT_IN, LANGUAGES

from attncalc.core.certain import OWN
from attncalc.core.expression import numbers_in
from attncalc.core.tokens import labels
from attncalc.document.blocks import Matrix
from attncalc.document.cell_stories import flat
from attncalc.document.derived import derived
from attncalc.document.raised import raised
from attncalc.document.tables import tables
from attncalc.document.view import view_in

__all__ = ["browser", "pages"]

TAGS = {"en": "en", "zh": "zh-Hans"}
RUN = ("draw", "grouped", "rope")
TRACES = (*(f"explain {name}" for name in BUILT_IN), *(f"run {name}" for name in RUN))
HOSTILE_PAGES = tuple(f"hostile {name}" for name in hostile_documents())
LARGE = ("causal-head", "gpt2-block")
"""Scenarios with thousands of cells, of which some are calculated again."""

every_trace = pytest.mark.parametrize("name", TRACES)
every_page = pytest.mark.parametrize("name", [*TRACES, *COMMANDS, *HOSTILE_PAGES])


def whole(name: str, language: str) -> list[Matrix]:
    """The tables that the terminal shows with `--head all --batch all`, in the order of a page."""
    found = trace(name)
    batches, heads = (tuple(range(count)) for count in found.scenario.grid[:2])
    view = view_in(language, "html")._replace(batches=batches, heads=heads)
    with localcontext(OWN):
        return [block for block in tables(found, view) if isinstance(block, Matrix)]


@pytest.mark.parametrize("language", LANGUAGES)
@every_trace
def test_every_table_reads_back(browser: Browser, pages: Pages, name: str, language: str) -> None:
    """Label by label and number by number as in the terminal, captions and axes in both languages."""
    browser.open(pages[name], f"#language={TAGS[language]}&head=all&batch=all")
    read = browser.tables("table.matrix:not(.story *)")
    wanted = whole(name, language)
    assert len(read) == len(wanted)
    for table, block in zip(read, wanted, strict=True):
        corner = " / ".join(part for part in (block.rows_are, block.columns_are) if part)
        assert table["head"] == [corner, *block.columns]
        assert table["caption"] == block.caption
        rows = zip(block.rows, block.cells, strict=True)
        assert table["rows"] == [[label, *(cell.text for cell in cells)] for label, cells in rows]


@every_page
def test_nothing_is_asked_for_and_nothing_goes_wrong(browser: Browser, pages: Pages, name: str) -> None:
    """No message in the console, and no address but that of the page itself."""
    browser.open(pages[name])
    assert browser.messages() == []
    assert {url for url in browser.requests() if not url.startswith(("about:", "data:"))} == {pages[name].as_uri()}
    assert browser.run("return document.scripts.length") <= 3


@every_page
def test_a_narrow_page_does_not_scroll_sideways(browser: Browser, pages: Pages, name: str) -> None:
    """At 360 pixels only tables do, each inside its box."""
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", **size)
    browser.open(pages[name])
    width = browser.run("return document.documentElement.scrollWidth")
    stuck = browser.run(
        """return [...document.querySelectorAll('.box')].filter((box) => box.scrollWidth > box.clientWidth
        && getComputedStyle(box).overflowX !== 'auto').length"""
    )
    browser.command("Emulation.clearDeviceMetricsOverride")
    assert (width, stuck) == (360, 0)


# --- cells ----------------------------------------------------------------------------------------

WALK = """
const seen = [];
const key = (name) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true, ctrlKey: name === "Home"}));
const lit = document.getElementsByClassName("lit");
const places = new Map();
for (const table of document.querySelectorAll(".tables table[data-cells]")) {
  const cells = [...table.querySelectorAll("tbody td")];
  table.dataset.cells.split(" ").flatMap((run) => {
    const [, name, start, count, by] = /^(.*):(\\d+)\\+(\\d+)(?:\\*(\\d+))?$/.exec(run);
    return Array.from({length: +count}, (_, n) => name + ":" + (+start + n * (+by || 1)));
  }).forEach((place, n) => places.set(cells[n], place));
}
for (const table of document.querySelectorAll(".tables table[data-cells]")) {
  const entry = table.querySelector("td[tabindex='0']");
  entry.focus();
  key("Home");
  const lines = table.tBodies[0].rows.length, columns = table.tBodies[0].rows[0].cells.length - 1;
  for (let line = 0; line < lines; line++) {
    for (let column = 0; column < columns; column++) {
      const cell = document.activeElement;
      const into = document.querySelector("#telling .into"), shown = document.querySelector("#telling .shown");
      seen.push([places.get(cell), cell.textContent, into ? into.textContent : null, shown ? shown.textContent : null,
        document.querySelector("#telling").textContent, [...lit].map((one) => places.get(one)).filter(Boolean)]);
      if (column + 1 < columns) key(line % 2 ? "ArrowLeft" : "ArrowRight");
    }
    key("ArrowDown");
  }
}
return seen;
"""
"""Goes through every table as a snake does, by its keys, and says what the page tells at each cell."""


@every_trace
def test_a_walk_by_keys_reaches_and_tells_every_cell(browser: Browser, pages: Pages, name: str) -> None:
    """Each cell once, with what is put in, the result that it shows, and exactly the cells it is made from lit."""
    browser.open(pages[name], "#head=all&batch=all")
    seen = browser.run(WALK)
    found = trace(name)
    view = view_in("en", "html")
    notation = raised(view)
    shown = {block.cells[0][0].cell.name: 0 for block in whole(name, "en") if block.cells[0][0].cell}
    assert len(seen) == len({row[0] for row in seen}) == sum(found[step].cells.size for step in shown)
    every = 29 if name.split()[1] in LARGE else 1
    for place, text, into, result, told, lit in seen[::every]:
        step_name, number = place.split(":")
        step = found[step_name]
        if step.stage.given:
            assert (into, lit) == (None, [])
            assert told.endswith(f"= {text} (given)")
            continue
        index = index_at(step.cells.shape, int(number))
        with localcontext(OWN):
            line = derived(found, view, step, index)
        assert into == re.sub(r"\^\{(.*?)\}", r"\1", notation.print(line.tree))
        assert result == line.result
        assert text in (line.result, view.signs.hidden)
        assert told.endswith(f" {line.relation} {line.result}")
        cells = {n.cell for n in numbers_in(line.tree) if n.cell is not None and not n.cell.given}
        assert set(lit) == {f"{cell.name}:{flat(found[cell.name], cell.place)}" for cell in cells}


def index_at(shape: tuple[int, ...], number: int) -> tuple[int, ...]:
    """The index that a cell counted through has."""
    index: list[int] = []
    for length in reversed(shape):
        number, place = divmod(number, length)
        index.insert(0, place)
    return tuple(index)


def test_real_keys_move_the_focus(browser: Browser, pages: Pages) -> None:
    """As a keyboard sends them: arrows, Home and End in a table, Escape to the step, j and k and arrows between steps."""
    from selenium.webdriver.common.keys import Keys

    browser.open(pages["explain mini-head"], "#cell=weights:0")
    cell = "return document.querySelector('#telling b').textContent"
    step = "return document.querySelector('.step.now').dataset.step"
    assert browser.run(cell) == "Divide · We · We"
    for keys, place in (
        ([Keys.ARROW_DOWN], "saw · We"), ([Keys.ARROW_RIGHT], "saw · saw"), ([Keys.END], "saw · south"),
        ([Keys.ARROW_RIGHT], "saw · south"), ([Keys.HOME], "saw · We"), ([Keys.ARROW_UP, Keys.ARROW_UP], "We · We"),
        ([Keys.CONTROL, Keys.END], "south · south"),
    ):  # fmt: skip
        browser.press(*keys)
        assert browser.run(cell) == f"Divide · {place}"
    browser.press(Keys.ESCAPE)
    assert browser.run(step) == "weights"
    assert browser.run("return document.activeElement.tagName") == "H2"
    for key, name in (("j", "context"), (Keys.ARROW_LEFT, "weights"), ("k", "total"), (Keys.ARROW_RIGHT, "weights")):
        browser.press(key)
        assert browser.run(step) == name


def test_buttons_step_too_and_stop_at_the_ends(browser: Browser, pages: Pages) -> None:
    """The first step has none before it, the last none after it; one at a time hides the others."""
    browser.open(pages["explain draw"], "#single=1")
    steps = [step.name for step in trace("explain draw")]
    shown = (
        "return [...document.querySelectorAll('section.step')].filter((s) => s.offsetParent).map((s) => s.dataset.step)"
    )
    ends = "return [document.getElementById('before').disabled, document.getElementById('after').disabled]"
    for number, step in enumerate(steps):
        assert browser.run(shown) == [step]
        assert browser.run(ends) == [number == 0, number == len(steps) - 1]
        browser.run("document.getElementById('after').click()")


def test_query_and_head_can_be_chosen(browser: Browser, pages: Pages) -> None:
    """Tables of another head, the story of another query, and both stay over a reload."""
    browser.open(pages["explain grouped"])
    chosen = """const visible = (s) => [...document.querySelectorAll(s)].filter((e) => e.offsetParent);
        return [[...new Set(visible('.story').map((s) => s.dataset.head + ' ' + s.dataset.query))],
                [...new Set(visible('.box[data-heads]').map((b) => b.dataset.heads))],
                [...new Set(visible('tr.asked').map((r) => r.cells[0].textContent))]]"""
    assert browser.run(chosen) == [["0 2"], ["0", "0 1"], ["runs"]]
    choose = """for (const [name, value] of arguments[0]) {
        const select = document.getElementById(name); select.value = value; select.dispatchEvent(new Event('change')); }"""
    browser.run(choose, [["head", "3"], ["query", "1"]])
    after = [["3 1"], ["3", "2 3"], ["fox"]]
    assert browser.run(chosen) == after
    browser.driver.refresh()
    assert browser.run(chosen)[0] == ["3 1"]


def test_language_and_colours_switch(browser: Browser, pages: Pages) -> None:
    """By a click; what is told of a cell is in that language too, and the address keeps both."""
    browser.open(pages["explain draw"], "#cell=v:0")
    state = """return [document.documentElement.lang, getComputedStyle(document.documentElement).backgroundColor,
        document.querySelector('#telling').textContent, document.querySelector('h2[id=h1] .title').innerText, location.hash]"""
    language, light, told, title, _ = browser.run(state)
    assert (language, told, title) == ("en", "Values · I · 0 = 0.9 (given)", "Values")
    browser.run("document.getElementById('language-zh-Hans').click(); document.getElementById('theme-dark').click()")
    language, dark, told, title, address = browser.run(state)
    assert (language, told, title) == ("zh-Hans", "值 · I · 0 = 0.9 (给定)", "值")
    assert sum(map(int, re.findall(r"\d+", dark)[:3])) < 150 < 600 < sum(map(int, re.findall(r"\d+", light)[:3]))
    assert "language=zh-Hans&theme=dark" in address
    browser.driver.refresh()
    assert browser.run(state)[:4] == [language, dark, told, title]


def test_the_system_decides_where_nothing_is_chosen(browser: Browser, pages: Pages) -> None:
    """Dark where the system is; light all the same where that is chosen."""
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    browser.command("Emulation.setEmulatedMedia", **dark)
    browser.open(pages["why"])
    system = browser.run(background)
    browser.run("document.getElementById('theme-light').click()")
    chosen = browser.run(background)
    browser.command("Emulation.setEmulatedMedia", features=[])
    assert (system, chosen) == ("rgb(22, 24, 28)", "rgb(253, 253, 251)")


# --- without scripts, on paper, read aloud ----------------------------------------------------------


@pytest.mark.parametrize("name", ["explain mini-head", "run grouped", "why", "hostile markup"])
def test_all_is_there_without_scripts(browser: Browser, pages: Pages, name: str) -> None:
    """Every table and story is shown or behind a summary that opens by itself, the switches work, no controls do not."""
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(pages[name])
    hidden = """return [...document.querySelectorAll('table, p:not(.unseen), h2')]
        .filter((e) => !e.offsetParent && !e.closest('details, .panel, [hidden], .unseen') && !e.matches('.keys'))
        .map((e) => e.outerHTML.slice(0, 80))"""
    found = browser.run(hidden)
    controls = browser.run(
        "return [...document.querySelectorAll('button, select')].filter((e) => e.offsetParent).length"
    )
    chinese = browser.run("document.getElementById('language-zh-Hans').checked = true; return document.body.innerText")
    english = browser.run("document.getElementById('language-en').checked = true; return document.body.innerText")
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert (found, controls) == ([], 0)
    assert re.search("[\u4e00-\u9fff]{4}", chinese)
    assert not re.search("[\u4e00-\u9fff]{4}", english)


def test_paper_has_no_controls(browser: Browser, pages: Pages) -> None:
    """Black on white, without bar, panel and help, even where dark is chosen."""
    browser.open(pages["explain draw"], "#theme=dark")
    browser.command("Emulation.setEmulatedMedia", media="print")
    found = browser.run(
        """return [[...document.querySelectorAll('header, nav, .panel, .keys, button')].filter((e) => e.offsetParent).length,
        getComputedStyle(document.body).color, getComputedStyle(document.documentElement).backgroundColor]"""
    )
    browser.command("Emulation.setEmulatedMedia", media="")
    assert found == [0, "rgb(0, 0, 0)", "rgb(255, 255, 255)"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["explain draw", "explain padding", "run grouped", *COMMANDS, "hostile markup"])
def test_axe_finds_nothing(browser: Browser, pages: Pages, name: str, theme: str) -> None:
    """Roles, names, order and contrast, with a cell in focus and its sources lit where there are cells."""
    browser.open(pages[name], "#cell=weights:0")
    browser.run(f"document.getElementById('theme-{theme}').click()")
    assert browser.violations() == []


def test_the_validator_finds_nothing(pages: Pages) -> None:
    """Every page is valid HTML, those with hostile tokens too."""
    assert invalid(pages.all()) == ""


# --- hostile tokens ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE_PAGES)
def test_a_hostile_token_is_text(browser: Browser, pages: Pages, name: str) -> None:
    """Every label comes back from its table as the terminal shows it, and no element was made of one."""
    browser.open(pages[name])
    assert browser.messages() == []
    wanted = set(labels(MARKUP)) if name.endswith("markup") else {one.shown for one in HOSTILE}
    read = {
        cell for table in browser.tables(".tables table") for cell in (*table["head"], *(r[0] for r in table["rows"]))
    }
    assert wanted - read == set()
    assert browser.run("return document.querySelectorAll('img, script[src], b:not(#telling b), iframe').length") == 0
