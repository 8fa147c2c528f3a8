"""How many simulated mistakes `check` names, how many right answers and slips it takes for one, and how long it takes.

    python benchmarks/diagnosis.py --draws 1000

One mistake at a time, made in scenarios of the generator (level 5: 4 tokens, d_model 6, two heads, causal mask, numbers
from −1 to 1), the answer to the last step given at two decimals: the whole table, or the row of one query. A mistake is
named where it is found alone or together with its true twins only, which give the same numbers in that draw. A slip is
one attention weight off by 0.1 or 1, or one number of x, W_V or W_O off by 1.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from multiprocessing import Pool
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np

from attncalc import load, run
from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.practice.answered import Answered
from attncalc.practice.catalogue import CATALOGUE
from attncalc.practice.diagnose import diagnose
from attncalc.practice.discriminating import drawn
from attncalc.practice.plan import Plan, plan_of, with_arrays
from attncalc.practice.recipes import LEVELS
from attncalc.practice.simulation import Simulation
from attncalc.practice.verdicts import RIGHT

FIRST_SEED = 50_000  # the tests use small ones
STEP, PLACES = "residual", 2
SLIPS = ("weights", "x", "w_v", "w_o")


def answers(cells: Values, query: int | None) -> Answered | None:
    """The cells as somebody writes them, of all queries or of one; None where one is no number."""
    if not np.isfinite(cells).all():
        return None
    given = np.ones(cells.shape, dtype=bool)
    if query is not None:
        given[:] = False
        given[:, :, query] = True
    exact = np.full(cells.shape, None, dtype=object)
    within, texts = exact.copy(), exact.copy()
    for place in np.argwhere(given):
        text = f"{cells[tuple(place)]:.{PLACES}f}"
        texts[tuple(place)], exact[tuple(place)] = text, Decimal(text)
        within[tuple(place)] = Decimal(5).scaleb(-PLACES - 1)
    values = np.where(given, np.round(cells, PLACES), np.nan)
    return Answered(STEP, values, exact, within, texts)


def mistakes(plan: Plan, simulation: Simulation) -> dict[str, Values]:
    """What each mistake gives, where it can be made and changes something whatever the numbers are."""
    found = {}
    right = (simulation.run(plan) or {})[STEP]
    for row in CATALOGUE:
        changed = row.change(plan)
        steps = simulation.run(changed) if changed is not None else None
        if steps is not None and steps[STEP].shape == right.shape and np.isfinite(steps[STEP]).all():
            found[row.name] = steps[STEP]
    return found


def slips(scenario: Scenario, plan: Plan, simulation: Simulation, seed: int) -> Iterator[Values]:
    """What one wrong number leads to, once for each kind of place."""
    chance = Random(seed)
    weights = (simulation.run(plan) or {})["weights"]
    for name in SLIPS:
        source = weights if name == "weights" else scenario.arrays[name].astype(np.float64)
        place = tuple(chance.randrange(length) for length in source.shape)
        off = chance.choice((-1, 1)) * (chance.choice((0.1, 1.0)) if name == "weights" else 1.0)
        if name == "weights":
            own = np.full(weights.shape, np.nan)
            own[place] = weights[place] + off
            steps = simulation.run(plan, {"weights": own})
        else:
            changed = source.copy()
            changed[place] += off
            steps = simulation.run(with_arrays(plan, {name: changed}))
        if steps is not None:
            yield steps[STEP]


def same(first: Values, second: Values, query: int | None) -> bool:
    """Whether two results are equal in the cells that are given."""
    part = slice(None) if query is None else query
    return bool(np.allclose(first[:, :, part], second[:, :, part], rtol=0, atol=1e-9))


def of_seed(seed: int) -> Counter[str]:
    """The counts of one draw."""
    counts: Counter[str] = Counter(draws=1)
    found = drawn(LEVELS[4], seed, (STEP,))
    counts["attempts"] = found.attempts
    scenario, trace = found.scenario, run(found.scenario)
    plan = plan_of(scenario)
    simulation = Simulation(plan)
    right = (simulation.run(plan) or {})[STEP]
    made = mistakes(plan, simulation)
    made = {name: cells for name, cells in made.items() if not same(cells, right, None)}
    wrong = list(slips(scenario, plan, simulation, seed))
    for label, query in (("table", None), ("row", scenario.queries[0])):
        counts += in_part(label, query, trace, right, made, wrong)
    return counts


def in_part(
    label: str, query: int | None, trace: Trace, right: Values, made: dict[str, Values], wrong: list[Values]
) -> Counter[str]:
    """The counts where the whole table, or one row of it, is given."""
    counts: Counter[str] = Counter()
    counts[f"{label}: right, called right"] = verdict(trace, right, query) == RIGHT
    for name, cells in made.items():
        counts[f"{label}: mistakes"] += 1
        given = answers(cells, query)
        names = {finding.name for finding in diagnose(trace, [given]).findings} if given else set()
        twins = {other for other in names if other in made and same(made[other], cells, query)}
        how = "alone" if names == {name} else "with twins" if name in names and names == twins else "not named"
        counts[f"{label}: mistakes, {how}"] += 1
        if how == "not named":
            counts[f"  {label}: {name} as {', '.join(sorted(names - {name})) or 'right'}"] += 1
    for cells in wrong:
        counts[f"{label}: slips"] += 1
        counts[f"{label}: slips, called {verdict(trace, cells, query)}"] += 1
    return counts


def verdict(trace: Trace, cells: Values, query: int | None) -> str:
    """The verdict on the cells as answers."""
    given = answers(cells, query)
    return diagnose(trace, [given]).verdict if given is not None else "no answer"


def catalogue_time() -> float:
    """Seconds for one run of the whole catalogue over a draw, without any start-up."""
    plan = plan_of(drawn(LEVELS[4], FIRST_SEED, (STEP,)).scenario)
    times = []
    for _ in range(9):
        start = perf_counter()
        simulation = Simulation(plan)
        simulation.run(plan)
        for row in CATALOGUE:
            if (changed := row.change(plan)) is not None:
                simulation.run(changed)
        times.append(perf_counter() - start)
    return sorted(times)[len(times) // 2]


def tensor_file(folder: Path, heads: int = 12, tokens: int = 128, width: int = 64) -> tuple[str, Path]:
    """A scenario of random q, k, v in float32 and a file of answers: a causal mask whose meaning is inverted."""
    chance = np.random.default_rng(0)
    arrays = {name: chance.standard_normal((heads, tokens, width)).astype(np.float32) for name in ("q", "k", "v")}
    np.savez(folder / "run.npz", **arrays)
    document = {name: {"npz": "run.npz", "key": name} for name in arrays} | {"mask": "causal"}
    scenario = folder / "run.json"
    scenario.write_text(json.dumps(document), encoding="utf-8")
    plan = plan_of(load(str(scenario)))
    row = next(row for row in CATALOGUE if row.name == "mask-inverted")
    changed = row.change(plan)
    steps = Simulation(plan).run(changed) if changed is not None else None
    if steps is None:
        raise ValueError("the mistake cannot be made")
    np.savez(folder / "answers.npz", **{name: steps[name].astype(np.float32)[0] for name in ("weights", "context")})
    return str(scenario), folder / "answers.npz"


def main() -> None:
    """Counts and times, as lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    counts: Counter[str] = Counter()
    with Pool(os.cpu_count()) as pool:
        for one in pool.imap_unordered(of_seed, range(FIRST_SEED, FIRST_SEED + draws)):
            counts += one
    print(f"{counts['draws']} draws, {counts['attempts'] / counts['draws']:.2f} attempts each")
    for name, count in sorted(counts.items()):
        kind = name.partition(",")[0]
        share = f"   {count / counts[kind]:.2%} of {kind}" if kind in counts and kind != name else ""
        print(f"{count:7d}  {name}{share}")
    print(f"the whole catalogue: {catalogue_time() * 1e3:.1f} ms")
    check_time()


def check_time() -> None:
    """How long `check` takes for a file of tensors, the start of the program included."""
    import subprocess
    import sys

    with tempfile.TemporaryDirectory() as folder:
        scenario, given = tensor_file(Path(folder))
        start = perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "attncalc", "check", scenario, str(given), "--json"],
            capture_output=True,
            check=False,
        )
        seconds = perf_counter() - start
    verdict = json.loads(done.stdout)["verdict"] if done.stdout else done.stderr.decode()
    print(f"check of 12 heads, 128 tokens, width 64: {seconds:.2f} s ({verdict})")


if __name__ == "__main__":
    main()
