"""Numbers for which a function is not defined, in later calls and later rounds of a loop."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.fuzz.bounds.admissible import in_domains, within
from conformance.fuzz.bounds.course import course
from conformance.fuzz.bounds.sessions import GraphSession, is_settled
from conformance.fuzz.bounds.tensors import Known
from conformance.fuzz.judging import Question
from conformance.fuzz.shrinking.reduction import planned
from conformance.program import Argument, Binding, Function, Input, Program, Ref, Step

EDITION = "keras-2.2"
FLOATS = (("dtype", "float32"),)


def step(result: str, function: str, *args: Argument, **kwargs: Argument) -> Step:
    return Step(result, function, args, tuple(kwargs.items()))


def normalising(new: float) -> GraphSession:
    """Two calls of a batch normalisation, the first of which updates the variance."""
    arrays = {
        "start": np.asarray([0.5, 0.75], "float32"),
        "given": np.asarray([[1.5, -0.25]], "float32"),
        "new": np.asarray([new, 0.3], "float32"),
    }
    inputs = tuple(Input(n, a.shape, "float32", Binding.ARRAY) for n, a in arrays.items())
    features = [Ref(name) for name in ("mean", "var", "mean", "mean")]
    steps = (
        Step("x", "placeholder", (), (("shape", (1, 2)), *FLOATS)),
        Step("y", "placeholder", (), (("shape", (2,)), *FLOATS)),
        Step("mean", "constant", (Ref("start"),), FLOATS),
        Step("var", "variable", (Ref("start"),), FLOATS),
        step("b", "batch_normalization", Ref("x"), *features, epsilon=0.5),
        step("u", "update", Ref("var"), Ref("y")),
        step("f", "function", [Ref("x"), Ref("y")], [Ref("b")], updates=[Ref("u")]),
        step("first", "operator.call", Ref("f"), [Ref("given"), Ref("new")]),
        step("second", "operator.call", Ref("f"), [Ref("given"), Ref("new")]),
    )
    session = GraphSession(Program(inputs, steps, ("first", "second")), arrays, EDITION)
    session.run()
    return session


@pytest.mark.parametrize(("new", "settled"), [(0.25, True), (-0.25, False)])
def test_a_variance_stays_above_zero_in_every_call(new: float, *, settled: bool) -> None:
    """-0.25 and an epsilon of 0.5 have a root, but a variance is not below zero."""
    session = normalising(new)
    assert np.isfinite(session.results["second"][0][1].value).all()
    assert is_settled(session) is settled


def folding(*numbers: float) -> Question:
    """A loop that normalises by the mean of what it has accumulated."""
    features = [Ref(name) for name in ("g", "m", "g", "g")]
    body = Function(
        "body",
        ("a", "e"),
        (
            step("m", "mean", Ref("a"), 0),
            step("n", "batch_normalization", Ref("e"), *features, epsilon=0.5),
        ),
        Ref("n"),
    )
    x = Input("x", (3, 2, 1), "float32", Binding.PLACEHOLDER)
    g = Input("g", (1,), "float32", Binding.PLACEHOLDER)
    program = Program((x, g), (step("l", "foldl", body, Ref("x")),), ("l",))
    rows = np.asarray(numbers, "float32").reshape(3, 2, 1)
    return Question(program, [{"x": rows, "g": np.asarray([0.1], "float32")}], EDITION)


def test_a_variance_stays_above_zero_in_every_round_of_a_loop() -> None:
    planned(folding(0.5, 0.75, 1.5, 2.5, -0.5, 1.25))
    with pytest.raises(ValueError, match="numbers for which a function is not defined"):
        planned(folding(0.5, 0.75, -2.5, -3.5, -0.5, 1.25))


def test_a_program_is_not_made_smaller_by_leaving_a_domain() -> None:
    x = Input("x", (2, 2), "float32", Binding.PLACEHOLDER)
    v = Input("v", (2,), "float32", Binding.PLACEHOLDER)
    features = [Ref(name) for name in ("v", "w", "v", "v")]

    def asked(*steps: Step) -> Question:
        last = step("b", "batch_normalization", Ref("x"), *features, epsilon=0.5)
        numbers = {
            "x": np.asarray([[0.5, -1.25], [2.0, 1.5]], "float32"),
            "v": np.asarray([0.25, -0.125], "float32"),
        }
        return Question(Program((x, v), (*steps, last), ("b",)), [numbers], EDITION)

    planned(asked(step("w", "abs", Ref("v"))))
    with pytest.raises(ValueError, match="not defined"):
        planned(asked(step("w", "tanh", Ref("v"))))


def crossentropy(total: float, *, logits: bool = False) -> bool:
    """Whether a crossentropy of what was computed is one of probabilities, or of logits."""
    p = Input("p", (2, 2), "float32", Binding.PLACEHOLDER)
    t = Input("t", (2, 2), "float32", Binding.PLACEHOLDER)
    program = Program(
        (p, t),
        (
            step("q", "abs", Ref("p")),
            step("c", "categorical_crossentropy", Ref("t"), Ref("q"), from_logits=logits),
        ),
        ("c",),
    )
    rows = np.asarray([[0.25, 0.75], [0.5, 0.5]], "float32")
    session = course(program, {"p": (rows * total).astype("float32"), "t": rows}, EDITION)
    return in_domains(session, session.calls[1], {"t"})


def test_probabilities_sum_to_one_and_logits_need_not() -> None:
    assert crossentropy(1.0)
    assert not crossentropy(1.25)
    assert crossentropy(1.25, logits=True)
    assert not crossentropy(10.0, logits=True)


def test_a_reach_may_leave_a_domain() -> None:
    value = np.asarray([0.0, 0.5])
    assert within(Known(value, np.asarray([0.0, 0.25])), "nonnegative")
    assert not within(Known(value, np.asarray([1e-9, 0.0])), "nonnegative")
    assert within(Known(value, np.asarray([1.0, 1.0])), "real")
    assert not within(Known(value, np.zeros(2)), "no such domain")


@pytest.mark.parametrize(("number", "belongs"), [(0.25, True), (0.0, True), (-0.25, False)])
def test_an_input_that_is_made_simpler_stays_in_its_domain(number: float, belongs: bool) -> None:
    x = Input("x", (2,), "float32", Binding.PLACEHOLDER)
    program = Program((x,), (step("r", "sqrt", Ref("x")), step("t", "tanh", Ref("r"))), ("t",))
    question = Question(program, [{"x": np.asarray([number, 1.5], "float32")}], EDITION)
    if belongs:
        planned(question)
        return
    with pytest.raises(ValueError, match="not defined"):
        planned(question)
