"""`python tests/faults`: injects every kind of fault, and says how many and what came of them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import Injected, around, kills, rooms, terminals
from faults.forking import warm
from faults.writers import Shop, Writer, writers

Make = Callable[[Path, argparse.Namespace], Iterator[Injected]]


def _chosen(asked: argparse.Namespace) -> tuple[Writer, ...]:
    """The writers, or those whose name holds the word that is asked for."""
    return tuple(writer for writer in writers() if asked.writer in writer.name)


def _random(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for writer in _chosen(asked):
        shop = Shop(writer, folder)
        yield from kills.ended_by(shop, signal.SIGKILL, asked.kills, asked.seed)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            yield from kills.ended_by(shop, number, asked.kills // 10, asked.seed)


def _calls(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for writer in _chosen(asked):
        shop = Shop(writer, folder)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            yield from kills.ended_at_each_call(shop, number)
        yield from kills.failing_at_each_call(shop)


def _rooms(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for writer in _chosen(asked):
        yield from rooms.small_disks(writer, folder) or ()
        yield from rooms.read_only_disk(writer, folder) or ()
        yield from rooms.limited_files(Shop(writer, folder))


def _streams(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for line in rooms.READERS:
        yield from rooms.full_streams(line)
    yield from (around.closed_streams(line, closed, folder) for line in around.READING for closed in around.STREAMS)


def _terminals(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    terminals.write_long(folder)
    yield from terminals.all_ends(folder)


def _memory(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    around.write_large(folder)
    for megabytes in asked.megabytes:
        yield from (around.little_memory(line, megabytes, folder) for line in (*around.COMMANDS, *around.LARGE))


def _clocks(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for writer in _chosen(asked):
        shop = Shop(writer, folder)
        yield from (around.odd_clock(shop, name) for name in around.CLOCKS)


def _places(folder: Path, asked: argparse.Namespace) -> Iterator[Injected]:
    for line in around.COMMANDS:
        yield from (around.odd_place(line, name, folder) for name in around.PLACES)
        yield around.folder_gone(line, folder)
        yield around.read_only_install(line, folder)


KINDS: dict[str, Make] = {
    "random": _random, "calls": _calls, "rooms": _rooms, "streams": _streams, "terminals": _terminals,
    "memory": _memory, "clocks": _clocks, "places": _places,
}  # fmt: skip


def main() -> int:
    """0 where nothing came of any of them."""
    parser = argparse.ArgumentParser(prog="python tests/faults", description=__doc__)
    parser.add_argument("--only", choices=KINDS, nargs="+", default=list(KINDS))
    parser.add_argument("--kills", type=int, default=200, help="random moments of each call that writes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writer", default="", help="only calls whose name holds this word")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[300, 600])
    asked = parser.parse_args()
    warm()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    injected, troubles = Counter[str](), Counter[str]()
    try:
        for kind in asked.only:
            for one in _injected(KINDS[kind], asked):
                injected[one.kind] += 1
                troubles[one.kind] += bool(one.trouble)
                if one.trouble:
                    print(f"{one.kind}: {one.what}: {one.trouble}", flush=True)
    finally:  # also where it is ended before its time
        for name, count in injected.items():
            print(f"{count:6} {name}: {troubles[name] or 'none'} brought about what must not be", flush=True)
    return bool(troubles.total())


def _injected(make: Make, asked: argparse.Namespace) -> Iterator[Injected]:
    """The faults of a kind, in a folder of their own."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        folder = Path(parent) / "here"
        folder.mkdir()
        yield from make(folder, asked)


if __name__ == "__main__":
    sys.exit(main())
