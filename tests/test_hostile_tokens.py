"""Hostile tokens: whatever a label holds, it is shown safely, aligned and whole, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from calling import call
from hostile import (
    COLOR,
    COUNT,
    HOSTILE,
    LONG,
    SCORES,
    TOKENS,
    VALUES,
    as_bytes,
    cells_before,
    every_command,
    every_format,
    every_token,
    keys_document,
    loaded,
    queries_document,
    shown,
    unsafe,
)
from rich.cells import cell_len, set_cell_size
from running import run_in_terminal, widest


class TestSafe:
    """Nothing that a terminal obeys, or swallows, reaches it."""

    @every_command
    @every_format
    @pytest.mark.parametrize("document", [keys_document(), queries_document()], ids=["keys", "queries"])
    def test_nothing_raw_comes_out(self, document: bytes, command: str, format: str) -> None:
        """No format writes a control, format, private or unassigned character of a token."""
        assert unsafe(shown(document, command, "-", "--format", format)) == []

    @every_command
    @pytest.mark.parametrize("options", [("--color", "always"), ("--ascii",), ("--width", "40"), ("--lang", "zh")])
    def test_nothing_raw_under_any_option(self, command: str, options: tuple[str, ...]) -> None:
        """Colour, ASCII, a narrow screen and Chinese let nothing through either; colour adds only colour."""
        assert unsafe(COLOR.sub("", shown(keys_document(), command, "-", *options))) == []

    @pytest.mark.parametrize("format", ["table", "plain"])
    @pytest.mark.parametrize("document", [keys_document, queries_document], ids=["keys", "queries"])
    def test_nothing_raw_from_verify(self, document: Any, format: str) -> None:
        """`verify` names its cells safely."""
        expected = {"scores": [[json.loads(s) for s in SCORES]]}
        if document is queries_document:
            expected = {"scores": [[json.loads(s), 0.5] for s in SCORES]}
        assert unsafe(shown(document(expect=expected), "verify", "-", "--format", format)) == []

    def test_show_prints_a_file_safely(self, tmp_path: Path) -> None:
        """`show` of a file that holds raw control characters escapes them, and the JSON means the same."""
        path = tmp_path / "raw.json"
        document = {"tokens": ["\x9b31m", "\u202ea", "\u2028"], "scores": [1, 2, 3]}
        path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        done = call("show", str(path))
        assert (done.code, unsafe(done.out), json.loads(done.out)) == (0, [], document)


class TestTable:
    """On the screen every label stands in its safe form, in its column, beside its own numbers."""

    @every_token
    def test_a_key_has_its_row(self, place: int) -> None:
        """The row of values begins with the label and ends with its number."""
        rows = under(shown(keys_document(), "run", "-"), "Values")
        assert rows[2 + place].startswith(f"    {HOSTILE[place].shown}  ")
        assert rows[2 + place].endswith(f" {VALUES[place]}")

    @every_token
    def test_a_query_has_its_row(self, place: int) -> None:
        """The row of scores begins with the label and holds its numbers."""
        rows = under(shown(queries_document(), "run", "-"), "Scores")
        assert rows[2 + place].startswith(f"    {HOSTILE[place].shown}  ")
        assert rows[2 + place].split()[-2:] == [SCORES[place], "0.5"]

    @every_token
    def test_a_key_heads_its_column(self, place: int) -> None:
        """In the head of the table the label ends in the cell in which its number ends."""
        header, _, row = under(shown(keys_document(), "run", "-"), "Scores")
        end = cell_len(row[: row.index(f" {SCORES[place]}") + 1 + len(SCORES[place])])
        assert set_cell_size(header, end).endswith(f"   {HOSTILE[place].shown}")

    @pytest.mark.parametrize("title", ["Values", "Scores", "Divide", "Sum"])
    @pytest.mark.parametrize("document", [keys_document(), queries_document()], ids=["keys", "queries"])
    def test_rows_end_in_one_cell(self, document: bytes, title: str) -> None:
        """Every row of numbers ends in the same terminal cell."""
        if title == "Values" and document == queries_document():
            title = "Scores"
        rows = under(shown(document, "run", "-"), title)
        ends = {cell_len(row) - len(re.split(r"\d", row)[-1]) for row in rows[2:]}
        assert len(ends) == 1

    @every_token
    def test_a_derivation_has_its_label(self, place: int) -> None:
        """`explain` puts the label before the line that its score goes into."""
        line = under(shown(keys_document(), "explain", "-"), "Exponentiate")[1 + place]
        assert line.startswith(f"    {HOSTILE[place].shown}  ")
        assert f" e^{SCORES[place]} " in line

    def test_derivations_are_aligned(self) -> None:
        """The signs of equality stand under each other, and so do the results."""
        lines = under(shown(keys_document(), "explain", "-"), "Exponentiate")[1 : 1 + COUNT]
        assert len({cells_before(line, r" [=≈] \d") for line in lines}) == 1
        assert len({cells_before(line, r"(?<=\d)(?= █|$)") for line in lines}) == 1

    def test_products_are_aligned(self) -> None:
        """In the table of products the weights, values and products stand under each other."""
        rows = under(shown(keys_document(), "explain", "-"), "Weighted value sum")[3 : 3 + COUNT]
        for column in (r"\d\.\d+   \(", r"\(\d+\.\d\)  ", r"\([0-9.]+\)$"):
            assert len({cells_before(row, column) for row in rows}) == 1, column

    @every_token
    def test_blocks_of_a_narrow_screen(self, place: int) -> None:
        """On a narrow screen, where a table is cut into blocks, no row is lost and no number of it."""
        rows = labelled(under(shown(queries_document(), "run", "-", "--width", "44"), "Scores"), HOSTILE[place].shown)
        assert [number for row in rows for number in row.split() if number in (SCORES[place], "0.5")] == [
            SCORES[place], "0.5"
        ]  # fmt: skip

    @every_command
    @pytest.mark.parametrize("text", [LONG, "果" * 2000], ids=["narrow", "wide"])
    @pytest.mark.parametrize("width", ["40", "100"])
    def test_a_long_label_is_there_in_full(self, command: str, text: str, width: str) -> None:
        """A label that its column cannot hold stands in full below the tables."""
        out = shown(keys_document(), command, "-", "--width", width)
        assert text in re.sub(r"\s", "", out)

    @pytest.mark.parametrize("format", ["table", "plain"])
    def test_long_labels_are_told_apart(self, format: str) -> None:
        """Labels alike in all that a column holds, and a repeated one, have different rows."""
        tokens = [LONG, LONG, LONG + "y"]
        out = shown(as_bytes(tokens=tokens, scores=[[1, 2, 3]], v=[[1], [2], [3]]), "run", "-", "--format", format)
        rows = [line for line in out.split("\n") if re.match(r"( {4}|key )xxx.* [123]$", line)]
        assert (len(rows), len({row.rpartition(" ")[0].strip() for row in rows})) == (3, 3)

    @every_command
    def test_a_terminal_is_not_overrun(self, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """In a real terminal of 80 columns no line is wider than it."""
        (tmp_path / "hostile.json").write_bytes(keys_document())
        monkeypatch.chdir(tmp_path)  # the title is the file's path
        seen = run_in_terminal(command, "hostile.json", "--all")
        assert (seen.code, unsafe(COLOR.sub("", seen.raw.replace("\r\n", "\n")))) == (0, [])
        assert widest(COLOR.sub("", seen.raw).split("\r\n")) <= 80


class TestPlain:
    """In plain text every number is said with the safe label."""

    @every_token
    def test_a_key_is_named(self, place: int) -> None:
        """`run --plain` has a line of its own for every number."""
        lines = shown(keys_document(), "run", "-", "--plain").split("\n")
        assert f"key {HOSTILE[place].shown}, feature 0: {VALUES[place]}" in lines
        assert f"query ?, key {HOSTILE[place].shown}: {SCORES[place]}" in lines

    @every_token
    def test_a_query_is_named(self, place: int) -> None:
        """A query's line names it and the key."""
        lines = shown(queries_document(), "run", "-", "--plain").split("\n")
        assert f"query {HOSTILE[place].shown}, key one: {SCORES[place]}" in lines

    @every_token
    def test_a_derivation_is_named(self, place: int) -> None:
        """`explain --plain` names the cell that it derives, and each product."""
        out = shown(keys_document(), "explain", "-", "--plain")
        name, said = re.escape(HOSTILE[place].shown), re.escape(HOSTILE[place].said)
        assert re.search(rf"^exponentials \? {said} = .*e\^{SCORES[place]} ≈ \d", out, re.MULTILINE)
        assert re.search(rf"^key {name}: weight [0-9.]+, value \({VALUES[place]}\)", out, re.MULTILINE)


class TestData:
    """JSON and CSV are for programs: the token itself, and seven columns."""

    @every_command
    @every_token
    def test_json_has_the_very_token(self, place: int, command: str) -> None:
        """JSON read back gives the same tokens in the scenario and as labels."""
        trace = loaded(shown(keys_document(), command, "-", "--json"))
        assert trace["scenario"]["tokens"][place] == TOKENS[place]
        labels = [step["labels"]["key"] for step in trace["steps"] if "key" in step["axes"]]
        assert labels
        assert all(label[place] == TOKENS[place] for label in labels)

    def test_json_is_one_line(self) -> None:
        """No token breaks the line that a trace is."""
        out = shown(keys_document(), "run", "-", "--json")
        assert out.endswith("}\n")
        assert len(out.splitlines()) == 1

    def test_json_goes_round(self) -> None:
        """A trace read again gives the same bytes."""
        out = shown(keys_document(), "run", "-", "--json")
        assert shown(out.encode(), "run", "-", "--json") == out

    @every_command
    @every_token
    def test_csv_has_seven_columns(self, place: int, command: str) -> None:
        """Every row of the CSV has seven columns, and the token's rows hold its label and number."""
        rows = list(csv.reader(io.StringIO(shown(keys_document(), command, "-", "--format", "csv"), newline="")))
        assert {len(row) for row in rows} == {7}
        assert ["v", "", "", "", HOSTILE[place].cell, "0", VALUES[place]] in rows
        assert ["scores", "", "", "?", HOSTILE[place].cell, "", str(float(SCORES[place]))] in rows

    def test_no_cell_is_a_formula(self) -> None:
        """No label of the CSV begins as a formula does."""
        rows = csv.reader(io.StringIO(shown(keys_document(), "run", "-", "--format", "csv"), newline=""))
        assert [row[4] for row in rows if row[4].startswith(("=", "+", "-", "@", "\t", "\r"))] == []


def under(out: str, title: str) -> list[str]:
    """The lines below the heading that holds the title, to the next blank line."""
    lines = out.split("\n")
    start = next(i for i, line in enumerate(lines) if re.match(rf"(\d+ )?{title}\b", line))
    return lines[start + 1 : lines.index("", start)]


def labelled(lines: Sequence[str], label: str) -> list[str]:
    """The lines that begin with a label, whose column ends where two blanks follow."""
    return [line for line in lines if line.startswith(f"    {label}  ")]
