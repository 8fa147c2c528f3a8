r"""What stands around a text in LaTeX: a whole document for xelatex, or a line that says what a fragment needs.

Chinese characters get a font of their own by the classes of characters that XeTeX has, so that no package for Chinese
is needed. `\anytext` takes the first font that has all of a few characters, and writes their numbers where none has.
"""

from __future__ import annotations

from attncalc.document.view import View
from attncalc.renderers.latex_text import CHINESE

PACKAGES = ("amsmath", "amssymb", "array", "booktabs", "float")
"""What every document loads; a fragment names those it needs (`NEEDING`)."""

NEEDING = {"amssymb": r"\blacksquare", "array": r"\arraybackslash", "booktabs": r"\toprule", "float": "[H]"}
"""A package, and what of it stands in a text."""

ANYTEXT = r"""\makeatletter
\providecommand\anyfont{}\providecommand\cjkfamily{}
\DeclareRobustCommand\anytext[2]{\begingroup\@tempswafalse
  \ifdefined\XeTeXinterchartokenstate \XeTeXinterchartokenstate=0 \fi
  \ifdefined\Umathcode
    \@for\anytextfont:=\relax,\anyfont,\cjkfamily\do{\if@tempswa\else
      \anytextfont\@tempswatrue
      \@for\anytextcode:=#2\do{\iffontchar\font"\anytextcode\else\@tempswafalse\fi}\fi}%
  \fi
  \if@tempswa#1\else\normalfont\ttfamily\@for\anytextcode:=#2\do{U+\anytextcode\allowbreak}\fi
  \endgroup}
\makeatother
"""

FIRST_FONT = r"""\newcommand\firstfont[2]{\ifdefined#1\else\IfFontExistsTF{#2}{\newfontfamily#1{#2}}{}\fi}
"""

ANY_FONTS = ("DejaVu Sans", "Arial Unicode MS", "Segoe UI Symbol", "FreeSerif.otf")
CHINESE_FONTS = (
    "Noto Serif CJK SC", "Source Han Serif SC", "Songti SC", "SimSun", "Noto Sans CJK SC", "FandolSong-Regular.otf",
)  # fmt: skip

OPENING, CLOSING = "（〔〈《「『【［｛", "、。〃〉》」』】〕）］｝，．：；！？"
CHINESE_ONLY = ("“‘", "”’…—")
"""What is a Chinese mark in a Chinese text only: some open, some close."""

CLASSES = r"""\newXeTeXintercharclass\cjkletter \newXeTeXintercharclass\cjkopening \newXeTeXintercharclass\cjkclosing
\makeatletter
\newcommand\cjkrange[2]{\@tempcnta=#1\loop\XeTeXcharclass\@tempcnta=\cjkletter
  \ifnum\@tempcnta<#2\advance\@tempcnta by 1\repeat}
\cjkrange{"3041}{"30FF}\cjkrange{"4E00}{"9FFF}\cjkrange{"FF01}{"FF5E}
\@tfor\cjkmark:=%(opening)s\do{\XeTeXcharclass\expandafter`\cjkmark=\cjkopening}
\@tfor\cjkmark:=%(closing)s\do{\XeTeXcharclass\expandafter`\cjkmark=\cjkclosing}
\makeatother
\newcommand\cjkbegin{\begingroup\cjkfamily}
\newcommand\cjkglue{\hskip 0pt plus .3em\relax}
\newcommand\cjkmarkglue{\hskip 0pt plus .3em minus .3em\relax}
\XeTeXinterchartokenstate=1
\XeTeXinterchartoks 0 \cjkletter={\cjkglue\cjkbegin}      \XeTeXinterchartoks 4095 \cjkletter={\cjkbegin}
\XeTeXinterchartoks 0 \cjkopening={\cjkmarkglue\cjkbegin} \XeTeXinterchartoks 4095 \cjkopening={\cjkbegin}
\XeTeXinterchartoks 0 \cjkclosing={\cjkbegin}             \XeTeXinterchartoks 4095 \cjkclosing={\cjkbegin}
\XeTeXinterchartoks \cjkletter 0={\endgroup\cjkglue}      \XeTeXinterchartoks \cjkletter 4095={\endgroup}
\XeTeXinterchartoks \cjkopening 0={\endgroup}             \XeTeXinterchartoks \cjkopening 4095={\endgroup}
\XeTeXinterchartoks \cjkclosing 0={\endgroup\cjkmarkglue} \XeTeXinterchartoks \cjkclosing 4095={\endgroup}
\XeTeXlinebreaklocale "zh" \XeTeXlinebreakskip=0pt plus .15em
"""

LAYOUT = r"""\setlength{\parindent}{0pt}
\setlength{\jot}{5pt}
\setlength{\parskip}{6pt}
\setlength{\intextsep}{8pt}
\setlength{\abovecaptionskip}{0pt}
\setlength{\belowcaptionskip}{4pt}
\setlength{\emergencystretch}{3em}
\allowdisplaybreaks
"""


def document(text: str, view: View) -> str:
    """A whole document: it has the fonts that the text needs, and no more."""
    parts = [
        f"% {view.say('latex-document')}\n",
        "\\documentclass[11pt,a4paper]{article}\n\\usepackage[margin=22mm]{geometry}\n",
        f"\\usepackage{{{','.join(PACKAGES)}}}\n", _fonts(text, view), LAYOUT,
        f"\\renewcommand{{\\tablename}}{{{view.say('latex-table')}}}\n",
        f"\\begin{{document}}\n\n{text}\n\\end{{document}}\n",
    ]  # fmt: skip
    return "".join(parts)


def fragment(text: str, view: View) -> str:
    """A part of a document, after a line that says what its preamble needs."""
    packages = ["amsmath", *(package for package, command in NEEDING.items() if command in text)]
    code = "latex-fragment-chinese" if CHINESE.search(text) else "latex-fragment"
    needs = view.say(code, packages=rf"\usepackage{{{','.join(packages)}}}", encoding=r"\usepackage[T1]{fontenc}")
    anytext = f"\\ifdefined\\anytext\\else\n{ANYTEXT}\\fi\n" if r"\anytext" in text else ""
    return f"% {needs}\n{anytext}{text}\n"


def _fonts(text: str, view: View) -> str:
    """The fonts for Chinese and for characters that few fonts have, as far as they occur."""
    any_font, chinese = r"\anytext" in text, CHINESE.search(text) is not None or view.language == "zh"
    if not (any_font or chinese):
        return ""
    fonts = [("anyfont", font) for font in ANY_FONTS if any_font]
    fonts += [("cjkfamily", font) for font in CHINESE_FONTS]
    lines = "".join(f"\\firstfont\\{family}{{{font}}}\n" for family, font in fonts)
    return (
        "\\usepackage{fontspec}\n"
        + FIRST_FONT
        + lines
        + (_classes(view) if chinese else "")
        + (ANYTEXT if any_font else "")
    )


def _classes(view: View) -> str:
    opening, closing = CHINESE_ONLY if view.language == "zh" else ("", "")
    return CLASSES % {"opening": OPENING + opening, "closing": CLOSING + closing}
