"""Which keys belong together: one starting point, what it needs, and no key that nothing would read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from attncalc.errors import MANY_FAULTS, nearest
from attncalc.messages import Word
from attncalc.scenario_files.defaults import PROJECTIONS, from_scores, has_matrices, has_values, softmax, weighting_of
from attncalc.scenario_files.keys import STARTS
from attncalc.scenario_files.kinds import Report

Document = Mapping[str, Any]

PARTNERS = {"q": "k", "k": "q", "ids": "embedding", "embedding": "ids"}


class Rule(NamedTuple):
    """A key that is read only under a condition; `why` is the message of the reason."""

    key: str
    read: Callable[[Document, str], bool]
    why: str


def _projected(document: Document, start: str) -> bool:
    return start in ("x", "ids")


def _width_unknown(document: Document, start: str) -> bool:
    return from_scores(document, start) and start == "scores" and document.get("scale") in ("sqrt_d_k", "d_k")


def _model_width_unknown(document: Document, start: str) -> bool:
    return from_scores(document, start) and start in ("scores", "q") and document.get("scale") == "sqrt_d_model"


def _from_queries(document: Document, start: str) -> bool:
    return from_scores(document, start) and start != "scores"


def _has_norm_input(document: Document, start: str) -> bool:
    pre = document["norm"].get("where") == "pre"
    return _projected(document, start) if pre else has_values(document, start)


RULES: tuple[Rule, ...] = (
    *(Rule(name, _projected, "only-with-x") for name in (*PROJECTIONS, "memory")),
    *(Rule(f"b_{n}", lambda d, s, n=n: _projected(d, s) and f"w_{n}" in d, "only-with-matrix") for n in "qkv"),  # type: ignore[misc]
    Rule("positions", lambda d, s: s == "ids", "only-with-ids"),
    Rule("v", lambda d, s: not _projected(d, s), "v-is-computed"),
    Rule("w_o", has_values, "only-with-values"),
    Rule("b_o", lambda d, s: has_values(d, s) and "w_o" in d, "only-with-w_o"),
    Rule("residual", has_values, "only-with-values"),
    Rule("layout", lambda d, s: has_matrices(d), "only-with-matrices"),
    Rule("scale", lambda d, s: s not in ("weights", "v"), "only-with-scores"),
    Rule("temperature", from_scores, "only-with-scores"),
    *(Rule(key, from_scores, "only-with-scores") for key in ("softcap", "alibi", "bias")),
    *(Rule(key, _from_queries, "only-with-queries") for key in ("qk_norm", "rope")),
    Rule("past", lambda d, s: s in ("q", "x", "ids") and "memory" not in d, "only-with-own-keys"),
    Rule("sink", softmax, "only-with-exponentials"),
    Rule("norm", _has_norm_input, "only-with-norm-input"),
    Rule("kv_heads", lambda d, s: s != "weights" or "v" in d, "only-with-values"),
    Rule("base", softmax, "only-with-exponentials"),
    Rule("shift", softmax, "only-with-exponentials"),
    Rule("algorithm", softmax, "only-with-exponentials"),
    Rule("block", lambda d, s: d.get("algorithm") == "online", "only-online"),
    Rule("mask", lambda d, s: s != "weights", "weights-are-given"),
    Rule("weighting", lambda d, s: s != "weights", "weights-are-given"),
    Rule("empty_rows", lambda d, s: s != "weights", "weights-are-given"),
    Rule("d_k", _width_unknown, "width-is-known"),
    Rule("d_model", _model_width_unknown, "width-is-known"),
)


def check_rules(document: Document, broken: Collection[str], report: Report) -> str:
    """The starting point, or an empty string after reports; `broken` are keys that were reported already."""
    start = _start(document, broken, report)
    if not start:
        return ""
    for key, partner in PARTNERS.items():
        if key in document and partner not in document and partner not in broken:
            report(key, "needs-partner", partner=partner)
    if "weighting" not in broken:
        for rule in sorted(RULES, key=lambda rule: list(document).index(rule.key) if rule.key in document else -1):
            of_broken_values = rule.why == "only-with-values" and "v" in broken  # there are values, but faulty ones
            if rule.key in document and not of_broken_values and not rule.read(document, start):
                code = "nothing-reads-values" if rule.why == "only-with-values" else "nothing-reads"
                report(rule.key, code, why=Word(rule.why))
    if _projected(document, start):
        _check_projections(document, broken, report)
    _check_parts(document, start, report)
    _check_width(document, start, broken, report)
    if isinstance(document.get("made_up"), list):
        for position, key in enumerate(document["made_up"]):
            if key not in document and key not in broken:
                near = nearest(key, document) if position < MANY_FAULTS else ""  # of so many nobody reads the last
                report(f"made_up[{position}]", "not-in-scenario", key=key, near=near)
    if document.get("residual") is True and not _projected(document, start):
        report("residual", "residual-needs-x")
    return start


def _start(document: Document, broken: Collection[str], report: Report) -> str:
    given = {name: _present(name, document, broken) for name in STARTS}
    present = [name for name, written in given.items() if written]
    if len(present) > 1:
        starts = ", ".join(given[name] for name in present)
        report(given[present[1]], "two-starts", first=given[present[0]], starts=starts)
        return ""
    if present:
        return present[0]
    if "v" in document and weighting_of(document) in ("uniform", "self"):
        return "v"
    if not {"v", "weighting"} <= {*document, *broken} or ("v" in document and "weighting" not in broken):
        report("", "v-alone" if "v" in document else "no-start")
    return ""


def _present(start: str, document: Document, broken: Collection[str]) -> str:
    """The key by which a starting point is there, itself or its partner; an empty string where it is not."""
    keys = [key for key in (start, PARTNERS.get(start, start)) if key in document or key in broken]
    return keys[0] if keys else ""


def _check_projections(document: Document, broken: Collection[str], report: Report) -> None:
    given = [name for name in PROJECTIONS if name in document or name in broken]
    for name in PROJECTIONS:
        if given and name not in given:
            report(name, "projection-missing", given=", ".join(given))


def _check_parts(document: Document, start: str, report: Report) -> None:
    """Inside an object: what it cannot do without, since libraries disagree on what leaving it out would mean."""
    for key, names in {"rope": ("pairs",), "norm": ("where", "kind"), "past": ("k",)}.items():
        for name in names:
            if key in document and name not in document[key]:
                report(key, "part-missing", part=name, why=Word(f"part-{key}-{name}"))
    if "past" in document and has_values(document, start) != ("v" in document["past"]):
        code = "part-missing" if has_values(document, start) else "nothing-reads"
        report("past", code, part="v", why=Word("part-past-v" if has_values(document, start) else "only-with-values"))


def _check_width(document: Document, start: str, broken: Collection[str], report: Report) -> None:
    for unknown, key, example in ((_width_unknown, "d_k", 64), (_model_width_unknown, "d_model", 512)):
        if unknown(document, start) and key not in document and key not in broken:
            report("scale", "scale-needs-width", scale=document["scale"], key=key, example=example)
