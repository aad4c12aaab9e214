"""Findings on a target's signature, compared with the documented one."""

from __future__ import annotations

import pytest

from conformance.engine.judging import signatures
from conformance.observations import FunctionIdentity, OfferedParameter
from conformance.results import Verdict
from conformance.specs.signature import parse


def verdicts(default: str, documented: str) -> list[Verdict]:
    """The verdicts on `pool(x, form=DEFAULT)`."""
    parameters = (
        OfferedParameter("x", "POSITIONAL_OR_KEYWORD", False, None),
        OfferedParameter("form", "POSITIONAL_OR_KEYWORD", True, default),
    )
    identity = FunctionIdentity(True, parameters, None)
    return [f.verdict for f in signatures.signature(identity, parse(documented))]


@pytest.mark.parametrize("default", ["'th'", "'tf'", "None", "<object>"])
def test_a_default_that_no_document_settles_may_be_anything(default: str) -> None:
    assert verdicts(default, "pool(x, form=...)") == []


def test_another_default_than_the_documented_one_is_a_violation() -> None:
    assert verdicts("'th'", "pool(x, form='tf')") == [Verdict.VIOLATES]
    assert verdicts("(1, 1)", "pool(x, form=(1,1))") == []


def test_a_default_has_to_be_there() -> None:
    parameters = tuple(
        OfferedParameter(name, "POSITIONAL_OR_KEYWORD", False, None) for name in ("x", "form")
    )
    identity = FunctionIdentity(True, parameters, None)
    (finding,) = signatures.signature(identity, parse("pool(x, form=...)"))
    assert (finding.verdict, finding.kind) == (Verdict.VIOLATES, "missing default")


def kinds(documented: str, printed: str, *names: str) -> list[str]:
    """The kinds of the findings on a function with these parameters."""
    offered = tuple(OfferedParameter(n, "POSITIONAL_OR_KEYWORD", False, None) for n in names)
    identity = FunctionIdentity(True, offered, None)
    return [f.kind for f in signatures.signature(identity, parse(documented), printed)]


@pytest.mark.parametrize(
    ("documented", "printed", "names"),
    [
        ("get(ops)", "get(xs)", ["xs"]),
        ("get(ops)", "get(xs)", ["ops"]),
        ("resize(x, factor)", "resize(X, factor)", ["X", "factor"]),
        ("drop(x, level, shape)", "drop(x, level)", ["x", "level", "shape"]),
    ],
)
def test_what_has_the_printed_name_has_the_parameter(
    documented: str, printed: str, names: list[str]
) -> None:
    assert kinds(documented, printed, *names) == []


@pytest.mark.parametrize(
    ("documented", "printed", "names", "expected"),
    [
        ("get(ops)", "get(x)", ["xs"], ["missing parameter"]),
        ("get(ops)", "get(ops)", ["xs"], ["missing parameter"]),
        ("resize(x, factor)", "resize(X, factor)", ["factor", "X"], ["order"]),
        ("resize(x, factor)", "resize(X, factor)", ["X"], ["missing parameter"]),
        ("drop(x, level, shape)", "drop(x, level)", ["x", "level"], ["missing parameter"]),
        ("get(ops)", "get(xs)", ["ops", "xs"], []),
    ],
)
def test_another_name_is_still_another(
    documented: str, printed: str, names: list[str], expected: list[str]
) -> None:
    assert kinds(documented, printed, *names) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([], "()"),
        (
            [("x", "POSITIONAL_OR_KEYWORD", None), ("axes", "POSITIONAL_OR_KEYWORD", "(1, 2)")],
            "(x, axes=(1, 2))",
        ),
        (
            [("x", "POSITIONAL_OR_KEYWORD", None), ("name", "KEYWORD_ONLY", "None")],
            "(x, *, name=None)",
        ),
        (
            [("inputs", "VAR_POSITIONAL", None), ("options", "VAR_KEYWORD", None)],
            "(*inputs, **options)",
        ),
        ([("fn", "POSITIONAL_OR_KEYWORD", "<function f at 0x7f01>")], "(fn=<function f at 0x…>)"),
    ],
)
def test_a_signature_is_shown_as_it_would_be_written(
    parameters: list[tuple[str, str, str | None]], expected: str
) -> None:
    offered = tuple(OfferedParameter(n, kind, d is not None, d) for n, kind, d in parameters)
    assert signatures.shown(FunctionIdentity(True, offered)) == expected


def test_a_signature_that_is_hidden_is_not_shown() -> None:
    assert signatures.shown(FunctionIdentity(True, None, "a builtin")) is None
