"""The effect of the configuration file on functions, besides the getters.

A process starts with the file. It calls a function once as it is, and once after the setter has set
the value in the file: both calls must do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.results import Aspect
from conformance.scenarios.checks import Test, as_second
from conformance.scenarios.configuration.keras_json import FIELD, own_setup
from conformance.scenarios.configuration.process_settings import (
    LAYOUT_USERS,
    MAKERS,
    layout_tensors,
    maker_arguments,
)
from conformance.scenarios.model import KERAS_2, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result

BOOK = Book()
BY_FILE = Aspect.CONFIGURATION


def _expect_same(
    K: Recorder, value: Any, use: Callable[[], Result], test: Test, *, name: str, demands: str
) -> None:
    """The function under test is the setting, `use` what it is used for."""
    K.setup = own_setup(K.tested, value, K.edition)
    by_file = use().output("by_file")
    K[f"set_{K.tested}"](value)
    both, at = (by_file, use().output("by_setter")), FIELD[K.tested]
    demands = f"{demands} set_{K.tested}({value!r}) leads to"
    K.expect(f"the {name} of the file is used", both, test, demands, at=at)


@BOOK.scenario("epsilon", "a loss with the epsilon of the file", BY_FILE)
def loss(K: Recorder) -> None:
    """The loss of a certain, wrong answer, which epsilon keeps finite."""
    target = K.variable(K.array("target", [1.0, 0.0], "float32"))
    output = K.variable(K.array("output", [0.0, 1.0], "float32"))
    arguments = (output, target) if K.edition == "keras-1" else (target, output)

    def use() -> Result:
        return K.eval(K.binary_crossentropy(*arguments))

    _expect_same(K, 1e-05, use, as_second, name="epsilon", demands="the loss that")


@BOOK.scenario(
    "floatx", "{maker} with the float type of the file", BY_FILE, editions=KERAS_2, maker=MAKERS
)
def dtype_of_file(K: Recorder, maker: str) -> None:
    """A tensor made without a dtype has the float type of the file."""
    arguments, ask = maker_arguments(K, maker), K.dtype if maker == "placeholder" else K.eval

    def use() -> Result:
        return ask(K[maker](*arguments))

    _expect_same(K, "float64", use, _same_dtype, name="float type", demands="the dtype that")


def _same_dtype(by_file: Values, by_setter: Values) -> Problem | None:
    dtype, expected = (_dtype(values) for values in (by_file, by_setter))
    if dtype == expected:
        return None
    fault = "first != values[1][0]"
    if len(by_file) == 1 and by_file[0].array is not None:
        fault = "np.asarray(first).dtype != np.asarray(values[1][0]).dtype"
    return Problem(f"gives {dtype}, not {expected}", dtype, fault=fault)


def _dtype(values: Values) -> str:
    """The dtype of an array, or what `dtype` said of a placeholder."""
    if len(values) != 1:
        return f"{len(values)} results"
    return values[0].dtype if values[0].array is not None else str(values[0].text)


LAID_OUT = ("image_data_format", "{user} with the layout of the file", BY_FILE)


@BOOK.scenario(*LAID_OUT, editions=KERAS_2, user=LAYOUT_USERS)
def layout_of_file(K: Recorder, user: str) -> None:
    """Functions that are given no data_format follow the file."""
    tensors = layout_tensors(K, user)

    def use() -> Result:
        return K.eval(K[user](*tensors))

    _expect_same(K, "channels_first", use, as_second, name="layout", demands="what")


FAMILIES = BOOK.families
