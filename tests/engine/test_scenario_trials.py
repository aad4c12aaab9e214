"""What the checks of a scenario get, and what may be missing."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.verdicts.scripts import script
from conformance.observations import Crashed, DrawObservation, Raised, StructureObservation
from conformance.program import Binding
from conformance.results import Aspect, Verdict
from conformance.scenarios import Scenario, checks
from conformance.scenarios.recorder import Recorder
from conformance.scenarios.state import refusals, sessions
from conformance.scripts import Prelude
from conformance.specs import load
from conformance.specs.load import signature
from tests.scenarios.in_process import findings, module, recorded

EDITION: Edition = "keras-2.2"


def asking(function: str, shape: tuple[int, ...]) -> Scenario:
    """The value and the static shape of a variable's exponential."""
    recorder = Recorder(function, EDITION, "an exponential")
    result = recorder.exp(recorder.variable(recorder.array("x", np.zeros((2, 3)))))
    static, value = recorder.int_shape(result).output("static"), recorder.eval(result)
    is_shape, aspect = checks.is_one_of(shape), Aspect.STATIC_SHAPE
    recorder.expect("int_shape", static, is_shape, "a shape", aspect=aspect)
    recorder.expect("value", value, checks.is_array(np.ones((2, 3))), "ones")
    return recorder.scenario()


def test_both_checks_see_their_outputs() -> None:
    assert findings(asking("exp", (2, 3)), module()) == []
    (wrong,) = findings(asking("exp", (3, 2)), module())
    assert wrong.aspect is Aspect.STATIC_SHAPE


def refuses(_: object) -> None:
    raise ValueError("not one of mine")


@pytest.mark.parametrize("int_shape", [None, refuses])
def test_without_a_static_shape_the_rest_is_judged(int_shape: object) -> None:
    assert findings(asking("exp", (3, 2)), module(int_shape=int_shape)) == []
    mistaken = module(int_shape=int_shape, exp=lambda x: x)
    assert [f.aspect for f in findings(asking("exp", (2, 3)), mistaken)] == [Aspect.VALUE]


def test_it_is_no_excuse_for_int_shape_itself() -> None:
    (finding,) = findings(asking("int_shape", (2, 3)), module(int_shape=refuses))
    assert "raises ValueError" in finding.gives


def test_what_supports_nothing_has_not_looked_at_what_is_wrong() -> None:
    recorder = Recorder("exp", EDITION, "a refusal", Aspect.ERROR)
    outcome = recorder.attempt(recorder.exp, recorder.array("x", np.zeros(2)))
    recorder.expect("refusal", outcome, checks.raises("ValueError"), "ValueError")
    scenario = recorder.scenario()

    def no_such_thing(x: object) -> None:
        raise NotImplementedError

    (finding,) = findings(scenario, module(exp=no_such_thing))
    assert finding.verdict is Verdict.UNSUPPORTED
    (finding,) = findings(scenario, module(exp=lambda x: x))
    assert finding.verdict is Verdict.VIOLATES


class Stubborn:
    """A tensor without operators."""


@pytest.mark.parametrize(
    ("broken", "verdict"), [("exp", Verdict.VIOLATES), ("variable", Verdict.UNSUPPORTED)]
)
def test_an_operator_is_the_fault_of_what_made_its_operand(broken: str, verdict: Verdict) -> None:
    recorder = Recorder("exp", EDITION, "a product")
    x = recorder.variable(recorder.array("x", np.zeros(2)))
    value = recorder.eval(-x * recorder.exp(x)).output("value")
    recorder.expect("value", value, checks.is_array(np.zeros(2)), "zeros")
    scenario = recorder.scenario()
    assert findings(scenario, module()) == []
    (finding,) = findings(scenario, module(**{broken: lambda *_, **__: Stubborn()}))
    assert (finding.verdict, finding.gives.startswith("raises")) == (verdict, True), finding


@pytest.mark.parametrize(
    ("function", "verdict"), [("exp", Verdict.CRASHED), ("variable", Verdict.UNSUPPORTED)]
)
def test_a_process_that_ends_in_another_function(function: str, verdict: Verdict) -> None:
    scenario = asking("exp", (2, 3))
    step = next(i for i, s in enumerate(scenario.program.steps) if s.function == function)
    crash = DrawObservation(Crashed(8, None, "", "step", step))
    observed = StructureObservation((), (), (crash,))
    finding, *others = ScenarioTrial(scenario, "exp").judge(observed).findings
    assert finding.verdict is verdict
    assert {other.verdict for other in others} <= {Verdict.UNSUPPORTED}
    assert finding.gives.startswith(f"ends the process (signal 8) in {function}(")


def test_a_function_without_a_result_has_no_static_shape_to_ask_for() -> None:
    raising = module(exp=refuses)
    value, shape = findings(asking("exp", (2, 3)), raising)
    assert (value.aspect, value.verdict) == (Aspect.VALUE, Verdict.VIOLATES)
    assert (shape.aspect, shape.verdict) == (Aspect.STATIC_SHAPE, Verdict.UNSUPPORTED)


def test_where_calls_may_refuse_an_exception_demands_nothing() -> None:
    recorder = Recorder("exp", EDITION, "a shape", Aspect.STATIC_SHAPE)
    recorder.may_refuse = True
    x = recorder.variable(recorder.array("x", np.zeros(2)))
    shape = recorder.int_shape(recorder.exp(x)).output("shape")
    recorder.expect("the shape", shape, checks.is_static_shape((2,)), "(2,)")
    scenario = recorder.scenario()
    wrong = module(int_shape=lambda _: (3,))
    (finding,) = findings(scenario, wrong)
    assert finding.verdict is Verdict.VIOLATES
    assert findings(scenario, module()) == findings(scenario, module(exp=refuses)) == []
    # so does one that comes when the result is computed
    late = Raised("ValueError", ("ValueError", "Exception"), "refused", "read")
    observed = StructureObservation((), (), (DrawObservation(late),))
    assert not ScenarioTrial(scenario, "exp").judge(observed).findings


def differentiating(function: str) -> Scenario:
    """The gradient of a sum of exponentials, as a scenario of `function`."""
    recorder = Recorder(function, EDITION, "a gradient", Aspect.GRADIENT)
    x = recorder.variable(recorder.array("x", np.zeros(2)))
    loss = recorder.sum(recorder.exp(x))
    gradient = recorder.eval(recorder.gradients(loss, [x])[0])
    recorder.expect("the gradient", gradient, checks.is_array(np.ones(2)), "ones")
    return recorder.scenario()


def test_what_a_scenario_differentiates_by_is_known_before_it_runs() -> None:
    assert ScenarioTrial(differentiating("exp"), "exp").differentiates == {Binding.VARIABLE}
    assert not ScenarioTrial(differentiating("gradients"), "gradients").differentiates
    assert not ScenarioTrial(asking("exp", (2, 3)), "exp").differentiates


def refused(*_: object) -> None:
    raise ValueError("no")


def test_a_gradient_that_raises_is_a_divergence_as_in_a_gradient_trial() -> None:
    (finding,) = findings(differentiating("exp"), module(gradients=refused))
    assert (finding.verdict, finding.conventions) == (Verdict.DIVERGES, ("differentiable",))
    (finding,) = findings(differentiating("gradients"), module(gradients=refused))
    assert (finding.verdict, finding.conventions) == (Verdict.VIOLATES, ())


def test_a_gradient_that_cannot_be_evaluated_is_one_too() -> None:
    (finding,) = findings(differentiating("exp"), module(eval=refused))
    assert (finding.verdict, finding.conventions) == (Verdict.DIVERGES, ("differentiable",))


def test_a_function_without_a_result_has_a_wrong_value_and_no_gradient_to_ask_for() -> None:
    value, gradient = findings(differentiating("exp"), module(exp=refused))
    assert (value.aspect, value.verdict) == (Aspect.VALUE, Verdict.VIOLATES)
    assert (gradient.aspect, gradient.verdict) == (Aspect.GRADIENT, Verdict.UNSUPPORTED)
    assert gradient.kind == "unmade input"


def phases() -> Scenario:
    """The scenario in which a phase that is neither 0 nor 1 is refused."""
    return recorded(sessions.wrong_phase, "set_learning_phase", 2, aspect=Aspect.ERROR)


def test_a_call_before_the_one_to_be_refused_says_nothing_of_the_refusal() -> None:
    def broken(value: int) -> None:
        raise RuntimeError("no phase can be set")

    (finding,) = findings(phases(), module(set_learning_phase=broken))
    assert (finding.aspect, finding.verdict) == (Aspect.ERROR, Verdict.UNSUPPORTED)
    (accepted,) = (
        f
        for f in findings(phases(), module(set_learning_phase=lambda value: None))
        if f.aspect is Aspect.ERROR
    )
    assert accepted.verdict is Verdict.VIOLATES


def test_the_call_that_raised_is_named_if_it_is_not_the_first() -> None:
    recorder = Recorder("square", EDITION, "two squares")
    recorder.square(recorder.array("x", np.zeros(2)))
    value = recorder.square(recorder.array("y", np.ones(3)))
    recorder.expect("value", value, checks.raises(), "ones")
    scenario = recorder.scenario()

    def square(x: np.ndarray) -> np.ndarray:
        if len(x) == 3:
            raise ValueError("three")
        return x

    (finding,) = findings(scenario, module(square=square))
    assert finding.gives.startswith("raises ValueError in square(y")
    assert finding.demands == "that call to return, and ones"


@pytest.mark.parametrize(
    ("backend", "verdict"),
    [("tensorflow", Verdict.VIOLATES), ("theano", Verdict.DIVERGES)],
)
def test_unknown_keywords_are_left_out_by_tensorflow_alone(backend: str, verdict: Verdict) -> None:
    def function(inputs: object, outputs: object, updates: object = None, **more: object) -> None:
        raise ValueError("there is no such option")

    scenario = recorded(
        refusals.keywords, "function", "no_such_option", edition="keras-2.0", aspect=Aspect.ERROR
    )
    (finding,) = findings(scenario, module(function=function, backend=lambda: backend))
    assert finding.verdict is verdict
    assert finding.gives == "raises ValueError"
    assert findings(scenario, module(function=lambda *a, **k: None, backend=lambda: backend)) == []


def test_a_script_ends_with_the_step_that_is_checked() -> None:
    """A check of one text needs no helper functions, and no step after it."""
    recorder = Recorder("constant", EDITION, "a constant")
    constant = recorder.constant(1.0)
    dtype = recorder.dtype(constant).output("name")
    recorder.eval(constant)
    recorder.expect("dtype", dtype, checks.is_one_of("float64"), "float64", aspect=Aspect.DTYPE)
    scenario = recorder.scenario()
    (finding,) = findings(scenario, module(dtype=lambda _: "float32"))
    trial = ScenarioTrial(scenario, "constant")
    documented = signature(load()["constant"], EDITION)
    printed = script("a title", finding, trial, Prelude(), documented)
    assert printed is not None
    assert printed.split("\n")[-3:-1] == [
        "name = K.dtype(constant_0)",
        "assert name == 'float64', name",
    ]
    assert "def " not in printed
