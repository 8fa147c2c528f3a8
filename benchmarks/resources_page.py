"""The page of docs on which the figures of `resources.py` stand, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"en": DOCS / "resources.md", "zh": DOCS / "zh" / "resources.md"}

TEXTS = {
    "en": """# Time and memory

[中文](zh/resources.md) · [Contents](index.md)

What a command takes as the scenario grows, and what it refuses. Below, N is the number of tokens (queries and keys), H of heads, d the width of a head, so that there are H·N² scores.

## Bounds

| what | time | memory | refused |
|---|---|---|---|
| `explain`, `run`, `step`, `why`, `check`, `verify`, `compare`, `sweep`, `quiz`, in float64 | H·N²·d | some 80 bytes a score | what does not fit into the free memory, with the estimate |
| all of these | about two seconds for each half million given numbers, by estimate | | more, with the estimate, unless `--force` is given |
| the same exact or by hand | H·N²·d times the digits' cost | some 2,000 bytes a score | the same |
| a table, a page, a file of a whole calculation | as its numbers | as its numbers | as [Formats](formats.md) and [Files from others](untrusted.md) say |
| `explain` and `run --token` of a long context | N·d | parts of the files: some 65 MB in all for a million keys of 64 numbers | what does not fit |
| `why` of a long context | N·d | the keys and values whole, several times | what does not fit |
| `run --summary`, `run --picture map` | H·N²·d | the inputs, the results, 16 MB a thread | what does not fit; by estimate more than two seconds times the square of the half millions of given numbers, unless `--force` is given |
| `new --random`, `worksheet` | about a second a scenario | little | more than 128 tokens, more than 200 copies |
| `cost` | in proportion to how many N are asked for | hardly any | more than 999,999,999 tokens |
| `list`, `schema`, `show` | the document | the document | more than 64 MiB |

A text of a megabyte as a token takes less than a second.

## Measured

One causal head of 8 features, numbers in the file, on one machine. The exponent says how time and memory beyond those of a small scenario (the first row) grow with the number of scores: 1 is in proportion, – that the difference was too small to tell. This part is written by `python benchmarks/resources.py --page`.

| command | tokens | seconds | exponent | MB | exponent |
|---|---:|---:|---:|---:|---:|
{rows}
""",
    "zh": """# 时间与内存

[English](../resources.md) · [目录](index.md)

算例变大时，各个命令要用多少时间和内存，以及哪些会被拒绝。下面的 N 是 token 数（查询和键），H 是头数，d 是每个头的宽度，因此共有 H·N² 个分数。

## 上限

| 内容 | 时间 | 内存 | 会拒绝什么 |
|---|---|---|---|
| `explain`、`run`、`step`、`why`、`check`、`verify`、`compare`、`sweep`、`quiz`，用 float64 | H·N²·d | 每个分数约 80 字节 | 空闲内存放不下的，并给出估计 |
| 以上全部 | 按估计，每给出五十万个数约两秒 | | 更久的，给出估计，除非加 `--force` |
| 同上，精确计算或手算 | H·N²·d 乘以位数的代价 | 每个分数约 2,000 字节 | 同上 |
| 整个计算的表格、网页或文件 | 与数字个数成正比 | 与数字个数成正比 | 见[格式](formats.md)和[别人给的文件](untrusted.md) |
| 长上下文的 `explain` 和 `run --token` | N·d | 文件分批读取：一百万个键、每个 64 个数，总共约 65 MB | 放不下的 |
| 长上下文的 `why` | N·d | 全部键和值，要存好几份 | 放不下的 |
| `run --summary`、`run --picture map` | H·N²·d | 输入、结果，以及每个线程 16 MB | 放不下的；以及按估计超过两秒乘以所给个数（以五十万为一份）的平方的，除非加 `--force` |
| `new --random`、`worksheet` | 每个算例约一秒 | 很少 | 超过 128 个 token，超过 200 份 |
| `cost` | 与所问的 token 数有几个成正比 | 几乎没有 | 超过 999,999,999 个 token |
| `list`、`schema`、`show` | 文件的长度 | 文件的长度 | 超过 64 MiB |

一个 token 的文字长达一兆字节，也用不到一秒。

## 测量结果

一个因果头，8 个特征，数字写在文件里，同一台机器。指数说明：在小算例（第一行）之外多出的时间和内存怎样随分数个数增长，1 表示成正比，– 表示差别太小，看不出来。这一部分由 `python benchmarks/resources.py --page` 写出。

| 命令 | token 数 | 秒 | 指数 | MB | 指数 |
|---|---:|---:|---:|---:|---:|
{rows}
""",
}


def write_page(rows: Sequence[Sequence[str]]) -> None:
    """Writes the page in both languages."""
    for language, path in PAGES.items():
        lines = (f"| `{name}` | {' | '.join(rest)} |" for name, *rest in rows)
        text = TEXTS[language].format(rows="\n".join(lines))
        path.write_text(text, encoding="utf-8")
