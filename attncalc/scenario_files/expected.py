"""What a source prints (`expect`): do its rows name queries that there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncalc.scenario_files.labelling import Labelling


def check_expected(document: Mapping[str, Any], labelling: Labelling) -> None:
    """Reports rows under a label that no query has."""
    for name, printed in document.get("expect", {}).items():
        if isinstance(printed, dict):
            for label in printed:
                labelling.find(label, labelling.query_tokens, f"expect.{name}.{label}")
