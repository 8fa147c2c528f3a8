"""NumPy's archive of arrays: every step under its name, the tokens, and what the JSON says besides the numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Step, Trace
from attncalc.document.view import View
from attncalc.renderers.json import without_values
from attncalc.scenario_files.json_writing import written

UNIX, READABLE = 3, 0o600 << 16
"""The system and the rights that every entry says it was made with."""


class Emptied(io.BytesIO):
    """A file that is taken away in parts as it grows; places in it are counted from its beginning all the same."""

    taken = 0

    def tell(self) -> int:
        """The place from the beginning."""
        return self.taken + super().tell()

    def seek(self, place: int, whence: int = 0) -> int:
        """Goes to a place that has not been taken away."""
        return self.taken + super().seek(place - self.taken, whence)

    def take(self) -> bytes:
        """What has been written since the last time."""
        part = self.getvalue()
        self.taken += len(part)
        super().seek(0)
        self.truncate()
        return part


def render(trace: Trace, view: View) -> bytes:
    """An `.npz` that `numpy.load` reads without pickled data; the same bytes on every run and machine.

    Beside the steps are `tokens`, `query_tokens`, and in `trace` the text of the JSON without its values.
    """
    return b"".join(parts(trace, view))


def parts(trace: Trace, view: View) -> Iterator[bytes]:
    """The same array by array."""
    file = Emptied()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, array in arrays(trace, view):
            entry = ZipInfo(f"{name}.npy")  # of 1980, whenever it is made
            entry.create_system, entry.external_attr = UNIX, READABLE
            with archive.open(entry, "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array, version=(1, 0), allow_pickle=False)
            yield file.take()
    yield file.take()


def arrays(trace: Trace, view: View) -> Iterator[tuple[str, Values]]:
    """The arrays of the file by name, in the byte order of most machines."""
    scenario = trace.scenario
    for step in trace:
        if view.wants(step):
            yield step.name, _stored(numbers(step))
    yield "tokens", _stored(np.array(list(scenario.tokens)))
    yield "query_tokens", _stored(np.array(list(scenario.query_tokens)))
    yield "trace", _stored(np.array(written(without_values(trace, view))))


def _stored(array: Values) -> Values:
    return array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)


def numbers(step: Step) -> Values:
    """A step along its axes: in the floating point it was calculated in, of decimals the nearest doubles."""
    return step.values if step.cells.dtype == object else step.cells.reshape(step.shape)
