"""`.ci/nightly`: the commands of the nightly comparison, and the statuses that it tolerates."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = """#!/usr/bin/env bash
echo "$*" >>calls
echo "output of $1"
mkdir -p results
case $1 in
    diff | spec) exit "$COMPARES" ;;
    run) exit "$RUNS" ;;
esac
"""
"""Stands for `conformance`: notes each call and exits with the status of a variable."""


def nightly(folder: Path, compares: int, runs: int = 0) -> subprocess.CompletedProcess[str]:
    command = folder / "bin" / "conformance"
    command.parent.mkdir()
    command.write_text(COMMAND)
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "COMPARES": str(compares), "RUNS": str(runs)}
    return subprocess.run(
        [ROOT / ".ci" / "nightly", "numpy", "-k", "softmax"],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_both_targets_run_and_the_page_has_drift_and_differences(tmp_path: Path) -> None:
    done = nightly(tmp_path, compares=1)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "calls").read_text().splitlines() == [
        "install keras3-ops-numpy keras-nightly-numpy",
        "run keras3-ops-numpy keras-nightly-numpy --profile smoke --fail-on never --no-database"
        " --output results -k softmax",
        "spec drift keras-nightly-numpy",
        "diff results/keras3-ops-numpy.json results/keras-nightly-numpy.json --format markdown",
    ]
    page = (tmp_path / "results" / "changes.md").read_text().splitlines()
    assert page[:4] == ["# Nightly Keras on numpy", "", "```", "output of spec"]
    assert page[-1] == "output of diff"


@pytest.mark.parametrize(("compares", "runs", "calls"), [(2, 0, 3), (0, 3, 2)])
def test_a_target_that_does_not_run_fails_the_job(
    tmp_path: Path, compares: int, runs: int, calls: int
) -> None:
    assert nightly(tmp_path, compares, runs).returncode != 0
    assert len((tmp_path / "calls").read_text().splitlines()) == calls


def test_no_difference_passes(tmp_path: Path) -> None:
    assert nightly(tmp_path, compares=0).returncode == 0
