"""What the suite holds of the docstrings of Keras 3, and the installed package."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import conformance
from conformance.adapters.layout import venv_folder, venv_python
from conformance.adapters.registry import shipped
from tests.real.conftest import require

TARGET = "keras3-numpy"
ROOT = Path(__file__).parents[2]
LIST = Path(conformance.__file__).parent / "editions/keras-3/documents/keras-3.15.1.yaml"


def test_the_list_is_what_the_installed_package_holds() -> None:
    require(TARGET)
    venv = shipped()[TARGET].venv
    assert venv is not None
    made = subprocess.run(
        [venv_python(venv_folder(venv)), ROOT / "tools" / "keras3_document.py"],
        env={**os.environ, "KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert made.stdout == LIST.read_text("utf-8")
