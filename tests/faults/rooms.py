"""No room for a result: small disks, limits on the size of files, disks on which nobody may write, full streams."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from running import run_shell

from faults import Injected
from faults.forking import aside
from faults.writers import Shop, Writer, refused

PAGE = 4096
NEW_NAMESPACE, NEW_USERS, PRIVATE, READ_ONLY = 0x00020000, 0x10000000, 1 << 18 | 1 << 14, 1 | 1 << 5

LIMITS = (0, 1, 100, 1000, 4096)


def small_disks(writer: Writer, folder: Path, most: int = 100) -> list[Injected] | None:
    """Each size of a disk from too small on, until the call is done; None where this machine mounts none."""

    def injected() -> list[Injected]:
        shop = Shop(writer, folder)
        with _disk(folder, most * PAGE * 8):
            shop.reset()
            taken = os.statvfs(folder)
        used = taken.f_blocks - taken.f_bfree
        return list(_filled(shop, range(used, used + most)))

    return _in_own_mounts(injected)


def _filled(shop: Shop, pages: range) -> Iterator[Injected]:
    for count in pages:
        with _disk(shop.folder, count * PAGE):
            shop.reset()
            done = shop.run().wait()
            wrong = shop.trouble() or (refused(done) if done.code != shop.writer.code else "")
            lost = done.code == shop.writer.code and shop.found() != shop.final
            yield Injected("a small disk", f"{shop.writer.name}, {count} pages", wrong or "half of it" * lost)
            if done.code == shop.writer.code and not done.err.count("No space left"):
                return


def read_only_disk(writer: Writer, folder: Path) -> list[Injected] | None:
    """A disk that nobody may write on."""

    def injected() -> list[Injected]:
        shop = Shop(writer, folder)
        with _disk(folder, 4_000_000):
            shop.reset()
            _mount(b"none", folder, READ_ONLY, b"")
            done = shop.run().wait()
            return [Injected("a read-only disk", writer.name, shop.trouble() or refused(done))]

    return _in_own_mounts(injected)


def limited_files(shop: Shop) -> Iterator[Injected]:
    """A limit on the size of files, as a quota has it."""
    for limit in LIMITS:
        if not any(len(data) > limit for name, data in shop.final.items() if data != shop.writer.before.get(name)):
            continue
        shop.reset()
        done = shop.run(before=lambda limit=limit: _limit_files(limit)).wait()
        trouble = shop.trouble() or (refused(done) if limit else "")  # with 0 the complaint has no room either
        yield Injected("a limit on the size of files", f"{shop.writer.name}, {limit} bytes", trouble)


def _limit_files(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


READERS = (
    "explain draw", "run draw --json", "run draw --format csv", "run draw --format npz", "why draw context draw 0",
    "compare draw bigram", "sweep draw scores.0 -1 3", "check draw --answer weights[draw]=0.62,0.12,0.19,0.08",
    "verify draw", "quiz", "worksheet --seed 7", "cost 1000", "list", "show draw", "schema", "new --random --seed 7",
    "step draw --plain", "--help", "run --help", "--version", "--show-completion bash",
)  # fmt: skip
NO_SHELL_SOUGHT = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
"""The shell of --show-completion is the one that is named."""

STREAMS = ("> /dev/full", "2> /dev/full", "> /dev/full 2> /dev/full", ">&-", "2>&-")


def full_streams(line: str) -> Iterator[Injected]:
    """Streams that take nothing, or are none."""
    for stream in STREAMS:
        command = f"echo quit | attncalc {shlex.join(line.split())} {stream}"
        done = run_shell(command, NO_SHELL_SOUGHT, errors="replace")
        lost, spoken = ">" in stream.replace("2>", ""), "2>" not in stream
        trouble = ""
        if lost:
            trouble = refused(done) if spoken else "" if done.code == 2 else f"ends with {done.code}"
        elif done.code or not done.out:
            trouble = f"ends with {done.code}, {len(done.out)} characters"
        yield Injected("a full or closed stream", f"{line} {stream}", trouble)


# --- mounts that only a fork sees -----------------------------------------------------------------


def _in_own_mounts(injected: Callable[[], list[Injected]]) -> list[Injected] | None:
    def alone() -> list[Injected] | None:
        return injected() if _alone() else None

    found: list[Injected] | None = aside(alone)
    return found


def _alone() -> bool:
    """Whether this process has its own mounts from now on; who is not root needs its own users for that."""
    user, libc = os.getuid(), ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NAMESPACE | (NEW_USERS if user else 0)):
        return False
    if user:
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    return not libc.mount(b"none", b"/", None, PRIVATE, None)


@contextmanager
def _disk(folder: Path, size: int) -> Iterator[None]:
    _mount(b"tmpfs", folder, 0, f"size={size}".encode())
    try:
        yield
    finally:
        ctypes.CDLL(None).umount2(bytes(folder), 2)


def _mount(kind: bytes, folder: Path, flags: int, options: bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(kind, bytes(folder), kind, flags, options):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), folder) if number != errno.EPERM else PermissionError(folder)
