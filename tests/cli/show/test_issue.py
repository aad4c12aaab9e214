"""`conformance issue`: drafts, choices between failures, and refusals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli.show import issue_command
from conformance.reporting.issue import (
    LONGEST_DIFFERENCE,
    LONGEST_TITLE,
    DraftedFailure,
    draft,
    title,
)
from conformance.reporting.json_results import JsonWriter
from conformance.reporting.listing import ListedFailure
from conformance.results import (
    Aspect,
    Failure,
    FunctionResult,
    Results,
    SuspectLine,
    Verdict,
)
from conformance.results.events import TargetFinished
from tests.reporting.records import HOSTILE, SCRIPT, aspect_result, failure, results

MESSAGE = "dot(x, y) with x float32 (2, 1) gives shape (2,); expected (2, 1) (ko-2.2:1053)"


def issue(*arguments: str | Path) -> Result:
    return CliRunner().invoke(issue_command, [str(a) for a in arguments])


def run(target: str, *failures: Failure) -> Results:
    """Results of one function."""
    verdict = failures[0].verdict if failures else Verdict.CONFORMS
    aspect = aspect_result(Aspect.VALUE, verdict, *failures)
    return results(target, [FunctionResult("dot", "linear algebra", [aspect])])


def put(folder: Path, *runs: Results) -> Path:
    for each in runs:
        JsonWriter(folder).handle(TargetFinished(each))
    return folder


def test_the_draft_has_what_a_maintainer_needs(tmp_path: Path) -> None:
    shown = failure(message=MESSAGE)
    put(tmp_path, run("wrong", shown), run("alike", shown), run("right"))
    drafted = issue("f1a2", "--results", tmp_path, "--target", "wrong")
    assert drafted.exit_code == 0
    lines = drafted.stdout.split("\n")
    call = "dot(x, y) with x float32 (2, 1) gives shape (2,)"
    assert lines[0] == "# `dot: shape (2,) instead of (2, 1): dot(x, y) with x float32 (2, 1)`"
    assert f"**Result:** `{call}`" in lines
    assert "**Expected:** `(2, 1)`" in lines
    assert "**Source:** ko-2.2:1053" in lines
    assert SCRIPT in drafted.stdout
    assert "| `alike` | the same failure |" in lines
    assert "| `right` | conforms |" in lines
    assert not any("`wrong` |" in line for line in lines)


def test_the_cited_line_is_quoted() -> None:
    shown = failure(message=MESSAGE)
    wrong = run("wrong", shown)
    (aspect,) = wrong.functions[0].aspects
    drafted = DraftedFailure(wrong, ListedFailure("dot", aspect, shown), shown)
    quoted = draft(drafted, [wrong], "  returns `x` by y\n").split("\n")
    assert "**Source:** ko-2.2:1053: ``returns `x` by y``" in quoted


def test_the_place_of_an_exception_is_in_the_draft(tmp_path: Path) -> None:
    put(tmp_path, run("wrong", failure(place="mine/a.py:7, in dot")))
    assert "**Place:** `mine/a.py:7, in dot`" in issue("f1a2", "--results", tmp_path).stdout


def test_the_suspect_lines_of_a_wrong_answer_are_in_the_draft(tmp_path: Path) -> None:
    suspects = [SuspectLine(place="mine/a.py:7, in dot", score=0.93)]
    put(tmp_path, run("wrong", failure(suspect_lines=suspects)))
    drafted = issue("f1a2", "--results", tmp_path).stdout
    assert "**Suspect line:** `mine/a.py:7, in dot (0.93)`" in drafted


def test_a_file_has_the_same_text(tmp_path: Path) -> None:
    put(tmp_path / "results", run("wrong", failure()))
    printed = issue("f1a2", "--results", tmp_path / "results")
    issue("f1a2", "--results", tmp_path / "results", "--output", tmp_path / "issue.md")
    assert (tmp_path / "issue.md").read_text("utf-8") == printed.stdout


def test_the_gravest_failure_with_the_id_is_drafted(tmp_path: Path) -> None:
    put(tmp_path, run("refuses", failure(Verdict.UNSUPPORTED)), run("wrong", failure()))
    drafted = issue("f1", "--results", tmp_path)
    assert ", target `wrong`\n" in drafted.stdout
    assert "note: the author of these results" in drafted.stderr


@pytest.mark.parametrize(
    ("verdict", "note"),
    [
        (Verdict.DIVERGES, "no document settles this"),
        (Verdict.CHANGED, "a change between K and Keras 3"),
        (Verdict.UNSUPPORTED, "refuses this call, which it may"),
    ],
)
def test_a_failure_that_nobody_must_mend_is_said_to_be_one(
    verdict: Verdict, note: str, tmp_path: Path
) -> None:
    put(tmp_path, run("other", failure(verdict)))
    drafted = issue("f1a2", "--results", tmp_path)
    assert (drafted.exit_code, note in drafted.stderr) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("f1a3",), "no failure 'f1a3' in "),
        (("f",), "2 failures begin with 'f'"),
        (("f1a2", "--target", "right"), "target 'right' has no failure f1a2"),
    ],
)
def test_what_names_no_failure_is_refused(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    put(tmp_path, run("wrong", failure(), failure(id="f333")), run("right"))
    refused = issue(*arguments, "--results", tmp_path)
    assert refused.exit_code == 2
    assert words in refused.output


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_backend_says_stays_in_its_place(text: str, tmp_path: Path) -> None:
    """No line of the draft begins with the text of a backend, and no control character is left."""
    hostile = failure(message=f"{text}; expected {text}", script=f"print(1)\n{text}", output=text)
    put(tmp_path, run("wrong", hostile))
    drafted = issue("f1a2", "--results", tmp_path).stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", drafted)
    outside = re.sub(r"(?ms)^(`{3,})[a-z]*\n.*?^\1$", "", drafted)
    headings = [line for line in outside.split("\n") if line.startswith("#")]
    assert [line[:4] for line in headings[1:]] == ["## S", "## V"]
    assert "<script>" not in re.sub(r"(`+).*?\1(?!`)", "", outside)


def test_an_unknown_id_names_the_folders_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = issue("0123")
    assert "no failure '0123' in reports and .conformance/last, which have no" in refused.output
    assert "--results DIR" in refused.output
    put(Path("reports"), run("wrong", failure()))
    put(Path("reports", "ops"), run("other", failure()))
    refused = issue("0123")
    assert "no failure '0123' in reports, reports/ops\n" in refused.output
    assert "--results DIR" in refused.output


def drafted_failure(
    message: str, aspect: Aspect = Aspect.VALUE, script: str = SCRIPT
) -> DraftedFailure:
    shown = failure(message=message, citation=None, script=script)
    result = aspect_result(aspect, Verdict.VIOLATES, shown)
    name = "keras.ops.linspace"
    wrong = results("wrong", [FunctionResult(name, "theme", [result])])
    return DraftedFailure(wrong, ListedFailure(name, result, shown), shown)


LINSPACE = (
    "the samples of keras.ops.linspace(start, stop, num=5, dtype='int32') with start int16 ()"
)


@pytest.mark.parametrize(
    ("message", "aspect", "begin"),
    [
        (
            f"{LINSPACE} reports float32; expected int32 (docstring: Args)",
            Aspect.DTYPE,
            "keras.ops.linspace: dtype float32 instead of int32: the samples of linspace(start",
        ),
        (
            f"{LINSPACE} gives 1.0 at [1]; expected by convention (rounding): 2.0",
            Aspect.VALUE,
            "keras.ops.linspace: value 1.0 at [1] instead of 2.0: the samples of linspace(start",
        ),
        (
            f"{LINSPACE} raises ValueError: no; expected a gradient (own-gradient)",
            Aspect.GRADIENT,
            "keras.ops.linspace: gradient: raises ValueError: no; expected a gradient: the",
        ),
        (
            f"{LINSPACE} has the static shape None; expected ()",
            Aspect.STATIC_SHAPE,
            "keras.ops.linspace: static shape None instead of (): the samples of linspace(start",
        ),
        (
            "keras.ops.linspace is missing",
            Aspect.PRESENCE,
            "keras.ops.linspace: presence: is missing",
        ),
        ("fails in a new way", Aspect.STATE, "keras.ops.linspace: state: fails in a new way"),
    ],
)
def test_the_title_begins_with_the_difference_and_cuts_the_call(
    message: str, aspect: Aspect, begin: str
) -> None:
    text = title(drafted_failure(message, aspect))
    assert text.startswith(begin)
    assert len(text) <= LONGEST_TITLE


def test_a_long_difference_leaves_no_room_for_the_call() -> None:
    text = title(drafted_failure(f"{LINSPACE} raises TypeError: {'x' * 90}; expected numbers"))
    assert text.endswith("x; expected numbers")
    endless = title(drafted_failure(f"{LINSPACE} gives {'1 ' * 900}; expected numbers"))
    assert len(endless) <= LONGEST_DIFFERENCE


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("assert got == 1\n", "only if the answer is right."),
        (
            "try:\n    f()\nexcept Exception:\n    raise SystemExit(0)\nassert got == 1\n",
            "if the answer is right or the call is refused.",
        ),
        (
            "try:\n    f()\nexcept Exception:\n    raise SystemExit(0)\nraise AssertionError()\n",
            "only if the answer is right.",
        ),
    ],
)
def test_the_draft_says_when_the_script_passes(ending: str, status: str) -> None:
    drafted = drafted_failure(MESSAGE, script=ending)
    assert f"It ends with status 0 {status}\n" in draft(drafted, [drafted.run])
