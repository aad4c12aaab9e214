"""The arithmetic of scores: what is kept, what is missing, which readings are taken."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    Failure,
    FindingKind,
    FunctionResult,
    Verdict,
)
from conformance.results.scores import (
    CHANGES,
    CONTRACT,
    FAULTS,
    LACKS,
    UNCOUNTED,
    Score,
    TakenReading,
    count_diverging,
    count_standings,
    demanded,
    diverges,
    of_contract,
    readings,
    readings_of,
    score,
    standing,
    worst,
)
from tests.reporting.records import aspect_result, failure, function

REFUSED = failure(Verdict.UNSUPPORTED, kind="exception", convention=None)
UNDEMANDED = failure(Verdict.UNSUPPORTED, kind="exception", convention="input-dtype")
UNMADE = failure(Verdict.UNSUPPORTED, kind=FindingKind.UNMADE_INPUT, convention=None)
READ = failure(Verdict.DIVERGES, convention="kernel-layout", readings=["kernel-layout: th"])


def value(verdict: Verdict, *failures: Failure) -> AspectResult:
    return aspect_result(Aspect.VALUE, verdict, *failures)


def test_every_verdict_is_a_fault_a_lack_a_reading_or_neither() -> None:
    others = (Verdict.CONFORMS, *UNCOUNTED, Verdict.DIVERGES)
    assert sorted((*FAULTS, *CHANGES, *LACKS, *others)) == sorted(Verdict)


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.DIVERGES])
def test_a_verdict_other_than_a_divergence_stands(verdict: Verdict) -> None:
    assert standing(value(verdict, READ)) is verdict


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], Verdict.CONFORMS),
        ([UNDEMANDED], Verdict.CONFORMS),
        ([UNMADE], Verdict.CONFORMS),
        ([REFUSED], Verdict.UNSUPPORTED),
        ([UNDEMANDED, REFUSED], Verdict.UNSUPPORTED),
    ],
)
def test_a_divergence_keeps_the_documents_unless_something_demanded_is_refused(
    others: list[Failure], expected: Verdict
) -> None:
    assert standing(value(Verdict.DIVERGES, READ, *others)) is expected


def test_a_failure_is_demanded_unless_it_is_open_or_for_another_function() -> None:
    assert demanded(failure(Verdict.VIOLATES))
    assert demanded(REFUSED)
    assert not demanded(UNDEMANDED)
    assert not demanded(UNMADE)


def test_the_worst_is_taken_over_faults_and_lacks() -> None:
    order = [*FAULTS, Verdict.ERROR, *CHANGES, *LACKS, Verdict.CONFORMS, Verdict.NOT_APPLICABLE]
    assert order[0] is Verdict.VIOLATES
    for index, verdict in enumerate(order):
        assert worst([value(v) for v in reversed(order[index:])]) is verdict
    assert worst([value(Verdict.DIVERGES, READ), value(Verdict.NOT_RUN)]) is Verdict.NOT_RUN
    assert worst([value(Verdict.DIVERGES, READ)]) is Verdict.CONFORMS
    assert worst([]) is Verdict.NOT_APPLICABLE


def test_kept_missing_and_faults_make_up_what_is_demanded() -> None:
    functions = [function(f"f_{v.name}", v) for v in Verdict]
    points, counts = score(functions), count_standings(functions)
    demanded_aspects = (len(Verdict) - 1) * len(ASPECTS) - 1
    others = len(FAULTS) + len(CHANGES) + len(LACKS)
    assert points == Score(
        demanded_aspects - others, len(LACKS), demanded_aspects, len(CHANGES), errors=1
    )
    faults = sum(counts[verdict] for verdict in FAULTS)
    assert points.keeping + points.missing + points.changed + faults == points.demanded
    assert counts[Verdict.DIVERGES] == 0
    assert count_diverging(functions) == 1


def test_aspects_that_do_not_apply_are_not_demanded() -> None:
    functions = [function("a", Verdict.NOT_APPLICABLE), function("b", Verdict.UNSUPPORTED)]
    assert score(functions) == Score(len(ASPECTS) - 1, 1, len(ASPECTS))


def test_the_contract_counts_by_itself_alone() -> None:
    own, beside = function("a", Verdict.CONFORMS), function("b", Verdict.VIOLATES)
    contract = replace(beside, theme=CONTRACT)
    assert score([own, contract]) == score([own]) != score([own, beside])
    assert count_standings([own, contract]) == count_standings([own])
    assert of_contract([own, contract]) == [contract]
    assert score([contract]) == score([beside])
    assert of_contract([contract]) == []


@pytest.mark.parametrize(
    ("points", "percent", "missing"),
    [
        ((0, 0, 0), "nothing demanded", "nothing demanded"),
        ((9999, 1, 10000), "99.9 %", "0.1 %"),
        ((7, 0, 7), "100.0 %", "0.0 %"),
        ((0, 3, 3), "0.0 %", "100.0 %"),
        ((1, 1, 3), "33.3 %", "33.3 %"),
        ((2, 1, 3), "66.7 %", "33.3 %"),
    ],
)
def test_shares_are_round_only_where_the_numbers_are(
    points: tuple[int, int, int], percent: str, missing: str
) -> None:
    assert (Score(*points).percent, Score(*points).percent_missing) == (percent, missing)


def test_figures_tell_what_is_missing_if_anything_is() -> None:
    assert Score(9, 0, 10).figures == "90.0 % (9/10)"
    assert Score(8, 2, 10).figures == "80.0 % (8/10), 2 missing"
    assert Score(6, 2, 10, 1).figures == "60.0 % (6/10), 2 missing, 1 changed"


@pytest.mark.parametrize(
    ("convention", "named", "expected"),
    [
        ("kernel-layout", ["kernel-layout: th"], ["kernel-layout: th"]),
        ("empty, kernel-layout", ["kernel-layout: th"], ["kernel-layout: th", "empty"]),
        ("empty, special-values", [], ["empty", "special-values"]),
        (None, ["a: b: c"], ["a: b: c"]),
        (None, [], []),
    ],
)
def test_a_convention_without_a_reading_stands_alone(
    convention: str | None, named: list[str], expected: list[str]
) -> None:
    divergence = failure(Verdict.DIVERGES, convention=convention, readings=named)
    assert [str(reading) for reading in readings_of(divergence)] == expected


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.DIVERGES])
def test_only_a_divergence_takes_a_reading(verdict: Verdict) -> None:
    assert readings_of(failure(verdict, convention="empty", readings=["empty: none"])) == ()


def test_the_readings_of_aspects_come_once_and_sorted() -> None:
    other = failure(Verdict.DIVERGES, convention="empty")
    aspects = [value(Verdict.VIOLATES, failure(), READ, other), value(Verdict.DIVERGES, READ)]
    assert readings(aspects) == (TakenReading("empty"), TakenReading("kernel-layout", "th"))


def test_an_aspect_diverges_beside_a_fault_too() -> None:
    assert diverges(value(Verdict.VIOLATES, failure(), READ))
    assert diverges(value(Verdict.DIVERGES))
    assert not diverges(value(Verdict.VIOLATES, failure()))
    tested = FunctionResult("f", "t", [value(Verdict.VIOLATES, READ), value(Verdict.CONFORMS)])
    assert count_diverging([tested]) == 1
