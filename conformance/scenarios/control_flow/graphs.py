"""Programs that build a graph and evaluate it, with the oracle's answers for the same steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle import Expectation
from conformance.oracle.program_gradients import expect_gradients
from conformance.oracle.programs import expect_program
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, plain
from conformance.scenarios.model import Check, Problem, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Test = Callable[..., Problem | None]
Expected = Callable[[], Expectation]


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

    def named(self, name: str, function: str, *args: Argument, **kwargs: Argument) -> Ref:
        """A call whose result has that name, for callables that use it."""
        return self._step(name, function, args, kwargs)

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
        self, outputs: Sequence[Ref], dtypes: Sequence[str], name: str = "results"
    ) -> list[Expected]:
        """Observe tensors; return for each a function that asks the oracle for its expectation."""
        self.run(outputs, name)
        wanted = {o.name: d for o, d in zip(outputs, dtypes, strict=True)}
        return self._each(
            cache(partial(expect_program, self.program(), self.given, wanted)), wanted
        )

    def differentiate(self, loss: Ref, variables: Sequence[Ref]) -> list[Expected]:
        """Observe the gradients of a scalar; return for each a function that asks the oracle."""
        gradients = self.call("gradients", loss, list(variables))
        self.run([self.call("operator.getitem", gradients, i) for i in range(len(variables))])
        names = [v.name for v in variables]
        answer = partial(expect_gradients, self.program(), self.given, loss.name, names)
        return self._each(cache(answer), names)

    def weighted(self, result: Ref, shape: Sequence[int], dtype: str, name: str = "factors") -> Ref:
        """A random linear functional of a tensor: the sum of it times factors, kept as `name`."""
        factors = self.variable(name, self.numbers(shape, dtype))
        return self.call("sum", self.call("operator.mul", result, factors))

    def gradient_checks(
        self,
        loss: Ref,
        variables: Sequence[tuple[str, Ref]],
        demands: str,
        at: Mapping[str, int],
        conventions: tuple[str, ...] = (),
    ) -> list[Check]:
        """Observe the gradients of a scalar and check each; the variables come with titles."""
        expected = self.differentiate(loss, [ref for _, ref in variables])
        return [
            Check(
                f"gradient of {title}",
                Aspect.GRADIENT,
                outputs=("results",),
                test=item(i, agrees_with(expect)),
                demands=demands,
                at=at,
                conventions=conventions,
            )
            for i, ((title, _), expect) in enumerate(zip(variables, expected, strict=True))
        ]

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

    def _each(
        self, answer: Callable[[], Mapping[str, Expectation]], names: Sequence[str] | dict[str, str]
    ) -> list[Expected]:
        return [partial(_one, answer, name) for name in names]


def _one(answer: Callable[[], Mapping[str, Expectation]], name: str) -> Expectation:
    return answer()[name]


def item(index: int, test: Test) -> Test:
    """The test on one of several results."""

    def one(values: Values) -> Problem | None:
        if index >= len(values):
            return Problem(f"gives {len(values)} results", "several")
        return test(values[index : index + 1])

    return one


def has_static_shape(static: Sequence[int | None], real: Sequence[int]) -> Test:
    """`int_shape` gave no wrong dimension, and every one that `static` knows."""
    convention = (ConventionName.PRECISE_STATIC_SHAPE,)

    def test(values: Values) -> Problem | None:
        found = plain(values)
        told = found if isinstance(found, tuple) else (found,)
        got = str(told)
        if told == (None,) and len(real) != 1:
            return Problem("gives None", "unknown", conventions=convention, got="None")
        fits = len(told) == len(real)
        if not fits or any(a not in (None, b) for a, b in zip(told, real, strict=True)):
            return Problem(f"gives {got}", "contradicts", got=got, expected=str(tuple(real)))
        vague = any(a is None and b is not None for a, b in zip(told, static, strict=True))
        return Problem(f"gives {got}", "vague", conventions=convention, got=got) if vague else None

    return test
