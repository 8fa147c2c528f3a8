r"""Texts for LaTeX: every character comes out as itself, and none can be a command.

A font of TeX has the Latin letters and the signs of mathematics; Chinese characters stand as they are, for a document
that has a font for them. What few fonts have goes through `\anytext` (`renderers.latex_preamble`), which takes the
first font that has it and otherwise writes its number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from attncalc.document.blocks import TOGETHER

ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
}  # fmt: skip
"""What LaTeX would obey, or print as another sign."""

SIGNS = {
    TOGETHER: "~", "−": "$-$", "≈": r"$\approx$", "·": r"$\cdot$", "√": r"$\surd$", "∞": r"$\infty$", "×": r"$\times$",
    "→": r"$\to$", "←": r"$\leftarrow$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "±": r"$\pm$", "≤": r"$\le$",
    "≥": r"$\ge$", "≠": r"$\ne$", "ᵀ": r"$^{\top}$", "Σ": r"$\Sigma$", "δ": r"$\delta$", "μ": r"$\mu$",
    "σ": r"$\sigma$", "γ": r"$\gamma$", "β": r"$\beta$", "ε": r"$\varepsilon$", "■": r"$\blacksquare$",
}  # fmt: skip
"""Signs of mathematics, which stand in sentences too."""

QUOTES = {"’": "'", "‘": "`", "“": "``", "”": "''", "–": "--", "—": "---", "…": r"\dots{}"}
"""The marks of English sentences; between Chinese characters they are Chinese ones."""

CHINESE_SIGNS = str.maketrans(ESCAPES | SIGNS)
ENGLISH_SIGNS = str.maketrans(ESCAPES | SIGNS | QUOTES)

LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)")
"""Where two signs would become another one."""

LATIN = re.compile("[ -~¡-¬®-ĥĨ-ķĹ-ľŁ-ňŊ-ťŨ-ž]")
"""What every font of TeX has, in its own encoding or as a letter with an accent."""

CHINESE = re.compile("[、。〃〈-】〔〕ぁ-ゖァ-ヺー一-鿿！-～]")
"""What stands as it is, for a document with a font for it."""

LONG_WORD = re.compile(r"((?![(]?[0-9.]+[,;)]*(?: |$))[!-~]{25,})")
"""One that is longer than a line should be; a number is never cut."""

PARTS = re.compile(r"[^/.,=_:;-]{0,8}[/.,=_:;-]|[^/.,=_:;-]{1,8}")
NUMBER = re.compile(r"([−-]?)([0-9.]+|∞)(?:e(-?[0-9]+))?")
BLANK = re.compile("__+")
LINE = 0.75
"""How long a line to write on is for each of its underscores, in em."""

TO_WRITE_ON = re.compile(r"(?<![^\s（])(__+)(?![\w_])")


def escaped(text: str, chinese: bool = False) -> str:
    """A text as LaTeX shows it, in a document in English or in Chinese."""
    text = text.replace("\n", " ")
    if text.isascii() and text.isprintable():
        return _usual(text, chinese)
    runs = groupby(_clusters(text), is_rare)
    return "".join(_any("".join(run)) if rare else _usual("".join(run), chinese) for rare, run in runs)


def breakable(text: str, chinese: bool = False) -> str:
    """The same, where a word may be broken that is longer than a line should be."""
    parts = LONG_WORD.split(text)
    return "".join(_in_parts(part) if number % 2 else escaped(part, chinese) for number, part in enumerate(parts))


def sentence(text: str, chinese: bool = False) -> str:
    """The same, in which underscores that stand alone are a line to write on."""
    parts = TO_WRITE_ON.split(text)
    return "".join(_line(part) if number % 2 else breakable(part, chinese) for number, part in enumerate(parts))


def figure(text: str, chinese: bool = False) -> str:
    """A number with its minus sign, infinity and power of ten; a blank as a line to write on; any other text."""
    if BLANK.fullmatch(text):
        return _line(text)
    found = NUMBER.fullmatch(text)
    if found is None:
        return escaped(text, chinese)
    minus, digits, exponent = found.groups()
    if digits == text and digits != "∞":
        return text
    power = rf" \cdot 10^{{{exponent}}}" if exponent else ""
    return "$" + ("-" if minus else "") + digits.replace("∞", r"\infty") + power + "$"


@lru_cache(4096)  # few stand in a text again and again
def is_rare(cluster: str) -> bool:
    """Whether a character, or a letter with the marks that are put on it, is one that few fonts have."""
    return len(cluster) > 1 or not (
        cluster in SIGNS or cluster in QUOTES or LATIN.match(cluster) or CHINESE.match(cluster)
    )


def _line(blank: str) -> str:
    return rf"\rule{{{LINE * len(blank):g}em}}{{0.4pt}}"


def _in_parts(word: str) -> str:
    return r"\allowbreak{}".join(map(escaped, PARTS.findall(word)))


def _clusters(text: str) -> Iterator[str]:
    """The characters; a letter with the marks that are put on it is one."""
    cluster = ""
    for character in text:
        mark = unicodedata.category(character)[0] == "M" and (cluster.isalnum() or not cluster[:1].isascii())
        if cluster and not mark:
            yield cluster
        cluster = cluster + character if mark else character
    if cluster:
        yield cluster


def _any(run: str) -> str:
    r"""`\anytext{год}{0433,043E,0434}`; what is not to be seen only by its number."""
    codes = [f"{ord(character):04X}" for character in run]
    if any(unicodedata.category(character)[0] in "CZ" for character in run):
        return rf"\texttt{{{'U+' + 'U+'.join(codes)}}}"
    return rf"\anytext{{{run}}}{{{','.join(codes)}}}"


def _usual(run: str, chinese: bool) -> str:
    text = LIGATURES.sub("\0", run).translate(CHINESE_SIGNS if chinese else ENGLISH_SIGNS)
    return re.sub(" (?<=  )", r"\\ ", text).replace("\0", "{}")
