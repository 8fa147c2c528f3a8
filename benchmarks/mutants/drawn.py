"""A random sample of the mutants that mutmut makes of a room."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import NamedTuple

import libcst
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace

REPOSITORY = Path(__file__).resolve().parents[2]


class Mutant(NamedTuple):
    """A change: the lines of a file that it replaces, the first of them, and what stands there instead."""

    file: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where the file is."""
        return REPOSITORY / self.file

    @property
    def bits(self) -> int:
        """The lines as bits."""
        return sum(1 << line for line in range(self.line, self.line + len(self.old)))

    def source(self) -> str:
        """The changed file, the lines looked for where they stand today."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        places = [at for at in range(len(lines)) if tuple(lines[at : at + len(self.old)]) == self.old]
        if not places:
            return ""
        at = min(places, key=lambda place: abs(place + 1 - self.line))
        return "\n".join((*lines[:at], *self.new, *lines[at + len(self.old) :])) + "\n"


def sampled(room: str, count: int, seed: int) -> list[Mutant]:
    """So many mutants of the room, drawn from all of its files."""
    made: list[tuple[Path, libcst.Module, Mutation]] = []
    for path in sorted((REPOSITORY / "attncalc" / room).glob("*.py")):
        module, mutations, *_ = create_mutations(str(path), path.read_text(encoding="utf-8"))
        made += [(path, module, mutation) for mutation in mutations]
    print(f"{room}: {len(made)} mutants, {min(count, len(made))} drawn with seed {seed}")
    return [_mutant(*chosen) for chosen in Random(seed).sample(made, min(count, len(made)))]


def _mutant(path: Path, module: libcst.Module, mutation: Mutation) -> Mutant:
    changed = deep_replace(module, mutation.original_node, mutation.mutated_node)
    assert isinstance(changed, libcst.Module)
    old, new = module.code.splitlines(), changed.code.splitlines()
    same = 0
    while old[same] == new[same]:
        same += 1
    end = 0
    while end < min(len(old), len(new)) - same - 1 and old[-1 - end] == new[-1 - end]:
        end += 1
    file = path.relative_to(REPOSITORY).as_posix()
    return Mutant(file, same + 1, tuple(old[same : len(old) - end]), tuple(new[same : len(new) - end]))
