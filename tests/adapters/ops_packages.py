"""Packages that have functions of keras.ops in NumPy, and nothing of `K`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance.adapters.process import Launch

NAME = "mine"
CONVERTS = """
class Tensor(np.ndarray):
    pass

def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    dtype = 'float32' if dtype == 'bfloat16' else dtype
    return np.asarray(x, dtype).view(Tensor)
"""
"""A way to make tensors, which takes bfloat16 for float32."""
TRIL = """
def tril(x, k=0):
    return np.tril(x, k)
"""
WRONG_TRIL = """
def tril(x, k=0):
    return np.tril(x, k) * 2
"""


def package(folder: Path, *sources: str, name: str = NAME) -> Path:
    """Write a package whose `ops` has these sources; the folder that it is imported from."""
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / "__init__.py").write_text(f"from {name} import ops\n", encoding="utf-8")
    text = "\n".join(("import numpy as np", *sources))
    (place / "ops.py").write_text(text, encoding="utf-8")
    return folder


def launched(folder: Path) -> Launch:
    """How the worker of such a package is started."""
    paths = {"PYTHONPATH": os.fspath(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return Launch(sys.executable, f"{NAME}.ops", "eager", paths)
