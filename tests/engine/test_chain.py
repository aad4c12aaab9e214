"""A profile contains the smaller ones: the same trials, the same numbers, the same violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES, Profile, Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Judgement
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.portions import by_setup
from conformance.engine.planning.profiles import DEFAULT, SMOKE, SURVEY, THOROUGH
from conformance.engine.running.twins import Twins
from conformance.mutation.score import unminimised
from conformance.results import Aspect, Failure, Verdict
from conformance.specs import load
from tests.engine.support import examine, module, tasks

EVERY = [(e, name) for e in EDITIONS for name, spec in load().items() if e in spec.editions]
SOME = [("keras-1", "std"), ("keras-2.2", "conv2d"), ("keras-3", "keras.ops.nanmean")]


def planned(edition: Edition, function: str, profile: Profile, seed: int = 0) -> Task:
    (task,) = plan(load(), edition, profile, seed, select=lambda n: n == function)
    return task


def shown(trial: Trial, draw: int) -> tuple[str, dict[str, tuple[str, tuple[int, ...], bytes]]]:
    """The program and the numbers of one case, to the last byte."""
    arrays = {n: np.asarray(a) for n, a in trial.case(draw).arrays.items()}
    numbers = {n: (a.dtype.str, a.shape, a.tobytes()) for n, a in arrays.items()}
    return trial.key + repr(trial.setup), numbers


def assert_begins(large: list[Trial], small: list[Trial]) -> None:
    """The large plan has the trials of the small one first, and their draws first."""
    assert len(small) <= len(large)
    for mine, its in zip(small, large, strict=False):
        assert type(mine) is type(its)
        assert mine.batch.draws <= its.batch.draws
        draws = range(mine.batch.draws)
        assert [shown(mine, draw) for draw in draws] == [shown(its, draw) for draw in draws]


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("edition", "function"), EVERY)
def test_default_begins_with_smoke_and_smoke_with_the_survey(
    edition: Edition, function: str
) -> None:
    survey, smoke, default = (
        planned(edition, function, profile).trials() for profile in (SURVEY, SMOKE, DEFAULT)
    )
    assert_begins(smoke, survey)
    assert_begins(default, smoke)


@pytest.mark.sampled(120)
@pytest.mark.parametrize(("edition", "function"), EVERY)
def test_thorough_begins_with_default(edition: Edition, function: str) -> None:
    default, thorough = (planned(edition, function, p).trials() for p in (DEFAULT, THOROUGH))
    assert_begins(thorough, default)


@pytest.mark.parametrize(("edition", "function"), SOME)
def test_plans_that_are_not_stored_begin_with_each_other_too(
    edition: Edition, function: str
) -> None:
    smoke, default = (planned(edition, function, p, seed=7).trials() for p in (SMOKE, DEFAULT))
    assert_begins(default, smoke)
    assert [t.key for t in smoke] != [t.key for t in planned(edition, function, SMOKE).trials()]


@pytest.mark.parametrize(("edition", "function"), SOME)
def test_no_call_is_in_a_plan_twice(edition: Edition, function: str) -> None:
    keys = [trial.key for trial in planned(edition, function, DEFAULT).trials()]
    assert len({*keys}) == len(keys)


@pytest.mark.parametrize(("edition", "function"), SOME)
def test_a_trial_has_the_stage_of_the_smallest_profile_that_has_it(
    edition: Edition, function: str
) -> None:
    task = planned(edition, function, DEFAULT)
    stages = [task.stage(trial) for trial in task.trials()]
    for stage, profile in enumerate(DEFAULT.chain):
        smaller = planned(edition, function, profile).trials()
        assert sum(each <= stage for each in stages) == len(smaller)
    assert stages == sorted(stages)


def twins(task: Task) -> list[tuple[int, list[Any]]]:
    """The twins that are run if every trial is refused, and then cannot be made."""
    ran: list[Trial] = []
    pending = Twins()
    for trial in task.trials():
        if any(True for _ in task.rebound_twins(trial)):
            pending.put_off.setdefault(task.spec.name, {})[trial.key] = (trial, Judgement())
        pending.refused.setdefault(task.spec.name, []).append(trial)

    def run(twin: Trial) -> bool:
        ran.append(twin)
        return False

    pending.try_again(task, run)
    return [(task.stage(t), [shown(t, draw) for draw in range(t.batch.draws)]) for t in ran]


@pytest.mark.parametrize(("edition", "function"), SOME)
def test_the_twins_of_a_smaller_profile_are_run_first(edition: Edition, function: str) -> None:
    smoke, default = (twins(planned(edition, function, p)) for p in (SMOKE, DEFAULT))
    assert smoke
    ours = [twin for twin in default if twin[0] < len(SMOKE.chain)]
    for (stage, cases), (its_stage, its_cases) in zip(smoke, ours, strict=True):
        assert stage == its_stage
        assert cases == its_cases[: len(cases)], "a larger profile may add draws, after the others"
    assert default[: len(ours)] == ours
    assert len(default) > len(smoke)


@cache
def configured(edition: Edition, profile: Profile) -> list[str]:
    """The configurations in which processes are started, in their order."""
    every = plan(load(), edition, profile, 0, aspects=[Aspect.CONFIGURATION])
    groups = by_setup((task, t) for task in every for t in task.trials() if t.setup)
    return [repr(group[0][1].setup) for group in groups][: profile.setups]


@pytest.mark.parametrize("edition", [edition for edition in EDITIONS if edition != "keras-3"])
def test_the_configured_processes_of_a_smaller_profile_are_started_first(edition: Edition) -> None:
    survey, smoke, default = (configured(edition, p) for p in (SURVEY, SMOKE, DEFAULT))
    assert smoke[: len(survey)] == survey
    assert default[: len(smoke)] == smoke
    assert smoke


PLANTED = """
import zlib

import numpy as np
from conformance.reference import *
from conformance.reference.numpy_library.kernels import KERNELS

_right = KERNELS[{kernel!r}]


def _planted(*arrays, **attributes):
    result = _right(*arrays, **attributes)
    if zlib.crc32(arrays[0].astype("float64").tobytes()) == {chosen}:
        {fault}
    return result


KERNELS[{kernel!r}] = _planted
"""
FAULTS = {
    "other numbers": "result = result + 1",
    "not a number": "result = result * np.nan",
    "an exception": "raise RuntimeError('it cannot be computed')",
    "another shape": "result = result[..., None]",
}


def narrow(function: str, chosen: Callable[[Trial], bool], first: bool) -> int | None:
    """A hash of the input of one case that smoke has, and default would have by chance alone.

    No other case of the largest plan has this input, so that every profile shows the same program.
    """
    (task,), (largest,) = tasks([function], SMOKE), tasks([function], THOROUGH)
    every = Counter(hash_of(trial, draw) for trial in largest.trials() for draw in draws(trial))
    trials = [trial for trial in task.trials() if chosen(trial) and not trial.unsettled]
    inputs = [hash_of(trial, min(1, len(draws(trial)) - 1)) for trial in trials]
    return [number for number in inputs if every[number] == 1][0 if first else -1]


def draws(trial: Trial) -> range:
    return range(trial.batch.draws if isinstance(trial, CallTrial) else 1)


def hash_of(trial: Trial, draw: int) -> int | None:
    array = trial.case(draw).arrays.get("x")
    return None if array is None else crc32(np.asarray(array).astype("float64").tobytes())


def is_filled_call(trial: Trial) -> bool:
    settled = isinstance(trial, CallTrial) and trial.prepared.structure.settled
    return settled and bool(np.size(trial.case(0).arrays["x"]))


def is_gradient(trial: Trial) -> bool:
    return isinstance(trial, GradientTrial)


def convictions(folder: Path, function: str, profile: Profile) -> Iterator[tuple[Aspect, Failure]]:
    planted = module("planted", folder)
    failures = examine(planted, [function], unminimised(profile)).failures(Verdict.VIOLATES)
    return ((aspect, failure) for _, aspect, failure in failures)


def assert_convicted_by_all(source: str, function: str, folder: Path) -> None:
    (folder / "planted.py").write_text(source, encoding="utf-8")
    smoke, *larger = (
        {(aspect, f.id, f.kind, str(f.program)) for aspect, f in convictions(folder, function, p)}
        for p in PROFILES.values()
    )
    assert smoke
    for convicted in larger:
        assert smoke <= convicted


@pytest.mark.parametrize("fault", FAULTS)
def test_what_smoke_convicts_of_one_input_no_larger_profile_acquits(
    fault: str, tmp_path: Path
) -> None:
    chosen = narrow("exp", is_filled_call, first=False)
    source = PLANTED.format(kernel="exp", chosen=chosen, fault=FAULTS[fault])
    assert_convicted_by_all(source, "exp", tmp_path)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("softsign", is_filled_call),
        ("exp", is_gradient),
        pytest.param("sum", is_filled_call, marks=pytest.mark.thorough),
        pytest.param("softmax", is_filled_call, marks=pytest.mark.thorough),
        pytest.param("sigmoid", is_filled_call, marks=pytest.mark.thorough),
    ],
)
def test_what_smoke_convicts_of_one_function_no_larger_profile_acquits(
    function: str, kind: Callable[[Trial], bool], first: bool, tmp_path: Path
) -> None:
    chosen = narrow(function, kind, first)
    source = PLANTED.format(kernel=function, chosen=chosen, fault=FAULTS["other numbers"])
    assert_convicted_by_all(source, function, tmp_path)
