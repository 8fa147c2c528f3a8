"""The variants that a call of `compare` names, calculated; a source is read once for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attncalc.cli.answering import all_of, asked_for
from attncalc.cli.choices import Options, calculation
from attncalc.core.effort import check_effort
from attncalc.core.labels import distinct
from attncalc.errors import AttncalcError, UsageError
from attncalc.scenario_files.sources import Source, source_at

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.explore.compare import Variant

CHANGE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^;])+')
"""One change of --with: up to the next semicolon that does not stand in quotes."""


class Wanted(NamedTuple):
    """A variant that is asked for: its source, all its changes, those of --with, its name if not the source's."""

    source: str
    changes: tuple[str, ...]
    added: tuple[str, ...] = ()
    name: str = ""


def wanted_variants(options: Options) -> list[Wanted]:
    """The variants that a call names, or a UsageError where they are fewer than two."""
    sources, changes, more = options["scenarios"], tuple(options["set"]), options["with_"]
    asked_for(sources)
    if len(sources) > 1 and more:
        raise UsageError.of("compare-with-and-scenarios", "--with", found=" ".join(sources))
    if len(sources) > 1:
        return [Wanted(source, changes) for source in sources]
    if not changes and not more:
        raise UsageError.of("compare-single", sources[0])
    added = [tuple(part.strip() for part in CHANGE.findall(text)) or (text,) for text in more]
    first = [Wanted(sources[0], changes, (), "; ".join(changes))] if changes else []
    return [Wanted(sources[0], ()), *first, *(Wanted(sources[0], a, a, "; ".join(a)) for a in added)]


def variants_of(wanted: Sequence[Wanted], options: Options) -> list[Variant]:
    """The variants with their calculations, by name; two of one name are told apart."""
    from attncalc.explore.compare import Variant
    from attncalc.running import run

    terms = "terms" in options["step"]
    traces = all_of(lambda scenario: run(scenario, terms), _scenarios_of(wanted, options))
    names = distinct([one.name or trace.scenario.name for one, trace in zip(wanted, traces, strict=True)])
    variants = zip(names, wanted, traces, strict=True)
    return [Variant(name, trace.scenario.name, one.changes, trace) for name, one, trace in variants]


def _scenarios_of(wanted: Sequence[Wanted], options: Options) -> list[Scenario]:
    """The scenario of each variant; a source is read once, and what is wrong with it is said once."""
    places, chosen = list(dict.fromkeys(one.source for one in wanted)), calculation(options)
    try:
        read = dict(zip(places, all_of(lambda place: source_at(place, options["allow_outside"]), places), strict=True))
        return all_of(lambda one: _as_asked(one, read[one.source], chosen), wanted)
    except AttncalcError as error:
        if error.partial:
            raise
        raise UsageError({str((f.place, f.code, f.fields)): f for f in error.faults}.values()) from None


def _as_asked(one: Wanted, source: Source, chosen: Mapping[str, Any]) -> Scenario:
    """The scenario of a variant; a faulty change is named by the option it stands behind."""
    from attncalc.scenario_files.folding import changed
    from attncalc.scenario_files.load import scenario_from

    try:
        scenario = scenario_from(changed(source, one.changes, chosen))
        check_effort(scenario)  # here, where what holds for all variants is said once
        return scenario
    except AttncalcError as error:
        places = {f"--set {change}": f"--with {change}" for change in one.added}
        raise UsageError(fault._replace(place=places.get(fault.place, fault.place)) for fault in error.faults) from None
