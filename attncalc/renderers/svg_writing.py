"""A picture written as SVG.

Every element is written by one function, which quotes every text and every value: a template would repeat its branches
for each shape, and could forget one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from attncalc.core.names import TAGS
from attncalc.core.wrapping import cells
from attncalc.document.pictures.drawing import Box, Dot, Patches, Picture, Shape, Way, Words
from attncalc.document.pictures.letters import LOOKS, width_of
from attncalc.renderers.svg_style import style_sheet

HEAD = (7, 4)
"""The length of an arrow's head and half its width."""

HATCH = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line class="hatching" x1="0" y1="0" x2="0" y2="6" stroke-width="2"/></pattern></defs>\n'
)


def written(picture: Picture, language: str) -> str:
    """The file of a picture: nothing in it comes from anywhere else."""
    width, height, shapes = picture.part
    hatch = HATCH if any(getattr(shape, "look", "") == "hidden" for shape in shapes) else ""
    body = hatch + "".join(line for shape in shapes for line in _shape(shape))
    return file_of(picture.title, picture.description, language, (width, height), style_sheet(), body)


def file_of(title: str, description: str, language: str, size: tuple[float, float], style: str, body: str) -> str:
    """A whole file: what is said of the picture, its style, the paper, and on it elements that are written already."""
    width, height = map(number, size)
    opening = _tag(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width, height=height,
        role="img", lang=TAGS[language], xml_lang=TAGS[language], xml_space="preserve",
        aria_labelledby="title", aria_describedby="description",
    )  # fmt: skip
    said = element("title", title, id="title") + element("desc", description, id="description")
    paper = element("rect", width=width, height=height, **{"class": "paper"})
    return f"{opening}\n{said}<style>\n{style}\n</style>\n{paper}{body}</svg>\n"


def _shape(shape: Shape) -> Iterator[str]:
    match shape:
        case Words():
            yield _words(shape)
        case Box(x, y, width, height, look, shade):
            place = {"x": number(x), "y": number(y), "width": number(width), "height": number(height)}
            if look == "hidden":
                yield element("rect", **place, fill="url(#hatch)")
            else:
                round_ = {"rx": "4"} if look in ("step", "given") else {}
                yield element("rect", **place, **round_, **{"class": look if shade is None else f"{look}{shade}"})
        case Patches():
            yield _patches(shape)
        case Way():
            yield from _way(shape)
        case Dot(x, y, look):
            yield element("circle", cx=number(x), cy=number(y), r="2.6", **{"class": f"{look}-end"})


def _patches(patches: Patches) -> str:
    """Rectangles as one path; their edges on whole pixels, so that no seam shows between them."""
    path = "".join(
        f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z"
        for x, y, width, height in patches.boxes
    )
    shade = "" if patches.shade is None else patches.shade
    look = {"fill": "url(#hatch)"} if patches.look == "hidden" else {"class": f"{patches.look}{shade}"}
    return element("path", d=path, shape_rendering="crispEdges", **look)


def _words(words: Words) -> str:
    """A line of text; a label of letters whose width nobody knows beforehand is fitted into its room."""
    more = {"text_anchor": words.anchor} if words.anchor != "start" else {}
    if words.turned:
        more["transform"] = f"rotate(-90 {number(words.x)} {number(words.y)})"
    if words.cell is not None:
        more["data_cell"] = " ".join((words.cell.name, *map(str, words.cell.place)))
    even = LOOKS[words.look].even
    wide = even and any(_is_wide(letter) for letter in words.text)
    known, mixed = all(map(_known, words.text)), wide and not all(map(_is_wide, words.text))
    if even and (mixed or not known):
        more["textLength"] = number(width_of(words.text, words.look))
        more["lengthAdjust"] = "spacing" if known else "spacingAndGlyphs"
    classes = [words.look, *([f"on{words.shade}"] if words.shade is not None else []), *(["wide"] if wide else [])]
    return element("text", words.text, x=number(words.x), y=number(words.y), **more, **{"class": " ".join(classes)})


SIGNS = frozenset("‘’“”–—…−·×√≈∞Σμσγβδε′■─│²ᵀᵣₐ₁ₙ")


def _known(letter: str) -> bool:
    """Whether a letter is as wide in every font as is reckoned: Latin, a sign of mathematics, or Chinese."""
    return letter < "\u0250" or letter in SIGNS or _is_wide(letter)


def _is_wide(letter: str) -> bool:
    """Whether a letter is Chinese: fonts of one width have none, and what stands in is not always fit to be read."""
    return ("\u3000" <= letter < "\ua000" or "\uff00" <= letter < "\uff61") and cells(letter) == 2


def _way(way: Way) -> Iterator[str]:
    """A line; of an arrow the last part ends in its head."""
    *before, (x, y) = way.points
    length, half = HEAD if way.arrow else (0, 0)
    points = [*before, (x, y - length)]
    path = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)
    yield element("path", d=path, **{"class": way.look})
    if way.arrow:  # all arrows point down
        corners = ((x - half, y - length), (x + half, y - length), (x, y))
        text = " ".join(f"{number(x)},{number(y)}" for x, y in corners)
        yield element("polygon", points=text, **{"class": f"{way.look}-end"})


def element(name: str, text: str = "", /, **attributes: str) -> str:
    """An element, its text and the values of its attributes quoted."""
    opening = _tag(name, **attributes)
    return f"{opening}{escape(text)}</{name}>\n" if text else f"{opening[:-1]}/>\n"


def _tag(name: str, /, **attributes: str) -> str:
    names = {"xml_lang": "xml:lang", "xml_space": "xml:space"}
    parts = (f'{names.get(key, key.replace("_", "-"))}="{escape(value)}"' for key, value in attributes.items())
    return f"<{' '.join((name, *parts))}>"


def number(length: float) -> str:
    """A length, to a tenth of a pixel."""
    return f"{round(length, 1) + 0.0:g}" if abs(length) < 100_000 else f"{length:.0f}"
