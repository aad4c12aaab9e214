"""Help comes at once: it imports names, options and texts, and nothing that a command needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli import _COMMANDS
from conformance.engine import PROFILES
from conformance.profile_names import PROFILE_NAMES
from conformance.reporting import FORMAT_NAMES
from conformance.reporting.formats import FORMATS

HEAVY = (
    "conformance.engine",
    "conformance.generators",
    "conformance.scenarios",
    "hypothesis",
    "numpy",
    "jinja2",
)
NEITHER = (*HEAVY, "conformance.specs")


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules that a command imports in a folder, and the packages that they are in."""
    script = "import atexit, sys\natexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    script += f"from conformance.cli import main\nmain({[*arguments]!r})"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return {*run.stderr.split()}


@pytest.mark.parametrize("command", _COMMANDS)
def test_help_imports_nothing_that_the_command_does(command: str, tmp_path: Path) -> None:
    assert imported(tmp_path, command, "--help").isdisjoint(NEITHER)


def test_a_function_is_shown_without_the_engine(tmp_path: Path) -> None:
    assert imported(tmp_path, "show", "relu").isdisjoint(HEAVY)


def test_every_profile_and_every_format_is_named_in_help() -> None:
    assert tuple(PROFILES) == PROFILE_NAMES
    assert tuple(FORMAT_NAMES) == tuple(FORMATS)
