# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef,attr-defined"
"""The reference, but each of some kernels is wrong for long axes alone, as vectors, blocks and
threads can make it."""

import numpy as np

from conformance.reference import *  # noqa: F403
from conformance.reference.numpy_library.kernels import KERNELS

VECTOR = 8


def _around(name, change):
    KERNELS[name] = change(KERNELS[name])


def _from(length):
    """The last element of an axis is 0 if the axis has at least this length."""

    def change(right):
        def wrong(x, *others, **more):
            result = np.array(right(x, *others, **more))
            if result.ndim and result.shape[-1] >= length:
                result[..., -1] = 0
            return result

        return wrong

    return change


def _tail(right):
    """What is left of a last axis after whole vectors is not computed."""

    def wrong(x, *others, **more):
        result = np.array(right(x, *others, **more))
        if result.ndim and result.shape[-1] > VECTOR and result.shape[-1] % VECTOR:
            result[..., -(result.shape[-1] % VECTOR) :] = 0
        return result

    return wrong


def _first_rows(right):
    """A batch is computed as far as the element with the number 32."""

    def wrong(x, *others, **more):
        result = np.array(right(x, *others, **more))
        if result.ndim > 1:
            result[32:] = 0
        return result

    return wrong


def _reducing(cut):
    """The elements of a reduced axis that `cut`, of its length, says, and no more."""

    def change(right):
        def wrong(x, *others, axis, **more):
            for dimension in axis if isinstance(axis, tuple) else (axis,):
                x = np.take(x, np.arange(cut(x.shape[dimension])), dimension)
            return right(x, *others, axis=axis, **more)

        return wrong

    return change


def _whole_vectors(length):
    return length - length % VECTOR if length > VECTOR else length


def _one_block(length):
    return min(length, 4096)


def _running(right):
    """A running sum begins again after 4,096 elements."""

    def wrong(x, axis):
        first, rest = np.split(x, [4096], axis)
        return np.concatenate([right(first, axis=axis), right(rest, axis=axis)], axis)

    return wrong


def _blocked(right):
    """A contraction adds up no more than 4,096 products."""
    return lambda x, y: right(x[..., :4096], y[..., :4096, :] if y.ndim > 1 else y[:4096])


def _normalised(right):
    """Only the first 16 of the classes count in the sum."""

    def wrong(x, axis):
        result = right(x, axis=axis)
        return (
            result
            / np.take(result, np.arange(min(16, x.shape[axis])), axis).sum(axis=axis, keepdims=True)
        ).astype(x.dtype)

    return wrong


def _four_channels(right):
    """Windows see four channels."""

    def wrong(x, *others, **more):
        seen = np.array(x)
        seen[..., 4:] = 0
        return right(seen, *others, **more)

    return wrong


for _name, _change in {
    "exp": _from(16),
    "tanh": _from(32),
    "sin": _from(64),
    "sigmoid": _from(128),
    "cos": _from(4097),
    "square": _tail,
    "abs": _tail,
    "relu": _first_rows,
    "batch_dot": _first_rows,
    "sum": _reducing(_one_block),
    "cumsum": _running,
    "dot": _blocked,
    "mean": _reducing(_whole_vectors),
    "var": _reducing(_whole_vectors),
    "max": _reducing(_whole_vectors),
    "any": _reducing(_whole_vectors),
    "prod": _reducing(_whole_vectors),
    "logsumexp": _reducing(_whole_vectors),
    "softmax": _normalised,
    "windows": _four_channels,
    "concatenate": _from(64),
    "tile": _first_rows,
}.items():
    _around(_name, _change)
