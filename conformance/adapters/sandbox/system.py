"""Calls of Linux that Python 3.11 does not offer. OSError if the system refuses or lacks one."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

PDEATHSIG, DUMPABLE, CHILD_SUBREAPER, NO_NEW_PRIVS = 1, 4, 36, 38
"""Options of `prctl`."""
NEW_MOUNTS, NEW_IPC = 1 << 17, 1 << 27
NEW_USER, NEW_PROCESSES, NEW_NETWORK = 1 << 28, 1 << 29, 1 << 30
"""Flags of `clone`."""
READ_ONLY = 1
"""An attribute of `set_mount`."""
NO_SUID, NO_DEVICES, NO_EXECUTION, BOUND, RECURSIVE, PRIVATE = 2, 4, 8, 1 << 12, 1 << 14, 1 << 18
"""Flags of `mount`."""

_CLONE = {"x86_64": 56, "aarch64": 220, "riscv64": 220}
_MOUNT_SETATTR = 442
_HERE = -100  # AT_FDCWD
_WHOLE_TREE = 0x8000  # AT_RECURSIVE
_LIBC: ctypes.PyDLL | None = None


def libc() -> ctypes.PyDLL:
    """The C library. A call keeps the interpreter's lock, so a copy of it is whole."""
    global _LIBC  # noqa: PLW0603 - the library is loaded where it is needed first
    if _LIBC is None:
        _LIBC = ctypes.PyDLL(None, use_errno=True)
    return _LIBC


def call(name: str, *arguments: int | bytes | None) -> int:
    """The result of a function of the C library that takes integers and addresses.

    Raises:
        OSError: the call failed, or this system is not Linux.
    """
    if sys.platform != "linux":
        raise OSError("this is a call of Linux")
    function = getattr(libc(), name)
    function.restype = ctypes.c_long
    result = int(function(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def order(option: int, value: int) -> None:
    """Call `prctl`."""
    call("prctl", option, value, 0, 0, 0)


def cloned(flags: int) -> int:
    """Fork into new namespaces: 0 in the child, its process id in the parent.

    Raises:
        OSError: the call failed, or its number on this machine is not known.
    """
    number = _CLONE.get(os.uname().machine)
    if number is None:
        raise OSError("the number of clone on this machine is not known")
    return call("syscall", number, flags | signal.SIGCHLD, 0, 0, 0, 0)


def mount(source: str | None, place: str, kind: str | None, flags: int) -> None:
    """Mount something at a place, or change what is mounted there."""
    call("mount", _text(source), _text(place), _text(kind), flags, None)


def set_mount(place: str, *, add: int = 0, remove: int = 0, below: bool = False) -> None:
    """Change attributes of the mount at a place, and with `below` of those below it."""
    attributes = struct.pack("=QQQQ", add, remove, 0, 0)
    flags = _WHOLE_TREE if below else 0
    call("syscall", _MOUNT_SETATTR, _HERE, _text(place), flags, attributes, len(attributes))


def _text(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)
