"""Python's search for garbage, which a run needs seldom."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

OBJECTS = 2_000_000
"""How many objects are made before the young ones are searched; Python's own number is 700.

Plans stay to the end of a run, so that searching them finds nothing: with Python's own number that
takes a seventh of the time of planning. A run of one target by the default profile makes less than
this number: with 50,000 the search takes half a second of it.
"""

LARGE = 2**20
"""Bytes."""
_M_MMAP_THRESHOLD = -3


@contextmanager
def seldom() -> Iterator[None]:
    """Search seldom, and not among what there is already; afterwards as before."""
    _return_large_arrays()
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        # frozen and released, all objects count as old: the next search, of the young ones, would
        # else be one among all that the run has made
        gc.freeze()
        gc.set_threshold(*before)
        gc.unfreeze()


def forget_young() -> None:
    """Free the memory of an examined function: recursive functions hold the arrays of their
    computation. The C library of Linux keeps tens of freed megabytes until `malloc_trim`."""
    gc.collect(0)
    if (trim := _function("malloc_trim")) is not None:
        trim(0)


def _return_large_arrays() -> None:
    """Have the C library of Linux return a freed array of a megabyte to the system at once.

    It otherwise raises this limit to 32 MB after the first such array, and then keeps the arrays of
    a large trial, a hundred megabytes, until `malloc_trim`.
    """
    if (option := _function("mallopt")) is not None:
        option(_M_MMAP_THRESHOLD, LARGE)


@cache
def _function(name: str) -> Callable[..., int] | None:
    """A function of the C library; None if it lacks it."""
    if sys.platform == "win32":
        return None
    function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
    return function
