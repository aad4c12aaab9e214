"""On Windows a command that needs no worker works, and every other says where it does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.platforms import NoWorkersError
from tests.platforms import lacking

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Windows is simulated on Linux"),
    pytest.mark.skipif(lacking.stubs() is None, reason="typeshed's stubs come with mypy"),
]

RESULTS = "reports/backend.json"
WORKING = (
    "list -k relu",
    "show relu --results reports",
    "report reports --output site",
    f"diff {RESULTS} {RESULTS}",
    "--help",
    "run --help",
)
REFUSED = (
    "run backend.py",
    "run reference -k relu",
    "targets",
    "install torch",
    "exec reference backend.py",
    "replay --all --results reports --target backend",
    "fuzz reference --max-time 1s",
    "mutate reference",
    "diff reference torch",
    "init backend.py",
    "try K.ones((2,3)) reference",
)
_COMMANDS = """
import json, sys
from click.testing import CliRunner
from conformance.cli import main
for command in sys.argv[1:]:
    done = CliRunner().invoke(main, command.split(), prog_name="conformance")
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""
_SPEC_CHECK = """
from conformance.cli.show.spec import load, wrong_parts
print(wrong_parts({"relu": load()["relu"]}))
"""

Done = dict[str, tuple[int, str, str]]


@pytest.fixture(scope="module")
def done(windows: Callable[[str], str], project: Path) -> Done:
    """Exit status, output and errors of every command."""
    commands = WORKING + REFUSED
    lines = _lines(windows(_COMMANDS), project, *commands)
    return dict(zip(commands, map(json.loads, lines), strict=True))


def _lines(source: str, folder: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", source, *arguments]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_typeshed_says_what_windows_lacks() -> None:
    absent = lacking.windows()
    assert {"fork", "waitid", "fchmod", "killpg"} <= {*absent["names"]["os"]}
    assert {"fcntl", "resource", "pwd"} <= {*absent["modules"]}


@pytest.mark.parametrize("command", WORKING)
def test_what_needs_no_worker_works(command: str, done: Done) -> None:
    status, output, errors = done[command]
    assert status == 0 and output, errors
    assert not errors


def test_specs_are_drawn_from(windows: Callable[[str], str], tmp_path: Path) -> None:
    """`spec check` does it with all of them, which takes long."""
    assert _lines(windows(_SPEC_CHECK), tmp_path) == ["[]"]


@pytest.mark.parametrize("command", REFUSED)
def test_what_needs_a_worker_ends_with_one_sentence(command: str, done: Done) -> None:
    assert tuple(done[command]) == (2, "", f"error: {NoWorkersError()}\n")
