"""The reference knows no less of shapes before evaluation than TensorFlow 1.14."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from tests.real.conftest import require

TARGET = "keras-2.2.4-tensorflow"
SUITE = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("static_shapes.py")
Shapes = dict[str, list[int | None] | str]


def shapes(python: str, module: str, environment: dict[str, str]) -> Shapes:
    """What an implementation says of every call."""
    command = [python, str(SCRIPT), module]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shapes_by_function: Shapes = json.loads(done.stdout.splitlines()[-1])
    return shapes_by_function


def less(mine: list[int | None] | str, other: list[int | None] | str) -> bool:
    """Whether one answer says less than another, or contradicts it; a refusal says nothing."""
    if isinstance(other, str):
        return False
    if isinstance(mine, str) or len(mine) != len(other):
        return True
    return any(b is not None and a != b for a, b in zip(mine, other, strict=True))


REFUSED = {"K.slice(P(N,3,N), [0,1,0], [-1,2,-1])"}
"""A size of -1, which no document knows."""


def test_no_shape_says_less_than_that_of_tensorflow() -> None:
    require(TARGET)
    target = shipped()[TARGET]
    python = str(environments.interpreter(target))
    theirs = shapes(python, "keras.backend", environments.launch_environment(target))
    own = os.environ | {"PYTHONPATH": str(SUITE)}
    ours = shapes(sys.executable, "conformance.reference", own)
    assert {call for call in theirs if less(ours[call], theirs[call])} == REFUSED
    assert len(theirs) > 200
    assert sum(isinstance(shape, list) for shape in theirs.values()) > 200
