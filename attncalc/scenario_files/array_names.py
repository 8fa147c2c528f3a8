"""The names of the arrays that a file holds."""

from __future__ import annotations

from pathlib import Path

from attncalc.errors import UsageError
from attncalc.scenario_files.number_arrays import FILES
from attncalc.scenario_files.opened_arrays import opened
from attncalc.scenario_files.plain_files import NotRead, opened_file
from attncalc.scenario_files.stored_arrays import SINGLE


def kind_of(file: str) -> str:
    """`npz`, `safetensors` or `npy`, by the suffix; a UsageError for any other."""
    kind = Path(file).suffix.lower().removeprefix(".")
    if kind not in FILES:
        raise UsageError.of("from-not-arrays", file, known=", ".join(f".{name}" for name in FILES))
    return kind


def names_in(file: str) -> list[str]:
    """The names in their order; that of the only array of an `.npy` is the name of the file."""
    kind, path = kind_of(file), Path(file)
    try:
        with opened_file(path) as data:
            keys = opened(kind, data).keys
    except NotRead as refused:
        raise UsageError.of(refused.code, file, file=path.name, kind=kind, **refused.fields) from None
    except FileNotFoundError:
        raise UsageError.of("file-missing", file) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError.of("file-unreadable", file, reason=reason) from None
    if not keys:
        raise UsageError.of("from-no-arrays", file)
    return [path.stem] if keys == SINGLE and kind == "npy" else list(keys)
