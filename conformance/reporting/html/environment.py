"""How templates are filled: every text is cleaned and escaped, whoever wrote it."""

from __future__ import annotations

import re
from importlib import resources

import jinja2
from markupsafe import Markup

from conformance.reporting.marks import MARKS
from conformance.reporting.names import slug
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import ASPECTS, Verdict

STATIC = ("report.css", "report.js", "matrix.js", "compare.js")
SIGNS = MARKS | {Verdict.TIMED_OUT: MARKS[Verdict.TIMED_OUT]._replace(symbol="T")}
"""The marks on pages: few fonts have an hourglass that is no picture."""
_PACKAGE = "conformance.reporting.html"


def environment() -> jinja2.Environment:
    """Templates of this package; names that are not given are errors."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_safe,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"line": clean, "slug": slug, "breakable": breakable, "words": verdict_class}
    made.globals |= {"aspects": [str(a) for a in ASPECTS], "marks": SIGNS, "Verdict": Verdict}
    return made


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


def verdict_class(verdict: Verdict | str) -> str:
    """The class that a verdict has in the style sheet."""
    return "v-" + str(verdict).replace(" ", "-")
