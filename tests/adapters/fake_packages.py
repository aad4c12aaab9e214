"""Make wheels by hand, so that tests make real environments and download nothing."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import msgspec
import numpy

from conformance.adapters.target_records import Target, Venv

WORKS = """
__version__ = "1.0"
import numpy
def variable(value, dtype=None): return numpy.asarray(value, dtype)
def softmax(x): return numpy.exp(x) / numpy.exp(x).sum(-1, keepdims=True)
def eval(x): return x
"""
WRONG = WORKS + "def softmax(x): return x\n"
BREAKS = "raise ImportError('no engine underneath')\n"


def wheel(
    folder: Path, source: str, name: str = "fake_backend", needs: tuple[str, ...] = ()
) -> str:
    """Make a wheel with one module; return the requirement that names it."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        + "".join(f"Requires-Dist: {package}\n" for package in needs),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(file, text)
    return f"{name} @ {path.as_uri()}"


def fake_target(folder: Path, source: str = WORKS, name: str = "fake") -> Target:
    """A target on the running interpreter whose package is a wheel of this source.

    Its worker needs NumPy, and imports that of the running interpreter.
    """
    folder.mkdir(parents=True, exist_ok=True)
    venv = Venv(name=name, python=(sys.executable,), requirements=(wheel(folder, source),))
    return Target(
        name=name,
        module="fake_backend",
        edition="keras-2.2",
        library=name,
        implementation="a fake",
        family="eager",
        venv=venv,
        environment={"PYTHONPATH": str(Path(numpy.__file__).parent.parent)},
    )


def with_requirements(target: Target, *requirements: str) -> Target:
    """The same target with other packages in its environment."""
    assert target.venv is not None
    venv = msgspec.structs.replace(target.venv, requirements=requirements)
    return msgspec.structs.replace(target, venv=venv)
