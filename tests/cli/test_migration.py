"""`conformance migration`: a page from the mapping and from results."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner, Result

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.cli.migration import command
from conformance.results import Results, Verdict
from tests.cli.test_show import put
from tests.reporting.records import failure, function, results

NAMES = ("keras3-numpy", "keras3-jax")


def migration(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments])


def made(name: str, dot: Verdict) -> Results:
    return results(name, [function("dot", dot), function("gradients", Verdict.UNSUPPORTED)])


def row(page: str, start: str) -> list[str]:
    (line,) = re.findall(rf"^\| `{re.escape(start)}.*$", page, re.M)
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_row_of_the_table_is_on_the_page_with_its_marks(tmp_path: Path) -> None:
    put(tmp_path, made(NAMES[0], Verdict.VIOLATES), made(NAMES[1], Verdict.CONFORMS))
    page = migration(tmp_path).output
    table = mappings.load(shipped()[NAMES[0]].mapping or Path())
    for name in (*table.functions, *table.absent):
        assert row(page, f"{name}(")
    assert row(page, "dot(")[1:4] == ["`keras.ops.dot(x, y)`", "✗ value", "✓"]
    assert row(page, "gradients(")[:2] == ["`gradients(loss, variables)`", ""]
    assert "tf.GradientTape" in row(page, "gradients(")[4]
    assert row(page, "softmax(")[2:4] == ["·", "·"]


def test_a_violation_is_listed_once_with_its_targets_and_its_id(tmp_path: Path) -> None:
    put(tmp_path, *(made(name, Verdict.VIOLATES) for name in NAMES))
    page = migration(tmp_path).output
    (line,) = [x for x in page.splitlines() if x.startswith("* `dot`")]
    assert failure().id in line
    assert all(f"`{name}`" in line for name in NAMES)


def test_output_writes_the_page_and_says_how_it_was_made(tmp_path: Path) -> None:
    put(tmp_path, made(NAMES[0], Verdict.CONFORMS))
    page = tmp_path / "page.md"
    assert migration(tmp_path / f"{NAMES[0]}.json", "--output", page).exit_code == 0
    assert f"--output {page}" in page.read_text(encoding="utf-8")
    assert f"conformance run {NAMES[0]}" in page.read_text(encoding="utf-8")


def test_results_of_other_targets_are_refused_by_name(tmp_path: Path) -> None:
    put(tmp_path, made("reference", Verdict.CONFORMS))
    refused = migration(tmp_path)
    assert refused.exit_code == 2
    assert "keras3-numpy" in refused.output
