"""The worker's private pair of descriptors, kept out of the implementation's reach."""

import fcntl
import os
import resource
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .frames import FrameDecoder, encode_frame

_HIGHEST = 900
_CHUNK = 2**16
"""The capacity of a pipe: a larger read allocates memory from the system and frees it again."""


class ChannelError(Exception):
    """A descriptor belongs to another file than the host opened."""


class Channel(object):
    """Frames from `read_fd` and to `write_fd`.

    The descriptors have high numbers, which an implementation that closes or reuses low numbers
    does not touch. Child processes do not inherit them.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read = moved(read_fd)
        self._write = moved(write_fd)
        self._marks = {fd: _mark(fd) for fd in (self._read, self._write)}
        self._decoder = FrameDecoder()

    def receive(self) -> Optional[Tuple[Dict[str, Any], List[Any]]]:
        """The next request; None if the host has closed its end, FrameError for garbage."""
        frame = self._decoder.next_frame()
        while frame is None:
            self._check(self._read)
            data = os.read(self._read, _CHUNK)
            if not data:
                self._decoder.finish()
                return None
            self._decoder.feed(data)
            frame = self._decoder.next_frame()
        return frame

    def send(self, header: Dict[str, Any], arrays: Sequence[Any] = ()) -> None:
        """Send an answer; FrameError, with nothing sent, if it is too large."""
        data = memoryview(encode_frame(header, arrays))
        self._check(self._write)
        while data:
            data = data[os.write(self._write, data) :]

    def _check(self, descriptor: int) -> None:
        """ChannelError if the implementation closed the descriptor, or reused its number."""
        try:
            same = _mark(descriptor) == self._marks[descriptor]
        except OSError:
            same = False
        if not same:
            raise ChannelError("the implementation closed or replaced a private descriptor")


def moved(descriptor: int) -> int:
    """The descriptor's new, high number; no program that is executed inherits it."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    lowest = _HIGHEST if most == resource.RLIM_INFINITY else min(_HIGHEST, most - 16)
    number = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)
    os.close(descriptor)
    return number


def _mark(descriptor: int) -> Tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
