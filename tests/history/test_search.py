"""The search: the right release with about log2 runs."""

from __future__ import annotations

import math

import pytest

from conformance.history.search import CaseOutcome, Probe, Search

VERSIONS = [f"3.{minor}" for minor in range(40)]


def searched(answers: dict[str, CaseOutcome], known: str | None = None) -> tuple[list[str], Search]:
    """The boundaries as texts; releases that `answers` omits pass."""
    search = Search(VERSIONS, lambda v: Probe(v, answers.get(v, CaseOutcome.PASSES)))
    boundaries = search.boundaries(known)
    return [f"{'fixed' if b.fixed else 'introduced'} {b.after.version}" for b in boundaries], search


def failing(first: int, last: int) -> dict[str, CaseOutcome]:
    return dict.fromkeys(VERSIONS[first:last], CaseOutcome.FAILS)


@pytest.mark.parametrize("first", range(1, 40, 3))
def test_the_first_failing_release(first: int) -> None:
    borders, search = searched(failing(first, 40))
    assert borders == [f"introduced 3.{first}"]
    assert len(search.probes) <= 2 + math.ceil(math.log2(40))


@pytest.mark.parametrize("last", range(1, 40, 3))
def test_the_first_passing_release(last: int) -> None:
    assert searched(failing(0, last))[0] == [f"fixed 3.{last}"]


def test_a_known_failure_inside_has_two_boundaries() -> None:
    borders, search = searched(failing(11, 17), known="3.13")
    assert borders == ["introduced 3.11", "fixed 3.17"]
    assert len(search.probes) <= 3 + 2 * math.ceil(math.log2(40))


def test_another_failure_and_an_absent_promise_are_not_this_failure() -> None:
    answers = failing(20, 40)
    answers |= dict.fromkeys(VERSIONS[:10], CaseOutcome.NOT_PROMISED)
    answers |= dict.fromkeys(VERSIONS[10:20], CaseOutcome.OTHERWISE)
    borders, search = searched(answers)
    assert borders == ["introduced 3.20"]
    assert search.probes["3.19"].answer is CaseOutcome.OTHERWISE


def test_untestable_releases_are_named_and_passed_over() -> None:
    answers = failing(20, 40) | dict.fromkeys(VERSIONS[18:22], CaseOutcome.UNTESTABLE)
    search = Search(VERSIONS, lambda v: Probe(v, answers.get(v, CaseOutcome.PASSES)))
    (border,) = search.boundaries()
    assert (border.before.version, border.after.version) == ("3.17", "3.22")
    assert border.untestable == ("3.18", "3.19", "3.20", "3.21")


def test_untestable_ends_are_passed_over() -> None:
    answers = failing(20, 40) | dict.fromkeys(VERSIONS[:6], CaseOutcome.UNTESTABLE)
    assert searched(answers)[0] == ["introduced 3.20"]


def test_each_release_is_run_once() -> None:
    runs: list[str] = []

    def test(version: str) -> Probe:
        runs.append(version)
        return Probe(version, CaseOutcome.FAILS if int(version[2:]) > 7 else CaseOutcome.PASSES)

    Search(VERSIONS, test).boundaries("3.30")
    assert len(runs) == len(set(runs))


def test_releases_that_agree_have_no_boundary() -> None:
    assert searched({})[0] == []
    assert searched(failing(0, 40))[0] == []
    assert searched(dict.fromkeys(VERSIONS, CaseOutcome.UNTESTABLE))[0] == []
