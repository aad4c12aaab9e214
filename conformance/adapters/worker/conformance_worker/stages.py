"""The next stage of the worker, in memory that it shares with the host and that survives it.

Both ends use this module. The memory holds two little-endian 32-bit integers: the place of the
stage in `STAGES`, and the index of the program's step, or -1.
"""

import mmap
import os
import struct
from typing import Callable, Optional, Tuple

STAGES = (None, "import", "session", "bind", "step", "claim", "compile", "call", "read")
"""None: the worker is between requests, or does work of its own."""

_RECORD = struct.Struct("<ii")
SIZE = _RECORD.size

Announce = Callable[[Optional[str], Optional[int]], None]


def announcer(descriptor: int) -> Announce:
    """A function that writes a stage and a step to the memory behind `descriptor`, which it closes.

    The host sees it at once, even if the process is killed.
    """
    memory = mmap.mmap(descriptor, SIZE)
    os.close(descriptor)
    numbers = {stage: _RECORD.pack(i, -1) for i, stage in enumerate(STAGES)}

    def announce(stage: Optional[str], step: Optional[int]) -> None:
        if step is None:
            memory[:] = numbers[stage]
        else:
            memory[:] = _RECORD.pack(STAGES.index(stage), step)

    return announce


def silent(stage: Optional[str], step: Optional[int]) -> None:
    """Announces nothing, for a worker without a host."""


def announced(data: bytes) -> Tuple[Optional[str], Optional[int]]:
    """The stage and the step in the memory; (None, None) for anything else."""
    if len(data) != SIZE:
        return None, None
    number, step = _RECORD.unpack(data)
    stage = STAGES[number] if 0 <= number < len(STAGES) else None
    return stage, step if stage == "step" and step >= 0 else None
