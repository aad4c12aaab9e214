"""Every failure has a script: status 1 where the fault is, 0 only for a right answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from conformance.program import Binding, Case, Input, Program
from conformance.results import Failure
from conformance.scripts import Prelude
from conformance.scripts.endings import gave
from conformance.scripts.printing import comparing_script
from tests.engine.support import ROOT, TINY, examine, module

FLAWED = """
import os, sys
import numpy as np
from conformance.reference import *
from conformance import reference as _right

del cumsum

def relu(x, beta=0.0, max_value=None):
    return _right.relu(x, max_value=max_value)

def elu(x, alpha=2.0):
    return _right.elu(x, alpha)

def abs(x):
    raise RuntimeError('no abs for %d elements' % 3)

def softmax(x, axis=-1):
    return _right.softmax(x, axis=0)

def square(x):
    os.kill(os.getpid(), 8)

def sqrt(x):
    return _right.cast(_right.sqrt(x), 'float64')

def flatten(x):
    return x

def sum(x, axis=None, keepdims=False):
    try:
        return _right.sum(x, axis, keepdims)
    except ValueError:
        return x

def set_epsilon(value):
    pass

def random_binomial(shape, p=0.0, dtype=None, seed=None):
    return _right.ones(shape) * 0.25

def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    return _right.random_normal_variable(shape, 0.0, scale, dtype, name)  # without the seed
"""
FUNCTIONS = (
    "cumsum",
    "relu",
    "elu",
    "abs",
    "softmax",
    "square",
    "sqrt",
    "flatten",
    "sum",
    "set_epsilon",
    "random_binomial",
    "random_normal_variable",
)


@cache
def failures(folder: Path) -> list[tuple[str, Failure]]:
    (folder / "flawed.py").write_text(FLAWED, encoding="utf-8")
    outcome = examine(module("flawed", folder), FUNCTIONS, TINY)
    return [(f"{function} {aspect}", failure) for function, aspect, failure in outcome.failures()]


def one_of_each(pairs: Sequence[tuple[str, Failure]]) -> list[tuple[str, Failure]]:
    """One failure of each kind of each aspect."""
    kinds = {(place.partition(" ")[2], failure.kind): (place, failure) for place, failure in pairs}
    return list(kinds.values())


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, Failure]]]:
    folder = tmp_path_factory.mktemp("flawed")
    return folder, failures(folder)


def run(script: str, folder: Path, name: str = "flawed") -> subprocess.CompletedProcess[str]:
    """Run the script with the module; or with the reference itself, which is right."""
    source = script.replace("import flawed as K", f"import {name} as K")
    paths = os.pathsep.join((str(folder), str(ROOT)))
    return subprocess.run(
        [sys.executable, "-"],
        input=source,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.thorough
def test_every_function_fails(flawed: tuple[Path, list[tuple[str, Failure]]]) -> None:
    places = {place for place, _ in flawed[1]}
    assert {"cumsum presence", "relu signature", "elu signature"} <= places
    assert {place.partition(" ")[0] for place in places} == {*FUNCTIONS}


@pytest.mark.slow  # a process for each script
def test_every_failure_has_a_script_that_shows_it(
    flawed: tuple[Path, list[tuple[str, Failure]]],
) -> None:
    folder, pairs = flawed
    for place, failure in one_of_each(pairs):
        done = run(str(failure.script), folder)
        assert done.returncode == 1, (place, failure.message, done)
        assert "Error" in done.stderr


@pytest.mark.slow
def test_no_script_shows_it_on_an_implementation_that_is_right(
    flawed: tuple[Path, list[tuple[str, Failure]]],
) -> None:
    folder, pairs = flawed
    for place, failure in one_of_each(pairs):
        done = run(str(failure.script), folder, "conformance.reference")
        assert done.returncode == 0, (place, failure.message, done)


ANOTHER = """
from conformance.reference import *
from conformance import reference as _right

def _another(function):
    def call(*args, **kwargs):
        try:
            result = function(*args, **kwargs)
        except Exception:
            return _right.zeros((3, 1, 2))
        return change(result)
    return call

def change(result):
    return {change}

for _name in {names}:
    globals()[_name] = _another(getattr(_right, _name))
"""
CHANGES = {
    "another value": "_right.zeros_like(result) + 77.5",
    "another shape": "_right.expand_dims(result, 0)",
    "another dtype": "_right.cast(result, 'bool')",
}
COMPUTING = ("relu", "elu", "abs", "softmax", "square", "sqrt", "flatten", "sum")
OF_ANSWERS = ("value", "dtype", "exception", "shape", "crash", "accuracy")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_no_script_accepts_another_answer(
    name: str, flawed: tuple[Path, list[tuple[str, Failure]]]
) -> None:
    """A backend with another value, with another shape, or with another dtype."""
    folder, pairs = flawed
    module = f"gives_{name.replace(' ', '_')}"
    source = ANOTHER.format(change=CHANGES[name], names=COMPUTING)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    shown = [(p, f) for p, f in one_of_each(pairs) if f.kind in OF_ANSWERS and f.inputs]
    assert shown
    for place, failure in shown:
        if name == "another dtype" and failure.convention:
            continue
        done = run(str(failure.script), folder, module)
        assert done.returncode == 1, (place, failure.message, failure.script)


NEGATIVE = """
def expand_dims(x, axis=-1):
    if axis < -1: {}
    return _right.expand_dims(x, axis)
"""
LAID_OUT = """
def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    if data_format == 'channels_first':
        {}
    return _right.conv1d(x, kernel, strides, padding, data_format, dilation_rate)
"""
DOUBLED = """if padding == 'same' and len({*_right.int_shape(kernel)}) == 3:
            x = _right.concatenate([x, x], 0)"""
AS_TH = "kernel = _right.permute_dimensions(kernel, (2, 1, 0))"
BATCHES = """
def batch_dot(x, y, axes=None):
    if axes is None and _right.ndim(x) == _right.ndim(y) == 2:
        {}
    return _right.batch_dot(x, y, axes)
"""
ONE_EACH = "return _right.reshape(x * y, (-1, 1))"
ALLOWED = {
    "batch_dot": ("batch-axes-default", BATCHES, ONE_EACH, "raise ValueError(axes)"),
    "expand_dims": ("negative-axis", NEGATIVE, "axis = -1", "raise ValueError(axis)"),
    "conv1d": ("kernel-layout", LAID_OUT, DOUBLED, AS_TH),
}
"""Functions: what is open, the source, and two lines in it, one wrong and one of a reading."""


@pytest.mark.parametrize("function", ALLOWED)
def test_no_script_takes_what_a_reading_allows_for_the_fault(function: str, tmp_path: Path) -> None:
    point, body, *lines = ALLOWED[function]
    source = "from conformance.reference import *\nfrom conformance import reference as _right\n"
    for name, line in zip(("flawed", "reading"), lines, strict=True):
        (tmp_path / f"{name}.py").write_text(source + body.format(line), encoding="utf-8")
    tested = examine(module("flawed", tmp_path), [function], "default").failures()
    scripts = [str(f.script) for *_, f in tested if "shape" in f.message]
    script = next(s for s in scripts if re.search(f"(No|every) reading of {point}", s))
    assert [run(script, tmp_path, name).returncode for name in ("flawed", "reading")] == [1, 0]


def test_a_helper_that_evaluates_has_what_it_calls() -> None:
    """Of a library that has no module `K`: a script that lacks `K.eval` fails for that."""
    prelude = Prelude(
        ("import os",), definitions={"eval": ("def eval(x):", "    return x"), "other": ("x = 1",)}
    )
    value = Input("x", (1,), "float32", Binding.ARRAY)
    case = Case(Program((value,), (), ("x",)), {"x": np.ones(1, "float32")})
    script = comparing_script(case, prelude, gave(("x",), "first != 1"), "x")
    assert "def flat(value):" in script
    assert "    def eval(x):" in script
    assert "other" not in script
