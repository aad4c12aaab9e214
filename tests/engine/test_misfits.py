"""Calls that do not fit a reading: wrong ones, whose result may have another shape."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.observations import Raised
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from tests.engine.test_opened_readings import calls
from tests.engine.test_single_call_readings import judged

FIRST = ((ConventionName.SEQUENCE_FORMAT, "channels_first"),)
BY_DEFAULT = ((ConventionName.DEFAULT_DATA_FORMAT, "channels_first"),)
DEFAULTS = [
    p
    for p in calls("conv1d")
    if {*p.structure.unsettled} == {ConventionName.DEFAULT_DATA_FORMAT} and np.prod(p.shape)
]
SEQUENCES = [
    p
    for p in calls("local_conv1d")
    if {*p.structure.unsettled} == {ConventionName.SEQUENCE_FORMAT} and np.prod(p.shape)
]


def of_garbage(prepared: Prepared, shape: tuple[int, ...]) -> list[Finding]:
    """What is found of the values of a call whose every draw gives ones of this shape."""
    found = judged(prepared, lambda _: np.ones(shape, prepared.dtypes[0]))
    return [f for f in found if f.aspect is Aspect.VALUE]


@pytest.mark.parametrize("fits", [True, False])
def test_another_shape_is_allowed_of_a_call_that_does_not_fit_a_reading(fits: bool) -> None:
    chosen = [p for p in SEQUENCES if p.fits(0, FIRST) is fits]
    assert chosen
    for prepared in chosen:
        found = of_garbage(prepared, (*prepared.shape, 7))
        assert {f.kind for f in found} == {FindingKind.SHAPE}
        verdict = Verdict.VIOLATES if fits else Verdict.DIVERGES
        readings = () if fits else (taken(ConventionName.SEQUENCE_FORMAT, "not fitting"),)
        assert {(f.verdict, f.readings) for f in found} == {(verdict, readings)}


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("function", ["local_conv1d", "conv1d"])
def test_an_exception_is_allowed_of_a_call_that_does_not_fit_a_reading(
    function: str, fits: bool
) -> None:
    chosen = SEQUENCES if function == "local_conv1d" else DEFAULTS
    reading = FIRST if function == "local_conv1d" else BY_DEFAULT
    raised = Raised("ValueError", ("ValueError",), "shapes do not match", "call")
    verdicts = set()
    for prepared in (p for p in chosen if p.fits(0, reading) is fits):
        found = judged(prepared, lambda _: raised)
        verdicts |= {f.verdict for f in found if f.aspect is Aspect.VALUE}
    assert (Verdict.VIOLATES in verdicts) is fits
    assert fits or Verdict.DIVERGES in verdicts


def test_wrong_numbers_of_the_documented_shape_are_wrong_all_the_same() -> None:
    chosen = [p for p in SEQUENCES if not p.fits(0, FIRST)]
    found = [f for p in chosen for f in of_garbage(p, p.shape)]
    assert Verdict.VIOLATES in {f.verdict for f in found}


def test_what_does_not_fit_names_a_reading_that_is_computed() -> None:
    for convention in load_conventions().values():
        named = {r.misfits for r in convention.readings} - {None}
        assert named <= {r.name for r in convention.variants}
