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


@contextmanager
def seldom() -> Iterator[None]:
    """Search seldom, and not among what there is already; afterwards as before."""
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
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """`malloc_trim`, which returns freed memory to the system; None if the C library lacks it."""
    if sys.platform == "win32":
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
