"""What must stay as it is when a scenario is written otherwise: relations that need no second calculation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import numpy as np
from agreement import Document, Steps, steps_of, trace_of
from calling import call
from rivals.random_options import STARTS, build, random_plan
from rivals.random_scenarios import as_json

from attncalc.errors import CalculationError

CLOSE = 1e-12
MEANINGLESS = 10**9
"""A cap or a window that nothing reaches."""

FLAGS = ("keep", "drop")

Changed = tuple[Document, Document, Callable[[Steps, Steps], Iterator[str]]]
Relation = Callable[[Random], Changed]


def same(*names: str) -> Callable[[Steps, Steps], Iterator[str]]:
    """The steps of these names, or all that both have, are the same."""

    def compare(before: Steps, after: Steps) -> Iterator[str]:
        for name in names or sorted(before.keys() & after.keys()):
            yield from unlike(name, before[name], after[name])

    return compare


def unlike(name: str, before: Any, after: Any) -> Iterator[str]:
    """Where two arrays differ by more than a double does."""
    if np.shape(before) != np.shape(after):
        yield f"{name}: {np.shape(after)}, not {np.shape(before)}"
    elif not np.allclose(before, after, rtol=CLOSE, atol=CLOSE, equal_nan=True):
        yield f"{name}: {np.asarray(after).tolist()}, not {np.asarray(before).tolist()}"


def document(rng: Random, *wanted: str, extra: int = 5, without: tuple[str, ...] = ()) -> Document:
    """A random document with these options and without those."""
    while True:
        plan = random_plan(rng, frozenset(wanted), rng.randint(0, extra))
        if not plan.has(*without):
            return build(rng, plan)


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A function of every number of nested lists."""
    return [mapped(part, function) for part in value] if isinstance(value, list) else function(value)


def moved(value: Any, order: list[int], axis: int) -> Any:
    """Nested lists in another order along an axis counted from the end."""
    cells = np.array(value, dtype=object)
    if axis > cells.ndim or cells.shape[-axis] != len(order):
        return value
    return np.take(cells, order, axis=-axis).tolist()


# --- the relations ----------------------------------------------------------------------------

EMPTY = ("empty zero", "empty nan", "empty uniform")
SCALED = ("scale sqrt_d_k", "scale d_k", "scale sqrt_d_model", "scale number", "temperature")
RESIDUAL = ("residual true", "residual array")
POST = ("norm post layer", "norm post rms")
ALIBI = ("alibi true", "alibi slopes")
BIAS = ("bias", "bias hides")
PLACED = (
    *ALIBI, "mask causal", "causal true", "top-left", "bottom-right", "window causal", "window both", "rope halves",
    "rope neighbours", "past", "hide", "key length", "key lengths", "self", "query", "split", "tokens",
)  # fmt: skip
"""What counts positions, or names them."""

FROM_SCORES = ("from q and k", "from x", "from scores")


def keys_in_another_order(rng: Random) -> Changed:
    """Without positions the keys are a set: their weights move along, the context stays."""
    start = rng.choice(("from q and k", "from scores", "from weights"))
    given = document(rng, start, without=(*PLACED, "no v"))
    keys = len(np.array(given["v"], dtype=object).swapaxes(0, -2))
    order = rng.sample(range(keys), keys)
    after = given | {name: moved(given[name], order, 2) for name in ("k", "v") if name in given}
    after |= {name: moved(given[name], order, 1) for name in ("scores", "weights", "bias") if name in given}
    if isinstance(given.get("mask"), dict):
        after["mask"] = {name: moved(flags, order, 1) for name, flags in given["mask"].items()}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        yield from unlike("weights", one["weights"][..., order], two["weights"])
        yield from unlike("context", one["context"], two["context"])

    return given, after, compare


def a_number_added_to_a_row(rng: Random) -> Changed:
    """Scores and sink moved together leave the weights."""
    start = rng.choice(("from scores", "from one row"))
    given = document(rng, start, "softmax", without=("softcap", "sinks", *SCALED))
    more = Decimal(rng.randint(-300, 300)) / 100
    after = given | {"scores": mapped(given["scores"], lambda s: s if s == "-Infinity" else s + more)}
    after |= {"sink": given["sink"] + more} if "sink" in given else {}
    return given, after, same("weights", *(["context"] if "v" in given else []))


def larger_values(rng: Random) -> Changed:
    """Values times −2.5 give the context times −2.5."""
    start = rng.choice(("from q and k", "from scores", "from one row", "from weights", "from v"))
    given = document(rng, start, without=("no v", "past"))
    after = given | {"v": mapped(given["v"], lambda v: v * Decimal("-2.5"))}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        yield from unlike("weights", one["weights"], two["weights"])
        yield from unlike("context", one["context"] * -2.5, two["context"])

    return given, after, compare


def split_batch(rng: Random) -> Changed:
    """An entry of a batch alone is what it was among the others."""
    given = document(rng, "batch", rng.choice(FROM_SCORES), without=("past", "residual array"))
    entry = rng.randrange(len(given.get("x", given.get("q", given.get("scores")))))
    depths = {"x": 3, "q": 4, "k": 4, "v": 4, "scores": 4, "bias": 4}
    after = dict(given)
    for name, depth in depths.items():
        if name in given and np.array(given[name], dtype=object).ndim == depth:
            after[name] = given[name][entry if len(given[name]) > 1 else 0]
    if isinstance(given.get("mask"), dict):
        after["mask"] = {name: entry_of(name, value, entry) for name, value in given["mask"].items()}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        for name in one.keys() & two.keys():
            yield from unlike(name, one[name][entry], two[name])

    return given, after, compare


def entry_of(name: str, value: Any, entry: int) -> Any:
    """A part of a mask for one entry of a batch."""
    if not isinstance(value, list) or name not in (*FLAGS, "key_lengths"):
        return value
    if name == "key_lengths":
        return value[entry]
    return value[entry if len(value) > 1 else 0] if np.array(value).ndim == 4 else value


def head_of(name: str, value: Any, head: int) -> Any:
    """A part of a mask for one head."""
    of_heads = name in FLAGS and np.array(value).ndim == 3
    return value[head if len(value) > 1 else 0] if of_heads else value


def one_head(rng: Random) -> Changed:
    """A head alone is what it was among the others."""
    without = ("batch", "split", "kv heads", "past", "sinks", "w_o", "scale sqrt_d_model", *RESIDUAL, *POST, *ALIBI)
    given = document(rng, "heads", "from q and k", "softmax", without=without)
    head = rng.randrange(len(given["q"]))
    after = {name: value for name, value in given.items() if name not in ("heads", "kv_heads")}
    for name in ("q", "k", "v", "bias"):
        if name in given and np.array(given[name], dtype=object).ndim == 3:
            after[name] = given[name][head if len(given[name]) > 1 else 0]
    if isinstance(given.get("mask"), dict):
        after["mask"] = {name: head_of(name, value, head) for name, value in given["mask"].items()}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        for name in one.keys() & two.keys() - {"joined"}:
            yield from unlike(name, one[name][head], two[name])

    return given, after, compare


def in_blocks(rng: Random) -> Changed:
    """In blocks of any size the context is that of whole rows."""
    given = document(rng, "softmax", rng.choice(STARTS[:6]), extra=8)
    after = given | {"algorithm": "online", "block": rng.randint(1, 5)}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        for name in one.keys() & two.keys():
            yield from unlike(name, one[name], two[name])

    return given, after, compare


def wide_window(rng: Random) -> Changed:
    """A window that holds all keys is none."""
    given = document(rng, "causal true", rng.choice(FROM_SCORES), without=("window causal",))
    return given, given | {"mask": given["mask"] | {"window": MEANINGLESS}}, same()


def high_cap(rng: Random) -> Changed:
    """A soft cap that no score comes near is none."""
    given = document(rng, rng.choice(FROM_SCORES), "softmax", without=("softcap",))
    return given, given | {"softcap": MEANINGLESS}, same("weights")


def nothing_changed(rng: Random) -> Changed:
    """Temperature 1, a bias and slopes of 0, a mask that keeps all, a residual of 0 change no number."""
    without = (*EMPTY, *RESIDUAL, *POST, *ALIBI, *BIAS, "mask none", "mask causal", "temperature", "unequal", "keep")
    given = document(rng, rng.choice(FROM_SCORES), rng.choice(("softmax", "linear")), without=without)
    after = given | {"temperature": 1, "bias": [0], "mask": {**given.get("mask", {}), "keep": [True]}}
    after |= {"alibi": [0] * len(given["q"])} if np.array(given.get("q", [0]), dtype=object).ndim == 3 else {}
    return given, after, same("scores", "weights", *(["context"] if "v" in given or "x" in given else []))


def key_taken_out(rng: Random) -> Changed:
    """A key that a mask hides from all gives the rows that there are without it."""
    without = (*PLACED, *EMPTY, *BIAS, "no v", "keep", "drop", "batch")
    given = document(rng, "from q and k", rng.choice(("softmax", "linear")), without=without)
    keys = np.array(given["k"], dtype=object)
    gone = rng.randrange(keys.shape[-2])
    if keys.shape[-2] == 1:
        return key_taken_out(rng)
    before = {name: value for name, value in given.items() if name != "mask"} | {"mask": {"hide": [gone]}}
    after = {name: value for name, value in given.items() if name != "mask"}
    after |= {name: np.delete(np.array(given[name], dtype=object), gone, axis=-2).tolist() for name in "kv"}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        yield from unlike("weights", np.delete(one["weights"], gone, axis=-1), two["weights"])
        yield from unlike("context", one["context"], two["context"])

    return before, after, compare


def half_as_a_cache(rng: Random) -> Changed:
    """Keys and values that are past give the last rows of the whole."""
    without = ("past", "batch", "split", "unequal", "query", "tokens", "no v", "residual array", "uniform", "self")
    given = document(rng, "from q and k", "mask causal", without=(*EMPTY, *BIAS, *without))
    whole = steps_of(given, "exact")
    ready = next(whole[name] for name in ("rotated_k", "normed_k", "k") if name in whole)
    tokens = ready.shape[-2]
    if tokens < 2:
        return half_as_a_cache(rng)
    past = rng.randint(1, tokens - 1)
    after = given | {name: np.array(given[name], dtype=object)[..., past:, :].tolist() for name in "qkv"}
    after["past"] = {"k": ready[..., :past, :].tolist(), "v": whole["v"][..., :past, :].tolist()}

    def compare(one: Steps, two: Steps) -> Iterator[str]:
        for name in ("scores", "weights", "context"):
            yield from unlike(name, one[name][..., past:, :], two[name])

    return given, after, compare


RELATIONS: tuple[Relation, ...] = (
    keys_in_another_order, a_number_added_to_a_row, larger_values, split_batch, one_head, in_blocks, wide_window,
    high_cap, nothing_changed, key_taken_out, half_as_a_cache,
)  # fmt: skip


def rewritten(relation: Relation, rng: Random) -> tuple[list[str], str]:
    """What a relation finds on a random document, and the two documents."""
    before, after, compare = relation(rng)
    kind = rng.choice(("exact", "float64"))
    found = list(compare(steps_of(before, kind), steps_of(after, kind)))
    return found, f"{as_json(before)}\n    {as_json(after)}"


# --- what commands say of one another ---------------------------------------------------------


def asked(given: Document, *words: str) -> str:
    """What a command prints of a document; nothing where it refuses."""
    done = call(*words, stdin=as_json(given).encode())
    assert done.code in (0, 2), done
    return done.out


def shown_by_run(given: Document) -> Any:
    """The trace of a document and the texts of a step's numbers."""
    from attncalc.core.numbers import figures

    trace = trace_of(given, str(given["arithmetic"]))
    return trace, lambda name: figures(trace, name)


def drawn(rng: Random, *wanted: str, without: tuple[str, ...] = ()) -> Document:
    """A document with an arithmetic, places and rounding."""
    given = document(rng, *wanted, extra=7, without=without)
    given |= {"arithmetic": rng.choice(("exact", "float64", "by-hand")), "places": rng.randint(2, 8)}
    return given | {"rounding": rng.choice(("half-up", "half-even", "truncate"))}


def why_says_what_run_shows(rng: Random) -> tuple[list[str], str]:
    """The number of a cell taken apart is that of the table."""
    given = drawn(rng)
    try:
        trace, texts = shown_by_run(given)
    except CalculationError:
        return [], as_json(given)
    step = rng.choice(list(trace))
    place = {axis: rng.randrange(count) for axis, count in zip(step.axes, step.shape, strict=True)}
    words = [str(at) for axis, at in place.items() if axis not in ("batch", "head")]
    head = place.get("head", 0) * trace.scenario.heads // max(step.cells.shape[1], 1)
    words += ["--batch", str(place.get("batch", 0))] * ("batch" in trace.scenario.axes)
    words += ["--head", str(head)] * ("head" in trace.scenario.axes)
    said = json.loads(asked(given, "why", "-", step.name, *words, "--json"))["cell"]["shown"].replace("−", "-")
    right = texts(step.name)[tuple(place.values())]
    hidden = said in ("-∞", "∞")
    found = (
        [] if said == right or (hidden and right in ("-inf", "inf")) else [f"{step.name} {place}: {said}, not {right}"]
    )
    return found, as_json(given)


def explain_says_what_run_shows(rng: Random) -> tuple[list[str], str]:
    """The weights and the context of a query told are its row of the tables."""
    given = drawn(rng, rng.choice(FROM_SCORES), without=("tokens", "query", "self"))
    try:
        trace, texts = shown_by_run(given)
    except CalculationError:
        return [], as_json(given)
    query = rng.randrange(trace.scenario.grid[2])
    told = asked(given, "explain", "-", "--token", str(query), "--plain", "--all", "--quiet")
    found = []
    for name in ("weights", "context"):
        if name in trace:
            rows = texts(name).reshape((-1, *trace[name].shape[-2:]))
            said = re.findall(rf"^{name} .*[=≈] (\S+)(?: \(.*\))?$", told, re.MULTILINE)
            if said != list(rows[0][query]):
                found.append(f"{name} of {query}: {said}, not {list(rows[0][query])}")
    return found, as_json(given)


def summary_says_what_run_shows(rng: Random) -> tuple[list[str], str]:
    """The context and the largest weights of all rows are those of the steps."""
    given = document(rng, rng.choice(("from q and k", "from x")), "softmax", without=("no v",))
    printed = asked(given, "run", "-", "--summary", "--json", "--arithmetic", "float64")
    if not printed:
        return [], as_json(given)
    rows, steps = json.loads(printed)["rows"], steps_of(given, "float64")
    weights = steps["weights"].reshape((*np.shape(rows["largest"]), -1))
    found = [*unlike("context", steps["context"].ravel(), doubles(rows["context"]).ravel())]
    top = -np.sort(-weights, axis=-1)[..., : np.shape(rows["weights"])[-1]]
    found += unlike("largest weights", top, doubles(rows["weights"])[..., : top.shape[-1]])
    return found, as_json(given)


def doubles(values: Any) -> Any:
    """Numbers of JSON; those that are texts too."""
    return np.array(mapped(values, lambda value: float(str(value).replace("Infinity", "inf"))))


COMMANDS = (why_says_what_run_shows, explain_says_what_run_shows, summary_says_what_run_shows)

EVERY: dict[str, Callable[[Random], tuple[list[str], str]]] = {
    **{relation.__name__: partial(rewritten, relation) for relation in RELATIONS},
    **{relation.__name__: relation for relation in COMMANDS},
}
"""Every relation: from a source of chance, what is broken and what it was tried on."""
