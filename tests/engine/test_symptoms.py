"""A smaller case counts only if its answer is wrong in the manner of the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.symptoms import Symptom, symptom, wrongness
from conformance.results import Aspect, FindingKind, Verdict

NAN, INF = float("nan"), float("inf")


def finding(got: Sequence[float], expected: Sequence[float], *points: str) -> Finding:
    return Finding(
        Aspect.VALUE,
        Verdict.VIOLATES,
        FindingKind.VALUE,
        gives="",
        demands="",
        got=np.array(got),
        expected=np.array(expected),
        open_points=points,
    )


def shows(
    first: tuple[Sequence[float], Sequence[float]], smaller: tuple[Sequence[float], Sequence[float]]
) -> bool:
    return symptom(finding(*first)).shown_by(symptom(finding(*smaller)))


@pytest.mark.parametrize(
    ("got", "expected", "manners"),
    [
        ([1.0, 3.0], [1.0, 2.0], {"another number"}),
        ([1.0, NAN], [1.0, 2.0], {"NaN for a number"}),
        ([1.0, 2.0], [1.0, NAN], {"a number for NaN"}),
        ([INF, 3.0], [1.0, 2.0], {"an infinity for a finite number", "another number"}),
        ([3.0], [INF], {"a finite number for an infinity"}),
        ([-INF], [INF], {"the other infinity"}),
        ([1.0001], [1.0], {"inexact"}),
        ([1.0001, 2.0], [1.0, 1.0], {"another number"}),
        ([NAN, INF], [NAN, INF], set()),
    ],
)
def test_the_manners_of_wrong_elements(
    got: list[float], expected: list[float], manners: set[str]
) -> None:
    assert wrongness(np.array(got), np.array(expected))[0] == manners


@pytest.mark.parametrize(
    ("got", "expected", "common"),
    [
        ([0.0, 0.0], [1.5, -2.0], {"zero"}),
        ([-2, -1], [-3, -2], {"one off"}),
        ([-1.5, 2.5], [1.5, -2.5], {"the opposite", "the other sign"}),
        ([-3.0, 4.5], [1.5, -2.5], {"the other sign"}),
        ([2.5], [0.0], {"nothing but zero expected"}),
        ([2.5, 0.0], [1.2, 3.5], set()),
    ],
)
def test_what_wrong_numbers_have_in_common(
    got: list[float], expected: list[float], common: set[str]
) -> None:
    assert wrongness(np.array(got), np.array(expected))[1] == common


def test_a_wrong_shape_stays_of_its_sort() -> None:
    of_length = wrongness(np.zeros((2, 3)), np.zeros((2, 4)))
    of_rank = wrongness(np.zeros(2), np.zeros((2, 1)))
    assert of_length == (frozenset(["another length"]), frozenset())
    assert of_rank == (frozenset(["another rank"]), frozenset())


def test_a_wrong_number_does_not_become_nan() -> None:
    wrong, with_nan = ([3.0, 1.5], [2.5, 2.5]), ([NAN], [0.0])
    assert not shows(wrong, with_nan)
    assert shows(([3.0, NAN], [2.5, 2.5]), with_nan)
    assert shows(wrong, ([4.0], [2.0]))


def test_one_off_stays_one_off() -> None:
    assert not shows(([-2, 0], [-3, -1]), ([0], [7]))
    assert shows(([-2, 0], [-3, -1]), ([0], [-1]))


def test_a_smaller_structure_may_be_wrong_by_another_number() -> None:
    first, smaller = symptom(finding([0.0], [1.5])), symptom(finding([1.0], [2.5]))
    assert not first.shown_by(smaller)
    assert first.of_any_numbers.shown_by(smaller)


def test_no_more_points_are_open() -> None:
    settled, special = (symptom(finding([1], [2], *p)) for p in ((), ("special-values",)))
    assert not settled.shown_by(special)
    assert special.shown_by(settled)


def test_another_identity_is_another_fault() -> None:
    first = symptom(finding([1], [2]))
    aspect, kind, _, conventions = first.identity
    other = replace(first, identity=(aspect, kind, "ValueError", conventions))
    assert not first.shown_by(other)
    assert isinstance(other, Symptom)
