"""The plan of pairs: which pairs exist, their order, and that programs join and count them."""

from __future__ import annotations

import pytest

from conformance.adapters.session import Session
from conformance.engine import Shard
from conformance.fuzz.judging import judged
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import ComposedProgram, Plan
from conformance.fuzz.making.pairs import (
    Beside,
    Pair,
    blocks,
    due,
    edges,
    existing,
    is_rewritten,
    selected,
)
from conformance.fuzz.records.tally import tally_of
from conformance.fuzz.running.target import Campaign, question_of
from conformance.results.composed import coverage, packed, unpacked
from tests.editions import OF_K
from tests.fuzz.hunting import hunted, subject
from tests.fuzz.pair_faults import PairFault

EDITION = "keras-2.2"
PLAN = Plan(EDITION, 0)
STARTED = "2000-01-01T00:00:00+00:00"


@pytest.mark.parametrize("edition", [*OF_K, "keras-3"])
def test_the_plan_has_every_pair_that_exists(edition: str) -> None:
    planned = [item for block in blocks(Plan(edition, 0)) for item in block.items]
    assert {item for item in planned if isinstance(item, Pair)} == {*existing(edition)}
    assert {item.change for item in planned if isinstance(item, Beside)} == {
        *("equal", "arguments", "operands")
    }


def test_pairs_that_optimisers_rewrite_come_first() -> None:
    order = [item for block in blocks(PLAN) for item in block.items if isinstance(item, Pair)]
    first = order[: sum(map(is_rewritten, existing(EDITION)))]
    assert all(map(is_rewritten, first))
    for pair in (
        Pair("exp", "log", "x"),
        Pair("transpose", "transpose", "x"),
        Pair("expand_dims", "sum", "x"),
        Pair("reshape", "mean", "x"),
        Pair("cast", "abs", "x"),
    ):
        assert pair in first


def test_a_pair_exists_if_types_fit() -> None:
    assert Pair("sum", "exp", "x") in existing(EDITION)
    assert Pair("exp", "conv2d", "kernel") in existing(EDITION)
    assert Pair("equal", "exp", "x") not in existing(EDITION), "a truth value has no exponential"


def test_the_seed_decides_the_order() -> None:
    assert blocks(PLAN) == blocks(Plan(EDITION, 0))
    assert blocks(PLAN) != blocks(Plan(EDITION, 1))


def test_selected_functions_are_in_each_planned_pair() -> None:
    plan = Plan(EDITION, 0, functions=frozenset({"softmax"}))
    assert selected(plan)
    assert all("softmax" in (pair.feeder, pair.taker) for pair in selected(plan))


def test_a_short_program_has_few_pairs() -> None:
    assert {len(block.items) for block in blocks(Plan(EDITION, 0, size=(2, 4)))} <= {1, 2}


@pytest.mark.parametrize("edition", ["keras-2.2", "keras-3"])
def test_most_planned_pairs_are_joined(edition: str) -> None:
    plan = Plan(edition, 0)
    numbers = range(len(blocks(plan)) // 3, len(blocks(plan)) // 3 + 5)
    joined = {pair for n in numbers for pair in edges(composed(plan, n).calls, edition)}
    goal = due(plan, numbers)
    assert len(joined & goal) >= 0.5 * len(goal)


def differs(session: Session, program: ComposedProgram) -> bool:
    question = question_of(program)
    return bool(judged(question, session.run_batch(question.batch)).differences)


def test_the_program_of_a_pair_shows_a_fault_of_it() -> None:
    program = composed(PLAN, 400)
    joined = edges(program.calls, EDITION) & due(PLAN, [400])
    assert len(joined) > 1
    for pair in sorted(joined)[:2]:
        with subject(PairFault(*pair, "value").name).open((), 0) as faulty:
            assert differs(faulty, program), pair
    with subject("").open((), 0) as right:
        assert not differs(right, program)


def test_a_run_without_a_number_ends_with_the_plan() -> None:
    campaign = Campaign(0, "1.0", STARTED, max_time=60.0)
    assert campaign.end(EDITION) == len(blocks(PLAN))
    shards = [Campaign(0, "1.0", STARTED, shard=Shard(part, 3)) for part in (1, 2, 3)]
    assert sum(shard.end(EDITION) for shard in shards) == len(blocks(PLAN))
    assert Campaign(0, "1.0", STARTED, programs=7).end(EDITION) == 7


def test_covered_pairs_are_counted_and_read_again() -> None:
    results = hunted("", 4).results
    assert results.composed
    covered = tally_of(results).covered
    assert covered == {pair for n in range(4) for pair in edges(composed(PLAN, n).calls, EDITION)}
    assert (
        coverage(results.composed) == f"covered {len(covered)} of {len(existing(EDITION)):,} pairs"
    )
    assert results.composed.missed == len(due(PLAN, range(4)) - covered)


def test_numbers_of_pairs_are_a_text() -> None:
    for numbers in (set[int](), {0}, {3, 8, 1000}):
        assert unpacked(packed(numbers)) == numbers
    assert unpacked("no base64!") == set()
