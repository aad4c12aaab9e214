"""A reader that cannot import the suite rejects altered vectors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.vectors.safetensors import StoredTensor
from tests.vectors.support import altered, first_vector, small_tasks, write

READER = Path(__file__).parent / "independent.py"
Change = Callable[[dict[str, Any], dict[str, StoredTensor]], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("vectors"), small_tasks(["softmax", "exp"]))


def reading(folder: Path) -> subprocess.CompletedProcess[str]:
    """The reader's answer, in a process that has NumPy and not the suite."""
    place = Path(np.__file__).parents[1]
    start = f"import sys; sys.path.append({str(place)!r}); sys.argv = ['', {str(folder)!r}]"
    hide = "sys.modules['conformance'] = None"  # an import of it fails
    code = f"{start}; {hide}; exec(compile(open({str(READER)!r}).read(), 'reader', 'exec'))"
    command = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def number(name: str) -> Change:
    """One number of a tensor is a thousandth and 1e-3 larger."""

    def change(data: dict[str, Any], tensors: dict[str, StoredTensor]) -> None:
        expected = first_vector(data)["expected"]
        array = tensors[expected[name]].array.copy()
        array.flat[0] = array.flat[0] * 1.001 + 1e-3
        tensors["altered"] = tensors[expected[name]]._replace(array=array)
        expected[name] = "altered"

    return change


def dtype(data: dict[str, Any], _: dict[str, StoredTensor]) -> None:
    expected = first_vector(data)["expected"]
    expected["dtype"] = "float64" if expected["dtype"] == "float32" else "float32"


def shape(data: dict[str, Any], _: dict[str, StoredTensor]) -> None:
    first_vector(data)["expected"]["shape"].append(1)


def test_vectors_are_accepted(folder: Path) -> None:
    answer = reading(folder)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (number("value"), "bound of vector"),
        (number("bound"), "bound of vector"),
        (number("lower"), "bound of vector"),
        (number("upper"), "bound of vector"),
        (dtype, "dtype of vector"),
        (shape, "shape of vector"),
    ],
    ids=["value", "bound", "lower", "upper", "dtype", "shape"],
)
def test_one_change_is_rejected(folder: Path, tmp_path: Path, change: Change, says: str) -> None:
    signed = reading(altered(folder, tmp_path / "signed", "softmax", change))
    assert signed.returncode == 1
    assert signed.stderr.startswith(f"rejected: {says}")
    unsigned = reading(altered(folder, tmp_path / "other", "softmax", change, checksums=False))
    assert unsigned.returncode == 1
    assert "has another checksum" in unsigned.stderr
