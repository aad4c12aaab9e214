"""Functions of each element. The result has the shape of x, or of x and y broadcast.

The dtype is that of x; sqrt, exp, log, sin and cos of integers and bool are computed in floatx.
Two tensors must have one dtype, else ValueError; a Python number takes the dtype of the tensor.

Comparisons give bool tensors of the shape of x and y broadcast. A comparison with NaN is False,
except `not_equal`, which is True.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import combined, number, tensor
from conformance.reference.symbolic.graph import Tensor, apply, floating, literal, power


def _float(operation: str, x: Any) -> Tensor:
    return apply(operation, floating(tensor(x, operation)))


@documented(
    "ja-1:619 square(x)",
    "ja-2.0:2192 square(x)",
    "ko-2.2:1463 square(x)",
)
def square(x: Tensor) -> Tensor:
    """x times x.

    Shapes: any x; the result has the shape and dtype of x.
    """
    return apply("square", tensor(x, "square"))


@documented(
    "ja-1:631 abs(x)",
    "ja-2.0:2210 abs(x)",
    "ko-2.2:1483 abs(x)",
)
def abs(x: Tensor) -> Tensor:
    """Absolute value.

    Shapes: any x; the result has the shape and dtype of x.
    """
    return apply("abs", tensor(x, "abs"))


@documented(
    "ja-1:643 sqrt(x)",
    "ja-2.0:2228 sqrt(x)",
    "ko-2.2:1503 sqrt(x)",
)
def sqrt(x: Tensor) -> Tensor:
    """Square root; NaN below 0.

    Shapes: any x; the result has the shape of x.
    """
    return _float("sqrt", x)


@documented(
    "ja-1:655 exp(x)",
    "ja-2.0:2246 exp(x)",
    "ko-2.2:1523 exp(x)",
)
def exp(x: Tensor) -> Tensor:
    """e to the power of x.

    Shapes: any x; the result has the shape of x.
    """
    return _float("exp", x)


@documented(
    "ja-1:667 log(x)",
    "ja-2.0:2264 log(x)",
    "ko-2.2:1543 log(x)",
)
def log(x: Tensor) -> Tensor:
    """Natural logarithm; -inf at 0, NaN below.

    Shapes: any x; the result has the shape of x.
    """
    return _float("log", x)


@documented(
    "ja-1:679 round(x)",
    "ja-2.0:2304 round(x)",
    "ko-2.2:1592 round(x)",
)
def round(x: Tensor) -> Tensor:
    """Nearest integer, and the even one of two equally near (ko-2.2:1598).

    Shapes: any x; the result has the shape and dtype of x.
    """
    x = tensor(x, "round")
    return apply("round" if x.dtype.startswith("float") else "identity", x)


@documented(
    "ja-1:691 sign(x)",
    "ja-2.0:2322 sign(x)",
    "ko-2.2:1614 sign(x)",
)
def sign(x: Tensor) -> Tensor:
    """-1, 0 or +1.

    Shapes: any x; the result has the shape and dtype of x.
    """
    return apply("sign", tensor(x, "sign"))


@documented(
    "ja-1:703 pow(x, a)",
    "ja-2.0:2340 pow(x, a)",
    "ko-2.2:1634 pow(x, a)",
)
def pow(x: Tensor, a: float) -> Tensor:
    """x to the power of a, a Python number (ko-2.2:1643 an integer) or a tensor of x's dtype.

    ValueError for a negative power of integers, or a fraction as their power.

    Shapes: x and a broadcast; the result has their common shape and the dtype of x.
    """
    return power(tensor(x, "pow"), a)


@documented(
    "ja-1:715 clip(x, min_value, max_value)",
    "ja-2.0:2359 clip(x, min_value, max_value)",
    "ko-2.2:1655 clip(x, min_value, max_value)",
)
def clip(x: Tensor, min_value: float, max_value: float) -> Tensor:
    """x, but at least min_value, then at most max_value; both are Python numbers.

    So the result is max_value everywhere if min_value is greater. ValueError if a limit is not a
    number, or cannot be held in x's dtype.

    Shapes: any x; the result has the shape and dtype of x.
    """
    x = tensor(x, "clip")
    low, high = number(min_value, "clip", "min_value"), number(max_value, "clip", "max_value")
    limits = [literal(limit, x.dtype, "clip").attributes["value"] for limit in (low, high)]
    return apply("clip", x, min_value=limits[0], max_value=limits[1])


@documented(
    "ja-1:796 maximum(x, y)",
    "ja-2.0:2494 maximum(x, y)",
    "ko-2.2:1803 maximum(x, y)",
)
def maximum(x: Tensor, y: Tensor) -> Tensor:
    """The larger of two; NaN if one is.

    Shapes: x and y broadcast; the result has their common shape and dtype.
    """
    return combined("maximum", x, y)


@documented(
    "ja-1:808 minimum(x, y)",
    "ja-2.0:2513 minimum(x, y)",
    "ko-2.2:1824 minimum(x, y)",
)
def minimum(x: Tensor, y: Tensor) -> Tensor:
    """The smaller of two; NaN if one is.

    Shapes: x and y broadcast; the result has their common shape and dtype.
    """
    return combined("minimum", x, y)


@documented(
    "ja-1:820 sin(x)",
    "ja-2.0:1387 sin(x)",
    "ko-2.2:1845 sin(x)",
)
def sin(x: Tensor) -> Tensor:
    """Sine of an angle in radians.

    Shapes: any x; the result has the shape of x.
    """
    return _float("sin", x)


@documented(
    "ja-1:832 cos(x)",
    "ja-2.0:1405 cos(x)",
    "ko-2.2:1865 cos(x)",
)
def cos(x: Tensor) -> Tensor:
    """Cosine of an angle in radians.

    Shapes: any x; the result has the shape of x.
    """
    return _float("cos", x)


@documented(
    "ja-1:727 equal(x, y)",
    "ja-2.0:2379 equal(x, y)",
    "ko-2.2:1677 equal(x, y)",
)
def equal(x: Tensor, y: Tensor) -> Tensor:
    """x == y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("equal", x, y)


@documented(
    "ja-1:740 not_equal(x, y)",
    "ja-2.0:2398 not_equal(x, y)",
    "ko-2.2:1698 not_equal(x, y)",
)
def not_equal(x: Tensor, y: Tensor) -> Tensor:
    """x != y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("not_equal", x, y)


@documented(
    "ja-1:752 greater(x, y)",
    "ja-2.0:2418 greater(x, y)",
    "ko-2.2:1719 greater(x, y)",
)
def greater(x: Tensor, y: Tensor) -> Tensor:
    """x > y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("greater", x, y)


@documented(
    "ja-1:763 greater_equal(x, y)",
    "ja-2.0:2437 greater_equal(x, y)",
    "ko-2.2:1740 greater_equal(x, y)",
)
def greater_equal(x: Tensor, y: Tensor) -> Tensor:
    """x >= y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("greater_equal", x, y)


@documented(
    "ja-1:773 lesser(x, y)",
    "ja-2.0:2456 less(x, y)",
    "ko-2.2:1761 less(x, y)",
)
def less(x: Tensor, y: Tensor) -> Tensor:
    """x < y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("less", x, y)


@documented(
    "ja-1:784 lesser_equal(x, y)",
    "ja-2.0:2475 less_equal(x, y)",
    "ko-2.2:1782 less_equal(x, y)",
)
def less_equal(x: Tensor, y: Tensor) -> Tensor:
    """x <= y, as bool.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return combined("less_equal", x, y)
