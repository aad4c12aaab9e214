"""Releases of Keras 3 from the package index: `conformance history` on NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.history.files import read_history
from conformance.history import changes
from conformance.results import Aspect
from tests.real.conftest import require

TARGET = "keras3-ops-numpy"
FUNCTION = "keras.ops.argsort"


@pytest.mark.slow
def test_keras_3_15_checks_the_axis_of_argsort(tmp_path: Path) -> None:
    require(TARGET)
    program = str(Path(sys.executable).with_name("conformance"))
    selected = ("-k", FUNCTION, "--aspect", "error", "-o", str(tmp_path))
    done = subprocess.run(
        [program, "history", TARGET, "--versions", "3.14.0,3.15.0", *selected],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs = read_history(tmp_path)[TARGET]
    assert [(c.version, c.function, c.aspect, c.fixed) for c in changes(runs)] == [
        ("3.15.0", FUNCTION, Aspect.ERROR, True)
    ]
