# mypy: allow-untyped-defs, allow-untyped-calls
"""The function that FAKE_IN names ends the process."""

import os

from .correct import *  # noqa: F403


def _end(*_, **__):
    os._exit(5)


globals()[os.environ["FAKE_IN"]] = _end
