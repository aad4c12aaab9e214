"""The same seed gives the same results, byte for byte; the same failure keeps its id."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.reporting.json_results import encode
from conformance.results import Array, Verdict, timeless
from conformance.results.events import (
    CasesDone,
    FunctionJudged,
    TargetFinished,
    TargetProgressed,
)
from tests.engine.support import Outcome, examine, fake

FUNCTIONS = ("exp", "softmax", "sum")
TIMED = (CasesDone, TargetProgressed)
"""The events that a clock decides: counts that are sent together, and results up to now."""


@cache
def outcome(seed: int, run: int) -> Outcome:
    """The outcome of a run; `run` only keeps two runs with the same seed apart in the cache."""
    return examine(fake("always_wrong"), FUNCTIONS, seed=seed)


def ids(tested: Outcome) -> dict[tuple[str, ...], str]:
    """The id of each failure, by the fields that tell failures apart."""
    return {
        (function, str(aspect), f.kind, str(f.convention), str(f.verdict)): f.id
        for function, aspect, f in tested.failures()
    }


def test_the_same_seed_gives_the_same_bytes() -> None:
    first, second = outcome(3, 1), outcome(3, 2)
    assert encode(timeless(first.results)) == encode(timeless(second.results))


def test_the_same_seed_gives_the_same_order_of_events() -> None:
    first, second = (
        [type(event) for event in outcome(3, run).events if not isinstance(event, TIMED)]
        for run in (1, 2)
    )
    assert first == second


@pytest.mark.thorough
def test_another_seed_gives_other_cases_and_the_same_ids() -> None:
    first, second = outcome(3, 1), outcome(4, 1)
    assert encode(timeless(first.results)) != encode(timeless(second.results))
    mine, its = ids(first), ids(second)
    shared = mine.keys() & its.keys()
    violations = {k for k in shared if k[-1] == Verdict.VIOLATES}
    assert {k[0] for k in violations} == set(FUNCTIONS)
    assert {k: mine[k] for k in shared} == {k: its[k] for k in shared}


def test_an_id_names_one_failure() -> None:
    identities = [f.id for _, _, f in outcome(3, 1).failures()]
    assert len(identities) == len(set(identities))
    assert all(len(i) == 12 and int(i, 16) >= 0 for i in identities)


def test_the_order_of_the_functions_does_not_matter() -> None:
    """A function alone, as in a shard, gets the same verdicts as among others."""
    alone = examine(fake("always_wrong"), ("softmax",), seed=3).results.functions
    among = [f for f in outcome(3, 1).results.functions if f.function == "softmax"]
    assert alone == among


def test_what_is_announced_is_what_is_in_the_results() -> None:
    run = outcome(3, 1)
    judged = [e.result for e in run.events if isinstance(e, FunctionJudged)]
    (finished,) = (e for e in run.events if isinstance(e, TargetFinished))
    assert judged == finished.results.functions == run.results.functions


def test_a_minimised_case_keeps_its_identity() -> None:
    """Shrinking a wrong value must not end in a wrong shape, an exception or a right value."""
    shown = [f for _, _, f in outcome(3, 1).failures(Verdict.VIOLATES) if f.kind == "value"]
    assert len(shown) == len(FUNCTIONS)
    for failure in shown:
        assert "raises" not in failure.message
        assert isinstance(failure.got, Array)
        assert isinstance(failure.expected, Array)
        assert failure.got.shape == failure.expected.shape
        assert failure.got.data != failure.expected.data


def test_results_hold_the_signature_and_the_mean_time_of_each_function() -> None:
    results = outcome(3, 1).results
    # the fake wraps every function
    assert {f.signature for f in results.functions} == {"(*args, **kwargs)"}
    assert set(results.run.milliseconds) == set(FUNCTIONS)
    assert all(time > 0 for time in results.run.milliseconds.values())
