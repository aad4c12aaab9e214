"""Sparse tensors: by their type, not by their elements (zh-TW:267).

A sparse tensor is a node of the graph like others, but only `to_dense` computes with it. It comes
from a sparse placeholder or from `ctc_label_dense_to_sparse`.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.arguments import tensor as checked
from conformance.reference.edition import documented
from conformance.reference.graph import Placeholder, Tensor, apply
from conformance.reference.rules import RULES, Operand, Result, rule


class SparseTensor(Tensor):
    """The result of an operation that gives coordinates and values."""

    sparse = True


class SparsePlaceholder(Placeholder):
    """A sparse tensor whose value comes with each call of a function.

    Fed with a triple (indices of shape (n, rank), n values, shape), with a SciPy matrix (anything
    that has `tocoo`), or with an array.
    """

    sparse = True


def apply_sparse(operation: str, *inputs: Tensor, **attributes: Any) -> SparseTensor:
    """A node whose value is sparse; ValueError where the rule of the operation refuses."""
    shape, dtype = RULES[operation](*inputs, **attributes)
    return SparseTensor(operation, inputs, attributes, shape, dtype)


@rule("to_dense")
def _to_dense(x: Operand) -> Result:
    return x.shape, x.dtype


@documented("ja-2.0:1292 is_sparse(tensor)", "ko-2.2:133 is_sparse(tensor)")
def is_sparse(tensor: Tensor) -> bool:
    """Whether a tensor is of a sparse type. ValueError if it is no tensor."""
    return checked(tensor, "is_sparse", "tensor").sparse


@documented("ja-2.0:1322 to_dense(tensor)", "ko-2.2:165 to_dense(tensor)")
def to_dense(tensor: Tensor) -> Tensor:
    """A dense tensor with the same elements, 0 where a sparse one has none; dense ones as they are.

    ValueError if it is no tensor.
    """
    x = checked(tensor, "to_dense", "tensor")
    return apply("to_dense", x) if x.sparse else x
