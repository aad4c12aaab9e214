"""`.ci/history`: the commands of the daily workflow, and the statuses that it tolerates."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = """#!/usr/bin/env bash
echo "$*" >>calls
echo "output of $1"
mkdir -p past
[[ $* == *--versions* ]] && exit "$STATUS"
exit 0
"""
"""Stands for `conformance`: notes each call; a history of versions exits with a variable."""


def history(folder: Path, status: int) -> subprocess.CompletedProcess[str]:
    command = folder / "bin" / "conformance"
    command.parent.mkdir()
    command.write_text(COMMAND)
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [ROOT / ".ci" / "history", "numpy", "past", "-k", "softmax"],
        cwd=folder,
        env={**os.environ, "PATH": path, "STATUS": str(status)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("status", [0, 3])
def test_the_nightly_build_joins_the_history(tmp_path: Path, status: int) -> None:
    done = history(tmp_path, status)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "calls").read_text().splitlines() == [
        "install keras3-ops-numpy",
        "history keras3-ops-numpy --versions nightly --remove --output past -k softmax",
        "history keras3-ops-numpy --output past --last",
    ]
    page = (tmp_path / "past" / "changes.md").read_text()
    assert page == "# History of keras3-ops-numpy\n\n```\noutput of history\n```\n"


def test_wrong_usage_fails_the_job(tmp_path: Path) -> None:
    assert history(tmp_path, 2).returncode != 0
