"""What functions do by the settings of the configuration file, beside what the getters say.

In a process that was started with the file, a function is called once as it is, and once after the
setter was given what the file says: both must do the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.editions import Edition
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import as_second
from conformance.scenarios.configuration.keras_json import FIELD, given_setup
from conformance.scenarios.configuration.process_settings import (
    LAYOUT_USERS,
    MAKERS,
    MATRIX,
    NEWER,
)
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter

EPSILON, FLOATX, LAYOUT = 1e-05, "float64", "channels_first"


def _check(name: str, setting: str, test: Any, demands: str) -> Check:
    return Check(
        name,
        Aspect.CONFIGURATION,
        outputs=("by_file", "by_setter"),
        test=test,
        demands=demands,
        at=FIELD[setting],
    )


def _same_dtype(by_file: Values, by_setter: Values) -> Problem | None:
    found, wanted = (_dtype(values) for values in (by_file, by_setter))
    if found == wanted:
        return None
    fault = "first != values[1][0]"
    if len(by_file) == 1 and by_file[0].array is not None:
        fault = "np.asarray(first).dtype != np.asarray(values[1][0]).dtype"
    return Problem(f"gives {found}, not {wanted}", found, fault=fault)


def _dtype(values: Values) -> str:
    """The dtype of an array, or what `dtype` said of a placeholder."""
    if len(values) != 1:
        return f"{len(values)} results"
    return values[0].dtype if values[0].array is not None else str(values[0].text)


def _losses(edition: Edition) -> Iterator[Scenario]:
    """The loss of a certain, wrong answer, which epsilon keeps finite."""
    w = ProgramWriter()
    target = w.call("variable", w.array("target", [1.0, 0.0], "float32"))
    output = w.call("variable", w.array("output", [0.0, 1.0], "float32"))
    arguments = (output, target) if edition == "keras-1" else (target, output)
    w.observe("by_file", "eval", w.call("binary_crossentropy", *arguments))
    w.call("set_epsilon", EPSILON)
    w.observe("by_setter", "eval", w.call("binary_crossentropy", *arguments))
    demands = f"the loss that set_epsilon({EPSILON}) leads to"
    check = _check("the epsilon of the file is used", "epsilon", as_second, demands)
    setup = given_setup("epsilon", EPSILON, edition)
    yield written("epsilon", "a loss with the epsilon of the file", w, check, setup=setup)


def _dtypes(edition: Edition) -> Iterator[Scenario]:
    """What is made without a dtype has the float type of the file."""
    for maker, arguments in MAKERS:
        w = ProgramWriter()
        if Ref("numbers") in arguments:
            w.array("numbers", MATRIX, "float32")
        ask = "dtype" if maker == "placeholder" else "eval"
        w.observe("by_file", ask, w.call(maker, *arguments))
        w.call("set_floatx", FLOATX)
        w.observe("by_setter", ask, w.call(maker, *arguments))
        demands = f"the dtype that set_floatx({FLOATX!r}) leads to"
        check = _check("the float type of the file is used", "floatx", _same_dtype, demands)
        title = f"{maker} with the float type of the file"
        setup = given_setup("floatx", FLOATX, edition)
        yield written("floatx", title, w, check, setup=setup)


def _layouts(edition: Edition) -> Iterator[Scenario]:
    """Functions that are given no data_format follow the file."""
    for function, arrays in LAYOUT_USERS:
        w = ProgramWriter()
        given = [w.array(f"x_{i}", array, "float32") for i, array in enumerate(arrays)]
        tensors = [w.call("variable", array) for array in given]
        w.observe("by_file", "eval", w.call(function, *tensors))
        w.call("set_image_data_format", LAYOUT)
        w.observe("by_setter", "eval", w.call(function, *tensors))
        demands = f"what set_image_data_format({LAYOUT!r}) leads to"
        check = _check("the layout of the file is used", "image_data_format", as_second, demands)
        title = f"{function} with the layout of the file"
        setup = given_setup("image_data_format", LAYOUT, edition)
        yield written("image_data_format", title, w, check, setup=setup)


FAMILIES: tuple[Family, ...] = (
    listed("epsilon", _losses, Aspect.CONFIGURATION),
    listed("floatx", _dtypes, Aspect.CONFIGURATION, NEWER),
    listed("image_data_format", _layouts, Aspect.CONFIGURATION, NEWER),
)
