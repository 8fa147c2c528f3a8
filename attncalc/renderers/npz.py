"""NumPy's archive of arrays: every step under its name, the tokens, and what the JSON says besides the numbers."""

from __future__ import annotations

import io
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Step, Trace
from attncalc.document.view import View
from attncalc.renderers.json import without_values
from attncalc.scenario_files.json_text import written

UNIX, READABLE = 3, 0o600 << 16
"""The system and the rights that every entry says it was made with."""


def render(trace: Trace, view: View) -> bytes:
    """An `.npz` that `numpy.load` reads without pickled data; the same bytes on every run and machine.

    Beside the steps are `tokens`, `query_tokens`, and in `trace` the text of the JSON without its values.
    """
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, array in arrays(trace, view).items():
            entry = ZipInfo(f"{name}.npy")  # of 1980, whenever it is made
            entry.create_system, entry.external_attr = UNIX, READABLE
            with archive.open(entry, "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def arrays(trace: Trace, view: View) -> dict[str, Values]:
    """The arrays of the file by name, in the byte order of most machines."""
    scenario = trace.scenario
    found = {step.name: numbers(step) for step in trace if view.wants(step)}
    found |= {"tokens": np.array(scenario.tokens), "query_tokens": np.array(scenario.query_tokens)}
    found["trace"] = np.array(written(without_values(trace, view)))
    return {name: array.astype(array.dtype.newbyteorder("<"), order="C") for name, array in found.items()}


def numbers(step: Step) -> Values:
    """A step along its axes: in the floating point it was calculated in, of decimals the nearest doubles."""
    return step.values if step.cells.dtype == object else step.cells.reshape(step.shape)
