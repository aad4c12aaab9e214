"""Failures of composition that were filed by an earlier start, looked at once more."""

from __future__ import annotations

from collections import Counter

from conformance.engine import Stop
from conformance.fuzz.records.tally import FiledFailure, ProgramTally, tally_of
from conformance.fuzz.running.recheck import OnceMore
from conformance.fuzz.running.target import Campaign, TargetRun
from conformance.results import Failure, Results, Verdict
from conformance.results.events import Event, TargetFinished
from tests.fuzz.hunting import CHUNK, hunted, subject

FAULT = "outputs in the order of their creation"
STARTED = "2000-01-01T00:00:00+00:00"


def filed(identity: str, count: int) -> FiledFailure:
    failure = Failure(id=identity, verdict=Verdict.VIOLATES, kind="value", message="m", count=count)
    return FiledFailure("abs", failure)


def counts(tally: ProgramTally) -> dict[str, int]:
    return {name: failure.failure.count for name, failure in tally.failures.items()}


def test_what_a_program_shows_now_takes_the_place_of_what_it_was_filed_as() -> None:
    """The programs that were counted there go with it; other failures stay."""
    a, b, c = filed("a", 5), filed("b", 3), filed("c", 2)
    tally = ProgramTally(failures={entry.failure.id: entry for entry in (a, b, c, filed("d", 7))})
    tally.add("abs", filed("c", 4).failure)  # by programs of this start
    again = OnceMore()
    again.seen = [
        (a, ProgramTally(failures={"b": filed("b", 1)}, blamed=Counter({"sum": 1}))),
        (b, ProgramTally(blamed=Counter({"exp": 1}), reasons={"exp": "raises"})),
        (c, ProgramTally()),
    ]
    again.settle(tally)
    assert counts(tally) == {"b": 5, "c": 4, "d": 7}
    assert (tally.blamed["exp"], tally.reasons["exp"]) == (3, "raises")
    assert "sum" not in tally.blamed
    assert tally.counts["unrepeated"] == 2


def again(fault: str, earlier: Results) -> Results:
    """What is told of the reference with a fault after the same programs on another one."""
    events: list[Event] = []
    campaign = Campaign(0, "1.0", STARTED, earlier.run.cases, chunk=CHUNK, again=True)
    run = TargetRun(subject(fault), campaign, events.append, Stop(), earlier)
    run.work(0)
    run.finish()
    (results,) = (event.results for event in events if isinstance(event, TargetFinished))
    return results


def test_a_fault_that_is_mended_does_not_show_again() -> None:
    first = hunted(FAULT, 40).results
    assert counts(tally_of(first))
    assert counts(tally_of(again(FAULT, first))) == counts(tally_of(first))
    mended = tally_of(again("", first))
    assert counts(mended) == {}
    assert mended.counts["unrepeated"] >= sum(counts(tally_of(first)).values())
    assert mended.counts["programs"] == tally_of(first).counts["programs"]
