"""A description of the machine of a run, without which its times mean nothing."""

from __future__ import annotations

import functools
import os
import platform
import re
from pathlib import Path

_GIB = 2**30


@functools.cache
def machine() -> str:
    """Processor, cores that may be used, memory and system; no name of the machine or its user."""
    system = f"{platform.system()} {platform.machine()}".strip()
    return ", ".join(part for part in (_processor(), _cores(), _memory(), system) if part)


def _processor() -> str:
    try:
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", listed, re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def _cores() -> str:
    if hasattr(os, "sched_getaffinity"):
        number = len(os.sched_getaffinity(0))
    else:
        number = os.cpu_count() or 1
    return f"{number} core{'s' * (number != 1)}"


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return ""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return ""
    return f"{size / _GIB:.0f} GiB"
