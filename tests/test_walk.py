"""The walk: keys, changes and places in plain Python, without any terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from samples import BUILT_IN, LANGUAGES

from attncalc import load, run
from attncalc.core.expression import Cell, numbers_in
from attncalc.core.stage import Trace
from attncalc.derive import derivation
from attncalc.errors import AttncalcError
from attncalc.explore.cells import cell_name
from attncalc.explore.sensitivity import influences
from attncalc.explore.walk import Walk, begin, go, move_to, to_step
from attncalc.explore.what_if import change, edit, path_of, redo, toggle, undo
from attncalc.interactive.moves import BY_KEY, MOVES, press, pressed
from attncalc.messages import catalogue
from attncalc.scenario_files.beside import HERE, Folder
from attncalc.scenario_files.inlining import moved
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written
from attncalc.scenario_files.load import scenario_of
from attncalc.scenario_files.sources import Source, source_at


def walk_in(name: str, *changes: str, **options: str) -> Walk:
    """A walk through a built-in scenario."""
    return begin(source_at(name), changes, options)


def here(walk: Walk) -> str:
    """The name of the cell, with what has no name in it: batch entry and head."""
    return f"{walk.cell.place[:2]} {cell_name(walk.trace, walk.cell)}"


KEYS_AND_PLACES = [
    ("draw", "", "(0, 0) v I 0"),
    ("draw", "n", "(0, 0) scores draw I"),
    ("draw", "n n n", "(0, 0) total draw"),
    ("draw", "n n n n", "(0, 0) weights draw I"),
    ("draw", "n n n n n n n n n n", "(0, 0) residual draw 0"),
    ("draw", "n n p", "(0, 0) scores draw I"),
    ("draw", "p p", "(0, 0) v I 0"),
    ("draw", "n right right", "(0, 0) scores draw to"),
    ("draw", "n end", "(0, 0) scores draw draw"),
    ("draw", "n end home", "(0, 0) scores draw I"),
    ("draw", "n right right n", "(0, 0) exponentials draw to"),
    ("draw", "n right right n n n", "(0, 0) weights draw to"),
    ("draw", "down down right", "(0, 0) v to 1"),
    ("draw", "down down right up left", "(0, 0) v like 0"),
    ("draw", "pagedown", "(0, 0) v draw 0"),
    ("draw", "ctrl+end ctrl+home", "(0, 0) v I 0"),
    ("draw", "n n n n n enter", "(0, 0) weights draw I"),
    ("draw", "n n n n n enter enter enter", "(0, 0) scores draw I"),
    ("draw", "n n n n n enter enter enter backspace backspace", "(0, 0) weights draw I"),
    ("draw", "n n n n n tab tab f", "(0, 0) weights draw to"),
    ("draw", "n n n n n shift+tab f", "(0, 0) v draw 0"),
    ("draw", "n n n n n tab tab f backspace f", "(0, 0) weights draw to"),
    ("mini-head", "n n n n t", "(0, 0) scores fly We"),
    ("mini-head", "n n n n T", "(0, 0) scores saw We"),
    ("grouped", "n n n h", "(0, 1) scores runs red"),
    ("grouped", "n n n H", "(0, 3) scores runs red"),
    ("grouped", "n n n H enter", "(0, 3) q runs 0"),
    ("grouped", "n n n H shift+tab enter", "(0, 1) k red 1"),
    ("grouped", "n n n h h h n n n n p p p p p p", "(0, 1) k red 0"),
    ("grouped", "n n n h p p n n", "(0, 1) scores runs red"),
    ("causal-head", "b b", "(2, 0) x 7 0"),
    ("causal-head", "B", "(3, 0) x 7 0"),
]


@pytest.mark.parametrize(("name", "keys", "place"), KEYS_AND_PLACES)
def test_keys_lead_to_a_place(name: str, keys: str, place: str) -> None:
    """A list of keys gives a cell, the same one every time."""
    assert here(pressed(walk_in(name), keys.split())) == place


def test_every_key_has_one_meaning_and_words_for_it() -> None:
    """No key stands in two rows, and both languages say what each row does."""
    assert len(BY_KEY) == sum(len(row.keys) for row in MOVES)
    for language in LANGUAGES:
        messages = catalogue(language)
        for row in MOVES:
            assert messages[f"walk-do.{row.name}"]
            assert not row.in_footer or messages[f"walk-do.{row.name}-short"]
            assert all(
                len(key) == 1 or f"walk-key.{key.replace('+', '-').replace('_', '-')}" in messages for key in row.keys
            )


def test_a_key_that_asks_for_a_text_is_no_move() -> None:
    """Such keys belong to the faces."""
    with pytest.raises(KeyError):
        press(walk_in("draw"), "e")


def step_reads_only_given(walk: Walk) -> bool:
    """Whether a computed cell is made of numbers that no step shows (embeddings that are looked up)."""
    tree = derivation(walk.trace, walk.step, walk.cell.place)
    return all(number.cell is None or number.cell.given for number in numbers_in(tree))


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_step_is_reached_and_every_follow_comes_back(name: str) -> None:
    """From the first step to the last and back, following from each step's first cell down to the given numbers."""
    walk = walk_in(name)
    for step in walk.trace:
        assert walk.cell.name == step.name
        down = walk
        while down.chosen is not None:
            down = press(down, "enter")
        assert down.step.stage.given or step_reads_only_given(down)
        for _ in range(len(down.trail)):
            down = press(down, "backspace")
        assert down.cell == walk.cell
        walk = press(walk, "n")


# --- what-if --------------------------------------------------------------------------------------


def dependents(trace: Trace, cell: Cell) -> set[Cell]:
    """The cells whose derivation leads to the cell, found by asking each for what is put in."""
    found = {cell}
    for step in trace:
        for index in np.ndindex(step.cells.shape):
            if not step.stage.given and found & {n.cell for n in numbers_in(derivation(trace, step, index))}:
                found.add(Cell(step.name, index))
    return found


def marked(walk: Walk) -> set[Cell]:
    """The cells that are not what they were at the start."""
    return {Cell(name, tuple(map(int, i))) for name, differs in walk.changed.items() for i in np.argwhere(differs)}


EDITS = [
    ("draw", "scores draw I", "0"),
    ("draw", "v like 1", "7"),
    ("mini-head", "x saw 2", "3.25"),
    ("grouped", "k fox 0", "-2"),
]


@pytest.mark.parametrize(("name", "words", "number"), EDITS)
def test_exactly_the_dependent_cells_are_marked(name: str, words: str, number: str) -> None:
    """In exact arithmetic an edit marks cells that are made from the number, all but those that it does not move."""
    start = walk_in(name, arithmetic="exact")
    walk = edit(go(start, words.split()), number)
    assert marked(walk) <= dependents(walk.trace, walk.cell)
    path = path_of(walk)
    for cell in dependents(walk.trace, walk.cell) - marked(walk):  # multiplied by 0, or hidden
        assert all(influence.path != path for influence in influences(walk.trace, cell))
    assert name != "draw" or marked(walk) == dependents(walk.trace, walk.cell)
    assert marked(undo(walk)) == set()
    assert marked(redo(undo(walk))) == marked(walk)


def test_the_score_of_i_set_to_zero() -> None:
    """The story of the first article: by hand, the marked cells and the new weights."""
    walk = edit(go(walk_in("draw"), ["scores", "draw", "I"]), "0")
    assert {name: int(differs.sum()) for name, differs in walk.changed.items()} == {
        "scores": 1, "exponentials": 1, "total": 1, "weights": 4, "context": 3, "residual": 3,
    }  # fmt: skip
    assert [str(x) for x in walk.trace["weights"].exact[0]] == ["0.21", "0.26", "0.38", "0.15"]
    assert walk.now.changes == ("scores.0=0",)
    assert walk.trace.scenario.changes == walk.now.changes


TOGGLES = [
    ("draw", "mask", "mask=causal"),
    ("mini-head", "mask", "mask=none"),
    ("window", "scale", "scale=none"),
    ("draw", "arithmetic", "arithmetic=exact"),
    ("mini-head", "arithmetic", "arithmetic=by-hand"),
]


@pytest.mark.parametrize(("name", "key", "change_made"), TOGGLES)
def test_a_toggle_goes_off_and_on_again(name: str, key: str, change_made: str) -> None:
    """The second time nothing is changed, and nothing is said to be."""
    once = toggle(walk_in(name), key)
    twice = toggle(once, key)
    assert (once.now.changes, twice.now.changes) == ((change_made,), ())
    assert once.changed
    assert not twice.changed
    assert len(twice.past) == 2


def test_of_several_changes_of_one_path_the_last_is_told() -> None:
    """The list says how the scenario is, not what was tried."""
    walk = change(change(change(walk_in("draw"), "scores.0=1"), "v.0.0=2"), "scores.0=3")
    assert walk.now.changes == ("v.0.0=2", "scores.0=3")
    assert change(walk, "scores[I]=1.8").now.changes == ("v.0.0=2",)


def test_a_mask_of_its_own_comes_back() -> None:
    """Not causal, but the mask that the scenario has."""
    walk = walk_in("padding")
    twice = toggle(toggle(walk, "mask"), "mask")
    assert twice.trace.scenario.option("mask") == walk.trace.scenario.option("mask")
    assert not twice.changed


REFUSED: list[tuple[str, Callable[[Walk], Walk], str]] = [
    ("draw", lambda w: press(w, "backspace"), "nothing was followed, so there is nowhere to come back to"),
    ("draw", lambda w: press(w, "enter"), "v: this number is given: it is made from no other"),
    ("draw", lambda w: press(w, "u"), "nothing is changed, so there is nothing to undo"),
    ("draw", lambda w: press(w, "r"), "nothing was undone"),
    ("draw", lambda w: press(w, "h"), "v: this step has no axis head"),
    ("draw", lambda w: press(w, "t"), "v: this step has no axis query"),
    (
        "draw",
        lambda w: edit(to_step(w, "weights"), "1"),
        "weights: these numbers are calculated; change one that they are made from",
    ),
    ("draw", lambda w: edit(w, " "), "v.0.0: a number is wanted"),
    ("draw", lambda w: edit(w, "x"), 'draw: v[0][0]: is "x"; wanted is a number'),
    ("draw", lambda w: edit(w, "NaN"), 'draw: v[0][0]: is "NaN"; wanted is a number'),
    ("draw", lambda w: change(w, "temperature=0"), "draw: temperature: is 0; wanted is a number above 0"),
    (
        "draw",
        lambda w: change(w, "nonsense"),
        "nonsense: is not PATH=VALUE, for example scores.0=1 or mask=causal",
    ),
    (
        "draw",
        lambda w: go(w, ["weights", "x", "y"]),
        "weights x y: x is not a label or position of the axis query; wanted is one of: draw",
    ),
]


@pytest.mark.parametrize(("name", "action", "sentence"), REFUSED)
def test_what_cannot_be_done_says_why(name: str, action: Callable[[Walk], Walk], sentence: str) -> None:
    """One sentence, and the walk is as it was."""
    walk = walk_in(name)
    with pytest.raises(AttncalcError) as error:
        action(walk)
    assert error.value.sentences() == [sentence]
    assert here(walk) == "(0, 0) v I 0"


def test_a_change_that_removes_the_step_lands_near() -> None:
    """Where the step at hand is gone, the last step is shown; a shorter table keeps the nearest cell."""
    walk = go(walk_in("mini-head"), ["masked", "south", "fly"])
    assert here(change(walk, "mask=none")) == "(0, 0) residual south 0"
    walk = move_to(begin(Source("mine", HERE, parse(b'{"scores": [[1, 2, 3], [4, 5, 6]]}', "mine"))), 1, 2)
    assert (here(walk), here(change(walk, "scores=[[1, 2]]"))) == ("(0, 0) scores 1 2", "(0, 0) scores 0 1")


# --- saving ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_saved_scenario_gives_the_same_trace(name: str, tmp_path: Path) -> None:
    """After a change, from another folder, read again: the same numbers in every step."""
    walk = change(walk_in(name), "places=6")
    file = tmp_path / "mine.json"
    file.write_text(written(moved(dict(walk.now.document), walk.source.folder, tmp_path), 2), encoding="utf-8")
    again = run(load(str(file)))
    assert [step.name for step in again] == [step.name for step in walk.trace]
    for step in again:
        assert step.values.tobytes() == walk.trace[step.name].values.tobytes()


def test_a_number_of_an_array_in_a_file_can_be_edited(tmp_path: Path) -> None:
    """The array is put into the document first; the file stays as it is, and so does every other number."""
    np.save(tmp_path / "q.npy", np.array([[1.5, 0.1], [0.25, -3.0]]))
    document = parse(b'{"q": {"npy": "q.npy"}, "k": [[1, 0], [0, 1]]}', "mine")
    walk = edit(go(begin(Source("mine", Folder(tmp_path), document)), ["q", "0", "1"]), "2")
    assert walk.trace["q"].values.tolist() == [[1.5, 2.0], [0.25, -3.0]]
    assert np.load(tmp_path / "q.npy")[0, 1] == 0.1
    kept = moved(dict(walk.start.document), Folder(tmp_path), tmp_path / "elsewhere")
    assert scenario_of(kept, "kept", folder=tmp_path / "elsewhere").arrays["q"].astype(float).ravel().tolist() == [
        1.5, 0.1, 0.25, -3.0,
    ]  # fmt: skip


def test_a_file_of_the_same_name_elsewhere_is_not_the_same_array(tmp_path: Path) -> None:
    """An array that would be another one in the new folder is put into the document, wherever it stands in it."""
    there = tmp_path / "there"
    there.mkdir()
    np.savez(tmp_path / "causal_head_1337.npz", q=np.eye(2), k=np.ones((1, 2)))
    np.savez(there / "causal_head_1337.npz", q=np.zeros((2, 2)), k=np.ones((1, 2)))
    q, k = ({"npz": "causal_head_1337.npz", "key": key} for key in "qk")
    text = json.dumps({"q": q, "k": [[1, 2], [3, 4]], "past": {"k": k}})
    walk = begin(Source("mine", Folder(tmp_path), parse(text.encode(), "mine")))
    again = scenario_of(moved(dict(walk.now.document), Folder(tmp_path), there), "moved", folder=there)
    assert again.arrays["q"].astype(float).reshape(2, 2).tolist() == [[1, 0], [0, 1]]
    assert isinstance(again.document["past"]["k"], list)
    same = moved(dict(walk.now.document), Folder(tmp_path), tmp_path)
    assert same["q"] is walk.now.document["q"]


@pytest.mark.parametrize("path", ["q.0.1", "q.a.1", "q[a][1]", "past.k.0.1"])
def test_a_change_means_a_number_of_an_array_in_a_file_by_position_or_label(path: str, tmp_path: Path) -> None:
    """What can be typed for a list can be typed for a file."""
    np.savez(tmp_path / "run.npz", q=np.eye(2), k=np.ones((1, 2)))
    text = (
        '{"tokens": ["p", "a", "b"], "q": {"npz": "run.npz", "key": "q"}, "k": [[1, 2], [3, 4]],'
        ' "past": {"k": {"npz": "run.npz", "key": "k"}}}'
    )
    walk = change(begin(Source("mine", Folder(tmp_path), parse(text.encode(), "mine"))), f"{path}=9")
    assert 9 in walk.trace.scenario.arrays["past.k" if path.startswith("past") else "q"].ravel().tolist()
    kept = change(walk, "k=[[5, 6], [7, 8]]")
    assert 9 in kept.trace.scenario.arrays["past.k" if path.startswith("past") else "q"].ravel().tolist()


def test_path_of_names_the_place_in_the_document() -> None:
    """The path is one that a change takes, heads and batch entries included."""
    walk = go(walk_in("grouped"), ["k", "fox", "1"])
    changed = change(walk, f"{path_of(walk)}=9")
    assert marked(changed) >= {walk.cell}
    assert str(changed.trace["k"].cells[walk.cell.place]) == "9"
