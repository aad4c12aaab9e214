"""Findings on a target's signature, compared with the documented one."""

from __future__ import annotations

import pytest

from conformance.engine.judging import signatures
from conformance.observations import FunctionIdentity, OfferedParameter
from conformance.results import Verdict
from conformance.specs.signature import parse


def found(default: str, documented: str) -> list[Verdict]:
    """The verdicts on `pool(x, form=DEFAULT)`."""
    parameters = (
        OfferedParameter("x", "POSITIONAL_OR_KEYWORD", False, None),
        OfferedParameter("form", "POSITIONAL_OR_KEYWORD", True, default),
    )
    identity = FunctionIdentity(True, parameters, None)
    return [f.verdict for f in signatures.signature(identity, parse(documented))]


@pytest.mark.parametrize("default", ["'th'", "'tf'", "None", "<object>"])
def test_a_default_that_no_document_settles_may_be_anything(default: str) -> None:
    assert found(default, "pool(x, form=...)") == []


def test_another_default_than_the_documented_one_is_a_violation() -> None:
    assert found("'th'", "pool(x, form='tf')") == [Verdict.VIOLATES]
    assert found("(1, 1)", "pool(x, form=(1,1))") == []


def test_a_default_has_to_be_there() -> None:
    parameters = tuple(
        OfferedParameter(name, "POSITIONAL_OR_KEYWORD", False, None) for name in ("x", "form")
    )
    identity = FunctionIdentity(True, parameters, None)
    (finding,) = signatures.signature(identity, parse("pool(x, form=...)"))
    assert (finding.verdict, finding.kind) == (Verdict.VIOLATES, "missing default")


def test_the_printed_name_is_nobodys_own() -> None:
    identity = FunctionIdentity(
        True, (OfferedParameter("xs", "POSITIONAL_OR_KEYWORD", False, None),), None
    )
    (missing,) = signatures.signature(identity, parse("get(ops)"), "get(xs)")
    assert (missing.kind, missing.parameter) == ("missing parameter", "ops")
    kinds = [f.kind for f in signatures.signature(identity, parse("get(ops)"), "get(x)")]
    assert kinds == ["missing parameter", "extra parameter"]


@pytest.mark.parametrize(
    ("parameters", "said"),
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
    parameters: list[tuple[str, str, str | None]], said: str
) -> None:
    listed = tuple(OfferedParameter(n, kind, d is not None, d) for n, kind, d in parameters)
    assert signatures.shown(FunctionIdentity(True, listed)) == said


def test_a_signature_that_is_hidden_is_not_shown() -> None:
    assert signatures.shown(FunctionIdentity(True, None, "a builtin")) is None
