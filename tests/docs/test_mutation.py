"""The page of mutation: its counts are those of the published records."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from benchmarks.alarms import calculation
from conformance.editions import EDITIONS
from tests.docs.published import REPORTS, ROOT, words

PAGE = "docs/mutation.md"


@cache
def record(name: str) -> Any:
    return json.loads((REPORTS / "mutation" / f"{name}.json").read_text("utf-8"))


def killed_with(name: str) -> Counter[str]:
    """How many mutants are recorded as killed by each verdict."""
    mutants = record(f"{name}.mutation")["mutants"]
    return Counter(one["shown"]["verdict"] for one in mutants if one["outcome"] == "killed")


def test_the_page_says_with_which_verdicts_the_mutants_of_the_reference_are_killed() -> None:
    found, counts = record("reference.mutation"), killed_with("reference")
    summary, page = found["summary"], words(PAGE)
    assert f"all {summary['mutants']:,} mutants of {len(found['operators'])} operators" in page
    killed = f"{summary['killed']:,} killed, none surviving, {summary['equivalent']} equivalent"
    assert killed in page
    assert summary["survived"] == 0
    assert set(counts) == {"violates", "diverges", "unsupported"}
    told = f"{counts['violates']:,} are recorded with a violation, {counts['diverges']} with a"
    assert told in page
    assert f"and {counts['unsupported']} as unsupported" in page


def test_the_page_says_the_same_of_tf_keras() -> None:
    summary, counts = record("tf_keras.mutation")["summary"], killed_with("tf_keras")
    assert (set(counts), summary["survived"]) == ({"violates", "diverges"}, 0)
    verdicts = f"{counts['violates']} with a violation, {counts['diverges']} with a divergence"
    assert (
        f"{summary['killed']} killed ({verdicts}), none surviving, {summary['equivalent']} "
        f"equivalent, {summary['masked']} masked"
    ) in words(PAGE)
    assert f"and {summary['not_made']} of parameters" in words(PAGE)


@pytest.mark.parametrize("target", ["keras-2.2.4-tensorflow", "tf_keras", "keras-2.2.4-theano"])
def test_the_page_counts_the_changes_of_code_that_are_noticed(target: str) -> None:
    found = record(f"{target}.code-mutation")
    summary, changes, day = found["summary"], found["population"], found["started"][:10]
    version = " 2.21.0" if target == "tf_keras" else ""
    drawn = f"`{target}`{version}, {changes:,} changes, of which {found['sample']} were drawn"
    told = words(PAGE).partition(drawn)[2].partition("changes, of which")[0]
    assert f"on {day}" in told
    assert f"the gate notices {summary['killed']}" in told
    assert f"of the {summary['survived']} that survive" in told


def test_the_page_counts_what_keras_own_tests_notice() -> None:
    noticed = record("keras-2.2.4-tensorflow.other-tests")["noticed"]
    own = {name for name, tests in noticed.items() if tests}
    mutants = record("keras-2.2.4-tensorflow.code-mutation")["mutants"]
    gate = {one["id"] for one in mutants if one["outcome"] == "killed"}
    assert set(noticed) == {one["id"] for one in mutants}
    assert (
        f"they notice {len(own)}, the gate {len(gate)}. Both notice {len(own & gate)}, "
        f"the gate alone {len(gate - own)}. The tests alone notice"
    ) in words(PAGE)
    assert len(own - gate) == 8


def test_the_table_of_false_alarms_has_every_edition() -> None:
    lines = (ROOT / PAGE).read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("| keras-")] == [
        calculation(edition) for edition in EDITIONS
    ]
