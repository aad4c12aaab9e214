from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import JsonWriter
from conformance.results import Verdict
from conformance.results.events import TargetFinished
from conformance.specs import load
from tests.cli.test_help import HEAVY, imported
from tests.reporting.records import function, results


def listing(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["list", *arguments])


def test_every_function_stands_under_its_theme() -> None:
    output = listing().output
    specs = load()
    lines = output.splitlines()
    assert f"{len(specs)} functions" in output
    for name in specs:
        assert sum(line.startswith(f"  {name} ") for line in lines) == 1
        assert any(line.startswith(f"{specs.theme(name)} (") for line in lines)


def test_an_edition_has_its_own_names() -> None:
    output = listing("--edition", "keras-1", "-k", "less or softsign").output
    assert "1 (lesser) 2.0 2.2" in output
    assert "softsign" not in output


def test_results_are_counted_by_function(tmp_path: Path) -> None:
    for target in (
        results("good", [function("batch_dot", Verdict.CONFORMS)]),
        results("fine", [function("batch_dot", Verdict.CONFORMS)]),
        results("bad", [function("batch_dot", Verdict.VIOLATES)]),
    ):
        JsonWriter(tmp_path).handle(TargetFinished(target))
    assert "✗ 1  ✓ 2" in listing(str(tmp_path), "-k", "batch_dot").output
    (row,) = json.loads(listing(str(tmp_path), "-k", "batch_dot", "--json").output)
    assert row["verdicts"] == {"violates": 1, "conforms": 2}


def test_without_results_nothing_is_counted() -> None:
    row, *newer = json.loads(listing("-k", "softmax", "--json").output)
    assert {row["name"] for row in newer} == {"keras.ops.softmax", "keras.ops.log_softmax"}
    assert row["editions"] == dict.fromkeys(("keras-1", "keras-2.0", "keras-2.2"), "softmax")
    assert "verdicts" not in row


def test_wrong_names_are_told_what_was_meant() -> None:
    wrong = listing("-k", "softmaxx or sum")
    assert wrong.exit_code == 0
    wrong = listing("-k", "softmaxx")
    assert wrong.exit_code == 2
    assert "hint: did you mean softmax?" in wrong.output
    wrong = listing("--theme", "activation")
    assert wrong.exit_code == 2
    assert "hint: did you mean activations" in wrong.output


def test_it_needs_neither_numpy_nor_the_engine(tmp_path: Path) -> None:
    assert imported(tmp_path, "list", "-k", "relu").isdisjoint(HEAVY)
