"""`check --code`: valid Python for every scenario, and what it saves from a module is what `check` wants.

PyTorch itself is not asked for: the lines run over a stand-in made of NumPy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from rich.cells import cell_len
from samples import BUILT_IN, LANGUAGES
from torch_stand_in import Module, Tensor, install

from attncalc.messages import catalogue

SCENARIOS = Path(__file__).parent.parent / "scenarios"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_code_is_python(name: str, language: str) -> None:
    """For every built-in scenario; its last line is the command that checks what it saves."""
    text = out("check", name, "--code", language=language)
    compile(text, name, "exec")
    assert text.endswith(f"\n# attncalc check {name} answers.npz\n")
    assert max(map(cell_len, text.splitlines())) <= 120
    assert catalogue(language)["check-code-title"].format(source=name) in text


SETTINGS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))\nprint("]),
    ({"scale": "d_k"}, ["(-2, -1) / q.size(-1)\n"]),
    ({"scale": "none"}, ["q @ k.transpose(-2, -1)\n"]),
    ({"scale": 0.25, "temperature": 2}, ["(-2, -1) * 0.25 / 2\n"]),
    ({"scale": "sqrt_d_model", "d_model": 16}, ["(-2, -1) / math.sqrt(16)\n"]),
    ({"mask": "causal"}, ["visible = torch.ones(3, 3, dtype=torch.bool).tril()\n"]),
    ({"mask": {"causal": True, "window": 2}}, [".tril().triu(-1)\n"]),
    ({"mask": {"hide": [1]}}, ["visible = torch.tensor([[1, 0, 1], [1, 0, 1], [1, 0, 1]], dtype=torch.bool)\n"]),
    ({"q": [[1, 0], [0, 1]], "mask": {"causal": "bottom-right"}}, ["torch.ones(2, 3, dtype=torch.bool).tril(1)\n"]),
    ({"q": [[1, 0], [0, 1]], "mask": {"causal": "top-left"}}, ["torch.ones(2, 3, dtype=torch.bool).tril()\n"]),
    ({"q": [[1, 0, 0, 1]] * 3, "heads": 2, "kv_heads": 1},
     ["k = k.repeat_interleave(2 // k.size(1), dim=1)\n", 'if saved["k"].size(1) != 1:']),
    ({"rope": {"pairs": "halves"}}, ["saved.update(rotated_q=q, rotated_k=k, v=v, "]),
    ({"past": {"k": [[1, 1]], "v": [[0, 0]]}}, ["saved.update(q=q, all_k=k, all_v=v, "]),
    ({"bias": [[0, 1, 0]] * 3}, ["context=context)"]),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "lines"), SETTINGS)
def test_the_code_follows_the_scenario(settings: dict[str, Any], lines: list[str]) -> None:
    """Its scale, its mask and the corner of it, its heads, and the names of the steps that go in."""
    three = [[1, 0], [0, 1], [1, 1]]
    scenario = json.dumps({"q": three, "k": three, "v": three, **settings}).encode()
    text = out("check", "-", "--code", stdin=scenario)
    compile(text, "code", "exec")
    assert [line for line in lines if line not in text] == []
    assert ("print(" in text) is ("bias" not in settings)


@pytest.mark.parametrize(
    "settings", [{"softcap": 5}, {"sink": 1}, {"base": 3}, {"weighting": "linear"}, {"weighting": "uniform"}]
)
def test_what_no_library_does_is_taken_from_ones_own_code(settings: dict[str, Any]) -> None:
    """The arrays by name, each with its shape."""
    scenario = json.dumps({"q": [[1, 0]], "k": [[1, 0], [2, 1]], "v": [[1], [2]], **settings}).encode()
    text = out("check", "-", "--code", stdin=scenario)
    compile(text, "code", "exec")
    assert "F.scaled_dot_product_attention" not in text
    assert re.search(r'"weights": weights,\s+# 1×2\n', text)


def test_the_code_keeps_to_a_line_whatever_the_file_is_called(tmp_path: Path) -> None:
    """A line end in the name cannot end the comment."""
    path = tmp_path / "a\nimport os.json"
    path.write_text('{"scores": [1, 2]}', encoding="utf-8")
    text = out("check", str(path), "--code")
    assert "\nimport os" not in text
    compile(text, "code", "exec")


# --- run over the stand-in ------------------------------------------------------------------------


def run_code(name: str, model: Module, patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Runs the printed lines with a model, in a folder."""
    patch.chdir(folder)
    exec(compile(out("check", name, "--code"), name, "exec"), {"model": model, "inputs": None})
    assert not model.training


def mini_head(functional: Any, **options: Any) -> Callable[[Any], Any]:
    """The forward of the head of mini-head, as somebody writes it in PyTorch."""
    document = json.loads((SCENARIOS / "mini-head.json").read_text(encoding="utf-8"))
    x, w_q, w_k, w_v, w_o = (np.array(document[name], dtype=np.float32) for name in ("x", "w_q", "w_k", "w_v", "w_o"))

    def forward(inputs: Any) -> Any:
        q, k, v = (Tensor((x @ w)[None, None]) for w in (w_q, w_k, w_v))
        context = functional.scaled_dot_product_attention(q, k, v, **options)
        return Tensor(context.array[:, 0] @ w_o), None

    return forward


def test_a_right_module_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """q, k, v, weights, context and output are saved; the function that was replaced is back."""
    functional = install(monkeypatch)
    before = functional.scaled_dot_product_attention
    run_code("mini-head", Module(mini_head(functional, is_causal=True)), monkeypatch, tmp_path)
    assert functional.scaled_dot_product_attention is before
    assert float(capsys.readouterr().out) < 1e-6
    with np.load(tmp_path / "answers.npz") as file:
        assert sorted(file.files) == ["context", "k", "output", "q", "v", "weights"]
    done = call("check", "mini-head", str(tmp_path / "answers.npz"))
    assert (done.code, done.out.splitlines()[0]) == (0, "Right  All 115 numbers are right.")


def test_a_module_without_its_mask_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the difference that the lines print, and by check."""
    functional = install(monkeypatch)
    run_code("mini-head", Module(mini_head(functional)), monkeypatch, tmp_path)
    assert float(capsys.readouterr().out) > 0.5
    done = call("check", "mini-head", str(tmp_path / "answers.npz"))
    assert (done.code, done.out.splitlines()[0]) == (1, "A mistake  The mask was not applied.")


@pytest.mark.parametrize("shared", [True, False])
def test_grouped_heads_are_saved_as_they_went_in(
    shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Keys and values only where they are not repeated yet; the joined heads are what the module gives."""
    functional = install(monkeypatch)
    document = json.loads((SCENARIOS / "grouped.json").read_text(encoding="utf-8"))

    def heads(name: str, count: int) -> Any:
        rows = np.array(document[name], dtype=np.float32)
        return Tensor(rows.reshape(len(rows), count, -1).swapaxes(0, 1)[None])

    def forward(inputs: Any) -> Any:
        q, k, v = heads("q", 4), heads("k", 2), heads("v", 2)
        if not shared:
            k, v = k.repeat_interleave(2, dim=1), v.repeat_interleave(2, dim=1)
        context = functional.scaled_dot_product_attention(q, k, v, enable_gqa=shared)
        return Tensor(context.array[0].swapaxes(0, 1).reshape(3, -1))

    run_code("grouped", Module(forward), monkeypatch, tmp_path)
    with np.load(tmp_path / "answers.npz") as file:
        assert ("k" in file.files) is shared
    assert call("check", "grouped", str(tmp_path / "answers.npz")).code == 0
