"""What counts as a case that the documents settle, and how many make enough."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.engine import PROFILES
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.verdicts.shares import Shares, settled_cases
from conformance.generators.structure import refusable
from conformance.results import Aspect, FindingKind, Verdict
from tests.engine.support import tasks

CALLS = [t for t in tasks(["tanh"], PROFILES["smoke"])[0].trials() if isinstance(t, CallTrial)]
SETTLED = [t for t in CALLS if not t.unsettled and not refusable(t.prepared.structure)]


@pytest.mark.parametrize(
    ("judged", "enough"), [(0, False), (1, False), (10, False), (11, True), (22, True)]
)
def test_half_of_the_settled_cases_are_enough(judged: int, enough: bool) -> None:
    shares = Shares(Counter({Aspect.DTYPE: 22}), Counter({Aspect.DTYPE: judged}))
    assert shares.enough(Aspect.DTYPE) is enough


def test_where_nothing_is_settled_nothing_is_missing() -> None:
    assert Shares().enough(Aspect.VALUE)


def test_a_settled_call_has_a_case_for_each_draw_and_a_dtype_for_all() -> None:
    (trial, *_) = SETTLED
    draws = trial.batch.draws
    assert settled_cases(trial) == {
        Aspect.VALUE: draws,
        Aspect.DTYPE: 1,
        Aspect.STATIC_SHAPE: 1,
        Aspect.PURITY: draws,
    }


def test_what_rests_on_a_convention_or_another_dtype_is_not_counted() -> None:
    others = [t for t in CALLS if t not in SETTLED]
    assert others
    assert not any(settled_cases(t) for t in others)


def test_a_refused_case_is_not_judged_and_a_wrong_one_is() -> None:
    (trial, *_) = SETTLED
    draws = trial.batch.draws
    for verdict, judged in ((Verdict.UNSUPPORTED, 0), (Verdict.VIOLATES, draws)):
        shares = Shares()
        finding = Finding(Aspect.VALUE, verdict, FindingKind.EXCEPTION, gives="", demands="")
        shares.add(trial, Judgement([finding] * draws, {Aspect.VALUE: draws}))
        assert (shares.settled[Aspect.VALUE], shares.judged[Aspect.VALUE]) == (draws, judged)
        assert not shares.judged[Aspect.DTYPE]


def test_a_case_that_is_left_out_is_not_judged() -> None:
    (trial, *_) = SETTLED
    shares = Shares()
    shares.leave_out(trial)
    assert shares.settled[Aspect.VALUE] == trial.batch.draws
    assert not shares.enough(Aspect.VALUE)
