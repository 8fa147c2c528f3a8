"""Past one machine: the same bytes from the workers of a Dask cluster, whatever becomes of them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pexpect
import psutil
import pytest
import zarr
from calling import call, out
from distributed import Client
from long_scenarios import in_files, long_document
from safetensors.numpy import save_file

from attncalc.cli import spreading
from attncalc.errors import AttncalcError
from attncalc.long import cluster, shares
from attncalc.long.blocks import jobs
from attncalc.long.extents import extent_of, joined
from attncalc.long.loading import COMPARED, Filed, Long, load_long, ready
from attncalc.long.pooling import Part
from attncalc.long.problem import Asked, Job
from attncalc.long.shares import Work, blocks_of, extent_at, pieces, with_extents
from attncalc.long.spread import spread
from attncalc.long.summary import Summary, finished, nothing_yet, put, with_map
from attncalc.renderers.summary_npz import render, render_all
from attncalc.scenario_files.sources import source_at

ASKED = Asked(3, 4)
TILE = 64


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


def spread_over(client: Client, *paths: Path, progress: Any = None) -> bytes:
    """The summaries of scenarios from workers, as a file."""
    longs = [long_of(path) for path in paths]
    readies = [ready(long, COMPARED) for long in longs]
    found = spread(client, longs, readies, ASKED, progress)
    return render_all([(str(path), one, None) for path, one in zip(paths, found, strict=True)])


def in_one_process(
    *paths: Path, format: str = "npz", options: tuple[str, ...] = ("--summary", "--top", "3", "--near", "4")
) -> bytes:
    """The same from the program without workers, in a process of its own: as there, BLAS has one thread."""
    command = [sys.executable, "-m", "attncalc", "run", *map(str, paths), "--format", format, *options]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout


def varied(folder: Path) -> Iterator[Path]:
    """Scenarios over the options, with their arrays in files of either type."""
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
        folder / "x.json",
        {"x": {"npy": "x.npy"}, **matrices, "heads": 2, "rope": {"pairs": "halves"}, "residual": True},
    )


def laid_out(folder: Path) -> Path:
    """A scenario with its arrays in column order, compressed and of safetensors, and a residual."""
    numbers = np.random.default_rng(3)
    q, k, v = (numbers.standard_normal((2, 300, 4)).astype(np.float32) for _ in "qkv")
    np.save(folder / "columns.npy", np.asfortranarray(q))
    np.savez_compressed(folder / "packed.npz", k=k)
    save_file({"v": v}, folder / "v.safetensors")
    np.save(folder / "residual.npy", numbers.standard_normal((300, 8)).astype(np.float32))
    references = {
        "q": {"npy": "columns.npy"}, "k": {"npz": "packed.npz", "key": "k"},
        "v": {"safetensors": "v.safetensors", "key": "v"}, "residual": {"npy": "residual.npy"},
    }  # fmt: skip
    return saved(folder / "laid-out.json", {**references, "heads": 2, "w_o": np.eye(8).tolist()})


def test_two_processes_give_the_bytes_of_one(client: Client, big: Path) -> None:
    """Many scenarios in one graph: every mask and bias, layout and type, projections before and steps after."""
    paths = [big, projected(big.parent), laid_out(big.parent), *varied(big.parent)]
    assert spread_over(client, *paths) == in_one_process(*paths)


def test_a_worker_that_is_killed_half_way_changes_nothing(big: Path) -> None:
    """Its blocks are calculated again, by the other or by the one that takes its place."""
    with cluster.local(2) as client:
        workers = list(client.run(os.getpid).values())
        seen: list[tuple[int, int]] = []

        def progress(done: int, whole: int) -> None:
            if 2 * done >= whole and len(workers) == 2:
                os.kill(workers.pop(), signal.SIGKILL)
            seen.append((done, whole))

        paths = [big, *varied(big.parent)]
        assert spread_over(client, *paths, progress=progress) == in_one_process(*paths)
        assert len(workers) == 1
        assert seen[-1][0] == seen[-1][1]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler that somebody else started, with a worker of two threads."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
        [*dask, "worker", "--scheduler-file", str(file), "--nthreads", "2", "--no-dashboard", "--death-timeout", "120",
         "--local-directory", str(tmp_path)],
    ]  # fmt: skip
    started = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for one in commands]
    try:
        for _ in range(600):
            if file.exists() and file.read_text().endswith("}"):
                break
            time.sleep(0.2)
        found = str(json.loads(file.read_text())["address"])
        with Client(found, timeout=60, set_as_default=False) as known:
            known.wait_for_workers(1, timeout=120)
        yield found
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(60)


def test_a_scheduler_that_is_there_gives_the_bytes_of_one_process(address: str, big: Path) -> None:
    """Reached by its address; its worker calculates on two threads, which read the same compressed file."""
    paths = [str(path) for path in (big, laid_out(big.parent))]
    wanted = in_one_process(*map(Path, paths))
    target = big.parent / "rows.npz"
    options = ("--summary", "--top", "3", "--near", "4", "--scheduler", address)
    assert out("run", *paths, *options, "-o", str(target)) == ""
    assert target.read_bytes() == wanted


def lost(folder: Path, kind: str) -> tuple[Path, Path]:
    """A scenario, and an array of it that a worker will not find."""
    if kind == "projected":
        return projected(folder), folder / "x.npy"
    if kind == "chunks":
        return chunked(folder, 3), folder / "k.zarr"
    return folder / "big.json", folder / "k.npy"


@pytest.mark.parametrize("kind", ["rows", "chunks", "projected"])
def test_a_file_that_a_worker_does_not_find_is_named(kind: str, client: Client, big: Path) -> None:
    """As one that it has to find where it lies here."""
    path, file = lost(big.parent, kind)
    long = long_of(path)
    one = ready(long, COMPARED)
    file.rename(file.with_name("elsewhere"))
    with pytest.raises(AttncalcError, match=rf"a worker cannot read .*{file.name}"):
        spread(client, [long], [one], ASKED)


def by_hand(path: Path, asked: Asked = ASKED) -> Summary:
    """What the workers do, one part after another in this process."""
    long = long_of(path)
    one = ready(long, COMPARED)
    tables = {"q": one.problem.q, "k": one.problem.k, "v": one.problem.v}
    known = {}
    for name, table in tables.items():
        if isinstance(table, Filed):
            kind, width = one.problem.kind, table.shape[3]
            parts = [extent_at(table.located, kind, width, *piece) for piece in pieces(table.located)]
            known[name] = joined(parts)  # type: ignore[arg-type]
            assert known[name] == extent_of(table.all().astype(kind))
    problem = with_extents(one.problem, known)
    summary, parts = nothing_yet(problem, asked), dict[Job, Part]()
    for share in shares.shares(problem, asked, 10_000):
        blocks = blocks_of(Work(str(path), long.source, known), asked, share)
        assert isinstance(blocks, list)
        for job, block in zip(share, blocks, strict=True):
            put(summary, parts, job, *block)
    return finished(one, with_map(summary, parts))


def test_no_more_is_read_at_once_than_is_allowed(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and values go by in parts of the size that is given, and the bytes stay the same."""
    sizes: list[int] = []
    rows = Filed.rows

    def watched(self: Filed, *place: Any) -> Any:
        values = rows(self, *place)
        if self.name != "q":
            sizes.append(values.size * 8)
        return values

    monkeypatch.setattr(Filed, "rows", watched)
    monkeypatch.setattr("attncalc.long.softmax.SUMMARY_TILE", 4 * TILE)
    tiled = render(by_hand(big))
    assert max(sizes) == 700 * 8 * 8
    sizes.clear()
    monkeypatch.setattr(shares, "MOST_READ", 2 * TILE * 8 * 8)
    assert render(by_hand(big)) == tiled
    assert max(sizes) == 2 * TILE * 8 * 8


def test_a_share_is_of_one_head_and_not_larger_than_asked(big: Path) -> None:
    """All blocks are in one share each."""
    problem = ready(long_of(big)).problem
    found = shares.shares(problem, most=100_000)
    assert sorted(job for share in found for job in share) == sorted(jobs(problem))
    assert all(len({(job.batch, job.head) for job in share}) == 1 for share in found)
    assert len(found) > 2


@pytest.fixture
def here(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds the two workers under the word `local`."""
    monkeypatch.setattr(cluster, "local", lambda workers: nullcontext(client))


LOCAL = ("--summary", "--scheduler", "local")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("format", ["table", "json", "npz"])
def test_several_scenarios_are_several_summaries(format: str, big: Path) -> None:
    """One after another as a table, one a line as JSON, by the names of their files as arrays; with workers or not."""
    other = saved(big.parent / "other.json", {**json.loads(big.read_text()), "softcap": 2})
    target = big.parent / "target"
    alone = in_one_process(big, other, format=format, options=("--summary", "--width", "80"))
    assert out("run", str(big), str(other), *LOCAL, "--format", format, "--width", "80", "-o", str(target)) == ""
    assert target.read_bytes() == alone
    if format == "npz":
        assert {"big/context", "other/context", "other/keys"} < {*np.load(target)}
    elif format == "json":
        assert [json.loads(line)["format"] for line in alone.splitlines()] == ["attncalc-summary/1"] * 2


MAPS: list[tuple[str, ...]] = [
    ("--picture", "map", "--head", "1"),
    ("--picture", "map", "--head", "mean", "--pool", "mean", "--summary"),
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("options", MAPS)
def test_a_map_is_pooled_by_workers_too(options: tuple[str, ...], big: Path) -> None:
    """Alone and with a summary, of one head and of the average, as arrays and as a picture."""
    for name in ("map.npz", "map.svg"):
        target = big.parent / name
        alone = in_one_process(big, format=target.suffix[1:], options=options)
        assert out("run", str(big), *options, "--scheduler", "local", "-o", str(target)) == ""
        assert target.read_bytes() == alone


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
    (
        ("--scheduler", "local"),
        "--scheduler: works with --summary / --picture map only",
        "只能与 --summary / --picture map 一起使用",
    ),
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


@pytest.mark.parametrize("error", [RuntimeError("Nanny failed to start."), OSError(24, "Too many open files")])
@pytest.mark.parametrize(("language", "words"), [("en", "could not be started"), ("zh", "没能启动")])
def test_workers_that_do_not_start_are_said(
    error: Exception, language: str, words: str, big: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """As where memory is scarce: with the reason, and what to do."""

    def failing(**_: Any) -> None:
        raise error

    monkeypatch.setattr(cluster, "LocalCluster", failing)
    done = call("run", str(big), *LOCAL, language=language)
    assert (done.code, words in done.err, str(error).rstrip(".") in done.err) == (2, True, True)


def test_without_the_library_it_is_named(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the extra that brings it."""
    for name in ("attncalc.long.cluster", "attncalc.long.spread", "distributed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr("attncalc.long.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("run", str(big), *LOCAL)
    assert (done.code, "'.[dask]'" in done.err) == (2, True)


@pytest.mark.parametrize("starting", [True, False])
def test_an_interrupt_ends_the_workers(starting: bool, big: Path) -> None:
    """130, no file, no process that goes on, and no word of theirs: while they calculate, and while they start."""
    numbers = np.random.default_rng(4)
    for name in "qkv":
        np.save(big.parent / f"{name}.npy", numbers.standard_normal((8, 20_000, 32)).astype(np.float32))
    command = ["-m", "attncalc", "run", str(big), *LOCAL, "-o", "rows.npz"]
    child = pexpect.spawn(sys.executable, command, cwd=str(big.parent), encoding="utf-8", timeout=120)
    if not starting:
        child.expect("%")
    started, workers = psutil.Process(child.pid), list[psutil.Process]()
    while len(workers) < 3:  # with the one that looks after what they share
        time.sleep(0.02)
        workers = started.children(recursive=True)
    time.sleep(0.3 if starting else 0)  # they are loading what they need
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before
    _, alive = psutil.wait_procs(workers, timeout=90)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
    assert not (big.parent / "rows.npz").exists()


def test_most_workers_is_a_number_of_processes() -> None:
    """The word of the option and the completion are one."""
    from attncalc.cli.options import OPTIONS

    assert OPTIONS["scheduler"].values == (spreading.LOCAL,)


FORMATS = (2, 3)


def chunked(folder: Path, format: int, **settings: Any) -> Path:
    """The arrays of the folder in chunks of two hundred tokens beside them, and the scenario of those."""
    for name in "qkv":
        values = np.load(folder / f"{name}.npy")
        made = zarr.create_array(
            folder / f"{name}.zarr", shape=values.shape, chunks=(1, 200, 8), dtype=values.dtype, zarr_format=format,
            **settings,
        )  # fmt: skip
        made[:] = values
    return saved(folder / "big.json", {**{name: {"zarr": f"{name}.zarr"} for name in "qkv"}, "mask": "causal"})


@pytest.mark.parametrize("format", FORMATS)
def test_chunks_give_the_bytes_of_rows(format: int, client: Client, big: Path) -> None:
    """By workers and without, of format 2 and 3."""
    wanted = in_one_process(big)
    path = chunked(big.parent, format)
    assert spread_over(client, path) == wanted
    assert in_one_process(path) == wanted


def test_shards_give_the_bytes_of_rows(big: Path) -> None:
    """Chunks that lie in larger files."""
    wanted = in_one_process(big)
    assert in_one_process(chunked(big.parent, 3, shards=(1, 400, 8))) == wanted


def test_a_part_of_chunks_is_read(big: Path) -> None:
    """Positions and columns, also where a scenario is calculated whole."""
    path = saved(chunked(big.parent, 3), {**{n: {"zarr": f"{n}.zarr", "index": [1], "columns": [2, 6]} for n in "qkv"}})
    values = {name: np.load(big.parent / f"{name}.npy")[1, :, 2:6] for name in "qkv"}
    context = np.load(io.BytesIO(in_one_process(path)))["context"][0, 0]
    scores = values["q"].astype(float) @ values["k"].T / 2
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(context, weights @ values["v"], 1e-5, 1e-5)
    cut = json.dumps({n: {"zarr": f"{n}.zarr", "index": [0], "columns": [0, 2]} for n in "qk"})
    assert '"shape": [700, 2]' in call("run", "-", "--json", "--step", "q", stdin=cut.encode(), cwd=big.parent).out


HOSTILE: list[tuple[int, str, Any, str, str]] = [
    (2, "filters", [{"id": "pickle"}], "pickle, which is not read", "不读取这种编码"),
    (2, "compressor", {"id": "pickle"}, "pickle, which is not read", "不读取这种编码"),
    (2, "dtype", "|O", "type object", "类型是 object"),
    (2, "dtype", [["a", "<f4"]], "type struct", "类型是 struct"),
    (2, "chunks", [1, 10**9, 8], "smaller ones", "小一些的分块"),
    (2, "shape", "700", "not a sound zarr file", "不是完好的 zarr 文件"),
    (3, "codecs", [{"name": "numcodecs.pickle"}], "numcodecs.pickle, which is not read", "不读取这种编码"),
    (3, "codecs", [{"name": "sharding_indexed", "configuration": {"codecs": [{"name": "pickle"}]}}],
     "pickle, which is not read", "不读取这种编码"),
    (3, "data_type", "string", "type string", "类型是 string"),
    (3, "node_type", "group", "no zarr array in it", "里面没有 zarr 数组"),
    (3, "chunk_grid", {"name": "rectangular"}, "cannot be understood", "无法识别"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "key", "value", "english", "chinese"), HOSTILE)
def test_what_a_stranger_writes_into_metadata_is_refused(
    format: int, key: str, value: Any, english: str, chinese: str, big: Path
) -> None:  # fmt: skip
    """No object is ever unpacked, no chunk larger than allowed asked for; in both languages, with the place."""
    path = chunked(big.parent, format)
    metadata = big.parent / "k.zarr" / ("zarr.json" if format == 3 else ".zarray")
    metadata.write_text(json.dumps({**json.loads(metadata.read_text()), key: value}))
    for language, words in (("en", english), ("zh", chinese)):
        done = call("run", str(path), "--summary", language=language)
        assert (done.code, done.out) == (2, "")
        assert words in done.err
        assert "big.json: k" in done.err


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"zarr": "none.zarr"}, "there is no file none.zarr"),
    ({"zarr": "../q.zarr"}, "--allow-outside"),
    ({"zarr": "q.npy"}, "q.npy is not a sound zarr file"),
    ({"zarr": "q.zarr", "key": "a"}, "has a key, but zarr is a single array"),
    ({"zarr": "q.zarr", "index": [5]}, "index 5 does not exist"),
    ({"zarr": "q.zarr", "columns": [3, 99]}, "3 to 99"),
    ({"zarr": "single.zarr"}, "has 0 axes"),
    ({"zarr": "single.zarr", "columns": [0, 1]}, "columns 0 to 1 do not exist"),
    ({"zarr": "q.zarr", "npy": "q.npy"}, "exactly one of npy, npz, safetensors, zarr"),
]


@pytest.mark.parametrize(("reference", "words"), WRONG)
def test_a_wrong_reference_to_chunks_is_said(reference: dict[str, Any], words: str, big: Path) -> None:
    """With the place in the scenario."""
    path = chunked(big.parent, 3)
    zarr.create_array(big.parent / "single.zarr", shape=(), chunks=(), dtype=np.float32)
    saved(path, {**json.loads(path.read_text()), "q": reference})
    done = call("run", str(path), "--summary")
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_damaged_chunk_is_said_by_whoever_reads_it(client: Client, big: Path) -> None:
    """In this process as in another."""
    path = chunked(big.parent, 3)
    chunk = next(file for file in sorted((big.parent / "v.zarr" / "c").rglob("*")) if file.is_file())
    chunk.write_bytes(b"nothing")
    done = call("run", str(path), "--summary")
    assert (done.code, "v.zarr is not a sound zarr file" in done.err) == (2, True)
    with pytest.raises(AttncalcError, match=r"v\.zarr is not a sound zarr file"):
        spread_over(client, path)
