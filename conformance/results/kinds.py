"""The kinds of differences, besides those that specs and scenarios name themselves."""

from __future__ import annotations

from enum import StrEnum

IN_32_BITS = ", as in 32 bits"
"""Follows a wrong answer of 64 bits that is right of numbers rounded to 32 bits."""


class FindingKind(StrEnum):
    """The kind of a failure in results, where no documented error and no check gives it its name.

    The values are part of the identity of a failure: changing one changes the ids of failures.
    """

    ABSENT = "absent"
    """The function is not there."""
    HIDDEN = "hidden"
    """The signature cannot be inspected."""
    MISSING_PARAMETER = "missing parameter"
    EXTRA_PARAMETER = "extra parameter"
    ORDER = "order"
    """Parameters stand in another order than documented."""
    KEYWORD = "keyword"
    """A parameter is taken by position only, or by keyword only."""
    EXTRA_DEFAULT = "extra default"
    MISSING_DEFAULT = "missing default"
    DEFAULT = "default"
    """A default is another than documented."""
    VALUE = "value"
    ACCURACY = "accuracy"
    """The value is inaccurate, not wrong: it loses digits."""
    KINK = "kink"
    """The gradient at a kink is outside of the slopes on both sides."""
    SHAPE = "shape"
    COUNT = "count"
    """There are more or fewer gradients than variables."""
    NO_ARRAY = "no array"
    """The result is not an array of numbers."""
    DTYPE = "dtype"
    CLAIMED_DTYPE = "claimed dtype"
    """`K.dtype` names another dtype."""
    CONTRADICTION = "contradiction"
    """The static shape contradicts the shape of the value."""
    UNKNOWN = "unknown"
    """There is no static shape, where one can be known."""
    IMPRECISE = "imprecise"
    """The static shape lacks a dimension that can be known."""
    INT_SHAPE_RAISES = "int_shape raises"
    CHANGED_INPUT = "changed input"
    EXCEPTION = "exception"
    CRASH = "crash"
    LIMIT = "limit"
    """The process was ended because it exceeded a limit, such as that of memory."""
    TIME_OUT = "time-out"
    GARBAGE = "garbage"
    """The worker's answer was not one."""
    UNMADE_INPUT = "unmade input"
    """The implementation could not make an input: the failure of the function that makes it."""
    MISREAD_ARRAY = "misread array"
    """The implementation reads other numbers from an array because of how it lies in memory: the
    failure of the function that makes tensors of arrays."""
    NO_GRADIENTS = "no gradients"
    """`gradients` works for no function."""
    NO_STATIC_SHAPES = "no static shapes"
    """`int_shape` works for no function."""


FATAL = frozenset({FindingKind.CRASH, FindingKind.LIMIT, FindingKind.TIME_OUT, FindingKind.GARBAGE})
"""The kinds of failures that cost the worker its process, or its connection."""
