"""Run a printed script under its library alone, and see whether it shows what is claimed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.results import Array, Failure


@dataclass(frozen=True, slots=True)
class Answer:
    """What a script's process gave."""

    status: int
    output: str
    errors: str


def answer(target: str, script: str, folder: Path) -> Answer:
    """Run the script in the target's interpreter, where this suite cannot be imported."""
    described = shipped()[target]
    environment = environments.launch_environment(described)
    for name in ("KERAS_BACKEND", "PYTHONPATH"):  # the script itself has to see to it
        environment.pop(name, None)
    file = folder / "failure.py"
    file.write_text(f"{_ALONE}\n{script}", encoding="utf-8")
    done = subprocess.run(
        [environments.interpreter(described), str(file)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


_ALONE = """
try:
    import conformance
except ImportError:
    pass
else:
    raise SystemExit("the suite can be imported here")
"""


def shows(answered: Answer, failure: Failure) -> bool:
    """Whether the process shows the failure: its status, and in its last line what came."""
    if answered.status != 1 or not answered.output.strip():
        return False
    expected, _, came = answered.output.strip().splitlines()[-1].partition("; got ")
    if not (expected.startswith("expected ") and came):
        return False
    if failure.kind == "crash":
        return came.startswith("an end by ")
    if isinstance(failure.got, str):
        return came.startswith(failure.got.partition(":")[0])
    if failure.got is None:
        return True
    return _names_an_element(came, failure.got)


def _names_an_element(came: str, got: Array) -> bool:
    """Whether the words name a shape, or an element of the array."""
    if came.startswith("shape "):
        return came == f"shape {tuple(got.shape)}"
    value = float(came.partition(" at ")[0].replace("True", "1").replace("False", "0"))
    return any(np.isclose(float(x), value, rtol=1e-5, equal_nan=True) for x in got.data)
