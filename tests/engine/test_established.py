"""What is said of a failure is established on the case that is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.minimise import MOST_HANGING, MOST_SECONDS, Minimiser
from conformance.engine.verdicts.tally import Group, folded
from conformance.generators import Draw, generate, structures
from conformance.observations import (
    DrawObservation,
    Returned,
    Seconds,
    StructureObservation,
    TimedOut,
    Value,
)
from conformance.results import Verdict
from conformance.specs import load

Array = npt.NDArray[Any]


def exponential(profile: str, fits: Callable[[Array], Any] = np.ndim) -> CallTrial:
    """A settled call of exp with some elements, drawn from the profile; the array is as wanted."""
    return call_of("exp", profile, fits)


def call_of(function: str, profile: str, fits: Callable[[Array], Any]) -> CallTrial:
    """A settled call of a function of one tensor, as `exponential`."""
    for structure in generate(structures(load()[function], "keras-2.2"), 100, 0):
        trial = CallTrial(Prepared(structure, [Draw(profile, 3)]))
        (array,) = trial.case(0).arrays.values()
        if structure.settled and array.size > 3 and fits(array):
            return trial
    raise LookupError("no settled call")


def small(array: Array) -> Any:
    """Whether one more is much more than the exponential of any element."""
    return bool((np.nan_to_num(array, posinf=9) < 3).all() and (np.abs(array) < 1).any())


def implementation(exp: Callable[[Array], Array]) -> Callable[[Trial], StructureObservation]:
    """An implementation with this function."""

    def run(trial: Trial) -> StructureObservation:
        (stacked,) = trial.batch.arrays.values()
        with np.errstate(all="ignore"):
            answers = [exp(x) for x in stacked]
        returned = [Returned({"result": (Value(a, a.dtype.name, "ndarray"),)}) for a in answers]
        return StructureObservation((), (), tuple(DrawObservation(r) for r in returned))

    return run


def sigmoid_without_nan(x: Array) -> Array:
    wide = x.astype(np.float64)
    return np.where(np.isnan(x), 0, 1 / (1 + np.exp(-wide))).astype(x.dtype)


def group_of(trial: CallTrial, run: Callable[[Trial], StructureObservation]) -> Group:
    (finding,) = trial.judge(run(trial)).findings
    return Group(finding, trial)


def minimised(group: Group, run: Callable[[Trial], StructureObservation]) -> Group:
    return Minimiser(run, lambda _: None, lambda _: b"", 0, lambda _: 10).minimise(group)


NAMES = {"special": "special-values", "extremes": "extremes", "subnormal": "subnormal"}


@pytest.mark.parametrize("profile", NAMES)
def test_what_fails_with_other_numbers_too_is_no_matter_of_rare_ones(profile: str) -> None:
    run = implementation(lambda x: np.exp(x) + x.dtype.type(1))
    drawn = group_of(exponential(profile, small), run)
    assert (drawn.finding.conventions, drawn.finding.verdict) == ((), Verdict.VIOLATES)
    assert drawn.trial is not None
    shown = minimised(drawn, run)
    assert (shown.finding.conventions, shown.finding.verdict) == ((), Verdict.VIOLATES)
    assert isinstance(shown.trial, CallTrial)
    assert shown.trial.prepared.profiles[0] not in NAMES


def test_what_fails_with_rare_numbers_only_keeps_its_convention() -> None:
    run = implementation(sigmoid_without_nan)
    drawn = call_of("sigmoid", "special", lambda x: np.isnan(x).any())
    shown = minimised(group_of(drawn, run), run)
    assert shown.finding.conventions == ("special-values",)
    assert shown.trial is not None
    (array,) = shown.trial.case(shown.finding.draw).arrays.values()
    assert np.isnan(array).any()


@pytest.mark.parametrize("profile", NAMES)
def test_a_draw_without_rare_numbers_is_an_ordinary_case(profile: str) -> None:
    trial = exponential(profile)
    (name, array), *_ = trial.case(0).arrays.items()
    plain = {name: np.linspace(0.1, 1, array.size).reshape(array.shape).astype(array.dtype)}
    refilled = trial.refilled(0, [plain])
    assert refilled.prepared.profiles == ["ordinary"]
    run = implementation(lambda x: np.exp(x) + x.dtype.type(1))
    assert group_of(refilled, run).finding.conventions == ()


def test_failures_that_turn_out_to_be_one_are_one() -> None:
    run = implementation(lambda x: np.exp(x) + x.dtype.type(1))
    groups = [minimised(group_of(exponential(profile, small), run), run) for profile in NAMES]
    (group,) = folded(groups)
    assert (group.count, group.finding.verdict) == (3, Verdict.VIOLATES)


def test_smaller_cases_that_hang_are_not_tried_for_long() -> None:
    strategy = structures(load()["exp"], "keras-2.2").map(
        lambda structure: CallTrial(Prepared(structure, [Draw("ordinary", 3)]))
    )
    drawn = exponential("ordinary")
    tried: list[Trial] = []

    def hangs(trial: Trial) -> StructureObservation:
        tried.append(trial)
        hung = DrawObservation(TimedOut(60))
        return StructureObservation((), (), (hung,) * trial.batch.draws)

    group = group_of(drawn, implementation(lambda x: np.exp(x) + x.dtype.type(1)))
    minimiser = Minimiser(hangs, lambda _: strategy, lambda _: b"", 0, lambda _: 50)
    assert minimiser.minimise(group) is group
    assert minimiser.minimise(group) is group
    assert len(tried) == MOST_HANGING


def test_smaller_cases_of_a_slow_function_are_not_tried_for_long() -> None:
    strategy = structures(load()["exp"], "keras-2.2").map(
        lambda structure: CallTrial(Prepared(structure, [Draw("ordinary", 3)]))
    )
    run = implementation(lambda x: np.exp(x) + x.dtype.type(1))
    group = group_of(exponential("ordinary"), run)
    tried: list[Trial] = []

    def slow(trial: Trial) -> StructureObservation:
        tried.append(trial)
        return replace(run(trial), seconds=Seconds(call=MOST_SECONDS / 3))

    minimiser = Minimiser(slow, lambda _: strategy, lambda _: b"", 0, lambda _: 50)
    for _ in range(5):
        minimiser.minimise(group)
    assert 3 <= len(tried) <= 5  # after the third, a smaller case is shown once more
    assert minimiser.minimise(group) is group
