"""Cases that need a dtype which a target lacks are left out, and all others are judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.adapters import registry
from conformance.cli.targets.subjects import subject as subject_of
from conformance.engine.judging.lacking_dtypes import lacking_dtype
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.results import Aspect, Verdict
from conformance.scenarios.recorder import Recorder
from tests.engine.support import TINY, examine, module

NARROW = """
from conformance import reference
from conformance.reference import *

def tanh(x):
    wide = reference.dtype(x) == "float64"
    return reference.tanh(x) + 1 if wide else reference.tanh(x)

def square(x):
    return reference.square(x) + 1
"""


def test_only_the_dtypes_that_a_target_has_are_judged(tmp_path: Path) -> None:
    (tmp_path / "narrow.py").write_text(NARROW, encoding="utf-8")
    target, profile = module("narrow", tmp_path), replace(TINY, structures=24)
    names = ("tanh", "square")
    assert examine(target, names, profile).verdicts()["tanh", Aspect.VALUE] is Verdict.VIOLATES
    verdicts = examine(replace(target, lacks=frozenset({"float64"})), names, profile).verdicts()
    assert verdicts["tanh", Aspect.VALUE] is Verdict.CONFORMS
    assert verdicts["square", Aspect.VALUE] is Verdict.VIOLATES


def test_an_aspect_without_another_case_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "narrow.py").write_text(NARROW, encoding="utf-8")
    every = frozenset({"float16", "float32", "float64", "bfloat16", "int32", "int64"})
    run = examine(replace(module("narrow", tmp_path), lacks=every), ("square",), TINY)
    value = run.aspect("square", Aspect.VALUE)
    assert (value.verdict, value.cases, value.failures) == (Verdict.UNSUPPORTED, 0, [])
    assert str(value.note).startswith("no case ran: they need ")


def recorded(dtype: str | None, *, named: str = "float32") -> ScenarioTrial:
    recorder = Recorder("square", "keras-2.2")
    x = recorder.array("x", [1.0, 2.0], "float64")
    tensor = recorder.constant(x, dtype=dtype) if dtype else x
    recorder.expect("a name", recorder.cast(tensor, named).output("y"), lambda _: None, "")
    return ScenarioTrial(recorder.scenario(), "square")


def test_an_array_that_becomes_a_tensor_of_another_dtype_needs_none() -> None:
    lacks = ("float64", "int64")
    assert lacking_dtype(recorded("float32"), lacks) is None
    assert lacking_dtype(recorded("float64"), lacks) == "float64"
    assert lacking_dtype(recorded(None), lacks) == "float64"
    assert lacking_dtype(recorded("float32", named="int64"), lacks) == "int64"
    assert lacking_dtype(recorded("float64"), ()) is None


def test_jax_has_64_bits_in_a_target_of_its_own() -> None:
    targets = registry.shipped()
    usual, wide = (targets[name] for name in ("keras3-ops-jax", "keras3-ops-jax-x64"))
    assert {"float64", "int64"} <= subject_of(usual).lacks
    assert "JAX_ENABLE_X64" not in usual.environment
    assert not subject_of(wide).lacks
    assert wide.environment["JAX_ENABLE_X64"] == "1"
