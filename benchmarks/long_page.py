"""The page of docs on which the figures of `long.py` stand, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"en": DOCS / "long-measured.md", "zh": DOCS / "zh" / "long-measured.md"}


class Table(NamedTuple):
    """Rows of what was measured, in the columns of the section `name` of the page."""

    name: str
    rows: Sequence[Sequence[str]]


class Section(NamedTuple):
    """What the page says of a table: heading, sentence before it, columns, sentence after it."""

    heading: str
    before: str
    columns: tuple[str, ...]
    after: str = ""


RIVALS = ("attncalc", "PyTorch", "ONNX Runtime", "NumPy")

TOP = {
    "en": """# Long contexts, measured

[中文](zh/long-measured.md) · [Contents](index.md)

What attncalc takes beside PyTorch's `scaled_dot_product_attention`, ONNX Runtime's `Attention` and the textbook lines in NumPy: one head, random numbers, {width} features. Each rival is a process of its own; they take turns, {rounds} rounds on two threads, and what stands here are medians. Milliseconds depend on the machine, ratios less so.

Machine: {processor}, {cores} cores, {system}. Versions: {versions}.

This page is written by `python benchmarks/long.py --page`, with a Python that has attncalc, torch, onnx and onnxruntime.
""",
    "zh": """# 长上下文：测量结果

[English](../long-measured.md) · [目录](index.md)

attncalc 所用的时间和内存，与 PyTorch 的 `scaled_dot_product_attention`、ONNX Runtime 的 `Attention` 以及 NumPy 的教科书写法相比：一个头，随机数，{width} 个特征。每个对手是一个独立进程，轮流运行，共 {rounds} 轮，各用两个线程，表中都是中位数。毫秒数取决于机器，比值受影响较小。

机器：{processor}，{cores} 核，{system}。版本：{versions}。

本页由 `python benchmarks/long.py --page` 写出，所用的 Python 须装有 attncalc、torch、onnx 和 onnxruntime。
""",
}

SECTIONS = {
    "contexts": {
        "en": Section(
            "All queries: time",
            "Milliseconds, and in brackets how many times as long as PyTorch. PyTorch, ONNX Runtime and NumPy give the "
            "context only; “summary” is the context with the five largest weights, the entropy and the other figures "
            "of every row.",
            ("numbers", "mask", "tokens", "attncalc", "with summary", *RIVALS[1:3], "NumPy, all scores"),
            "Without a mask PyTorch is ahead: its kernel does everything to a score while it is in a register, whereas "
            "NumPy makes a pass for the exponentials and one for each sum, and its matrix products of such narrow "
            "tiles run at about two thirds of the speed of large ones. Under a causal mask attncalc leaves out what is "
            "hidden, and the longest rows go first, so that both threads end together. Doubles gain most.",
        ),
        "zh": Section(
            "所有查询：时间",
            "单位为毫秒，括号内是 PyTorch 所用时间的倍数。PyTorch、ONNX Runtime 和 NumPy 只算出上下文向量；“汇总”除上下文向量外"
            "还有每行最大的五个权重、熵和其他数字。",
            ("数值类型", "掩码", "token 数", "attncalc", "连同汇总", *RIVALS[1:3], "NumPy（存下全部分数）"),
            "没有掩码时 PyTorch 更快：它的内核趁分数还在寄存器里就做完一切，而 NumPy 算指数要过一遍，每个求和又要过一遍，"
            "而且这样窄的分块，矩阵乘法只有大矩阵时约三分之二的速度。有因果掩码时 attncalc 跳过被遮住的部分，"
            "并让最长的行先算，两个线程因此同时结束。双精度获益最大。",
        ),
    },
    "memory": {
        "en": Section(
            "All queries: memory",
            "Megabytes above the process with its inputs, at the most.",
            ("numbers", "mask", "tokens", "attncalc", "with summary", *RIVALS[1:3], "NumPy, all scores"),
        ),
        "zh": Section(
            "所有查询：内存",
            "进程装好输入之后，峰值再高出多少兆字节。",
            ("数值类型", "掩码", "token 数", "attncalc", "连同汇总", *RIVALS[1:3], "NumPy（存下全部分数）"),
        ),
    },
    "limits": {
        "en": Section(
            "More tokens, the same memory",
            "The whole summary in float32 under a causal mask: beyond inputs and results, memory does not grow with the "
            "number of tokens.",
            ("tokens", "seconds", "MB above the inputs"),
            "The results themselves (context and figures of every row) are counted in.",
        ),
        "zh": Section(
            "token 更多，内存不变",
            "float32、因果掩码、完整汇总：除输入和结果以外，内存不随 token 数增长。",
            ("token 数", "秒", "高出输入的 MB"),
            "结果本身（每行的上下文向量和各项数字）也计算在内。",
        ),
    },
    "single": {
        "en": Section(
            "One query of very many",
            "The last query, from `.npy` files in float32, beside reading both arrays once with NumPy "
            "(`np.load(…).max(axis=0)`).",
            ("tokens", "attncalc, ms", "reading, ms", "ratio", "MB"),
        ),
        "zh": Section(
            "极多 token 中的一个查询",
            "最后一个查询，float32，从 `.npy` 文件读取；对照是用 NumPy 把两个数组各读一遍（`np.load(…).max(axis=0)`）。",
            ("token 数", "attncalc（毫秒）", "只读文件（毫秒）", "比值", "MB"),
        ),
    },
    "processes": {
        "en": Section(
            "Whole processes",
            "Milliseconds from the start of Python to a written file, causal, float32, and in brackets what part of "
            "that attncalc takes. Importing torch is most of what the others take.",
            ("tokens", "attncalc, summary", "torch, context only", "torch, summary"),
        ),
        "zh": Section(
            "完整进程",
            "从启动 Python 到写完文件的毫秒数，因果掩码，float32；括号内是 attncalc 所用时间占它的比例。其他两者的时间大部分花在导入 "
            "torch 上。",
            ("token 数", "attncalc（汇总）", "torch（只有上下文向量）", "torch（汇总）"),
        ),
    },
    "growth": {
        "en": Section(
            "Growth",
            "The exponent p of time ~ Nᵖ that fits best: 2 where every token meets every token, 1 for one query.",
            ("what", "tokens", "exponent"),
        ),
        "zh": Section(
            "增长",
            "最贴合 时间 ~ Nᵖ 的指数 p：每个 token 都遇到每个 token 时为 2，只有一个查询时为 1。",
            ("内容", "token 数", "指数"),
        ),
    },
}  # fmt: skip

WORDS = {
    "en": {"ours": "all queries, summary", "one_query": "one query", "causal": "causal", "full": "none"},
    "zh": {"ours": "所有查询，汇总", "one_query": "一个查询", "causal": "因果", "full": "无"},
}


def write_page(tables: Sequence[Table], here: Mapping[str, str]) -> None:
    """Writes the page in both languages."""
    for language, path in PAGES.items():
        parts = [TOP[language].format(**here)]
        parts += [_section(SECTIONS[table.name][language], table, WORDS[language]) for table in tables]
        path.write_text("\n".join(parts), encoding="utf-8")


def _section(section: Section, table: Table, words: Mapping[str, str]) -> str:
    lines = [section.columns, ["---:"] * len(section.columns), *([words.get(c, c) for c in row] for row in table.rows)]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    after = f"\n{section.after}\n" if section.after else ""
    return f"## {section.heading}\n\n{section.before}\n\n{body}\n{after}"
