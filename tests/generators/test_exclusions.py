"""Calls with values that docstrings exclude: one argument changes, and no valid call results."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from conformance.generators import Draw
from conformance.generators.exclusions import Exclusion, excluded_calls, exclusions, symbolic
from conformance.generators.structure import Structure
from conformance.generators.values import arrays_of_draws
from conformance.program import Binding
from conformance.specs import Spec, load
from conformance.specs.kinds import Companion
from conformance.specs.load import signature

EDITION = "keras-3"
OPS = {name: spec for name, spec in load().items() if EDITION in spec.editions}
EVERY = [(spec, exclusion) for spec in OPS.values() for exclusion in exclusions(spec, EDITION)]


@cache
def calls(name: str, parameter: str, sort: str) -> list[Structure]:
    """Some calls of one sort."""
    (exclusion,) = (e for s, e in EVERY if (s.name, e.parameter, e.sort) == (name, parameter, sort))
    return [draw.value for draw in excluded_calls(OPS[name], EDITION, exclusion, 6, 0).draws]


def values(structure: Structure, parameter: str) -> list[Any]:
    """The integers that a parameter has."""
    value: Any = structure.arguments[parameter]
    return [*value] if isinstance(value, list | tuple) else [value]


@pytest.mark.thorough
@pytest.mark.parametrize(("spec", "exclusion"), EVERY, ids=lambda x: x.name)
def test_each_has_a_call(spec: Spec, exclusion: Exclusion) -> None:
    (draw,) = excluded_calls(spec, EDITION, exclusion, 1, 0).draws
    structure = draw.value
    assert structure.error is not None
    assert exclusion.name in structure.error.name
    least = exclusion.sort in ("zero", "negative")
    assert (structure.error.convention == "least-length") is least
    assert structure.error.sections == ({} if least else {"keras-3.15.1": exclusion.section})
    assert {item.binding for item in structure.program.inputs} <= {Binding.CONSTANT}
    for call in (structure, symbolic(structure)):
        (arrays,) = arrays_of_draws(call, [Draw("ordinary", 0)])
        shapes = {item.name: item.shape for item in call.program.inputs}
        assert {name: array.shape for name, array in arrays.items()} == shapes


@pytest.mark.parametrize("name", ["softmax", "sum", "argmax", "take", "flip", "argsort"])
def test_an_axis_is_outside(name: str) -> None:
    for structure in calls(f"keras.ops.{name}", "axis", "axis"):
        outside, *others = values(structure, "axis")
        rank = len(structure.program.inputs[0].shape)
        assert not -rank <= outside < rank
        assert all(-rank <= other < rank for other in others)


@pytest.mark.parametrize("name", ["add", "maximum", "equal", "left_shift"])
def test_two_shapes_do_not_broadcast(name: str) -> None:
    (parameter,) = {e.parameter for s, e in EVERY if s.name == f"keras.ops.{name}"}
    for structure in calls(f"keras.ops.{name}", parameter, "shape"):
        with pytest.raises(ValueError, match="shape mismatch"):
            np.broadcast_shapes(*(item.shape for item in structure.program.inputs))


@pytest.mark.parametrize("function", ["conv", "depthwise_conv", "conv_transpose"])
def test_a_kernel_is_for_other_channels(function: str) -> None:
    parameter = "depthwise_kernel" if function == "depthwise_conv" else "kernel"
    for structure in calls(f"keras.ops.{function}", parameter, "shape"):
        images, kernel = (item.shape for item in structure.program.inputs)
        last = structure.arguments["data_format"] != "channels_first"
        channels = images[-1] if last else images[1]
        own = kernel[-1] if function == "conv_transpose" else kernel[-2]
        assert own == channels + 1
        assert channels % own


def test_a_pointwise_kernel_is_for_other_channels() -> None:
    for structure in calls("keras.ops.separable_conv", "pointwise_kernel", "shape"):
        _, depthwise, pointwise = (item.shape for item in structure.program.inputs)
        assert pointwise[-2] == depthwise[-2] * depthwise[-1] + 1


def test_a_name_is_in_no_list() -> None:
    paddings = {s.arguments["padding"] for s in calls("keras.ops.conv", "padding", "name")}
    assert paddings <= {"vali", "sam"}
    dtypes = {s.arguments["dtype"] for s in calls("keras.ops.zeros", "dtype", "name")}
    assert dtypes == {"float31"}


@pytest.mark.parametrize(("sort", "number"), [("zero", 0), ("negative", -1)])
def test_a_stride_is_less_than_one(sort: str, number: int) -> None:
    for structure in calls("keras.ops.conv", "strides", sort):
        assert values(structure, "strides")[0] == number


def test_what_has_a_meaning_is_not_excluded() -> None:
    sorts = {(s.name.removeprefix("keras.ops."), e.parameter, e.sort) for s, e in EVERY}
    assert ("outer", "y", "shape") not in sorts
    assert ("vstack", "xs", "shape") not in sorts
    assert ("extract_sequences", "sequence_length", "zero") not in sorts
    assert ("take_along_axis", "indices", "shape") not in sorts
    for structure in calls("keras.ops.cross", "axisa", "axis"):
        assert structure.arguments["axis"] is None


def test_the_rest_of_the_call_is_as_it_was() -> None:
    for structure in calls("keras.ops.softmax", "axis", "axis"):
        documented = [p.name for p in signature(structure.spec, EDITION).parameters]
        (step,) = structure.program.steps
        passed = dict(zip(documented, step.args, strict=False)) | dict(step.kwargs)
        assert passed["axis"] == structure.arguments["axis"]
        assert len(passed) == len(step.args) + len(step.kwargs)


def test_symbols_have_the_same_shapes() -> None:
    for structure in calls("keras.ops.add", "y", "shape"):
        (mine, other) = structure.program, symbolic(structure).program
        assert [i.shape for i in mine.inputs] == [i.shape for i in other.inputs]
        assert {i.binding for i in other.inputs} == {Binding.PLACEHOLDER}
        assert symbolic(structure).error == structure.error


def test_only_parameters_that_a_docstring_describes_have_some() -> None:
    assert exclusions(load()["softmax"], "keras-2.2") == []
    described = OPS["keras.ops.sum"]
    assert [e.sort for e in exclusions(described, EDITION)] == ["axis"]
    pairs = {e.sort for s, e in EVERY if isinstance(s.parameters[e.parameter], Companion)}
    assert pairs == {"shape"}
