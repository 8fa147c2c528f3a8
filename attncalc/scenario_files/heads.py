"""How many heads and batch entries there are, from the keys and from the shapes, which must agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from attncalc.core.bounded import Values
from attncalc.scenario_files.kinds import Report

QUERY_SIDE = ("scores", "q", "weights")
KEY_SIDE = ("k", "v", "past.k", "past.v")
BATCHED_ROWS = {"x": 3, "memory": 3, "ids": 2}


class Claim(NamedTuple):
    """A number that a key or a shape says."""

    number: int
    origin: str


class Counts(NamedTuple):
    """Heads, key-value heads, batch entries, and whether the scenario has these axes at all."""

    heads: int
    kv_heads: int
    batch: int
    has_heads: bool
    has_batch: bool
    batch_origin: str = ""  # the array that says how many batch entries there are
    doubtful: bool = False  # whether the key-value heads do not divide the heads


def counts(document: Mapping[str, Any], arrays: Mapping[str, Values], report: Report) -> Counts:
    """The counts of a document; reports claims that contradict each other."""
    stacked = [name for name in (*QUERY_SIDE, *KEY_SIDE) if name in arrays and arrays[name].ndim >= 3]
    claimed_heads = list(_claims(document, "heads", arrays, QUERY_SIDE))
    heads = _agreed("heads", claimed_heads, report) or 1
    claimed = list(_claims(document, "kv_heads", arrays, KEY_SIDE))
    kv_heads = _agreed("kv_heads", claimed, report) or heads
    if "heads" not in document and not any(name in stacked for name in QUERY_SIDE) and kv_heads > 1:
        heads = kv_heads
    doubtful = heads % kv_heads > 0
    if doubtful:
        if len({claim.number for claim in claimed_heads}) < 2:  # else the heads themselves are in doubt
            _report_division(document, kv_heads, claimed[0], heads, claimed_heads, report)
        kv_heads = heads
    batch = list(_batches(arrays))
    several = [claim for claim in batch if claim.number > 1]
    origin = several[0].origin if several else ""
    entries = _agreed("batch", several, report) or 1
    return Counts(heads, kv_heads, entries, heads > 1 or bool(stacked), bool(batch), origin, doubtful)


def _report_division(
    document: Mapping[str, Any], kv_heads: int, claim: Claim, heads: int, claimed_heads: list[Claim], report: Report
) -> None:  # fmt: skip
    legal = ", ".join(str(n) for n in range(1, heads + 1) if heads % n == 0)
    if "kv_heads" in document:
        report("kv_heads", "kv-heads-divide", found=kv_heads, heads=heads, legal=legal)
    else:
        other = claimed_heads[0].origin if claimed_heads else "heads"
        report(claim.origin, "kv-heads-divide-shape", found=kv_heads, heads=heads, legal=legal, other=other)


def _claims(
    document: Mapping[str, Any], key: str, arrays: Mapping[str, Values], names: tuple[str, ...]
) -> Iterator[Claim]:
    if key in document:
        yield Claim(int(document[key]), key)
    for name in names:
        if name in arrays and arrays[name].ndim >= 3:
            yield Claim(arrays[name].shape[-3], name)


def _batches(arrays: Mapping[str, Values]) -> Iterator[Claim]:
    for name in (*QUERY_SIDE, *KEY_SIDE):
        if name in arrays and arrays[name].ndim == 4:
            yield Claim(arrays[name].shape[0], name)
    for name, rank in BATCHED_ROWS.items():
        if name in arrays and arrays[name].ndim == rank:
            yield Claim(arrays[name].shape[0], name)


def _agreed(what: str, claims: list[Claim], report: Report) -> int:
    """The number that all say, or 0 where none does."""
    for claim in claims[1:]:
        if claim.number != claims[0].number:
            report(
                claim.origin, f"disagree-{what}", found=claim.number, wanted=claims[0].number, other=claims[0].origin
            )
    return claims[0].number if claims else 0
