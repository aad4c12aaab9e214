"""The bound of `rnn` runs along with its steps, and that of averages holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.fuzz.bounds.course import Course, course
from conformance.fuzz.bounds.sessions import GraphSession, open_order
from conformance.fuzz.bounds.tensors import Known, Typed
from conformance.fuzz.programs import calls_of, references
from conformance.oracle.control_flow import rnn
from conformance.program import Argument, Binding, Function, Input, Program, Ref, Step

Array = npt.NDArray[Any]
BODY = Function(
    "body",
    ("e", "states"),
    (
        Step("h", "operator.getitem", (Ref("states"), 0)),
        Step("m", "maximum", (Ref("e"), Ref("h"))),
        Step("o", "tanh", (Ref("m"),)),
        Step("n", "minimum", (Ref("o"), Ref("h"))),
    ),
    (Ref("o"), [Ref("n")]),
)
MASK = Input("mask", (2, 3), "float32", Binding.PLACEHOLDER)


def program(*, masked: bool, **kwargs: Argument) -> Program:
    options = {**kwargs, **({"mask": Ref("mask")} if masked else {})}
    inputs = (
        Input("x", (2, 3, 2), "float32", Binding.PLACEHOLDER),
        Input("s", (2, 2), "float32", Binding.PLACEHOLDER),
        *((MASK,) if masked else ()),
    )
    steps = (
        Step("c", "rnn", (BODY, Ref("x"), [Ref("s")]), tuple(options.items())),
        Step("l", "operator.getitem", (Ref("c"), 2)),
        Step("state", "operator.getitem", (Ref("l"), 0)),
        Step("last", "operator.getitem", (Ref("c"), 0)),
        Step("all", "operator.getitem", (Ref("c"), 1)),
    )
    chosen = steps[:3] if masked else steps
    return Program(inputs, chosen, ("state",) if masked else ("state", "last", "all"))


def arrays(seed: int) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    used = random.random((2, 3)) < 0.6
    return {
        "x": random.normal(size=(2, 3, 2)).astype("float32"),
        "s": random.normal(size=(2, 2)).astype("float32"),
        "mask": used.astype("float32"),
    }


def right(values: dict[str, Array], *, masked: bool, backwards: bool) -> dict[str, Array]:
    def body(x: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        output = np.tanh(np.maximum(x, states[0]))
        return output, [np.minimum(output, states[0])]

    wide = {n: a.astype(np.float64) for n, a in values.items()}
    mask = wide["mask"] if masked else None
    last, outputs, states = rnn(body, wide["x"], [wide["s"]], backwards, mask)
    return {"last": last, "all": outputs, "state": states[0]}


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_results_of_rnn_are_within_their_reach(*, masked: bool, backwards: bool) -> None:
    for seed in range(5):
        inputs = arrays(seed)
        looping = program(masked=masked, go_backwards=backwards)
        exact = course(looping, inputs, "keras-2.2")
        expected = right(inputs, masked=masked, backwards=backwards)
        for name in looping.outputs:
            known = exact.known[name]
            assert known.value.shape == expected[name].shape == exact.types[name].shape
            assert bool((np.abs(known.value - expected[name]) <= known.reach).all())
            assert float(known.reach.max()) < 1e-5


def test_states_carry_their_reach_from_step_to_step() -> None:
    looping, inputs = program(masked=False), arrays(1)
    exact = course(looping, inputs, "keras-2.2")
    off = Course({}, {})
    for item in looping.inputs:
        off.types[item.name] = Typed(item.shape, (item.dtype,))
        reach = np.full(item.shape, 1e-5 if item.name == "s" else 0.0)
        off.known[item.name] = Known(inputs[item.name], reach)
    for call in calls_of(looping, "keras-2.2"):
        off.add(call, "keras-2.2")
    for shift in (-1e-5, 1e-5):
        moved = {**inputs, "s": inputs["s"].astype(np.float64) + shift}
        expected = right(moved, masked=False, backwards=False)
        for name in looping.outputs:
            assert bool(
                (np.abs(off.known[name].value - expected[name]) <= off.known[name].reach).all()
            )
    assert float(off.known["state"].reach.max()) > 10 * float(exact.known["state"].reach.max())


def test_what_masked_steps_give_has_no_answer() -> None:
    looping = program(masked=True)
    last = Step("last", "operator.getitem", (Ref("c"), 0))
    with pytest.raises(ValueError, match="masked step"):
        course(Program(looping.inputs, (*looping.steps, last), ("last",)), arrays(0), "keras-2.2")


@pytest.mark.parametrize(
    ("name", "shape", "reason"),
    [("mask", (2, 4), "samples and the time"), ("mask", (3, 3), "samples"), ("s", (1, 2), "state")],
)
def test_what_is_not_of_the_sequence_has_no_answer(
    name: str, shape: tuple[int, ...], reason: str
) -> None:
    looping = program(masked=True)
    inputs = (replace(i, shape=shape) if i.name == name else i for i in looping.inputs)
    fed = {**arrays(0), name: np.ones(shape, "float32")}
    with pytest.raises(ValueError, match=reason):
        course(replace(looping, inputs=tuple(inputs)), fed, "keras-2.2")


def test_a_body_that_leaves_ordinary_numbers_has_no_answer() -> None:
    steps = (Step("h", "exp", (Ref("e"),)), Step("i", "maximum", (Ref("h"), Ref("a"))))
    body = Function("b", ("a", "e"), steps, Ref("i"))
    x = Input("x", (2, 1), "float32", Binding.PLACEHOLDER)
    looping = Program((x,), (Step("f", "foldl", (body, Ref("x"))),), ("f",))
    assert course(looping, {"x": np.array([[1], [2]], "float32")}, "keras-2.2").known["f"]
    with pytest.raises(ValueError, match="leaves the numbers"):
        course(looping, {"x": np.array([[1], [20]], "float32")}, "keras-2.2")


def test_a_body_refers_to_what_it_takes_from_outside_alone() -> None:
    assert list(references(program(masked=True).steps[0])) == ["x", "s", "mask"]


@pytest.mark.parametrize("momentum", [0.0, 0.25, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_moving_average_is_within_its_bound_however_it_is_computed(
    momentum: float, dtype: str
) -> None:
    random = np.random.default_rng(0)
    old, new = (random.normal(size=50).astype(dtype) for _ in range(2))
    average = averaged(old, new, momentum)
    number = np.dtype(dtype).type
    ways = (
        old * number(momentum) + new * (number(1) - number(momentum)),
        old * number(momentum) + new * number(1 - momentum),
        old - (old - new) * number(1 - momentum),
        new + (old - new) * number(momentum),
    )
    for way in ways:
        assert bool((np.abs(way - average.value.astype(np.longdouble)) <= average.reach).all())
    size = np.abs(old) + np.abs(new)
    assert bool((average.reach <= 16 * np.finfo(dtype).eps * size).all()), (
        "no wider than it must be"
    )


def averaged(old: Array, new: Array, momentum: float) -> Known:
    session = GraphSession(averaging(old, momentum), {"old": old, "new": new}, "keras-2.2")
    session.run()
    ((_, average),) = session.results["after"]
    return average


def averaging(old: Array, momentum: float) -> Program:
    inputs = tuple(Input(n, old.shape, old.dtype.name, Binding.ARRAY) for n in ("old", "new"))
    shape_and_dtype = (("shape", old.shape), ("dtype", old.dtype.name))
    steps = (
        Step("v", "variable", (Ref("old"),), shape_and_dtype[1:]),
        Step("x", "placeholder", (), shape_and_dtype),
        Step("y", "abs", (Ref("x"),)),
        Step("u", "moving_average_update", (Ref("v"), Ref("x"), momentum)),
        Step("f", "function", ([Ref("x")], [Ref("y")]), (("updates", [Ref("u")]),)),
        Step("done", "operator.call", (Ref("f"), [Ref("new")])),
        Step("after", "get_value", (Ref("v"),)),
    )
    return Program(inputs, steps, ("done", "after"))


def test_an_average_rests_on_a_convention() -> None:
    assert "moving-average" in open_order(averaging(np.ones(2, "float32"), 0.5))


def test_a_variable_keeps_its_shape() -> None:
    averaging_program = averaging(np.ones(2, "float32"), 0.5)
    session = GraphSession(
        averaging_program, {"old": np.ones(2, "float32"), "new": np.ones(3, "float32")}, "keras-2.2"
    )
    with pytest.raises(ValueError, match="keeps its shape"):
        session.run()


def test_a_sum_of_integer_variables_has_no_bound() -> None:
    numbers = np.array([3, -4], "int32")
    with pytest.raises(ValueError, match="no bound is proved of sums of int32"):
        averaged(numbers, numbers, 0.5)
