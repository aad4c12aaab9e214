"""The elements of a picture, and its colours: light, dark, and never without another sign."""

from __future__ import annotations

from xml.etree import ElementTree

from markupsafe import Markup

from conformance.reporting.safe_text import clean
from conformance.results import Verdict

Element = ElementTree.Element
NAMESPACE = "http://www.w3.org/2000/svg"

LIGHT = {
    Verdict.CONFORMS: "#2b83ba",
    Verdict.VIOLATES: "#c2410c",
    Verdict.CHANGED: "#4339ac",
    Verdict.UNSUPPORTED: "#b4bdc9",
    Verdict.CRASHED: "#4a0d57",
    Verdict.TIMED_OUT: "#e0a800",
    Verdict.ERROR: "#ffe0b8",
    Verdict.NOT_APPLICABLE: "#e6e9ed",
}
DARK = {
    Verdict.CONFORMS: "#3d8fcc",
    Verdict.VIOLATES: "#e8590c",
    Verdict.CHANGED: "#a8bcf0",
    Verdict.UNSUPPORTED: "#4a5563",
    Verdict.CRASHED: "#f7ecfd",
    Verdict.TIMED_OUT: "#ffd000",
    Verdict.ERROR: "#6b3d00",
    Verdict.NOT_APPLICABLE: "#23282f",
}

_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.small { font-size: 10px; }
.faint { fill: #59636e; }
.bold { font-weight: 600; }
.rule { stroke: #d1d9e0; }
.limit { stroke: #1f2328; }
.reading { fill: #fff; }
.sign { fill: none; stroke: #fff; stroke-width: 1.2; }
.on-timed-out { stroke: #1f2328; }
.on-error { stroke: #6b2d00; }
.line { fill: none; stroke: #0969da; stroke-width: 2; }
.dot { fill: #0969da; }
.hollow { fill: none; stroke: #c2410c; stroke-width: 1.6; }
.v-not-run { fill: none; stroke: #a3b3c7; }
"""
_DARK_STYLE = """
text { fill: #f0f6fc; } .faint { fill: #9198a1; } .rule { stroke: #3d444d; }
.limit { stroke: #f0f6fc; } .line { stroke: #4493f8; } .dot { fill: #4493f8; }
.hollow { stroke: #ff9e5e; } .on-crashed { stroke: #1f2328; } .on-changed { stroke: #1f2328; }
.on-error { stroke: #ffe3bd; }
"""


def style() -> str:
    """The style sheet of a picture that stands alone."""
    light = "".join(f".{name(v)} {{ fill: {c}; }}\n" for v, c in LIGHT.items())
    dark = "".join(f".{name(v)} {{ fill: {c}; }}\n" for v, c in DARK.items())
    return f"{_STYLE}{light}@media (prefers-color-scheme: dark) {{{_DARK_STYLE}{dark}}}"


def name(verdict: Verdict) -> str:
    """The class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def picture(width: float, height: float, title: str) -> Element:
    """An empty picture with a title for screen readers."""
    root = Element("svg", role="img", viewBox=f"0 0 {width:g} {height:g}", xmlns=NAMESPACE)
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    words(add(root, "title"), title)
    return root


def add(parent: Element, tag: str, **attributes: object) -> Element:
    """A new element; `_` in a name stands for `-`, and `class_` for `class`."""
    named = {k.rstrip("_").replace("_", "-"): v for k, v in attributes.items()}
    return ElementTree.SubElement(parent, tag, {k: _number(v) for k, v in named.items()})


def _number(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def words(element: Element, text: str) -> Element:
    """Set an element's text, without what XML cannot hold."""
    element.text = clean(text)
    return element


def label(parent: Element, x: float, y: float, text: str, **attributes: object) -> Element:
    """Text whose baseline begins at a point."""
    return words(add(parent, "text", x=float(x), y=float(y), **attributes), text)


def inline(root: Element) -> Markup:
    """The picture as a part of a page, which has the style."""
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704  # escaped by the library


def standalone(root: Element) -> bytes:
    """The picture as a file."""
    sheet = Element("style")
    sheet.text = style()
    root.insert(1, sheet)
    content: bytes = ElementTree.tostring(root, encoding="utf-8")
    return content + b"\n"
