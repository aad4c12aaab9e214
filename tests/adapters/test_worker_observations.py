"""What the worker observes of implementations that are correct, or wrong in one known way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.adapters.session import Configuration, Session, WorkerStartError
from conformance.observations import Batch, Raised, Returned, StructureObservation
from conformance.program import Binding, Input, Program, Ref, Step
from tests.adapters.support import arrays, batch, call, error, launch, negative_at, x


def returned(observed: StructureObservation) -> Returned:
    outcome = observed.draws[0].outcome
    assert isinstance(outcome, Returned), outcome
    return outcome


BINDINGS = ["variable", "constant", "placeholder", "placeholder_none"]


@pytest.fixture(scope="module")
def correct() -> Iterator[Session]:
    names = ("softmax", "sum", "nothing_of_the_kind")
    with Session(launch("correct"), functions=names) as session:
        yield session


@pytest.fixture(scope="module")
def eager() -> Iterator[Session]:
    with Session(launch("correct", family="eager")) as session:
        yield session


@pytest.mark.parametrize("binding", BINDINGS)
def test_every_binding_gives_every_draw_its_own_values(correct: Session, binding: str) -> None:
    asked = batch(call("sum", x(2, 3, binding=binding), axis=1, keepdims=True), draws=5)
    observation = correct.run_batch(asked)
    expected = asked.arrays["x"].sum(axis=2, keepdims=True)
    np.testing.assert_array_equal(np.stack(arrays(observation)), expected)
    assert observation.evaluated_with == "function"
    assert all(draw.changed == () for draw in observation.draws)
    assert not observation.incidents
    assert not observation.leaked


@pytest.mark.parametrize("binding", BINDINGS)
def test_eager_family_gives_the_same(eager: Session, binding: str) -> None:
    asked = batch(call("exp", x(3, binding=binding)), draws=3)
    # the fake's tensors are lazy: `get_value` reads variables only, so the step returns one
    if binding in ("variable", "constant"):
        assert error(eager.run_batch(asked)).stage == "call"
    else:
        np.testing.assert_array_equal(
            np.stack(arrays(eager.run_batch(asked))), np.exp(asked.arrays["x"])
        )


def test_eager_family_sets_the_variables_of_each_draw(eager: Session) -> None:
    item = x(3, binding="variable")
    asked = batch(Program((item,), (), ("x",)), draws=3)
    observation = eager.run_batch(asked)
    np.testing.assert_array_equal(np.stack(arrays(observation)), asked.arrays["x"])
    assert observation.evaluated_with == "eager"


def test_claims(correct: Session) -> None:
    known = correct.run_batch(batch(call("exp", x(2, 3))))
    (claim,) = known.outputs[0].metadata
    assert (claim.dtype, claim.shape) == ("float32", (2, 3))
    assert (known.inputs[0].name, known.inputs[0].metadata.shape) == ("x", (2, 3))
    unknown = correct.run_batch(batch(call("exp", x(2, 3, binding="placeholder_none"))))
    assert unknown.outputs[0].metadata[0].shape == (None, None)
    assert unknown.inputs[0].metadata.shape == (None, None)
    assert arrays(unknown)[0].shape == (2, 3)


def test_array_binding_and_values_as_results(correct: Session) -> None:
    program = Program(
        (x(2, binding="array"),),
        (Step("v", "variable", (Ref("x"),)), Step("y", "get_value", (Ref("v"),))),
        ("y", "x"),
    )
    asked = batch(program, draws=3)
    observation = correct.run_batch(asked)
    for draw, value in zip(observation.draws, asked.arrays["x"], strict=True):
        assert isinstance(draw.outcome, Returned)
        np.testing.assert_array_equal(draw.outcome.value("y").array, value)
        np.testing.assert_array_equal(draw.outcome.value("x").array, value)
    assert observation.outputs[0].metadata[0].dtype is None


@pytest.mark.parametrize(("shape", "kind"), [((2, 1), "list"), ((2,), "list"), ((), "float")])
def test_python_binding_gives_pythons_numbers(
    correct: Session, shape: tuple[int, ...], kind: str
) -> None:
    steps = (Step("kind", "operator.classes", (Ref("x"),)), Step("y", "variable", (Ref("x"),)))
    item = Input("x", shape, "float32", Binding.PYTHON)
    asked = batch(Program((item,), steps, ("kind", "y")), draws=2)
    observation = correct.run_batch(asked)
    for draw, value in zip(observation.draws, asked.arrays["x"], strict=True):
        assert isinstance(draw.outcome, Returned)
        assert draw.outcome.value("kind").text == f"{kind} object"
        np.testing.assert_array_equal(draw.outcome.value("y").array, value)


def test_values_that_are_no_arrays(correct: Session) -> None:
    steps = (
        Step("shape", "int_shape", (Ref("x"),)),
        Step("dtype", "dtype", (Ref("x"),)),
    )
    program = Program((x(2, 3, binding="placeholder_none"),), steps, ("shape", "dtype"))
    observation = correct.run_batch(batch(program, draws=2))
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Returned)
    assert [v.python_type for v in outcome.values["shape"]] == ["NoneType"] * 2
    text = outcome.value("dtype")
    assert (text.array, text.python_type) == (None, "str")
    assert text.problem is not None and "not numeric" in text.problem
    assert observation.outputs[0].container == "tuple"


def test_arguments_of_every_kind(correct: Session) -> None:
    program = Program(
        (x(2, 3),),
        (
            Step("a", "reshape", (Ref("x"), (3, 2))),
            Step("b", "constant", (float("inf"),), (("dtype", "float64"),)),
            Step("y", "maximum", (), (("x", Ref("a")), ("y", Ref("b")))),
        ),
        ("y", "a"),
    )
    observation = correct.run_batch(batch(program, draws=2))
    outcome = observation.draws[0].outcome
    assert isinstance(outcome, Returned)
    np.testing.assert_array_equal(outcome.value("y").array, np.full((3, 2), np.inf))
    assert [o.metadata[0].shape for o in observation.outputs] == [(3, 2), (3, 2)]


def test_arguments_of_an_input(correct: Session) -> None:
    item = Input("x", (2,), "float32", Binding.PLACEHOLDER, (("ndim", 1),))
    observation = correct.run_batch(batch(call("exp", item)))
    assert observation.inputs[0].metadata.shape == (None,)
    arrays(observation)


def test_errors_name_stage_and_step(correct: Session) -> None:
    absent = error(correct.run_batch(batch(call("no_such_function", x(2)))))
    assert (absent.type, absent.stage, absent.step) == ("Absent", "step", 0)
    assert absent.bases[:2] == ("Absent", "NotImplementedError")
    bad_shape = correct.run_batch(batch(call("reshape", x(2), args=[(3,)]), draws=2))
    assert [error(bad_shape, i).type for i in range(2)] == ["ValueError", "ValueError"]
    assert str(error(bad_shape).place).startswith("fakes/")
    late = batch(call("reshape", x(2, binding="placeholder_none"), args=[(3,)]))
    assert error(correct.run_batch(late)).stage == "call"
    refused = Input("x", (2,), "float32", Binding.VARIABLE, (("colour", "red"),))
    assert error(correct.run_batch(batch(call("exp", refused)))).stage == "bind"


def test_an_absent_function_is_no_answer_to_an_attempt(correct: Session) -> None:
    program = Program((x(2),), (Step("y", "no_such", (Ref("x"),), (), attempt=True),), ("y",))
    assert error(correct.run_batch(batch(program))).type == "Absent"


@pytest.mark.parametrize("name", ["no_such_function", "reshape"])
def test_what_may_be_unknown_does_not_end_the_program(correct: Session, name: str) -> None:
    asked = Step("told", f"maybe.{name}", (Ref("x"),))
    program = Program((x(2),), (asked, Step("y", "exp", (Ref("x"),))), ("told", "y"))
    (value,) = returned(correct.run_batch(batch(program))).values["told"]
    assert value.text == "unknown"


@pytest.mark.parametrize("binding", BINDINGS)
def test_another_binder_takes_the_place_of_an_absent_one(binding: str) -> None:
    absent = dict.fromkeys(("placeholder", "constant"), "no_such_function")
    started = replace(launch("correct"), names=absent)
    asked = batch(call("exp", x(3, binding=binding)), draws=3)
    with Session(started, functions=["placeholder"]) as session:
        assert not session.identity.functions["placeholder"].present
        results = arrays(session.run_batch(asked))
    np.testing.assert_array_equal(np.stack(results), np.exp(asked.arrays["x"]))


def test_functions_under_other_names_are_found() -> None:
    started = replace(launch("correct"), names={"exponential": "exp"})
    asked = batch(call("exponential", x(3)))
    with Session(started, functions=["exponential"]) as session:
        assert session.identity.functions["exponential"].present
        results = arrays(session.run_batch(asked))
    np.testing.assert_array_equal(np.stack(results), np.exp(asked.arrays["x"]))


def test_identity(correct: Session) -> None:
    identity = correct.identity
    assert (identity.backend, identity.python) == ("fake", sys.version.split()[0])
    assert identity.versions == {"numpy": np.__version__}
    assert not identity.functions["nothing_of_the_kind"].present
    softmax = identity.functions["softmax"].signature
    assert softmax is not None
    assert [(p.name, p.has_default, p.default) for p in softmax] == [
        ("x", False, None),
        ("axis", True, "-1"),
    ]
    assert softmax[0].kind == "POSITIONAL_OR_KEYWORD"


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int64", "uint8", "bool"])
def test_dtypes_and_empty_and_scalar_shapes(correct: Session, dtype: str) -> None:
    for shape in [(), (0,), (2, 0), (2, 2)]:
        asked = batch(call("identity", x(*shape, dtype=dtype)))
        results = arrays(correct.run_batch(asked))
        assert {a.dtype.name for a in results} == {dtype}
        np.testing.assert_array_equal(np.stack(results), asked.arrays["x"])
        assert results[0].shape == shape


def test_configuration_reaches_the_module() -> None:
    program = Program((), (Step("y", "floatx", ()),), ("y",))
    with Session(launch("correct"), configuration=Configuration(floatx="float64")) as session:
        outcome = session.run_batch(batch(call("variable", x(1, binding="array")))).outputs
        assert outcome[0].metadata[0].dtype == "float64"
        session.run_batch(Batch(program, {}, 1))


def test_always_wrong_is_seen_and_dtype_and_axis_too() -> None:
    asked = batch(call("exp", x(3)))
    right = np.exp(asked.arrays["x"])
    with Session(launch("always_wrong")) as session:
        np.testing.assert_array_equal(np.stack(arrays(session.run_batch(asked))), right + 1)
    with Session(launch("wrong_dtype")) as session:
        observation = session.run_batch(asked)
        assert {a.dtype.name for a in arrays(observation)} == {"float64"}
        assert observation.outputs[0].metadata[0].dtype == "float64"
    with Session(launch("wrong_axis")) as session:
        asked = batch(call("sum", x(2, 3), axis=-1))
        np.testing.assert_array_equal(
            np.stack(arrays(session.run_batch(asked))), asked.arrays["x"].sum(axis=1)
        )


@pytest.mark.parametrize("ulp", [1, 3])
def test_one_ulp_over(ulp: int) -> None:
    asked = batch(call("exp", x(3)))
    with Session(launch("one_ulp_over", FAKE_ULP=str(ulp))) as session:
        results = np.stack(arrays(session.run_batch(asked)))
    right = np.exp(asked.arrays["x"].astype("float64")).astype("float32")
    assert (results.view("int32") - right.view("int32") == ulp).all()


def test_wrong_one_in_a_thousand() -> None:
    numbers = np.linspace(0, 1, 4000, dtype="float32").reshape(4, 1000)
    asked = Batch(call("exp", x(1000)), {"x": numbers}, 4)
    with Session(launch("wrong_one_in_a_thousand")) as session:
        results = np.stack(arrays(session.run_batch(asked)))
        assert 0 < (results != np.exp(numbers)).sum() < 20
        again = np.stack(arrays(session.run_batch(asked)))
    np.testing.assert_array_equal(results, again)


def test_a_result_that_is_a_fed_input_has_the_value_fed() -> None:
    with Session(launch("echoes")) as session:
        observed = session.run_batch(request := batch(call("identity", x(2, 3))))
    for got, fed in zip(arrays(observed), request.arrays["x"], strict=True):
        assert np.array_equal(got, fed)


@pytest.mark.parametrize("binding", ["placeholder", "variable"])
def test_changed_inputs_are_named(binding: str) -> None:
    with Session(launch("changes_inputs")) as session:
        observation = session.run_batch(batch(call("exp", x(3, binding=binding)), draws=3))
        assert [observation.draws[i].changed for i in (0, 2)] == [("x",), ("x",)]
        innocent = session.run_batch(batch(call("softmax", x(3, binding=binding)), draws=3))
        assert all(draw.changed == () for draw in innocent.draws)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_changed_constants_are_named_in_eager_mode(dtype: str) -> None:
    """Numbers that the module rounds when it makes a tensor are no change."""
    item = Input("x", (3,), dtype, Binding.CONSTANT)
    with Session(replace(launch("changes_constants"), family="eager")) as session:
        changed = session.run_batch(batch(call("exp", item), draws=3))
        assert [changed.draws[i].changed for i in (0, 2)] == [("x",), ("x",)]
        innocent = session.run_batch(batch(call("identity", item), draws=3))
        assert all(draw.changed == () for draw in innocent.draws)


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("together", [True, False])
def test_how_many_functions_compute_the_draws(binding: str, together: bool) -> None:
    asked = batch(call("compiled", x(2, binding=binding)), draws=4)
    with Session(replace(launch("counts_functions"), draws_together=together)) as session:
        counts = np.stack(arrays(session.run_batch(asked)))[:, 0].tolist()
    one_each = binding == "constant" and not together
    assert counts == ([1, 2, 3, 4] if one_each else [1, 1, 1, 1])


def test_draws_that_cannot_be_computed_together_are_computed_one_by_one() -> None:
    asked = negative_at(2, draws=4, binding="constant")
    with Session(replace(launch("spoils_session"), draws_together=True)) as session:
        observation = session.run_batch(asked)
    outcomes = [draw.outcome for draw in observation.draws]
    assert [isinstance(o, Raised) for o in outcomes] == [False, False, True, False]
    right = [next(iter(o.values.values()))[0].array for o in outcomes if isinstance(o, Returned)]
    np.testing.assert_array_equal(right, np.exp(asked.arrays["x"][[0, 1, 3]]))


def test_settings_that_leak_are_named_and_put_back() -> None:
    with Session(launch("changes_settings")) as session:
        assert session.run_batch(batch(call("exp", x(3)))).leaked == ("floatx",)
        after = session.run_batch(batch(call("variable", x(1, binding="array"))))
        assert after.leaked == ()
        assert after.outputs[0].metadata[0].dtype == "float32"


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_session_that_a_failure_spoiled_is_cleared(binding: str) -> None:
    with Session(launch("spoils_session")) as session:
        failed = session.run_batch(negative_at(0, draws=1, binding=binding))
        # of a variable `function` fails first, and then `eval`, which must not fail because of it
        assert error(failed).message == "no kernel for negative numbers"
        mixed = session.run_batch(negative_at(1, draws=3, binding=binding))
        assert [isinstance(draw.outcome, Returned) for draw in mixed.draws] == [True, False, True]
        asked = batch(call("sum", x(3, binding=binding)), draws=2)
        np.testing.assert_array_equal(
            arrays(session.run_batch(asked)), asked.arrays["x"].sum(axis=1)
        )


def test_seconds_are_counted(correct: Session) -> None:
    seconds = correct.run_batch(batch(call("exp", x(3)))).seconds
    assert min(seconds.bind, seconds.build, seconds.call) > 0


def test_module_that_does_not_import() -> None:
    with (
        pytest.raises(WorkerStartError, match="library that this needs is not there"),
        Session(launch("does_not_import")) as session,
    ):
        session.run_batch(negative_at(0))


def test_interpreter_that_is_not_there() -> None:
    with pytest.raises(WorkerStartError, match="No such file"):
        Session(launch("correct", python="/no/such/python")).identity  # noqa: B018


def test_batch_whose_arrays_do_not_fit() -> None:
    program = call("exp", x(3))
    with pytest.raises(ValueError, match=r"input 'x' needs float32 \(2, 3\), not float64"):
        Batch(program, {"x": np.zeros((2, 3))}, 2)
    with pytest.raises(ValueError, match="nothing"):
        Batch(program, {}, 2)


def test_raised_is_hashable_and_compares() -> None:
    error = Raised("ValueError", ("ValueError",), "m", "call")
    assert error == Raised("ValueError", ("ValueError",), "m", "call")
