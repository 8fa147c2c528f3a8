"""`cost`: how many scores, operations and bytes N tokens need."""

from __future__ import annotations

from attncalc.cli.answering import all_of, answer_format, write_blocks, write_json
from attncalc.cli.choices import Options, plain_view, whole_number
from attncalc.cli.options import OPTIONS
from attncalc.cli.report import Status
from attncalc.cli.session import Session, one_of, whole
from attncalc.core import names
from attncalc.errors import UsageError
from attncalc.long.models import MODELS, Sizes

OWN_SIZES = ("d_model", "heads", "kv_heads", "d_k", "layers")
MOST_TOKENS = 10**9 - 1
MOST_SIZE = 1_000_000
DEFAULT_MODEL, DEFAULT_TOKENS = "gpt2", ("1000", "10000", "100000")


def cost(session: Session, options: Options) -> int:
    """Scores, multiply-adds, bytes and cache of a model's attention; with --shapes the shape of every step."""
    from attncalc.document.costs import Asked, costs, shapes

    format = answer_format(options, (*names.DOCUMENTS, "svg"))
    counts = options["token_counts"] or DEFAULT_TOKENS
    tokens = all_of(lambda text: whole("N", text, 1, MOST_TOKENS, "cost-no-tokens"), counts)
    asked = Asked(*_model(options), tuple(tokens))
    if format == "json":
        from attncalc.renderers.cost_json import as_document

        write_json(options, as_document(asked))
        return Status.DONE
    composed = shapes if options["shapes"] else costs
    write_blocks(session, options, lambda view: composed(asked, view), plain_view(session, format), format)
    return Status.DONE


def _model(options: Options) -> tuple[str, Sizes]:
    """A published model, or the sizes that are given."""
    given = [name for name in OWN_SIZES if options[name] is not None]
    if options["model"] is not None:
        name = one_of("--model", options["model"], tuple(MODELS))
        if given:
            found = ", ".join(OPTIONS[size].flags[0] for size in given)
            raise UsageError.of("cost-model-and-sizes", f"--model {name}", found=found)
        return name, MODELS[name]
    return ("", _own(options)) if given else (DEFAULT_MODEL, MODELS[DEFAULT_MODEL])


def _own(options: Options) -> Sizes:
    if options["d_model"] is None or options["heads"] is None:
        raise UsageError.of("cost-own-sizes", "--d-model, --heads")
    d_model, heads = (whole_number(options, name, 1, 1, MOST_SIZE) for name in ("d_model", "heads"))
    kv_heads = whole_number(options, "kv_heads", heads, 1, MOST_SIZE)
    if options["d_k"] is None and d_model % heads:
        raise UsageError.of("cost-heads", "--heads", heads=heads, d_model=d_model)
    if heads % kv_heads:
        raise UsageError.of("cost-kv", "--kv-heads", kv_heads=kv_heads, heads=heads)
    d_k = whole_number(options, "d_k", max(1, d_model // heads), 1, MOST_SIZE)
    return Sizes(d_model, whole_number(options, "layers", 1, 1, MOST_SIZE), heads, kv_heads, d_k)
