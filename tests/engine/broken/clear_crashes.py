# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but clearing the session ends the process."""

import os
import signal

from conformance.reference import *  # noqa: F403


def clear_session():
    os.kill(os.getpid(), signal.SIGKILL)
