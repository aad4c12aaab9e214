"""Two releases of a package are compared function by function."""

from __future__ import annotations

import pytest

from conformance.specs.docstrings import Docstring
from conformance.specs.drift import DriftedFunction, drift

DIGEST, OTHER = "0123456789ab", "ba9876543210"


def docstring(signature: str = "(x)", **fields: object) -> Docstring:
    return Docstring(name="m.f", signature=signature, **fields)  # type: ignore[arg-type]


def changes(old: Docstring | None, new: Docstring | None) -> list[DriftedFunction]:
    return drift({"m.f": old} if old else {}, {"m.f": new} if new else {})


def test_equal_docstrings_do_not_drift() -> None:
    same = docstring(sections=["Summary"], texts=[DIGEST])
    assert changes(same, same) == []


@pytest.mark.parametrize(
    ("old", "new", "kind", "change"),
    [
        (None, docstring(), "added", "is new: m.f(x)"),
        (docstring(), None, "removed", "is gone"),
        (docstring("(x)"), docstring("(x, k=1)"), "parameter", "adds the parameter k=1"),
        (docstring("(x)"), docstring("(x, y)"), "parameter", "adds the parameter y"),
        (docstring("(x, *, k)"), docstring("(x)"), "parameter", "drops the parameter k"),
        (
            docstring("(x, k=1)"),
            docstring("(x, k=None)"),
            "default",
            "changes the default of k from 1 to None",
        ),
        (docstring("(x, y)"), docstring("(y, x)"), "signature", "was (x, y), is now (y, x)"),
        (docstring("(x)"), docstring("(<odd>)"), "signature", "was (x), is now (<odd>)"),
        (docstring(), docstring(same_as="m.g"), "alias", "was a function of its own, is now m.g"),
        (
            docstring(sections=["Args"], texts=[DIGEST]),
            docstring(sections=["Args"], texts=[OTHER]),
            "text",
            "changes the section Args",
        ),
        (
            docstring(),
            docstring(sections=["Raises"], texts=[DIGEST]),
            "text",
            "gains the section Raises",
        ),
        (
            docstring(sections=["Raises"], texts=[DIGEST]),
            docstring(),
            "text",
            "loses the section Raises",
        ),
    ],
)
def test_each_change_is_named(
    old: Docstring | None, new: Docstring | None, kind: str, change: str
) -> None:
    assert changes(old, new) == [DriftedFunction("m.f", kind, change)]  # type: ignore[arg-type]


def test_starred_parameters_are_parameters() -> None:
    (change,) = changes(docstring("(x)"), docstring("(x, *args)"))
    assert change.change == "adds the parameter *args"
