"""Findings on the gradients that an implementation returned, or did not return."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from conformance.engine import PROFILES
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import Array, GradientTrial, beside_subgradients
from conformance.generators.gradients import WEIGHTS
from conformance.observations import (
    Crashed,
    DrawObservation,
    NotRun,
    Outcome,
    Raised,
    Returned,
    Stage,
    StructureObservation,
    TimedOut,
    Value,
)
from conformance.oracle.gradients import Slopes
from conformance.program import Binding
from conformance.results import Aspect, Verdict
from conformance.specs import load
from tests.engine.support import tasks

LOOKED_AT = 16
"""Of larger tensors some elements are looked at, not all."""
ROUNDED = 1e-7
"""A relative error that every implementation in float32 is allowed."""


@cache
def slope(function: str) -> GradientTrial:
    """The first settled gradient of a function of which every element is looked at."""
    (task,) = tasks({function}, replace(PROFILES["smoke"], gradients=8))
    trials = (trial for trial in task.trials() if isinstance(trial, GradientTrial))
    return next(s for s in trials if not s.unsettled and 1 < s.arrays[0]["x"].size < LOOKED_AT)


def returned(*gradients: Array) -> Returned:
    return of_shape(gradients[0].shape if gradients else (), *gradients)


def of_shape(shape: tuple[int, ...], *gradients: Array) -> Returned:
    """Gradients, with a result of this shape."""
    values = tuple(Value(np.asarray(g), "float32", "ndarray") for g in gradients)
    result = Value(np.zeros(shape, "float32"), "float32", "ndarray")
    return Returned({"gradients": values, "result": (result,)})


def answers(of: GradientTrial, *outcomes: Outcome) -> StructureObservation:
    """An observation in which the first draws have these outcomes and the others were not run."""
    rest = [NotRun("not asked")] * (len(of.draws) - len(outcomes))
    seen = [with_right_result(of, i, outcome) for i, outcome in enumerate(outcomes)]
    return StructureObservation((), (), tuple(map(DrawObservation, [*seen, *rest])))


def with_right_result(of: GradientTrial, draw: int, outcome: Outcome) -> Outcome:
    """The outcome with the right result in place of the zeros of `of_shape`, if its shape fits."""
    if not isinstance(outcome, Returned):
        return outcome
    (result,), right = outcome.values["result"], of.expected_result(draw).value
    if result.array is None or result.array.shape != right.shape or result.array.any():
        return outcome
    return Returned({**outcome.values, "result": (replace(result, array=right),)})


def findings(of: GradientTrial, *outcomes: Outcome) -> list[Finding]:
    return of.judge(answers(of, *outcomes)).findings


def tanh(of: GradientTrial, draw: int = 0) -> Array:
    """The gradient of the weighted sum of tanh."""
    arrays = of.arrays[draw]
    result: Array = arrays[WEIGHTS] / np.cosh(arrays["x"].astype(float)) ** 2
    return result


def test_the_right_gradient_conforms() -> None:
    tested = slope("tanh")
    judgement = tested.judge(
        answers(tested, *(returned(tanh(tested, i)) for i in range(len(tested.draws))))
    )
    assert judgement.findings == []
    assert judgement.cases == {Aspect.GRADIENT: len(tested.draws)}


def test_roundings_are_forgiven() -> None:
    tested = slope("tanh")
    right = tanh(tested)
    assert findings(tested, returned(right * (1 + ROUNDED))) == []


@pytest.mark.parametrize("error", [5e-6, 1e-4])
def test_an_inaccurate_gradient_diverges(error: float) -> None:
    """No document states an accuracy."""
    tested = slope("tanh")
    (finding,) = findings(tested, returned(tanh(tested) * (1 + error)))
    assert (finding.kind, finding.verdict) == ("accuracy", Verdict.DIVERGES)
    assert finding.conventions == ("accuracy",)


@pytest.mark.parametrize("factor", [0.99, -1.0, 2.0, np.nan, np.inf])
def test_one_wrong_element_violates(factor: float) -> None:
    tested = slope("tanh")
    wrong = tanh(tested)
    place = np.unravel_index(np.abs(wrong).argmax(), wrong.shape)
    wrong[place] *= factor
    (finding,) = findings(tested, returned(wrong))
    assert (finding.aspect, finding.kind, finding.verdict) == (
        Aspect.GRADIENT,
        "value",
        Verdict.VIOLATES,
    )
    assert f"at {[int(i) for i in place]} for x" in finding.gives
    np.testing.assert_allclose(np.asarray(finding.expected), tanh(tested), rtol=1e-6)


def test_the_draw_is_named() -> None:
    tested = slope("tanh")
    (finding,) = findings(tested, returned(tanh(tested)), returned(2 * tanh(tested, 1)))
    assert finding.draw == 1


@pytest.mark.parametrize("number", [1, 2])
def test_the_draw_of_every_fault_is_named(number: int) -> None:
    """The case in the failure is that of the draw."""
    tested = slope("tanh")
    right = [returned(tanh(tested, i)) for i in range(number)]
    faults: tuple[Outcome, ...] = (
        Crashed(11, None, ""),
        TimedOut(1.0),
        raised("call"),
        returned(2 * tanh(tested, number)),
        returned(),
        of_shape((7, 7), tanh(tested, number)),
    )
    for fault in faults:
        (finding,) = findings(tested, *right, fault)
        assert finding.draw == number, fault


def test_what_is_not_run_is_no_case() -> None:
    tested = slope("tanh")
    assert tested.judge(answers(tested)).cases == {}
    assert tested.judge(answers(tested, returned(tanh(tested)))).cases == {Aspect.GRADIENT: 1}


def test_the_number_of_gradients_and_their_shapes() -> None:
    tested = slope("tanh")
    right = tanh(tested)
    for wrong, kind in (((), "count"), ((right, right), "count"), ((right[None],), "shape")):
        (finding,) = findings(tested, of_shape(right.shape, *wrong))
        assert (finding.kind, finding.verdict) == (kind, Verdict.VIOLATES)


def test_a_result_of_another_shape_is_not_the_fault_of_its_gradient() -> None:
    tested = slope("tanh")
    (finding,) = findings(tested, of_shape((7, 7), 2 * tanh(tested)))
    assert (finding.kind, finding.verdict) == ("unmade input", Verdict.UNSUPPORTED)
    assert finding.gives == "is that of a result of shape (7, 7)"


def test_none_is_no_gradient_and_no_document_forbids_it() -> None:
    tested = slope("tanh")
    result = returned(tanh(tested)).values["result"]
    gradients = (Value(None, "object", "NoneType", "not numeric"),)
    none = Returned({"gradients": gradients, "result": result})
    (finding,) = findings(tested, none)
    assert (finding.kind, finding.verdict) == ("no array", Verdict.DIVERGES)
    assert finding.conventions == ("differentiable",)


def raised(stage: Stage, step: int | None = None, *bases: str) -> Raised:
    return Raised("ValueError", ("ValueError", *bases, "Exception"), "no", stage, step)


def test_an_exception_of_gradients_is_its_own() -> None:
    tested = slope("tanh")
    last = len(tested.differentiated.program.steps) - 1
    for outcome in (raised("step", last), raised("compile"), raised("call"), raised("read")):
        (finding,) = findings(tested, outcome)
        assert (finding.kind, finding.verdict) == ("exception", Verdict.DIVERGES)


def test_an_exception_before_is_not() -> None:
    tested = slope("tanh")
    for outcome in (raised("bind"), raised("step", 0)):
        (finding,) = findings(tested, outcome)
        assert (finding.kind, finding.verdict) == ("unmade input", Verdict.UNSUPPORTED)


def test_what_is_not_implemented_is_unsupported() -> None:
    tested = slope("tanh")
    (finding,) = findings(tested, raised("call", None, "NotImplementedError"))
    assert finding.verdict is Verdict.UNSUPPORTED


def test_the_end_of_the_process() -> None:
    tested = slope("tanh")
    ends = ((Crashed(11, None, ""), Verdict.CRASHED), (TimedOut(1.0), Verdict.TIMED_OUT))
    for outcome, verdict in ends:
        (finding,) = findings(tested, outcome)
        assert (finding.aspect, finding.verdict) == (Aspect.GRADIENT, verdict)


def test_the_step_that_ends_the_process_is_named() -> None:
    tested = slope("tanh")
    last = len(tested.differentiated.program.steps) - 1
    for outcome in (Crashed(11, None, "", "step", last), TimedOut(1.0, "", "step", last)):
        (finding,) = findings(tested, outcome)
        assert finding.gives.endswith(" in gradients(loss, [x])")
    (finding,) = findings(tested, Crashed(None, 3, "", "compile"))
    assert finding.gives == "ends the process (exit status 3) in function"
    (finding,) = findings(tested, Crashed(None, 3, "", "step", 99))
    assert finding.gives == "ends the process (exit status 3) when it is called"


@cache
def relu() -> GradientTrial:
    """relu(x) at numbers of which one is 0."""
    smooth = slope("tanh")
    structure = smooth.differentiated.structure
    step = replace(structure.program.steps[0], function="relu")
    program = replace(structure.program, steps=(step,))
    changed = replace(structure, spec=load()["relu"], program=program)
    tested = GradientTrial(replace(smooth.differentiated, structure=changed), seed=0)
    tested.arrays[0]["x"].reshape(-1)[0] = 0
    return tested


def at_the_kink(tested: GradientTrial, share: float) -> list[Finding]:
    """Gradients of relu that are this share of the weights where the number is 0."""
    x, weights = tested.arrays[0]["x"], tested.arrays[0][WEIGHTS]
    return findings(tested, returned(np.where(x == 0, share, x > 0) * weights))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_any_slope_between_those_on_both_sides_of_a_kink(share: float) -> None:
    assert at_the_kink(relu(), share) == []


@pytest.mark.parametrize("share", [-0.25, 1.25])
def test_another_slope_at_a_kink_violates(share: float) -> None:
    (finding,) = at_the_kink(relu(), share)
    assert (finding.kind, finding.verdict) == ("kink", Verdict.VIOLATES)
    assert finding.demands.startswith("between ")


def test_a_slope_towards_zero_is_a_reading() -> None:
    kinked = Slopes(*(np.array([v]) for v in (2.0, 2.0, 1.0, 0.0, 1.0, 1.0, 3.0)))
    for got, readings in ((0.5, (("subgradient", "towards zero"),)), (-0.5, ()), (3.5, ())):
        wrong, matches = beside_subgradients(np.array([got]), kinked, np.array([True]))
        assert (bool(wrong.any()), matches) == (not readings, readings)


def test_no_number_at_the_kink_of_a_root_is_a_reading() -> None:
    kinked = Slopes(*(np.array([v]) for v in (0.0, 2.0, 1.0, 0.0, 1.0, -1.0, 1.0)))
    nothing = np.array([np.nan])
    wrong, matches = beside_subgradients(nothing, kinked, np.array([True]), of_root=True)
    assert (bool(wrong.any()), matches) == (False, (("subgradient", "not a number"),))
    wrong, matches = beside_subgradients(nothing, kinked, np.array([True]))
    assert (bool(wrong.any()), matches) == (True, ())


def test_the_bindings_that_are_differentiated() -> None:
    assert slope("tanh").differentiates == {Binding.VARIABLE}


@pytest.mark.parametrize(("factor", "kinds"), [(2.0, ["unmade input"]), (1.0, ["value"])])
def test_the_gradient_of_a_wrong_result_is_the_failure_of_the_result(
    factor: float, kinds: list[str]
) -> None:
    tested = slope("tanh")
    outcome = with_right_result(tested, 0, returned(2 * tanh(tested)))
    assert isinstance(outcome, Returned)
    (result,) = outcome.values["result"]
    assert result.array is not None
    other = replace(result, array=result.array * factor)
    seen = findings(tested, Returned({**outcome.values, "result": (other,)}))
    assert [f.kind for f in seen] == kinds
    assert (seen[0].verdict is Verdict.UNSUPPORTED) is (factor != 1)


def test_a_right_gradient_of_a_wrong_result_is_right() -> None:
    tested = slope("tanh")
    right = returned(tanh(tested))
    (result,) = right.values["result"]
    ones = replace(result, array=np.ones_like(result.array))
    assert findings(tested, Returned({**right.values, "result": (ones,)})) == []
