"""A static shape need not have a dimension that unknown lengths may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.metadata import static_shape
from conformance.generators import Draw, Structure
from conformance.observations import TensorMetadata, Value
from conformance.program import Binding
from tests.engine.keras_calls import prepared

Lengths = tuple[int | None, ...]


def call(
    name: str, static: Mapping[str, Lengths], arguments: Mapping[str, Any], unknown: int
) -> Prepared:
    """A call with tensors of these static shapes; lengths that are not known are `unknown`."""
    known = {"x1", "x2", "x", "y", "indices", "axis"}
    structure = next(
        case.structure
        for case in prepared(name)
        if len(case.structure.program.inputs) == len(static)
        and {*case.structure.arguments} <= known
    )
    items = [
        replace(
            item,
            shape=tuple(unknown if d is None else d for d in shape),
            dtype="int32" if "int" in item.dtype else "float32",
            binding=Binding.PLACEHOLDER_NONE,
            arguments=(("shape", shape), ("dtype", item.dtype)),
        )
        for item, shape in zip(structure.program.inputs, static.values(), strict=True)
    ]
    return Prepared(_of(structure, items, arguments), [Draw("integers", 0)])


def _of(structure: Structure, items: list[Any], arguments: Mapping[str, Any]) -> Structure:
    names = [name for name, value in structure.arguments.items() if hasattr(value, "name")]
    shapes = dict(zip(names, (item.shape for item in items), strict=True))
    static = dict(zip(names, (item.static_shape for item in items), strict=True))
    others = {**structure.arguments, **arguments}
    return replace(
        structure,
        program=replace(structure.program, inputs=tuple(items)),
        arguments=others,
        below=dict.fromkeys(structure.below, 1),
        runtime=replace(
            structure.runtime, shapes=shapes, values={**structure.runtime.values, **arguments}
        ),
        static=replace(
            structure.static, shapes=static, values={**structure.static.values, **arguments}
        ),
    )


@pytest.mark.parametrize(
    ("name", "static", "arguments", "shape", "unknown"),
    [
        ("ldexp", {"x": (1, 3, 3), "y": (None, 3, 3)}, {}, (None, 3, 3), 1),
        ("cdist", {"x": (1, 4, 2), "y": (None, 3, 2)}, {}, (None, 4, 3), 1),
        ("kron", {"x": (1, 1), "y": (None, 3)}, {}, (None, 3), 2),
        ("take_along_axis", {"x": (None, 3), "i": (1, 3)}, {"axis": 1}, (None, 3), 1),
        ("bitwise_and", {"x": (None,), "y": (1,)}, {}, (None,), 1),
        ("bitwise_and", {"x": (None,), "y": (9,)}, {}, (9,), 9),
        ("add", {"x": (3, None), "y": (3, 1)}, {}, (3, None), 1),
    ],
)
def test_a_length_of_one_beside_an_unknown_length_is_not_known(
    name: str,
    static: Mapping[str, Lengths],
    arguments: Mapping[str, Any],
    shape: Lengths,
    unknown: int,
) -> None:
    case = call(name, static, arguments, unknown)
    assert case.known_shape == shape
    real = Value(case.expectation(0).value, "float32", "ndarray")
    assert not [*static_shape(case, TensorMetadata(shape=shape), real)]
    less = (None,) * len(shape)
    assert bool([*static_shape(case, TensorMetadata(shape=less), real)]) is (less != shape)
