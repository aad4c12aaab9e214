"""What a document promises of large numbers and of arguments below zero is demanded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.results import Aspect, Verdict
from tests.engine.support import TINY, examine, module

OVERFLOWS = """
from conformance import reference
from conformance.reference import *

def logsumexp(x, axis=None, keepdims=False):
    return log(sum(exp(x), axis, keepdims))

def hard_sigmoid(x):
    return reference.hard_sigmoid(x) + (x * x - x * x)

def softsign(x):
    narrow = dtype(x) == "float16"
    return reference.softsign(x) + (0 if narrow else x * x - x * x)
"""
"""Right for ordinary numbers, infinite or NaN for large ones."""
POWERS = """
from conformance import reference
from conformance.reference import *

def pow(x, a):
    return reference.pow(x, -a if a in {exponents} else a)
"""
CONTENTS = """
from conformance import reference
from conformance.reference import *

def zeros_like(x, dtype=None, name=None):
    return reference.zeros_like(x, dtype) * (x - x)

def identity(x, name=None):
    return minimum(x, 60000)

def tanh(x):
    return reference.tanh(x) + (x - x)

def softplus(x):
    return reference.softplus(x) + (x - x)
"""
"""Right for ordinary numbers; infinities and NaN become NaN, or others."""
RANGES = """
from conformance import reference
from conformance.reference import *

def arange(start, stop=None, step=1, dtype="int32"):
    if stop is None and start < 0 and step < 0:
        start, stop = {ends}
    return reference.arange(start, stop, step, dtype)
"""
LARGE = replace(TINY, structures=10, values=("ordinary", "extremes"), gradients=0, shrink=0)
SPECIAL = replace(TINY, structures=8, values=("ordinary", "special"), gradients=0, shrink=0)
MANY = replace(TINY, structures=16, gradients=0, shrink=0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        ("logsumexp", Verdict.VIOLATES),
        ("hard_sigmoid", Verdict.VIOLATES),
        ("softsign", Verdict.DIVERGES),
    ],
)
def test_overflow_is_no_reading_where_a_document_rules_it_out(
    function: str, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "overflows.py").write_text(OVERFLOWS, encoding="utf-8")
    outcome = examine(module("overflows", tmp_path), (function,), LARGE)
    assert outcome.aspect(function, Aspect.VALUE).verdict is verdict


def test_an_integer_below_zero_is_a_documented_exponent(tmp_path: Path) -> None:
    (tmp_path / "powers.py").write_text(POWERS.format(exponents=(-1, -2)), encoding="utf-8")
    outcome = examine(module("powers", tmp_path), ("pow",), MANY)
    assert outcome.aspect("pow", Aspect.VALUE).verdict is Verdict.VIOLATES


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        ("zeros_like", Verdict.VIOLATES),
        ("identity", Verdict.VIOLATES),
        ("tanh", Verdict.VIOLATES),
        ("softplus", Verdict.DIVERGES),
    ],
)
def test_no_convention_excuses_special_values_where_the_content_is_documented(
    function: str, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "contents.py").write_text(CONTENTS, encoding="utf-8")
    outcome = examine(module("contents", tmp_path), (function,), SPECIAL)
    assert outcome.aspect(function, Aspect.VALUE).verdict is verdict


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("ends", "verdict"), [("0, 0", Verdict.DIVERGES), ("0, start - 1", Verdict.VIOLATES)]
)
def test_a_stop_below_zero_beside_a_step_may_give_no_numbers_and_nothing_else(
    ends: str, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "ranges.py").write_text(RANGES.format(ends=ends), encoding="utf-8")
    outcome = examine(module("ranges", tmp_path), ("arange",), MANY)
    assert outcome.aspect("arange", Aspect.VALUE).verdict is verdict
