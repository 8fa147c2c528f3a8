"""`check --code`: the lines of PyTorch that save, under the names of the steps, what a module calculates.

The weights of a module are those that its attention gives with the identity in the place of V: nothing is calculated
again, so that its own mask and its own scale are what is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.document.view import View
from attncalc.errors import by

FILE = "answers.npz"
MOST_DRAWN = 100
"""Cells of a mask that is written out."""

RECORDING = """
saved = {{}}
attention = F.scaled_dot_product_attention


def recording(q, k, v, *args, **kwargs):
    context = attention(q, k, v, *args, **kwargs)
    if not saved:  # {first}
        identity = torch.eye(k.size(-2), dtype=k.dtype, device=k.device).expand(*k.shape[:-1], -1)
        weights = attention(q, k, identity, *args, **kwargs)  # {identity}
        saved.update({q}=q, {k}=k, {v}=v, weights=weights, context=context)
    return context


F.scaled_dot_product_attention = recording
"""

RUNNING = """# {mha}
model.eval()  # {eval}
with torch.no_grad():
    model(inputs)  # {inputs}
F.scaled_dot_product_attention = attention
"""

HOOK = """attn = model  # {attn}
attn.register_forward_hook(
    lambda module, args, out: saved.setdefault("{name}", out[0] if isinstance(out, tuple) else out)
)
"""

SAVING = """
np.savez(
    "{file}",
    **{{name: (t.float() if t.dtype == torch.bfloat16 else t).detach().cpu().numpy() for name, t in saved.items()}},
)
"""


def torch_code(trace: Trace, source: str, view: View) -> str:
    """A Python program for a scenario's options; its last line is the command that checks what it saves."""
    say = view.say
    records = _calls_attention(trace.scenario, trace)
    lines = [f"# {say('check-code-title', source=source)}", *_imports(records)]
    text = "\n".join(lines) + "\n" + (_recorded(trace, view) if records else _named(trace, view))
    return text + SAVING.format(file=FILE) + f"# attncalc check {source} {FILE}\n"


def _calls_attention(scenario: Scenario, trace: Trace) -> bool:
    """Whether F.scaled_dot_product_attention can do what the scenario asks for."""
    plain = scenario.start in ("q", "x", "ids") and scenario.weighting == "softmax" and scenario.has_values
    return plain and "capped" not in trace and not scenario.has("sink") and scenario.option("base") is None


def _imports(records: bool) -> list[str]:
    if not records:
        return ["import numpy as np", "import torch"]
    return ["import math", "", "import numpy as np", "import torch", "import torch.nn.functional as F"]


# --- a module that calls F.scaled_dot_product_attention -------------------------------------------


def _recorded(trace: Trace, view: View) -> str:
    """The attention function replaced by one that keeps what goes in and what comes out."""
    say, scenario = view.say, trace.scenario
    names = dict(zip("qkv", _read_names(trace), strict=True))
    text = RECORDING.format(first=say("check-code-first"), identity=say("check-code-identity"), **names)
    whole = next((name for name in ("output", "joined") if name in trace), "")
    if whole:
        text += HOOK.format(attn=say("check-code-module"), name=whole)
    text += RUNNING.format(
        mha=say("check-code-mha"), eval=say("check-code-eval"),
        inputs=say("check-code-inputs", count=len(scenario.query_tokens)),
    )  # fmt: skip
    text += "".join(f"{line}\n" for line in _compared(trace, names, view))
    if scenario.kv_heads != scenario.heads:
        text += f'if saved["{names["k"]}"].size(1) != {scenario.kv_heads}:  # {say("check-code-repeated")}\n'
        text += f'    del saved["{names["k"]}"], saved["{names["v"]}"]\n'
    return text


def _read_names(trace: Trace) -> tuple[str, str, str]:
    """The steps that go into the attention: queries and keys as the scores read them, values as the context does."""
    q, k = trace["scores"].sources
    return q.name, k.name, trace["context"].sources[1].name


def _compared(trace: Trace, names: Mapping[str, str], view: View) -> Iterator[str]:
    """The weights that the scenario's scale and mask give for the module's own q and k, beside the module's."""
    scenario = trace.scenario
    mask = _mask(scenario) if "masked" in trace else ""
    if "biased" in trace or mask is None:
        return
    yield ""
    yield f"# {view.say('check-code-compare')}"
    yield "q, k = ({})".format(", ".join(f'saved["{names[letter]}"].double()' for letter in "qk"))
    if scenario.kv_heads != scenario.heads:
        yield f"k = k.repeat_interleave({scenario.heads} // k.size(1), dim=1)"
    yield f"scores = q @ k.transpose(-2, -1){_scale(scenario)}"
    if mask:
        yield f"visible = {mask}"
        yield "scores = scores.masked_fill(~visible.to(scores.device), -torch.inf)"
    yield 'print((scores.softmax(dim=-1) - saved["weights"]).abs().max())'


def _scale(scenario: Scenario) -> str:
    """What the scores are divided by, or multiplied with."""
    scale, temperature = scenario.option("scale"), scenario.option("temperature")
    named = {"sqrt_d_k": " / math.sqrt(q.size(-1))", "d_k": " / q.size(-1)", "none": ""}
    named["sqrt_d_model"] = f" / math.sqrt({scenario.width})"
    text = named[scale] if isinstance(scale, str) else f" * {scale}"
    return text if temperature in (None, 1) else f"{text} / {temperature}"


def _mask(scenario: Scenario) -> str | None:
    """An expression for what is visible; None where it is too large to write and no triangle or band."""
    visible = scenario.arrays["visible"]
    if not (visible == visible[:1, :1]).all():
        return None
    cells = np.asarray(visible[0, 0], dtype=bool)
    queries, keys = cells.shape
    window = int(scenario.setting("mask.window", 0))
    for corner in dict.fromkeys((0, keys - queries)):
        triangle = np.tril(np.ones_like(cells), corner)
        ones = f"torch.ones({queries}, {keys}, dtype=torch.bool).tril({corner or ''})"
        if (cells == triangle).all():
            return ones
        if window and (cells == np.triu(triangle, corner - window + 1)).all():
            return f"{ones}.triu({corner - window + 1})"
    return f"torch.tensor({cells.astype(int).tolist()}, dtype=torch.bool)" if cells.size <= MOST_DRAWN else None


# --- a module that calculates the steps itself ----------------------------------------------------

KEPT = ("q", "normed_q", "rotated_q", "k", "normed_k", "rotated_k", "all_k", "scores", "weights", "context", "output")
"""The steps worth saving from one's own code, as far as a scenario has them."""


def _named(trace: Trace, view: View) -> str:
    """The arrays by the names that one's own code is to give them."""
    kept = [trace[name] for name in KEPT if name in trace]
    entries = [f'    "{step.name}": {step.name},' for step in kept]
    width = max(map(len, entries))
    lines = ["", f"# {view.say('check-code-own')}", "saved = {"]
    lines += [f"{entry.ljust(width)}  # {by(step.shape)}" for entry, step in zip(entries, kept, strict=True)]
    return "\n".join([*lines, "}"]) + "\n"
