"""The properties of a tensor: kind, shape, rank and dtype, and casting."""

from __future__ import annotations

import math
from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.symbolic.arguments import is_own, tensor
from conformance.reference.symbolic.arguments import tensor as checked
from conformance.reference.symbolic.graph import Placeholder, Tensor, Variable, apply
from conformance.reference.symbolic.rules import Shape, dtype_name


@documented("ko-2.2:311 is_tensor(x)")
def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, variable or placeholder of this implementation."""
    return is_own(x)


@documented("ja-2.0:318 is_keras_tensor(x)", "ko-2.2:259 is_keras_tensor(x)")
def is_keras_tensor(x: Any) -> bool:
    """keras-2.0: whether x is a tensor and no variable (ja-2.0:339).

    keras-2.2: whether x is the output of a layer or of Input (ko-2.2:265), to which the layers of
    Keras give a history; ValueError if x is not a tensor (ko-2.2:278).
    """
    if says("ja-2.0:339"):
        return is_own(x) and not isinstance(x, Variable)
    return hasattr(tensor(x, "is_keras_tensor"), "_keras_history")


@documented("ko-2.2:358 is_placeholder(x)")
def is_placeholder(x: Any) -> bool:
    """Whether x is a placeholder."""
    return is_own(x, Placeholder)


@documented("ja-1:260 shape(x)", "ja-2.0:474 shape(x)", "ko-2.2:378 shape(x)")
def shape(x: Tensor) -> Tensor:
    """The run-time shape of x as an int32 tensor of shape (rank of x,)."""
    return apply("shape", tensor(x, "shape"))


@documented("ja-1:272 int_shape(x)", "ja-2.0:515 int_shape(x)", "ko-2.2:418 int_shape(x)")
def int_shape(x: Tensor) -> Shape:
    """The static shape of x: a tuple of integers, None where not known."""
    return _known_shape(tensor(x, "int_shape"))


def _known_shape(x: Tensor) -> Shape:
    """The shape by the layers of Keras, or else by the graph."""
    return getattr(x, "_keras_shape", x.shape)


@documented("ja-1:285 ndim(x)", "ja-2.0:546 ndim(x)", "ko-2.2:451 ndim(x)")
def ndim(x: Tensor) -> int:
    """The number of axes of x."""
    return tensor(x, "ndim").ndim


@documented("ja-1:297 dtype(x)", "ja-2.0:577 dtype(x)", "ko-2.2:484 dtype(x)")
def dtype(x: Tensor) -> str:
    """The name of the dtype of x, such as "float32"."""
    return tensor(x, "dtype").dtype


@documented("ja-1:382 count_params(x)", "ja-2.0:888 count_params(x)", "ko-2.2:820 count_params(x)")
def count_params(x: Tensor) -> int:
    """The number of elements of x: the product of its static dimensions (ko-2.2:832).

    Raises:
        ValueError: a dimension is not known before evaluation.
    """
    known = [d for d in _known_shape(tensor(x, "count_params")) if d is not None]
    if len(known) != x.ndim:
        raise ValueError(
            f"count_params: {x!r} has dimensions that are not known; "
            "give them in the placeholder's shape"
        )
    return math.prod(known)


@documented("ja-1:394 cast(x, dtype)", "ja-2.0:917 cast(x, dtype)", "ko-2.2:851 cast(x, dtype)")
def cast(x: Tensor, dtype: str) -> Tensor:
    """x in another dtype: floats are cut towards 0 for integers, and bool means "not 0".

    Shapes: any x; the result has the shape of x.
    """
    x = tensor(x, "cast")
    return apply("cast", x, dtype=dtype_name(dtype, x.dtype, "cast"))


@documented("ja-2.0:1292 is_sparse(tensor)", "ko-2.2:133 is_sparse(tensor)")
def is_sparse(tensor: Tensor) -> bool:
    """Whether a tensor is of a sparse type.

    Raises:
        ValueError: it is not a tensor.
    """
    return checked(tensor, "is_sparse", "tensor").sparse


@documented("ja-2.0:1322 to_dense(tensor)", "ko-2.2:165 to_dense(tensor)")
def to_dense(tensor: Tensor) -> Tensor:
    """A dense tensor with the same elements, 0 where a sparse one has none; dense ones as they are.

    ValueError if it is not a tensor.

    Shapes: any tensor; the result has its shape and dtype.
    """
    x = checked(tensor, "to_dense", "tensor")
    return apply("to_dense", x) if x.sparse else x
