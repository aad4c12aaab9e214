"""Runs with known failures and baselines: what JUnit's file and annotations say of them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from click.testing import CliRunner

from conformance.cli import main

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
FORMATS = ("--format", "junit", "--format", "annotations")
ENTRY = """[[expect]]
function = "{function}"
aspect = "{aspect}"
verdict = "{verdict}"
reason = "the table is too short"
"""


def run(folder: Path, name: str, *options: str) -> int:
    target = ("--module", f"fakes.{name}", "--path", str(FAKES), "--profile", "smoke", "--quiet")
    aspects = ("--aspect", "value", "--aspect", "dtype")
    chosen = ("-k", "argmax", *aspects, "--no-database", "--output", str(folder))
    return CliRunner().invoke(main, ["run", *target, *chosen, *FORMATS, *options]).exit_code


def cases(folder: Path) -> dict[str, str]:
    """What each test case has first, by name; those that pass are left out."""
    root = ElementTree.parse(folder / "junit.xml").getroot()
    return {str(c.get("name")): c[0].tag for c in root.iter("testcase") if len(c)}


def annotated(folder: Path) -> list[str]:
    lines = (folder / "annotations.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith("::error ")]


def known(folder: Path, *entries: tuple[str, str, str]) -> tuple[str, str]:
    texts = [ENTRY.format(function=f, aspect=a, verdict=v) for f, a, v in entries]
    (folder / "known.toml").write_text("\n".join(texts))
    return "--expectations", str(folder / "known.toml")


def test_a_known_failure_is_skipped_with_its_reason_and_has_no_annotation(tmp_path: Path) -> None:
    assert run(tmp_path, "always_wrong") == 1
    assert cases(tmp_path) == {"argmax value": "failure"}
    assert len(annotated(tmp_path)) == 1
    assert run(tmp_path, "always_wrong", *known(tmp_path, ("argmax", "value", "violates"))) == 0
    assert cases(tmp_path) == {"argmax value": "skipped"}
    assert "known: the table is too short" in (tmp_path / "junit.xml").read_text("utf-8")
    assert annotated(tmp_path) == []


def test_a_stale_entry_is_a_failure(tmp_path: Path) -> None:
    options = known(tmp_path, ("argmax", "value", "violates"), ("argmax", "dtype", "violates"))
    assert run(tmp_path, "always_wrong", *options) == 1
    assert cases(tmp_path) == {
        "argmax value": "skipped",
        "argmax dtype violates": "failure",
    }
    (line,) = annotated(tmp_path)
    assert line.startswith(f"::error file={tmp_path}/known.toml,line=7,title=stale")


def test_a_violation_without_an_entry_is_a_failure_whatever_fail_on_says(tmp_path: Path) -> None:
    options = known(tmp_path, ("softmax", "value", "violates"))
    assert run(tmp_path, "always_wrong", "--fail-on", "never", *options) == 0
    assert cases(tmp_path) == {"argmax value": "failure"}


def test_a_regression_is_a_failure_and_says_what_was(tmp_path: Path) -> None:
    before = tmp_path / "before"
    assert run(before, "correct") == 0
    stored = before / "fakes.correct.json"
    earlier = stored.read_text("utf-8").replace("fakes.correct", "fakes.always_wrong")
    (before / "fakes.always_wrong.json").write_text(earlier)
    stored.unlink()
    assert run(tmp_path, "always_wrong", "--baseline", str(before)) == 1
    assert cases(tmp_path) == {"argmax value": "failure"}
    assert "was conforms: argmax(" in (tmp_path / "junit.xml").read_text("utf-8")
    assert annotated(tmp_path)[0].count("It was: conforms") == 1
