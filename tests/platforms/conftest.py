"""Processes as on another system."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.platforms import lacking, simulation

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# those of the suite's dependencies know Windows and would ask for its modules
_DEPENDENCIES = """
import asyncio, concurrent.futures, multiprocessing.connection, tempfile
import click, hypothesis, jinja2, msgspec, numpy, packaging.version, platformdirs, rich.console
import rich.progress, rich.table, uv, yaml
"""
_COMMAND = """
import sys
from conformance.cli import main
sys.argv[0] = "conformance"
main()
"""


@pytest.fixture(scope="session")
def macos(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Source that runs other source on macOS."""
    return _on(lacking.macos(), tmp_path_factory.mktemp("macos") / "system.json")


@pytest.fixture(scope="session")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Source that runs other source on Windows."""
    place = tmp_path_factory.mktemp("windows") / "system.json"
    on = _on(lacking.windows(), place)
    return lambda source: _DEPENDENCIES + on(source)


def _on(system: simulation.System, place: Path) -> Callable[[str], str]:
    place.write_text(json.dumps(system), "utf-8")
    return lambda source: simulation.code(place) + source


@pytest.fixture(scope="session")
def on_macos(macos: Callable[[str], str]) -> Run:
    """Run `conformance` on macOS, in a folder."""
    return _run(macos(_COMMAND))


def _run(source: str) -> Run:
    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", source, *arguments]
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )

    return run


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, on_macos: Run) -> Path:
    """A folder with a wrong backend, and the results of a run on macOS in `reports`."""
    folder = tmp_path_factory.mktemp("project")
    Path(folder, "backend.py").write_text(
        "from conformance.reference import *\n\n\ndef relu(x, alpha=0.0, max_value=None):\n"
        "    return x\n",
        "utf-8",
    )
    described = '[targets.backend]\nmodule = "backend"\nedition = "keras-2.2"\npath = "."\n'
    Path(folder, "conformance.toml").write_text(described, "utf-8")
    chosen = ("-k", "relu or sigmoid or eye", "--profile", "smoke", "--no-database")
    done = on_macos(folder, "run", "backend", *chosen, "--output", "reports")
    assert done.returncode == 1, done.stdout + done.stderr
    return folder
