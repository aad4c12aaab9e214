"""How far the value of a function may move when its tensors move within their reach.

Every rule here is a proof for its functions:

* `monotone`: a function that rises (or falls) in each element of each tensor takes its least and
  its greatest value at two opposite corners of the box.
* `slope(L)`: one whose elements move no more than L times the element of x that they are made of.
* `multilinear`: sums of products of elements of its tensors with coefficients 0 and 1, or
  non-negative ones. There |f(x + d) - f(x)| is at most f(|x| + |d|) - f(|x|): every term of the
  difference is a product of |x| and |d| with the same coefficient.
* `powers`, `softmax`, `deviation`, `variance`, `scaled_to_one`, `normalised` and others: as
  their own functions say.
* `certain`, `index_of_extreme`, `truths`: where a function jumps, its value is certain or unknown.

A function without a rule here is one for which no proof is at hand: nothing is known of its value
unless its arguments are known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle.axes import axes_of

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A function and its wide arguments, each of whose tensors is known within a reach.

    `reach` has an array for every floating tensor among the arguments, or a list of them. For
    tensors of integers and truth values the array is 0 or infinite. `value` is the wide value for
    the arguments themselves.
    """

    oracle: Callable[..., Array]
    arguments: Mapping[str, Any]
    reach: Mapping[str, Any]
    value: Array

    def tensor(self, name: str) -> tuple[Array, Array]:
        """A tensor and its reach; a number in its place does not move."""
        if name in self.reach:
            return self.arguments[name], self.reach[name]
        number = np.asarray(self.arguments[name])
        return number, np.zeros(number.shape)

    def at(self, change: Callable[[str, Array, Array], Array]) -> Array:
        """The value after `change(name, x, reach)` was done to every floating tensor."""

        def moved(name: str, value: Any, reach: Any) -> Any:
            if isinstance(value, list):
                return [moved(name, v, r) for v, r in zip(value, reach, strict=True)]
            return change(name, value, reach) if value.dtype.kind == "f" else value

        arguments = {
            name: moved(name, value, self.reach[name]) if name in self.reach else value
            for name, value in self.arguments.items()
        }
        return np.asarray(self.oracle(**arguments))

    def known(self, *names: str) -> bool:
        """Whether these tensors are known exactly, where they are passed."""
        return not any(np.any(self.reach[name]) for name in names if name in self.reach)


def distance(a: Array, b: Array) -> Array:
    """|a - b| as floating numbers: 0 where both are the same, infinite where either is not a
    number."""
    if a.dtype.kind == "b":
        return np.where(a == b, 0.0, np.inf)
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(a, b, dtype=np.longdouble))
    apart = np.where(a == b, 0, apart)
    return np.where(np.isnan(apart), np.inf, apart)


Rule = Callable[[Box], Array]


def unknown(box: Box) -> Array:
    """Nothing is known."""
    return np.full(box.value.shape, np.inf)


def unmoved(box: Box) -> Array:
    """The value does not depend on the elements."""
    return np.zeros(box.value.shape)


def monotone(*, falling: Collection[str] = ()) -> Rule:
    """The rule of a function that rises in all its tensors except the named ones."""

    def rule(box: Box) -> Array:
        def up(name: str, x: Array, reach: Array) -> Array:
            return x - reach if name in falling else x + reach

        def down(name: str, x: Array, reach: Array) -> Array:
            return x + reach if name in falling else x - reach

        ends = box.at(up), box.at(down)
        return np.maximum(*(distance(end, box.value) for end in ends))

    return rule


def multilinear(box: Box) -> Array:
    """f(|x| + r) - f(|x|)."""
    arguments = {n: _sizes(v) if n in box.reach else v for n, v in box.arguments.items()}
    sizes = replace(box, arguments=arguments)
    return distance(sizes.at(lambda _, x, r: x + r), np.asarray(box.oracle(**arguments)))


def _sizes(value: Any) -> Any:
    """The magnitudes of a tensor, which may be one of integers, or of each of a list."""
    if isinstance(value, list):
        return [_sizes(part) for part in value]
    return value if value.dtype.kind == "b" else np.abs(value)


def slope(of: Callable[[Mapping[str, Any]], float] = lambda _: 1.0) -> Rule:
    """The rule of an elementwise function of x whose slope is at most `of(arguments)`."""

    def rule(box: Box) -> Array:
        return np.asarray(of(box.arguments) * box.reach["x"])

    return rule


def _below_zero(arguments: Mapping[str, Any]) -> float:
    return max(1.0, abs(float(arguments.get("alpha") or 0.0)))


def powers(box: Box) -> Array:
    """A whole power a: (|x| + r)^a - |x|^a. Others of positive x only, where they are monotone."""
    (x, reach), power = box.tensor("x"), box.arguments["a"]
    if power >= 0 and float(power).is_integer():
        size = np.abs(x)
        return np.asarray((size + reach) ** int(power) - size ** int(power))
    falls = ("x",) if power < 0 else ()
    return np.where(x - reach > 0, monotone(falling=falls)(box), np.where(reach > 0, np.inf, 0))


def square(box: Box) -> Array:
    """2 |x| r + r^2."""
    x, reach = box.tensor("x")
    return np.asarray((2 * np.abs(x) + reach) * reach)


def softmax(box: Box) -> Array:
    """s_i (exp(r_i + R) - 1), with R the largest r on the axis: numerator and denominator are off
    by factors between exp(-r_i) and exp(r_i), and between exp(-R) and exp(R)."""
    reach, axis = box.reach["x"], box.arguments.get("axis", -1)
    return np.asarray(box.value * np.expm1(reach + reach.max(axis=axis, keepdims=True)))


def _reduced(array: Array, box: Box) -> Array:
    """The mean over the reduced axes."""
    axis, keepdims = box.arguments.get("axis"), bool(box.arguments.get("keepdims"))
    where = axes_of(axis)
    return np.asarray(array.mean(axis=where, keepdims=keepdims))


def deviation(box: Box) -> Array:
    """The root of the mean of r^2: a standard deviation is a seminorm, at most that norm."""
    return np.sqrt(_reduced(np.square(box.reach["x"]), box))


def variance(box: Box) -> Array:
    """2 s q + q^2, with the deviation s and its own reach q."""
    off = deviation(box)
    return np.asarray((2 * np.sqrt(box.value) + off) * off)


def scaled_to_one(box: Box) -> Array:
    """(r_i + |y_i| R) / (n - R), with the norm n and R that of r; nothing where R reaches n."""
    (x, reach), axis = box.tensor("x"), box.arguments.get("axis")
    where = axes_of(axis)
    size, off = (np.sqrt(np.square(part).sum(axis=where, keepdims=True)) for part in (x, reach))
    left = np.where(off < size / 2, size - off, np.nan)
    return _or_unknown((reach + np.abs(box.value) * off) / left, bool(reach.any()))


def _or_unknown(reach: Array, matters: bool) -> Array:
    return np.where(np.isnan(reach), np.inf if matters else 0, reach)


def batch_normalised(box: Box) -> Array:
    """The rule for products and sums of `_affine`, with the root of var + epsilon."""
    tensors = {n: _beside(box, n) for n in ("x", "mean", "var", "beta", "gamma")}
    (x, x_off), (mean, mean_off), (var, var_off) = tensors["x"], tensors["mean"], tensors["var"]
    return _affine(box, (x - mean, x_off + mean_off), tensors, var - var_off)


def _beside(box: Box, name: str) -> tuple[Array, Array]:
    """A tensor and its reach in a shape that broadcasts with x."""
    tensor, x, axis = box.tensor(name), box.arguments["x"], box.arguments.get("axis", -1)
    if tensor[0].ndim != 1 or x.ndim == 1:
        return tensor
    shape = [1] * x.ndim
    shape[axis] = tensor[0].shape[0]
    return tensor[0].reshape(shape), tensor[1].reshape(shape)


def _affine(
    box: Box, centred: tuple[Array, Array], tensors: Mapping[str, Any], least: Array
) -> Array:
    """gamma c / sqrt(var + epsilon) + beta, where var is not below `least`.

    A product c g i has factors that are off by C, G and I at most. It moves by no more than
    (|c| + C) (|g| + G) (i + I) - |c g| i.

    The root's reciprocal i moves up by the effect of the least variance, and down by that of the
    greatest, which is more where `least` is not as far away.
    """
    (var, var_off), (gamma, gamma_off) = tensors["var"], tensors["gamma"]
    inverse, top, bottom = (_reciprocal(box, v) for v in (var, least, var + np.asarray(var_off)))
    apart = np.maximum(top - inverse, inverse - bottom)
    size, factor = np.abs(centred[0]), np.abs(gamma)
    largest = (size + centred[1]) * (factor + gamma_off) * (inverse + apart)
    return _or_unknown(largest - size * factor * inverse + tensors["beta"][1], matters=True)


def _reciprocal(box: Box, var: Array) -> Array:
    """1 / sqrt(var + epsilon); infinite where there is no root, or none but zero."""
    shifted = var + box.arguments.get("epsilon", 0)
    return np.asarray(1 / np.sqrt(np.maximum(shifted, 0)))


def normalised(box: Box) -> Array:
    """As `batch_normalised`, with the mean and the variance of x itself, which is not below 0."""
    (x, reach), axes = box.tensor("x"), tuple(box.arguments["reduction_axes"])
    mean_off = reach.mean(axis=axes, keepdims=True)
    spread_off = np.sqrt(np.square(reach).mean(axis=axes, keepdims=True))
    var = x.var(axis=axes, keepdims=True)
    var_off = (2 * np.sqrt(var) + spread_off) * spread_off
    tensors = {name: _with_axes(box, name, axes) for name in ("gamma", "beta")} | {
        "var": (var, var_off)
    }
    centred = x - x.mean(axis=axes, keepdims=True), reach + mean_off
    return _affine(box, centred, tensors, np.maximum(var - var_off, 0))


def _with_axes(box: Box, name: str, axes: tuple[int, ...]) -> tuple[Array, Array]:
    x, reduced = box.arguments["x"], {a % box.arguments["x"].ndim for a in axes}
    shape = [1 if i in reduced else d for i, d in enumerate(x.shape)]
    value, off = box.tensor(name)
    return value.reshape(shape), off.reshape(shape)


def mean_of_batch(box: Box) -> Array:
    """The mean of r."""
    axes = tuple(box.arguments["reduction_axes"])
    return np.asarray(box.reach["x"].mean(axis=axes).reshape(-1))


def binary_crossentropy(box: Box) -> Array:
    """|t' - t| times the largest difference of logarithms, and |o' - o| times the steepest slope.

    That slope is (|t| + 1) / (p (1 - p)) for probabilities, and |t| + 1 for logits.
    """
    (target, its), (output, off) = box.tensor("target"), box.tensor("output")
    weight = np.abs(target) + its + 1
    if box.arguments.get("from_logits"):
        return np.asarray(its * (np.abs(output) + off) + weight * off)
    low, high = output - off, output + off
    inside = (low > 0) & (high < 1)
    low, high = np.where(inside, low, 0.5), np.where(inside, high, 0.5)
    logs = np.maximum(np.abs(np.log(low)), np.abs(np.log1p(-high)))
    least = np.minimum(low * (1 - low), high * (1 - high))
    reach = its * 2 * logs + weight * off / least
    return np.where(inside | (its + off == 0), reach, np.inf)


def crossentropy_of_logits(box: Box) -> Array:
    """The sum of |t'| 2 R + |t' - t| |log p|: log p moves by r_i and by R, the largest r."""
    if not box.arguments.get("from_logits"):
        return unknown(box)
    axis = box.arguments.get("axis", -1)
    (target, its), (output, off) = box.tensor("target"), box.tensor("output")
    top = output.max(axis=axis, keepdims=True)
    logs = output - top - np.log(np.exp(output - top).sum(axis=axis, keepdims=True))
    largest = 2 * off.max(axis=axis, keepdims=True)
    moved = (np.abs(target) + its) * largest + its * np.abs(logs)
    return np.asarray(moved.sum(axis=axis))


def crossentropy_of_classes(box: Box) -> Array:
    """2 R: the logarithm of a probability moves by the r of its class and by R, the largest r."""
    if not box.arguments.get("from_logits"):
        return unknown(box)
    return np.asarray(2 * box.reach["output"].max(axis=box.arguments.get("axis", -1)))


def among_the_first(box: Box) -> Array:
    """Certain where fewer than k others may reach the score of the class, or k are above it."""
    scores, reach = box.tensor("predictions")
    places = np.asarray(box.arguments["targets"]).astype(np.int64)[:, None]
    own, off = (np.take_along_axis(a, places, 1) for a in (scores, reach))
    itself = np.arange(scores.shape[1]) == places
    reached = ((scores + reach >= own - off) & ~itself).sum(axis=1)
    above = ((scores - reach > own + off) & ~itself).sum(axis=1)
    count = box.arguments["k"]
    exact = ~(reach.any(axis=1))
    return np.where((reached < count) | (above >= count) | exact, 0.0, np.inf)


def certain(rule: Rule) -> Rule:
    """The rule of a function that jumps: its value where `rule` says that it does not move, else
    none."""

    def certain_reach(box: Box) -> Array:
        return np.where(rule(box) > 0, np.inf, 0.0)

    return certain_reach


def equality(box: Box) -> Array:
    """Two numbers that are apart by more than both reach are not equal."""
    (x, x_off), (y, y_off) = box.tensor("x"), box.tensor("y")
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(x, y, dtype=np.longdouble)) > x_off + y_off
    return np.where(apart | (x_off + y_off == 0), 0.0, np.inf)


def index_of_extreme(sign: int) -> Rule:
    """Certain where the extreme element stays beyond all others."""

    def rule(box: Box) -> Array:
        (x, reach), axis = box.tensor("x"), box.arguments.get("axis", -1)
        if axis is None:
            x, reach, axis = x.reshape(-1), reach.reshape(-1), 0
        chosen = np.reshape(
            box.value, [1 if n == axis % x.ndim else d for n, d in enumerate(x.shape)]
        )
        high = sign * x + reach
        own = np.take_along_axis(sign * x - reach, chosen, axis)
        others = high.copy()
        np.put_along_axis(others, chosen, -np.inf, axis)
        beyond = own > others.max(axis=axis, keepdims=True)
        return np.where(beyond, 0.0, np.inf).reshape(box.value.shape)

    return rule


def truths(box: Box) -> Array:
    """Certain where every element is 0 or not 0 for certain."""
    x, reach = box.tensor("x")
    sure = (np.abs(x) > reach) | (reach == 0)
    return unmoved(box) if sure.all() else unknown(box)


def gathered(box: Box) -> Array:
    """That of the elements that are taken, where the indices are known."""
    return monotone()(box) if box.known("indices") else unknown(box)


def converted(box: Box) -> Array:
    """A number to a floating dtype moves as far as it does; to an integer it jumps."""
    (x, reach), dtype = box.tensor("x"), str(box.arguments["dtype"])
    if dtype.startswith("float"):
        return np.asarray(reach + np.zeros(box.value.shape))
    ends = (np.asarray(box.oracle(**{**box.arguments, "x": x + s * reach})) for s in (1, -1))
    same = np.logical_and(*(end == box.value for end in ends))
    return np.where(same & ~((x != 0) & (np.abs(x) <= reach)), 0.0, np.inf)


_RISING = (
    *("max", "min", "maximum", "minimum", "clip", "sum", "mean", "cumsum", "logsumexp"),
    *("exp", "log", "sqrt", "sigmoid", "hard_sigmoid", "tanh", "softplus", "softsign"),
    *("identity", "print_tensor", "transpose", "permute_dimensions", "reshape", "flatten"),
    *("batch_flatten", "expand_dims", "squeeze", "reverse", "slice", "concatenate", "stack"),
    *("repeat", "repeat_elements", "tile", "resize_images", "resize_volumes", "bias_add"),
    *("temporal_padding", "asymmetric_temporal_padding", "spatial_2d_padding"),
    *("spatial_3d_padding", "pool2d", "pool3d"),
)
_PRODUCTS = (
    *("dot", "batch_dot", "prod", "cumprod", "conv1d", "conv2d", "conv3d", "conv2d_transpose"),
    *("conv3d_transpose", "separable_conv1d", "separable_conv2d", "depthwise_conv2d"),
    *("local_conv1d", "local_conv2d"),
)
_TRAINING = "normalize_batch_in_training"

RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_RISING, monotone()),
    **dict.fromkeys(_PRODUCTS, multilinear),
    **dict.fromkeys(("abs", "sin", "cos"), slope()),
    **dict.fromkeys(("relu", "elu"), slope(_below_zero)),
    **dict.fromkeys(("zeros_like", "ones_like", "shape"), unmoved),
    **dict.fromkeys(("greater", "greater_equal"), monotone(falling=("y",))),
    **dict.fromkeys(("less", "less_equal"), monotone(falling=("x",))),
    **dict.fromkeys(("equal", "not_equal"), equality),
    **dict.fromkeys(("round", "sign"), certain(monotone())),
    **dict.fromkeys(("any", "all"), truths),
    "argmax": index_of_extreme(1),
    "argmin": index_of_extreme(-1),
    "gather": gathered,
    "cast": converted,
    "square": square,
    "pow": powers,
    "softmax": softmax,
    "std": deviation,
    "var": variance,
    "l2_normalize": scaled_to_one,
    "batch_normalization": batch_normalised,
    f"{_TRAINING}.normalised tensor": normalised,
    f"{_TRAINING}.mean": mean_of_batch,
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": crossentropy_of_logits,
    "sparse_categorical_crossentropy": crossentropy_of_classes,
    "in_top_k": among_the_first,
}
"""The rule of each function, by the name under which the oracle knows it."""
