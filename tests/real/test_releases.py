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
FUNCTION = "keras.ops.layer_normalization"


@pytest.mark.slow
def test_keras_3_12_breaks_layer_normalization_in_float64(tmp_path: Path) -> None:
    # 3.11.3 computes it in float64, and 3.12.0 in float32 at most
    require(TARGET)
    program = str(Path(sys.executable).with_name("conformance"))
    selected = ("-k", FUNCTION, "--aspect", "value", "-o", str(tmp_path))
    done = subprocess.run(
        [program, "history", TARGET, "--versions", "3.10.0,3.11.3,3.12.0", *selected],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs = read_history(tmp_path)[TARGET]
    assert runs[0].absent  # 3.10 does not have the function
    assert [(c.version, c.function, c.aspect, c.fixed) for c in changes(runs)] == [
        ("3.12.0", FUNCTION, Aspect.VALUE, False)
    ]
