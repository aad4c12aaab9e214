"""Every run of pytest has a home of its own, and is as small as possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.engine import PROFILES
from tests.engine.support import TINY

SMOKE = PROFILES["smoke"]


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(PROFILES, "smoke", TINY)
