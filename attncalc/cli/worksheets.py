"""`worksheet`: sheets with blanks and their keys, on the screen, in a file, or many of them in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attncalc.cli import output
from attncalc.cli.answering import write_text
from attncalc.cli.choices import Options, format_of, plain_view, seed_of, settings_of, whole_number
from attncalc.cli.folders import check_folder, write_folder
from attncalc.cli.report import Status, complain
from attncalc.cli.session import Session, one_of
from attncalc.cli.sheet_writing import FORMATS, Writing
from attncalc.cli.watching import counted, told
from attncalc.errors import UsageError
from attncalc.messages import speaker
from attncalc.messages.safe_text import escaped

if TYPE_CHECKING:
    from attncalc.document.printing import Printing
    from attncalc.practice.exercise import Order

PARTS = ("sheet", "key", "both")
LEVEL = 3
"""One head with a causal mask."""

MOST_COPIES = 200
MOST_DECIMALS = 6


def worksheet(session: Session, options: Options) -> int:
    """Writes sheets and keys; every copy is calculated before one of them is written."""
    count = whole_number(options, "copies", 1, 1, MOST_COPIES)
    folder = _folder(options, count)
    writing = _writing(session, options, folder)
    _check_target(options, folder, count, writing)
    orders = _orders(options, count)
    made = [_printing(session, order, writing.format) for order in counted(orders, session)]
    if folder is None:
        write_text(options, writing.document(made[0], options["part"] or "both"))
        if output.is_file(options["output"]) and options["part"] is None and writing.format != "xlsx":
            told(speaker(session.language)("worksheet-with-key", file=escaped(options["output"])), session)
    else:
        numbered = zip(made, _numbers(count), strict=True)
        files = (writing.files(printing, number, _scenario(printing)) for printing, number in numbered)
        write_folder(folder, {name: text for copy in files for name, text in copy.items()}, options["force"])
        text = speaker(session.language)("worksheet-made", count=count, folder=escaped(os.path.join(folder, "")))
        told(text, session)
    if not session.quiet:
        complain(list(_remarks(made)), session.language)
    return Status.DONE


# --- what is asked for ----------------------------------------------------------------------------


def _folder(options: Options, count: int) -> Path | None:
    """The folder that the files go into; None where one text goes to the screen or into a file."""
    target = options["output"]
    into_folder = output.is_file(target) and _is_folder(target)
    if count > 1 and not into_folder:
        raise UsageError.of("worksheet-copies", "--copies", count=count)
    if into_folder and options["part"] is not None:
        raise UsageError.of("worksheet-part", "--part")
    return Path(target) if into_folder else None


def _is_folder(target: str) -> bool:
    """Whether a target is a folder, or will be one: a name without a suffix."""
    try:
        path = Path(target)
        return target.endswith("/") or path.is_dir() or not (path.suffix or path.exists())
    except output.UNREACHABLE:
        return False  # the check of the target says what is wrong


def _writing(session: Session, options: Options, folder: Path | None) -> Writing:
    """The format, by option or suffix; Markdown where neither says one."""
    suffixed = folder is None and output.is_file(options["output"]) and Path(options["output"]).suffix
    format = format_of(options, FORMATS) if suffixed else one_of("--format", options["format"] or FORMATS[0], FORMATS)
    return Writing(format, session.quiet, settings_of(options, format))


def _check_target(options: Options, folder: Path | None, count: int, writing: Writing) -> None:
    if options["part"] is not None:
        one_of("--part", options["part"], PARTS)
    if folder is not None:
        check_folder(folder, (name for number in _numbers(count) for name in writing.names(number)), options["force"])
        return
    if writing.format == "xlsx" and options["part"] in ("key", "both"):
        raise UsageError.of("worksheet-xlsx-key", "--part")
    output.check_target(options["output"], options["force"])


def _numbers(count: int) -> list[str]:
    """The numbers of the copies, all of the same length."""
    width = max(2, len(str(count)))
    return [f"{number:0{width}}" for number in range(1, count + 1)]


def _orders(options: Options, count: int) -> list[Order]:
    """An order for each copy."""
    from attncalc.practice.exercise import Order, blanks, copies
    from attncalc.practice.recipes import LEVELS

    level = whole_number(options, "level", LEVEL, 1, len(LEVELS))
    places = whole_number(options, "places", LEVELS[level - 1].places, 1, MOST_DECIMALS)
    seed = seed_of(options, count)
    words = [word.strip() for text in options["blank"] for word in text.replace("，", ",").split(",")]
    return list(copies(Order(level, seed, blanks(level, words), places), count))


# --- what is written ------------------------------------------------------------------------------


def _printing(session: Session, order: Order, format: str) -> Printing:
    from attncalc import __version__
    from attncalc.document.printing import Printing
    from attncalc.practice.exercise import exercise

    return Printing(exercise(order), plain_view(session, format), __version__, _command(order))


def _command(order: Order) -> str:
    """What makes exactly this copy again."""
    from attncalc.practice.exercise import BLANKS
    from attncalc.practice.recipes import LEVELS

    words = [f"attncalc worksheet --seed {order.seed} --level {order.level}"]
    words += [f"--blank {','.join(order.blank)}"] if order.blank != BLANKS[order.level - 1] else []
    words += [f"--places {order.places}"] if order.places != LEVELS[order.level - 1].places else []
    return " ".join(words)


def _scenario(printing: Printing) -> dict[str, Any]:
    """The scenario with a word on where it comes from."""
    from attncalc.messages import LANGUAGES, speaker

    fields = {"version": printing.version, "command": printing.command}
    about = {language: speaker(language)("worksheet-about", **fields) for language in LANGUAGES}
    (title, text), *rest = printing.made.document.items()
    return {title: text, "about": about, **dict(rest)}


def _remarks(made: Sequence[Printing]) -> Iterator[str]:
    """What the numbers of a copy do not tell apart."""
    from attncalc.document.answer_keys import pairs_of

    for printing in made:
        found = printing.made.coincidences
        if found:
            order, pairs = printing.made.order, pairs_of(found, printing.view)
            yield printing.say("worksheet-coincident", level=order.level, seed=order.seed, pairs=pairs)
