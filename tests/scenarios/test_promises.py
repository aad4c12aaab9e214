"""Promises besides values: the reference keeps them, and what breaks one of them is found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conformance.reference
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.observations import Value
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.introspection import printing
from conformance.scenarios.model import Family, Values
from conformance.scenarios.promises import (
    activated,
    arguments,
    containers,
    creation,
    forms,
    images,
    names,
)
from conformance.scenarios.state import sessions
from tests.engine.mutants.kit import MUTANTS, Mutant
from tests.engine.mutants.promises import HERE
from tests.scenarios.in_process import drawn, findings, module

PROMISES = (
    *containers.FAMILIES,
    *creation.FAMILIES,
    *arguments.FAMILIES,
    *printing.FAMILIES,
    *names.FAMILIES,
    *images.FAMILIES,
    *forms.FAMILIES,
    *activated.FAMILIES,
)
EDITION: Edition = "keras-2.2"
"""That of the reference in this process; the slow tests of mutants have the others."""
BROKEN = [m for m in map(MUTANTS.get, HERE) if m and m.edition == EDITION]
IN_PROCESS = [m for m in BROKEN if m.aspect != "configuration" and m.function != "print_tensor"]
"""Not what needs a process of its own, for its configuration or for what it prints."""


def scenarios(families: tuple[Family, ...]) -> Iterator[Scenario]:
    """Those of this edition; ten of a strategy."""
    for family in families:
        if EDITION in family.editions:
            cases = family.make(EDITION)
            yield from cases if isinstance(cases, list | tuple) else drawn(cases, 10)  # type: ignore[arg-type]


def findings_of(tested: Mutant) -> list[Finding]:
    """What the scenarios of its function find."""
    names = vars(module())
    tested.install(names)
    offered = {f for f in (*PROMISES, *sessions.FAMILIES) if f.function == tested.function}
    target = SimpleNamespace(**names)
    return [f for s in scenarios(tuple(offered)) for f in findings(s, target)]


@pytest.mark.parametrize("tested", IN_PROCESS, ids=lambda tested: tested.name)
def test_a_broken_promise_is_found(tested: Mutant) -> None:
    failures = [f for f in findings_of(tested) if f.aspect == tested.aspect]
    verdicts = {f.verdict for f in failures}
    if tested.verdict == "diverges":
        assert Verdict.DIVERGES in verdicts
        assert Verdict.VIOLATES not in verdicts
        assert all(f.conventions for f in failures if f.verdict is Verdict.DIVERGES)
    else:
        assert Verdict.VIOLATES in verdicts
        assert all(f.at for f in failures if f.verdict is Verdict.VIOLATES)


@pytest.mark.parametrize("family", PROMISES, ids=lambda family: family.function)
def test_the_reference_keeps_its_promises(family: Family) -> None:
    target = module()
    wrong = [f for s in scenarios((family,)) for f in findings(s, target)]
    assert [f for f in wrong if f.verdict is not Verdict.UNSUPPORTED] == []


class Descent:
    """An optimiser as Keras has it: it projects what has a constraint."""

    def __init__(self, lr: float) -> None:
        self.rate = lr

    def get_updates(self, loss: Any, params: list[Any]) -> list[Any]:
        """One update for each variable."""
        slopes = conformance.reference.gradients(loss, params)
        moved = [p - self.rate * slope for p, slope in zip(params, slopes, strict=True)]
        projections = [p.constraint or (lambda w: w) for p in params]
        return [
            conformance.reference.update(p, project(new))
            for p, project, new in zip(params, projections, moved, strict=True)
        ]


def _unconstrained(value: Any, dtype: Any = None, name: Any = None, constraint: Any = None) -> Any:
    del constraint
    return conformance.reference.variable(value, dtype, name)


@pytest.mark.parametrize(("variable", "lines"), [(None, []), (_unconstrained, [208])])
def test_a_constraint_that_is_dropped_is_found(
    variable: Any, lines: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = ModuleType("package_with_optimisers")
    vars(package)["optimizers"] = SimpleNamespace(SGD=Descent)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    target = module(**({"variable": variable} if variable else {}))
    target.__name__ = f"{package.__name__}.backend"
    cases = [s for s in scenarios(creation.FAMILIES) if s.title == "a constraint and an optimiser"]
    failures = [f for s in cases for f in findings(s, target)]
    assert len(cases) == 1
    assert [f.at["ko-2.2"] for f in failures if f.verdict is Verdict.VIOLATES] == lines
    assert len(failures) == len(lines)


def test_every_check_names_a_line() -> None:
    cases = list(scenarios(tuple(f for f in PROMISES if f not in printing.FAMILIES)))
    assert cases
    assert all(check.at for scenario in cases for check in scenario.checks)


def test_axes_that_can_be_read_once_may_be_refused_and_no_others() -> None:
    def twice(x: Any, axes: Any) -> Any:
        if list(axes) and not list(axes):
            raise ValueError("no axes")
        return conformance.reference.reverse(x, axes)

    def in_list(x: Any, axes: Any) -> Any:
        if not isinstance(axes, list | int):
            raise TypeError("no list")
        return conformance.reference.reverse(x, axes)

    family = next(f for f in arguments.FAMILIES if f.function == "reverse")
    verdicts_of = {
        name: {
            s.title: {f.verdict for f in findings(s, module(reverse=r))}
            for s in scenarios((family,))
        }
        for name, r in (("twice", twice), ("listed", in_list))
    }
    assert verdicts_of["twice"]["axes that are an iterator of 1"] == {Verdict.DIVERGES}
    assert verdicts_of["listed"]["axes that are an iterator of 2"] == {Verdict.DIVERGES}
    assert verdicts_of["listed"]["axes that are a set of 2"] == {Verdict.VIOLATES}
    assert not verdicts_of["twice"]["axes that are a set of 2"]


def _nameless(x: Any, name: Any = None) -> Any:
    del name
    return conformance.reference.identity(x)


def _variable_instead(shape: Any = None, **more: Any) -> Any:
    """It makes what is fed like a placeholder, and is a variable, of one shape."""
    if shape != (2, 2) or "name" in more or "ndim" in more:
        return conformance.reference.placeholder(shape, **more)
    return conformance.reference.variable(np.zeros(shape))


def _normalised(x: Any, gamma: Any, beta: Any, axes: Any, epsilon: float = 0.001) -> Any:
    """It takes its own epsilon where the features are not on the last axis."""
    first = 1 not in axes
    normalise = conformance.reference.normalize_batch_in_training
    return normalise(x, gamma, beta, axes, epsilon=0.001 if first else epsilon)


def _mistaken(x: Any, gamma: Any, beta: Any, axes: Any, epsilon: float = 0.001) -> Any:
    """It calls something without what it needs, where the features are not on the last axis."""
    normalise: Any = conformance.reference.normalize_batch_in_training
    return normalise(x) if 1 not in axes else normalise(x, gamma, beta, axes, epsilon=epsilon)


def _refusing(x: Any, gamma: Any, beta: Any, axes: Any, epsilon: float = 0.001) -> Any:
    if 1 not in axes:
        raise ValueError("scale must be 1-dimensional")
    return conformance.reference.normalize_batch_in_training(x, gamma, beta, axes, epsilon=epsilon)


def _mirrored(x: Any, bias: Any, data_format: Any = None) -> Any:
    whole = len(conformance.reference.int_shape(bias)) > 1
    turned = conformance.reference.reverse(bias, 0) if whole else bias
    return conformance.reference.bias_add(x, turned, data_format)


@pytest.mark.parametrize(
    ("families", "functions", "verdicts"),
    [
        (names.FAMILIES, {"identity": _nameless}, {Verdict.VIOLATES}),
        (creation.FAMILIES, {"placeholder": _variable_instead}, {Verdict.VIOLATES}),
        (images.FAMILIES, {"normalize_batch_in_training": _normalised}, {Verdict.VIOLATES}),
        (images.FAMILIES, {"normalize_batch_in_training": _mistaken}, {Verdict.VIOLATES}),
        (images.FAMILIES, {"normalize_batch_in_training": _refusing}, {Verdict.DIVERGES}),
        (images.FAMILIES, {"bias_add": _mirrored}, {Verdict.VIOLATES}),
    ],
)
def test_what_breaks_one_promise_is_found(
    families: tuple[Family, ...], functions: dict[str, Any], verdicts: set[Verdict]
) -> None:
    target = module(**functions)
    failures = [
        f for s in scenarios(families) for f in findings(s, target) if s.function in functions
    ]
    assert {f.verdict for f in failures} == verdicts


def _deaf(x: Any, gamma: Any, beta: Any, axes: Any, epsilon: float = 0.001) -> Any:
    return conformance.reference.normalize_batch_in_training(x, gamma, beta, axes)


def test_an_epsilon_that_is_ignored_is_told_at_its_own_line() -> None:
    target = module(normalize_batch_in_training=_deaf)
    failures = [f for s in scenarios(images.FAMILIES) for f in findings(s, target)]
    assert {f.kind for f in failures} == {"epsilon under the root"}
    assert {f.at["ko-2.2"] for f in failures} == {1898}


def test_a_backend_whose_tensors_have_no_names_may_keep_a_name_anywhere() -> None:
    def texts(text: str) -> Values:
        return (Value(None, "", "str", text=text),)

    (scenario,) = (s for s in scenarios(names.FAMILIES) if s.function == "identity")
    (check,) = scenario.checks
    assert check.test(texts(""), texts("")) is None
    assert check.test(texts("Identity:0"), texts("scope/example_var_1:0")) is None
    assert check.test(texts("Identity:0"), texts("Identity_1:0")) is not None
