"""Gradients through functions that the learning phase or chance decides: in_train_phase,
in_test_phase and dropout.

dropout's result tells its gradient: an element is multiplied by the factor that the result shows.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from conformance.oracle import Expectation
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, is_array, only
from conformance.scenarios.model import KERAS_2, Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result

BOOK = Book()
SHAPE = (4, 5)
SEED = 20_240
SLACK = 8.0
"""How many units of roundoff a gradient of two products may lose."""


def _numbers(seed: int) -> tuple[Array, Array]:
    """Numbers from 0.5 to 2, and factors of either sign."""
    random = np.random.default_rng(seed)
    signs = random.choice((-1.0, 1.0), SHAPE)
    return (
        random.uniform(0.5, 2.0, SHAPE).astype("float32"),
        (random.uniform(0.5, 2.0, SHAPE) * signs).astype("float32"),
    )


def _slope(K: Recorder, result: Result, factors: Array, x: Result, *outputs: str) -> None:
    """Observe the gradient of the sum of the result times factors, after the result if both have
    names."""
    weights = K.placeholder(shape=SHAPE)
    gradient = K.gradients(K.sum(result * weights), [x])[0]
    compiled = K.function([weights], [result, gradient][-len(outputs) :])
    values = compiled([K.array("factors", factors)])
    for i, name in enumerate(outputs):
        values[i].output(name)


@BOOK.scenario(
    ("in_train_phase", "in_test_phase"),
    "the gradient, training={training}",
    Aspect.GRADIENT,
    editions=KERAS_2,
    training=(1, 0),
)
def phase(K: Recorder, training: int) -> None:
    """The gradient of what one phase selects: of twice x, or of minus x."""
    numbers, factors = _numbers(training)
    x = K.variable(K.array("x", numbers), dtype="float32")
    _slope(K, K[K.tested](x * 2.0, -x, training=training), factors, x, "gradient")
    first = bool(training) == (K.tested == "in_train_phase")
    test, demands = (
        is_array((2 if first else -1) * factors),
        "the gradient of the branch that the phase selects",
    )
    K.expect("the gradient", "gradient", test, demands)


@BOOK.scenario("dropout", "the gradient, level={level:g}", Aspect.GRADIENT, level=(0.5, 0.25))
def dropped(K: Recorder, level: float) -> None:
    """The gradient through dropout is 0 where an element is dropped, and scaled elsewhere."""
    numbers, factors = _numbers(7)
    x = K.variable(K.array("x", numbers), dtype="float32")
    _slope(K, K.dropout(x, level, seed=SEED), factors, x, "result", "gradient")
    test = partial(_scaled_alike, numbers, factors)
    demands = "0 for what is dropped, and the scale of the result elsewhere"
    K.expect("the gradient", ("result", "gradient"), test, demands)


def _scaled_alike(
    numbers: Array, factors: Array, result: Values, gradient: Values
) -> Problem | None:
    got = only(result)
    if isinstance(got, Problem) or got.shape != SHAPE:
        return None  # the scenarios of dropout tell it
    slope = factors * (got.astype(np.float64) / numbers)
    bound = SLACK * float(np.finfo(np.float32).eps) * np.abs(slope)
    return agrees_with(Expectation(slope, bound, "float32"))(gradient)


FAMILIES = BOOK.families
