# mypy: allow-untyped-defs, allow-untyped-calls
"""SIGTERM is ignored, and `exp` of a negative number does not come back."""

import signal

from .correct import *  # noqa: F403
from .hangs import exp

__all__ = ["exp"]

signal.signal(signal.SIGTERM, signal.SIG_IGN)
