"""Parts of a target's run put together again."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from conformance.reporting.merge import MergeError, merge, taken
from conformance.results import (
    Aspect,
    AspectResult,
    Composed,
    FunctionResult,
    Results,
    Spent,
    Verdict,
)
from tests.reporting.records import results

ORDER = ["sum", "dot", "exp"]


def judged(name: str, verdict: Verdict = Verdict.CONFORMS) -> FunctionResult:
    aspect = AspectResult(aspect=Aspect.VALUE, verdict=verdict, cases=1)
    return FunctionResult(name, "theme", [aspect])


def part(number: int, *names: str, of: int = 2, **run: Any) -> Results:
    content = results("mine", [judged(name) for name in names])
    changes = {"shard": f"{number}/{of}", "cases": 10, "seconds": 1.5, **run}
    return replace(content, run=replace(content.run, **changes))


def test_all_shards_make_a_whole_run_in_any_order() -> None:
    parts = [part(1, "sum", "exp"), part(2, "dot")]
    merged = merge(parts, ORDER)
    assert merge(parts[::-1], ORDER) == merged
    assert [f.function for f in merged.functions] == ORDER
    assert (merged.run.cases, merged.run.seconds, merged.run.shard) == (20, 3.0, UNSET)
    assert merged.run.whole
    assert merged.summary.functions == 3


def test_shards_of_which_one_is_missing_stay_a_part() -> None:
    merged = merge([part(1, "sum", of=3), part(3, "exp", of=3)], ORDER)
    assert merged.run.shard == "1/3, 3/3"
    assert not merged.run.whole


def test_an_interrupted_shard_is_remembered() -> None:
    assert not merge([part(1, "sum", complete=False), part(2, "exp")], ORDER).run.complete


@pytest.mark.parametrize(("what", "value"), [("seed", 8), ("profile", "thorough")])
def test_runs_of_other_cases_are_refused(what: str, value: Any) -> None:
    with pytest.raises(MergeError, match=f"differ in {what}"):
        merge([part(1, "sum"), part(2, "exp", **{what: value})], ORDER)


OLD, NEW = "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"


def run_of(started: str, *functions: FunctionResult, **run: Any) -> Results:
    spent = {f.function: Spent(cases=5, seconds=1.0) for f in functions}
    of_run = {"cases": 5 * len(functions), "spent": spent, "milliseconds": {}, **run}
    return results("mine", list(functions), started=started, **of_run)


def cells(content: Results) -> dict[tuple[str, Aspect], Verdict]:
    return {(f.function, a.aspect): a.verdict for f in content.functions for a in f.aspects}


def test_the_newest_result_of_each_function_counts() -> None:
    whole = run_of(OLD, *(judged(name) for name in ORDER))
    part = run_of(NEW, judged("dot", Verdict.VIOLATES), selection="dot")
    merged = merge([part, whole], ORDER)
    assert merge([whole, part], ORDER) == merged
    assert list(cells(merged).values()) == [
        Verdict.CONFORMS,
        Verdict.VIOLATES,
        Verdict.CONFORMS,
    ]
    assert merged.run.whole
    assert (merged.run.cases, merged.run.started) == (15, NEW)
    assert taken([whole, part]) == [2, 1]
    older = run_of(OLD, judged("dot", Verdict.VIOLATES), selection="dot")
    whole = run_of(NEW, *(judged(name) for name in ORDER))
    assert cells(merge([older, whole], ORDER)) == cells(whole)


def test_one_aspect_leaves_the_others_as_they_were() -> None:
    dtype = AspectResult(aspect=Aspect.DTYPE, verdict=Verdict.CONFORMS, cases=1)
    both = judged("dot")
    whole = run_of(OLD, replace(both, aspects=[*both.aspects, dtype]))
    wrong = replace(dtype, verdict=Verdict.VIOLATES)
    limited = run_of(NEW, replace(both, aspects=[wrong]), aspects=[Aspect.DTYPE])
    assert not limited.run.whole
    merged = merge([whole, limited], ORDER)
    assert merged.run.whole
    assert cells(merged) == {
        ("dot", Aspect.VALUE): Verdict.CONFORMS,
        ("dot", Aspect.DTYPE): Verdict.VIOLATES,
    }
    assert merged.run.spent == {"dot": Spent(cases=10, seconds=2.0)}


def test_what_a_run_did_not_finish_replaces_nothing() -> None:
    whole = run_of(OLD, *(judged(name) for name in ORDER))
    begun = (judged("sum", Verdict.VIOLATES), judged("dot"), judged("exp", Verdict.NOT_RUN))
    ended = {"complete": False, "unfinished": ["dot", "exp"], "ended_by": "Ctrl-C"}
    interrupted = run_of(NEW, *begun, **ended)
    merged = merge([whole, interrupted], ORDER)
    assert list(cells(merged).values()) == [Verdict.VIOLATES, Verdict.CONFORMS, Verdict.CONFORMS]
    assert merged.run.whole
    assert (merged.run.unfinished, merged.run.ended_by) == (UNSET, UNSET)
    alone = merge([run_of(OLD, judged("sum"), selection="sum"), interrupted], ORDER)
    assert alone.run.unfinished == ["dot", "exp"]
    assert not alone.run.complete


def test_the_newest_of_two_runs_of_one_shard_counts() -> None:
    again = part(1, "sum", started="2100-01-01T00:00:00Z", cases=7)
    merged = merge([part(1, "sum"), again, part(2, "exp")], ORDER)
    assert merged.run.whole
    assert merged.run.cases == 17


def test_shards_of_runs_that_were_cut_in_other_ways_are_refused() -> None:
    with pytest.raises(MergeError, match="cut in other ways: 1/2 and 2/3"):
        merge([part(1, "sum"), part(2, "exp", of=3)], ORDER)
    merged = merge([part(1, "sum", of=3), part(3, "exp", of=3)], ORDER)
    with pytest.raises(MergeError, match="cut in other ways"):
        merge([merged, part(2, "dot")], ORDER)


def test_what_was_merged_before_is_made_whole_by_the_last_shard() -> None:
    merged = merge([part(1, "sum", of=3), part(3, "exp", of=3)], ORDER)
    assert merge([merged, part(2, "dot", of=3)], ORDER).run.whole


def test_shards_of_other_selections_are_refused() -> None:
    with pytest.raises(MergeError, match="of other functions: -k 'sum' and -k 'exp'"):
        merge([part(1, "sum", selection="sum"), part(2, "exp", selection="exp")], ORDER)


def test_one_shard_of_composed_programs_twice_is_refused() -> None:
    twice = [replace(part(1, name), composed=Composed(programs=3)) for name in ("sum", "exp")]
    with pytest.raises(MergeError, match="judged twice: shard 1/2"):
        merge(twice, ORDER)
