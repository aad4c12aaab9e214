"""Backends that a test writes down: the reference with something wrong."""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.adapters.process import Launch
from tests.engine.support import ROOT


def launch(folder: Path, name: str, source: str) -> Launch:
    """How a backend with this source is started."""
    (folder / f"{name}.py").write_text(source)
    environment = {"PYTHONPATH": f"{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return Launch(sys.executable, name, "graph", environment)
