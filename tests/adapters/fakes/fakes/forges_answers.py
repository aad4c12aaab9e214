# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="var-annotated, attr-defined"
"""`exp` of a negative number makes FAKE_WHAT of the worker's own answer, which keeps its form."""

import os
import sys

import numpy as np

from .correct import *  # noqa: F403
from .triggers import exp_that

_due = []


def _first_group(header):
    return header["values"][0]["groups"][0]


def _repeats(header, arrays):
    _first_group(header).update(draws=[0] * 300_000, payload=None, problem="x")
    del arrays[:]


def _repeats_a_little(header, arrays):
    header["values"] *= 2


def _omits(header, arrays):
    header["values"] = []
    del arrays[:]


def _conceals(header, arrays):
    header["outputs"] = []


def _renames(header, arrays):
    header["inputs"][0]["name"] = "z"


def _labels(header, arrays):
    _first_group(header)["dtype"] = "float64"


def _adds(header, arrays):
    arrays.append(np.zeros(3))


def _talks(header, arrays):
    header["errors"] = [["E" * 300_000, ["E"] * 50, "m" * 3_000_000, "call", None, "p" * 300_000]]
    header["draws"] = [[0, []] for _ in header["draws"]]
    header["values"] = []
    del arrays[:]


def _leaks(header, arrays):
    header["leaked"] = ["x" * 3_000_000]


def _raises_by_thousands(header, arrays):
    header["errors"] = [["E", ["E"], "m", "call", None, None]] * 10_000


FORGERIES = {
    "repeats": _repeats,
    "repeats a little": _repeats_a_little,
    "omits": _omits,
    "conceals": _conceals,
    "renames": _renames,
    "labels": _labels,
    "adds": _adds,
    "talks": _talks,
    "leaks": _leaks,
    "raises": _raises_by_thousands,
}


def _forging(encode):
    def encode_frame(header, arrays=()):
        arrays = list(arrays)
        if _due and "draws" in header:
            _due.clear()
            FORGERIES[os.environ["FAKE_WHAT"]](header, arrays)
        return encode(header, arrays)

    return encode_frame


for _name in list(sys.modules):
    if _name.endswith("conformance_worker.channel"):
        sys.modules[_name].encode_frame = _forging(sys.modules[_name].encode_frame)

exp = exp_that(_due.append)
