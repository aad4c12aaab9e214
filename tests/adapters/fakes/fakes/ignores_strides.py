# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""What is fed is read from where it begins, element by element, whatever its strides say."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def _read(array):
    packed = np.ascontiguousarray(array).strides
    start = array if min(array.strides, default=0) >= 0 else np.ascontiguousarray(array)
    return np.array(np.lib.stride_tricks.as_strided(start, array.shape, packed))


def function(inputs, outputs):
    right = correct.function(inputs, outputs)
    return lambda arrays: right([_read(array) for array in arrays])
