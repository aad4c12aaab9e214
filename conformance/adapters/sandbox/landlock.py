"""Landlock: from now on this process and all that it starts write to some places only.

https://docs.kernel.org/userspace-api/landlock.html has the numbers. The first version of Landlock
cannot allow a file to be moved from one folder to another, so the suite does not use it.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from collections.abc import Iterable

from . import system

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # a flag of the first call
_OLDEST = 2
_BENEATH = 1

_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 14))
"""Writing, removing, making and moving."""
_TCP = 0b11
"""Binding and connecting."""
_SCOPES = 0b11
"""Abstract sockets, and signals."""
_TRUNCATES, _KNOWS_TCP, _KNOWS_SCOPES = 3, 4, 6
"""The versions from which on Landlock knows these."""
_SIZES = (8, 16, 24)
"""Bytes of the attributes before and after each of the last two."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm")
GRAPHICS = ("nvidia", "dri", "kfd")
"""Devices that start with one of these compute."""


def version() -> int:
    """The version of Landlock that the system has; 0 for none."""
    try:
        return system.call("syscall", _CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(folders: Iterable[str], *, network: bool) -> bool:
    """Refuse all changes of files outside of the folders, signals to processes outside, and, if
    `network` is set, TCP; whether the system could. Files that are open already stay usable.
    """
    known = version()
    if known < _OLDEST:
        return False
    changes = _CHANGES | (_TRUNCATE if known >= _TRUNCATES else 0)
    tcp = _TCP if network and known >= _KNOWS_TCP else 0
    scopes = _SCOPES if known >= _KNOWS_SCOPES else 0
    attributes = struct.pack("=QQQ", changes, tcp, scopes)
    size = _SIZES[(known >= _KNOWS_TCP) + (known >= _KNOWS_SCOPES)]
    rules = system.call("syscall", _CREATE_RULESET, attributes, size, 0)
    try:
        for place in (*folders, *_devices()):
            _allow(rules, place, changes)
        system.order(system.NO_NEW_PRIVS, 1)
        system.call("syscall", _RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)
    return True


def _devices() -> list[str]:
    with contextlib.suppress(OSError):
        names = os.listdir("/dev")
        return [f"/dev/{n}" for n in names if n in DEVICES or n.startswith(GRAPHICS)]
    return []


def _allow(rules: int, place: str, changes: int) -> None:
    """Allow changes of a folder and its contents; nothing if it does not exist."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            granted = changes if os.path.isdir(place) else changes & (_WRITE_FILE | _TRUNCATE)
            rule = struct.pack("=Qi", granted, descriptor)
            system.call("syscall", _ADD_RULE, rules, _BENEATH, rule, 0)
        finally:
            os.close(descriptor)
