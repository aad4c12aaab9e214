"""The differences from a mean that the gradients of variances and normalisations add up.

The mean itself is rounded, and the roundings of the elements do not show it. For two elements that
are near to each other (x_i - mean) / s is 1/2, however they are rounded.

Source: differentiation of (x - mean) / s; gamma_n of a sum (Higham 2002, section 3.1) for the mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.oracle.axes import Axes
from conformance.oracle.expectation import Array

OPERATIONS = 12
"""Rounded operations on one path, besides sums and the function's own.

The weight, and the products, quotients and roots of an elementary derivative: as many as the bound
of `batch_normalization` has, the longest of the documented formulas. Chosen.
"""


def centred(weighted: Array, x: Array, root: Array, axis: Axes) -> Array:
    """(|w_i| + mean |w| + |y_i| mean |w y|) / s, of y = (x - mean) / s; the mean is rounded.

    Shapes: weighted, x and the result have one shape; root has length 1 on the axes.
    """
    y, rounded = np.abs(x - x.mean(axis, keepdims=True)) / root, from_mean(x, axis) / root
    products = rounded * (weighted * y).mean(axis, keepdims=True)
    products = products + y * (weighted * rounded).mean(axis, keepdims=True)
    return np.asarray((weighted + weighted.mean(axis, keepdims=True) + products) / root)


def from_mean(x: Array, axis: Axes, where: Any = True) -> Array:
    """|x - mean|, and the share of mean |x| that the mean may be wrong by. It has a rounding for
    each element and one for the division, of all that `gradient_bounds` counts. The mean is that of
    the elements `where` it is so.

    Shapes: any x; the result has the shape of x.
    """
    terms = np.broadcast_to(where, x.shape).sum(axis, keepdims=True)
    share = (terms + 1) / (terms + OPERATIONS)
    mean = x.mean(axis, keepdims=True, where=where)
    size = np.abs(x).mean(axis, keepdims=True, where=where)
    return np.asarray(np.abs(x - mean) + share * size)
