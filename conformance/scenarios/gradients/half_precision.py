"""Gradients in 16 bits are numbers where those in float32 are.

A square that underflows gives a slope without bound: the gradient of `normalize` in float16 is -inf
at 0.01. Both gradients come from the same implementation, at the same numbers.
"""

from __future__ import annotations

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import only
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT, Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result

BOOK = Book()
NUMBERS = np.array([[0.01, 0.01], [0.5, 0.03], [0.25, 0.75], [0.002, 0.9]])
"""Short rows of ordinary numbers, at which every function here has a slope of less than 2,000."""
LARGEST = 16_384.0
"""A slope in float32 of which float16 may lack the number, or the one before it."""
ELEMENTS = (
    *("absolute", "arcsinh", "arctan", "arctanh", "cosh", "elu", "erf", "exp", "expm1"),
    *("gelu", "log", "log1p", "log_sigmoid", "log_softmax", "normalize", "rms_normalization"),
    *("rsqrt", "sigmoid", "silu", "sin", "sinh", "softmax", "softplus", "softsign", "sqrt"),
    *("square", "squareplus", "tan", "tanh", "tanh_shrink"),
)
REDUCTIONS = ("logsumexp", "max", "mean", "norm", "prod", "std", "sum", "var")


def _gradient(K: Recorder, dtype: str) -> Result:
    x = K.constant(K.array("x", NUMBERS.astype("float32")), dtype=dtype)
    shape = () if K.tested.rpartition(".")[2] in REDUCTIONS else NUMBERS.shape
    above = K.constant(K.array("above", np.ones(shape, "float32")), dtype=dtype)
    gradients = K["differentiated"](K.tested, above, [x], x)
    return K["keras.ops.cast"](gradients[0], "float32")


def _are_numbers(in_float32: Values, in_few_bits: Values) -> Problem | None:
    control, got = only(in_float32), only(in_few_bits)
    if isinstance(control, Problem) or isinstance(got, Problem):
        return got if isinstance(got, Problem) else None
    ordinary = np.isfinite(control).all() and np.abs(control).max(initial=0) < LARGEST
    if not ordinary or np.isfinite(got).all():
        return None
    return _unbounded(got, control)


def _unbounded(got: Array, control: Array) -> Problem:
    place = tuple(map(int, np.argwhere(~np.isfinite(got))[0]))
    return Problem(f"gives {got[place]} at {[*place]}", "no number", got=got, expected=control)


@BOOK.scenario(
    tuple(f"keras.ops.{name}" for name in (*ELEMENTS, *REDUCTIONS)),
    "the gradient in {dtype}",
    Aspect.GRADIENT,
    editions=KERAS_3,
    dtype=("float16", "bfloat16"),
)
def gradients(K: Recorder, dtype: str) -> None:
    """The gradient of the sum in 16 bits, with that in float32 as a control."""
    control = _gradient(K, "float32").output("control")
    gradient = _gradient(K, dtype).output("gradient")
    what = "a number, as in float32"
    at = {KERAS_3_DOCUMENT: "Summary"}
    K.expect("the gradient", (control, gradient), _are_numbers, what, aspect=Aspect.GRADIENT, at=at)


FAMILIES = BOOK.families
