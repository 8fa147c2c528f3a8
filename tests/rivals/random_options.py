"""Random scenario documents over all the options of the contract, and over every pair of them.

Numbers are Decimals, as ``json.loads(text, parse_float=Decimal)`` reads them. Options have names;
``RULES`` says where each can stand. A plan (a starting point, a weighting, options that can stand
together) is chosen first and a document is then built that holds all of them. A document is kept
only where double precision is enough to judge it by: no large numbers, no sum that nearly cancels.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import numpy as np

from .straight_line import Steps, calculate

Document = dict[str, Any]
Shape = tuple[int, ...]
Maker = Callable[[], Any]
Names = frozenset[str]

EACH_PAIR = 2
TRIES = 400
LARGEST = 100.0
SMALLEST_VARIANCE = 1e-2
SMALLEST_SHARE = 0.2
NOTHING_VISIBLE = "-Infinity"


# --- what the tests ask for -------------------------------------------------------------------


def documents(seed: int, count: int) -> Iterator[Document]:
    """``count`` valid documents over all the options; the same for the same seed."""
    rng = Random(seed)
    for _ in range(count):
        yield build(rng, random_plan(rng, usual_wish(rng), rng.randint(2, 14)))


def usual_wish(rng: Random) -> Names:
    """A starting point, mostly one that leads to scores, and mostly softmax."""
    start = rng.choices(STARTS, (1, 3, 5, 4, 3, 3, 1, 0.5, 1))[0]
    weighting = "softmax" if rng.random() < 0.6 else rng.choice(WEIGHTINGS)
    return frozenset((start, weighting)) if start_takes(start, weighting) else frozenset((start,))


def pairs(seed: int) -> Iterator[tuple[Names, Document]]:
    """Documents, each with the names it holds, until every pair that can stand together stood in two."""
    rng = Random(seed)
    seen: dict[Names, int] = {}
    for pair in possible_pairs():
        while seen.get(pair, 0) < EACH_PAIR:
            plan = random_plan(rng, pair, rng.randint(0, 5))
            for held in combinations(sorted(plan.names()), 2):
                seen[frozenset(held)] = seen.get(frozenset(held), 0) + 1
            yield plan.names(), build(rng, plan)


def possible_pairs() -> list[Names]:
    """Every two names that can stand in one document, in a fixed order."""
    names = [*STARTS, *WEIGHTINGS, *RULES]
    two = (frozenset(pair) for pair in combinations(names, 2))
    return [pair for pair in two if completions(Random(0), pair)]


# --- which options can stand together ---------------------------------------------------------

STARTS = tuple(
    f"from {name}" for name in ("one row", "scores", "q and k", "x", "memory", "ids", "weights", "one weights row", "v")
)
WEIGHTINGS = ("softmax", "linear", "uniform", "self", "weights given")

ONE_ROW = frozenset(("from one row", "from one weights row"))
SCORES = frozenset(("from one row", "from scores"))
GIVEN = frozenset(("from weights", "from one weights row"))
VECTORS = frozenset(("from x", "from memory", "from ids"))
MADE = VECTORS | {"from q and k"}
ALL = frozenset(STARTS)
BY_SCORES = frozenset(("softmax", "linear"))
WEIGHED = BY_SCORES | {"uniform", "self"}
ANY = frozenset(WEIGHTINGS)
SOFTMAX = frozenset(("softmax",))

CORNERS = ("top-left", "bottom-right")
CAUSAL = ("causal true", *CORNERS)
PLACING = ("past", *CORNERS)  # with Tq ≠ Tk one of these says where the queries stand
PARTS = (*CAUSAL, "window causal", "window both", "hide", "key length", "key lengths", "keep", "drop")
NORMS = ("norm pre layer", "norm pre rms", "norm post layer", "norm post rms")
EMPTY = ("empty zero", "empty nan", "empty uniform")
PROJECTIONS = ("projections", "identity", "no projections")
SCALES = ("scale sqrt_d_k", "scale d_k", "scale sqrt_d_model", "scale none", "scale number")
ROPES = ("rope halves", "rope neighbours")


class Rule(NamedTuple):
    """Where an option can stand: with which starts and weightings, with all of ``needs`` and one of ``one_of``."""

    starts: Names = ALL
    weightings: Names = ANY
    needs: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


UNSCORED_START = Rule(ALL - ONE_ROW)
OF_VECTORS = Rule(VECTORS)
OF_SCORES = Rule(MADE | SCORES, BY_SCORES)
OF_MADE = Rule(MADE, BY_SCORES)
OF_MASK = Rule(ALL - GIVEN, WEIGHED)
OF_CORNER = Rule(ALL - GIVEN - ONE_ROW, WEIGHED)
OF_SOFTMAX = Rule(MADE | SCORES, SOFTMAX)

RULES: dict[str, Rule] = {
    "heads": UNSCORED_START,
    "kv heads": Rule(ALL - ONE_ROW, needs=("heads",)),
    "batch": UNSCORED_START,
    "split": Rule(frozenset(("from scores", "from q and k", "from weights", "from v")), needs=("heads",)),
    "unequal": Rule(frozenset(("from scores", "from q and k", "from memory", "from weights")), ANY - {"self"}),
    "no v": Rule(SCORES | {"from q and k"}),
    "projections": OF_VECTORS,
    "identity": OF_VECTORS,
    "no projections": OF_VECTORS,
    "projection biases": Rule(VECTORS, needs=("projections",)),
    "layout": Rule(one_of=("projections", "identity", "w_o")),
    "positions": Rule(frozenset(("from ids",))),
    "w_o": Rule(),
    "b_o": Rule(needs=("w_o",)),
    "qk_norm": OF_MADE,
    "qk_norm gains": Rule(MADE, BY_SCORES, needs=("qk_norm",)),
    **dict.fromkeys(ROPES, OF_MADE),
    "past": Rule(MADE - {"from memory"}, BY_SCORES | {"uniform"}),
    **dict.fromkeys(SCALES, OF_SCORES),
    "temperature": OF_SCORES,
    "softcap": OF_SCORES,
    "hidden scores": Rule(SCORES, BY_SCORES),
    "alibi true": OF_SCORES,
    "alibi slopes": OF_SCORES,
    "bias": OF_SCORES,
    "bias hides": OF_SCORES,
    "mask none": OF_MASK,
    "mask causal": OF_MASK,
    "causal true": OF_MASK,
    "top-left": OF_CORNER,
    "bottom-right": OF_CORNER,
    "window causal": Rule(ALL - GIVEN, WEIGHED, one_of=CAUSAL),
    "window both": OF_MASK,
    "hide": OF_MASK,
    "key length": OF_MASK,
    "key lengths": Rule(ALL - GIVEN - ONE_ROW, WEIGHED, needs=("batch",)),
    "keep": OF_MASK,
    "drop": OF_MASK,
    "sink": OF_SOFTMAX,
    "sinks": Rule(MADE | SCORES - ONE_ROW, SOFTMAX, needs=("heads",)),
    "base": OF_SOFTMAX,
    "shift": OF_SOFTMAX,
    "no shift": OF_SOFTMAX,
    **dict.fromkeys(EMPTY, OF_MASK),
    "norm pre layer": OF_VECTORS,
    "norm pre rms": OF_VECTORS,
    "norm post layer": Rule(),
    "norm post rms": Rule(),
    "norm gain": Rule(one_of=NORMS),
    "norm bias": Rule(one_of=NORMS),
    "norm eps": Rule(one_of=NORMS),
    "residual true": OF_VECTORS,
    "residual array": Rule(),
    "tokens": Rule(),
    "query": Rule(),
}

# At most one of each of these in a document.
EXCLUSIVE = (
    ("projections", "identity", "no projections"),
    ROPES,
    SCALES,
    ("alibi true", "alibi slopes"),
    ("bias", "bias hides"),
    CAUSAL,
    ("window causal", "window both"),
    ("key length", "key lengths"),
    ("sink", "sinks"),
    ("shift", "no shift"),
    EMPTY,
    NORMS,
    ("residual true", "residual array"),
)
AGAINST: dict[str, tuple[str, ...]] = {
    "mask none": ("mask causal", *PARTS),
    "mask causal": PARTS,
    "window both": CAUSAL,
    "split": ("batch",),
    "no v": ("kv heads", "split", "w_o", "past", "norm post layer", "norm post rms", "residual array"),
}


def completions(rng: Random, wanted: Names) -> list["Plan"]:
    """Plans that hold the wanted names and what these need; none where they cannot stand together."""
    options = closed(frozenset(name for name in wanted if name in RULES))
    found = []
    for more in open_choices(rng, options):
        for start in STARTS:
            for weighting in WEIGHTINGS:
                names = frozenset((start, weighting)) | more
                if wanted <= names and fits(start, weighting, more):
                    found.append(Plan(start, weighting, more))
    if not found and "unequal" in options and not options.intersection(PLACING):
        return [plan for name in PLACING for plan in completions(rng, wanted | {name})]
    return found


def closed(options: Names) -> Names:
    """The options with all that they need."""
    more = options | {needed for name in options for needed in RULES[name].needs}
    return more if more == options else closed(more)


def open_choices(rng: Random, options: Names) -> list[Names]:
    """The options with one name chosen for each that needs one of several, in every way."""
    for name in sorted(options):
        choices = RULES[name].one_of
        if choices and not options.intersection(choices):
            ways = rng.sample(choices, len(choices))
            return [way for choice in ways for way in open_choices(rng, closed(options | {choice}))]
    return [options]


def fits(start: str, weighting: str, options: Names) -> bool:
    """Whether a document can hold all of this, and the contract leaves no doubt what it means."""
    return (
        start_takes(start, weighting)
        and all(start in RULES[name].starts and weighting in RULES[name].weightings for name in options)
        and all(len(options.intersection(group)) <= 1 for group in EXCLUSIVE)
        and not any(name in options and options.intersection(others) for name, others in AGAINST.items())
        and corner_is_clear(options)
        and (start == "from memory" or not {"kv heads", "no projections"} <= options)
        and not (start in VECTORS and {"past", "batch"} <= options and "heads" not in options)
        and (weighting in BY_SCORES or not (options.intersection(EMPTY) and {"mask none", "mask causal"} & options))
    )


def start_takes(start: str, weighting: str) -> bool:
    """Whether a starting point goes with a weighting."""
    if start in GIVEN:
        return weighting == "weights given"
    if start == "from v":
        return weighting in ("uniform", "self")
    return weighting != "weights given" and not (start == "from one row" and weighting == "self")


def corner_is_clear(options: Names) -> bool:
    """Whether what counts from the query knows where the query stands."""
    counts = options & {"mask causal", "causal true", "window both", "alibi true", "alibi slopes"}
    return not ("unequal" in options and counts and not options.intersection(PLACING))


@dataclass(frozen=True)
class Plan:
    """A starting point, a weighting and the options that a document shall hold."""

    start: str
    weighting: str
    options: Names

    def names(self) -> Names:
        """All that the document holds, the starting point and the weighting too."""
        return self.options | {self.start, self.weighting}

    def has(self, *names: str) -> bool:
        """Whether any of these names is planned."""
        return bool(self.names().intersection(names))

    def has_v(self) -> bool:
        """Whether the calculation goes on to the values."""
        return "no v" not in self.options


def random_plan(rng: Random, wanted: Names, extra: int) -> Plan:
    """A plan with the wanted names and up to so many others beside."""
    plan = rng.choice(completions(rng, wanted))
    if plan.start in VECTORS and not plan.has(*PROJECTIONS):
        plan = with_projections(rng, plan)
    for name in rng.sample(sorted(RULES), len(RULES)):
        if extra <= 0:
            break
        more = rng.choice(open_choices(rng, closed(plan.options | {name})))
        if more != plan.options and fits(plan.start, plan.weighting, more):
            extra -= len(more - plan.options)
            plan = Plan(plan.start, plan.weighting, more)
    return plan


def with_projections(rng: Random, plan: Plan) -> Plan:
    """A plan from x that says how q, k and v come from it."""
    ways = [plan.options | {name} for name in rng.sample(PROJECTIONS, len(PROJECTIONS))]
    return Plan(plan.start, plan.weighting, next(way for way in ways if fits(plan.start, plan.weighting, way)))


# --- sizes ------------------------------------------------------------------------------------


@dataclass
class Sizes:
    """Every length that a document of the plan has."""

    batch: int = 1
    heads: int = 1
    kv_heads: int = 1
    queries: int = 1
    fresh: int = 1
    past: int = 0
    width: int = 2
    value_width: int = 2
    d_model: int = 2
    memory_width: int = 2
    output_width: int = 2

    @property
    def keys(self) -> int:
        """The keys of the cache and the new ones."""
        return self.past + self.fresh

    @property
    def cells(self) -> Shape:
        """(batch, heads, Tq, Tk)"""
        return self.batch, self.heads, self.queries, self.keys


def choose_sizes(rng: Random, plan: Plan) -> Sizes:
    """Small lengths that the options of the plan allow."""
    sizes = Sizes()
    if plan.has("batch"):
        sizes.batch = rng.choice((2, 2, 3))
    if plan.has("heads"):
        sizes.heads = sizes.kv_heads = rng.choice((2, 2, 3, 4))
    if plan.has("kv heads"):
        sizes.kv_heads = rng.choice([n for n in range(1, sizes.heads) if sizes.heads % n == 0])
    choose_lengths(rng, plan, sizes)
    choose_widths(rng, plan, sizes)
    return sizes


def choose_lengths(rng: Random, plan: Plan, sizes: Sizes) -> None:
    """Tq, Tk and the length of the cache."""
    least = 2 if plan.has("hide", "unequal", *EMPTY, *PARTS) else 1
    sizes.fresh = sizes.queries = rng.randint(least, rng.choice((3, 4, 6)))
    if plan.has("unequal"):
        sizes.queries = rng.choice([n for n in range(1, 6) if n != sizes.fresh])
    if plan.start in ONE_ROW:
        sizes.queries = 1
    if plan.has("past"):
        sizes.past = rng.randint(1, 3)


def choose_widths(rng: Random, plan: Plan, sizes: Sizes) -> None:
    """d, the width of the values, d_model and the width of the output."""
    sizes.width = rng.choice((2, 4)) if plan.has(*ROPES) else rng.choice((2, 2, 3, 4))
    sizes.value_width = rng.randint(2 if plan.has("norm post layer", "norm post rms") else 1, 3)
    sizes.d_model = rng.randint(2, 5)
    if plan.has("identity", "no projections"):
        sizes.value_width = sizes.width
        sizes.d_model = sizes.heads * sizes.width
    elif plan.has("residual true") and not plan.has("w_o"):
        sizes.value_width = max(sizes.value_width, 2)
        sizes.d_model = sizes.heads * sizes.value_width
    sizes.memory_width = rng.randint(2, 5)
    if plan.has("identity", "no projections"):
        sizes.memory_width = sizes.kv_heads * sizes.width
    sizes.output_width = sizes.d_model if plan.has("residual true") else rng.randint(2, 4)


# --- numbers ----------------------------------------------------------------------------------


@dataclass
class Draft:
    """A document in the making."""

    rng: Random
    plan: Plan
    sizes: Sizes
    document: Document = field(default_factory=dict)

    def number(self, size: float, least: float | None = None) -> Decimal:
        """A number up to ``size`` either way, or from ``least``, with none to three decimals."""
        decimals = self.rng.choice((0, 1, 1, 2, 2, 3))
        units = round(self.rng.uniform(-size if least is None else least, size) * 10**decimals)
        return Decimal(units).scaleb(-decimals)

    def nested(self, shape: Shape, make: Maker) -> Any:
        """A nested list of this shape."""
        return [self.nested(shape[1:], make) for _ in range(shape[0])] if shape else make()

    def array(self, shape: Shape, size: float) -> Any:
        """Random numbers of this shape, either way; above zero where scores are divided by their sum."""
        if self.plan.weighting == "linear":
            return self.nested(shape, lambda: self.number(size, 0.1))
        return self.nested(shape, lambda: self.number(size))

    def pick(self, *texts: str) -> Decimal:
        """One of these numbers."""
        return Decimal(self.rng.choice(texts))

    def often(self) -> bool:
        """True half the time."""
        return self.rng.random() < 0.5


# --- building ---------------------------------------------------------------------------------


def build(rng: Random, plan: Plan) -> Document:
    """A document with all that is planned, fit to be compared in double precision."""
    for _ in range(TRIES):
        document = draft(rng, plan)
        if is_well_conditioned(document) and (not plan.has(*EMPTY) or has_empty_row(document)):
            return document
    raise RuntimeError(f"no document after {TRIES} tries: {sorted(plan.names())}")


def draft(rng: Random, plan: Plan) -> Document:
    """One document of the plan, its keys in a random order."""
    made = Draft(rng, plan, choose_sizes(rng, plan))
    for part in (add_labels, add_start, add_vectors_options, add_score_options, add_mask, add_weighting, add_after):
        part(made)
    if plan.has(*EMPTY):
        add_empty_row(made)
    keys = rng.sample(sorted(made.document), len(made.document))
    return {key: made.document[key] for key in keys}


def add_labels(made: Draft) -> None:
    """tokens and query."""
    keys = made.sizes.keys
    if made.plan.has("tokens"):
        made.document["tokens"] = made.rng.sample(("the", "cat", "sat", "on", "a", "mat", "and", "slept", "now"), keys)
    if made.plan.has("query"):
        one_row = made.plan.start in ONE_ROW
        place = made.rng.randrange(keys if one_row else made.sizes.queries)
        by_label = one_row and made.plan.has("tokens") and made.often()
        made.document["query"] = made.document["tokens"][place] if by_label else place


def add_start(made: Draft) -> None:
    """The starting point with its arrays."""
    start, sizes, document = made.plan.start, made.sizes, made.document
    if start in ONE_ROW | {"from scores", "from weights"}:
        name = "weights" if start in GIVEN else "scores"
        document[name] = score_array(made, name)
    elif start == "from q and k":
        document["q"] = by_head(made, sizes.heads, sizes.queries, sizes.width, 1.5)
        document["k"] = by_head(made, sizes.kv_heads, sizes.fresh, sizes.width, 1.5)
    elif start in VECTORS:
        add_x(made)
    if start not in VECTORS and made.plan.has_v():
        document["v"] = by_head(made, sizes.kv_heads, sizes.fresh, sizes.value_width, 3)
    add_head_counts(made)


def add_head_counts(made: Draft) -> None:
    """heads and kv_heads: where no shape says them, and now and then where one does."""
    plan, sizes = made.plan, made.sizes
    silent = plan.start in VECTORS or plan.has("split") or plan.start == "from v"
    if sizes.heads > 1 and (silent or made.often()):
        made.document["heads"] = sizes.heads
    fewer = sizes.kv_heads < sizes.heads and (silent or made.often())
    if fewer or (sizes.heads > 1 and plan.has_v() and made.rng.random() < 0.1):
        made.document["kv_heads"] = sizes.kv_heads


def score_array(made: Draft, name: str) -> Any:
    """Scores or weights, some scores hidden where that is planned."""
    shape = (*leading(made), made.sizes.queries, made.sizes.keys)
    if made.plan.start in ONE_ROW:
        shape = (made.sizes.keys,)
    if name == "weights":
        return made.nested(shape, lambda: made.number(1, 0))
    values = made.array(shape, 3)
    if made.plan.has("hidden scores"):
        hide_some(made, values, shape)
    return values


def leading(made: Draft) -> Shape:
    """The batch and head axes that arrays by head have."""
    if made.plan.has("batch"):
        return made.sizes.batch, made.sizes.heads
    return (made.sizes.heads,) if made.sizes.heads > 1 else ()


def by_head(made: Draft, heads: int, tokens: int, width: int, size: float) -> Any:
    """q, k, v or a part of the cache, in the form that the plan wants."""
    if made.plan.has("split"):
        return made.array((tokens, heads * width), size)
    axes = leading(made)
    return made.array((*axes[:-1], heads, tokens, width) if axes else (tokens, width), size)


def hide_some(made: Draft, values: Any, shape: Shape) -> None:
    """One cell set to −∞, and each other now and then."""
    chosen = tuple(made.rng.randrange(length) for length in shape)
    for place in np.ndindex(*shape):
        if place == chosen or made.rng.random() < 0.1:
            put(values, place, NOTHING_VISIBLE)


def put(values: Any, place: Iterable[int], value: Any) -> None:
    """Set one cell of a nested list."""
    *outer, last = place
    for index in outer:
        values = values[index]
    values[last] = value


def add_x(made: Draft) -> None:
    """x, or ids with their embedding, the memory, and the projections."""
    sizes, document = made.sizes, made.document
    batch = (sizes.batch,) if made.plan.has("batch") else ()
    if made.plan.start == "from ids":
        words = made.rng.randint(2, 5)
        document["embedding"] = made.array((words, sizes.d_model), 1.5)
        document["ids"] = made.nested((*batch, sizes.queries), lambda: made.rng.randrange(words))
    else:
        document["x"] = made.array((*batch, sizes.queries, sizes.d_model), 1.5)
    if made.plan.has("positions"):
        document["positions"] = made.array((sizes.queries, sizes.d_model), 1)
    if made.plan.start == "from memory":
        document["memory"] = made.array((*batch, sizes.fresh, sizes.memory_width), 1.5)
    if made.plan.has("projections", "identity"):
        add_projections(made)


def add_projections(made: Draft) -> None:
    """w_q, w_k, w_v, some of them "identity" where that is planned, and biases."""
    sizes, plan = made.sizes, made.plan
    columns = {
        "q": sizes.heads * sizes.width,
        "k": sizes.kv_heads * sizes.width,
        "v": sizes.kv_heads * sizes.value_width,
    }
    same = identities(made) if plan.has("identity") else ()
    for name, width in columns.items():
        rows = sizes.memory_width if plan.start == "from memory" and name != "q" else sizes.d_model
        made.document["w_" + name] = "identity" if name in same else matrix(made, rows, width)
    if plan.has("projection biases"):
        read = ["q", "k", "v"] if plan.weighting in BY_SCORES else ["v"]
        for name in made.rng.sample(read, made.rng.randint(1, len(read))):
            made.document["b_" + name] = made.array((columns[name],), 0.5)


def identities(made: Draft) -> list[str]:
    """Which of q, k and v have no matrix: never all, and only where the widths agree."""
    if made.sizes.kv_heads < made.sizes.heads and made.plan.start != "from memory":
        return ["q"]
    return made.rng.sample(["q", "k", "v"], made.rng.randint(1, 2))


def matrix(made: Draft, rows: int, columns: int) -> Any:
    """A weight matrix (in, out), or (out, in) as the layout says."""
    return made.array((columns, rows) if made.plan.has("layout") else (rows, columns), 1)


def add_vectors_options(made: Draft) -> None:
    """qk_norm, rope and past."""
    plan, sizes, document = made.plan, made.sizes, made.document
    if plan.has("qk_norm"):
        norm: Document = {"eps": made.pick("0.00001", "0.001", "1E-6")}
        if plan.has("qk_norm gains"):
            for name in made.rng.sample(["q_gain", "k_gain"], made.rng.randint(1, 2)):
                norm[name] = made.array((sizes.width,), 1.5)
        document["qk_norm"] = norm
    if plan.has(*ROPES):
        document["rope"] = {"pairs": "halves" if plan.has("rope halves") else "neighbours"}
        if made.often():
            document["rope"]["base"] = made.rng.choice((10000, 100, 10))
    if plan.has("past"):
        document["past"] = {
            "k": by_head(made, sizes.kv_heads, sizes.past, sizes.width, 1.5),
            "v": by_head(made, sizes.kv_heads, sizes.past, sizes.value_width, 3),
        }


def add_score_options(made: Draft) -> None:
    """Scale, temperature, softcap, ALiBi and bias."""
    plan, document = made.plan, made.document
    if plan.has(*SCALES):
        add_scale(made)
    if plan.has("temperature"):
        document["temperature"] = made.pick("0.7", "1.0", "2", "1.5", "3")
    if plan.has("softcap"):
        document["softcap"] = made.pick("1", "2.5", "5", "30")
    if plan.has("alibi true"):
        document["alibi"] = True
    if plan.has("alibi slopes"):
        document["alibi"] = made.nested((made.sizes.heads,), lambda: made.number(0.5, 0.05))
    if plan.has("bias", "bias hides"):
        shape = cell_shape(made)
        document["bias"] = made.array(shape, 1)
        if plan.has("bias hides"):
            hide_some(made, document["bias"], shape)


def add_scale(made: Draft) -> None:
    """One kind of scale, with the width that no shape says."""
    document, sizes = made.document, made.sizes
    kind = next(name for name in SCALES if made.plan.has(name)).removeprefix("scale ")
    document["scale"] = kind
    if kind == "number":
        texts = ("0.5", "0.125", "1", "1.5", "0.3333")
        document["scale"] = made.pick(*texts) if made.plan.has("hidden scores", *EMPTY) else made.pick(*texts, "-0.5")
    if kind in ("sqrt_d_k", "d_k") and made.plan.start in SCORES:
        document["d_k"] = made.rng.choice((2, 3, 4, 64)) if made.plan.weighting == "softmax" else 4
    if kind == "sqrt_d_model" and made.plan.start not in VECTORS:
        document["d_model"] = sizes.heads * sizes.width


def cell_shape(made: Draft) -> Shape:
    """A shape that broadcasts from the right to (batch, heads, Tq, Tk) and fits the scenario's axes."""
    batch, heads, queries, keys = made.sizes.cells
    shapes: list[Shape] = [(keys,), (queries, keys), (queries, keys), (1, keys)]
    if made.plan.start not in ONE_ROW:
        shapes.append((queries, 1))
    if heads > 1:
        shapes += [(heads, queries, keys), (heads, 1, keys)]
    if made.plan.has("batch"):
        shapes += [(batch, 1, 1, keys), (batch, heads, queries, keys), (batch, 1, queries, keys)]
    return made.rng.choice(shapes)


def add_mask(made: Draft) -> None:
    """The mask: a word, or an object of all the planned parts."""
    plan = made.plan
    if plan.has("mask none", "mask causal"):
        made.document["mask"] = "none" if plan.has("mask none") else "causal"
    elif plan.has(*PARTS):
        made.document["mask"] = mask_object(made)


def mask_object(made: Draft) -> Document:
    """The parts of a mask object."""
    plan, sizes, mask = made.plan, made.sizes, Document()
    if plan.has(*CAUSAL):
        mask["causal"] = True if plan.has("causal true") else next(name for name in CORNERS if plan.has(name))
    if plan.has("window causal", "window both"):
        mask["window"] = made.rng.randint(1, max(2, sizes.keys - 1))
    if plan.has("hide"):
        places = made.rng.sample(range(sizes.keys), made.rng.randint(1, sizes.keys - 1))
        mask["hide"] = [hidden_name(made, place) for place in places]
    if plan.has("key length"):
        mask["key_lengths"] = made.rng.randint(1, sizes.keys)
    if plan.has("key lengths"):
        mask["key_lengths"] = [made.rng.randint(1, sizes.keys) for _ in range(sizes.batch)]
    for name, share in (("keep", 0.7), ("drop", 0.3)):
        if plan.has(name):
            mask[name] = flags(made, cell_shape(made), share)
    return mask


def hidden_name(made: Draft, place: int) -> Any:
    """A key by its label or its position."""
    return made.document["tokens"][place] if made.plan.has("tokens") and made.often() else place


def flags(made: Draft, shape: Shape, share: float) -> Any:
    """An array of true and false, or of 1 and 0."""
    yes, no = (True, False) if made.often() else (1, 0)
    return made.nested(shape, lambda: yes if made.rng.random() < share else no)


def add_weighting(made: Draft) -> None:
    """The weighting, the sink, the base, the shift and the rule for empty rows."""
    plan, document = made.plan, made.document
    if plan.weighting in ("linear", "uniform", "self") or (plan.weighting == "softmax" and made.rng.random() < 0.2):
        document["weighting"] = plan.weighting
    if plan.has("sink"):
        document["sink"] = made.number(2)
    if plan.has("sinks"):
        document["sink"] = made.nested((made.sizes.heads,), lambda: made.number(2))
    if plan.has("base"):
        document["base"] = made.pick("2", "3", "10", "0.5", "1.5")
    if plan.has("shift", "no shift"):
        document["shift"] = plan.has("shift")
    if plan.has(*EMPTY):
        document["empty_rows"] = next(name for name in EMPTY if plan.has(name)).removeprefix("empty ")


def add_empty_row(made: Draft) -> None:
    """A row that sees no key, made in one of the ways that the plan leaves open."""
    ways: list[Callable[[Draft], None]] = []
    if not made.plan.has("mask none", "mask causal"):
        ways += [empty_by_drop, empty_by_keep]
        if made.plan.has("key lengths"):
            ways.append(empty_by_length)
    if made.plan.weighting in BY_SCORES:
        ways.append(empty_by_bias)
        if made.plan.start in SCORES:
            ways.append(empty_by_scores)
    made.rng.choice(ways)(made)


def whole_shape(made: Draft) -> Shape:
    """The shape of all the cells, without the axes that the scenario does not have."""
    return (*leading(made), made.sizes.queries, made.sizes.keys)


def with_empty_row(made: Draft, values: Any, shape: Shape, nothing: Any) -> Any:
    """The array broadcast to ``shape``, with one row (of one head, of one batch entry) made empty."""
    full = np.broadcast_to(np.array(values, dtype=object), shape).tolist()
    row = tuple(made.rng.randrange(length) for length in shape[:-1])
    for key in range(shape[-1]):
        put(full, (*row, key), nothing)
    return full


def empty_by_flags(made: Draft, name: str, nothing: int) -> None:
    """A row of ``keep`` with no 1, or of ``drop`` with nothing else."""
    mask = made.document.setdefault("mask", {})
    values = with_empty_row(made, mask.get(name, 1 - nothing), whole_shape(made), nothing)
    mask[name] = all_as(bool if made.often() else int, values)


def all_as(kind: type, values: Any) -> Any:
    """A nested list with every item of one kind."""
    return [all_as(kind, item) for item in values] if isinstance(values, list) else kind(values)


def empty_by_drop(made: Draft) -> None:
    """A row whose keys are all dropped."""
    empty_by_flags(made, "drop", 1)


def empty_by_keep(made: Draft) -> None:
    """A row whose keys are none of them kept."""
    empty_by_flags(made, "keep", 0)


def empty_by_length(made: Draft) -> None:
    """A batch entry of no keys."""
    made.document["mask"]["key_lengths"][made.rng.randrange(made.sizes.batch)] = 0


def empty_by_bias(made: Draft) -> None:
    """A row that the bias hides."""
    bias = made.document.get("bias", Decimal("0"))
    made.document["bias"] = with_empty_row(made, bias, whole_shape(made), NOTHING_VISIBLE)


def empty_by_scores(made: Draft) -> None:
    """A row whose scores are all −∞."""
    scores = made.document["scores"]
    shape = np.array(scores, dtype=object).shape
    made.document["scores"] = with_empty_row(made, scores, shape, NOTHING_VISIBLE)


def add_after(made: Draft) -> None:
    """The output projection, its bias, the layout, the residual and the norm."""
    plan, sizes, document = made.plan, made.sizes, made.document
    if plan.has("w_o"):
        document["w_o"] = matrix(made, sizes.heads * sizes.value_width, sizes.output_width)
    if plan.has("b_o"):
        document["b_o"] = made.array((sizes.output_width,), 1)
    if plan.has("layout"):
        document["layout"] = "out_in"
    if plan.has("residual true"):
        document["residual"] = True
    if plan.has("residual array"):
        document["residual"] = made.array(output_shape(made), 2)
    if plan.has(*NORMS):
        document["norm"] = norm_object(made)


def output_shape(made: Draft) -> Shape:
    """The shape of the output: one row for a one-dimensional start."""
    sizes = made.sizes
    width = sizes.output_width if made.plan.has("w_o") else sizes.heads * sizes.value_width
    if made.plan.start in ONE_ROW:
        return (width,)
    return (sizes.batch, sizes.queries, width) if made.plan.has("batch") else (sizes.queries, width)


def norm_object(made: Draft) -> Document:
    """The norm of the block."""
    _, where, kind = next(name for name in NORMS if made.plan.has(name)).split()
    norm: Document = {"where": where, "kind": kind}
    width = made.sizes.d_model if where == "pre" else output_shape(made)[-1]
    if made.plan.has("norm gain"):
        norm["gain"] = made.array((width,), 1.5)
    if made.plan.has("norm bias"):
        norm["bias"] = made.array((width,), 1)
    if made.plan.has("norm eps"):
        norm["eps"] = made.pick("0.00001", "0.001", "1E-6")
    return norm


# --- which documents double precision can judge -----------------------------------------------


def is_well_conditioned(document: Document) -> bool:
    """No large number, no sum that nearly cancels, no variance near zero."""
    try:
        steps = calculate(document)
    except ValueError:
        return False
    finite = [values[np.isfinite(values)] for values in steps.values()]
    if max(float(np.abs(values).max(initial=0)) for values in finite) > LARGEST:
        return False
    variances = [steps[name].ravel() for name in ("variance", "post_variance") if name in steps]
    if any(1e-20 < variance < SMALLEST_VARIANCE for values in variances for variance in values):
        return False
    return document.get("weighting") != "linear" or sums_are_clear(document, steps)


def sums_are_clear(document: Document, steps: Steps) -> bool:
    """Whether no sum of visible scores is small beside the scores that it adds."""
    order = ("masked", "biased", "capped", "scaled", "scores")
    scores = next(steps[name] for name in order if name in steps)
    sizes = np.where(np.isfinite(scores), np.abs(scores), 0).sum(axis=-1)
    return bool((np.abs(steps["total"]) >= SMALLEST_SHARE * sizes).all() and not ((sizes > 0) & (sizes < 0.05)).any())


def has_empty_row(document: Document) -> bool:
    """Whether a row sees no key; with a sink such a row is not empty, so the sink is left out for the question."""
    bare = {name: value for name, value in document.items() if name != "sink"}
    return bool(np.isnan(calculate({**bare, "empty_rows": "nan"})["weights"]).any())
