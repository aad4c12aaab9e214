"""The one screen of `conformance show`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.show import show_command
from conformance.cli.show.brief import SCREEN
from conformance.reporting.json_results import JsonWriter
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.results.events import TargetFinished
from tests.reporting.records import HOSTILE, aspect_result, failure, hostile, results


def screen(*arguments: str) -> list[str]:
    answer = CliRunner().invoke(show_command, list(arguments))
    assert answer.exit_code == 0, answer.output
    return answer.output.splitlines()


def many(name: str, failures: int) -> FunctionResult:
    bad = [failure(id=f"{name}{n:04}", message=f"gives {n}") for n in range(failures)]
    value = aspect_result(Aspect.VALUE, Verdict.VIOLATES, *bad)
    lack = aspect_result(Aspect.DTYPE, Verdict.UNSUPPORTED)
    gradient = aspect_result(Aspect.GRADIENT, Verdict.CONFORMS)
    return FunctionResult("batch_dot", "linear algebra", [value, lack, gradient])


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name in ("one", "two"):
        JsonWriter(tmp_path).handle(TargetFinished(results(name, [many("same", 100)])))
    return str(tmp_path)


def test_many_failures_fit_one_screen(folder: str) -> None:
    lines = screen("batch_dot", "--results", folder)
    assert len(lines) <= SCREEN
    assert "  one     1/3  ✗ value  \N{EN DASH} dtype" in lines
    assert sum("same00" in line for line in lines) > 20
    assert any(line.startswith("  ✗ value  same0000  one +1  gives 0") for line in lines)
    assert any(line.endswith(" more") for line in lines)
    assert lines[-1] == "`conformance show batch_dot --all` prints everything"
    assert len(screen("batch_dot", "--results", folder, "--all")) > 200


def test_a_long_message_of_a_violation_is_wrapped_and_that_of_a_reading_is_cut(
    tmp_path: Path,
) -> None:
    message = f"dot(x, y) with x float32 ({', '.join(['17'] * 30)}) gives 7"
    wrong = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(id="aaaa", message=message))
    taken = failure(Verdict.DIVERGES, id="bbbb", message=message)
    reading = aspect_result(Aspect.DTYPE, Verdict.DIVERGES, taken)
    function = FunctionResult("batch_dot", "linear algebra", [wrong, reading])
    JsonWriter(tmp_path).handle(TargetFinished(results("one", [function])))
    lines = screen("batch_dot", "--results", str(tmp_path))
    place = lines.index("  ✗ value  aaaa  one")
    assert " ".join(line.strip() for line in lines[place + 1 : place + 3]).startswith(message)
    assert lines[place + 3].startswith("  ≈ dtype  bbbb  one  dot(x, y) with")
    assert lines[place + 3].endswith("…")


def test_a_failure_by_its_id_is_shown_in_full(folder: str) -> None:
    lines = screen("batch_dot", "--results", folder, "--failure", "same0007")
    assert any("same0007: shape, 3 of 10 cases, has a script" in line for line in lines)


def test_a_target_without_the_function_is_named(tmp_path: Path) -> None:
    other = FunctionResult("dot", "linear algebra", [aspect_result(Aspect.VALUE, Verdict.CONFORMS)])
    JsonWriter(tmp_path).handle(TargetFinished(results("other", [other])))
    assert "  Not run on: other" in screen("batch_dot", "--results", str(tmp_path))


def test_hostile_names_stay_on_their_lines(tmp_path: Path) -> None:
    text = "\n".join(HOSTILE)
    for run in (hostile(text), results("good", [many("x", 1)])):
        JsonWriter(tmp_path).handle(TargetFinished(run))
    lines = screen("batch_dot", "--results", str(tmp_path))
    assert not any("\x1b" in line for line in lines)
    assert len(lines) <= SCREEN


@pytest.mark.parametrize("name", ["K.dot", "keras.ops.conv"])
def test_claims_and_signatures_are_shown_without_results(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = screen(name)
    assert "Signatures" in lines and "Claims" in lines
    assert all(len(line) <= 100 for line in lines[1:-1])
