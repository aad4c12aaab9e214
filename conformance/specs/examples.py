"""The documents' own examples: their lines of code, and what the documents print of them.

`examples.yaml` holds every example once, however many documents print it, in the form that runs.
Where a document prints another form or another result, the numbers of the conflicts say why.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Annotated, Any, ClassVar

import msgspec
import yaml
from msgspec import Meta, field

from conformance.editions import Document
from conformance.specs import source
from conformance.specs.records import DtypeName, Line
from conformance.specs.remembered import remembered
from conformance.specs.source import SpecError

FILE = "examples.yaml"
Number = Annotated[str, Meta(pattern="^C[0-9]{3}$")]
Shape = tuple[int | None, ...]


class _ExampleRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the records of the file: immutable, and a misspelt field is an error."""


# What an expression gives.


class ShownValue(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """A text, a number, a truth value or a tuple (written as a list): any of these."""

    any_of: Annotated[list[Any], Meta(min_length=1)]


class Name(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="name"):
    """A text that is not empty: which one depends on the implementation."""


class Elements(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="array"):
    """An array with these elements."""

    elements: list[Any]
    dtypes: list[DtypeName] = field(default_factory=list)
    """Any of these, where the documents print it."""


class Filled(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="filled"):
    """An array of one element repeated."""

    element: float
    shape: tuple[int, ...]
    dtypes: list[DtypeName] = field(default_factory=list)


class Same(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="same"):
    """The numbers of an array that the example has made."""

    array: str


class InDtype(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="dtype"):
    """An array in any of these dtypes."""

    dtypes: list[DtypeName]


class OfShape(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="shape"):
    """An array of this shape."""

    shape: tuple[int, ...]


class Sample(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="sample"):
    """An array of finite numbers from `low` to `high`, both included; None is no bound."""

    shape: tuple[int, ...]
    dtypes: list[DtypeName] = field(default_factory=list)
    low: float | None = None
    high: float | None = None


class TensorOf(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """A tensor with this static shape."""

    shape: Shape
    dtypes: list[DtypeName] = field(default_factory=list)


class Raises(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="error"):
    """An exception of this class."""

    exception: str


class Prose(_ExampleRecord, frozen=True, kw_only=True, tag_field="kind", tag="prose"):
    """Nothing that could be checked, and why."""

    why: str


ExampleOutcome = (
    ShownValue
    | Name
    | Elements
    | Filled
    | Same
    | InDtype
    | OfShape
    | Sample
    | TensorOf
    | Raises
    | Prose
)


class ExampleLine(_ExampleRecord, frozen=True, kw_only=True, tag_field="sort", tag="statement"):
    """A line of code whose result no document prints."""

    code: str
    line: Line
    """Where it stands in `examples.yaml`."""


class ExampleResult(_ExampleRecord, frozen=True, kw_only=True, tag_field="sort", tag="shown"):
    """An expression and what it gives: one check."""

    id: Annotated[str, Meta(pattern=r"^[EPIS][0-9]+\.[0-9]+$")]
    show: str
    gives: ExampleOutcome
    at: dict[Document, Line]
    """The line of each document that shows the result."""
    line: Line
    """Where it stands in `examples.yaml`."""
    function: str | None = None
    """The function under test, where it is another than the example's."""
    printed: str | None = None
    """What the documents print, where it is not what is expected."""
    errata: list[Number] = field(default_factory=list)
    remark: str | None = None
    """Why the expression or the result is not as printed, or what is not compared."""


class ExampleProcess(_ExampleRecord, frozen=True, kw_only=True):
    """The settings of an example that runs in its own process: `keras.json` and KERAS_BACKEND."""

    file: str | None = None
    backend: bool = False
    """Whether KERAS_BACKEND is set to the implementation's own backend."""


class Example(_ExampleRecord, frozen=True, kw_only=True):
    """One example, without repetition over the documents."""

    id: Annotated[str, Meta(pattern="^[EPIS][0-9]+$")]
    function: str | None = None
    """The function under test; None where nothing is checked."""
    at: dict[Document, Line | list[Line]]
    """The first line of the example, for each time that a document prints it."""
    given: list[ExampleLine] = field(default_factory=list)
    """Lines that run first, because the documents take the state that they make for granted."""
    program: list[ExampleLine | ExampleResult] = field(default_factory=list)
    configuration: ExampleProcess | None = None
    conventions: list[str] = field(default_factory=list)
    """Conventions without which the documents do not say that it runs everywhere."""
    prose: str | None = None
    """Why there is nothing to run."""
    errata: list[Number] = field(default_factory=list)
    remark: str | None = None

    kinds: ClassVar[tuple[str, ...]] = ("E", "P", "I", "S")
    """In sections of functions, in prose, in introductions, in a specification."""

    @property
    def shown(self) -> list[ExampleResult]:
        """The checks."""
        return [item for item in self.program if isinstance(item, ExampleResult)]

    def before(self, shown: ExampleResult) -> Iterator[ExampleLine]:
        """The statements that come before a check."""
        yield from self.given
        for item in self.program:
            if item is shown:
                return
            if isinstance(item, ExampleLine):
                yield item


@cache
def load_examples() -> tuple[Example, ...]:
    """All examples, in the order of the file."""
    text = resources.files(__package__).joinpath(FILE).read_text("utf-8")
    return remembered({FILE: text}, tuple[Example, ...], lambda: examples_in(text))


def examples_in(text: str) -> tuple[Example, ...]:
    """The examples in `text`.

    Raises:
        SpecError: the text is wrong; the error has the line.
    """
    try:
        node, data = source.read(text)
        _note_lines(node, data)
        return msgspec.convert(data, tuple[Example, ...])
    except source.SourceError as error:
        raise SpecError(f"{FILE}:{error.line}: {error}") from error
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise SpecError(f"{FILE}:{source.line(node, place.strip('`'))}: {problem}") from error


def _note_lines(node: yaml.Node | None, data: Any) -> None:
    """Turn each line of code into a record that says where it stands."""
    for number, example in enumerate(data if isinstance(data, list) else []):
        for name in ("given", "program"):
            items = example.get(name) if isinstance(example, dict) else None
            if isinstance(items, list):
                lines = (source.line(node, f"$[{number}].{name}[{i}]") for i in range(len(items)))
                items[:] = map(_located, items, lines)


def _located(item: Any, line: int) -> Any:
    if isinstance(item, str):
        return {"sort": "statement", "code": item, "line": line}
    return {"sort": "shown", "line": line, **item} if isinstance(item, dict) else item
