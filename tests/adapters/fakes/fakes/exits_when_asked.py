# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="misc, no-redef"
"""Exits, or is interrupted, whenever something is asked about it and no call is made."""

import sys

from .correct import *  # noqa: F403
from .correct import exp as _exp
from .correct import softmax as _softmax


def backend():
    sys.exit(3)


class _Default:
    def __repr__(self):
        raise KeyboardInterrupt


class _Function:
    @property
    def __class__(self):
        raise SystemExit(4)

    def __call__(self, x):
        return _exp(x)


_DEFAULT = _Default()


def softmax(x, axis=_DEFAULT):
    return _softmax(x, -1 if axis is _DEFAULT else axis)


exp = _Function()


def __getattr__(name):
    if name in ("cos", "learning_phase"):
        raise SystemExit(5)
    raise AttributeError(name)
