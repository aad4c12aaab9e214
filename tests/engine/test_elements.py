"""The message of a wrong element has the elements of the arguments from which it follows."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.elements import belonging
from conformance.generators import Draw
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.structure import made
from conformance.specs import load


def prepared(name: str) -> Prepared:
    """A call of several elements in float32 that rests on no convention."""
    spec, random = load()[f"keras.ops.{name}"], Random(0)
    for _ in range(400):
        draw = seeded(lambda c: made(c, spec, "keras-3", dtype="float32"), random)
        if isinstance(draw, Drawn) and not draw.value.unsettled:
            call = Prepared(draw.value, [Draw("ordinary", 0)])
            if np.prod(call.shape) > 4:
                return call
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["sigmoid", "elu", "maximum", "where", "add", "hypot"])
def test_an_element_of_an_elementwise_function_has_elements_of_all_arguments(name: str) -> None:
    call = prepared(name)
    index = tuple(length - 1 for length in call.shape)
    elements = belonging(call, 0, index, call.shape)
    arrays = {i.name: call.arrays[0][i.name] for i in call.structure.program.inputs}
    assert elements
    for parameter, element in elements.items():
        assert element == np.broadcast_to(arrays[parameter], call.shape)[index]


OTHERS = ["flip", "sort", "softmax", "cumsum", "outer", "roll", "transpose", "matmul", "take"]
OF_OTHER_SHAPES = ["segment_sum", "segment_max", "bincount", "diff"]


@pytest.mark.parametrize("name", [*OTHERS, *OF_OTHER_SHAPES])
def test_no_element_is_named_of_other_functions(name: str) -> None:
    call = prepared(name)
    assert not belonging(call, 0, (0,) * len(call.shape), call.shape)


def test_no_element_is_named_of_a_result_of_another_shape() -> None:
    call = prepared("sigmoid")
    shape = (call.shape[0] + 1, *call.shape[1:])
    index = (call.shape[0], *(0 for _ in call.shape[1:]))
    assert not belonging(call, 0, index, shape)
