"""Long contexts against PyTorch's attention, ONNX Runtime's and plain NumPy: time, memory, growth.

Every rival is a process of its own that stays alive and times itself; they take turns, so that a busy moment hits all.
Run with a Python that can import attncalc, torch, onnx and onnxruntime; a rival that cannot be imported is left out.
`--page` writes what was measured to docs/long-measured.md and its Chinese sister.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from long_page import Table, write_page
from long_rivals import TORCH_SUMMARY, WIDTH, in_folder
from long_turns import Measured, machine, measured, seconds

CONTEXT_TOKENS = (4096, 10_000, 16_384)
PROCESS_TOKENS = (1024, 4096, 10_000)
GROWTH_TOKENS = (1024, 2048, 4096, 8192, 16_384)
ONE_QUERY_TOKENS = (100_000, 250_000, 500_000, 1_000_000)
MANY = 1_000_000
MEMORY_TOKENS = (16_384, 65_536)
MOST_HELD = 10_000
"""Tokens up to which the rivals that hold all scores run."""

RIVALS = ("ours", "ours+", "torch", "onnx", "numpy")


def contexts(rounds: int) -> list[Table]:
    """Context only and with the summary, against the libraries: times with ratios to torch, and memory."""
    times, memory = [], []
    for kind, causal in (("float32", True), ("float32", False), ("float64", True)):
        for count in CONTEXT_TOKENS:
            found = _raced(kind, causal, count, rounds)
            row = (kind, "causal" if causal else "full", f"{count:,}")
            unit = found["torch"].seconds if "torch" in found else math.nan
            times.append((*row, *(_time(found.get(name), unit) for name in RIVALS)))
            memory.append((*row, *(_memory(found.get(name)) for name in RIVALS)))
    return [Table("contexts", times), Table("memory", memory)]


def _raced(kind: str, causal: bool, count: int, rounds: int) -> dict[str, Measured]:
    task = {"tokens": count, "kind": kind, "causal": causal, "summary": False}
    tasks = [("ours", task), ("ours", {**task, "summary": True}), ("torch", task)]
    tasks += [("numpy", task)] if count <= MOST_HELD else []
    tasks += [("onnx", task)] if kind == "float32" and count <= MOST_HELD else []
    return measured(tasks, rounds)


def _time(found: Measured | None, unit: float) -> str:
    return f"{1000 * found.seconds:.0f} ({found.seconds / unit:.2f})" if found else "–"


def _memory(found: Measured | None) -> str:
    return f"{found.megabytes:.0f}" if found else "–"


def limits(rounds: int) -> list[Table]:
    """The memory of a whole summary as the tokens grow."""
    rows = []
    for count in MEMORY_TOKENS:
        task = {"tokens": count, "kind": "float32", "causal": True, "summary": True}
        found = measured([("ours", task)], 1)["ours+"]
        rows.append((f"{count:,}", f"{found.seconds:.1f}", _memory(found)))
    return [Table("limits", rows)]


def single(rounds: int) -> list[Table]:
    """One query among a million, against reading the keys and values once."""
    with tempfile.TemporaryDirectory() as folder:
        in_folder(Path(folder), MANY)
        task = {"tokens": MANY, "folder": folder}
        found = measured([("one_query", task), ("reading", task)], rounds)
    ours, reading = found["one_query"], found["reading"]
    ratio = f"{ours.seconds / reading.seconds:.2f}"
    return [
        Table("single", [(f"{MANY:,}", *(f"{1000 * m.seconds:.0f}" for m in (ours, reading)), ratio, _memory(ours))])
    ]


def processes(rounds: int) -> list[Table]:
    """Whole processes, from files to a written summary: attncalc, torch for the context, torch for a summary too."""
    rows = []
    for count in PROCESS_TOKENS:
        with tempfile.TemporaryDirectory() as folder:
            in_folder(Path(folder), count)
            commands = _commands(folder)
            turns = [[seconds(command) for command in commands] for _ in range(rounds + 1)][1:]
        ours, *others = [statistics.median(times) for times in zip(*turns, strict=True)]
        rows.append(
            (f"{count:,}", f"{1000 * ours:.0f}", *(f"{1000 * other:.0f} ({ours / other:.2f})" for other in others))
        )
    return [Table("processes", rows)]


def _commands(folder: str) -> list[list[str]]:
    target, scenario = (str(Path(folder) / name) for name in ("out.npz", "big.json"))
    plain = TORCH_SUMMARY[: TORCH_SUMMARY.index("top,")] + "np.savez(out, context=context.numpy())\n"
    return [
        [sys.executable, "-m", "attncalc", "run", scenario, "--summary", "-o", target, "--force"],
        [sys.executable, "-c", plain, folder, target],
        [sys.executable, "-c", TORCH_SUMMARY, folder, target],
    ]


def growth(rounds: int) -> list[Table]:
    """The exponent of the time as the tokens grow, for all queries and for one."""
    rows = []
    for name, tokens in (("ours", GROWTH_TOKENS), ("one_query", ONE_QUERY_TOKENS)):
        points = [(math.log(count), math.log(_alone(name, count, rounds))) for count in tokens]
        rows.append((name, f"{tokens[0]:,}–{tokens[-1]:,}", f"{slope(points):.2f}"))
    return [Table("growth", rows)]


def _alone(name: str, count: int, rounds: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        if name == "one_query":
            in_folder(Path(folder), count)
        task = {"tokens": count, "kind": "float32", "causal": True, "summary": True, "folder": folder}
        (found,) = measured([(name, task)], rounds).values()
    return found.seconds


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the line that fits best."""
    middle = [statistics.mean(axis) for axis in zip(*points, strict=True)]
    above = sum((x - middle[0]) * (y - middle[1]) for x, y in points)
    return above / sum((x - middle[0]) ** 2 for x, _ in points)


PARTS: dict[str, Callable[[int], list[Table]]] = {
    work.__name__: work for work in (contexts, limits, single, processes, growth)
}


def main() -> None:
    """Prints the figures, and writes the page where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often each rival runs (7)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is measured")
    parser.add_argument("--page", action="store_true", help="write docs/long-measured.md and docs/zh/long-measured.md")
    options = parser.parse_args()
    here = {**machine(), "rounds": str(options.rounds), "width": str(WIDTH)}
    print(here, flush=True)
    tables = []
    for part in options.parts:
        for table in PARTS[part](options.rounds):
            print(f"\n{table.name}", *("  ".join(row) for row in table.rows), sep="\n", flush=True)
            tables.append(table)
    if options.page:
        write_page(tables, here)


if __name__ == "__main__":
    main()
