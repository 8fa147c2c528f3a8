"""Attention in the order of the subject: the syllabus of the program, one row a step.

A row reads slots and writes slots. Scaling, masking and their like all write `logits`, so that putting one in rewires
nothing; `when` says which scenarios need the row.
"""

from __future__ import annotations

from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage
from attncalc.pipelines.rows_after import AFTER, TERMS
from attncalc.pipelines.rows_before import BEFORE
from attncalc.pipelines.rows_online import online_rows
from attncalc.pipelines.rows_weights import SHIFT, WEIGHTS

ROWS: tuple[Stage, ...] = (*BEFORE, *WEIGHTS, *AFTER)


def stages(scenario: Scenario, shift: bool = False, terms: bool = False) -> tuple[Stage, ...]:
    """The rows that the scenario needs; `shift` puts the row maximum in where the arithmetic needs it."""
    added = (*(SHIFT if shift else ()), *((TERMS,) if terms and scenario.has_values and not scenario.online else ()))
    stand_ins = {
        "key_input": "memory" if scenario.has("memory") else "hidden",
        "entering": "residual" if scenario.has("residual") else "entering",
    }

    every = (*BEFORE, *WEIGHTS, *online_rows(scenario), *AFTER) if scenario.online else ROWS
    rows = [row for row in every if row in added or row.when(scenario)]
    written = {slot for row in rows for slot in row.writes}

    def resolved(row: Stage) -> Stage:
        reads = (read for read in row.reads if not read.optional or scenario.has(read.slot) or read.slot in written)
        return row._replace(reads=tuple(read._replace(slot=stand_ins.get(read.slot, read.slot)) for read in reads))

    return tuple(map(resolved, rows))


STEP_NAMES: tuple[str, ...] = tuple(dict.fromkeys(row.name for row in ROWS))
"""Every step there can be, in order."""
