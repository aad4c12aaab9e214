"""Calls that do not fit a reading: wrong ones, whose result may have another shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.editions import Edition
from conformance.engine import PROFILES
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.observations import Raised
from conformance.oracle.variants import NoReadingError, Reading, read_otherwise
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from tests.engine.support import tasks
from tests.engine.test_opened_readings import calls
from tests.engine.test_single_call_readings import calls as calls_of
from tests.engine.test_single_call_readings import judged, right

Array = npt.NDArray[Any]
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
    findings = judged(prepared, lambda _: np.ones(shape, prepared.dtypes[0]))
    return [f for f in findings if f.aspect is Aspect.VALUE]


@pytest.mark.parametrize("fits", [True, False])
def test_another_shape_is_allowed_of_a_call_that_does_not_fit_a_reading(fits: bool) -> None:
    chosen = [p for p in SEQUENCES if p.fits(0, FIRST) is fits]
    assert chosen
    for prepared in chosen:
        findings = of_garbage(prepared, (*prepared.shape, 7))
        assert {f.kind for f in findings} == {FindingKind.SHAPE}
        verdict = Verdict.VIOLATES if fits else Verdict.DIVERGES
        readings = () if fits else (taken(ConventionName.SEQUENCE_FORMAT, "not fitting"),)
        assert {(f.verdict, f.readings) for f in findings} == {(verdict, readings)}


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
        findings = judged(prepared, lambda _: raised)
        verdicts |= {f.verdict for f in findings if f.aspect is Aspect.VALUE}
    assert (Verdict.VIOLATES in verdicts) is fits
    assert fits or Verdict.DIVERGES in verdicts


def test_wrong_numbers_of_the_documented_shape_are_wrong_all_the_same() -> None:
    chosen = [p for p in SEQUENCES if not p.fits(0, FIRST)]
    findings = [f for p in chosen for f in of_garbage(p, p.shape)]
    assert Verdict.VIOLATES in {f.verdict for f in findings}


def test_what_does_not_fit_names_a_reading_that_is_computed() -> None:
    for convention in load_conventions().values():
        named = {r.misfits for r in convention.readings} - {None}
        assert named <= {r.name for r in convention.variants}


def laid_out_otherwise(prepared: Prepared, number: int, reading: Reading) -> Array | Raised:
    """The answer of a backend that takes a reading, and refuses what does not fit it."""
    oracle = prepared.structure.oracle
    try:
        arguments = read_otherwise(oracle, prepared.oracle_arguments(number), (reading,))
    except NoReadingError:
        arguments = prepared.oracle_arguments(number)
    try:
        return right(oracle, arguments, prepared.dtypes[0])
    except ValueError as error:
        return Raised("ValueError", ("ValueError",), str(error), "call")


@pytest.mark.parametrize(
    ("function", "edition", "name"),
    [
        ("conv1d", "keras-2.2", "th"),
        ("conv2d", "keras-2.2", "th"),
        ("conv3d", "keras-2.0", "th"),
        ("conv2d_transpose", "keras-2.2", "th"),
        ("conv3d_transpose", "keras-2.2", "th"),
        ("conv2d_transpose", "keras-1", "of the convolution"),
    ],
)
class TestKernelLayout:
    """Convolutions whose kernels lie otherwise, and those that do not fit then."""

    def test_a_backend_that_takes_the_reading_keeps_the_documents(
        self, function: str, edition: Edition, name: str
    ) -> None:
        reading = (ConventionName.KERNEL_LAYOUT, name)
        findings = []
        for prepared in calls_of(function, edition):
            findings += judged(
                prepared,
                lambda n, p=prepared: laid_out_otherwise(p, n, reading),  # type: ignore[misc]
            )
        readings_of_exceptions = {f.readings for f in findings if f.kind == FindingKind.EXCEPTION}
        assert (taken(ConventionName.KERNEL_LAYOUT, f"{name} refused"),) in readings_of_exceptions
        assert not [f for f in findings if f.verdict is Verdict.VIOLATES]

    def test_an_exception_of_a_call_that_fits_is_wrong(
        self, function: str, edition: Edition, name: str
    ) -> None:
        (task,) = tasks([function], PROFILES["default"], edition=edition)
        twin = task.fitting_twin(taken(ConventionName.KERNEL_LAYOUT, f"{name} refused"))
        assert isinstance(twin, CallTrial)
        assert twin.prepared.fits(0, ((ConventionName.KERNEL_LAYOUT, name),))
        raised = Raised("ValueError", ("ValueError",), "shapes do not match", "call")
        findings = judged(twin.prepared, lambda _: raised)
        assert {f.verdict for f in findings} == {Verdict.VIOLATES}
