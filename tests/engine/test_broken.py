"""Implementations with one general fault: the right cells are blamed, and no others."""

from __future__ import annotations

import dataclasses
import os
from functools import cache
from pathlib import Path

import pytest

from conformance.adapters.configured import Configurable
from conformance.adapters.session import CallLimits
from conformance.adapters.target_records import Target
from conformance.engine import Subject
from conformance.results import Aspect, Verdict
from tests.engine.support import ROOT, Outcome, examine, module

FOLDER = Path(__file__).parent / "broken"
LIMITS = CallLimits(structure=20.0, draw=2.0)
SEEDED = ("random_normal", "random_uniform_variable", "dropout")
SMOOTH = ("tanh", "dot", "bias_add", "foldl")
PHASED = ("in_train_phase", "learning_phase", "set_learning_phase", "tanh")
SETTINGS = ("floatx", "epsilon", "image_data_format", "backend")


@cache
def outcome(name: str, *functions: str) -> Outcome:
    return examine(module(name, FOLDER, LIMITS), functions)


def blamed(run: Outcome) -> dict[tuple[str, Aspect], Verdict]:
    """Every cell that does not conform."""
    return {k: v for k, v in run.verdicts().items() if v is not Verdict.CONFORMS}


def test_wrong_gradients_are_the_fault_of_gradients_alone() -> None:
    run = outcome("wrong_gradients", "gradients", *SMOOTH)
    assert run.aspect("gradients", Aspect.GRADIENT).verdict is Verdict.VIOLATES
    for function in ("tanh", "dot", "bias_add"):
        result = run.aspect(function, Aspect.GRADIENT)
        assert result.verdict is Verdict.UNSUPPORTED
        assert {f.kind for f in result.failures} == {"no gradients"}
    assert {aspect for _, aspect in blamed(run)} == {Aspect.GRADIENT}


@pytest.mark.thorough
def test_a_phase_that_stays_spoils_no_other_scenario() -> None:
    run = outcome("leaks_phase", *PHASED)
    assert not blamed(run)
    assert run.results.run.complete


@pytest.mark.thorough
def test_clear_session_that_ends_the_process_is_blamed_for_it() -> None:
    run = outcome("clear_crashes", "clear_session", "tanh")
    assert run.aspect("clear_session", Aspect.STATE).verdict is Verdict.CRASHED
    assert {function for function, _ in blamed(run)} == {"clear_session"}


def test_clear_session_that_raises_is_blamed_for_it() -> None:
    run = outcome("clear_raises", "clear_session", "tanh", "get_uid")
    assert run.aspect("clear_session", Aspect.STATE).verdict is Verdict.VIOLATES
    assert {function for function, _ in blamed(run)} == {"clear_session"}


def test_seeds_without_an_effect_violate_their_aspect() -> None:
    run = outcome("ignores_seeds", *SEEDED)
    assert blamed(run) == {(f, Aspect.SEED): Verdict.VIOLATES for f in SEEDED}
    for function in SEEDED:
        conventions = {f.convention for f in run.aspect(function, Aspect.SEED).failures}
        assert conventions == {None}


def configurable(name: str) -> Subject:
    """The broken module as a subject that can be started with a configuration."""
    nowhere = str(FOLDER / "nowhere")
    subject = module(name, FOLDER, LIMITS, KERAS_HOME=nowhere)
    paths = os.pathsep.join((str(FOLDER), str(ROOT)))
    environment = {"PYTHONPATH": paths, "KERAS_HOME": nowhere}
    target = Target(name=name, module=name, edition="keras-2.2", environment=environment)
    started = Configurable(target)
    return dataclasses.replace(
        subject,
        open_configured=lambda setup: started.open(setup.configuration, setup.environment),
    )


@pytest.mark.thorough
def test_an_import_that_a_file_breaks_violates_the_configuration() -> None:
    run = examine(configurable("refuses_configuration"), SETTINGS, "default")
    assert {a for _, a in blamed(run)} <= {Aspect.CONFIGURATION, Aspect.EXAMPLE}
    for function in ("floatx", "epsilon", "image_data_format"):
        result = run.aspect(function, Aspect.CONFIGURATION)
        assert result.verdict is Verdict.VIOLATES
        assert {f.kind for f in result.failures} == {"exception"}


@pytest.mark.thorough
def test_a_refusal_that_was_never_asked_for_is_no_violation() -> None:
    run = outcome("refuses_placeholders", "placeholder", "bias_add")
    assert run.aspect("placeholder", Aspect.VALUE).verdict is Verdict.VIOLATES
    refusals = run.aspect("bias_add", Aspect.ERROR)
    assert refusals.verdict is Verdict.CONFORMS  # of other bindings
    assert {f.kind for f in refusals.failures} == {"unmade input"}
    assert run.aspect("bias_add", Aspect.VALUE).verdict is Verdict.CONFORMS


def test_kernels_laid_out_as_in_theano_are_no_fault() -> None:
    run = examine(module("lays_kernels_as_th", FOLDER, LIMITS), ("conv2d",), "default")
    assert not run.failures(Verdict.VIOLATES)
    readings = {r for *_, f in run.failures(Verdict.DIVERGES) for r in f.readings}
    assert {"kernel-layout: th", "kernel-layout: th refused"} <= readings
    assert "in several ways" not in str(run.aspect("conv2d", Aspect.VALUE).note)


def test_a_layout_that_is_not_taken_excuses_no_exception() -> None:
    """Calls that fit are answered as documented, so that the others are refused for no reason."""
    run = examine(module("checks_another_axis", FOLDER, LIMITS), ("conv2d",), "default")
    (failure,) = (f for *_, f in run.failures(Verdict.VIOLATES))
    assert "raises ValueError: the channels of the image" in failure.message
    readings = {r for *_, f in run.failures() for r in f.readings}
    assert not {r for r in readings if r.startswith("kernel-layout: th")}


def test_channels_first_that_is_refused_is_no_other_layout() -> None:
    run = examine(
        module("refuses_channels_first", FOLDER, LIMITS), ("conv2d_transpose",), "default"
    )
    violations = run.failures(Verdict.VIOLATES)
    assert [(function, aspect) for function, aspect, _ in violations] == [
        ("conv2d_transpose", Aspect.VALUE)
    ]
    assert "raises ValueError: the shapes of the image and of the kernel do" in (
        violations[0][2].message
    )
