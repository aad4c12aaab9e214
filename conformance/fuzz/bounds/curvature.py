"""First and second partial derivatives of a single call, where they are known for certain.

Differences of differences leave few digits, and a value does not show how an implementation rounds
in a second derivative. So second derivatives are known only of functions that have a formula here.
Each formula has the sum of the magnitudes of its terms: as in `oracle.gradient_paths`, of the
differences that implementations compute (1 - y^2 for tanh).

* `LINEAR` functions have none; their slopes are their values at the unit tensors.
* `BILINEAR` functions of two tensors: the slopes are the values at a unit tensor and the other
  tensor, the second derivatives those at two unit tensors. These values are sums of one term.
* `ELEMENTWISE` functions: formulas of x (NIST Digital Library of Mathematical Functions, sections
  4.7, 4.20 and 4.34).
* `GROUPED` functions of the elements along some axes: formulas of these.

All is computed in extended precision, with no more than `gradients.EVALUATION` roundings of it.
Nothing is known near a kink or a pole: there x must be further away than `APART` times its reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.oracle.batches import Place
from conformance.oracle.evaluate import ORACLES
from conformance.oracle.expectation import Array

ROWS, COLUMNS = 64, 48
"""The most elements of the result, and of all floating tensors together, that are looked at."""
APART = 64
"""How many times its reach an element must be away from a kink or a pole."""
LINEAR = frozenset(
    {"sum", "mean", "cumsum", "identity", "print_tensor", "transpose", "permute_dimensions"}
    | {"reshape", "flatten", "batch_flatten", "expand_dims", "squeeze", "reverse", "slice"}
    | {"concatenate", "stack", "repeat", "repeat_elements", "tile", "gather", "bias_add"}
    | {"resize_images", "resize_volumes", "temporal_padding", "spatial_2d_padding"}
    | {"spatial_3d_padding", "asymmetric_temporal_padding"}
)
BILINEAR = frozenset(
    {"dot", "batch_dot", "conv1d", "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose"}
    | {"depthwise_conv2d", "local_conv1d", "local_conv2d"}
)
Arguments = Mapping[str, Any]
Formula = tuple[Array, Array, Array, Array]
"""Slope, its magnitude, second derivative, its magnitude."""


@dataclass(frozen=True, slots=True, eq=False)
class Bends:
    """The partial derivatives of a call's result.

    Rows are elements of the result, columns those of all its floating tensors, one tensor after the
    other in the order of `places`. `slopes` has the first derivatives, `seconds` the second ones by
    two columns; `steps` and `terms` have the sums of the magnitudes of the terms in each of them.
    """

    slopes: Array
    steps: Array
    seconds: Array
    terms: Array


def places(wide: Arguments) -> Iterator[tuple[Place, Array]]:
    """The floating tensors among arguments, with their places."""
    for name, value in wide.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            yield (name, None), value
        elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            yield from (((name, i), x) for i, x in enumerate(value) if x.dtype.kind == "f")


def is_bent(function: str) -> bool:
    """Whether second derivatives of the function are known, and may be other than 0."""
    return function in BILINEAR or function in ELEMENTWISE or function in GROUPED


def is_known(function: str) -> bool:
    """Whether second derivatives of the function are known."""
    return function in LINEAR or is_bent(function)


def bends(function: str, wide: Arguments, reaches: Arguments) -> Bends:
    """The derivatives at arguments in extended precision, known within `reaches`.

    Raises:
        ValueError: they are not known.
    """
    size = sum(x.size for _, x in places(wide))
    if size > COLUMNS:
        raise ValueError("so many elements are not looked at")
    if function in LINEAR:
        return _linear(function, wide)
    if function in BILINEAR:
        return _bilinear(function, wide)
    if function in ELEMENTWISE:
        return _elementwise(function, wide, reaches)
    if function in GROUPED:
        return _grouped(function, wide)
    raise ValueError(f"no second derivative is known of {function}")


def _linear(function: str, wide: Arguments) -> Bends:
    columns = [
        _value(function, wide, {place: unit})
        for place, x in places(wide)
        for unit in _units(x.shape)
    ]
    slopes = np.stack(columns, axis=1)
    nothing = np.zeros((*slopes.shape, slopes.shape[1]), np.longdouble)
    return Bends(slopes, np.abs(slopes), nothing, nothing)


def _bilinear(function: str, wide: Arguments) -> Bends:
    (this, x), (other, y) = places(wide)
    first = [_value(function, wide, {this: unit, other: y}) for unit in _units(x.shape)]
    second = [_value(function, wide, {this: x, other: unit}) for unit in _units(y.shape)]
    slopes = np.stack([*first, *second], axis=1)
    seconds = np.zeros((*slopes.shape, slopes.shape[1]), np.longdouble)
    for a, unit in enumerate(_units(x.shape)):
        for b, of_other in enumerate(_units(y.shape), start=x.size):
            both = _value(function, wide, {this: unit, other: of_other})
            seconds[:, a, b] = seconds[:, b, a] = both
    return Bends(slopes, np.abs(slopes), seconds, np.abs(seconds))


def _units(shape: tuple[int, ...]) -> Array:
    """The tensors of the shape with a one and zeros."""
    size = int(np.prod(shape))
    return np.eye(size, dtype=np.longdouble).reshape(size, *shape)


def _value(function: str, wide: Arguments, tensors: Mapping[Place, Array]) -> Array:
    """The elements of the result for these tensors; the other floating ones are zeros."""

    def replaced(name: str, value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            return [tensors.get((name, i), np.zeros_like(x)) for i, x in enumerate(value)]
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return tensors.get((name, None), np.zeros_like(value))
        return value

    result = ORACLES[function](**{name: replaced(name, value) for name, value in wide.items()})
    flat = np.asarray(result, np.longdouble).reshape(-1)
    if flat.size > ROWS:
        raise ValueError("so large a result is not looked at")
    return flat


def _elementwise(function: str, wide: Arguments, reaches: Arguments) -> Bends:
    (((name, _), tensor),) = places(wide)
    if name != "x" or tensor.size > ROWS:
        raise ValueError("this is not looked at")
    x = tensor.reshape(-1)
    if function in AWAY_FROM_ZERO and (np.abs(x) <= APART * reaches["x"].reshape(-1)).any():
        raise ValueError("there is a kink or a pole nearby")
    slope, step, second, term = ELEMENTWISE[function](x, wide)
    rows = np.arange(x.size)
    derivatives = Bends(*(np.zeros((x.size,) * n, np.longdouble) for n in (2, 2, 3, 3)))
    derivatives.slopes[rows, rows], derivatives.steps[rows, rows] = slope, step
    derivatives.seconds[rows, rows, rows], derivatives.terms[rows, rows, rows] = second, term
    return derivatives


def _plain(slope: Array, second: Array) -> Formula:
    """Formulas in which nothing cancels."""
    return slope, np.abs(slope), second, np.abs(second)


def _square(x: Array, _: Arguments) -> Formula:
    return _plain(2 * x, np.full_like(x, 2))


def _exp(x: Array, _: Arguments) -> Formula:
    return _plain(np.exp(x), np.exp(x))


def _log(x: Array, _: Arguments) -> Formula:
    if (x <= 0).any():
        raise ValueError("there is no logarithm")
    return _plain(1 / x, -1 / np.square(x))


def _sqrt(x: Array, _: Arguments) -> Formula:
    if (x <= 0).any():
        raise ValueError("there is no root, or a slope without end")
    root = np.sqrt(x)
    return _plain(1 / (2 * root), -1 / (4 * x * root))


def _sin(x: Array, _: Arguments) -> Formula:
    return _plain(np.cos(x), -np.sin(x))


def _cos(x: Array, _: Arguments) -> Formula:
    return _plain(-np.sin(x), -np.cos(x))


def _pow(x: Array, arguments: Arguments) -> Formula:
    power = arguments["a"]
    if isinstance(power, np.ndarray) or not float(power).is_integer():
        raise ValueError("only whole powers have a formula")
    a = int(power)
    slope = np.longdouble(a) * x ** np.longdouble(a - 1)
    second = np.longdouble(a * (a - 1)) * x ** np.longdouble(a - 2)
    return _plain(slope, second)


def _tanh(x: Array, _: Arguments) -> Formula:
    """1 - y^2, and -2 y (1 - y^2).

    Or 4 s q, and 8 s q (q - s), with the sigmoids s and q of 2 x and of -2 x, whose sum is 1.
    """
    y, slope = np.tanh(x), 1 / np.square(np.cosh(x))
    step = 1 + np.square(y)
    return slope, step, -2 * y * slope, np.maximum(2 * np.abs(y) * step, 2 * slope)


def _sigmoid(x: Array, _: Arguments) -> Formula:
    """y - y^2, and that times 1 - 2 y.

    Or (1 - t^2) / 4, and -t (1 - t^2) / 4, with t = tanh(x / 2).
    """
    y, other, t = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x)), np.tanh(x / 2)
    of_tanh = (1 + np.square(t)) / 4
    step = np.maximum(y + np.square(y), of_tanh)
    term = np.maximum((y + np.square(y)) * (1 + 2 * y), np.abs(t) * of_tanh)
    return y * other, step, -t * y * other, term


def _softplus(x: Array, _: Arguments) -> Formula:
    """1 - exp(-z), and exp(-z) times that; or the sigmoid y, and y - y^2."""
    y, other = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    return y, 1 + other, y * other, np.maximum(y + np.square(y), other * (1 + other))


def _abs(x: Array, _: Arguments) -> Formula:
    return _plain(np.sign(x), np.zeros_like(x))


def _relu(x: Array, arguments: Arguments) -> Formula:
    if any(value for name, value in arguments.items() if name != "x"):
        raise ValueError("only the plain function has a formula")
    return _plain(np.where(x > 0, np.ones_like(x), 0), np.zeros_like(x))


ELEMENTWISE: Mapping[str, Callable[[Array, Arguments], Formula]] = {
    "square": _square,
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "pow": _pow,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "abs": _abs,
    "relu": _relu,
}
AWAY_FROM_ZERO = frozenset({"log", "sqrt", "pow", "abs", "relu"})
"""Functions of x with a kink or a pole at zero."""


def _grouped(function: str, wide: Arguments) -> Bends:
    x = wide["x"].reshape(-1)
    if x.size > ROWS:
        raise ValueError("so large a tensor is not looked at")
    return GROUPED[function](x, _groups(function, wide))


def _groups(function: str, wide: Arguments) -> Array:
    """Rows: which elements each result is made of, as ones and zeros."""
    arguments = {name: wide[name] for name in ("x", "axis", "keepdims") if name in wide}
    if function == "softmax":
        arguments["keepdims"] = True
    units = _units(wide["x"].shape)
    columns = [np.asarray(ORACLES["sum"](**{**arguments, "x": unit})).reshape(-1) for unit in units]
    sums = np.stack(columns, axis=1)
    return sums.T @ sums if function == "softmax" else sums


def _pairs(groups: Array) -> Array:
    """For each result, the pairs of elements that it is made of."""
    return groups[:, :, None] * groups[:, None, :]


def _softmax(x: Array, groups: Array) -> Bends:
    """s_j (I_ja - s_a), and s_j ((I_ja - s_a) (I_jb - s_b) - s_a (I_ab - s_b))."""
    top = np.where(groups > 0, x, -np.inf).max(axis=1)
    s = np.exp(x - top) / (groups * np.exp(x - top[:, None])).sum(axis=1)
    same, pairs = np.eye(x.size, dtype=np.longdouble), _pairs(groups)
    parts = []
    for sign in (-1, 1):
        deviations = same + sign * s
        both = (
            deviations[:, :, None] * deviations[:, None, :] + sign * (s[:, None] * deviations)[None]
        )
        parts += [groups * s[:, None] * deviations, pairs * s[:, None, None] * both]
    slopes, seconds, steps, terms = parts
    return Bends(slopes, steps, seconds, terms)


def _logsumexp(x: Array, groups: Array) -> Bends:
    """s_a, and s_a (I_ab - s_b)."""
    top = np.where(groups > 0, x, -np.inf).max(axis=1, keepdims=True)
    sizes = groups * np.exp(np.where(groups > 0, x - top, 0))
    s = sizes / sizes.sum(axis=1, keepdims=True)
    same = np.eye(x.size, dtype=np.longdouble)
    seconds, terms = (s[:, :, None] * (same + sign * s[:, None, :]) for sign in (-1, 1))
    return Bends(s, s, seconds, terms)


def _var(x: Array, groups: Array) -> Bends:
    """2 (x_a - m) / n, and 2 (I_ab - 1 / n) / n."""
    count = groups.sum(axis=1, keepdims=True)
    middle = (groups @ x)[:, None] / count
    slopes, steps = (
        2 * groups * (x - middle) / count,
        2 * groups * (np.abs(x) + abs(middle)) / count,
    )
    same, pairs = np.eye(x.size, dtype=np.longdouble), _pairs(groups)
    each = count[:, :, None]
    seconds, terms = (2 * pairs * (same + sign / each) / each for sign in (-1, 1))
    return Bends(slopes, steps, seconds, terms)


GROUPED: Mapping[str, Callable[[Array, Array], Bends]] = {
    "softmax": _softmax,
    "logsumexp": _logsumexp,
    "var": _var,
}
