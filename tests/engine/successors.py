"""A small successor of K: a table of calls of NumPy, one of them changed, one of them deadly."""

from __future__ import annotations

from pathlib import Path

from conformance.adapters import registry
from conformance.adapters.target_records import Target

CALLS = {"exp": "numpy.exp(x) + 1", "sqrt": "numpy.sqrt(x)", "abs": "os.abort()"}
"""What replaces each function under test."""
TABLE = """\
imports = ["import numpy", "import os"]
eager_inputs = true

[functions.variable]
old = "value, dtype=None"
new = "numpy.array(value, dtype)"

[functions.constant]
old = "value, dtype=None"
new = "numpy.array(value, dtype)"

[functions.dtype]
old = "x"
new = "x.dtype.name"

[functions.int_shape]
old = "x"
new = "x.shape"

[functions.eval]
old = "x"
new = "x"
"""
TARGET = """\
[targets.mine]
module = "numpy"
edition = "keras-2.2"
mapping = "calls.toml"
family = "eager"
"""


def write(folder: Path, *, successor: bool = True) -> Path:
    """The file of targets, with its table beside it."""
    rows = [f'[functions.{name}]\nold = "x"\nnew = "{call}"\n' for name, call in CALLS.items()]
    (folder / "calls.toml").write_text("\n".join([TABLE, *rows]), encoding="utf-8")
    file = folder / "conformance.toml"
    file.write_text(TARGET + ("successor = true\n" if successor else ""), encoding="utf-8")
    return file


def target(folder: Path, *, successor: bool = True) -> Target:
    """The target of such a file."""
    return registry.load(write(folder, successor=successor))["mine"]
