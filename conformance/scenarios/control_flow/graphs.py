"""Programs that build a graph and evaluate it, with the oracle's answers for the same steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np

from conformance.oracle import Expectation
from conformance.oracle.program_gradients import expect_gradients
from conformance.oracle.programs import expect_program
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, agrees_with, described, gave_none
from conformance.scenarios.control_flow.readings import (
    SETTLED,
    Chosen,
    OpenPoints,
    OracleReading,
    accepting,
    alternatives,
    read_as,
)
from conformance.scenarios.model import Array, Check, Problem, Values
from conformance.scenarios.recorder import Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

Expected = Callable[..., Expectation]
"""Asks the oracle; called with the readings to compute under, the suite's own if none."""


class Graph:
    """Variables and placeholders of a program that is recorded; it remembers their values.

    graph = Graph(K, seed=7)
    x = graph.placeholder("x", graph.numbers((2, 3)), (None, 3))
    expected, = graph.evaluate([K.sum(x)], ["float32"])
    """

    def __init__(self, K: Recorder, seed: int) -> None:
        self.K = K
        self.values: dict[str, Array] = {}
        """The values of variables and placeholders, by the name of the step that makes them."""
        self._fed: list[tuple[Result, Result]] = []
        self.random = np.random.default_rng(seed)

    def numbers(self, shape: Sequence[int], dtype: str = "float32") -> Array:
        """Normally distributed numbers."""
        array: Array = self.random.normal(size=tuple(shape)).astype(dtype)
        return array

    def variable(self, name: str, value: Array) -> Result:
        """A variable with that value."""
        array = self._array(name, value)
        return self.K.variable(array, dtype=value.dtype.name).named(name)

    def placeholder(
        self, name: str, value: Array, shape: Sequence[int | None] | None = None
    ) -> Result:
        """A placeholder that is fed that value; its static shape is `shape`, or the value's."""
        array, static = self._array(name, value), value.shape if shape is None else tuple(shape)
        tensor = self.K.placeholder(shape=static, dtype=value.dtype.name).named(name)
        self._fed.append((tensor, array))
        return tensor

    def _array(self, name: str, value: Array) -> Result:
        self.values[name] = value
        return self.K.array(f"{name}_value", value)

    def run(self, outputs: Sequence[Result], name: str = "results") -> None:
        """Observe the values of tensors, computed together, under one name."""
        function = self.K.function([tensor for tensor, _ in self._fed], list(outputs))
        function([array for _, array in self._fed]).output(name)

    def evaluate(
        self,
        outputs: Sequence[Result],
        dtypes: Sequence[str],
        name: str = "results",
        *,
        also: Sequence[Result] = (),
    ) -> list[Expected]:
        """Observe tensors; return for each a function that asks the oracle for its expectation.

        The values of the tensors in `also` precede theirs.
        """
        self.run([*also, *outputs], name)
        asked = {o.name: d for o, d in zip(outputs, dtypes, strict=True)}
        program, values = self.K.program(), self.values

        @cache
        def answer(*chosen: OracleReading) -> Mapping[str, Expectation]:
            return expect_program(read_as(program, chosen), values, asked)

        return _each(answer, list(asked))

    def differentiate(self, loss: Result, variables: Sequence[str], dtype: str) -> list[Expected]:
        """Observe the gradients of a scalar and the scalar; return for each a function that asks
        the oracle."""
        gradients = self.K.gradients(loss, [Ref(name) for name in variables])
        slopes = [gradients[i] for i in range(len(variables))]
        (scalar,) = self.evaluate([loss], [dtype], also=slopes)
        program, values = self.K.program(), self.values

        @cache
        def answer(*chosen: OracleReading) -> Mapping[str, Expectation]:
            return expect_gradients(read_as(program, chosen), values, loss.name, list(variables))

        return [*_each(answer, variables), scalar]

    def weighted(
        self,
        result: Result,
        shape: Sequence[int],
        dtype: str,
        name: str = "factors",
        *,
        weighed: Array | None = None,
    ) -> Result:
        """A random linear functional of a tensor: the sum of it times factors, kept as `name`.

        Where `kept` is False the factor is 0; its axes are the first ones of the tensor.
        """
        numbers = self.numbers(shape, dtype)
        if weighed is not None:
            numbers *= weighed.reshape(weighed.shape + (1,) * (numbers.ndim - weighed.ndim))
        return self.K.sum(result * self.variable(name, numbers))

    def expect_gradients(
        self,
        loss: Result,
        variables: Mapping[str, str],
        dtype: str,
        demands: str,
        *,
        at: Lines,
        points: OpenPoints = SETTLED,
    ) -> None:
        """The gradients of a sum of results; `variables` are the titles of variables by name.

        If the sum is wrong itself, that is a failure of the value and not of its gradients.
        """
        *slopes, total = self.differentiate(loss, list(variables), dtype)
        test = partial(equals, len(slopes), total)
        summed = Check(
            "results, each times a factor, in sum",
            Aspect.VALUE,
            outputs=("results",),
            test=accepting(test, points),
            demands="the sum of the results, each times a factor",
            at=at,
            alternatives=alternatives(test, points),
        )
        for i, (title, expect) in enumerate(zip(variables.values(), slopes, strict=True)):
            test = partial(equals, i, expect)
            self.K.expect(
                f"gradient of {title}",
                "results",
                accepting(test, points),
                demands,
                aspect=Aspect.GRADIENT,
                at=at,
                alternatives=alternatives(test, points),
                after=summed,
            )


def expect_static(
    K: Recorder, result: Result, static: Sequence[int | None], real: Sequence[int], at: Lines
) -> None:
    """The static shape of a tensor; see `has_static_shape`."""
    shape, test = K.int_shape(result).output("shape"), has_static_shape(static, real)
    demands, aspect = f"int_shape {tuple(static)}", Aspect.STATIC_SHAPE
    K.expect("static shape", shape, test, demands, aspect=aspect, at=at)


def _each(answer: Callable[..., Mapping[str, Expectation]], names: Sequence[str]) -> list[Expected]:
    return [partial(_answer_of, answer, name) for name in names]


def _answer_of(
    answer: Callable[..., Mapping[str, Expectation]], name: str, *chosen: OracleReading
) -> Expectation:
    return answer(*chosen)[name]


def equals(index: int, expect: Expected, chosen: Chosen = ()) -> Test:
    """The test that a result among several is what is expected under some readings."""
    return item(index, agrees_with(partial(expect, *chosen)))


def item(index: int, test: Test) -> Test:
    """The test on a result among several."""

    def tested(values: Values) -> Problem | None:
        if index >= len(values):
            return Problem(f"gives {len(values)} results", "several")
        return test(values[index : index + 1])

    return tested


def has_static_shape(static: Sequence[int | None], real: Sequence[int]) -> Test:
    """`int_shape` gave no wrong dimension, and every dimension that `static` knows."""
    convention = (ConventionName.PRECISE_STATIC_SHAPE,)

    def test(values: Values) -> Problem | None:
        if gave_none(values):
            return Problem("gives None", "unknown", conventions=convention, got="None")
        dims = tuple(described(value) for value in values)
        got = str(dims)
        fits = len(dims) == len(real)
        if not fits or any(a not in (None, b) for a, b in zip(dims, real, strict=True)):
            return Problem(f"gives {got}", "contradicts", got=got, expected=str(tuple(real)))
        vague = any(a is None and b is not None for a, b in zip(dims, static, strict=True))
        return Problem(f"gives {got}", "vague", conventions=convention, got=got) if vague else None

    return test
