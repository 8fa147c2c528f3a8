"""Past one machine: the same bytes from the workers of a Dask cluster, whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pexpect
import psutil
import pytest
from calling import call, document, out
from distributed import Client
from long_scenarios import in_files, long_document

from attncalc.cli import spreading
from attncalc.long import cluster, shares
from attncalc.long.blocks import jobs
from attncalc.long.extents import extent_of, joined
from attncalc.long.loading import Filed, Long, load_long, ready
from attncalc.long.problem import Asked
from attncalc.long.shares import Work, blocks_of, extent_at, pieces, with_extents
from attncalc.long.spread import spread
from attncalc.long.summary import Summary, finished, nothing_yet, put, summarised
from attncalc.renderers.summary_npz import render
from attncalc.scenario_files.sources import source_at

ASKED = Asked(3, 4)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two worker processes."""
    with cluster.local(2) as found:
        yield found


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """Two heads over some hundred tokens, in files."""
    numbers = np.random.default_rng(4)
    for name in "qkv":
        np.save(tmp_path / f"{name}.npy", numbers.standard_normal((2, 700, 8)).astype(np.float32))
    return saved(tmp_path / "big.json", {**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal"})


def saved(path: Path, document: Any) -> Path:
    """The document as a file."""
    path.write_text(json.dumps(document))
    return path


def long_of(path: Path) -> Long:
    """The scenario of a file."""
    return load_long(source_at(str(path)))


def spread_over(client: Client, *paths: Path, progress: Any = None) -> list[bytes]:
    """The summaries of scenarios from workers, as files."""
    longs = [long_of(path) for path in paths]
    readies = [ready(long, streamed=True) for long in longs]
    return [render(found) for found in spread(client, longs, readies, ASKED, progress)]


def in_one_process(path: Path) -> bytes:
    """The same without."""
    return render(summarised(ready(long_of(path)), ASKED))


def varied(folder: Path) -> Iterator[Path]:
    """Scenarios over the options, with their arrays in files of either type."""
    from random import Random

    for seed in range(12):
        inside = folder / str(seed)
        inside.mkdir()
        text = in_files(long_document(Random(seed)), inside, "float32" if seed % 2 else "float64")
        yield saved(inside / "long.json", json.loads(text))


def projected(folder: Path) -> Path:
    """A scenario that starts from x, with steps after the context."""
    numbers = np.random.default_rng(2)
    np.save(folder / "x.npy", numbers.standard_normal((90, 8)))
    matrices = {name: np.round(numbers.standard_normal((8, 8)), 2).tolist() for name in ("w_q", "w_k", "w_v", "w_o")}
    return saved(
        folder / "x.json", {"x": {"npy": "x.npy"}, **matrices, "heads": 2, "rope": {"pairs": "halves"}, "residual": True}
    )


def test_two_processes_give_the_bytes_of_one(client: Client, big: Path) -> None:
    """Many scenarios in one graph: every mask and bias, either type, projections before and steps after."""
    paths = [big, projected(big.parent), *varied(big.parent)]
    assert spread_over(client, *paths) == [in_one_process(path) for path in paths]


def test_a_worker_that_is_killed_half_way_changes_nothing(big: Path) -> None:
    """Its blocks are calculated again, by the other or by the one that takes its place."""
    with cluster.local(2) as client:
        workers = list(client.run(os.getpid).values())
        seen: list[tuple[int, int]] = []

        def progress(done: int, whole: int) -> None:
            if 2 * done >= whole and workers:
                os.kill(workers.pop(), signal.SIGKILL)
            seen.append((done, whole))

        paths = [big, *varied(big.parent)]
        assert spread_over(client, *paths, progress=progress) == [in_one_process(path) for path in paths]
        assert len(workers) == 1
        assert seen[-1][0] == seen[-1][1]


def by_hand(path: Path) -> Summary:
    """What the workers do, one part after another in this process."""
    long = long_of(path)
    one = ready(long, streamed=True)
    tables = {"q": one.problem.q, "k": one.problem.k, "v": one.problem.v}
    known = {}
    for name, table in tables.items():
        if isinstance(table, Filed):
            kind, width = one.problem.kind, table.shape[3]
            parts = [extent_at(table.located, kind, width, *piece) for piece in pieces(table.located)]
            known[name] = joined(parts)  # type: ignore[arg-type]
            assert known[name] == extent_of(table.all().astype(kind))
    problem = with_extents(one.problem, known)
    summary = nothing_yet(problem, ASKED)
    for share in shares.shares(problem, 10_000):
        blocks = blocks_of(Work(str(path), long.source, known), ASKED, share)
        assert isinstance(blocks, list)
        for job, block in zip(share, blocks, strict=True):
            put(summary, job, block)
    return finished(one, summary)


def test_no_more_is_read_at_once_than_is_allowed(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and values go by in parts of the size that is given, and the bytes stay the same."""
    most = 64 * 8 * 8
    sizes: list[int] = []
    rows = Filed.rows

    def watched(self: Filed, *place: Any) -> Any:
        values = rows(self, *place)
        sizes.append(values.size * 8)
        return values

    monkeypatch.setattr(shares, "MOST_READ", most)
    monkeypatch.setattr("attncalc.long.softmax.SUMMARY_TILE", 256)
    monkeypatch.setattr(Filed, "rows", watched)
    found = by_hand(big)
    assert len(sizes) > 100
    assert {size for size in sizes if size != 256 * 64 and size != (700 - 512) * 64} and max(
        size for size in sizes if size not in (256 * 64, (700 - 512) * 64)
    ) <= most
    monkeypatch.setattr(Filed, "rows", rows)
    assert render(found) == in_one_process(big)


def test_a_share_is_of_one_head_and_not_larger_than_asked(big: Path) -> None:
    """All blocks are in one share each."""
    problem = ready(long_of(big)).problem
    found = shares.shares(problem, 100_000)
    assert sorted(job for share in found for job in share) == sorted(jobs(problem))
    assert all(len({(job.batch, job.head) for job in share}) == 1 for share in found)
    assert len(found) > 2


def on(client: Client) -> tuple[str, ...]:
    """The options of a summary by the workers of a client."""
    return ("--summary", "--scheduler", client.scheduler.address)


@pytest.fixture
def here(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds the two workers under the word `local`."""
    from contextlib import nullcontext

    monkeypatch.setattr(cluster, "local", lambda workers: nullcontext(client))


LOCAL = ("--summary", "--scheduler", "local")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("format", ["table", "json", "npz"])
def test_several_scenarios_are_several_summaries(format: str, big: Path) -> None:
    """One after another as a table, one a line as JSON, by the names of their files as arrays; with workers or not."""
    other = saved(big.parent / "other.json", {**json.loads(big.read_text()), "softcap": 2})
    sources = ("run", str(big), str(other), "--format", format)
    if format == "npz":
        for place, options in enumerate((LOCAL, ("--summary",))):
            out(*sources, *options, "-o", str(big.parent / f"{place}.npz"))
        assert (big.parent / "0.npz").read_bytes() == (big.parent / "1.npz").read_bytes()
        assert {"big/context", "other/context", "other/keys"} < {*np.load(big.parent / "0.npz")}
        return
    text = out(*sources, *LOCAL)
    assert text == out(*sources, "--summary")
    if format == "json":
        assert [json.loads(line)["format"] for line in text.splitlines()] == ["attncalc-summary/1"] * 2
        assert json.loads(text.splitlines()[0]) == document("run", str(big), "--summary")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_scenario_is_refused_for_is_said_in_the_same_sentence(language: str, tmp_path: Path) -> None:
    """A row that sees nothing, a mask that says neither yes nor no."""
    four = [[1, 2], [3, 4]]
    empty = saved(tmp_path / "e.json", {"q": four, "k": four, "mask": {"hide": [0, 1]}, "empty_rows": "error"})
    np.save(tmp_path / "keep.npy", np.full((2, 2), 2.0))
    torn = saved(tmp_path / "t.json", {"q": four, "k": four, "mask": {"keep": {"npy": "keep.npy"}}})
    for path in (empty, torn):
        done = call("run", str(path), *LOCAL, language=language)
        assert (done.code, done.out) == (2, "")
        assert done.err == call("run", str(path), "--summary", language=language).err != ""


REFUSALS: list[tuple[tuple[str, ...], str, str]] = [
    (("--summary", "--scheduler", "foo"), "is foo", "是 foo"),
    (("--summary", "--scheduler", "tcp://127.0.0.1"), "tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
    (("--summary", "--scheduler", "tcp://[::1"), "wanted is the address", "应为 Dask 调度器的地址"),
    (("--summary", "--scheduler", "tcp://127.0.0.1:1"), "no scheduler answered", "没有调度器应答"),
    (("--summary", "--workers", "2"), "--scheduler local", "--scheduler local"),
    (("--summary", "--scheduler", "local", "--threads", "2"), "number of workers", "worker 的个数"),
    (("--summary", "--scheduler", "local", "--workers", "0"), "--workers", "--workers"),
    (("--scheduler", "local"), "only together with --summary", "只有和 --summary 一起用"),
]


@pytest.mark.parametrize(("options", "english", "chinese"), REFUSALS)
def test_what_cannot_be_is_refused(options: tuple[str, ...], english: str, chinese: str, big: Path) -> None:
    """In both languages, before anything is calculated."""
    for language, words in (("en", english), ("zh", chinese)):
        done = call("run", str(big), *options, language=language)
        assert (done.code, done.out) == (2, "")
        assert words in done.err


def test_a_worker_with_too_little_memory_is_refused(client: Client) -> None:
    """Nothing that a worker has not the room for is asked of it."""
    with pytest.raises(Exception, match="--memory-limit"):
        cluster.check_workers(client, 10**18)


def test_without_the_library_it_is_named(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the extra that brings it."""
    for name in ("attncalc.long.cluster", "attncalc.long.spread", "distributed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr("attncalc.long.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("run", str(big), *LOCAL)
    assert (done.code, "'.[dask]'" in done.err) == (2, True)


def test_an_interrupt_ends_the_workers(big: Path) -> None:
    """130, no file, no process that goes on."""
    numbers = np.random.default_rng(4)
    for name in "qkv":
        np.save(big.parent / f"{name}.npy", numbers.standard_normal((8, 20_000, 32)).astype(np.float32))
    command = ["-m", "attncalc", "run", str(big), *LOCAL, "-o", "rows.npz"]
    child = pexpect.spawn(sys.executable, command, cwd=str(big.parent), encoding="utf-8", timeout=120)
    child.expect("%")
    workers = psutil.Process(child.pid).children(recursive=True)
    assert len(workers) >= 2
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
    assert not (big.parent / "rows.npz").exists()


def test_most_workers_is_a_number_of_processes() -> None:
    """The word of the option and the completion are one."""
    from attncalc.cli.options import OPTIONS

    assert OPTIONS["scheduler"].values == (spreading.LOCAL,)
