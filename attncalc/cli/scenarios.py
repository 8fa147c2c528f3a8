"""The commands about scenario files: which are built in, what stands in one, and what may stand there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attncalc.cli import output
from attncalc.cli.answering import answer_format, asked_for, write_blocks, write_json, write_text
from attncalc.cli.choices import Options, calculation, plain_view
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.document.blocks import Block
    from attncalc.document.view import View


def list_(session: Session, options: Options) -> int:
    """The built-in scenarios."""
    from attncalc.document.blocks import Prose
    from attncalc.document.listing import listing
    from attncalc.scenario_files.sources import source_at

    format = answer_format(options, names.DOCUMENTS)
    documents = {name: source_at(name).document for name in builtin.names()}
    if format == "json":
        write_json(options, [{"name": name, "title": document.get("title")} for name, document in documents.items()])
        return Status.DONE
    view = plain_view(session, format)

    def blocks(view: View) -> Iterator[Block]:
        yield from listing(documents, view)
        if view.options and not session.quiet:
            yield Prose(view.say("list-next"), view.say("lead.next"))

    write_blocks(session, options, blocks, view, format)
    return Status.DONE


def show(session: Session, options: Options) -> int:
    """A scenario's JSON: the file as it is, or with the changes asked for, or as it can be read where it is written."""
    from attncalc.scenario_files.folding import changed
    from attncalc.scenario_files.json_writing import printable, written
    from attncalc.scenario_files.sources import source_at

    asked_for(options["name"])
    output.check_target(options["output"], options["force"])
    source = source_at(options["name"], options["allow_outside"])
    document = changed(source, options["set"], calculation(options)).document
    if output.is_file(options["output"]):
        from attncalc.scenario_files.inlining import moved  # needs NumPy

        document = moved(document, source.folder, Path(options["output"]).parent)
    text = written(document, 2) + "\n" if document != source.document else source.data.decode("utf-8-sig")
    write_text(options, printable(text))
    return Status.DONE


def schema(session: Session, options: Options) -> int:
    """The JSON Schema of scenario files."""
    from attncalc.scenario_files.keys import json_schema

    write_text(options, json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n")
    return Status.DONE
