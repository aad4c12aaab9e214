"""Sparse tensors, in PyTorch's coordinate format; elements that come twice add up."""

from __future__ import annotations

import torch

from conformance.torch_backend.kernels import Tensor, kernel


@kernel
def to_dense(x: Tensor) -> Tensor:
    """The elements in a tensor of zeros."""
    places, values = tuple(x._indices()), x._values()
    result = torch.zeros(x.shape, dtype=values.dtype)
    return result.index_put(places, values, accumulate=True) if places else values.sum()


@kernel
def to_sparse(x: Tensor) -> Tensor:
    """The elements that are not 0."""
    return x.to_sparse()


@kernel
def label_to_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    """Each row up to its length."""
    most = labels.shape[1]
    if (lengths < 0).any() or (lengths > most).any():
        raise ValueError(f"label_lengths must be from 0 to {most}, not {lengths.tolist()}")
    inside = torch.arange(most) < lengths.unsqueeze(1)
    return torch.sparse_coo_tensor(inside.nonzero().T, labels[inside], labels.shape)
