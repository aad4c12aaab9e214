# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The bytes of what is fed are taken for numbers of the processor's own byte order."""

from . import correct
from .correct import *  # noqa: F403


def function(inputs, outputs):
    right = correct.function(inputs, outputs)
    return lambda arrays: right([array.view(array.dtype.newbyteorder("=")) for array in arrays])
