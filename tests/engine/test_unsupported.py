"""What an implementation says it does not support is not a violation, in any aspect."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import UNSET

from conformance.adapters.process import Launch
from conformance.engine import PROFILES
from conformance.results import Aspect, Verdict
from conformance.results.events import CasesDone
from conformance.scripts import Prelude
from tests.engine.support import QUICK, TINY, examine, module, subject

SOME = replace(
    PROFILES["smoke"],
    name="some",
    structures=30,
    values=("ordinary",),
    gradients=12,
    shrink=2,
    contains=None,
)

REFUSES = """
from conformance.reference import *

def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid",
                     data_format=None, dilation_rate=(1, 1)):
    raise NotImplementedError
"""
SINGLE = """
from conformance import reference
from conformance.reference import *

def tanh(x):
    if dtype(x) == "float64":
        raise TypeError("no kernel for float64")
    return reference.tanh(x)

def sigmoid(x):
    if dtype(x) == "float32":
        raise TypeError("no kernel for float32")
    return reference.sigmoid(x)

def exp(x):
    return reference.exp(x) * (2 if dtype(x) == "float64" else 1)

def reshape(x, shape):
    return cast(cast(reference.reshape(x, shape), "float32"), dtype(x))
"""
FLAT = """
from conformance import reference
from conformance.reference import *

def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return flatten(reference.categorical_crossentropy(target, output, from_logits, axis))

def mean(x, axis=None, keepdims=False):
    return flatten(reference.mean(x, axis, keepdims))
"""
ENDS = """
import os
import numpy as np
from conformance import reference
from conformance.reference import *

def variable(value, dtype=None, name=None, constraint=None):
    if np.ndim(value) > 2:
        os._exit(5)
    return reference.variable(value, dtype, name, constraint)
"""
NAMES = """
from conformance import reference
from conformance.reference import *

def tanh(x):
    raise ValueError("tanh is not supported by this library")

def exp(x):
    raise NotImplementedError("Wrong number or type of arguments for overloaded function 'exp'.")

def sin(x):
    if reference.int_shape(x)[:1] == (2,):
        raise ValueError("an even first axis is not supported by this library")
    if reference.ndim(x) > 1:
        raise ValueError("no")
    return reference.sin(x)

def gradients(loss, variables):
    raise RuntimeError("gradients are not yet supported here")
"""

RARE = """
from conformance import reference
from conformance.reference import *

def tanh(x):
    if reference.ndim(x) != 1:
        raise ValueError("no")
    return reference.tanh(x)

def sin(x):
    if reference.ndim(x) == 4:
        raise ValueError("no")
    return reference.sin(x)
"""

DEFAULT = """
from conformance import reference
from conformance.reference import *

def batch_normalization(x, mean, var, beta, gamma, epsilon=0.1):
    return reference.batch_normalization(x, mean, var, beta, gamma, epsilon)
"""

HOLLOW = """
import os

import numpy as np

from conformance import reference
from conformance.reference import *

def square(x):
    if 0 in reference.int_shape(x):
        os._exit(3)
    return reference.square(x)

def _hollow(make):
    def made(value, *args, **kwargs):
        if np.size(value) == 0:
            os._exit(3)
        return make(value, *args, **kwargs)
    return made

variable = _hollow(reference.variable)
constant = _hollow(reference.constant)

def function(inputs, outputs, *args, **kwargs):
    run = reference.function(inputs, outputs, *args, **kwargs)
    def call(values):
        if 0 in [np.size(value) for value in values]:
            os._exit(3)
        return run(values)
    return call
"""

SHAPELESS = """
from conformance import reference
from conformance.reference import *

def int_shape(x):
    raise TypeError("not one of mine")

def softmax(x, axis=-1):
    return reference.softmax(x, axis) * 2
"""


def test_a_documented_exception_is_not_asked_of_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "refuses.py").write_text(REFUSES, encoding="utf-8")
    outcome = examine(module("refuses", tmp_path), ("separable_conv2d",), TINY)
    verdicts = outcome.verdicts("separable_conv2d")
    assert verdicts["separable_conv2d", Aspect.VALUE] is Verdict.UNSUPPORTED
    assert verdicts["separable_conv2d", Aspect.ERROR] is Verdict.UNSUPPORTED


def test_what_cannot_be_made_is_not_counted_as_failed_while_it_runs(
    tmp_path: Path,
) -> None:
    """The reference has no `Input`, of which scenarios of `is_keras_tensor` make tensors."""
    (tmp_path / "same.py").write_text("from conformance.reference import *\n")
    outcome = examine(module("same", tmp_path), ("is_keras_tensor",))
    assert outcome.aspect("is_keras_tensor", Aspect.VALUE).verdict is Verdict.CONFORMS
    assert sum(e.failed for e in outcome.events if isinstance(e, CasesDone)) == 0


def test_a_dtype_that_no_document_names_may_be_refused(tmp_path: Path) -> None:
    (tmp_path / "single.py").write_text(SINGLE, encoding="utf-8")
    functions = ("tanh", "sigmoid", "exp", "reshape")
    outcome = examine(module("single", tmp_path), functions, SOME)
    verdicts = outcome.verdicts()
    for aspect in (Aspect.VALUE, Aspect.GRADIENT):
        assert verdicts["tanh", aspect] is Verdict.CONFORMS
        (refusal,) = outcome.aspect("tanh", aspect).failures
        assert refusal.verdict is Verdict.UNSUPPORTED
        assert "input-dtype" in str(refusal.convention)
        assert "float64" in refusal.message
    for wrong in ("sigmoid", "exp"):
        assert verdicts[wrong, Aspect.VALUE] is Verdict.VIOLATES
    (coarse,) = outcome.aspect("reshape", Aspect.VALUE).failures
    assert (coarse.kind, coarse.verdict) == ("accuracy", Verdict.DIVERGES)


def test_right_elements_in_a_shape_that_no_document_settles(tmp_path: Path) -> None:
    (tmp_path / "flat.py").write_text(FLAT, encoding="utf-8")
    functions = {"categorical_crossentropy": Verdict.DIVERGES, "mean": Verdict.VIOLATES}
    outcome = examine(module("flat", tmp_path), functions, SOME)
    for function, verdict in functions.items():
        shaped = [f for f in outcome.aspect(function, Aspect.VALUE).failures if f.kind == "shape"]
        assert {f.verdict for f in shaped} == {verdict}
        judged = outcome.aspect(function, Aspect.GRADIENT)
        assert judged.verdict in (Verdict.CONFORMS, Verdict.UNSUPPORTED)
        assert {f.kind for f in judged.failures} == {"unmade input"}


def test_scripts_do_not_stop_at_a_static_shape_that_nobody_tells(tmp_path: Path) -> None:
    (tmp_path / "shapeless.py").write_text(SHAPELESS, encoding="utf-8")
    outcome = examine(module("shapeless", tmp_path), ("softmax",), TINY)
    scripts = [f.script for _, _, f in outcome.failures(Verdict.VIOLATES) if f.script]
    assert scripts
    assert not any("int_shape" in script for script in scripts)


def test_a_module_of_one_function_has_no_static_shapes_to_ask_for(tmp_path: Path) -> None:
    """It has neither `int_shape` nor what would make a tensor to try that with."""
    (tmp_path / "lone.py").write_text("def softmax(x, axis=-1):\n    return x\n", "utf-8")
    started = Launch(sys.executable, "lone", "eager", {"PYTHONPATH": str(tmp_path)})
    alone = subject("lone", started, Prelude(("import lone as K",)), QUICK)
    verdicts = examine(alone, ("softmax",), TINY).verdicts()
    assert verdicts["softmax", Aspect.STATIC_SHAPE] is Verdict.UNSUPPORTED
    assert verdicts["softmax", Aspect.VALUE] is Verdict.VIOLATES


@pytest.mark.thorough
def test_a_process_that_ends_while_inputs_are_made_is_not_the_fault_of_the_call(
    tmp_path: Path,
) -> None:
    (tmp_path / "ends.py").write_text(ENDS, encoding="utf-8")
    outcome = examine(module("ends", tmp_path), ("tanh", "variable"), SOME)
    assert outcome.aspect("variable", Aspect.VALUE).verdict is Verdict.CRASHED
    judged = outcome.aspect("tanh", Aspect.VALUE)
    assert judged.verdict is Verdict.CONFORMS  # of other bindings
    assert {f.verdict for f in judged.failures} <= {Verdict.UNSUPPORTED}
    assert "their inputs could not be made" in str(judged.note)


@pytest.mark.thorough
def test_a_target_that_dies_on_every_empty_array_has_one_finding(tmp_path: Path) -> None:
    (tmp_path / "hollow.py").write_text(HOLLOW, encoding="utf-8")
    functions = ("variable", "exp", "sin", "random_normal")
    outcome = examine(module("hollow", tmp_path), functions, SOME)
    crashed = [(name, f) for name, _, f in outcome.failures(Verdict.CRASHED)]
    assert [name for name, _ in crashed] == ["variable"]
    assert "a variable without elements" in crashed[0][1].message
    assert crashed[0][1].script
    for name in functions[1:]:
        judged = outcome.aspect(name, Aspect.VALUE)
        assert not judged.failures
        assert judged.verdict is Verdict.CONFORMS
    assert "ends the process" in str(outcome.aspect("exp", Aspect.VALUE).note)


def test_what_a_library_says_by_itself_that_it_lacks_is_missing_and_not_wrong(
    tmp_path: Path,
) -> None:
    (tmp_path / "names.py").write_text(NAMES, encoding="utf-8")
    outcome = examine(module("names", tmp_path), ("tanh", "exp", "sin", "gradients"), SOME)
    assert outcome.aspect("tanh", Aspect.VALUE).verdict is Verdict.UNSUPPORTED
    settled = [f for f in outcome.aspect("tanh", Aspect.VALUE).failures if not f.convention]
    assert "documented, but the library says that it lacks it" in settled[0].message
    assert outcome.aspect("exp", Aspect.VALUE).verdict is Verdict.VIOLATES
    assert outcome.aspect("gradients", Aspect.GRADIENT).verdict is Verdict.UNSUPPORTED


def test_a_refusal_does_not_hide_another_exception_of_its_class(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text(NAMES, encoding="utf-8")
    outcome = examine(module("names", tmp_path), ("sin",), SOME)
    settled = [f for f in outcome.aspect("sin", Aspect.VALUE).failures if not f.convention]
    assert {f.verdict for f in settled} == {Verdict.VIOLATES, Verdict.UNSUPPORTED}


def test_an_aspect_conforms_only_if_enough_of_it_was_seen(tmp_path: Path) -> None:
    (tmp_path / "rare.py").write_text(RARE, encoding="utf-8")
    outcome = examine(module("rare", tmp_path), ("tanh", "sin"), "smoke")
    for aspect in (Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.PURITY):
        few, many = outcome.aspect("tanh", aspect), outcome.aspect("sin", aspect)
        assert (few.verdict, many.verdict) == (Verdict.UNSUPPORTED, Verdict.CONFORMS)
        assert few.cases
        assert "cases that the documents settle ran" in str(few.note)
        assert many.note is UNSET


def test_a_wrong_default_is_told_of_the_signature_and_the_value_and_not_of_the_gradient(
    tmp_path: Path,
) -> None:
    (tmp_path / "default.py").write_text(DEFAULT, encoding="utf-8")
    target = module("default", tmp_path, edition="keras-1", CONFORMANCE_REFERENCE_EDITION="keras-1")
    outcome = examine(target, ("batch_normalization",), SOME)
    blamed = {aspect for _, aspect, _ in outcome.failures(Verdict.VIOLATES)}
    assert blamed == {Aspect.SIGNATURE, Aspect.VALUE}
    gradient = outcome.aspect("batch_normalization", Aspect.GRADIENT).failures
    assert any("is that of a wrong result" in failure.message for failure in gradient)
