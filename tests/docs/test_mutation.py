"""The page of mutation: its counts are those of the published records."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from functools import cache
from typing import Any

import pytest

from benchmarks.alarms import calculation
from conformance.editions import EDITIONS
from tests.docs.published import REPORTS, ROOT, rows, words

PAGE = "docs/mutation.md"
SURVIVORS = ROOT / "conformance" / "mutation" / "code" / "survivors.toml"


@cache
def record(name: str) -> Any:
    return json.loads((REPORTS / "mutation" / f"{name}.json").read_text("utf-8"))


def killed_with(name: str) -> Counter[str]:
    """How many mutants are recorded as killed by each verdict."""
    mutants = record(f"{name}.mutation")["mutants"]
    return Counter(
        mutant["shown"]["verdict"] for mutant in mutants if mutant["outcome"] == "killed"
    )


def test_the_page_says_with_which_verdicts_the_mutants_of_the_reference_are_killed() -> None:
    published, counts = record("reference.mutation"), killed_with("reference")
    summary, page = published["summary"], words(PAGE)
    assert f"all {summary['mutants']:,} mutants of {len(published['operators'])} operators" in page
    killed = f"{summary['killed']:,} killed, none surviving, {summary['equivalent']} equivalent"
    assert killed in page
    assert summary["survived"] == 0
    assert set(counts) == {"violates", "diverges", "unsupported"}
    verdicts = (
        f"are {counts['violates']:,} violations, {counts['diverges']} divergences and "
        f"{counts['unsupported']} unsupported"
    )
    assert verdicts in page


def test_the_page_says_the_same_of_tf_keras() -> None:
    summary, counts = record("tf_keras.mutation")["summary"], killed_with("tf_keras")
    assert (set(counts), summary["survived"]) == ({"violates", "diverges"}, 0)
    verdicts = f"{counts['violates']} with a violation, {counts['diverges']} with a divergence"
    assert (
        f"{summary['killed']} killed ({verdicts}), none surviving, {summary['equivalent']} "
        f"equivalent, {summary['masked']} masked"
    ) in words(PAGE)
    assert f"and {summary['not_made']} of parameters" in words(PAGE)


CHANGED = sorted(
    file.name.removesuffix(".code-mutation.json")
    for file in (REPORTS / "mutation").glob("*.code-mutation.json")
)


def equivalent(target: str) -> int:
    """How many survivors of a target are listed as equivalent."""
    survivors = tomllib.loads(SURVIVORS.read_text("utf-8"))["survivor"]
    rows = (row for row in survivors if (row["target"], row["kind"]) == (target, "equivalent"))
    return sum(len(row["mutants"]) for row in rows)


def test_the_table_of_changed_code_has_every_published_target() -> None:
    assert sorted(table()) == CHANGED


@pytest.mark.parametrize("target", CHANGED)
def test_the_page_counts_the_changes_of_code_that_are_noticed(target: str) -> None:
    published = record(f"{target}.code-mutation")
    summary, others = published["summary"], published["sample"] - equivalent(target)
    *counts, share = table()[target]
    assert counts == [
        f"{published['population']:,}",
        str(published["sample"]),
        str(published["seed"]),
        published["started"][:10],
        str(summary["killed"]),
        str(summary["survived"]),
        str(equivalent(target)),
    ]
    decimals = 1 if "." in share.partition(" ")[0] else 0
    assert share.startswith(f"{100 * summary['killed'] / others:.{decimals}f} % (")


def table() -> dict[str, list[str]]:
    """The cells of the table of changed code, by target."""
    lines = rows(PAGE, "| target | changes |")
    return {name.partition("`")[2].partition("`")[0]: cells for name, cells in lines.items()}


def test_the_page_counts_what_keras_own_tests_notice() -> None:
    noticed = record("keras-2.2.4-tensorflow.other-tests")["noticed"]
    own = {name for name, tests in noticed.items() if tests}
    mutants = record("keras-2.2.4-tensorflow.code-mutation")["mutants"]
    gate = {mutant["id"] for mutant in mutants if mutant["outcome"] == "killed"}
    assert set(noticed) == {mutant["id"] for mutant in mutants}
    assert (
        f"The tests notice {len(own)} of the {len(noticed)} changes of `keras-2.2.4-tensorflow`, "
        f"the gate {len(gate)}. Both notice {len(own & gate)}, "
        f"the gate alone {len(gate - own)}. The tests alone notice"
    ) in words(PAGE)
    assert len(own - gate) == 8


def test_the_table_of_false_alarms_has_every_edition() -> None:
    lines = (ROOT / PAGE).read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("| keras-")] == [
        calculation(edition) for edition in EDITIONS
    ]
