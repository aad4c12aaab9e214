# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef,attr-defined"
# ruff: noqa: A001 - the API has such names
"""The reference with one small error in each of many functions.

Some errors are in the function, so that static shape and dtype are wrong with the value; others
are in its kernel, so that only the value is. A function that is named here is wrong in one way.
"""

import inspect

import numpy as np

from conformance import reference as right
from conformance.reference import *  # noqa: F403
from conformance.reference.numpy_library.kernels import KERNELS


def _like(name):
    """The mutant keeps the signature of the function it stands for."""

    def keep(mutant):
        mutant.__signature__ = inspect.signature(getattr(right, name))
        return mutant

    return keep


def _around(name, change):
    """Replace a kernel by what `change` makes of it."""
    KERNELS[name] = change(KERNELS[name])


@_like("sum")
def sum(x, axis=None, keepdims=False):
    """A given axis is counted from the other end."""
    return right.sum(x, -1 - axis if isinstance(axis, int) else axis, keepdims)


@_like("max")
def max(x, axis=None, keepdims=False):
    """Never keeps an axis."""
    return right.max(x, axis)


@_like("softmax")
def softmax(x, axis=-1):
    """Always along the first axis."""
    return right.softmax(x, 0)


@_like("transpose")
def transpose(x):
    """Nothing happens."""
    return right.identity(x)


@_like("one_hot")
def one_hot(indices, num_classes):
    """Integers."""
    return right.cast(right.one_hot(indices, num_classes), "int32")


@_like("min")
def min(x, axis=None, keepdims=False):
    """The largest (C054)."""
    return right.max(x, axis, keepdims)


@_like("tanh")
def tanh(x):
    """The sigmoid (C063)."""
    return right.sigmoid(x)


def _ddof(_):
    return lambda x, axis, keepdims: (
        np.sum(x, axis=axis, keepdims=keepdims)
        / x.dtype.type(np.prod([x.shape[i] for i in axis]) - 1)
    ).astype(x.dtype)


def _last(_):
    def argmax(x, axis):
        return x.shape[axis] - 1 - np.argmax(np.flip(x, axis), axis)

    return argmax


def _first_axis_of_y(kernel):
    def batch_dot(x, y, axes):
        length = x.shape[axes[0]]
        return kernel(x, y, axes=(axes[0], 1 if y.shape[1] == length else axes[1]))

    return batch_dot


def _wrapping(kernel):
    return lambda reference, indices: kernel(reference, (indices + 1) % len(reference))


def _single(kernel):
    """Computed in float32, whatever the dtype."""
    return lambda x: kernel(x.astype("float32")).astype(x.dtype)


_around("mean", _ddof)
_around("argmax", _last)
_around("clip", lambda _: lambda x, min_value, max_value: np.maximum(x, min_value))
_around("round", lambda _: lambda x: np.floor(x + x.dtype.type(0.5)))
_around("batch_dot", _first_axis_of_y)
_around("gather", _wrapping)
_around("relu", lambda kernel: lambda x, alpha, max_value: kernel(
    x, alpha=alpha, max_value=None))  # fmt: skip
_around("exp", lambda kernel: lambda x: (kernel(x) * 1.001).astype(x.dtype))
_around("sin", _single)
_around("sign", lambda _: lambda x: np.where(x < 0, -1, 1).astype(x.dtype))
_around("elu", lambda _: lambda x, alpha: np.where(x > 0, x, np.expm1(x)).astype(x.dtype))
_around("logsumexp", lambda _: lambda x, axis, keepdims: np.log(
    np.sum(np.exp(x), axis=axis, keepdims=keepdims)))  # fmt: skip
