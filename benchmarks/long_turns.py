"""Rivals that take turns, so that a busy moment hits all of them."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

REST = 0.4
"""Seconds between two turns: the threads of some libraries spin for a while after their work, and disturb the next."""


class Rival:
    """A process that works for one rival."""

    def __init__(self, name: str) -> None:
        self.name = name
        threads = "2" if name == "numpy" else "1"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, str(Path(__file__).with_name("long_rivals.py")), name]
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
                time.sleep(REST)
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


def seconds(command: Sequence[str]) -> float:
    """The time of one process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - start


def machine() -> dict[str, str]:
    """The machine and the versions, as they are told beside the figures."""
    found = {"system": f"{platform.system()} {platform.machine()}", "cores": str(os.cpu_count()), "processor": "?"}
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        found["processor"] = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    versions = [f"Python {platform.python_version()}"]
    for name in ("numpy", "torch", "onnxruntime"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    return {**found, "versions": ", ".join(versions), "load": f"{os.getloadavg()[0]:.1f}"}
