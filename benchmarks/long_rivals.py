"""The rivals of `long.py`: what each calculates, in a process of its own that stays alive and times itself."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WIDTH = 64


def arrays(tokens: int, kind: str) -> list[Any]:
    """Queries, keys and values from a fixed seed."""
    import numpy as np

    numbers = np.random.default_rng(tokens)
    # Drawn in their type: a larger copy on the way would count into the peak.
    return [numbers.standard_normal((tokens, WIDTH), dtype=np.dtype(kind)) for _ in range(3)]


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


def in_folder(folder: Path, tokens: int, kind: str = "float32") -> None:
    """Queries, keys, values and the scenario that names them."""
    import numpy as np

    for name, values in zip("qkv", arrays(tokens, kind), strict=True):
        np.save(folder / f"{name}.npy", values)
    document = {**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal"}
    (folder / "big.json").write_text(json.dumps(document), encoding="utf-8")


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


if __name__ == "__main__":
    serve(sys.argv[1])
