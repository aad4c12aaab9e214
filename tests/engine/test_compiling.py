"""Compiled calls: for batches of any length where each example has a result of its own."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.engine import Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.planning.compiling import _in_batches
from conformance.engine.planning.profiles import DEFAULT
from conformance.program import Ref
from conformance.program.model import COMPILED
from conformance.specs import load


def task_of(function: str) -> Task:
    (task,) = plan(load(), "keras-3", DEFAULT, 0, select=lambda name: name == function)
    return task


def batches(function: str) -> list[list[str]]:
    """The names of the tensors with batches, of each compiled call that has some."""
    trials = (trial for trial in task_of(function).trials() if isinstance(trial, CallTrial))
    steps = [step for trial in trials for step in trial.prepared.structure.program.steps]
    marks = [step.args[1] for step in steps if step.function == COMPILED]
    return [[ref.name for ref in m if isinstance(ref, Ref)] for m in marks if isinstance(m, list)]


@pytest.mark.parametrize("function", ["relu", "unfold", "softmax", "conv", "image.gaussian_blur"])
def test_a_function_of_examples_is_compiled_for_batches_of_any_length(function: str) -> None:
    assert batches(f"keras.ops.{function}")


@pytest.mark.parametrize("function", ["cholesky", "psnr", "ravel", "outer", "reshape", "size"])
def test_a_function_of_the_whole_tensor_is_not(function: str) -> None:
    assert not batches(f"keras.ops.{function}")


def test_a_kernel_is_no_batch() -> None:
    assert all(names[0] == "x" and "kernel" not in names for names in batches("keras.ops.conv"))


def test_a_call_that_names_the_first_axis_has_no_batch() -> None:
    task = task_of("keras.ops.softmax")
    way = partial(_in_batches, task._call)
    calls = [p.structure for p in task.prepared() if len(p.structure.program.inputs[0].shape) > 1]
    along = [call for call in calls if call.arguments.get("axis") == 0]
    assert along
    assert not any(map(way, along))
    assert any(way(call) for call in calls if call.arguments.get("axis") == -1)
