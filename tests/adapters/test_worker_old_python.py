"""The worker on the oldest interpreter that it supports, CPython 3.6 with a NumPy of its time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.layout import WORKER
from conformance.adapters.session import Session
from conformance.observations import Returned
from tests.adapters.support import arrays, batch, call, launch, negative_at, x


def _pyenv(version: str) -> Path | None:
    """The newest interpreter of this version that pyenv has."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    interpreters = sorted(root.glob(f"versions/{version}.*/bin/python"))
    return interpreters[-1] if interpreters else None


def _python36() -> str:
    """An interpreter named by CONFORMANCE_PYTHON36, or pyenv's; skips without one."""
    python = os.environ.get("CONFORMANCE_PYTHON36") or _pyenv("3.6")
    if python is None:
        pytest.skip("no CPython 3.6: pyenv has none and CONFORMANCE_PYTHON36 names none")
    return str(python)


def test_the_worker_compiles_on_3_6(tmp_path: Path) -> None:
    copy = shutil.copytree(WORKER, tmp_path / "worker", ignore=shutil.ignore_patterns("__pyc*"))
    command = [_python36(), "-m", "compileall", "-q", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_worker_runs_on_3_6() -> None:
    python = _python36()
    have_numpy = subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False)
    if have_numpy.returncode:
        pytest.skip(f"{python} has no NumPy; CONFORMANCE_PYTHON36 may name one that has")
    with Session(launch("crashes", python=python, FAKE_END="exit"), functions=["exp"]) as session:
        assert session.identity.python.startswith("3.6.")
        assert session.identity.functions["exp"].signature is not None
        for binding in ("variable", "constant", "placeholder", "placeholder_none"):
            asked = batch(call("softmax", x(2, 3, binding=binding)))
            assert np.stack(arrays(session.run_batch(asked))).sum() == pytest.approx(8)
        outcomes = [type(draw.outcome) for draw in session.run_batch(negative_at(1)).draws]
    assert outcomes.count(Returned) == 3
