"""How users do without the sandbox."""

from __future__ import annotations

import os

SWITCH = "CONFORMANCE_SANDBOX"
"""The environment variable by which all workers go without a sandbox."""
_OFF = ("off", "no", "false", "0")


def switched_off() -> bool:
    """Whether the environment says that workers go without a sandbox."""
    return os.environ.get(SWITCH, "").lower() in _OFF
