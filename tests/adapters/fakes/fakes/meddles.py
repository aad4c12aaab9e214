# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` of a negative number changes FAKE_WHAT of its process, and answers rightly.

What it changes would make whatever runs there next fail, or end.
"""

import builtins
import gc
import json
import locale
import os
import resource
import signal
import sys
import warnings

import numpy as np

from . import correct
from .correct import *  # noqa: F403


class _Stream:
    def write(self, _):
        raise OSError("no stream")

    flush = write


def _wrong(*_, **__):
    raise RuntimeError("this function is replaced")


def _streams():
    sys.stdout = sys.stderr = _Stream()


def _numpy():
    for name in ("asarray", "array", "concatenate", "frombuffer", "dtype", "sum", "exp"):
        setattr(np, name, _wrong)


def _json():
    json.dumps = json.loads = _wrong


def _builtins():
    builtins.len = builtins.isinstance = _wrong


def _timer():
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.2)


def _trace():
    sys.settrace(_wrong)


def _recursion():
    for limit in range(20, 1000):
        try:
            sys.setrecursionlimit(limit + 30)
        except RecursionError:  # not so little while so much is being called
            continue
        return


def _files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def _memory():
    resource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20))


CHANGES = {
    "directory": lambda: os.chdir("/"),
    "signals": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "timer": _timer,
    "streams": _streams,
    "numpy": _numpy,
    "json": _json,
    "builtins": _builtins,
    "floating point": lambda: np.seterr(all="raise"),
    "locale": lambda: locale.setlocale(locale.LC_ALL, "C"),
    "recursion": _recursion,
    "umask": lambda: os.umask(0o777),
    "trace": _trace,
    "warnings": lambda: warnings.simplefilter("error"),
    "collecting": gc.disable,
    "open files": _files,
    "memory": _memory,
}
_DONE = np.exp


def _change(_):
    CHANGES[os.environ["FAKE_WHAT"]]()


def exp(x):
    return correct.node(_operation, x)


def _operation(a):
    result, negative = _DONE(a), bool((a < 0).any())
    if negative:
        _change(a)
    return result
