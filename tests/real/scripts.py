"""Run a printed script under its library alone, and see whether it shows what is claimed."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.results import Failure


@dataclass(frozen=True, slots=True)
class Answer:
    """What a script's process gave."""

    status: int
    output: str
    errors: str


def answer(target: str, script: str, folder: Path, seconds: float = 120) -> Answer:
    """Run the script in the target's interpreter, where this suite cannot be imported.

    subprocess.TimeoutExpired if it takes longer than `seconds`.
    """
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
        timeout=seconds,
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
    """Whether the process shows the failure: its status, and in its errors what it gave."""
    if answered.status != 1:
        return False
    if failure.kind == "crash":
        return "AssertionError: ended by signal" in answered.errors
    if isinstance(failure.got, str):
        return failure.got.partition(":")[0] in answered.errors
    if failure.got is None or "AssertionError" not in answered.errors:
        return "AssertionError" in answered.errors
    shape = tuple(failure.got.shape)
    if re.search(r"AssertionError: \((\d+, ?)*\d*\)", answered.errors):
        return f"AssertionError: {shape}" in answered.errors
    elements = ("Mismatched elements", "AssertionError: (array(", f"(shapes {shape}, ")
    return any(text in answered.errors for text in elements)
