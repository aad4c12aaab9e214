"""Be a zygote: wait, once what workers share is imported, and fork a worker for each order of the
guardian.

Workers share the module, or only what was to be preloaded: then each imports the module itself,
with environment variables of its own.

A zygote computes nothing and forks only if a fork gets a copy of everything that a new process
would have. With a second thread, or with a descriptor or memory that workers would share, it ends
instead, and the host starts a worker in the usual way.
"""

import array
import ctypes
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from .channel import moved

READY = b"ready"
TEMPORARY = ("TMPDIR", "TEMP", "TMP")
_MOST_MESSAGE = 2**17
_PR_SET_PDEATHSIG = 1
_PAUSE = 0.0005
_NO_GUARDIAN = 127
_MOST_KEYS = 20
_HARMLESS = ("/dev/null", "/dev/urandom", "/dev/random", "/dev/zero")

Ends = NamedTuple("Ends", [("read", int), ("write", int), ("stage", int)])


class Zygote(object):
    """This process, below a guardian that is reached through `descriptor`.

    Make it before the import of the module: it keeps the states of random generators at that time.
    """

    def __init__(self, descriptor: int) -> None:
        self._guardian = os.getppid()
        number = moved(descriptor)
        self._orders = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=number)
        self._descriptors = _descriptors()
        self._prctl = ctypes.CDLL(None).prctl
        self._unseeded = _keys()

    def forked(self) -> Ends:
        """Return in each worker, with its descriptors; the zygote ends when the guardian does."""
        if _shared(self._descriptors):
            os._exit(0)
        keys = _keys()
        self._seeded = {n for n, key in self._unseeded.items() if not _drawn(key, keys[n])}
        self._random = random.getstate()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        ctypes.CDLL(None).fflush(None)
        self._orders.send(READY)
        while True:
            message, descriptors = self._received()
            if not message:
                os._exit(0)
            between = os.fork()
            if between == 0:
                self._leave_orphan()
                return self._as_worker(json.loads(message.decode()), descriptors)
            _close(descriptors)
            os.waitpid(between, 0)

    def _received(self) -> Tuple[bytes, List[int]]:
        """The next message and its descriptors."""
        numbers = array.array("i")
        room = socket.CMSG_SPACE(16 * numbers.itemsize)
        message, data, _, _ = self._orders.recvmsg(_MOST_MESSAGE, room)
        for _, kind, content in data:
            if kind == socket.SCM_RIGHTS:
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
        return message, list(numbers)

    def _leave_orphan(self) -> None:
        """Fork again, and return in the child when the guardian has become its parent.

        So the guardian gets the worker's exit status, and a worker that kills its parent does not
        kill the zygote.
        """
        between = os.getpid()
        if os.fork():
            os._exit(0)
        while os.getppid() == between:
            time.sleep(_PAUSE)
        os.setsid()
        self._prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != self._guardian:
            os._exit(_NO_GUARDIAN)
        self._orders.send(str(os.getpid()).encode())
        self._orders.close()

    def _as_worker(self, order: Dict[str, Any], descriptors: List[int]) -> Ends:
        """Give this process what a new one would have."""
        stage, read, write, output = descriptors
        for number in (1, 2):
            os.dup2(output, number)
        os.close(output)
        _move_folder(order["zygote"], order["folder"])
        _change_environment(order["changes"])
        os.chdir(order["directory"])
        self._seed()
        return Ends(read, write, stage)

    def _seed(self) -> None:
        """Seed the generators that the import has left unseeded; in others a seed remains."""
        if "numpy" not in self._seeded:
            np.random.seed()
        if "random" in self._seeded:  # CPython 3.7 and later seed it in each fork
            random.setstate(self._random)
        else:
            random.seed()


def _keys() -> Dict[str, Any]:
    """The keys of the generators, both of the kind MT19937."""
    python = np.array(random.getstate()[1][:-1], np.uint32)
    state: Any = np.random.get_state()
    return {"numpy": state[1].copy(), "random": python}


def _drawn(before: Any, after: Any) -> bool:
    """Whether drawing at most some ten thousand numbers leads from one key to the other."""
    stream: Any = np.random.RandomState()
    stream.set_state(("MT19937", before, len(before)))
    for _ in range(_MOST_KEYS):
        if (stream.get_state()[1] == after).all():
            return True
        stream.bytes(4 * len(before))  # all that one key gives
    return False


def _shared(known: Dict[int, str]) -> bool:
    """Whether workers would share something that each of them should have for itself."""
    return bool(
        len(os.listdir("/proc/self/task")) > 1
        or any(known.get(number) != place for number, place in _descriptors().items())
        or _shares_memory()
    )


def _descriptors() -> Dict[int, str]:
    """The open descriptors and their files, without those that hold no state."""
    places = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            place = os.readlink("/proc/self/fd/" + name)
        except OSError:  # the descriptor that lists the others
            continue
        if place not in _HARMLESS:
            places[int(name)] = place
    return places


def _shares_memory() -> bool:
    """Whether memory is mapped that processes can write to and share."""
    with open("/proc/self/maps") as lines:
        return any(line.split()[1] in ("rw-s", "rwxs", "-w-s") for line in lines)


def _move_folder(old: str, folder: str) -> None:
    """Have temporary files made in `folder` instead of the zygote's, which is `old`."""
    for name in TEMPORARY:
        if os.environ.get(name) == old:
            os.environ[name] = folder
    if tempfile.tempdir == old:
        tempfile.tempdir = folder


def _change_environment(changes: Dict[str, Optional[str]]) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _close(descriptors: List[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
