"""Static shape and dtype of the result of every operation.

A rule takes the input tensors and attributes of an operation and returns (shape, dtype). It raises
ValueError where no run-time shapes could make the operation possible. A dimension is None only
where the inputs and attributes leave it open. This module holds the elementwise operations,
reductions and products; the modules in `shapes` add the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = (*FLOATS, *INTEGERS, "bool")


def dtype_name(dtype: Any, default: str, where: str) -> str:
    """A valid dtype name, or the default for None.

    Raises:
        ValueError: the value is anything else.
    """
    if dtype is None:
        return default
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"{where}: dtype is {dtype!r}; write one of {', '.join(DTYPES)}")
    return dtype


Shape = tuple[int | None, ...]
Result = tuple[Shape, str]
Operand = Any
"""A tensor, of which a rule reads `shape`, `dtype` and, for shapes that are data, its inputs."""

RULES: dict[str, Callable[..., Result]] = {}
Rule = TypeVar("Rule", bound=Callable[..., Result])


def rule(*operations: str) -> Callable[[Rule], Rule]:
    """Register a function as the rule of these operations."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(operations, function))
        return function

    return register


def same_dtype(where: str, *tensors: Operand) -> str:
    """The dtype that all tensors have.

    Raises:
        ValueError: two of them differ; the message names the first two.
    """
    first = tensors[0]
    for other in tensors[1:]:
        if other.dtype != first.dtype:
            raise ValueError(
                f"{where}: {first!r} and {other!r} differ in dtype; "
                f"K.cast one of them, as in K.cast(y, {first.dtype!r})"
            )
    return str(first.dtype)


def same_dimension(a: int | None, b: int | None, what: str) -> int | None:
    """The known length of a dimension that two tensors share.

    Raises:
        ValueError: they contradict.
    """
    if a is not None and b is not None and a != b:
        raise ValueError(f"{what}: dimensions {a} and {b} must be equal")
    return b if a is None else a


def broadcast_dimension(a: int | None, b: int | None) -> int | None:
    """Dimension after broadcasting; an unknown one beside n != 1 can only be 1 or n.

    Raises:
        ValueError: both are known, differ, and neither is 1.
    """
    if b in (a, 1):
        return a
    if a == 1:
        return b
    if a is None or b is None:
        return b if a is None else a
    raise ValueError(f"dimensions {a} and {b} do not broadcast")


def broadcast(where: str, x: Shape, y: Shape) -> Shape:
    """Static shape of two tensors broadcast against each other, as NumPy does.

    Raises:
        ValueError: the shapes do not broadcast.
    """
    rank = max(len(x), len(y))
    pairs = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    try:
        return tuple(broadcast_dimension(a, b) for a, b in pairs)
    except ValueError as error:
        raise ValueError(f"{where}: shapes {x} and {y}: {error}") from None


def refuse_bool(where: str, dtype: str) -> None:
    """Refuse bool for an arithmetic operation.

    Raises:
        ValueError: dtype is bool.
    """
    if dtype == "bool":
        raise ValueError(f"{where}: bool has no arithmetic; use K.cast(x, 'int32') or K.floatx()")


def _elementwise(*operations: str, on: str) -> None:
    """Rules of one-tensor operations that keep shape and dtype, on "float", "number" or "any"."""

    def make(operation: str) -> Callable[..., Result]:
        def same(x: Operand, **_: Any) -> Result:
            if on == "number":
                refuse_bool(operation, x.dtype)
            elif on == "float" and x.dtype not in FLOATS:
                raise ValueError(f"{operation}: x is {x.dtype}; use K.cast(x, K.floatx())")
            return x.shape, x.dtype

        return same

    RULES.update({operation: make(operation) for operation in operations})


_elementwise("sqrt", "exp", "log", "sin", "cos", "tanh", "sigmoid", on="float")
_elementwise("hard_sigmoid", "softplus", "softsign", "elu", "softmax", on="float")
_elementwise("square", "abs", "round", "sign", "negative", on="number")
_elementwise("clip", "relu", "cumsum", "cumprod", on="number")
_elementwise("identity", "print_tensor", on="any")


def _two_tensors(*operations: str, result: str | None = None) -> None:
    """Rules of operations on two broadcast tensors of one dtype."""

    def make(operation: str) -> Callable[..., Result]:
        def combined(x: Operand, y: Operand) -> Result:
            dtype = same_dtype(operation, x, y)
            if result is None and operation not in ("maximum", "minimum"):
                refuse_bool(operation, dtype)
            return broadcast(operation, x.shape, y.shape), result or dtype

        return combined

    RULES.update({operation: make(operation) for operation in operations})


_two_tensors("add", "subtract", "multiply", "divide", "pow", "maximum", "minimum")
_two_tensors("floor_divide", "remainder")
_two_tensors("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", result="bool")


@rule("cast")
def cast(x: Operand, dtype: str) -> Result:
    """The same shape in another dtype."""
    return x.shape, dtype


def reduced(shape: Shape, axis: tuple[int, ...], keepdims: bool) -> Shape:
    """Shape without the axes, or with 1 in their place."""
    if keepdims:
        return tuple(1 if i in axis else dimension for i, dimension in enumerate(shape))
    return tuple(dimension for i, dimension in enumerate(shape) if i not in axis)


@rule("max", "min", "sum", "prod", "mean", "var", "std", "logsumexp")
def reduction(x: Operand, axis: tuple[int, ...], keepdims: bool) -> Result:
    """A reduction that keeps the dtype."""
    return reduced(x.shape, axis, keepdims), x.dtype


@rule("any", "all")
def logical_reduction(x: Operand, axis: tuple[int, ...], keepdims: bool) -> Result:
    """0 or 1 in uint8."""
    return reduced(x.shape, axis, keepdims), "uint8"


@rule("argmax", "argmin")
def index_reduction(x: Operand, axis: int) -> Result:
    """Indices in int64, without the axis."""
    return reduced(x.shape, (axis,), keepdims=False), "int64"


@rule("dot")
def dot(x: Operand, y: Operand) -> Result:
    """Last axis of x with the second-to-last of y, or with the only one of y.

    Raises:
        ValueError: one of the two is a scalar.
    """
    dtype = same_dtype("dot", x, y)
    refuse_bool("dot", dtype)
    if not x.shape or not y.shape:
        raise ValueError(f"dot: {x!r} and {y!r} need at least one axis each; use * for scalars")
    summed = len(y.shape) - 2 if len(y.shape) > 1 else 0
    same_dimension(
        x.shape[-1], y.shape[summed], f"dot: last axis of {x!r} and axis {summed} of {y!r}"
    )
    return x.shape[:-1] + reduced(y.shape, (summed,), keepdims=False), dtype


@rule("batch_dot")
def batch_dot(x: Operand, y: Operand, axes: tuple[int, int]) -> Result:
    """x without its summed axis, then y without batch and summed axis; never below rank 2."""
    dtype = same_dtype("batch_dot", x, y)
    refuse_bool("batch_dot", dtype)
    batch = same_dimension(x.shape[0], y.shape[0], f"batch_dot: batch axes of {x!r} and {y!r}")
    same_dimension(
        x.shape[axes[0]],
        y.shape[axes[1]],
        f"batch_dot: axis {axes[0]} of {x!r} and axis {axes[1]} of {y!r}",
    )
    left = reduced(x.shape, (0, axes[0]), keepdims=False)
    right = reduced(y.shape, (0, axes[1]), keepdims=False)
    return (batch, *(left + right or (1,))), dtype
