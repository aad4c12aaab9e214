"""What a tensor is: kind, shape, rank and dtype, and casting."""

from __future__ import annotations

from typing import Any

from conformance.reference.arguments import tensor
from conformance.reference.dtypes import dtype_name
from conformance.reference.edition import documented
from conformance.reference.graph import Placeholder, Tensor, apply
from conformance.reference.rules import Shape


@documented("ja-2.0:1292 is_sparse(tensor)", "ko-2.2:133 is_sparse(tensor)")
def is_sparse(tensor: Tensor) -> bool:
    """False: sparse placeholders are refused, so every tensor is dense. ValueError if no tensor."""
    if not isinstance(tensor, Tensor):
        raise ValueError(f"is_sparse: {tensor!r} is not a tensor")
    return False


@documented("ko-2.2:311 is_tensor(x)")
def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, variable or placeholder of this implementation."""
    return isinstance(x, Tensor)


@documented("ko-2.2:358 is_placeholder(x)")
def is_placeholder(x: Any) -> bool:
    """Whether x is a placeholder."""
    return isinstance(x, Placeholder)


@documented("ja-1:260 shape(x)", "ja-2.0:474 shape(x)", "ko-2.2:378 shape(x)")
def shape(x: Tensor) -> Tensor:
    """The run-time shape of x as an int32 tensor of shape (rank of x,)."""
    return apply("shape", tensor(x, "shape"))


@documented("ja-1:272 int_shape(x)", "ja-2.0:515 int_shape(x)", "ko-2.2:418 int_shape(x)")
def int_shape(x: Tensor) -> Shape:
    """The static shape of x: a tuple of integers, None where not known."""
    return tensor(x, "int_shape")._keras_shape


@documented("ja-1:285 ndim(x)", "ja-2.0:546 ndim(x)", "ko-2.2:451 ndim(x)")
def ndim(x: Tensor) -> int:
    """The number of axes of x."""
    return tensor(x, "ndim").ndim


@documented("ja-1:297 dtype(x)", "ja-2.0:577 dtype(x)", "ko-2.2:484 dtype(x)")
def dtype(x: Tensor) -> str:
    """The name of the dtype of x, such as "float32"."""
    return tensor(x, "dtype").dtype


@documented("ja-1:394 cast(x, dtype)", "ja-2.0:917 cast(x, dtype)", "ko-2.2:851 cast(x, dtype)")
def cast(x: Tensor, dtype: str) -> Tensor:
    """x in another dtype: floats are cut towards 0 for integers, and bool means "not 0"."""
    x = tensor(x, "cast")
    return apply("cast", x, dtype=dtype_name(dtype, x.dtype, "cast"))
