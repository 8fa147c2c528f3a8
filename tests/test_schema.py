"""`attncalc schema` prints the rules that the reader really follows, as far as JSON Schema can say them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bad_input_rows import RUN, Row, rows
from calling import call
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import ValidationError  # type: ignore[import-untyped]
from jsonschema.validators import extend  # type: ignore[import-untyped]
from rivals.random_scenarios import as_json, documents, documents_by_hand

from attncalc import load
from attncalc.scenario_files import builtin

DATA = Path(__file__).parent / "data"

REASONS = {
    "text": "it is not JSON, or not Unicode",
    "duplicate": "a JSON Schema sees each key once",
    "size": "a JSON Schema knows no largest number and no longest",
    "shape": "lengths of two arrays, or of two rows",
    "name": "labels that stand elsewhere in the file, or steps that are calculated",
    "cross-key": "keys that need, or exclude, one another",
    "calculation": "seen only when the numbers are calculated",
}
"""Why a file that the reader refuses may pass the schema."""

VALID: dict[str, str] = tomllib.loads((DATA / "valid_scenarios.toml").read_text(encoding="utf-8"))
ROWS = [row for row in rows() if row.schema]
FORM = [row for row in ROWS if row.schema is True]
BEYOND = [row for row in ROWS if row.schema is not True and row.schema != "text"]


def identity(row: Row) -> str:
    """How pytest names a row."""
    return f"{row.kind}: {row.name}"


@cache
def schema() -> Draft202012Validator:
    """The schema as the program prints it."""
    done = call("schema")
    assert (done.code, done.err) == (0, "")
    return Draft202012Validator(json.loads(done.out))


def any_of(validator: Any, schemas: list[Any], instance: Any, _: Any) -> Iterator[ValidationError]:
    """`anyOf` at the first fault of each choice: jsonschema's own gathers all faults of all, were they 100,000."""
    if not any(validator.evolve(schema=schema).is_valid(instance) for schema in schemas):
        yield ValidationError("valid under none of the choices")


def is_valid(instance: Any) -> bool:
    """Whether the schema accepts a value, soon."""
    quick: bool = extend(Draft202012Validator, {"anyOf": any_of})(schema().schema).is_valid(instance)
    return quick


def value(text: str) -> Any:
    """The JSON value as a validator gets it; a number of any length."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 300 else float(digits))


def content(row: Row) -> Any:
    """The JSON value of a row's file; rows of the schema all have one."""
    assert row.text is not None
    return value(row.text)


def test_is_a_schema_of_draft_2020_12() -> None:
    document = schema().schema
    assert isinstance(document, dict)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(document)


def test_is_written_whole_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    assert call("schema", "-o", str(target)).code == 0
    assert json.loads(target.read_text(encoding="utf-8")) == schema().schema


@pytest.mark.parametrize("name", builtin.names())
def test_accepts_every_built_in_scenario(name: str) -> None:
    assert not list(schema().iter_errors(value(builtin.path_of(name).read_text(encoding="utf-8"))))


@pytest.mark.parametrize("text", VALID.values(), ids=list(VALID))
def test_accepts_what_the_reader_accepts(text: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(text, encoding="utf-8")
    load(file)
    assert not list(schema().iter_errors(value(text)))
    done = call("verify", str(file))
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("by_hand", [False, True])
def test_accepts_random_scenarios(by_hand: bool) -> None:
    for document in (documents_by_hand if by_hand else documents)(seed=5, count=100):
        text = as_json(document)
        load(json.loads(text, parse_float=Decimal))
        assert not list(schema().iter_errors(value(text))), text


@pytest.mark.parametrize("row", FORM, ids=identity)
def test_rejects_what_the_reader_rejects_for_its_form(row: Row) -> None:
    assert not is_valid(content(row))


@pytest.mark.parametrize("row", BEYOND, ids=identity)
def test_passes_what_no_schema_can_see(row: Row) -> None:
    assert row.schema in REASONS
    assert is_valid(content(row))
    assert schema().is_valid(content(row)), "the schema can say this: mark the row with schema = true"


def test_every_file_that_is_wrong_by_itself_is_held_to_the_schema() -> None:
    assert all(row.schema for row in rows() if row.text is not None and row.args == RUN)
    assert {row.schema for row in ROWS} - {True} == set(REASONS)
