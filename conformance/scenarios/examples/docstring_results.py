"""The examples in docstrings of the installed package: each result that one prints is one check.

The worker reads an example from the docstring at run time, by a digest that the document's list
holds, and runs its lines. This module compares the results with the print: elements within the
printed digits, shapes, dtypes. How a library writes an array does not matter. It compares the shape
and the dtype alone where the example draws random numbers.

A docstring that is wrong is an erratum (`specs/docstrings.py`): its example is not run.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from conformance.dtypes import held_in, is_dtype
from conformance.editions import Edition
from conformance.observations import Value
from conformance.results import Aspect
from conformance.scenarios.checks import described, of_other_dtypes, shown
from conformance.scenarios.examples.prints import Printed, PrintedArray, PrintError, parts_of
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Family,
    Problem,
    Scenario,
    Values,
)
from conformance.scenarios.recorder import Recorder
from conformance.specs import load
from conformance.specs.docstrings import (
    Docstring,
    calls_own_methods,
    examples_of,
    load_docstrings,
)

DOCSTRING_EXAMPLE = "docstring_example"
"""The function of a mapping that runs an example: it takes the name of a function and a digest."""
_HEADER = 3
"""Before the results: the line of the docstring, what it prints, and whether it draws numbers."""
_MOST_SHOWN = 100
"""Characters of a line in a message."""
_ROUNDINGS = 16
"""Roundings of the largest element that a result may differ by besides the printed digits. A
library that rounds otherwise printed the docstring, and the longest example decomposes a matrix."""
_KINDS = {"b": "b", "i": "i", "u": "i", "f": "f", "V": "f", "c": "c"}
"""A print shows whether a dtype that it does not name is one of integers: 0, or of floats: 0."""


def scenarios(function: str, edition: Edition) -> list[Scenario]:
    """One scenario for each example of a function."""
    docstring = (load_docstrings(KERAS_3_DOCUMENT) or {})[function]
    return [
        _scenario(docstring, number, digest, edition)
        for number, digest in examples_of(KERAS_3_DOCUMENT, docstring)
    ]


def _scenario(docstring: Docstring, number: int, digest: str, edition: Edition) -> Scenario:
    title = f"example {number} in its docstring"
    K = Recorder(docstring.name, edition, title, Aspect.EXAMPLE)
    own_methods = calls_own_methods(KERAS_3_DOCUMENT, docstring.name)
    result = K[DOCSTRING_EXAMPLE](docstring.name, digest, own_methods).output("example")
    section = next(name for name in docstring.sections if name.startswith("Example"))
    K.expect(
        f"example {number} of {docstring.name.rpartition('.')[2]}",
        result,
        gives_the_print,
        "the printed result",
        at={KERAS_3_DOCUMENT: section},
        alternatives=of_other_dtypes(lambda dtype: partial(gives_the_print, dtype=dtype)),
    )
    return K.scenario()


def gives_the_print(values: Values, dtype: str = "") -> Problem | None:
    """The results are those that the docstring prints; arrays may be of `dtype` instead."""
    if len(values) < _HEADER:
        return _unseen("the installed docstring has no such example")
    line, text, random = (str(value.text or "").strip() for value in values[:_HEADER])
    results, name = values[_HEADER:], textwrap.shorten(line, _MOST_SHOWN, placeholder="...")
    if not text:
        return None
    if text.startswith("Traceback"):
        return _refusal(name, results)
    try:
        parts = parts_of(text)
    except PrintError as error:
        return _unseen(f"the print of {name} cannot be read: {error}")
    return _compared(name, parts, results, random=bool(random), dtype=dtype)


@dataclass(frozen=True, slots=True)
class PrintOfExample:
    """The print of an example that gives something."""

    parts: Sequence[Printed]
    stacked: bool
    """Whether several results are the rows of one printed array."""
    random: bool
    """Whether the numbers are random ones."""


def printed_results(values: Values) -> PrintOfExample | None:
    """The print of an example that gave these values; None if none can be read."""
    text = str(values[1].text or "").strip() if len(values) > _HEADER else ""
    if not text or text.startswith("Traceback"):
        return None
    try:
        parts = parts_of(text)
    except PrintError:
        return None
    stacked = len(parts) == 1 < len(values) - _HEADER
    return PrintOfExample(parts, stacked, bool(values[2].text))


def _unseen(why: str) -> Problem:
    return Problem(f"shows nothing: {why}", "example", unmade=True)


def _refusal(name: str, results: Values) -> Problem | None:
    """The line raised an exception, of any class: libraries have their own."""
    if len(results) == 1 and (results[0].text or "").startswith("raises "):
        return None
    fault = f"not str(values[0][{_HEADER}]).startswith('raises ')"
    got = ", ".join(str(described(result)) for result in results)
    return Problem(f"gives {got}, not an exception, for {name}", "accepted", got=got, fault=fault)


def _placed(parts: Sequence[Printed], results: Values) -> list[tuple[str, Value]]:
    """The results, each with an expression for it in scripts; several arrays of one shape that are
    printed as one list are one array."""
    arrays = [value.array for value in results if value.array is not None]
    several = len(parts) == 1 < len(arrays) == len(results)
    if several and len({array.shape for array in arrays}) == 1:
        stacked = np.stack(arrays)
        return [(f"np.stack(values[0][{_HEADER}:])", Value(stacked, stacked.dtype.name, "list"))]
    return [(f"values[0][{place}]", value) for place, value in enumerate(results, _HEADER)]


def _compared(
    name: str, parts: Sequence[Printed], results: Values, *, random: bool, dtype: str
) -> Problem | None:
    placed = _placed(parts, results)
    if len(parts) != len(placed):
        fault = f"len(values[0]) - {_HEADER} != {len(parts)}"
        gives = f"gives {len(placed)} results and not {len(parts)} for {name}"
        return Problem(gives, "number of results", fault=fault)
    for part, (place, value) in zip(parts, placed, strict=True):
        problem = _different(place, part, value, random=random, dtype=dtype)
        if problem is not None:
            return replace(problem, gives=f"{problem.gives} for {name}")
    return None


def _different(
    place: str, part: Printed, value: Value, *, random: bool, dtype: str
) -> Problem | None:
    """How one result differs from its print; `place` is an expression for it in scripts."""
    if isinstance(part, str):
        text = str(described(value)).rpartition(".")[2]
        fault = f"str({place}).rpartition('.')[2] != {part!r}"
        return None if text == part else Problem(f"gives {text}", "text", got=text, fault=fault)
    got = value.array
    if got is None:
        return Problem(f"gives a {value.python_type}", "no array", got=str(described(value)))
    if got.shape != part.elements.shape:
        return _problem(part, got, "shape", f"np.shape({place}) != {part.elements.shape!r}")
    if not _is_printed_dtype(part, got, dtype):
        return _problem(part, got, "dtype", f"np.asarray({place}).dtype.name == {got.dtype.name!r}")
    known = not random or value.python_type in ("bool", "int")
    return _other_elements(place, part, got) if known else None


def _other_elements(place: str, part: PrintedArray, got: Array) -> Problem | None:
    limits = _limits(part)
    with np.errstate(invalid="ignore"):
        near = np.abs(np.subtract(got, part.elements, dtype=complex)) <= limits
    if (near | (got == part.elements)).all():
        return None
    numbers = f"{part.elements.tolist()!r}, dtype=complex)) <= {limits.tolist()!r}"
    wrong = f"not (np.abs(np.subtract({place}, {numbers}).all()"
    return _problem(part, got, "value", wrong if np.isfinite(part.elements).all() else "")


def _is_printed_dtype(part: PrintedArray, got: Array, other: str) -> bool:
    """Whether the dtype is that of the print, or `other` of the same kind."""
    printed = held_in(part.dtype) if is_dtype(part.dtype) else part.elements.dtype
    if _KINDS[printed.kind] != _KINDS[got.dtype.kind]:
        return False
    return part.dtype in ("", got.dtype.name) or got.dtype.name == other


def _limits(part: PrintedArray) -> npt.NDArray[np.float64]:
    """By how much each element may differ from the printed one."""
    if part.elements.dtype.kind in "biu":
        return part.units
    finite = np.abs(part.elements[np.isfinite(part.elements)])
    rounding = float(np.finfo(np.float32).eps) * float(finite.max(initial=0.0))
    return np.asarray(part.units + _ROUNDINGS * rounding)


def _problem(part: PrintedArray, got: Array, detail: str, fault: str) -> Problem:
    """A problem in words that follow the call: its result, and the printed one."""
    gives, printed = {
        "shape": (f"shape {got.shape}", f"{part.elements.shape}"),
        "dtype": (str(got.dtype), part.dtype or f"numbers like {shown(part.elements)}"),
        "value": (shown(got), shown(part.elements)),
    }[detail]
    expected = part.elements
    return Problem(
        f"gives {gives}, not {printed},", detail, got=got, expected=expected, fault=fault
    )


def _families() -> Iterator[Family]:
    known = load()
    for name, docstring in (load_docstrings(KERAS_3_DOCUMENT) or {}).items():
        if name in known and examples_of(KERAS_3_DOCUMENT, docstring):
            make = partial(scenarios, name)
            yield Family(name, frozenset({Aspect.EXAMPLE}), make=make, editions=KERAS_3)


FAMILIES: tuple[Family, ...] = tuple(_families())
