"""The case that is shown of a planted fault shows that fault: numbers of the region in which it is,
inside of the domains of the spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.results import Array as Numbers
from conformance.results import Aspect, Failure, Verdict
from tests.adapters.ops_packages import CONVERTS, package
from tests.engine.support import examine
from tests.engine.test_ops_packages import status, subject_of

Array = npt.NDArray[Any]
Shown = Mapping[str, Array]

TRUNCATES = """
def floor_divide(x1, x2):
    with np.errstate(all='ignore'):
        return np.trunc(np.true_divide(x1, x2)).astype(np.result_type(x1, x2))
"""
FLOORS = """
def floor_divide(x1, x2):
    return np.floor_divide(x1, x2)
"""
OF_ONE = """
def {name}(x):
    x = np.asarray(x)
    right = {right}
    return np.where({where}, {wrong}, right).astype(right.dtype)
"""
"""A function that is wrong in a region."""


def of_one(name: str, right: str, where: str, wrong: str) -> str:
    return OF_ONE.format(name=name, right=right, where=where, wrong=wrong)


FAULTS: dict[str, tuple[str, Callable[[Shown], Array]]] = {
    "sqrt": (
        of_one("sqrt", "np.sqrt(x)", "(x > 2) & (x < 5)", "right * 1.1"),
        lambda a: (a["x"] > 2) & (a["x"] < 5),
    ),
    "log": (
        of_one("log", "np.log(x)", "abs(x - 1) < 0.3", "0"),
        lambda a: (abs(a["x"] - 1) < 0.3) & (a["x"] != 1),
    ),
    "exp": (of_one("exp", "np.exp(x)", "x > 2", "1 + x"), lambda a: a["x"] > 2),
    "tanh": (of_one("tanh", "np.tanh(x)", "x > 1.5", "1"), lambda a: a["x"] > 1.5),
    "sign": (of_one("sign", "np.sign(x)", "x == 0", "1"), lambda a: a["x"] == 0),
    "arcsin": (
        of_one("arcsin", "np.arcsin(x)", "x > 0.5", "-right"),
        lambda a: (a["x"] > 0.5) & (a["x"] <= 1),
    ),
    "rsqrt": (
        of_one("rsqrt", "1 / np.sqrt(x)", "x > 3", "np.nan"),
        lambda a: (a["x"] > 3) & np.isfinite(a["x"]),
    ),
    "maximum": (
        """
def maximum(x1, x2):
    wrong = (np.asarray(x1) < 0) & (np.asarray(x2) < 0)
    return np.where(wrong, x1, np.maximum(x1, x2)).astype(np.result_type(x1, x2))
""",
        lambda a: (a["x"] < a["y"]) & (a["y"] < 0),
    ),
    "divide": (
        """
def divide(x1, x2):
    return np.divide(x1, np.abs(x2))
""",
        lambda a: (a.get("y", a["x"]) < 0) & np.isfinite(a["x"]),
    ),
    "fmod": (
        """
def fmod(x1, x2):
    return np.mod(x1, x2)
""",
        lambda a: (np.sign(a["x"]) * np.sign(a["y"]) < 0) & (np.fmod(a["x"], a["y"]) != 0),
    ),
    "sum": (
        """
def sum(x, axis=None, keepdims=False):
    axis = tuple(axis) if isinstance(axis, list) else axis
    return np.sum(np.where(np.asarray(x) < -1, 0, x), axis, keepdims=keepdims)
""",
        lambda a: (a["x"] < -1) & np.isfinite(a["x"]),
    ),
    "clip": (
        """
def clip(x, x_min, x_max):
    return np.maximum(x, x_min).astype(np.asarray(x).dtype)
""",
        lambda a: a["x"] > 0,
    ),
}
"""A fault in a function of keras.ops, and where it shows."""


def violations(folder: Path, name: str, source: str, seed: int) -> list[Failure]:
    """The wrong values that are shown of a package with one function."""
    package(folder, CONVERTS, source)
    every = examine(subject_of(folder), [f"keras.ops.{name}"], seed=seed).failures()
    violating = [f for _, a, f in every if a is Aspect.VALUE and f.verdict is Verdict.VIOLATES]
    assert violating, "the fault is not seen"
    return violating


def numbers(failure: Failure) -> Shown:
    """The inputs of the shown case."""
    assert failure.inputs is not None
    return {name: array(record) for name, record in failure.inputs.items()}


def array(stored: Numbers) -> Array:
    return np.array(stored.data, stored.dtype).reshape(stored.shape)


@pytest.mark.parametrize("seed", range(5))
def test_a_division_that_truncates_is_shown_as_such(tmp_path: Path, seed: int) -> None:
    failures = violations(tmp_path, "floor_divide", TRUNCATES, seed)
    for failure in failures:
        x, y = np.broadcast_arrays(*numbers(failure).values())
        assert y.all(), "a divisor of 0 is outside of the domain"
        wrong = np.floor_divide(x, y) != np.trunc(x / y)
        assert wrong.any()
        assert isinstance(failure.got, Numbers)
        assert isinstance(failure.expected, Numbers)
        assert (array(failure.expected) - array(failure.got) == -1).any()
    package(tmp_path, CONVERTS, FLOORS)
    assert [status(str(failure.script))[0] for failure in failures] == [0] * len(failures)


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_shown_is_where_the_fault_is(tmp_path: Path, name: str) -> None:
    source, region = FAULTS[name]
    for failure in violations(tmp_path, name, source, seed=1):
        assert region(numbers(failure)).any(), failure.message
