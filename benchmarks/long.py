"""Long contexts against PyTorch's attention, ONNX Runtime's and plain NumPy: time, memory, growth.

Every rival is a process of its own that stays alive and times itself; they take turns, so that a busy moment hits all.
Run with a Python that can import attncalc, torch, onnx and onnxruntime; a rival that cannot be imported is left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

WIDTH = 64
CONTEXT_TOKENS = (4096, 10_000, 16_384)
PROCESS_TOKENS = (1024, 4096, 10_000)
GROWTH_TOKENS = (1024, 2048, 4096, 8192, 16_384)
MANY = 1_000_000


# --- the rivals, each in its own process -------------------------------------------------------


def arrays(tokens: int, kind: str) -> list[Any]:
    """Queries, keys and values from a fixed seed."""
    import numpy as np

    numbers = np.random.default_rng(tokens)
    return [numbers.standard_normal((tokens, WIDTH)).astype(kind) for _ in range(3)]


def ours(task: dict[str, Any]) -> Callable[[], Any]:
    """The kernel of attncalc on two threads, from arrays to contexts (and the summary)."""
    import numpy as np

    from attncalc.long.hiding import Hiding
    from attncalc.long.loading import judged
    from attncalc.long.problem import Asked, Problem
    from attncalc.long.summary import attended
    from attncalc.long.tables import held

    tokens, asked = task["tokens"], Asked() if task["summary"] else None
    q, k, v = (values[None, None] for values in arrays(tokens, task["kind"]))
    grid, hiding = (1, 1, tokens, tokens), Hiding(tokens, np.arange(tokens), task["causal"])

    def work() -> Any:
        problem = Problem(grid, task["kind"], hiding, held(q), held(k), held(v), factor=WIDTH**-0.5)
        return attended(judged(problem), asked, 2)

    return work


def torch(task: dict[str, Any]) -> Callable[[], Any]:
    """PyTorch's scaled_dot_product_attention on two threads."""
    import torch as library

    library.set_num_threads(2)
    q, k, v = (library.from_numpy(values)[None, None] for values in arrays(task["tokens"], task["kind"]))
    attend = library.nn.functional.scaled_dot_product_attention
    return lambda: attend(q, k, v, is_causal=task["causal"])


def numpy(task: dict[str, Any]) -> Callable[[], Any]:
    """The textbook lines, with all scores at once, BLAS on two threads."""
    import numpy as np

    q, k, v = arrays(task["tokens"], task["kind"])
    hidden = np.triu(np.full((task["tokens"],) * 2, -np.inf, q.dtype), 1) if task["causal"] else None

    def work() -> Any:
        scores = q @ k.T / np.sqrt(q.dtype.type(WIDTH))
        if hidden is not None:
            scores += hidden
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True) @ v

    return work


def onnx(task: dict[str, Any]) -> Callable[[], Any]:
    """ONNX Runtime's Attention (opset 23) on two threads."""
    import onnxruntime
    from onnx import TensorProto, helper

    element = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}[task["kind"]]
    q, k, v = (values[None, None] for values in arrays(task["tokens"], task["kind"]))
    inputs = [helper.make_tensor_value_info(name, element, q.shape) for name in "qkv"]
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=int(task["causal"]))
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", element, q.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    feed = dict(zip("qkv", (q, k, v), strict=True))
    return lambda: session.run(None, feed)


def one_query(task: dict[str, Any]) -> Callable[[], Any]:
    """The last of very many queries, from files."""
    from attncalc.long.loading import load_long
    from attncalc.long.problem import Asked
    from attncalc.long.rows import streamed
    from attncalc.scenario_files.sources import source_at

    path = str(Path(task["folder"]) / "big.json")
    return lambda: streamed(load_long(source_at(path)), (task["tokens"] - 1,), Asked(20))


def reading(task: dict[str, Any]) -> Callable[[], Any]:
    """Both arrays read once with NumPy."""
    import numpy as np

    files = [str(Path(task["folder"]) / f"{name}.npy") for name in "kv"]
    return lambda: [np.load(file).max(axis=0) for file in files]


RIVALS = {work.__name__: work for work in (ours, torch, numpy, onnx, one_query, reading)}


def peak() -> int:
    """The most memory that this process ever held, in kB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def serve(name: str) -> None:
    """Answers tasks, one a line: prepares the work of a task or runs it once more."""
    work: Callable[[], Any] | None = None
    for line in sys.stdin:
        task = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if task:
                work = RIVALS[name](task)
                answer = {"before": peak()}
            elif work is not None:
                start = time.perf_counter()
                work()
                answer = {"seconds": time.perf_counter() - start, "peak": peak()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:100]}
        print(json.dumps(answer), flush=True)


# --- taking turns ------------------------------------------------------------------------------


class Rival:
    """A process that works for one rival."""

    def __init__(self, name: str) -> None:
        self.name = name
        threads = "2" if name == "numpy" else "1"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, __file__, "--serve", name]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )  # fmt: skip

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """The answer to a task; {} runs the last one again."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "ended"}

    def end(self) -> None:
        """Ends the process."""
        self.process.communicate()


class Measured(NamedTuple):
    """A rival's median seconds, how far its runs spread (90 % of them, as a share), and MB above its inputs."""

    seconds: float
    spread: float
    megabytes: float


def measured(tasks: Sequence[tuple[str, dict[str, Any]]], rounds: int) -> dict[str, Measured]:
    """Each rival's task, in turns; a first round does not count. Keys are the names, `ours+` for a summary."""
    rivals = [(f"{name}+" if task.get("summary") else name, Rival(name), task) for name, task in tasks]
    before = {key: rival.ask(task) for key, rival, task in rivals}
    answers: dict[str, list[dict[str, Any]]] = {key: [] for key, _, _ in rivals}
    for _ in range(rounds + 1):
        for key, rival, _ in rivals:
            if "error" not in before[key]:
                answers[key].append(rival.ask({}))
    for _, rival, _ in rivals:
        rival.end()
    found = {}
    for key, runs in answers.items():
        if not runs or any("error" in run for run in runs):
            continue
        times = sorted(run["seconds"] for run in runs[1:])
        middle = statistics.median(times)
        low, high = times[len(times) // 20], times[-1 - len(times) // 20]
        found[key] = Measured(middle, (high - low) / middle, (runs[-1]["peak"] - before[key]["before"]) / 1024)
    return found


def contexts(rounds: int, tokens: Sequence[int]) -> None:
    """Context only and with the summary, against the libraries."""
    print("\nmilliseconds (ratio to torch; spread of the runs; MB above the inputs)")
    for kind, causal in (("float32", True), ("float32", False), ("float64", True)):
        for count in tokens:
            task = {"tokens": count, "kind": kind, "causal": causal, "summary": False}
            tasks = [("ours", task), ("ours", {**task, "summary": True}), ("torch", task)]
            tasks += [("numpy", task)] if count <= 10_000 else []
            tasks += [("onnx", task)] if kind == "float32" and count <= 10_000 else []
            name = f"{kind} {'causal' if causal else 'full  '} {count:6}"
            print(f"{name}  {said(measured(tasks, rounds), 'torch')}", flush=True)


def said(found: dict[str, Measured], base: str) -> str:
    """One line."""
    unit = found[base].seconds if base in found else math.nan
    return "   ".join(
        f"{name} {1000 * m.seconds:.0f} ({m.seconds / unit:.2f}; ±{50 * m.spread:.0f} %; {m.megabytes:.0f} MB)"
        for name, m in found.items()
    )


def growth(rounds: int) -> None:
    """The exponent of the time from 1,024 to 16,384 tokens, for all queries and for one."""
    for name, task in (("ours", {"kind": "float32", "causal": True, "summary": True}), ("one_query", {})):
        points = []
        for count in GROWTH_TOKENS if name == "ours" else (100_000, 250_000, 500_000, MANY):
            with tempfile.TemporaryDirectory() as folder:
                if name == "one_query":
                    in_folder(Path(folder), count)
                one = measured([(name, {**task, "tokens": count, "folder": folder})], rounds)
            points.append((math.log(count), math.log(next(iter(one.values())).seconds)))
        print(f"growth of {name}: exponent {slope(points):.2f}", flush=True)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the line that fits best."""
    middle = [statistics.mean(axis) for axis in zip(*points, strict=True)]
    above = sum((x - middle[0]) * (y - middle[1]) for x, y in points)
    return above / sum((x - middle[0]) ** 2 for x, _ in points)


def in_folder(folder: Path, tokens: int, kind: str = "float32") -> None:
    """Queries, keys, values and the scenario that names them."""
    import numpy as np

    for name, values in zip("qkv", arrays(tokens, kind), strict=True):
        np.save(folder / f"{name}.npy", values)
    document = {**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal"}
    (folder / "big.json").write_text(json.dumps(document), encoding="utf-8")


def single(rounds: int) -> None:
    """One query among a million, against reading the keys and values once."""
    with tempfile.TemporaryDirectory() as folder:
        in_folder(Path(folder), MANY)
        task = {"tokens": MANY, "folder": folder}
        found = measured([("one_query", task), ("reading", task)], rounds)
    print(f"\none query among {MANY:,}: {said(found, 'reading')}", flush=True)


TORCH_SUMMARY = """
import sys, numpy as np, torch
folder, out = sys.argv[1:3]
torch.set_num_threads(2)
q, k, v = (torch.from_numpy(np.load(f"{folder}/{name}.npy")) for name in "qkv")
context = torch.nn.functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)
top, entropy = [], []
for start in range(0, len(q), 512):
    rows = torch.arange(start, min(start + 512, len(q)))
    s = q[rows] @ k[: int(rows[-1]) + 1].T / q.shape[1] ** 0.5
    s = s.masked_fill(torch.arange(s.shape[1]) > rows[:, None], float("-inf"))
    a = s.softmax(-1)
    top.append(a.topk(min(5, a.shape[1])).values)
    entropy.append(-(torch.xlogy(a, a)).sum(-1))
np.savez(out, context=context.numpy(), entropy=torch.cat(entropy).numpy())
"""


def processes(rounds: int) -> None:
    """Whole processes, from files to a written summary."""
    print("\nwhole processes, milliseconds: attncalc, Python with torch (context only; with a summary), ratios")
    for count in PROCESS_TOKENS:
        with tempfile.TemporaryDirectory() as folder:
            in_folder(Path(folder), count)
            target = str(Path(folder) / "out.npz")
            scenario = str(Path(folder) / "big.json")
            plain = TORCH_SUMMARY[: TORCH_SUMMARY.index("top,")] + "np.savez(out, context=context.numpy())\n"
            commands = [
                [sys.executable, "-m", "attncalc", "run", scenario, "--summary", "-o", target, "--force"],
                [sys.executable, "-c", plain, folder, target],
                [sys.executable, "-c", TORCH_SUMMARY, folder, target],
            ]
            turns = [[seconds(command) for command in commands] for _ in range(rounds + 1)][1:]
        middle = [statistics.median(times) for times in zip(*turns, strict=True)]
        ratios = " ".join(f"{middle[0] / other:.2f}" for other in middle[1:])
        print(f"{count:6}  " + "  ".join(f"{1000 * time_:.0f}" for time_ in middle) + f"   {ratios}", flush=True)


def seconds(command: Sequence[str]) -> float:
    """The time of one process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - start


PARTS: dict[str, Callable[[int], None]] = {
    "contexts": lambda rounds: contexts(rounds, CONTEXT_TOKENS), "single": single, "processes": processes,
    "growth": growth,
}  # fmt: skip


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often each rival runs (7)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is measured")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    import numpy as np

    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds, width {WIDTH}")
    for part in options.parts:
        PARTS[part](options.rounds)


if __name__ == "__main__":
    main()
