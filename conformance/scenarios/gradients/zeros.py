"""Gradients of products with a zero among their factors.

The other factors are the slope at the zero. A gradient that divides the product by each factor does
not have it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import is_array, shown
from conformance.scenarios.model import KERAS_3, SUMMARY
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()
FACTORS: Mapping[str, tuple[float, ...]] = {"one zero": (2, 0, 3), "two zeros": (2, 0, 0, 3)}
WHOLE, RUNNING = ("prod", "nanprod"), ("cumprod", "nancumprod")
SLOPES: Mapping[tuple[str, bool], tuple[float, ...]] = {
    ("one zero", False): (0, 6, 0),
    ("two zeros", False): (0, 0, 0, 0),
    ("one zero", True): (1, 8, 0),
    ("two zeros", True): (1, 2, 0, 0),
}
"""The slopes of the product, and those of the sum of the running products."""


@BOOK.scenario(
    tuple(f"keras.ops.{name}" for name in (*WHOLE, *RUNNING)),
    "the gradient, with {zeros}",
    Aspect.GRADIENT,
    editions=KERAS_3,
    zeros=FACTORS.keys(),
)
def gradients(K: Recorder, zeros: str) -> None:
    """The gradient of the sum of the results."""
    running = K.tested.rpartition(".")[2] in RUNNING
    factors = np.array(FACTORS[zeros], "float32")
    x = K.tensor("x", factors)
    above = K.tensor("above", np.ones(factors.shape if running else (), "float32"))
    slopes = K["differentiated"](K.tested, above, [x], x)
    expected = np.array(SLOPES[zeros, running], "float32")
    gradient = slopes[0].output("gradient")
    K.expect("the gradient", gradient, is_array(expected), shown(expected), at=SUMMARY)


FAMILIES = BOOK.families
