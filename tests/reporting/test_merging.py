"""Parts of a target's run put together again."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from conformance.reporting.merging import MergeError, merge
from conformance.results import Aspect, AspectResult, FunctionResult, Results, Verdict
from tests.reporting.records import results

ORDER = ["sum", "dot", "exp"]


def judged(name: str) -> FunctionResult:
    aspect = AspectResult(aspect=Aspect.VALUE, verdict=Verdict.CONFORMS, cases=1)
    return FunctionResult(name, "theme", [aspect])


def part(number: int, *names: str, of: int = 2, **run: Any) -> Results:
    made = results("mine", [judged(name) for name in names])
    changes = {"shard": f"{number}/{of}", "cases": 10, "seconds": 1.5, **run}
    return replace(made, run=replace(made.run, **changes))


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


def test_two_runs_of_one_function_are_refused() -> None:
    with pytest.raises(MergeError, match="judged twice on sum"):
        merge([part(1, "sum"), part(2, "sum")], ORDER)


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


def test_one_shard_twice_is_refused() -> None:
    with pytest.raises(MergeError, match="judged twice: shard 1/2"):
        merge([part(1, "sum"), part(1, "exp")], ORDER)
