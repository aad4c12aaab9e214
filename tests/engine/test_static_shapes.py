"""Dimensions of a static shape are looked at as they came: types count, not only sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance import reference
from conformance.editions import Edition
from conformance.engine.judging.metadata import shape_as_said
from conformance.engine.judging.probes import NOT_INTEGERS, shape_probe
from conformance.observations import TensorMetadata, Value
from conformance.program import Binding
from conformance.results import Aspect, Verdict
from conformance.scenarios import families_of
from conformance.scenarios.checks import (
    Test,
    has_static_shape,
    is_static_shape,
    not_integers,
)
from conformance.scenarios.control_flow import graphs
from tests.engine.support import examine
from tests.engine.support import module as subject
from tests.scenarios.in_process import drawn, findings, module, observed


def claimed(make: Callable[[tuple[Any, ...]], Any]) -> TensorMetadata:
    """What the worker says of a tensor of shape (2, 3) if `int_shape` answers `make((2, 3))`."""
    target = module(int_shape=lambda x: make(reference.int_shape(x)))
    return observed(shape_probe(Binding.VARIABLE), target).outputs[0].metadata[0]


@pytest.mark.parametrize(
    "make",
    [
        tuple,
        list,
        np.array,
        lambda s: tuple(np.int64(d) for d in s),
        lambda s: tuple(np.uint8(d) for d in s),
    ],
)
def test_integers_of_numpy_are_integers(make: Callable[[tuple[Any, ...]], Any]) -> None:
    metadata = claimed(make)
    assert (metadata.shape, metadata.not_integers, metadata.shape_error) == ((2, 3), (), None)


@pytest.mark.parametrize(
    ("make", "shape", "types", "words"),
    [
        (lambda s: (s[0], float(s[1])), (2, None), ((1, "float"),), "(2, a float)"),
        (lambda s: (str(s[0]), s[1]), (None, 3), ((0, "str"),), "(a str, 3)"),
        (lambda s: (True, s[1]), (None, 3), ((0, "bool"),), "(a bool, 3)"),
        (lambda s: (np.array(s[0]), None), (None, None), ((0, "ndarray"),), "(a ndarray, None)"),
        (lambda s: s[1], None, ((-1, "int"),), "an int, which is no sequence"),
    ],
)
def test_what_is_no_integer_is_reported_as_it_came(
    make: Callable[[tuple[Any, ...]], Any],
    shape: Any,
    types: tuple[tuple[int, str], ...],
    words: str,
) -> None:
    metadata = claimed(make)
    assert (metadata.shape, metadata.not_integers, metadata.shape_error) == (shape, types, None)
    assert shape_as_said(metadata) == words


def test_a_tensor_as_a_dimension_is_no_exception_of_int_shape() -> None:
    metadata = claimed(lambda s: (s[0], reference.variable(3.0)))
    assert metadata.shape_error is None
    assert metadata.not_integers == ((1, "Variable"),)


FLOATING = """
from conformance import reference
from conformance.reference import *

def int_shape(x):
    shape = reference.int_shape(x)
    return tuple(None if n is None else float(n) for n in shape)
"""
SOMETIMES = FLOATING.replace("    return", "    if len(shape) == 2: return shape\n    return")


def test_floats_in_every_static_shape_are_a_failure_of_int_shape(tmp_path: Path) -> None:
    (tmp_path / "floating.py").write_text(FLOATING, encoding="utf-8")
    outcome = examine(subject("floating", tmp_path), ("exp", "int_shape"), "smoke")
    wrong = {(name, f.kind) for name, _, f in outcome.failures(Verdict.VIOLATES)}
    assert wrong == {("int_shape", "the dimensions")}


def test_floats_in_the_static_shape_of_some_results_are_theirs(tmp_path: Path) -> None:
    (tmp_path / "sometimes.py").write_text(SOMETIMES, encoding="utf-8")
    outcome = examine(subject("sometimes", tmp_path), ("exp",), "smoke")
    (failure, *_) = outcome.aspect("exp", Aspect.STATIC_SHAPE).failures
    assert (failure.kind, str(failure.citation)) == (NOT_INTEGERS, "ko-2.2:422")
    assert "a float" in failure.message


OWN = """
from conformance import reference
from conformance.reference import *

def backend():
    return "{backend}"

MADE = []

def exp(x):
    MADE.append(reference.exp(x))
    return MADE[-1]

def int_shape(x):
    shape = reference.int_shape(x)
    return (7, *shape) if [one for one in MADE if one is x] else shape
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("backend", "edition", "verdict"),
    [
        ("tensorflow", "keras-1", Verdict.VIOLATES),
        ("theano", "keras-1", Verdict.DIVERGES),
        ("theano", "keras-2.2", Verdict.VIOLATES),
    ],
)
def test_keras_1_promises_static_shapes_with_tensorflow_alone(
    backend: str, edition: Edition, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(OWN.format(backend=backend), encoding="utf-8")
    target = subject("own", tmp_path, edition=edition, CONFORMANCE_REFERENCE_EDITION=edition)
    failures = examine(target, ("exp",), "smoke").aspect("exp", Aspect.STATIC_SHAPE).failures
    settled = [f for f in failures if f.convention in (None, "int-shape-everywhere")]
    assert {f.verdict for f in settled} == {verdict}


FLAT = """
from conformance import reference
from conformance.reference import *

MADE = []

def batch_flatten(x):
    MADE.append(reference.flatten(reference.batch_flatten(x)))
    return MADE[-1]

def int_shape(x):
    if [one for one in MADE if one is x]:
        return (None, 7)
    return reference.int_shape(x)
"""


def test_a_static_shape_is_not_held_against_a_value_of_a_wrong_shape(tmp_path: Path) -> None:
    (tmp_path / "flat.py").write_text(FLAT, encoding="utf-8")
    outcome = examine(subject("flat", tmp_path), ("batch_flatten",), "smoke")
    failures = outcome.aspect("batch_flatten", Aspect.STATIC_SHAPE).failures
    (settled,) = [f for f in failures if f.verdict is Verdict.VIOLATES]
    assert isinstance(settled.expected, str)
    assert settled.expected.count(",") == 1, "the document demands two axes"
    assert not settled.expected.endswith(",)")


def dimension(kind: str, size: Any) -> Value:
    array = None if size is None else np.array(size)
    return Value(array, "int64", kind)


@pytest.mark.parametrize("kind", ["float", "ndarray", "str", "bool"])
def test_checks_of_static_shapes_look_at_types(kind: str) -> None:
    values = (dimension("int", 2), dimension(kind, 3))
    assert not_integers(values) is not None
    assert is_static_shape((2, 3))(values) is not None
    assert has_static_shape((2, 3))(values) is not None


@pytest.mark.parametrize("kind", ["int", "int64", "uint8"])
def test_checks_of_static_shapes_take_integers_of_numpy(kind: str) -> None:
    values = (dimension("int", 2), dimension(kind, 3))
    assert is_static_shape((2, 3))(values) is None
    assert has_static_shape((2, 3))(values) is None


NOTHING = Value(None, "object", "NoneType")
UNKNOWN = replace(NOTHING, item=True)


@pytest.mark.parametrize(
    "test", [is_static_shape((3,)), has_static_shape((3,)), graphs.has_static_shape((3,), (3,))]
)
def test_none_is_not_a_shape_of_one_unknown_dimension(test: Test) -> None:
    problems = [test((NOTHING,)), test((UNKNOWN,))]
    assert all(problem is not None and problem.conventions for problem in problems)
    none, unknown = (problem.gives for problem in problems if problem is not None)
    assert none.endswith(" None")
    assert unknown.endswith(" (None,)")


@pytest.mark.parametrize(
    "test",
    [
        is_static_shape((3, 2)),
        has_static_shape((3, 2)),
        graphs.has_static_shape((3, 2), (3, 2)),
    ],
)
def test_one_unknown_dimension_is_not_the_shape_of_a_matrix(test: Test) -> None:
    none, unknown = test((NOTHING,)), test((UNKNOWN,))
    assert none is not None
    assert none.conventions
    assert unknown is not None
    assert not unknown.conventions


@pytest.mark.parametrize("claim", [None, (None,)])
def test_messages_have_what_int_shape_gave(claim: tuple[None] | None) -> None:
    folded: list[Any] = []

    def foldl(*args: Any, **keywords: Any) -> Any:
        folded.append(reference.foldl(*args, **keywords))
        return folded[-1]

    def int_shape(x: Any) -> Any:
        return claim if any(x is tensor for tensor in folded) else reference.int_shape(x)

    target = module(foldl=foldl, int_shape=int_shape)
    (family,) = [f for f in families_of("foldl", "keras-2.2") if f.aspects == {Aspect.STATIC_SHAPE}]
    scenarios = family.make("keras-2.2")
    assert not isinstance(scenarios, Sequence)
    vectors = [scenario for scenario in drawn(scenarios, 60) if "rank 1" in scenario.title]
    shown = [finding for scenario in vectors for finding in findings(scenario, target)]
    assert {(finding.gives, finding.got) for finding in shown} == {(f"gives {claim}", str(claim))}
