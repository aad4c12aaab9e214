"""The right answers to a shown case, for scripts: arrays with limits, and dtypes.

The oracle's bound is the limit where the value is what failed. Where something else failed (a
dtype, a static shape, an exception), a right answer may also lose digits: no document states an
accuracy. Where a violation rests on an open point, the answer of each of its readings is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, held_in, is_dtype, is_floating, limits
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.promotions import open_dtypes
from conformance.engine.judging.readings import combinations, is_rank_alone
from conformance.engine.verdicts.limits import limits_of, named_index
from conformance.oracle import Expectation
from conformance.oracle.compare import widened_by_rounding
from conformance.oracle.variants import Readings
from conformance.results import FindingKind, Verdict
from conformance.scripts.answers import Bounded, RightAnswer
from conformance.specs.load import ruled_out

Array = npt.NDArray[np.generic]
_OF_VALUES = (FindingKind.VALUE, FindingKind.ACCURACY)
_MOST_READINGS = 16
"""The most combinations of readings that a script has the answers of."""
_MOST_ELEMENTS = 4096
"""The most elements that the answer of another reading has in a script."""


def right_answer(finding: Finding, trial: CallTrial) -> RightAnswer:
    """The right answer to the finding's case."""
    prepared = trial.prepared
    dtypes = _dtypes(finding, trial)
    expected = _own(finding, trial)
    own = Bounded(expected.value, _limits(finding, trial, expected))
    if finding.kind not in _OF_VALUES:
        own = own.generous(_coarsest([expected.dtype, *prepared.dtypes]))
    got = finding.got
    return RightAnswer(
        (own, *_others(finding, trial, expected)),
        dtypes=dtypes,
        index=named_index(finding) if isinstance(got, np.ndarray) else (),
        wrong=(got,) if isinstance(got, np.ndarray) and finding.kind in _OF_VALUES else (),
        rank_alone=is_rank_alone(finding.open_points)
        and prepared.evidence is None
        and not _is_wrong_in_its_rank(finding, expected),
    )


def _is_wrong_in_its_rank(finding: Finding, expected: Expectation) -> bool:
    """Whether a shape violates that has the right rank: then no reading has the shape either."""
    got = finding.got
    if finding.kind != FindingKind.SHAPE or not isinstance(got, np.ndarray):
        return False
    return got.ndim == np.ndim(expected.value)


def _own(finding: Finding, trial: CallTrial) -> Expectation:
    """The suite's own answer; in the dtype that the finding was judged in, if it was by value."""
    if isinstance(finding.got, np.ndarray) and isinstance(finding.expected, np.ndarray):
        for dtype in _likely(finding, trial):
            expectation = _expected(finding, trial, dtype)
            if expectation is not None and np.array_equal(
                expectation.value, finding.expected, equal_nan=expectation.value.dtype.kind == "f"
            ):
                narrow = held_in(dtype).itemsize < held_in(trial.prepared.dtypes[0]).itemsize
                return widened_by_rounding(expectation) if narrow else expectation
    return trial.prepared.expectation(finding.draw, trial.prepared.like)


def _likely(finding: Finding, trial: CallTrial) -> Iterator[str]:
    prepared, got = trial.prepared, np.asarray(finding.got)
    names = (prepared.like, prepared.dtypes[0], finding.got_dtype or got.dtype.name)
    yield from (name for name in names if name is not None and is_dtype(name))


def _expected(
    finding: Finding, trial: CallTrial, dtype: str | None, readings: Readings = ()
) -> Expectation | None:
    try:
        return trial.prepared.expectation(finding.draw, dtype, readings)
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _limits(finding: Finding, trial: CallTrial, expected: Expectation) -> npt.NDArray[np.float64]:
    """The bound; of a wrong value infinite where a free reading excuses the element."""
    got = finding.got
    if finding.kind not in _OF_VALUES or not isinstance(got, np.ndarray):
        return expected.bound
    if got.shape != expected.value.shape or not np.array_equal(
        expected.value, np.asarray(finding.expected), equal_nan=expected.value.dtype.kind == "f"
    ):
        return expected.bound
    return limits_of(finding, trial)


def _others(finding: Finding, trial: CallTrial, own: Expectation) -> Iterator[Bounded]:
    """The answers of the readings that are open in a violation, without those that are alike."""
    prepared = trial.prepared
    if finding.verdict is not Verdict.VIOLATES or prepared.evidence is not None:
        return
    structure = prepared.structure
    closed = ruled_out(structure.spec, structure.edition)
    seen = [own]
    for chosen in islice(combinations(finding.open_points, closed), 1, _MOST_READINGS):
        shape = prepared.shape_under(finding.draw, chosen)
        if shape is None or int(np.prod(shape)) > _MOST_ELEMENTS:
            continue
        expectation = _expected(finding, trial, None, chosen)
        if expectation is not None and not any(_alike(expectation, other) for other in seen):
            seen.append(expectation)
            yield Bounded(expectation.value, expectation.bound).generous(expectation.dtype)


def _alike(a: Expectation, b: Expectation) -> bool:
    if a.value.shape != b.value.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(a.value.astype(float), b.value.astype(float), equal_nan=True))


def _dtypes(finding: Finding, trial: CallTrial) -> Sequence[str]:
    """The dtypes that the result may have: the accepted ones, and where the documents leave it
    open, those of readings. Empty for a call that makes an input."""
    prepared = trial.prepared
    if prepared.structure.claimed != "result":
        return ()
    if finding.kind == FindingKind.DTYPE and finding.verdict is not Verdict.VIOLATES:
        return prepared.dtypes
    by_convention = open_dtypes(prepared, prepared.dtypes, {})
    readings = [name for names in by_convention.values() for name in names]
    tensors = {item.dtype for item in prepared.structure.program.inputs}
    if BFLOAT16 not in tensors | {*prepared.dtypes, finding.got_dtype}:
        readings = [name for name in readings if name != BFLOAT16]  # which NumPy could not compare
    return list(dict.fromkeys([*prepared.dtypes, *readings]))


def _coarsest(dtypes: Sequence[str]) -> str:
    """The floating dtype with the fewest digits; the first if none is floating."""
    floating = [name for name in dtypes if is_dtype(name) and is_floating(name)]
    return max(floating, key=lambda name: float(limits(name).eps), default=dtypes[0])


def gradient_answer(finding: Finding, trial: GradientTrial, name: str) -> RightAnswer:
    """The right gradient by one input; its dtype follows from no document."""
    numbers = Bounded(*trial.reach(finding.draw, name))
    if isinstance(finding.got, np.ndarray) and finding.gives.endswith(f" for {name}"):
        return RightAnswer((numbers,), index=named_index(finding), wrong=(finding.got,))
    return RightAnswer((numbers.generous(trial.case(finding.draw).arrays[name].dtype.name),))
