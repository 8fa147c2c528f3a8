"""How sheets and keys are written: the format, and the files of a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from attncalc.core import names

if TYPE_CHECKING:
    from attncalc.document.blocks import Block
    from attncalc.document.printing import Printing

FORMATS = ("markdown", "latex", "html", "xlsx")
SUFFIXES = {format: suffix for suffix, format in names.SUFFIXES.items()}
FILES = ("sheet-{}{sheet}", "key-{}{key}", "scenario-{}.json", "answers-{}.json", "blank-{}.json")
"""Of each copy: the sheet, its key, its scenario, the right answers, and a file for answers with none in it."""


class Writing(NamedTuple):
    """A format, its settings, and whether remarks are left out."""

    format: str
    quiet: bool
    settings: Mapping[str, Any]

    def document(self, printing: Printing, part: str) -> str | bytes:
        """A sheet, its key, or both; a workbook holds the sheet alone."""
        if self.format == "xlsx":
            from attncalc.renderers.worksheet_xlsx import worksheet_workbook

            workbook: bytes = worksheet_workbook(printing)
            return workbook
        from attncalc.renderers import block_renderer

        render_blocks = block_renderer(self.format)
        if self.format == "html":
            printings = map(printing.in_language, names.languages_from(printing.view.language))
            text: str = render_blocks([(one.view, self._blocks(one, part)) for one in printings])
        else:
            text = render_blocks(self._blocks(printing, part), printing.view, **self.settings)
        return text

    def _blocks(self, printing: Printing, part: str) -> list[Block]:
        from attncalc.document.answer_keys import key
        from attncalc.document.blocks import without_remarks
        from attncalc.document.sheets import sheet

        blocks = [*(sheet(printing) if part != "key" else ()), *(key(printing) if part != "sheet" else ())]
        return without_remarks(blocks, self.quiet)

    def names(self, number: str) -> list[str]:
        """The names of the files of a copy; the key of a workbook is Markdown."""
        suffix = SUFFIXES[self.format]
        return [file.format(number, sheet=suffix, key=SUFFIXES[self._of_key().format]) for file in FILES]

    def files(self, printing: Printing, number: str, scenario: Mapping[str, Any]) -> Mapping[str, str | bytes]:
        """The files of a copy, by name."""
        from attncalc.practice.worksheet import answers_document, empty_document
        from attncalc.scenario_files.json_writing import written

        made = printing.made
        documents = (scenario, answers_document(made, made.answers), empty_document(made))
        files = [self.document(printing, "sheet"), self._of_key().document(printing, "key")]
        files += [f"{written(document, 2)}\n" for document in documents]
        return dict(zip(self.names(number), files, strict=True))

    def _of_key(self) -> Writing:
        return self._replace(format="markdown", settings={}) if self.format == "xlsx" else self
