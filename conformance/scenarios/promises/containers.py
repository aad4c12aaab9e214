"""What functions return besides tensors: arrays, lists of them, and tuples of a given length.

The documents name the type and, of tuples, the length. A class that inherits from the named one
will do. Arrays without axes are left out, because NumPy itself turns them into scalars.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import is_a, raises, returns
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName

NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
Lines = dict[str, int]

ARRAY: dict[str, Lines] = {
    "get_value": {"ja-1": 1066, "ja-1-text": 668, "ja-2.0": 1885, "zh-TW": 1026, "ko-2.2": 2434},
    "eval": {"ja-1": 314, "ja-1-text": 214, "ja-2.0": 626, "zh-TW": 424, "ko-2.2": 535},
    "function": {"ja-2.0": 2546, "ko-2.2": 2542},
    "cast_to_floatx": {"ja-1": 156, "ja-1-text": 114, "ja-2.0": 249, "zh-TW": 155, "ko-2.2": 3938},
}
"""The lines that say that a function returns a NumPy array, or several."""

LIST: Lines = {"ja-1": 1078, "ja-1-text": 675, "ja-2.0": 1903, "zh-TW": 1032, "ko-2.2": 2454}
"""The lines of `batch_get_value`."""
GRADIENTS: Lines = {"ja-1": 1147, "ja-1-text": 716, "ja-2.0": 2565, "ko-2.2": 2567}
RNN: Lines = {"ja-1": 1195, "ja-1-text": 751, "ja-2.0": 2614, "zh-TW": 1103, "ko-2.2": 2629}
STATES: Lines = {"ja-1": 1200, "ja-1-text": 755, "ja-2.0": 2618, "zh-TW": 1107, "ko-2.2": 2635}
NORMALISED: Lines = {"ja-2.0": 1438, "ko-2.2": 1902}
STOPPED: Lines = {"ko-2.2": 2589}
SHAPE: Lines = {"ja-2.0": 1950}
IN_A_TUPLE = Alternative(ConventionName.LIST_OR_TUPLE, "a tuple", is_a("tuple"))

MATRIX = np.array([[1.0, -2.0, 3.5], [4.0, 0.25, -6.0]], "float32")
ROW = np.array([7.0, -8.0], "float32")


def _is(what: str, output: str, at: Lines, *, aspect: Aspect = Aspect.VALUE) -> Check:
    """The output, which holds the names of classes, has this one."""
    return Check(
        f"it is a {what}", aspect, outputs=(output,), test=is_a(what), demands=f"a {what}", at=at
    )


def _variable(w: ProgramWriter, name: str, value: object) -> Ref:
    return w.call("variable", w.array(name, value, "float32"), dtype="float32")


def _one_array(function: str, _edition: Edition) -> Iterator[Scenario]:
    """The value of a variable, read or evaluated."""
    for name, value in (("matrix", MATRIX), ("row", ROW)):
        w = ProgramWriter()
        made = w.call(function, _variable(w, "value", value))
        w.observe("classes", "operator.classes", made)
        checked = _is("ndarray", "classes", ARRAY[function])
        yield written(function, f"the type of the value of a {name}", w, checked)


def _evaluated(_edition: Edition) -> Iterator[Scenario]:
    """The value of what is computed of a variable."""
    w = ProgramWriter()
    made = w.call("eval", w.call("square", _variable(w, "value", MATRIX)))
    w.observe("classes", "operator.classes", made)
    yield written("eval", "the type of a result", w, _is("ndarray", "classes", ARRAY["eval"]))


def _cast(_edition: Edition) -> Iterator[Scenario]:
    w = ProgramWriter()
    made = w.call("cast_to_floatx", w.array("value", MATRIX, "float64"))
    w.observe("classes", "operator.classes", made)
    checked = _is("ndarray", "classes", ARRAY["cast_to_floatx"])
    yield written("cast_to_floatx", "the type of the array", w, checked)


def _items(w: ProgramWriter, items: Ref, count: int) -> None:
    """Outputs "last" and "beyond": whether there is an item of that number, and one more."""
    w.attempt("last", "operator.getitem", items, count - 1)
    w.attempt("beyond", "operator.getitem", items, count)


def _has(count: int, what: str, at: Lines, aspect: Aspect = Aspect.VALUE) -> Check:
    """The outputs "last" and "beyond" show exactly `count` items."""
    return Check(
        f"the number of {what}",
        aspect,
        outputs=("last", "beyond"),
        test=_ends,
        demands=f"exactly {count} {what}",
        at=at,
    )


def _ends(last: Values, beyond: Values) -> Problem | None:
    if (missing := returns(last)) is not None:
        return Problem("has fewer", "fewer", got=missing.got, fault="first != 'returns'")
    if raises("IndexError", "TypeError", "ValueError")(beyond) is not None:
        return Problem("has more", "more", fault="values[1][0] == 'returns'")
    return None


def _several_arrays(_edition: Edition) -> Iterator[Scenario]:
    """The values of two variables, and of one."""
    for values in ((MATRIX, ROW), (ROW,)):
        w = ProgramWriter()
        made = w.call("batch_get_value", [_variable(w, f"x{i}", v) for i, v in enumerate(values)])
        w.observe("classes", "operator.classes", made)
        _items(w, made, len(values))
        w.observe("item", "operator.classes", w.call("operator.getitem", made, 0))
        yield written(
            "batch_get_value",
            f"the type of the values of {len(values)}",
            w,
            _is("list", "classes", LIST),
            _has(len(values), "values", LIST),
            _is("ndarray", "item", LIST),
        )


def _compiled(_edition: Edition) -> Iterator[Scenario]:
    """What a function gives for each of its outputs."""
    w = ProgramWriter()
    x = w.call("placeholder", shape=(2, 3), dtype="float32")
    outputs: list[Ref] = [w.call("square", x), w.call("abs", x)]
    function = w.call("function", [x], [*outputs])
    made = w.call("operator.call", function, [w.array("fed", MATRIX)])
    _items(w, made, 2)
    for place in range(2):
        item = w.call("operator.getitem", made, place)
        w.observe(f"item_{place}", "operator.classes", item)
    yield written(
        "function",
        "the types of its results",
        w,
        _has(2, "results", ARRAY["function"]),
        _is("ndarray", "item_0", ARRAY["function"]),
        _is("ndarray", "item_1", ARRAY["function"]),
    )


def _gradients(edition: Edition) -> Iterator[Scenario]:
    """A list, which keras-1 names; later documents speak of a tensor of gradients (C093)."""
    for count in (1, 2):
        w = ProgramWriter()
        variables: list[Ref] = [_variable(w, f"x{i}", ROW + i) for i in range(count)]
        loss = w.call("sum", w.call("square", variables[0]))
        for other in variables[1:]:
            loss = w.call("operator.add", loss, w.call("sum", other))
        made = w.call("gradients", loss, [*variables])
        w.observe("classes", "operator.classes", made)
        checked = Check(
            "it is a list",
            Aspect.GRADIENT,
            outputs=("classes",),
            test=is_a("list"),
            demands="a list, one gradient for each variable",
            at=GRADIENTS,
            alternatives=() if edition == "keras-1" else (IN_A_TUPLE,),
        )
        yield written("gradients", f"the type of the gradients by {count}", w, checked)


def _stopped(_edition: Edition) -> Iterator[Scenario]:
    """A list of constants for gradients, of a list."""
    w = ProgramWriter()
    made = w.call("stop_gradient", [_variable(w, "x", ROW), _variable(w, "y", MATRIX)])
    w.observe("classes", "operator.classes", made)
    yield written("stop_gradient", "the type of a list", w, _is("list", "classes", STOPPED))


def _recurrent(_edition: Edition) -> Iterator[Scenario]:
    """The tuple of rnn, and its list of states, one and two of them; looped and unrolled."""
    for states, unroll in ((1, False), (2, False), (1, True)):
        yield _of_rnn(states, unroll=unroll)


def _of_rnn(states: int, *, unroll: bool) -> Scenario:
    w = ProgramWriter()
    body = FunctionWriter("step", "x", "states")
    given: list[Ref] = [body.call("operator.getitem", Ref("states"), i) for i in range(states)]
    total = body.call("operator.add", Ref("x"), given[0])
    step = body.returning((total, [total, *given[1:]]))
    inputs = _variable(w, "inputs", np.arange(12.0).reshape(2, 3, 2))
    initial: list[Ref] = [_variable(w, f"state{i}", np.zeros((2, 2))) for i in range(states)]
    how: dict[str, Argument] = {"unroll": True, "input_length": 3} if unroll else {}
    made = w.call("rnn", step, inputs, [*initial], **how)
    w.observe("classes", "operator.classes", made)
    _items(w, made, 3)
    new = w.call("operator.getitem", made, 2)
    w.observe("of_states", "operator.classes", new)
    w.attempt("last_state", "operator.getitem", new, states - 1)
    w.attempt("no_state", "operator.getitem", new, states)
    counted = replace(_has(states, "new states", STATES), outputs=("last_state", "no_state"))
    return written(
        "rnn",
        f"the types of results with {states} states{', unrolled' if unroll else ''}",
        w,
        _is("tuple", "classes", RNN),
        _has(3, "results", RNN),
        replace(_is("list", "of_states", STATES), alternatives=(IN_A_TUPLE,)),
        counted,
    )


def _normalised(_edition: Edition) -> Iterator[Scenario]:
    """The tuple of normalize_batch_in_training, by axis 0 and by all axes but the last."""
    for shape, axes in (((4, 3), [0]), ((2, 2, 2, 3), [0, 1, 2])):
        w = ProgramWriter()
        x = _variable(w, "x", np.arange(float(np.prod(shape))).reshape(shape))
        gamma, beta = (_variable(w, n, np.full(3, v)) for n, v in (("gamma", 1.0), ("beta", 0.0)))
        made = w.call("normalize_batch_in_training", x, gamma, beta, [*axes])
        w.observe("classes", "operator.classes", made)
        _items(w, made, 3)
        yield written(
            "normalize_batch_in_training",
            f"the types of results of rank {len(shape)}",
            w,
            _is("tuple", "classes", NORMALISED),
            _has(3, "results", NORMALISED),
        )


def _shape(_edition: Edition) -> Iterator[Scenario]:
    w = ProgramWriter()
    made = w.call("get_variable_shape", _variable(w, "x", MATRIX))
    w.observe("classes", "operator.classes", made)
    yield written("get_variable_shape", "its type", w, _is("tuple", "classes", SHAPE))


FAMILIES: tuple[Family, ...] = (
    listed("get_value", lambda edition: _one_array("get_value", edition)),
    listed("eval", lambda edition: _one_array("eval", edition)),
    listed("eval", _evaluated),
    listed("batch_get_value", _several_arrays),
    listed("function", _compiled, editions=NEWER),
    listed("gradients", _gradients, Aspect.GRADIENT),
    listed("stop_gradient", _stopped, editions=("keras-2.2",)),
    listed("rnn", _recurrent),
    listed("normalize_batch_in_training", _normalised, editions=NEWER),
    listed("cast_to_floatx", _cast),
    listed("get_variable_shape", _shape, editions=("keras-2.0",)),
)
