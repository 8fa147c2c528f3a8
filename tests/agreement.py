"""Running documents in an arithmetic, and comparing steps with arrays that were calculated elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncalc import load, run
from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError, ScenarioError
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

Document = dict[str, Any]
Steps = dict[str, Any]


def trace_of(document: Mapping[str, Any], kind: str = "exact", folder: Path | None = None) -> Trace:
    """The trace of a document in an arithmetic; its arrays in files are in the folder."""
    options = {"arithmetic": kind}
    if folder is None:
        return run(load(document, (), options))
    data = json.dumps(document).encode()
    return run(scenario_of(parse(data, "scenario"), "scenario", (), options, folder))


def steps_of(document: Mapping[str, Any], kind: str = "exact", folder: Path | None = None) -> Steps:
    """The values of every step by name."""
    return {step.name: step.values for step in trace_of(document, kind, folder)}


def refusal(document: Mapping[str, Any], language: str = "en", folder: Path | None = None) -> list[str]:
    """The sentences that refuse a document."""
    with pytest.raises(AttncalcError) as caught:
        trace_of(document, folder=folder)
    assert isinstance(caught.value, ScenarioError)
    return caught.value.sentences(language)


def assert_close(got: Any, wanted: Any, tolerance: float, message: str = "") -> None:
    """One shape, and every number within the tolerance, of its size where that is above 1; NaN equals NaN."""
    assert np.shape(got) == np.shape(wanted), message
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True, err_msg=message)


def listed(values: Any) -> Any:
    """An array as the nested lists of a scenario."""
    return np.asarray(values).tolist()
