"""`conformance spec check`: what it prints, and its exit status."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from conformance.cli.show import spec as module
from conformance.cli.show import spec_command
from conformance.specs import SpecError, Specs
from conformance.specs.claims.lines import load_lines
from conformance.specs.errata import load_conflicts
from conformance.specs.reading import load_text

WRONG_PARTS = module.wrong_parts
WRONG = """\
theme: examples
functions:
- name: total
  oracle: sum
  summary: "The sum along an axis."
  signatures:
    ko-2.2: {line: 10, text: "total(x, axis=None)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [1, 4]}
    axis: {kind: axis, of: x}
  shape: [remove, [shape, x], [axis, axis, [rank, x]]]
  dtype: {accept: [[literal, bool]]}
  accuracy: {kind: contraction}
  differentiable: false
  claims:
  - {aspect: value, says: "The sum.", at: {ko-2.2: 11}}
"""


@pytest.fixture(autouse=True)
def _nothing_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """To draw from every spec takes long: most tests look at the comparison alone."""
    if request.node.get_closest_marker("thorough") is None:
        monkeypatch.setattr(module, "wrong_parts", lambda _: [])


def check(*arguments: str) -> Result:
    return CliRunner().invoke(spec_command, ["check", *arguments])


@pytest.mark.thorough
def test_the_specs_are_what_the_documents_hold() -> None:
    result = check()
    assert result.exit_code == 0, result.output
    assert [line.split()[:2] for line in result.output.splitlines()[1:7]] == [
        ["ja-1", "104"],
        ["ja-1-text", "104"],
        ["ja-2.0", "144"],
        ["zh-TW", "138"],
        ["ko-2.2", "149"],
        ["together", "639"],
    ]
    assert "142 conflicts: 134 are errata of" in result.output
    assert "no unexplained differences" in result.output
    assert "Explained" not in result.output


def test_the_claims_of_each_document_are_counted() -> None:
    lines = check().output.splitlines()
    header = next(i for i, line in enumerate(lines) if "can end in a violation" in line)
    rows = [line.split() for line in lines[header + 1 : header + 7]]
    assert [row[0] for row in rows] == [*load_lines(), "together"]
    for _, claims, checked, violable, unchecked in rows:
        assert int(claims) == int(checked) + int(unchecked)
        assert 0 < int(violable) <= int(checked)


def test_unchecked_claims_are_listed_with_their_reasons() -> None:
    lines = check("--list").output.splitlines()
    (line,) = [line for line in lines if "ko-2.2:2962 " in line]
    assert " ".join(line.split()) == (
        "ko-2.2:2962 hard_sigmoid, what a function does, or what a setting means: "
        "about speed, of which no document gives a limit"
    )
    *_, together = (line for line in lines if line.startswith("together"))
    unchecked_claims = lines[lines.index("Unchecked") + 1 : -2]
    assert len(unchecked_claims) == int(together.split()[4])


def test_explained_differences_are_listed_with_their_reasons() -> None:
    lines = check("--explained").output.splitlines()
    (line,) = [line for line in lines if "normalize_batch'" in line and "ja-1:" in line]
    assert line.split()[:2] == ["heading", "ja-1:850"]
    assert line.endswith("(C067)")


def test_a_difference_is_named_and_ends_in_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    conflicts = dict(load_conflicts())
    del conflicts["C008"]
    monkeypatch.setattr(module, "load_conflicts", lambda: conflicts)
    result = check()
    assert result.exit_code == 1
    assert "1 unexplained difference, " in result.output
    assert "conflict   -               C008: is not listed" in result.output


def test_the_place_of_a_difference_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cited_exceptions", frozenset)
    result = check()
    assert result.exit_code == 1
    assert "exception  ko-2.2:2673     nothing provokes the ValueError of switch" in result.output


def test_a_file_that_cannot_be_read_is_status_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Specs:
        raise SpecError("pooling.yaml:3: not YAML: a tab")

    monkeypatch.setattr(module, "load", broken)
    result = check()
    assert result.exit_code == 2
    assert "error: pooling.yaml:3: not YAML: a tab" in result.output


def test_wrong_parts_are_named_with_their_lines_and_end_in_status_2(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    specs = Specs([load_text(WRONG, "mine.yaml")])
    monkeypatch.setattr(module, "load", lambda: specs)
    monkeypatch.setattr(module, "spec_texts", lambda: {"mine.yaml": WRONG})
    monkeypatch.setattr(module, "wrong_parts", WRONG_PARTS)
    result = check()
    assert result.exit_code == 2
    first, second, last = result.output.splitlines()
    assert first.startswith("mine.yaml:12: total: shape: ")
    assert first.endswith(", with the defaults axis=None")
    assert second.startswith("mine.yaml:13: total: dtype.accept[0]: gives bool, and the oracle ")
    assert last == "specs and scenarios have 2 wrong parts; docs/specs.md describes the format"
    assert "Traceback" not in result.output


def test_an_unknown_option_is_status_2() -> None:
    assert check("--nonsense").exit_code == 2
    assert CliRunner().invoke(spec_command, ["compare"]).exit_code == 2


def test_the_help_says_what_is_compared() -> None:
    result = check("--help")
    assert result.exit_code == 0
    kinds = ("entry", "signature", "parameter", "exception", "conflict", "claim", "Exit status")
    for kind in kinds:
        assert kind in result.output


@pytest.mark.thorough
def test_the_installed_command_prints_plain_text_into_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "spec", "check", "--explained"],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert rb"\u8fd4\u308a\u5024 of rnn" in done.stdout, "what ASCII lacks is escaped"
