"""A folder of the tests' own for what the suite keeps of targets.

The environments of the user, and the code that is compiled for them, lie in it by links: tests of
real implementations need them. All else that the tests' own targets leave goes with the folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from conformance.adapters.layout import HOME, suite_home

SHARED = ("environments",)
"""What is the user's, of the folders in a home."""
_MADE = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, which the workers of pytest-xdist share."""
    if hasattr(config, "workerinput"):
        return
    users = suite_home()
    config.stash[_MADE] = home = tempfile.mkdtemp(prefix="conformance-home-")
    for name in SHARED:
        (users / name).mkdir(parents=True, exist_ok=True)
        Path(home, name).symlink_to(users / name)
    os.environ[HOME] = home


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it, and not what its links lead to."""
    if home := config.stash.get(_MADE, None):
        shutil.rmtree(home, ignore_errors=True)
