"""Large arrays in files: their outlines first, their rows when they are asked for. Nothing is mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.array_places import Located, located
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.zarr_arrays import Chunked, chunked

BY_CELLS = ("scores", "weights", "bias", "mask.keep", "mask.drop")
"""The arrays that may have a number for each query and key: their rows are read block by block, in any order."""

BY_ROWS = ("q", "k", "v", "x", "memory", "residual", "past.k", "past.v", *BY_CELLS)
"""The arrays that grow with the tokens."""


class Outlines:
    """Reads the outlines of the large arrays of one document, and the small arrays whole.

    `located` are those that stay in their files, by path.
    """

    def __init__(self) -> None:
        self.located: dict[str, Located | Chunked] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}  # with all four axes

    def load(self, path: str, reference: Mapping[str, Any], folder: Folder, place: str) -> Values:
        """The array of a reference; of a large one only the shape is right, its numbers are zeros."""
        found = _found(path, reference, folder, place) if path in BY_ROWS else None
        if found is None:
            return load_array(reference, folder, place, kept=True)
        self.located[path] = found
        return np.broadcast_to(np.zeros((), found.dtype), found.shape)


def _found(path: str, reference: Mapping[str, Any], folder: Folder, place: str) -> Located | Chunked | None:
    """Where a reference's numbers lie; None where they cannot be read in parts."""
    if "zarr" not in reference:
        return located(reference, folder, path not in BY_CELLS)
    try:
        return chunked(folder.allowed(str(reference["zarr"]), place), reference, place)
    except (OSError, ValueError, AttncalcError):
        return None  # what is wrong is said by the reader of whole arrays
