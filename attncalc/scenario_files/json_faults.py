"""Where a text stops being JSON, and what mends it: the slips that people make who write JSON by hand."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

BLANKS = " \t\r\n"  # what JSON calls blank; a no-break space is not
ANY = re.compile("")


class Slip(NamedTuple):
    """What is wrong where what Python's reader says begins so, the text goes on so, and what is before it ends so."""

    code: str
    there: re.Pattern[str]
    reason: str = ""
    before: re.Pattern[str] = ANY


SLIPS = (
    Slip("json-mend-comma-out", re.compile(rf",[{BLANKS}]*[\]}}]")),
    Slip("json-mend-quotes", re.compile("['‘’“”]")),
    Slip("json-mend-ascii", re.compile("[，：、；【】｛｝「」『』（）]")),
    Slip("json-mend-blank", re.compile(rf"[^\S{BLANKS}]")),
    Slip("json-mend-comment", re.compile("//|/[*]|#")),
    Slip("json-mend-words", re.compile("True|False|None")),
    Slip("json-mend-number", re.compile(r"[+]|[.]\d?")),
    Slip("json-mend-number", re.compile(r"\d"), before=re.compile(r"(?<![\d.])0\Z")),
    Slip("json-mend-comma-in", re.compile(r'["\[{\d-]'), "Expecting ',' delimiter"),
    Slip("json-mend-colon", ANY, "Expecting ':' delimiter"),
    Slip("json-mend-quotes", re.compile(r"\w"), "Expecting property name"),
    Slip("json-mend-line", re.compile("[\r\n]"), "Invalid control character"),
    Slip("json-mend-backslash", ANY, "Invalid \\escape"),
    Slip("json-mend-single", ANY, "Extra data"),
)
"""The first that fits; what is seen in the text itself before what the reader missed there."""


def blamed(error: json.JSONDecodeError, text: str) -> tuple[int, str]:
    """The place that is wrong, and the code of what mends it: empty where nothing can be said."""
    place = _comma_too_many(text, error.pos)
    before = text[max(0, place - 2) : place]
    fits = (slip.code for slip in SLIPS if error.msg.startswith(slip.reason) and slip.there.match(text, place)
            and slip.before.search(before))  # fmt: skip
    return place, next(fits, "")


def _comma_too_many(text: str, place: int) -> int:
    """The comma before a bracket that closes, which Pythons before 3.13 do not blame; else the place itself."""
    before = text[:place].rstrip(BLANKS)
    return len(before) - 1 if text[place] in "]}" and before.endswith(",") else place
