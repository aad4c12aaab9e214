"""Run a printed script under its library alone, and see whether it shows what is claimed."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.results import Array, Failure

_NAMES = {"array": np.array, "np": np, "nan": np.nan, "inf": np.inf, "__builtins__": {}}
_NAMES |= {name: getattr(np, name) for name in ("float16", "float32", "float64", "int32", "int64")}


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
    """Whether the process shows the failure: the exception, the signal or the wrong array."""
    if failure.kind == "crash":
        return answered.status < 0
    if isinstance(failure.got, str):
        raised = f"{failure.got.partition(':')[0]}: "
        return answered.status == 1 and any(raised in x for x in answered.errors.splitlines())
    assert failure.got is not None
    return answered.status == 0 and _same(_last(answered.output), failure.got)


def _last(output: str) -> Any:
    """The array that was printed last: from the last line that is not indented.

    Before it come dtype and shape, and what the library itself has to say.
    """
    text = re.split(r"\n(?=\S)", output.strip())[-1]
    value = eval(text, dict(_NAMES))
    return np.asarray(value[0] if isinstance(value, list) else value)


def _same(printed: Any, got: Array) -> bool:
    data = np.array([float(x) for x in got.data]).reshape(got.shape)
    return printed.shape == data.shape and np.allclose(printed, data, rtol=1e-5, equal_nan=True)
