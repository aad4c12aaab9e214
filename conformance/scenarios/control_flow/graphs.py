"""Programs that build a graph and evaluate it, with the oracle's answers for the same steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle import Expectation
from conformance.oracle.program_gradients import expect_gradients
from conformance.oracle.programs import expect_program
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, described, gave_none
from conformance.scenarios.control_flow.readings import (
    SETTLED,
    Chosen,
    OpenPoints,
    OracleReading,
    accepting,
    alternatives,
    read_as,
)
from conformance.scenarios.model import Check, Problem, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Test = Callable[..., Problem | None]
Expected = Callable[..., Expectation]
"""Asks the oracle; called with the readings to compute under, the suite's own if none."""


class GraphWriter(ProgramWriter):
    """A program of variables and placeholders, whose values it remembers for the oracle.

    w = GraphWriter(seed=7)
    x = w.placeholder("x", w.numbers((2, 3)), (None, 3))
    total = w.call("sum", x)
    expected, = w.evaluate([total], ["float32"])
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.given: dict[str, Array] = {}
        """The values of variables and placeholders, by the name of the step that makes them."""
        self.fed: list[Ref] = []
        self._values: list[Ref] = []
        self.random = np.random.default_rng(seed)

    def numbers(self, shape: Sequence[int], dtype: str = "float32") -> Array:
        """Normally distributed numbers."""
        array: Array = self.random.normal(size=tuple(shape)).astype(dtype)
        return array

    def variable(self, name: str, value: Array) -> Ref:
        """A variable with that value."""
        self.given[name] = value
        held = self.array(f"{name}_value", value)
        return self.named(name, "variable", held, dtype=value.dtype.name)

    def placeholder(
        self, name: str, value: Array, shape: Sequence[int | None] | None = None
    ) -> Ref:
        """A placeholder that is fed that value; its static shape is `shape`, or the value's."""
        self.given[name] = value
        self._values.append(self.array(f"{name}_value", value))
        told = value.shape if shape is None else tuple(shape)
        ref = self.named(name, "placeholder", shape=told, dtype=value.dtype.name)
        self.fed.append(ref)
        return ref

    def feed(self, tensor: Ref, value: Array) -> None:
        """Feed a tensor that another step gave, such as the learning phase."""
        self.given[tensor.name] = value
        self._values.append(self.array(f"{tensor.name}_value", value))
        self.fed.append(tensor)

    def run(self, outputs: Sequence[Ref], name: str = "results") -> None:
        """Observe the values of tensors, computed together, under one name."""
        function = self.call("function", list(self.fed), list(outputs))
        self.observe(name, "operator.call", function, list(self._values))

    def evaluate(
        self,
        outputs: Sequence[Ref],
        dtypes: Sequence[str],
        name: str = "results",
        *,
        also: Sequence[Ref] = (),
    ) -> list[Expected]:
        """Observe tensors; return for each a function that asks the oracle for its expectation.

        The values of the tensors in `also` come before theirs.
        """
        self.run([*also, *outputs], name)
        wanted = {o.name: d for o, d in zip(outputs, dtypes, strict=True)}
        program, given = self.program(), self.given

        @cache
        def answer(*chosen: OracleReading) -> Mapping[str, Expectation]:
            return expect_program(read_as(program, chosen), given, wanted)

        return _each(answer, list(wanted))

    def differentiate(self, loss: Ref, variables: Sequence[Ref], dtype: str) -> list[Expected]:
        """Observe the gradients of a scalar and the scalar; return for each a function that asks
        the oracle."""
        gradients = self.call("gradients", loss, list(variables))
        asked = [self.call("operator.getitem", gradients, i) for i in range(len(variables))]
        (scalar,) = self.evaluate([loss], [dtype], also=asked)
        names = [v.name for v in variables]
        program, given = self.program(), self.given

        @cache
        def answer(*chosen: OracleReading) -> Mapping[str, Expectation]:
            return expect_gradients(read_as(program, chosen), given, loss.name, names)

        return [*_each(answer, names), scalar]

    def weighted(
        self,
        result: Ref,
        shape: Sequence[int],
        dtype: str,
        name: str = "factors",
        *,
        kept: Array | None = None,
    ) -> Ref:
        """A random linear functional of a tensor: the sum of it times factors, kept as `name`.

        Where `kept` is False the factor is 0; its axes are the first ones of the tensor.
        """
        numbers = self.numbers(shape, dtype)
        if kept is not None:
            numbers *= kept.reshape(kept.shape + (1,) * (numbers.ndim - kept.ndim))
        factors = self.variable(name, numbers)
        return self.call("sum", self.call("operator.mul", result, factors))

    def gradient_checks(
        self,
        loss: Ref,
        variables: Sequence[tuple[str, Ref]],
        dtype: str,
        demands: str,
        at: Mapping[str, int],
        *,
        points: OpenPoints = SETTLED,
    ) -> list[Check]:
        """Observe the gradients of a sum of results and check each; the variables have titles.

        If the sum is wrong itself, that is a failure of the value and not of its gradients.
        """
        *slopes, total = self.differentiate(loss, [ref for _, ref in variables], dtype)
        summed = _sum_check(partial(equals, len(slopes), total), at, points)
        checks = (
            value_check(
                f"gradient of {title}",
                Aspect.GRADIENT,
                "results",
                partial(equals, i, expect),
                demands=demands,
                at=at,
                points=points,
            )
            for i, ((title, _), expect) in enumerate(zip(variables, slopes, strict=True))
        )
        return [replace(check, after=summed) for check in checks]

    def static_check(
        self, result: Ref, static: Sequence[int | None], real: Sequence[int], at: Mapping[str, int]
    ) -> Check:
        """Observe the static shape of a tensor and check it; see `has_static_shape`."""
        self.observe("shape", "int_shape", result)
        test, demands = has_static_shape(static, real), f"int_shape {tuple(static)}"
        return Check(
            "static shape",
            Aspect.STATIC_SHAPE,
            outputs=("shape",),
            test=test,
            demands=demands,
            at=at,
        )


def _each(answer: Callable[..., Mapping[str, Expectation]], names: Sequence[str]) -> list[Expected]:
    return [partial(_one, answer, name) for name in names]


def _one(
    answer: Callable[..., Mapping[str, Expectation]], name: str, *chosen: OracleReading
) -> Expectation:
    return answer(*chosen)[name]


def equals(index: int, expect: Expected, chosen: Chosen = ()) -> Test:
    """One of several results is what is expected under some readings."""
    return item(index, agrees_with(partial(expect, *chosen)))


def value_check(
    name: str,
    aspect: Aspect,
    output: str,
    test: Callable[[Chosen], Test],
    *,
    demands: str,
    at: Mapping[str, int],
    points: OpenPoints = SETTLED,
) -> Check:
    """A check of an answer in which some points are open.

    `test` makes the test of an answer from the readings that it takes.
    """
    return Check(
        name,
        aspect,
        outputs=(output,),
        test=accepting(test, points),
        demands=demands,
        at=at,
        alternatives=alternatives(test, points),
    )


def item(index: int, test: Test) -> Test:
    """The test on one of several results."""

    def one(values: Values) -> Problem | None:
        if index >= len(values):
            return Problem(f"gives {len(values)} results", "several")
        return test(values[index : index + 1])

    return one


def _sum_check(test: Callable[[Chosen], Test], at: Mapping[str, int], points: OpenPoints) -> Check:
    return value_check(
        "results, each times a factor, in sum",
        Aspect.VALUE,
        "results",
        test,
        demands="the sum of the results, each times a factor",
        at=at,
        points=points,
    )


def has_static_shape(static: Sequence[int | None], real: Sequence[int]) -> Test:
    """`int_shape` gave no wrong dimension, and every one that `static` knows."""
    convention = (ConventionName.PRECISE_STATIC_SHAPE,)

    def test(values: Values) -> Problem | None:
        if gave_none(values):
            return Problem("gives None", "unknown", conventions=convention, got="None")
        told = tuple(described(value) for value in values)
        got = str(told)
        fits = len(told) == len(real)
        if not fits or any(a not in (None, b) for a, b in zip(told, real, strict=True)):
            return Problem(f"gives {got}", "contradicts", got=got, expected=str(tuple(real)))
        vague = any(a is None and b is not None for a, b in zip(told, static, strict=True))
        return Problem(f"gives {got}", "vague", conventions=convention, got=got) if vague else None

    return test
