"""Dimensions that are not known when a graph is built, and calls with other shapes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from conformance.fuzz.bounds.course import course
from conformance.fuzz.bounds.sessions import GraphSession, is_session
from conformance.fuzz.bounds.static_shapes import fits, has_unknown, initial_shapes, static_shapes
from conformance.fuzz.judging import Mismatch, Question
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import ComposedProgram, Plan
from conformance.fuzz.making.placeholders import free_lengths, of_lengths
from conformance.fuzz.records.failures import failure
from conformance.fuzz.shrinking.reduction import planned
from conformance.fuzz.shrinking.session_candidates import known_shapes, results_as_inputs
from conformance.program import Argument, Binding, Function, Input, Made, Program, Ref, Step
from conformance.results import Aspect, Verdict
from conformance.scripts import Prelude
from conformance.specs import load
from conformance.specs.load import claims

UNKNOWN = (("shape", (None, 3)), ("dtype", "float32"))


def step(result: str, function: str, *args: Argument, **kwargs: Argument) -> Step:
    return Step(result, function, args, tuple(kwargs.items()))


def program(*steps: Step, shape: Argument = (None, 3)) -> Program:
    x = Input("x", (2, 3), "float32", Binding.PLACEHOLDER_NONE, (("shape", shape), *UNKNOWN[1:]))
    return Program((x,), steps, (steps[-1].result,))


def known(tested: Program) -> dict[str, tuple[int | None, ...]]:
    arrays = {i.name: np.ones(i.shape, i.dtype) for i in tested.inputs}
    exact = course(tested, arrays, "keras-2.2")
    return static_shapes(initial_shapes(tested, exact.types), exact.calls, exact.types)


def test_rules_say_what_is_known_of_results() -> None:
    chain = program(
        step("t", "transpose", Ref("x")),
        step("s", "sum", Ref("t"), axis=0),
        step("e", "expand_dims", Ref("s"), axis=0),
        step("m", "mean", Ref("x")),
    )
    lengths = known(chain)
    assert lengths["t"] == (3, None)
    assert lengths["s"] == (None,)
    assert lengths["e"] == (1, None)
    assert lengths["m"] == ()


def test_kernels_and_channels_must_be_known() -> None:
    image = step("i", "expand_dims", Ref("x"), axis=0)
    kernel = step("k", "expand_dims", Ref("x"), axis=0)
    conv = step("c", "conv1d", Ref("i"), Ref("k"), padding="valid")

    def enough(*shape: int | None) -> bool:
        chain = program(image, kernel, conv, shape=shape)
        exact = course(chain, {"x": np.ones((1, 3, 3), "float32")[0]}, "keras-2.2")
        return fits(
            static_shapes(initial_shapes(chain, exact.types), exact.calls, exact.types), exact.calls
        )

    x = Input("x", (3, 3), "float32", Binding.PLACEHOLDER)
    assert x.static_shape == (3, 3)
    assert enough(3, 3)
    assert not enough(3, None)
    assert not enough(None, 3)


@pytest.mark.parametrize(("shape", "enough"), [((None, 3, 2), True), ((2, None, 2), False)])
def test_a_loop_is_unrolled_over_a_known_number_of_steps(
    shape: tuple[int | None, ...], *, enough: bool
) -> None:
    loop = composed_rnn(shape)
    exact = course(loop, {"x": np.ones((2, 3, 2), "float32")}, "keras-2.2")
    static = static_shapes(initial_shapes(loop, exact.types), exact.calls, exact.types)
    assert fits(static, exact.calls) is enough


def composed_rnn(shape: tuple[int | None, ...]) -> Program:
    from tests.fuzz.test_recurrence import BODY  # noqa: PLC0415 - what it is made of

    kwargs = (("shape", shape), ("dtype", "float32"))
    x = Input("x", (2, 3, 2), "float32", Binding.PLACEHOLDER_NONE, kwargs)
    steps = (
        step("s", "sum", Ref("x"), axis=1),
        step("c", "rnn", BODY, Ref("x"), [Ref("s")], unroll=True),
        step("o", "operator.getitem", Ref("c"), 0),
    )
    return Program((x,), steps, ("o",))


def test_lengths_that_are_known_somewhere_are_kept() -> None:
    x = program(step("a", "abs", Ref("x"))).inputs[0]
    exact = course(program(step("a", "abs", Ref("x"))), {"x": np.ones((2, 3))}, "keras-2.2")
    assert free_lengths([x], exact.calls) == [2]
    held = Input("v", (2,), "float32", Binding.VARIABLE)
    assert free_lengths([x, held], exact.calls) == []


def test_arrays_of_other_lengths_have_the_same_numbers() -> None:
    array = np.arange(6, dtype="float32").reshape(2, 3)
    assert of_lengths(array, (None, 3), {2: 3}).tolist() == [[0, 1, 2], [3, 4, 5], [0, 1, 2]]
    assert of_lengths(array, (2, None), {3: 2}).tolist() == [[0, 1], [3, 4]]
    assert of_lengths(array, (2, 3), {3: 2}).tolist() == array.tolist()


def test_what_is_refused_where_a_dimension_is_unknown_rests_on_a_convention() -> None:
    chain = program(step("a", "tanh", Ref("x")), step("b", "exp", Ref("a")))
    asked = Question(chain, [{"x": np.ones((2, 3), "float32")}], "keras-2.2")
    refused = failure(asked, Mismatch("exception", "", 0, "raises"), Prelude(()), seed=0, number=0)
    assert refused.verdict is Verdict.DIVERGES
    assert refused.convention == "precise-static-shape"
    known = course(chain, asked.arrays[0], "keras-2.2").known["b"]
    wrong = Mismatch("value", "b", 0, "is beyond", known, known.value + 1)
    assert failure(asked, wrong, Prelude(()), seed=0, number=0).verdict is Verdict.VIOLATES


def test_another_dtype_rests_on_a_convention_where_no_document_gives_one() -> None:
    chain = program(step("a", "tanh", Ref("x")), step("b", "exp", Ref("a")))
    asked = Question(chain, [{"x": np.ones((2, 3), "float32")}], "keras-2.2")
    known = course(chain, asked.arrays[0], "keras-2.2").known["b"]
    other = Mismatch("dtype", "b", 0, "has dtype int32", known, dtypes=["float32"])
    shown = failure(asked, other, Prelude(("from keras import backend as K",)), seed=0, number=0)
    assert (shown.verdict, shown.convention) == (Verdict.DIVERGES, "result-dtype")
    assert "== 'float32'" in (shown.script or "")


def test_another_dtype_violates_where_a_document_gives_one() -> None:
    chain = program(step("a", "tanh", Ref("x")), step("b", "cast", Ref("a"), "float64"))
    asked = Question(chain, [{"x": np.ones((2, 3), "float32")}], "keras-2.2")
    known = course(chain, asked.arrays[0], "keras-2.2").known["b"]
    other = Mismatch("dtype", "b", 0, "has dtype float32", known, dtypes=["float64"])
    shown = failure(asked, other, Prelude(()), seed=0, number=0)
    assert (shown.verdict, shown.convention) == (Verdict.VIOLATES, None)
    claimed = {c.at["ko-2.2"] for c in claims(load()["cast"], Aspect.DTYPE)}
    assert shown.citation is not None
    assert shown.citation.line in claimed


def of_other_shapes() -> ComposedProgram:
    """A program one of whose functions is called with other shapes."""
    for number in range(3, 400, 4):
        composed_program = composed(Plan("keras-2.2", 0), number)
        session = GraphSession(composed_program.program, composed_program.arrays[0], "keras-2.2")
        session.run()
        shapes = [{n: k.shape for n, k in c.types.items()} for c in session.courses]
        if any(s != shapes[0] for s in shapes):
            return composed_program
    raise AssertionError("there is none")


@pytest.mark.slow
def test_functions_are_called_with_other_shapes() -> None:
    composed_program = of_other_shapes()
    assert is_session(composed_program.program)
    assert has_unknown(composed_program.program)
    asked = Question(composed_program.program, composed_program.arrays, "keras-2.2")
    answered = 0
    for candidate in (*known_shapes(asked), *results_as_inputs(asked)):
        session = GraphSession(candidate.program, candidate.arrays[0], "keras-2.2")
        with suppress(KeyError):  # a loss that no longer depends on its tensor
            session.run()
            answered += 1
        for call in session.courses:
            for creation in candidate.program.steps:
                shape = dict(creation.kwargs).get("shape")
                if creation.function == "placeholder" and isinstance(shape, tuple):
                    pairs = zip(shape, call.types[creation.result].shape, strict=True)
                    assert all(a in (None, b) for a, b in pairs)
    assert answered


def test_an_index_of_nothing_is_a_convention() -> None:
    """The rows of a tensor may be fewer in another call."""
    chain = program(step("g", "gather", Ref("x"), Ref("i")))
    places = Input("i", (2,), "int32", Binding.PLACEHOLDER)
    asked = Question(replace(chain, inputs=(*chain.inputs, places)), [], "keras-2.2")
    for last, settled in ((1, True), (2, False), (-1, False)):
        numbers = {"x": np.ones((2, 3), "float32"), "i": np.array([0, last], "int32")}
        if settled:
            planned(replace(asked, arrays=[numbers]))
            continue
        with pytest.raises(ValueError, match="no document settles this"):
            planned(replace(asked, arrays=[numbers]))


def sliced(size: Argument, *, rest: int = 2) -> Program:
    """A slice as a kernel, or as an image if `rest` is 1, of a placeholder that is known."""
    x = Input("x", (3, 3, 3), "float32", Binding.PLACEHOLDER)
    image, kernel = ("x", "s") if rest == 2 else ("s", "x")
    steps = (
        step("s", "slice", Ref("x"), [0, 0, 0], size),
        step("c", "conv1d", Ref(image), Ref(kernel), data_format="channels_last"),
    )
    return Program((x,), steps, ("c",))


@pytest.mark.parametrize("rest", [1, 2])
@pytest.mark.parametrize("kind", ["constant", "variable"])
def test_lengths_that_a_tensor_holds_are_not_known(kind: str, rest: int) -> None:
    """No document says that `slice` has a static shape where its size is a tensor."""
    plain, held = sliced([3, 3, 3], rest=rest), sliced(Made(kind, (3, 3, 3)), rest=rest)
    assert known(plain)["s"] == (3, 3, 3)
    assert known(held)["s"] == (None, None, None)
    assert not has_unknown(plain)
    assert has_unknown(held)
    x = np.arange(1, 28, dtype="float32").reshape(3, 3, 3) / 8
    numbers = [{"x": np.concatenate([x[:2], x[:1]])}]  # a kernel that is its own mirror image
    planned(Question(plain, numbers, "keras-2.2"))
    with pytest.raises(ValueError, match="not known"):
        planned(Question(held, numbers, "keras-2.2"))


def test_a_target_shape_that_is_a_tensor_has_a_rank() -> None:
    chain = program(step("r", "reshape", Ref("x"), Made("constant", (3, 2))))
    assert known(chain)["r"] == (None, None)


@pytest.mark.parametrize(
    ("size", "enough"), [([3, 3, 3], True), (Made("constant", (3, 3, 3)), False)]
)
def test_the_kernels_of_a_body_must_be_known(size: Argument, *, enough: bool) -> None:
    """A body may take what is not known from outside, or make it."""
    conv = step("b_c", "conv1d", Ref("x"), Ref("b"), data_format="channels_last")
    body = Function("body", ("b",), (conv,), Ref("b_c"))
    x = Input("x", (3, 3, 3), "float32", Binding.PLACEHOLDER)
    stacked = step("e", "expand_dims", Ref("s"), 0)
    steps = (
        step("s", "slice", Ref("x"), [0, 0, 0], size),
        stacked,
        step("m", "map_fn", body, Ref("e")),
    )
    loop = Program((x,), steps, ("m",))
    exact = course(loop, {"x": np.ones((3, 3, 3), "float32")}, "keras-2.2")
    static = static_shapes(initial_shapes(loop, exact.types), exact.calls, exact.types)
    assert fits(static, exact.calls) is enough


def test_what_a_body_makes_with_a_tensor_is_not_known() -> None:
    size = Made("variable", (2,))
    body = Function("body", ("b",), (step("b_s", "slice", Ref("b"), [0], size),), Ref("b_s"))
    assert known(program(step("m", "map_fn", body, Ref("x")), shape=(2, 3)))["m"] == (None, None)


@pytest.mark.slow
def test_programs_know_the_kernels_that_they_must_know() -> None:
    """Some take lengths from tensors; this one had such a slice as its kernel."""
    for number in (*range(40), 9686):
        planned_program = composed(Plan("keras-2.2", 0), number)
        types = planned_program.courses[0].types
        calls = planned_program.courses[0].calls
        assert fits(
            static_shapes(initial_shapes(planned_program.program, types), calls, types), calls
        )
