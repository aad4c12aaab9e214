"""Activations. Shape of x; dtype of x, but integers and bool are computed in floatx.

All are written so that no intermediate value overflows and small results keep their digits.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import axis_of, number, tensor
from conformance.reference.symbolic.graph import Tensor, apply, floating, literal
from conformance.reference.symbolic.rules import FLOATS


def _float(operation: str, x: Any) -> Tensor:
    return apply(operation, floating(tensor(x, operation)))


@documented(
    "ja-1:1253 relu(x, alpha=0.0, max_value=None)",
    "ja-2.0:2698 relu(x, alpha=0.0, max_value=None)",
    "ko-2.2:2738 relu(x, alpha=0.0, max_value=None)",
)
def relu(x: Tensor, alpha: float = 0.0, max_value: float | None = None) -> Tensor:
    """x above 0, alpha * x below, and no more than max_value. Keeps the dtype of integers.

    ValueError if alpha or max_value is not a Python number, or cannot be held in x's dtype.

    Shapes: any x; the result has the shape of x.
    """
    x = tensor(x, "relu")
    slope = _limit(x, alpha, "alpha")
    limit = None if max_value is None else _limit(x, max_value, "max_value")
    return apply("relu", x, alpha=slope, max_value=limit)


def _limit(x: Tensor, value: Any, what: str) -> int | float:
    limit = number(value, "relu", what)
    if x.dtype in FLOATS:
        return limit
    literal(limit, x.dtype, f"relu: {what}")  # refuses what the dtype cannot hold
    return int(limit)


@documented(
    "ja-2.0:2720 elu(x, alpha=1.0)",
    "ko-2.2:2762 elu(x, alpha=1.0)",
)
def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """x above 0, alpha * (exp(x) - 1) below.

    Shapes: any x; the result has the shape of x.

    Raises:
        ValueError: alpha is not a Python number.
    """
    scale = float(number(alpha, "elu", "alpha"))
    return apply("elu", floating(tensor(x, "elu")), alpha=scale)


@documented(
    "ja-1:1270 softmax(x)",
    "ja-2.0:2739 softmax(x)",
    "ko-2.2:2783 softmax(x, axis=-1)",
)
def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """exp(x) over its sum along one axis (before keras-2.2 the last).

    Shapes: any x of rank 1 or more; the result has the shape of x.

    Raises:
        ValueError: x is a scalar.
    """
    x = floating(tensor(x, "softmax"))
    return apply("softmax", x, axis=axis_of(x, axis, "softmax"))


@documented(
    "ja-1:1282 softplus(x)",
    "ja-2.0:2757 softplus(x)",
    "ko-2.2:2805 softplus(x)",
)
def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)).

    Shapes: any x; the result has the shape of x.
    """
    return _float("softplus", x)


@documented(
    "ja-2.0:2775 softsign(x)",
    "ko-2.2:2825 softsign(x)",
)
def softsign(x: Tensor) -> Tensor:
    """x / (1 + |x|).

    Shapes: any x; the result has the shape of x.
    """
    return _float("softsign", x)


@documented(
    "ja-1:1332 sigmoid(x)",
    "ja-2.0:2851 sigmoid(x)",
    "ko-2.2:2936 sigmoid(x)",
)
def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    Shapes: any x; the result has the shape of x.
    """
    return _float("sigmoid", x)


@documented(
    "ja-1:1344 hard_sigmoid(x)",
    "ja-2.0:2869 hard_sigmoid(x)",
    "ko-2.2:2956 hard_sigmoid(x)",
)
def hard_sigmoid(x: Tensor) -> Tensor:
    """0 below -2.5, 1 above 2.5, and 0.2 * x + 0.5 between (ko-2.2:2963).

    Shapes: any x; the result has the shape of x.
    """
    return _float("hard_sigmoid", x)


@documented(
    "ja-1:1357 tanh(x)",
    "ja-2.0:2889 tanh(x)",
    "ko-2.2:2980 tanh(x)",
)
def tanh(x: Tensor) -> Tensor:
    """Hyperbolic tangent.

    Shapes: any x; the result has the shape of x.
    """
    return _float("tanh", x)
