"""A package of keras.ops functions that has nothing of `K`: what it violates has scripts that run
under the package alone, and see the fault where it is and not where it was mended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.adapters.session import Session
from conformance.engine import Subject
from conformance.engine.running.probing import PROBE
from conformance.results import Failure, Verdict
from conformance.results.events import WorkerRestarted
from conformance.scripts import Prelude
from tests.adapters.ops_packages import CONVERTS, NAME, launched, package
from tests.engine.support import TINY, examine

RIGHT = """
def tril(x, k=0):
    return np.tril(x, k)
def relu(x):
    return np.maximum(x, np.zeros_like(x))
def squeeze(x, axis=None):
    x = x if hasattr(x, "dtype") else np.asarray(x, "float32")
    return np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)
"""
WRONG = """
def tril(x, k=0):
    return np.tril(x, k) * 2
def relu(x):
    x = np.asarray(x)
    x[...] = np.maximum(x, 0) * (x < 2)
    return x
def squeeze(x, axis=None):
    return np.squeeze(x, axis).reshape(-1)
"""
FUNCTIONS = ("keras.ops.tril", "keras.ops.relu", "keras.ops.squeeze")


def subject_of(folder: Path) -> Subject:
    """The package as `conformance run` sees it."""
    prelude = Prelude(
        (f"from {NAME} import ops as K",), package=NAME, paths=(str(folder),), eager=True
    )
    return Subject(
        NAME,
        "keras-3",
        "a package",
        lambda names, _: Session(launched(folder), functions=names),
        prelude,
    )


def status(script: str) -> tuple[int, str]:
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-B", "-"],
        input=script,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("makes", [CONVERTS, ""], ids=["tensors", "arrays"])
def test_scripts_see_the_fault_and_what_mends_it(tmp_path: Path, makes: str) -> None:
    package(tmp_path, makes, WRONG)
    failures = violations(tmp_path)
    assert {f"keras.ops.{name}" for name in ("tril", "relu", "squeeze")} == {*failures}
    scripts = [f.script for failure in failures.values() for f in failure if f.script]
    assert [status(s)[0] for s in scripts] == [1] * len(scripts)
    package(tmp_path, makes, RIGHT)
    assert [status(s)[0] for s in scripts] == [0] * len(scripts)
    package(tmp_path, makes)
    endings = [status(s) for s in scripts]
    assert [code for code, _ in endings] == [1] * len(scripts), "the functions are gone"
    assert all("AttributeError" in text or "ImportError" in text for _, text in endings)


def violations(folder: Path) -> dict[str, list[Failure]]:
    failures: dict[str, list[Failure]] = {}
    for name, _, failure in examine(subject_of(folder), FUNCTIONS).failures():
        if failure.verdict is Verdict.VIOLATES or failure.kind == "changed-input":
            failures.setdefault(name, []).append(failure)
    return failures


def test_a_right_package_is_tested_without_constant(tmp_path: Path) -> None:
    """Scenarios make tensors by `constant`, which no package of keras.ops has."""
    package(tmp_path, CONVERTS, RIGHT)
    outcome = examine(subject_of(tmp_path), FUNCTIONS)
    assert outcome.failures(Verdict.VIOLATES) == []
    messages = [f.message for *_, f in outcome.failures() if "no function constant" in f.message]
    assert messages == []
    (squeezed,) = (f for f in outcome.results.functions if f.function == "keras.ops.squeeze")
    verdicts = {str(a.aspect): a.verdict for a in squeezed.aspects}
    assert verdicts["value"] is Verdict.CONFORMS


def test_probes_call_the_square_of_the_package(tmp_path: Path) -> None:
    package(tmp_path, CONVERTS, RIGHT, "def square(x):\n    import os\n    os._exit(3)")
    seen = examine(subject_of(tmp_path), ("keras.ops.tril",), TINY)
    lost = [e for e in seen.events if isinstance(e, WorkerRestarted)]
    assert {(loss.function, loss.reason) for loss in lost} == {(PROBE, "exit status 3")}
    assert not seen.failures(Verdict.CRASHED)
