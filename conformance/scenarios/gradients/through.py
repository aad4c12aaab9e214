"""Gradients through functions that the learning phase or chance decides: in_train_phase,
in_test_phase and dropout.

dropout's result tells its gradient: an element is multiplied by the factor that the result shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, is_array, only
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter

Array = npt.NDArray[Any]
SHAPE = (4, 5)
SLACK = 8.0
"""How many units of roundoff a gradient of two products may lose."""
_NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")


def _numbers(seed: int) -> tuple[Array, Array]:
    """Numbers from 0.5 to 2, and factors of either sign."""
    random = np.random.default_rng(seed)
    signs = random.choice((-1.0, 1.0), SHAPE)
    return (
        random.uniform(0.5, 2.0, SHAPE).astype("float32"),
        (random.uniform(0.5, 2.0, SHAPE) * signs).astype("float32"),
    )


def _slope(w: ProgramWriter, result: Ref, factors: Array, x: Ref, *, more: bool) -> None:
    """Observe the gradient of the sum of the result times factors, with the result if `more`."""
    weights = w.call("placeholder", shape=SHAPE)
    loss = w.call("sum", w.call("operator.mul", result, weights))
    found = w.call("operator.getitem", w.call("gradients", loss, [x]), 0)
    wanted = [result, found] if more else [found]
    compiled = w.call("function", [weights], wanted)
    values = w.call("operator.call", compiled, [w.array("factors", factors)])
    for i, name in enumerate(("result", "gradient")[-len(wanted) :]):
        w.observe(name, "operator.getitem", values, i)


def phase(function: str, training: int) -> Scenario:
    """The gradient of what one phase selects: of twice x, or of minus x."""
    numbers, factors = _numbers(training)
    w = ProgramWriter()
    x = w.call("variable", w.array("x", numbers), dtype="float32")
    branches = w.call("operator.mul", x, 2.0), w.call("operator.neg", x)
    result = w.call(function, *branches, training=training)
    _slope(w, result, factors, x, more=False)
    first = bool(training) == (function == "in_train_phase")
    check = Check(
        f"gradient through {function}",
        Aspect.GRADIENT,
        outputs=("gradient",),
        test=is_array((2 if first else -1) * factors),
        demands="the gradient of the branch that the phase selects",
    )
    title = f"through {function}, training={training}"
    return Scenario("gradients", title, program=w.program(), arrays=w.arrays, checks=(check,))


def phases(_: Edition) -> Sequence[Scenario]:
    """Both functions in both phases."""
    return [phase(f, t) for f in ("in_train_phase", "in_test_phase") for t in (1, 0)]


def dropped(level: float) -> Scenario:
    """The gradient through dropout is 0 where an element is dropped, and scaled elsewhere."""
    numbers, factors = _numbers(7)
    w = ProgramWriter()
    x = w.call("variable", w.array("x", numbers), dtype="float32")
    _slope(w, w.call("dropout", x, level), factors, x, more=True)
    check = Check(
        "gradient through dropout",
        Aspect.GRADIENT,
        outputs=("result", "gradient"),
        test=_scaled_alike(numbers, factors),
        demands="0 for what is dropped, and the scale of the result elsewhere",
    )
    title = f"through dropout of {level:g}"
    return Scenario("gradients", title, program=w.program(), arrays=w.arrays, checks=(check,))


def _scaled_alike(numbers: Array, factors: Array) -> Any:
    def test(result: Values, gradient: Values) -> Problem | None:
        given = only(result)
        if isinstance(given, Problem) or given.shape != SHAPE:
            return None  # the scenarios of dropout tell it
        slope = factors * (given.astype(np.float64) / numbers)
        bound = SLACK * float(np.finfo(np.float32).eps) * np.abs(slope)
        return agrees_with(Expectation(slope, bound, "float32"))(gradient)

    return test


def dropouts(_: Edition) -> Sequence[Scenario]:
    """Two levels."""
    return [dropped(level) for level in (0.5, 0.25)]


GRADIENT = frozenset({Aspect.GRADIENT})
FAMILIES: tuple[Family, ...] = (
    Family("gradients", GRADIENT, make=phases, editions=_NEWER),
    Family("gradients", GRADIENT, make=dropouts),
)
