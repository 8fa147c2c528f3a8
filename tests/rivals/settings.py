"""How a random document is calculated: settings beside its options, and every pair of the two, over and over.

``cases`` goes through every two names that can stand together, in a fixed order and again from the start, so that
n · len(pairs) cases hold every pair n times at least.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from .random_options import (
    RULES,
    STARTS,
    WEIGHTINGS,
    Document,
    Names,
    Plan,
    build,
    completions,
    possible_pairs,
    random_plan,
)
from .random_scenarios import as_json

ONLINE = ("online, one key", "online, some keys", "online, all keys")
BY_HAND = ("by hand", "by hand by step")
SETTINGS: dict[str, dict[str, int]] = {
    "arithmetic": {"exact": 5, "float64": 3, "float32": 3, "float16": 3, "by hand": 2, "by hand by step": 2},
    "places": {"few places": 1, "usual places": 1, "many places": 1},
    "rounding": {"half-up": 1, "half-even": 1, "truncate": 1},
    "algorithm": {"plain": 5, **dict.fromkeys(ONLINE, 1)},
    "arrays": {"numbers written": 3, "numbers in files": 1},
    "said": {"said in the document": 1, "said by options": 1},
}
"""One of each kind in every case, and how often."""

KIND_OF = {name: kind for kind, names in SETTINGS.items() for name in names}
ARRAYS = (
    "scores", "weights", "q", "k", "v", "x", "memory", "embedding", "positions", "residual", "bias",
    *(f"{letter}_{name}" for letter in "wb" for name in "qkvo"),
)  # fmt: skip


class Case(NamedTuple):
    """A document as the program gets it, with its options, and what it means: numbers written, options folded in."""

    names: Names
    text: str
    options: dict[str, str]
    meant: Document

    @property
    def kind(self) -> str:
        """The arithmetic."""
        return str(self.meant["arithmetic"])


@cache
def every_pair() -> tuple[Names, ...]:
    """Every two names that can stand together: options, starting points, weightings, settings."""
    mixed = [
        frozenset((setting, name))
        for setting in KIND_OF
        for name in (*STARTS, *WEIGHTINGS, *RULES)
        if completions(Random(0), frozenset((name, *needed(setting))))
    ]
    settings = [frozenset(two) for two in combinations(KIND_OF, 2) if KIND_OF[two[0]] != KIND_OF[two[1]]]
    found = [*possible_pairs(), *mixed, *settings]
    Random(0).shuffle(found)
    return tuple(found)


def needed(setting: str) -> tuple[str, ...]:
    """What a setting needs: only a softmax can be gone through in blocks."""
    return ("softmax",) if setting in ONLINE else ()


def cases(seed: int, first: int, count: int, folder: Path) -> Iterator[Case]:
    """The cases of a seed from a number on; the same for the same seed and number. Files go into the folder."""
    for number in range(first, first + count):
        yield case(Random(f"{seed} {number}"), every_pair()[number % len(every_pair())], folder)


def case(rng: Random, pair: Names, folder: Path) -> Case:
    """A case that holds the pair."""
    chosen = {KIND_OF[name]: name for name in pair if name in KIND_OF}
    wish = frozenset(name for name in pair if name not in KIND_OF)
    wish |= {more for name in chosen.values() for more in needed(name)}
    plan = (
        random_plan(rng, wish, rng.randint(0, 8))
        if wish
        else random_plan(rng, frozenset((rng.choice(STARTS),)), rng.randint(0, 8))
    )
    for kind, names in SETTINGS.items():
        fitting = [name for name in names if plan.weighting in needed(name) or not needed(name)]
        chosen.setdefault(kind, rng.choices(fitting, [names[name] for name in fitting])[0])
    return made(rng, plan, chosen, folder)


def made(rng: Random, plan: Plan, chosen: dict[str, str], folder: Path) -> Case:
    """The case of a plan and settings."""
    document = build(rng, plan)
    meant = dict(document)
    if chosen["arrays"] == "numbers in files":
        document, meant = in_files(rng, document, folder)
    said = said_settings(rng, chosen, meant)
    meant |= said
    if chosen["said"] == "said by options" and "by_hand" not in said:
        options = {key: str(value) for key, value in said.items()}
    else:
        document, options = document | said, {}
    return Case(plan.names() | frozenset(chosen.values()), as_json(document), options, meant)


def said_settings(rng: Random, chosen: dict[str, str], document: Document) -> Document:
    """The keys of a scenario that say the settings."""
    places = {"few places": (0, 3), "usual places": (4, 6), "many places": (12, 30)}[chosen["places"]]
    said: Document = {"places": rng.randint(*places), "rounding": chosen["rounding"]}
    if chosen["arithmetic"] in BY_HAND:
        said |= {"arithmetic": "by-hand", "by_hand": by_hand(rng, chosen["arithmetic"], document)}
    else:
        said["arithmetic"] = chosen["arithmetic"]
    if chosen["algorithm"] in ONLINE:
        said |= {
            "algorithm": "online",
            "block": {ONLINE[0]: 1, ONLINE[1]: rng.randint(2, 3), ONLINE[2]: 99}[chosen["algorithm"]],
        }
    return said


def by_hand(rng: Random, name: str, document: Document) -> Any:
    """Places by hand: one number, or several by step."""
    if name == "by hand":
        return rng.choice((0, 1, 2, 3, 4, 6, 10))
    places = {"default": rng.randint(0, 6)}
    if document.get("weighting", "softmax") == "softmax" and "weights" not in document:
        places["exponentials"] = rng.randint(0, 8)
    return places


# --- arrays in files --------------------------------------------------------------------------


def in_files(rng: Random, document: Document, folder: Path) -> tuple[Document, Document]:
    """The document with arrays as references, and with the numbers that the files hold."""
    found = [name for name in ARRAYS if isinstance(document.get(name), list)]
    chosen = rng.sample(found, rng.randint(1, len(found)))
    stored: dict[str, Any] = {}
    referring, meant = dict(document), dict(document)
    for name in chosen:
        values = np.array(floats(document[name]))
        meant[name] = decimals(values.tolist())
        referring[name] = reference(rng, name, values, folder, stored)
    if stored:
        np.savez(folder / "arrays.npz", **stored)
    return referring, meant


def reference(rng: Random, name: str, values: Any, folder: Path, stored: dict[str, Any]) -> Document:
    """Where an array stands, now and then as a part of a larger one."""
    where: Document = {}
    if rng.random() < 0.3:
        place = rng.randrange(3)
        values = np.stack([values if n == place else values + 1 for n in range(3)])
        where["index"] = [place]
    if rng.random() < 0.3:
        begin, width = rng.randint(0, 2), values.shape[-1]
        values = np.concatenate([values[..., :1]] * begin + [values, values[..., :1]], axis=-1)
        where["columns"] = [begin, begin + width]
    values = np.asfortranarray(values) if rng.random() < 0.3 else values.astype(">f8") if rng.random() < 0.2 else values
    if rng.random() < 0.5:
        np.save(folder / f"{name}.npy", values)
        return {"npy": f"{name}.npy", **where}
    stored[name] = values
    return {"npz": "arrays.npz", "key": name, **where}


def floats(value: Any) -> Any:
    """Nested numbers as doubles, −∞ too."""
    return [floats(part) for part in value] if isinstance(value, list) else float(str(value).replace("Infinity", "inf"))


def decimals(value: Any) -> Any:
    """Nested doubles as the decimals that they are."""
    if isinstance(value, list):
        return [decimals(part) for part in value]
    return "-Infinity" if value == -np.inf else Decimal(value)


def told(case: Case) -> str:
    """What is needed to have a case again."""
    return json.dumps({"text": case.text, "options": case.options, "meant": as_json(case.meant)})
