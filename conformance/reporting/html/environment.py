"""How templates are filled: every text is cleaned and escaped, whoever wrote it."""

from __future__ import annotations

import re
from importlib import resources

import jinja2
from markupsafe import Markup, escape

from conformance.reporting.marks import MARKS
from conformance.reporting.safe_text import clean, clean_block, slug
from conformance.results import ASPECTS, Verdict

STATIC = (
    "report.css",
    "report.js",
    "search.js",
    "sorting.js",
    "query.js",
    "cells.js",
    "matrix.js",
    "compare.js",
    "accuracy.js",
)
_ABBREVIATIONS = ("ctc",)
SIGNS = MARKS | {Verdict.TIMED_OUT: MARKS[Verdict.TIMED_OUT]._replace(symbol="T")}
"""The marks on pages: few fonts have an hourglass that is not a picture."""
_PACKAGE = "conformance.reporting.html"


def environment() -> jinja2.Environment:
    """Templates of this package; names that are not given are errors."""
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_safe,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "line": clean,
        "slug": slug,
        "breakable": breakable,
        "words": verdict_class,
    }
    templates.filters |= {"heading": heading, "code": code}
    templates.globals |= {"aspects": [str(a) for a in ASPECTS], "marks": SIGNS, "Verdict": Verdict}
    return templates


def static(name: str) -> bytes:
    """A style sheet or a script that ships with the suite."""
    return resources.files(_PACKAGE).joinpath("static", name).read_bytes()


def _safe(value: object) -> object:
    """Text without control characters and nothing that hides or reorders."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean_block(value)
    return value


def breakable(name: str) -> Markup:
    """A name that may be broken after a hyphen, a dot or an underscore."""
    parts = re.split(r"(?<=[-_])", clean(name))
    return Markup("<wbr>").join(parts)


def heading(text: str) -> str:
    """A theme as a heading: `Linear algebra`, `CTC`."""
    words = [w.upper() if w in _ABBREVIATIONS else w for w in clean(text).split(" ")]
    return " ".join(words)[:1].upper() + " ".join(words)[1:]


def verdict_class(verdict: Verdict | str) -> str:
    """The class that a verdict has in the style sheet."""
    return "v-" + str(verdict).replace(" ", "-")


def code(text: str) -> Markup:
    """A text in which what stands between backquotes is code."""
    parts = enumerate(clean(text).split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if odd % 2 else escape(part) for odd, part in parts
    )
