"""Sparse tensors. The type says that a tensor is sparse, not its elements (zh-TW:267).

A sparse tensor is a node of the graph like others, but only `to_dense` computes with it. It comes
from a sparse placeholder or from `ctc_label_dense_to_sparse`.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.graph import Placeholder, Tensor
from conformance.reference.symbolic.rules import RULES, Operand, Result, rule


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


@rule("to_dense", "to_sparse")
def _same_elements(x: Operand) -> Result:
    return x.shape, x.dtype
