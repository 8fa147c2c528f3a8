"""The catalogue of mistakes against a rival that was written from their words: every row, in every kind of scenario."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from rivals import mistakes as rival
from rivals import random_options, random_scenarios
from samples import BUILT_IN, LANGUAGES

from attncalc import load
from attncalc.core.scenario import Scenario
from attncalc.errors import CalculationError
from attncalc.messages import catalogue
from attncalc.pipelines.standard import STEP_NAMES
from attncalc.practice.catalogue import CATALOGUE, mistake
from attncalc.practice.discriminating import NEAR, RIGHT, coincidences, drawn
from attncalc.practice.estimated import ESTIMATORS
from attncalc.practice.generator import random_document
from attncalc.practice.mistake import COMMON, RARE, USUAL, Mistake
from attncalc.practice.plan import Plan, plan_of
from attncalc.practice.recipes import LEVELS, Recipe
from attncalc.practice.simulation import Simulation, exactly
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written
from attncalc.scenario_files.load import scenario_of

Document = dict[str, Any]
Steps = dict[str, Any]

NAMES = [row.name for row in CATALOGUE]
KINDS = ("float64", "exact")
TIGHT, LOOSE = 1e-12, 1e-9


# --- scenarios, and the mistakes that can be made in each -----------------------------------------


def some(seed: int, *shape: int) -> Any:
    """Numbers with one decimal between −1.5 and 1.5, the same for the same seed."""
    return (np.random.default_rng(seed).integers(-15, 16, shape) / 10).tolist()


def but(document: Document, **keys: Any) -> Document:
    """The document with other keys; one of None is left out."""
    return rival.changed(document, **keys)


def matrices(width: int, *widths: int, seed: int = 10) -> Document:
    """W_Q, W_K and W_V for so many columns of x."""
    return {f"w_{'qkv'[i]}": some(seed + i, width, columns) for i, columns in enumerate(widths)}


def biases(letters: str, width: int) -> Document:
    """Biases of some projections."""
    return {f"b_{letter}": some(20 + i, width) for i, letter in enumerate(letters)}


BLOCK: Document = {
    "x": some(1, 4, 6), **matrices(6, 6, 6, 6), **biases("qkvo", 6), "w_o": some(16, 6, 6), "heads": 2,
    "mask": "causal", "residual": True,
}  # fmt: skip
HEAD: Document = {"x": some(2, 4, 6), **matrices(6, 3, 3, 2)}
GIVEN: Document = {"q": some(3, 3, 3), "k": some(4, 3, 3), "v": some(5, 3, 3)}
GROUPED: Document = {"q": some(6, 4, 3, 2), "k": some(7, 2, 3, 2), "v": some(8, 2, 3, 2), "residual": some(9, 3, 8)}
CROSS: Document = {
    "x": some(30, 3, 4), "memory": some(31, 5, 4), **matrices(4, 4, 4, 4), "heads": 2,
    "mask": {"causal": "top-left", "window": 2},
}  # fmt: skip
PADDED: Document = {
    "x": some(32, 2, 4, 6), **matrices(6, 6, 6, 6), "heads": 2, "mask": {"causal": True, "key_lengths": [4, 2]},
}  # fmt: skip
GAIN: Document = {"gain": some(33, 6), "bias": some(34, 6), "eps": 0.1}
PRE: Document = but(BLOCK, norm={"where": "pre", "kind": "layer", **GAIN})
POST: Document = but(BLOCK, norm={"where": "post", "kind": "rms", **GAIN})
CACHED: Document = {
    "q": some(35, 2, 2, 4), "k": some(36, 2, 2, 4), "v": some(37, 2, 2, 4), "mask": "causal",
    "past": {"k": some(38, 2, 3, 4), "v": some(39, 2, 3, 4)}, "rope": {"pairs": "halves", "base": 10},
    "qk_norm": {"eps": 0.1, "q_gain": some(40, 4), "k_gain": some(41, 4)}, "w_o": some(42, 8, 5),
}  # fmt: skip
BENT: Document = {
    "q": some(43, 2, 4, 3), "k": some(44, 2, 4, 3), "v": some(45, 2, 4, 2), "mask": "causal", "base": 3,
    "bias": [[0.4, -0.7, 1.1, 0.2], [0.3, "-Infinity", -0.6, 0.9], [-1.2, 0.8, 0.1, -0.4], [0.6, -0.3, 0.7, 1.3]],
    "alibi": True, "softcap": 2, "temperature": 1.5, "sink": [0.3, -0.8],
}  # fmt: skip
SCORES: Document = {"scores": some(46, 4, 4), "v": some(47, 4, 3)}
KEEP = {"keep": [[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]}
ROW: Document = {"scores": some(48, 5), "v": some(49, 5, 2), "query": 2, "mask": "causal"}
IDS: Document = {
    "ids": [[2, 0, 1], [1, 1, 2]], "embedding": some(50, 3, 4), "positions": some(51, 3, 4), **matrices(4, 4, 4, 4),
    "heads": 2, "residual": True,
}  # fmt: skip
STORED: Document = but(BLOCK, layout="out_in", w_q=some(52, 6, 6))
WEIGHTS: Document = {"weights": [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.4, 0]], "v": some(53, 3, 3)}

SCALES = "no-scale scale-by-d_k scale-by-sqrt-n multiply-by-sqrt-d_k scale-after-softmax"
EXPONENTS = "not-divided negative-exponent argmax sigmoid softmax-twice softmax-skipped"
SOFTMAX = f"softmax-over-queries softmax-over-all no-exponential maximum-in-numerator-only {EXPONENTS}"
BASES = "base-2 base-3 base-10"
TRIANGLES = "mask-forgotten mask-inverted wrong-triangle diagonal-hidden one-future-visible"
MASKS = f"{TRIANGLES} mask-with-zero mask-after-softmax"
TURNED = "transposed-projections transposed-w_q transposed-w_k transposed-w_v"
PROJECTED = f"{TURNED} projections-skipped value-not-projected"
SWAPPED = "swapped-q-k swapped-q-v swapped-k-v"
FUSED = "fused-split-by-head fused-split-every-third"
SPLIT = "heads-by-reshape heads-strided"
JOINED = "merge-by-reshape heads-averaged heads-summed heads-reversed"
MIXED = "weights-transposed weights-times-k weights-times-q"
OUTPUT = "output-projection-skipped output-projection-transposed output-bias-forgotten"
RESIDUAL = "residual-forgotten residual-doubled residual-subtracted"
BLOCKWISE = f"{SCALES} scale-by-sqrt-d_model {SOFTMAX} {BASES} {MASKS} {PROJECTED} {SWAPPED} {FUSED} {SPLIT} {JOINED}"
NORMS = "norm-forgotten norm-sample-variance norm-without-eps"


class Case(NamedTuple):
    """A scenario, and the mistakes that give other numbers in it than the right calculation."""

    name: str
    document: Document
    made: str

    def __repr__(self) -> str:
        return self.name.replace(" ", "-")


CASES = [
    Case("two heads", BLOCK, f"{BLOCKWISE} projection-bias-forgotten scores-transposed {MIXED} {OUTPUT} {RESIDUAL} residual-of-q residual-of-v"),
    Case("one head", HEAD, f"{SCALES} scale-by-sqrt-d_model {SOFTMAX} {BASES} scores-transposed weights-transposed swapped-q-k mask-unasked"),
    Case("matrices stored out × in", STORED, f"{TURNED} output-projection-transposed {SWAPPED} {FUSED}"),
    Case("some biases only", but(BLOCK, b_k=None), f"{SWAPPED} {FUSED} projection-bias-forgotten projections-skipped"),
    Case("q, k, v", GIVEN, f"{SWAPPED} no-transpose elementwise-product scores-transposed weights-instead-of-context {MIXED}"),
    Case("grouped heads", GROUPED, f"grouped-heads-tiled {SPLIT} {JOINED} residual-of-q residual-of-v weights-times-k weights-times-q"),
    Case("one key head", but(GROUPED, k=some(7, 1, 3, 2), v=some(8, 1, 3, 2)), f"{JOINED} residual-of-v weights-times-k"),
    Case("grouped values", {"scores": some(60, 4, 3, 3), "v": some(8, 2, 3, 2)}, "grouped-heads-tiled merge-by-reshape"),
    Case("cross-attention", CROSS, f"other-corner window-forgotten mask-forgotten wrong-triangle one-future-visible swapped-q-k {TURNED}"),
    Case("the other corner", but(CROSS, mask={"causal": "bottom-right", "window": 2}), f"other-corner window-forgotten {MASKS}"),
    Case("a corner and ALiBi", but(CROSS, mask={"causal": "bottom-right"}, alibi=[0.5, 0.2]), f"other-corner {MASKS} alibi-forgotten"),
    Case("padding in a batch", PADDED, f"padding-on-queries {MASKS} {SOFTMAX}"),
    Case("hidden keys", but(HEAD, mask={"hide": [1]}), "padding-on-queries mask-forgotten mask-inverted mask-with-zero mask-after-softmax"),
    Case("keep and drop", but(HEAD, mask={**KEEP, "drop": [[0, 0, 0, 1]]}), "mask-forgotten mask-inverted mask-with-zero"),
    Case("a window both ways", but(HEAD, mask={"window": 2}), "window-forgotten mask-forgotten mask-inverted"),
    Case("pre layer norm", PRE, f"{NORMS} norm-pre-as-post norm-layer-as-rms residual-of-normed projections-skipped"),
    Case("pre RMS norm", but(PRE, norm={"where": "pre", "kind": "rms"}), f"{NORMS} norm-rms-as-layer residual-of-normed"),
    Case("post RMS norm", POST, f"{NORMS} norm-post-as-pre norm-rms-as-layer {RESIDUAL}"),
    Case("post layer norm", but(POST, norm={"where": "post", "kind": "layer"}), f"{NORMS} norm-post-as-pre norm-layer-as-rms"),
    Case("post norm of another width", but(POST, norm={"where": "post", "kind": "layer"}, residual=None, w_o=some(61, 6, 5), b_o=None), NORMS),
    Case("post norm of q, k, v", but(GIVEN, norm={"where": "post", "kind": "layer"}), f"{NORMS} norm-layer-as-rms"),
    Case("a cache", CACHED, f"rope-forgotten rope-other-pairs qk-norm-forgotten weights-times-k other-corner {SPLIT} {MASKS}"),
    Case("a cache without a mask", but(CACHED, mask=None), "mask-unasked rope-forgotten weights-times-k"),
    Case("neighbours", but(CACHED, rope={"pairs": "neighbours"}), "rope-other-pairs rope-forgotten"),
    Case("everything before the softmax", BENT, f"bias-forgotten alibi-forgotten softcap-forgotten temperature-forgotten {SCALES} scale-by-sqrt-d_model"),
    Case("a base and a sink", BENT, f"sink-forgotten base-e softmax-over-queries softmax-over-all {EXPONENTS} {MASKS}"),
    Case("a sink and e", but(BENT, base=None), f"{BASES} sink-forgotten negative-exponent"),
    Case("a base alone", but(BENT, base=0.5, sink=None), f"base-e {SOFTMAX}"),
    Case("a bias alone", but(BENT, alibi=None), "bias-forgotten"),
    Case("ALiBi alone", but(BENT, bias=None), "alibi-forgotten"),
    Case("a scale in numbers", but(BENT, scale=0.4), "temperature-forgotten"),
    Case("everything but a mask", but(BENT, mask=None), "mask-unasked bias-forgotten sink-forgotten scale-by-d_k"),
    Case("a shift and no mask", but(BENT, mask=None, shift=True), "mask-unasked softmax-over-all sink-forgotten"),
    Case("an asked shift", but(BENT, shift=True, sink=None), f"softmax-over-queries softmax-over-all no-exponential {EXPONENTS} base-e"),
    Case("an asked shift and a sink", but(BENT, shift=True), f"softmax-over-all sink-forgotten base-e {EXPONENTS}"),
    Case("no scale", but(HEAD, scale="none"), f"scale-unasked {SOFTMAX}"),
    Case("scores", SCORES, f"{SOFTMAX} {BASES} weights-transposed mask-unasked"),
    Case("scores to be scaled", but(SCORES, scale="sqrt_d_k", d_k=9), SCALES),
    Case("equal largest scores", {"scores": [[1, 2, 2], [3, -1, 0.5]], "v": some(5, 3, 2)}, "argmax softmax-over-queries"),
    Case("empty rows are 0", but(SCORES, mask=KEEP), f"empty-rows-nan empty-rows-uniform mask-with-zero mask-inverted {SOFTMAX}"),
    Case("empty rows are NaN", but(SCORES, mask=KEEP, empty_rows="nan"), f"empty-rows-zero empty-rows-uniform {SOFTMAX}"),
    Case("empty rows are equal", but(SCORES, mask=KEEP, empty_rows="uniform"), f"empty-rows-zero empty-rows-nan {SOFTMAX}"),
    Case("no empty row but for the sink", but(SCORES, mask=KEEP, empty_rows="uniform", sink=0.5), "sink-forgotten base-2 softmax-over-all"),
    Case("one row", ROW, f"{TRIANGLES} mask-with-zero mask-after-softmax no-exponential {EXPONENTS} {BASES}"),
    Case("one row that does not see itself", but(ROW, mask={"causal": True, "hide": [2]}), "mask-forgotten wrong-triangle mask-with-zero"),
    Case("linear", but(SCORES, scores=[[3, 1, 2], [1, 5, 1], [2, 2, 3]], v=some(5, 3, 2), weighting="linear", mask="causal"), f"{TRIANGLES} mask-with-zero"),
    Case("linear without a mask", but(SCORES, scores=[[3, 1, 2], [1, 5, 1], [2, 2, 3]], v=some(5, 3, 2), weighting="linear"), "mask-unasked weights-transposed"),
    Case("uniform", {"v": some(54, 4, 3), "weighting": "uniform", "mask": {"causal": True, "window": 2}}, f"{TRIANGLES} window-forgotten"),
    Case("self", {"v": some(54, 4, 3), "weighting": "self", "mask": {"causal": True, "hide": [1]}}, "mask-forgotten mask-inverted diagonal-hidden"),
    Case("ids in a batch", IDS, f"{SCALES} {PROJECTED} {SPLIT} {JOINED} {RESIDUAL} scores-transposed"),
    Case("weights", but(WEIGHTS, residual=some(55, 3, 3)), f"weights-transposed weights-instead-of-context {RESIDUAL}"),
]  # fmt: skip
cases = pytest.mark.parametrize("case", CASES, ids=repr)


# --- running ----------------------------------------------------------------------------------------


@cache
def read(text: str) -> Scenario:
    """The scenario of a document's text."""
    return scenario_of(parse(text.encode(), "text"), "text")


def plan_for(document: Document, shift: bool = False) -> Plan:
    """The right plan of a document."""
    return plan_of(read(json.dumps(document)), shift)


def exact_steps(plan: Plan) -> Steps | None:
    """The steps in exact arithmetic as floats; None where they cannot be calculated."""
    try:
        return {step.name: step.cells.astype(np.float64) for step in exactly(plan)}
    except (ValueError, CalculationError):
        return None


def mistaken(plan: Plan, kind: str = "float64") -> Iterator[tuple[Mistake, Steps]]:
    """Every mistake that can be made, with the steps that it gives."""
    simulation = Simulation(plan)
    for row in CATALOGUE:
        changed = row.change(plan)
        steps = None if changed is None else simulation.run(changed) if kind == "float64" else exact_steps(changed)
        if steps is not None:
            yield row, steps


CHAINS = [
    chain.split()
    for chain in (
        "x normed gained", "q normed_q rotated_q", "k normed_k rotated_k all_k", "v all_v",
        "scores scaled capped biased masked", "weights", "context joined output residual post_normed post_gained",
    )
]  # fmt: skip
"""The steps that both calculate. A step that somebody leaves out still shows what it would have read."""


def differences(steps: Steps, document: Document, name: str, tolerance: float) -> list[str]:
    """The steps that are not those of the rival."""
    wanted = rival.calculate(document, name)
    unscored = document.get("weighting") in ("uniform", "self")  # there `masked` holds 1 and 0
    found = []
    for chain in CHAINS:
        last: Any = None
        for step in chain:
            if step in wanted:
                last = wanted[step]
            elif step in ("normed", "post_normed"):
                continue  # the rival goes on to the gain at once
            if step in steps and not (step == "masked" and unscored) and not same(steps[step], last, tolerance):
                found.append(step)
    return found


def same(one: Any, other: Any, tolerance: float) -> bool:
    """One shape, and every number within the tolerance."""
    if other is None or one.shape != other.shape:
        return False
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))


def changes_something(steps: Steps, right: Steps) -> bool:
    """Whether a step is another than in the right calculation, or is not there."""
    return any(name not in steps or not same(steps[name], right[name], LOOSE) for name in right)


# --- the rows against their words ---------------------------------------------------------------------


@cases
def test_the_right_numbers_are_those_of_the_rival(case: Case) -> None:
    """Without a mistake both calculate the same."""
    plan = plan_for(case.document)
    steps = Simulation(plan).run(plan)
    assert steps is not None
    assert differences(steps, case.document, "", TIGHT) == []


@pytest.mark.parametrize("kind", KINDS)
@cases
def test_a_mistake_gives_what_its_words_say(case: Case, kind: str) -> None:
    """Every mistake that can be made in a scenario, not only those listed: the rival gives the same at every step."""
    wrong = {
        row.name: found
        for row, steps in mistaken(plan_for(case.document), kind)
        if (found := differences(steps, case.document, row.name, TIGHT))
    }
    assert wrong == {}


@cases
def test_the_listed_mistakes_can_be_made_and_are_seen(case: Case) -> None:
    """Each of them gives other numbers than the right calculation."""
    plan = plan_for(case.document)
    right = Simulation(plan).run(plan)
    assert right is not None
    seen = {row.name for row, steps in mistaken(plan) if changes_something(steps, right)}
    assert sorted(set(case.made.split()) - seen) == []


def test_every_mistake_is_in_the_table_and_in_the_rival() -> None:
    """No row of the catalogue is left unchecked, none has a name that another has."""
    assert len(set(NAMES)) == len(NAMES)
    assert sorted({name for case in CASES for name in case.made.split()}) == sorted(NAMES)
    assert sorted([*rival.OTHER_DOCUMENT, *rival.OTHER_PARTS]) == sorted(NAMES)


def test_a_row_is_found_by_its_name_and_names_a_step() -> None:
    """The step is one of the program's, the rank one of three."""
    for row in CATALOGUE:
        assert mistake(row.name) is row
        assert row.step in STEP_NAMES
        assert row.rank in (COMMON, USUAL, RARE)


OFTEN = """
norm-forgotten transposed-projections value-not-projected heads-by-reshape rope-other-pairs grouped-heads-tiled
scores-transposed no-scale scale-by-d_k scale-by-sqrt-d_model mask-forgotten mask-unasked mask-with-zero mask-inverted
other-corner mask-after-softmax softmax-over-queries no-exponential weights-times-k merge-by-reshape
output-projection-skipped output-projection-transposed residual-forgotten residual-of-normed
"""
SELDOM = "fused-split-every-third scale-after-softmax maximum-in-numerator-only sigmoid heads-reversed"


@pytest.mark.parametrize(("rank", "which"), [(COMMON, OFTEN), (RARE, SELDOM)])
def test_how_often_a_mistake_is_met(rank: int, which: str) -> None:
    """Of several that give the same numbers, what is met often is named first, what is seldom met last."""
    assert {row.name for row in CATALOGUE if row.rank == rank} == set(which.split())


# --- where a mistake cannot be made ---------------------------------------------------------------------

UP_TO_WEIGHTS = f"{SCALES} {SOFTMAX} {BASES} {MASKS} {SWAPPED} {PROJECTED} {FUSED} {SPLIT} scores-transposed base-e sink-forgotten temperature-forgotten mask-unasked"

NOWHERE: list[tuple[str, Document, str]] = [
    ("one head", but(BLOCK, heads=None), f"{JOINED} {SPLIT} fused-split-by-head grouped-heads-tiled"),
    ("as many key heads", BLOCK, "grouped-heads-tiled"),
    ("one key head", but(GROUPED, k=some(7, 1, 3, 2), v=some(8, 1, 3, 2)), "grouped-heads-tiled"),
    ("no mask", but(BLOCK, mask=None), f"{MASKS} other-corner window-forgotten padding-on-queries"),
    ("a mask that is asked", BLOCK, "mask-unasked"),
    ("a corner that nobody names", but(CROSS, mask=None), f"mask-unasked {MASKS} other-corner"),
    ("one query, one key", {"scores": [0.5], "v": some(5, 1, 2)}, f"mask-unasked {MASKS}"),
    ("one row without a mask", but(ROW, mask=None), f"mask-unasked {MASKS}"),
    ("one query after a cache", but(CACHED, q=some(35, 2, 1, 4), k=some(36, 2, 1, 4), v=some(37, 2, 1, 4), mask=None), f"mask-unasked {MASKS}"),
    ("weights without scores", but(GIVEN, weighting="uniform"), "mask-unasked"),
    ("a mask that is not causal", but(HEAD, mask=KEEP), "wrong-triangle diagonal-hidden one-future-visible other-corner window-forgotten padding-on-queries mask-unasked"),
    ("a temperature without a scale", but(HEAD, scale="none", temperature=2), "scale-unasked no-scale"),
    ("matrices that are not square", HEAD, f"{PROJECTED} swapped-q-v swapped-k-v {FUSED}"),
    ("no matrices", {"x": some(1, 4, 6)}, f"{PROJECTED} {SWAPPED} {FUSED} projection-bias-forgotten"),
    ("matrices of memory", CROSS, FUSED),
    ("W_O that is not square", but(BLOCK, w_o=some(1, 6, 5), b_o=None, residual=None), f"{OUTPUT} {RESIDUAL} residual-of-q residual-of-v"),
    ("no W_O", HEAD, OUTPUT),
    ("a residual of another width", but(HEAD, w_o=some(1, 2, 6), residual=True), "residual-of-q residual-of-v"),
    ("a residual without a norm before it", BLOCK, "residual-of-normed"),
    ("a residual of its own", but(PRE, residual=some(56, 4, 6)), "residual-of-normed"),
    ("a residual after a norm", POST, "residual-of-normed norm-pre-as-post norm-layer-as-rms"),
    ("other queries than keys", CROSS, f"{MIXED.replace('weights-times-k', '')} scores-transposed padding-on-queries no-transpose elementwise-product residual-of-v"),
    ("values of other tokens than the residual", but(CROSS, residual=True), "residual-of-v"),
    ("as many queries as keys", BLOCK, "other-corner"),
    ("one row that stands where it is said to", ROW, "other-corner softmax-over-queries softmax-over-all"),
    ("n is not d_k", BLOCK, "no-transpose elementwise-product weights-instead-of-context"),
    ("queries of another width than values", HEAD, "weights-times-k weights-times-q"),
    ("no norm", BLOCK, f"{NORMS} norm-pre-as-post norm-post-as-pre norm-rms-as-layer norm-layer-as-rms"),
    ("nothing to norm before", but(GIVEN, norm={"where": "post", "kind": "rms"}), "norm-post-as-pre norm-pre-as-post"),
    ("a norm of one number", but(GIVEN, v=some(1, 3, 1), norm={"where": "post", "kind": "layer"}), "norm-sample-variance"),
    ("a norm before of one number", {"x": some(1, 4, 1), **{f"w_{a}": some(2, 1, 2) for a in "qkv"}, "norm": {"where": "pre", "kind": "layer"}}, "norm-sample-variance"),
    ("plain queries and keys", BLOCK, "rope-forgotten rope-other-pairs qk-norm-forgotten bias-forgotten alibi-forgotten softcap-forgotten temperature-forgotten sink-forgotten base-e"),
    ("another scale", but(HEAD, scale="d_k"), f"{SCALES} scale-by-sqrt-d_model scale-unasked"),
    ("the scale that is asked", HEAD, "scale-unasked"),
    ("no empty row", BLOCK, "empty-rows-zero empty-rows-nan empty-rows-uniform"),
    ("its own policy", but(SCORES, mask=KEEP, empty_rows="nan"), "empty-rows-nan"),
    ("another base already", but(BENT, base=5), BASES),
    ("a sink", BENT, "no-exponential maximum-in-numerator-only"),
    ("scores", SCORES, f"{SCALES} {SWAPPED} {PROJECTED} {SPLIT} scores-transposed no-transpose elementwise-product"),
    ("weights", WEIGHTS, UP_TO_WEIGHTS),
    ("linear", but(SCORES, weighting="linear"), f"{SOFTMAX} {BASES} base-e sink-forgotten mask-after-softmax scale-after-softmax"),
    ("uniform", but(GIVEN, weighting="uniform", mask="causal"), f"{SCALES} {SOFTMAX} {BASES} mask-with-zero mask-after-softmax scores-transposed temperature-forgotten"),
    ("no values", {"q": some(3, 3, 3), "k": some(4, 3, 3)}, f"{MIXED} {JOINED} {OUTPUT} {RESIDUAL} swapped-q-v swapped-k-v"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "names"), [row[1:] for row in NOWHERE], ids=[row[0] for row in NOWHERE])
def test_a_mistake_that_cannot_be_made_gives_nothing(document: Document, names: str) -> None:
    """`change` is None: no mask to forget, no head to mix up, no square matrix to turn."""
    plan = plan_for(document)
    assert [name for name in names.split() if mistake(name).change(plan) is not None] == []


# --- what a mistake leaves as it is ---------------------------------------------------------------------


SEEN_EARLIER = {
    "norm-rms-as-layer": "variance", "norm-layer-as-rms": "variance", "mask-after-softmax": "masked",
    "scale-after-softmax": "scaled", "softmax-over-queries": "total",
}  # fmt: skip
"""Where an earlier step than the one a mistake is named after is already another."""


def place_of(row: Mistake, plan: Plan) -> int:
    """Where a mistake is first seen among all the steps there are; in a norm that comes last, among its own."""
    step = SEEN_EARLIER.get(row.name, row.step)
    return STEP_NAMES.index(f"post_{step}" if plan.has(f"post_{step}") else step)


@cases
def test_the_steps_before_a_mistake_stay_as_they_are(case: Case) -> None:
    """Equal to the right ones; the very same arrays where the scenario keeps its options."""
    plan = plan_for(case.document)
    simulation = Simulation(plan)
    right = simulation.run(plan) or {}
    for row in CATALOGUE:
        changed = row.change(plan)
        steps = simulation.run(changed) if changed is not None else None
        for name in STEP_NAMES[: place_of(row, plan)]:
            if changed is None or steps is None or name not in steps or name not in right:
                continue
            assert np.array_equal(steps[name], right[name], equal_nan=True), (row.name, name)
            if changed.scenario.document is plan.scenario.document:
                assert steps[name] is right[name], (row.name, name)


def spelled(scenario: Scenario) -> dict[str, str]:
    """Every array of a scenario as text."""
    return {name: repr(values.tolist()) for name, values in scenario.arrays.items()}


@cases
def test_no_mistake_changes_the_right_plan(case: Case) -> None:
    """Its rows, its arrays and its numbers are the same bytes after every mistake was made and run."""
    plan = plan_for(case.document)
    rows, arrays, document = plan.rows, spelled(plan.scenario), json.dumps(plan.scenario.document, default=str)
    simulation = Simulation(plan)
    before = {name: values.tobytes() for name, values in (simulation.run(plan) or {}).items()}
    for row in CATALOGUE:
        changed = row.change(plan)
        if changed is not None:
            simulation.run(changed)
    for again in (simulation, Simulation(plan)):
        assert {name: values.tobytes() for name, values in (again.run(plan) or {}).items()} == before
    assert plan.rows == rows
    assert spelled(plan.scenario) == arrays
    assert json.dumps(plan.scenario.document, default=str) == document


# --- anywhere -------------------------------------------------------------------------------------------


def test_every_mistake_runs_or_is_none_in_random_scenarios() -> None:
    """Never an exception, whatever the numbers: sums that vanish, powers that overflow, rows that see nothing."""
    ran = set()
    for document in random_scenarios.documents(11, 300):
        ran |= {row.name for row, _ in mistaken(plan_of(read(random_scenarios.as_json(document))))}
    assert {"no-scale", "softmax-over-queries", "mask-with-zero", "residual-doubled"} < ran


def test_every_mistake_is_that_of_the_rival_in_random_scenarios() -> None:
    """Over all the options that there are, in any mixture."""
    wrong: dict[tuple[int, str], list[str]] = {}
    ran = set()
    for number, document in enumerate(random_options.documents(7, 150)):
        for row, steps in mistaken(plan_of(read(random_scenarios.as_json(document)))):
            ran.add(row.name)
            if found := differences(steps, document, row.name, LOOSE):
                wrong[number, row.name] = found
    assert wrong == {}
    assert len(ran) > 0.9 * len(NAMES)


@pytest.mark.parametrize("name", BUILT_IN)
def test_exact_and_floats_agree_in_the_built_in_scenarios(name: str) -> None:
    """Each mistake to nine digits, in both or in neither."""
    plan = plan_of(load(name))
    floats, exact = (dict((row.name, steps) for row, steps in mistaken(plan, kind)) for kind in KINDS)
    assert list(floats) == list(exact)
    for mistaken_name, steps in floats.items():
        assert list(steps) == list(exact[mistaken_name])
        for step, values in steps.items():
            assert same(values, exact[mistaken_name][step], LOOSE), (mistaken_name, step)


SHIFTED = [case for case in CASES if case.name in ("two heads", "padding in a batch", "scores", "a base and a sink")]


@pytest.mark.parametrize("case", SHIFTED, ids=repr)
def test_a_maximum_that_nobody_asked_for_changes_no_mistake(case: Case) -> None:
    """Where it is subtracted only because floats overflow; exponentials that are not divided show it all the same."""
    for row, steps in mistaken(plan_for(case.document, shift=True)):
        if row.name != "not-divided":
            assert differences(steps, case.document, row.name, TIGHT) == [], row.name


def test_a_softmax_down_the_columns_does_not_overflow() -> None:
    """Scores far beyond what floats can exponentiate: a column's weights still add to 1."""
    document = but(SCORES, scores=[[900, 880], [899, 881], [898, 882]], v=some(1, 2, 2))
    plan = plan_for(document, shift=True)
    steps = Simulation(plan).run(mistake("softmax-over-queries").change(plan) or plan) or {}
    assert same(steps["weights"].sum(axis=2), np.ones((1, 1, 2)), TIGHT)
    assert (steps["weights"] > 0).all()


# --- words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_has_three_texts(language: str) -> None:
    """What was done, why it is wrong, how to do it; only what was done, with a number in it, has something to fill in."""
    messages = catalogue(language)
    fitted = tuple(row.name for row in ESTIMATORS)
    done = {name: messages[f"mistake.{name}"] for name in (*NAMES, *fitted)}
    rest = [messages[f"{kind}.{name}"] for name in done for kind in ("mistake-why", "mistake-how")]
    assert [text for text in (*done.values(), *rest) if not text.endswith("." if language == "en" else "。")] == []
    assert [name for name, text in done.items() if ("{" in text) != (name in fitted)] == []
    assert [text for text in rest if "{" in text] == []
    assert len(set(done.values())) == len(done)


# --- numbers that tell mistakes apart -----------------------------------------------------------------------

LAST = {1: "context", 2: "context", 3: "context", 4: "output", 5: "residual"}
DRAWS = 20
levels = pytest.mark.parametrize("level", sorted(LAST))


def answers(document: Document, names: tuple[str, ...], step: str) -> dict[str, Any]:
    """By mistake the rival's numbers of a step, those that have its shape and are numbers."""
    right = rival.calculate(document)[step]
    found = {name: rival.calculate(document, name).get(step) for name in names}
    return {
        RIGHT: right,
        **{name: a for name, a in found.items() if a is not None and a.shape == right.shape and np.isfinite(a).all()},
    }


def alike(table: dict[str, Any], limit: float) -> set[tuple[str, str]]:
    """Every two answers that lie within a limit of each other, one after another."""
    pairs = ((one, other) for one in table for other in table if one < other)
    return {pair for pair in pairs if np.abs(table[pair[0]] - table[pair[1]]).max() <= limit}


def written_alike(table: dict[str, Any], places: int) -> set[tuple[str, str]]:
    """Pairs with the same rounded answers; with the right ones, those that could be them, rounded on the way."""
    unit = 10.0**-places
    shown = {name: np.round(values, places) for name, values in table.items() if name != RIGHT}
    near = {name for name, values in shown.items() if np.abs(values - table[RIGHT]).max() <= NEAR * unit}
    return alike(shown, unit / 2) | {(RIGHT, name) for name in near}


def over_real_numbers(document: Document) -> Document:
    """The same scenario over random real numbers, in which nothing coincides by chance."""
    chance = np.random.default_rng(99)
    arrays = {name: value for name, value in document.items() if name[0] in "xqkvws" and isinstance(value, list)}
    return document | {name: chance.standard_normal(np.shape(value)).tolist() for name, value in arrays.items()}


def can_be_made(scenario: Scenario) -> tuple[str, ...]:
    """The mistakes that a scenario leaves room for."""
    plan = plan_of(scenario)
    return tuple(row.name for row in CATALOGUE if row.change(plan) is not None)


@levels
def test_a_draw_tells_every_two_mistakes_apart(level: int) -> None:
    """Those that differ in mathematics differ in the rounded answers; the first attempt of which that is true."""
    recipe, step = LEVELS[level - 1], LAST[level]
    for seed in range(DRAWS):
        draw = drawn(recipe, seed, [step])
        document, names = json.loads(written(draw.document)), can_be_made(draw.scenario)
        twins = alike(answers(over_real_numbers(document), names, step), LOOSE)
        assert written_alike(answers(document, names, step), recipe.places) - twins == set(), seed
        assert draw.coincidences == ()
        assert draw.document == random_document(recipe, seed, draw.attempts - 1)
        for attempt in range(draw.attempts - 1):
            earlier = read(written(random_document(recipe, seed, attempt)))
            assert coincidences(earlier, [step], recipe.places), (seed, attempt)


@levels
def test_the_coincidences_of_a_scenario_are_all_there_are(level: int) -> None:
    """Also in scenarios that do not tell mistakes apart: the first attempt, with one decimal less."""
    recipe, step = LEVELS[level - 1], LAST[level]
    places, some_found = recipe.places - 1, 0
    for seed in range(DRAWS):
        text = written(random_document(recipe, seed))
        document, scenario = json.loads(text), read(text)
        names = can_be_made(scenario)
        twins = alike(answers(over_real_numbers(document), names, step), LOOSE)
        found = {tuple(sorted(pair)) for pair in coincidences(scenario, [step], places)}
        assert found == written_alike(answers(document, names, step), places) - twins, seed
        some_found += len(found)
    assert some_found > 0


def test_sizes_that_are_alike_leave_twins_that_are_no_coincidence() -> None:
    """With n = d_k, √n and √d_k are one divisor: nothing to redraw for."""
    recipe = Recipe("q", tokens=4, d_k=4, d_v=3, low=-2, high=2)
    draw = drawn(recipe, 1, ["context"])
    assert not any("scale-by-sqrt-n" in pair for pair in draw.coincidences)
    document = json.loads(written(draw.document))
    assert same(rival.calculate(document, "scale-by-sqrt-n")["context"], rival.calculate(document)["context"], TIGHT)
