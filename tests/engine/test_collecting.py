"""Garbage is searched seldom while a run goes on, and as before afterwards."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.engine.running.collecting import OBJECTS, forget_young, seldom


def test_it_is_searched_seldom_and_then_as_before() -> None:
    before = gc.get_threshold()
    with seldom():
        assert gc.get_threshold() == (OBJECTS, *before[1:])
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="the C library is another one",
)
def test_memory_of_a_finished_function_goes_back_to_the_system() -> None:
    pieces = [bytes(65_536) for _ in range(2_000)]  # smaller than what it gives back by itself
    sample = pieces[::100]  # in between, so that the heap cannot become shorter
    del pieces
    held = _resident()
    forget_young()
    assert held - _resident() > 60e6
    assert len(sample) == 20


LARGE_ARRAYS = """
import os
from pathlib import Path
from conformance.engine.running.collecting import seldom

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

with seldom():
    bytearray(24 * 2**20)  # the C library would raise its limit to this size
    pairs = [(bytearray(4 * 2**20), bytes(2**16)) for _ in range(30)]
    small = [pair[1] for pair in pairs]  # in between, so that the heap cannot become shorter
    before = resident()
    del pairs
    print(before - resident())
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"),
    reason="the C library is another one",
)
def test_memory_of_large_arrays_goes_back_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LARGE_ARRAYS], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) > 100e6


def _resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_an_error_leaves_it_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="the run"), seldom():
        raise ValueError("the run")
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
