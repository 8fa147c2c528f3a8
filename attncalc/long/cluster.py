"""Where the workers are: at the address of a scheduler, or in processes of this machine for as long as they are needed.

Dask schedules; here a scheduler is only found or started, and what goes wrong with it becomes a sentence.
"""

from __future__ import annotations

import logging
import pkgutil
import re
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from queue import Empty, Queue
from typing import Any

import dask
from distributed import Client, LocalCluster
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker
from distributed.utils import LoopRunner

from attncalc import __version__
from attncalc.core.memory import in_bytes
from attncalc.errors import UsageError, shortened

MOST_PORT = 65535

PATIENCE = 10
"""Seconds in which a scheduler has to answer and to have a worker."""

ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[([0-9a-fA-F:.%]+)\]|([^\s/:@\[\]]+)):([0-9]{1,5})/?")
"""An address that there may be: a host, and its port."""

NO_PAGES: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""A cluster of our own shows nothing to a browser."""


@contextmanager
def at(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address; a UsageError where none answers in time or none has workers."""
    match = ADDRESS.fullmatch(address)
    if match is None or int(match[3]) > MOST_PORT:
        raise UsageError.of("dask-address", "--scheduler", found=shortened(address))
    with ExitStack() as stack:
        try:
            socket.create_connection((match[1] or match[2], int(match[3])), PATIENCE).close()
            client = stack.enter_context(_quiet(_in_time(address)))
        except (OSError, ValueError, Empty):
            raise UsageError.of("dask-no-answer", "--scheduler", found=address, seconds=PATIENCE) from None
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise UsageError.of("dask-no-workers", "--scheduler", found=address, seconds=PATIENCE) from None
        with _explained():
            yield client


def _in_time(address: str) -> Client:
    """The client of an address; raises Empty where what listens there does not speak, which Dask would wait for."""
    answers: Queue[Any] = Queue()

    def ask() -> None:
        try:
            answers.put(Client(address, timeout=PATIENCE, set_as_default=False))
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    found = answers.get(timeout=PATIENCE + 1)
    if isinstance(found, Exception):
        raise OSError(str(found)) from None
    return found


@contextmanager
def local(workers: int) -> Iterator[Client]:
    """A client of so many processes with one thread each, which end with it; nobody else can give them work."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="attncalc-", ignore_cleanup_errors=True))
        stack.enter_context(dask.config.set({"temporary-directory": folder, **NO_PAGES}))
        try:
            cluster = stack.enter_context(LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", security=True,
                silence_logs=logging.CRITICAL, local_directory=folder, loop=stack.enter_context(_undisturbed()).loop,
            ))  # fmt: skip
            client = stack.enter_context(_quiet(Client(cluster, set_as_default=False)))
        except (RuntimeError, OSError) as error:
            reason = shortened(str(error).rstrip("."))
            raise UsageError.of("dask-no-start", "--scheduler", count=workers, reason=reason) from None
        with _explained():
            yield client


@contextmanager
def _undisturbed() -> Iterator[LoopRunner]:
    """A loop that starts processes to which no interrupt of the keyboard comes: it is for this one, which ends them."""
    runner = LoopRunner()
    if not hasattr(signal, "pthread_sigmask"):
        runner.start()
    else:
        resource_tracker.ensure_running()  # starting with the first process it would lift the mask
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            runner.start()  # its thread, and what that starts, keep the mask
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield runner
    finally:
        runner.stop()


def check_workers(client: Client, needed: int) -> None:
    """Refuses workers without this program, and shares that one has not the memory for: so much as Dask was told."""
    with _explained():
        for version in client.run(pkgutil.resolve_name, "attncalc:__version__").values():
            if version != __version__:
                raise UsageError.of("dask-worker-lacks", "--scheduler", package=f"attncalc {__version__}")
    limits = [worker["memory_limit"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]
    known = [limit for limit in limits if limit]
    if known and needed > min(known):
        raise UsageError.of("dask-memory", "--scheduler", needed=in_bytes(needed), limit=in_bytes(min(known)))


@contextmanager
def _quiet(client: Client) -> Iterator[Client]:
    """The client, closed in the end; what the connection then writes to its log is of no use to anybody."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)
        logger.setLevel(level)


@contextmanager
def _explained() -> Iterator[None]:
    """What the workers or the connection may fail of, as a sentence."""
    try:
        yield
    except KilledWorker as error:
        raise UsageError.of("dask-killed", "--scheduler", count=error.allowed_failures + 1) from None
    except CommClosedError:
        raise UsageError.of("dask-gone", "--scheduler") from None
    except ImportError as error:
        raise UsageError.of("dask-worker-lacks", "--scheduler", package=error.name or str(error)) from None
