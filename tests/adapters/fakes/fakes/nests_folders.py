# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number makes 3,000 folders, one in the other, or exchanges its own folder for
a link to FAKE_LINK, if that is set."""

import os
import tempfile
from pathlib import Path

from .correct import *  # noqa: F403
from .triggers import exp_that


def _nest():
    place = os.open(tempfile.gettempdir(), os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)


def _exchange(target):
    own = Path(os.environ["TMPDIR"])
    if not own.is_symlink():
        own.rmdir()
        own.symlink_to(target)


def _harm(_):
    target = os.environ.get("FAKE_LINK")
    if target:
        _exchange(target)
    elif not Path(tempfile.gettempdir(), "d").is_dir():
        _nest()


exp = exp_that(_harm)
