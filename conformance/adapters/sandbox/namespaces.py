"""Namespaces: a process and all that it starts in a world of their own.

They see no process of the machine and can signal none; the kernel ends all of them with the first.
They reach no network but a loopback of their own. They can change no file but those below the
folders that are named, not even its permissions. As root they have no power outside.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
from collections.abc import Iterable

from . import system

_APART = (
    system.NEW_USER | system.NEW_PROCESSES | system.NEW_MOUNTS | system.NEW_NETWORK | system.NEW_IPC
)
_NUMBER = struct.Struct("<i")
_WHOLE = b"+"
_SERVICES = (
    "/run/containerd",
    "/run/dbus",
    "/run/docker",
    "/run/docker.sock",
    "/run/podman",
    "/run/systemd/private",
    "/run/user",
    "/tmp/.X11-unix",  # noqa: S108 - this is its name
)
"""Sockets of services that start processes on request, and folders of such sockets."""
_DROP, _FIRST_DROPPED, _CAPABILITIES = 24, 8, 64
"""An option of `prctl`, and which capabilities it drops."""
_MEMORY = "/dev/shm"  # noqa: S108 - this is its name
_SET_FLAGS, _GET_FLAGS, _UP = 0x8914, 0x8913, 1
_INTERNET, _DATAGRAMS = 2, 2


def forked(folders: Iterable[str]) -> int:
    """Fork into namespaces of their own, where only the folders can be written to.

    0 in the child, its process id in the parent. OSError, in the parent, if the system does not
    let it.
    """
    numbers, tell = os.pipe()
    ready, report = os.pipe()
    try:
        child = system.cloned(_APART)
    except OSError:
        _close(numbers, tell, ready, report)
        raise
    if child == 0:
        _close(tell, ready)
        _begin(numbers, report, [*folders])
        _close(numbers, report)
        return 0
    _close(numbers, report)
    try:
        return _begun(child, tell, ready)
    finally:
        _close(tell, ready)


def drop_powers() -> None:
    """Leave what this process executes no powers of root but those over files: it may not mount."""
    for capability in range(_FIRST_DROPPED, _CAPABILITIES):
        with contextlib.suppress(OSError):  # the last ones are new
            system.order(_DROP, capability)


def _begun(child: int, tell: int, ready: int) -> int:
    """The child, once it has settled in. OSError if it cannot."""
    problem = OSError("the namespaces cannot be used")
    try:
        _identify(child)
        os.write(tell, _NUMBER.pack(child))
        if os.read(ready, 1) == _WHOLE:
            return child
    except OSError as error:
        problem = error
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise problem


def _begin(numbers: int, report: int, folders: list[str]) -> None:
    """Settle in, in the child; it ends if it cannot."""
    try:
        outside = os.read(numbers, _NUMBER.size)
        if outside:
            _settle(folders, *_NUMBER.unpack(outside))
            os.write(report, _WHOLE)
            return
    except OSError:
        pass
    os._exit(1)


def _identify(child: int) -> None:
    """Give the child the users and groups that there are here, or at least its own."""
    for name, own in (("uid", os.geteuid()), ("gid", os.getegid())):
        with open(f"/proc/self/{name}_map", encoding="ascii") as lines:
            all_of_them = "".join(f"{a} {a} {n}\n" for a, _, n in map(str.split, lines))
        try:
            _write(f"/proc/{child}/{name}_map", all_of_them)
        except PermissionError:  # only root may
            if name == "gid":
                _write(f"/proc/{child}/setgroups", "deny")
            _write(f"/proc/{child}/{name}_map", f"{own} {own} 1\n")


def _settle(folders: list[str], outside: int) -> None:
    """Arrange mounts, process ids and the loopback; `outside` is the id of this process there."""
    system.mount(None, "/", None, system.RECURSIVE | system.PRIVATE)
    system.mount("proc", "/proc", "proc", system.NO_SUID | system.NO_DEVICES | system.NO_EXECUTION)
    with contextlib.suppress(OSError):
        # locks have the ids of their owners: those of two workers must not be the same
        _write("/proc/sys/kernel/ns_last_pid", str(outside))
    _restrict([place for place in folders if os.path.isdir(place)])
    os.chdir(os.getcwd())  # onto the mount that may be written to
    with contextlib.suppress(OSError):
        _raise_loopback()


def _restrict(folders: list[str]) -> None:
    """Make everything read-only but the folders, and hide services."""
    for place in folders:
        system.mount(place, place, None, system.BOUND | system.RECURSIVE)
    writable = [*folders]
    if os.path.isdir(_MEMORY) and not _holds_any(_MEMORY, folders):
        system.mount("shared", _MEMORY, "tmpfs", system.NO_SUID | system.NO_DEVICES)
        writable.append(_MEMORY)
    _hide(folders)
    system.set_mount("/", add=system.READ_ONLY, below=True)
    for place in writable:
        system.set_mount(place, remove=system.READ_ONLY)


def _hide(folders: list[str]) -> None:
    for place in _SERVICES:
        if _holds_any(place, folders):
            continue
        with contextlib.suppress(OSError):
            if os.path.isdir(place):
                system.mount("hidden", place, "tmpfs", system.NO_SUID | system.NO_DEVICES)
            elif os.path.exists(place):
                system.mount(os.devnull, place, None, system.BOUND)


def _holds_any(place: str, folders: list[str]) -> bool:
    """Whether one of the folders is the place or lies in it."""
    return any(os.path.commonpath([place, folder]) == place for folder in folders)


def _raise_loopback() -> None:
    """Switch the loopback on, which is off in a new network."""
    import fcntl  # noqa: PLC0415 - the host imports this module, and Windows has no such module

    end = system.call("socket", _INTERNET, _DATAGRAMS, 0)
    try:
        asked = struct.pack("16sH22x", b"lo", 0)
        flags = struct.unpack("16sH22x", fcntl.ioctl(end, _GET_FLAGS, asked))[1]
        fcntl.ioctl(end, _SET_FLAGS, struct.pack("16sH22x", b"lo", flags | _UP))
    finally:
        os.close(end)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
