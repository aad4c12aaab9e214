# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The memory of an array that lies column by column is taken for that of one in rows."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def variable(value, dtype=None, name=None):
    value = np.asarray(value)
    if value.flags.f_contiguous:
        value = value.ravel(order="F").reshape(value.shape)
    return correct.variable(value, dtype, name)
