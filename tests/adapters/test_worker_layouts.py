"""Arrays that the worker lays out in memory, and the scripts that lay them out as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.session import Session
from conformance.adapters.worker.conformance_worker.layouts import (
    LAYOUTS,
    laid_out,
    numbers,
    same_numbers,
)
from conformance.adapters.worker.conformance_worker.programs import RequestError, parse
from conformance.adapters.worker.conformance_worker.running import draws_of
from conformance.program import Case, Input, Layout, to_json
from conformance.program.layouts import matters, relaid
from conformance.program.model import Binding
from conformance.scripts import Prelude
from tests.adapters.support import arrays, batch, call, launch, x
from tests.scripts.support import print_script

ARRAY = np.arange(12, dtype="float32").reshape(3, 4)
ODD = tuple(layout for layout in Layout if layout is not Layout.C)


def shown(array: Any) -> dict[Layout, bool]:
    """What tells each layout from the others."""
    return {
        Layout.FORTRAN: array.flags.f_contiguous,
        Layout.STRIDED: array.strides[-1] == 2 * array.itemsize,
        Layout.REVERSED: array.strides[-1] < 0,
        Layout.READ_ONLY: not array.flags.writeable,
        Layout.SWAPPED: not array.dtype.isnative,
        Layout.UNALIGNED: not array.flags.aligned,
    }


def test_the_worker_knows_every_layout() -> None:
    assert {*LAYOUTS} == {str(layout) for layout in Layout}


@pytest.mark.parametrize("layout", ODD)
def test_an_array_lies_as_it_should_and_holds_the_same_numbers(layout: Layout) -> None:
    array = laid_out(ARRAY, layout)
    assert [name for name, is_so in shown(array).items() if is_so] == [layout]
    np.testing.assert_array_equal(array, ARRAY)
    assert numbers(array) == ARRAY.tobytes()
    assert not np.shares_memory(array, ARRAY)


@pytest.mark.parametrize("layout", ODD)
def test_a_script_makes_the_array_that_the_worker_makes(layout: Layout) -> None:
    names: dict[str, Any] = {"np": np, "x": ARRAY.copy()}
    exec("\n".join(relaid("x", layout)), names)
    assert shown(names["x"]) == shown(laid_out(ARRAY, layout))
    np.testing.assert_array_equal(names["x"], ARRAY)


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("binding", ["variable", "constant", "placeholder"])
def test_a_target_computes_the_same_of_every_layout(
    layout: Layout, binding: str, session: Session
) -> None:
    plain = batch(call("exp", x(3, 4, binding=binding)))
    item = replace(plain.program.inputs[0], layout=layout)
    asked = replace(plain, program=replace(plain.program, inputs=(item,)))
    observation = session.run_batch(asked)
    np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(plain.arrays["x"]))
    assert not any(draw.changed for draw in observation.draws)


@pytest.fixture(scope="module")
def session() -> Any:
    with Session(launch("correct"), functions=["exp"]) as opened:
        yield opened


def test_a_layout_that_nobody_knows_is_no_program() -> None:
    program = to_json(call("exp", x(2)))
    program["inputs"][0]["layout"] = "diagonal"
    with pytest.raises(RequestError, match="'diagonal' is not a layout"):
        parse(program)


def test_what_is_plain_is_written_as_before() -> None:
    assert "layout" not in to_json(call("exp", x(2)))["inputs"][0]


def test_a_script_says_how_the_array_lies() -> None:
    program = call("exp", replace(x(3, 4), layout=Layout.REVERSED))
    script = print_script(Case(program, {"x": ARRAY}), Prelude())
    assert "x_value = np.ascontiguousarray(x_value[..., ::-1])[..., ::-1]" in script


@pytest.mark.parametrize(
    ("layout", "shape", "dtype"),
    [
        (Layout.FORTRAN, (1, 3), "float32"),
        (Layout.STRIDED, (3, 1), "float32"),
        (Layout.REVERSED, (), "float32"),
        (Layout.SWAPPED, (3,), "uint8"),
        (Layout.UNALIGNED, (0, 2), "float32"),
    ],
)
def test_a_layout_that_makes_no_difference(
    layout: Layout, shape: tuple[int, ...], dtype: str
) -> None:
    assert not matters(layout, Input("x", shape, dtype, Binding.PLACEHOLDER))


def test_what_a_variable_of_bfloat16_holds_is_compared_by_its_numbers() -> None:
    held, other = np.array([1, np.nan, -0.0], "float32"), np.array([1, -np.nan, -0.0], "float32")
    assert same_numbers(held, other)
    assert not same_numbers(held, other[:2])
    assert not same_numbers(held, np.array([1, np.nan, 0], "float32"))
    assert not same_numbers(held, np.array([1, 2, -0.0], "float32"))


def test_the_numbers_of_bfloat16_come_in_float32() -> None:
    program = parse(
        {
            "inputs": [{"name": "x", "shape": [2], "dtype": "bfloat16", "binding": "constant"}],
            "steps": [],
            "outputs": ["x"],
        }
    )
    fed = np.ones((3, 2), "float32")
    (value,) = draws_of(program, {"draws": 3, "arrays": {"x": 0}}, [fed]).values()
    assert value is fed
