"""Gradients in 16 bits are numbers.

A square that underflows gives a slope without bound: the gradient of `normalize` in float16 is -inf
at 0.01 on JAX and torch.
"""

from __future__ import annotations

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import only
from conformance.scenarios.model import KERAS_3, SUMMARY, Problem, Values
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()
NUMBERS = np.array([[0.01, 0.01], [0.5, 0.03], [0.25, 0.75], [0.002, 0.9]])
"""Short rows of ordinary numbers, at which every function here has a slope of less than 2,000."""
ELEMENTS = (
    *("absolute", "arcsinh", "arctan", "arctanh", "cosh", "elu", "erf", "exp", "expm1"),
    *("gelu", "log", "log1p", "log_sigmoid", "log_softmax", "normalize", "rms_normalization"),
    *("rsqrt", "sigmoid", "silu", "sin", "sinh", "softmax", "softplus", "softsign", "sqrt"),
    *("square", "squareplus", "tan", "tanh", "tanh_shrink"),
)
REDUCTIONS = ("logsumexp", "max", "mean", "norm", "prod", "std", "sum", "var")


def _are_numbers(values: Values) -> Problem | None:
    got = only(values)
    if isinstance(got, Problem) or np.isfinite(got).all():
        return got if isinstance(got, Problem) else None
    place = tuple(map(int, np.argwhere(~np.isfinite(got))[0]))
    gives = f"gives {got[place]} at {[*place]}"
    return Problem(gives, "no number", got=got, fault="not np.isfinite(values[0][0]).all()")


@BOOK.scenario(
    tuple(f"keras.ops.{name}" for name in (*ELEMENTS, *REDUCTIONS)),
    "the gradient in {dtype}",
    Aspect.GRADIENT,
    editions=KERAS_3,
    dtype=("float16", "bfloat16"),
)
def gradients(K: Recorder, dtype: str) -> None:
    """The gradient of the sum."""
    shape = () if K.tested.rpartition(".")[2] in REDUCTIONS else NUMBERS.shape
    x = K.constant(K.array("x", NUMBERS.astype("float32")), dtype=dtype)
    above = K.constant(K.array("above", np.ones(shape, "float32")), dtype=dtype)
    slopes = K["differentiated"](K.tested, above, [x], x)
    gradient = K["keras.ops.cast"](slopes[0], "float32").output("gradient")
    at = SUMMARY
    K.expect("the gradient", gradient, _are_numbers, "finite numbers", at=at)


FAMILIES = BOOK.families
