"""Sparse tensors: whether a tensor is one, and the dense tensor with its elements."""

from __future__ import annotations

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import tensor as checked
from conformance.reference.symbolic.graph import Tensor, apply


@documented("ja-2.0:1292 is_sparse(tensor)", "ko-2.2:133 is_sparse(tensor)")
def is_sparse(tensor: Tensor) -> bool:
    """Whether a tensor is of a sparse type. ValueError if it is not a tensor."""
    return checked(tensor, "is_sparse", "tensor").sparse


@documented("ja-2.0:1322 to_dense(tensor)", "ko-2.2:165 to_dense(tensor)")
def to_dense(tensor: Tensor) -> Tensor:
    """A dense tensor with the same elements, 0 where a sparse one has none; dense ones as they are.

    ValueError if it is not a tensor.
    """
    x = checked(tensor, "to_dense", "tensor")
    return apply("to_dense", x) if x.sparse else x
