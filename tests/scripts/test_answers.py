"""Assertions of long answers, and values of dtypes that NumPy lacks."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.program import Binding, Case, Input, Program, Ref, Step
from conformance.scripts import Prelude, comparing_script
from conformance.scripts.answers import Bounded, RightAnswer, Words, asserted
from conformance.scripts.endings import has_signature, is_answer

SHORT = {
    "placeholder": "keras.KerasTensor({shape}, dtype={dtype})",
    "constant": "keras.ops.convert_to_tensor({value}, {dtype})",
    "compute": "keras.Function({inputs}, {outputs})({values})",
    "read": "keras.ops.convert_to_numpy({tensor})",
}


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
def test_a_long_answer_accepts_what_is_right_and_nothing_else(dtype: str) -> None:
    rng = np.random.default_rng(0)
    value = rng.integers(0, 2, (4, 33)).astype(dtype)
    limits = np.where(rng.random(value.shape) < 0.1, np.inf, 0.25)
    wrong = value.copy()
    place = tuple(np.argwhere(np.isfinite(limits))[5])
    wrong[place] = not wrong[place]
    answer = RightAnswer((Bounded(value, limits),), (dtype,), wrong=(wrong,))
    lines = "\n".join(asserted(answer, "got", Words()))
    exec(lines, {"np": np, "got": value})
    with pytest.raises(AssertionError):
        exec(lines, {"np": np, "got": wrong})


def test_a_symbol_of_bfloat16_is_fed_a_tensor_of_bfloat16() -> None:
    inputs = (
        Input("x", (2,), "bfloat16", Binding.PLACEHOLDER),
        Input("y", (2,), "float32", Binding.PLACEHOLDER),
    )
    program = Program(inputs, (Step("z", "keras.ops.add", (Ref("x"), Ref("y"))),), ("z",))
    arrays = {name: np.ones(2, np.float32) for name in "xy"}
    answer = RightAnswer((Bounded(np.full(2, 2.0), np.zeros(2)),))
    prelude = Prelude(("import keras",), short=SHORT)
    script = comparing_script(Case(program, arrays), prelude, is_answer(answer), "a title")
    fed = "[keras.ops.convert_to_tensor(x_value, 'bfloat16'), y_value]"
    assert f"keras.Function([x, y], [z])({fed})[0]" in script


def test_the_signature_of_a_function_of_a_package_is_read_there() -> None:
    """A mapping's table has signatures of its own."""
    prelude = Prelude(("import keras",), definitions={}, short=SHORT)
    ending = has_signature("keras.ops.top_k", "'is_stable' in offered")
    script = comparing_script(Case(Program((), (), ()), {}), prelude, ending, "a title")
    lines = script.split("\n")
    assert "signature = inspect.signature(keras.ops.top_k)" in lines
    assert lines.index("import keras") < lines.index("import inspect")


def test_a_number_of_float32_is_compared_as_one() -> None:
    value = np.array([0.0, 7.104554e-39], "float32")
    answer = RightAnswer((Bounded(value, np.zeros(2)),), ("float32", "float64"))
    statements = "\n".join(asserted(answer, "got", Words(typed=True)))
    exec(statements, {"np": np, "got": value})
    exec(statements, {"np": np, "got": value.astype("float64")})
    with pytest.raises(AssertionError):
        exec(statements, {"np": np, "got": np.zeros(2, "float32")})
