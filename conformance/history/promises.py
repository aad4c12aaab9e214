"""The promises of a release: whether a failure breaks a sentence of the release's own docstrings.

An edition knows the docstrings of one release (`keras-3.15.1`). An older release may lack the
function, a parameter or the cited section. It then promised nothing, and its answer breaks nothing.
If the section is there with another text, the suite cannot read it: texts are known by digest. The
edition's text then judges, and the record says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Literal

from msgspec import Struct

from conformance.results import Failure
from conformance.specs.docstrings import Docstring
from conformance.specs.drift import drift, parameter_defaults

Basis = Literal["release", "edition", "none"]


class Promises(Struct, frozen=True):
    """The docstrings that an edition describes, and those of an installed release."""

    document: str
    described: Mapping[str, Docstring]
    release: str
    installed: Mapping[str, Docstring]

    @property
    def is_described(self) -> bool:
        """Whether the edition describes the installed release."""
        return self.document.endswith(f"-{self.release}")

    def absent(self) -> list[str]:
        """The described functions that the release does not have."""
        return sorted(self.described.keys() - self.installed.keys())

    def differing(self) -> int:
        """How many functions differ."""
        return len({change.function for change in drift(self.described, self.installed)})


def promised(promises: Promises | None, function: str, failure: Failure) -> tuple[Basis, str]:
    """Whose sentence a failure of a function breaks, and why it is not the release's.

    Without lists of docstrings the edition judges.
    """
    if promises is None:
        return "edition", "the docstrings of the release are unknown"
    if promises.is_described:
        return "release", ""
    if lacking := next(_lacking(promises, function, failure.program), None):
        return "none", lacking
    return _cited(promises, "" if failure.citation is None else str(failure.citation))


def _lacking(promises: Promises, function: str, program: Mapping[str, Any] | None) -> Iterator[str]:
    """The needs of the case that the release does not meet, each in a clause."""
    calls = list(_calls(program))
    for name in dict.fromkeys([function, *(name for name, _, _ in calls)]):
        if name in promises.described and name not in promises.installed:
            yield f"the release has no {name}"
    for name, count, keywords in calls:
        if name in promises.described and name in promises.installed:
            yield from _differing_parameters(promises, name, count, keywords)


def _differing_parameters(
    promises: Promises, name: str, count: int, keywords: set[str]
) -> Iterator[str]:
    before = parameter_defaults(promises.installed[name].signature)
    after = parameter_defaults(promises.described[name].signature)
    if before is None or after is None or any(p.startswith("*") for p in before):
        return
    passed = {*list(after)[:count], *keywords}
    for parameter, default in after.items():
        if parameter in passed and parameter not in before:
            yield f"{name} has no parameter {parameter} there"
        elif parameter not in passed and before.get(parameter, default) != default:
            yield f"the default of {parameter} is {before[parameter]} there"


def _calls(program: Mapping[str, Any] | None) -> Iterator[tuple[str, int, set[str]]]:
    """Function, number of positional arguments and keywords of each call of a stored program."""
    from conformance.program.model import (  # noqa: PLC0415 - `show` waits for no NumPy
        COMPILED,
        DIFFERENTIATED,
    )

    for step in (program or {}).get("steps", ()):
        name, args = str(step.get("function", "")), list(step.get("args", ()))
        if name in (COMPILED, DIFFERENTIATED) and args and isinstance(args[0], str):
            # both call the function that their first argument names
            skipped = 2 if name == COMPILED else 3
            name, args = args[0], args[skipped:]
        yield name, len(args), set(step.get("kwargs", ()))


_SYNONYMS = ({"Args", "Arguments"}, {"Example", "Examples"}, {"Note", "Notes"})
"""Headings of the same section."""


def _cited(promises: Promises, citation: str) -> tuple[Basis, str]:
    """By the cited place, `keras.ops.dot: Returns` or `keras.ops.dot: signature`."""
    name, _, section = citation.partition(": ")
    described, installed = promises.described.get(name), promises.installed.get(name)
    if described is None or installed is None:
        return "edition", f"the docstring of {name or 'the function'} is not compared"
    if section == "signature":
        same = described.signature == installed.signature
        return (
            ("release", "") if same else ("none", f"its signature there is {installed.signature}")
        )
    text = _texts(described).get(section)
    if text is None:
        return "edition", f"{name} has no section {section} to compare"
    if text in installed.texts:
        return "release", ""
    headings = next((group for group in _SYNONYMS if section in group), {section})
    if headings.isdisjoint(installed.sections):
        return "none", f"the docstring of {name} has no section {section} there"
    return "edition", f"the section {section} of {name} has another text there"


def _texts(docstring: Docstring) -> dict[str, str]:
    return dict(zip_longest(docstring.sections, docstring.texts, fillvalue=""))
