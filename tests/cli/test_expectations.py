"""Known failures: what is expected, what is stale, and the file that is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import expectations, main
from conformance.cli.errors import UsageProblem
from conformance.results import Aspect, Verdict

FAKES = Path(__file__).parents[1] / "adapters" / "fakes"
OPTIONS = ("--path", str(FAKES), "-k", "argmax", "--profile", "smoke", "--quiet")

ENTRY = """[[expect]]
function = "argmax"
aspect = "value"
verdict = "{verdict}"
reason = "known"
"""


def run(name: str, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["run", "--module", f"fakes.{name}", *OPTIONS, *arguments])
    return result.exit_code, result.output


def test_a_known_failure_is_no_failure(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert run("always_wrong")[0] == 1
    known.write_text(ENTRY.format(verdict="violates"))
    assert run("always_wrong", "--expectations", str(known))[0] == 0


def test_one_that_no_longer_fails_is_an_error_that_names_it(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(ENTRY.format(verdict="violates"))
    status, output = run("correct", "--expectations", str(known))
    assert status == 1
    assert "argmax value violates" in output


def test_another_verdict_than_the_known_one_is_unexpected(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(ENTRY.format(verdict="crashed"))
    assert run("always_wrong", "--expectations", str(known))[0] == 1


def test_what_is_written_is_what_is_expected_then_and_keeps_reasons(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    run("always_wrong", "--write-expectations", str(known))
    assert expectations.UNEXPLAINED in known.read_text()
    assert run("always_wrong", "--expectations", str(known))[0] == 0
    known.write_text(known.read_text().replace(expectations.UNEXPLAINED, "because"))
    run("always_wrong", "--expectations", str(known), "--write-expectations", str(known))
    (entry,) = expectations.read(known)
    assert (entry.function, entry.aspect, entry.verdict, entry.reason, entry.target) == (
        "argmax",
        Aspect.VALUE,
        Verdict.VIOLATES,
        "because",
        "fakes.always_wrong",
    )


@pytest.mark.parametrize("text", ["[[expect]]\nfunktion = 'x'\n", "expect = 3", "[", "[other]\n"])
def test_a_wrong_file_is_told_before_the_run(tmp_path: Path, text: str) -> None:
    known = tmp_path / "known.toml"
    known.write_text(text)
    with pytest.raises(UsageProblem, match=r"known\.toml"):
        expectations.read(known)
    status, output = run("correct", "--expectations", str(known))
    assert status == 2
    assert "known.toml" in output
