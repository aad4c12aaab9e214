"""`conformance migration`: a page from the mapping and from results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.cli.migration import migration_command
from conformance.reporting.migration import MigrationRow, unproven
from conformance.results import Results, Verdict
from tests.cli.show.test_show import put
from tests.docs.published import need_results
from tests.reporting.records import failure, function, results

NAMES = ("keras3-numpy", "keras3-jax")


def migration(*arguments: str | Path) -> Result:
    return CliRunner().invoke(migration_command, [str(a) for a in arguments])


def outcome(name: str, dot: Verdict) -> Results:
    return results(name, [function("dot", dot), function("gradients", Verdict.UNSUPPORTED)])


def row(page: str, start: str) -> list[str]:
    (line,) = re.findall(rf"^\| `{re.escape(start)}.*$", page, re.M)
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_row_of_the_table_is_on_the_page_with_its_marks(tmp_path: Path) -> None:
    put(tmp_path, outcome(NAMES[0], Verdict.CHANGED), outcome(NAMES[1], Verdict.CONFORMS))
    page = migration(tmp_path).output
    table = mappings.load(shipped()[NAMES[0]].mapping or Path())
    for name in (*table.functions, *table.absent):
        assert row(page, f"{name}(")
    assert row(page, "dot(")[1:4] == ["`keras.ops.dot(x, y)`", "[≠ value](#dot-cases)", "✓"]
    assert row(page, "gradients(")[:2] == ["`gradients(loss, variables)`", ""]
    assert "tf.GradientTape" in row(page, "gradients(")[4]
    assert row(page, "softmax(")[2:4] == ["·", "·"]


def test_a_failure_is_listed_once_with_its_targets_and_its_id(tmp_path: Path) -> None:
    put(tmp_path, *(outcome(name, Verdict.CHANGED) for name in NAMES))
    page = migration(tmp_path).output
    cases = page.split("### dot: cases")[1]
    (line,) = [x for x in cases.splitlines() if x.startswith("*")]
    assert f"≠ value (`{failure().id}`" in line
    assert all(f"`{name}`" in line for name in NAMES)


def test_what_a_call_leaves_out_and_refuses_is_told(tmp_path: Path) -> None:
    put(tmp_path, outcome(NAMES[0], Verdict.CONFORMS))
    page = migration(tmp_path).output
    assert "takes no `name`" in row(page, "map_fn(")[3]
    assert "refuses: there is no pool_mode" in row(page, "pool2d(")[3]


@pytest.mark.parametrize(
    ("name", "verdict", "message"),
    [
        ("tanh", Verdict.CONFORMS, ""),
        ("tanh", Verdict.DIVERGES, ""),
        ("tanh", Verdict.VIOLATES, "tanh: the mapping states no difference, but value violates on"),
        ("tanh", Verdict.CHANGED, "tanh: the mapping states no difference, but value changed on"),
        ("switch", Verdict.CHANGED, ""),
        ("tanh", Verdict.CRASHED, "tanh: the mapping states no difference, but value crashed on"),
        ("switch", Verdict.VIOLATES, ""),
        ("switch", Verdict.CONFORMS, "switch: no case on keras3-numpy shows the stated"),
        ("gradients", Verdict.CONFORMS, "gradients: absent in the mapping, but keras3-numpy"),
    ],
)
def test_check_holds_the_mapping_to_the_results(
    name: str, verdict: Verdict, message: str, tmp_path: Path
) -> None:
    put(tmp_path, results(NAMES[0], [function(name, verdict)]))
    checked = migration(tmp_path, "--check")
    assert checked.exit_code == bool(message), checked.output
    assert checked.output.startswith(message or "1 result confirms")


def test_check_writes_no_page(tmp_path: Path) -> None:
    put(tmp_path, outcome(NAMES[0], Verdict.CONFORMS))
    refused = migration(tmp_path, "--check", "--output", tmp_path / "page.md")
    assert (refused.exit_code, "--output" in refused.output) == (2, True)


def test_what_differs_on_one_target_alone() -> None:
    row = MigrationRow(name="tanh", old="tanh(x)", new="new(x)", on={NAMES[0]: "not so"})
    broken, sound = (
        results(NAMES[0], [function("tanh", verdict)])
        for verdict in (Verdict.VIOLATES, Verdict.CONFORMS)
    )
    other = results(NAMES[1], [function("tanh", Verdict.VIOLATES)])
    assert not [*unproven([row], [broken])]
    (unshown,) = unproven([row], [sound])
    assert unshown == f"tanh: no case on {NAMES[0]} shows the stated difference: not so"
    (unnoted,) = unproven([row], [broken, other])
    assert NAMES[1] in unnoted


ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "migration.md"


def test_the_committed_results_bear_out_the_mapping() -> None:
    """Target by target: what is said of one target says nothing of another."""
    need_results()
    checked = migration(ROOT / "reports", "--check")
    assert (checked.exit_code, checked.output.count("\n")) == (0, 1), checked.output


def test_the_published_page_is_that_of_the_mapping_and_the_committed_results() -> None:
    need_results()
    page = PAGE.read_text(encoding="utf-8")
    made_now = migration(ROOT / "reports").output
    assert page.replace(" --output docs/migration.md", "") == made_now


def test_output_writes_the_page_and_says_how_it_was_made(tmp_path: Path) -> None:
    put(tmp_path, outcome(NAMES[0], Verdict.CONFORMS))
    page = tmp_path / "page.md"
    assert migration(tmp_path / f"{NAMES[0]}.json", "--output", page).exit_code == 0
    assert f"--output {page}" in page.read_text(encoding="utf-8")
    assert f"conformance run {NAMES[0]}" in page.read_text(encoding="utf-8")


def test_results_of_other_targets_are_refused_by_name(tmp_path: Path) -> None:
    put(tmp_path, outcome("reference", Verdict.CONFORMS))
    refused = migration(tmp_path)
    assert refused.exit_code == 2
    assert "keras3-numpy" in refused.output
