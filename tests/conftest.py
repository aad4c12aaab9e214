"""What every test has in common: the same examples each time, and no settings of the user's."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")

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
