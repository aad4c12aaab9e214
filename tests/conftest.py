"""What every test has in common: the same examples each time, and no settings of the user's."""

from __future__ import annotations

import os
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings

from conformance.cli.process import VARIABLE
from conformance.specs.remembered import cache_folder

pytest_plugins = ["pytester", "tests.distribution", "tests.homes"]

settings.register_profile("suite", derandomize=True, deadline=None, database=None)
_EXAMPLES = int(os.environ.get("CONFORMANCE_FUZZ_EXAMPLES", "5000"))
settings.register_profile(
    "hostile", deadline=None, database=None, max_examples=_EXAMPLES, print_blob=True
)
settings.load_profile("suite")
# here and not in a fixture, because those of modules come before those of tests
os.environ["CONFORMANCE_DATABASE"] = "none"
# and what Hypothesis learns of the sources goes into the cache, and into no folder here
os.environ.setdefault(VARIABLE, str(cache_folder() / "hypothesis"))

_SETTINGS = (
    "COLUMNS",
    "CONFORMANCE_REFERENCE_EDITION",
    "FORCE_COLOR",
    "KERAS_BACKEND",
    "KERAS_HOME",
    "LINES",
    "NO_COLOR",
    "PYTHONPATH",
    "THEANO_FLAGS",
)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _own_numbers(request: pytest.FixtureRequest) -> None:
    """A module's generator starts anew for each test, whichever tests ran before it."""
    generator = getattr(request.module, "RNG", None)
    if isinstance(generator, np.random.Generator):
        fresh = np.random.default_rng(crc32(request.node.name.encode()))
        generator.bit_generator.state = fresh.bit_generator.state
