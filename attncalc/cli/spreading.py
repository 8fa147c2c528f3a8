"""`run --summary --scheduler`: the same summaries, calculated by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from attncalc.cli.choices import Options, whole_number
from attncalc.cli.progress import showing
from attncalc.cli.session import Session
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.long.loading import Long
    from attncalc.long.problem import Asked
    from attncalc.long.summary import Summary

LOCAL = "local"
"""The word for workers on this machine, for as long as the command runs."""

MOST_WORKERS = 256


def refuse_idle(options: Options) -> None:
    """Refuses what nothing would read: threads beside a scheduler, workers without one of our own."""
    scheduler = options["scheduler"]
    if options["workers"] is not None and scheduler != LOCAL:
        raise UsageError.of("works-only-with", "--workers", options=f"--scheduler {LOCAL}")
    if scheduler is not None and options["threads"] is not None:
        raise UsageError.of("dask-threads", "--threads")


def spread_out(session: Session, options: Options, longs: Sequence[Long], asked: Asked) -> list[Summary]:
    """The summaries of scenarios from the workers of the scheduler that is asked for."""
    try:
        from attncalc.long import cluster
        from attncalc.long.spread import spread
    except ImportError:
        raise UsageError.of("needs-extra", "--scheduler", extra="dask", package="distributed") from None
    from attncalc.long.loading import COMPARED, ready
    from attncalc.long.shares import share_bytes

    readies = [ready(long, COMPARED) for long in longs]
    needed = max(share_bytes(long, one.problem, asked) for long, one in zip(longs, readies, strict=True))
    with _client(cluster, options) as client:
        cluster.check_workers(client, needed)
        with showing(session) as progress:
            return spread(client, longs, readies, asked, progress)


def _client(cluster: Any, options: Options) -> AbstractContextManager[Any]:
    if options["scheduler"] != LOCAL:
        found: AbstractContextManager[Any] = cluster.at(options["scheduler"])
        return found
    started: AbstractContextManager[Any] = cluster.local(whole_number(options, "workers", 2, 1, MOST_WORKERS))
    return started
