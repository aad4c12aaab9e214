"""Keras 2.2.4 trains the same models on the reference as on TensorFlow 1.14."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from tests.real.conftest import require

TARGET = "keras-2.2.4-tensorflow"
SUITE = Path(__file__).parents[2]
SCRIPT = SUITE / "benchmarks" / "keras_training.py"
MODELS, OPTIMIZERS, STEPS = ("mlp", "lstm"), ("SGD", "Adam"), 20
PURE = ("keras", "keras_applications", "keras_preprocessing", "six.py")
"""What of the environment any Python can import."""


def train(python: str, file: Path, environment: dict[str, str], *options: str) -> dict[str, object]:
    """The curves that an interpreter writes."""
    command = [python, str(SCRIPT), "train", str(file), "--steps", str(STEPS), *options]
    command += ["--models", *MODELS, "--optimizers", *OPTIMIZERS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    curves: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))["curves"]
    return curves


def linked(packages: Path, folder: Path) -> Path:
    """A folder with nothing but Keras."""
    folder.mkdir()
    for name in PURE:
        (folder / name).symlink_to(packages / name)
    return folder


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], dict[str, object]]:
    """The curves of TensorFlow, with simultaneous updates, and of the reference."""
    require(TARGET)
    folder = tmp_path_factory.mktemp("keras")
    target = shipped()[TARGET]
    python = str(environments.interpreter(target))
    launch = environments.launch_environment(target)
    theirs = train(python, folder / "theirs.json", launch, "--simultaneous")
    (packages,) = Path(python).parents[1].glob("lib/python*/site-packages")
    path = os.pathsep.join([str(SUITE), str(linked(packages, folder / "packages"))])
    own = {"KERAS_BACKEND": "conformance.reference", "KERAS_HOME": str(folder), "PYTHONPATH": path}
    ours = train(sys.executable, folder / "ours.json", os.environ | own)
    return theirs, ours


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("target", [TARGET])  # tests of one target stay in one process
def test_loss_curves_agree(
    curves: tuple[dict[str, object], dict[str, object]], target: str, model: str, optimizer: str
) -> None:
    del target
    theirs, ours = (curve[model][optimizer]["losses"] for curve in curves)  # type: ignore[index]
    assert len(theirs) == len(ours) == STEPS
    assert theirs[0] != theirs[-1]
    np.testing.assert_allclose(ours, theirs, rtol=2e-6)
