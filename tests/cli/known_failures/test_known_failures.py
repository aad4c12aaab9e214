"""Known failures: what is expected, what is stale, and the file that is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from conformance.cli import known_failures, main
from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import UNEXPLAINED, JudgedCell, KnownFailure, updated
from conformance.cli.known_failures.gate import Gate, failing_outcomes, stale_message
from conformance.cli.options.gate import Mark
from conformance.program import Binding, Input, Program, Ref, Step, to_json
from conformance.results import Aspect, Failure, FunctionResult, Results, Verdict
from tests.reporting import records

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
OPTIONS = ("--path", str(FAKES), "-k", "argmax", "--profile", "smoke", "--quiet")

ENTRY = """[[expect]]
function = "argmax"
aspect = "value"
verdict = "{verdict}"
reason = "known"
"""
OLD = {"tensorflow": "1.14.0", "python": "3.6.15"}


def run(name: str, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["run", "--module", f"fakes.{name}", *OPTIONS, *arguments])
    return result.exit_code, result.output


def entry(**fields: str) -> str:
    """An entry with these fields in place of, or besides, those that it must have."""
    defaults = {"function": '"dot"', "aspect": '"value"', "verdict": '"violates"', "reason": '"r"'}
    return "[[expect]]\n" + "".join(f"{k} = {v}\n" for k, v in {**defaults, **fields}.items())


def parsed(folder: Path, text: str) -> list[KnownFailure]:
    file = folder / "known.toml"
    file.write_text(text)
    return known_failures.read(file, {"mine": ["mine"], "theano": ["a", "b"]})


def failed(
    identity: str = "0123456789ab", verdict: Verdict = Verdict.VIOLATES, **arguments: Any
) -> Failure:
    """A failure of `dot(x, y)`, or of another call with these arguments."""
    x = Input("x", (2, 3), "float32", Binding.VARIABLE)
    step = Step("result", "dot", (Ref("x"),), tuple({"y": Ref("x"), **arguments}.items()))
    program = to_json(Program((x,), (step,), ("result",)))
    return records.failure(verdict, id=identity, program=program)


def cell(verdict: Verdict = Verdict.VIOLATES, *failures: Failure, **fields: Any) -> JudgedCell:
    conforming = JudgedCell(
        target="mine",
        function="dot",
        aspect=Aspect.VALUE,
        verdict=verdict,
        failures=failures or [failed()],
        versions=OLD,
    )
    return dataclasses.replace(conforming, **fields)


# What a run is held against


def test_a_known_failure_is_no_failure(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert run("always_wrong")[0] == 1
    known.write_text(ENTRY.format(verdict="violates"))
    status, output = run("always_wrong", "--expectations", str(known))
    assert status == 0
    assert "1 of 1 entries met, 0 stale, 0 without a reason; 0 unexpected" in output


def test_every_unexpected_failure_of_an_aspect_is_named_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = [failed("00000000000a"), failed("00000000000b")]
    aspect = records.aspect_result(Aspect.VALUE, Verdict.VIOLATES, *two)
    outcome = records.results("mine", [FunctionResult("dot", "linear algebra", [aspect])])
    gate = Gate(worse=failing_outcomes("violation"), file=tmp_path / "known.toml")
    assert not gate.passes([outcome])
    *lines, last = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[2] for line in lines] == ["00000000000a", "00000000000b"]
    assert last.endswith("; 2 unexpected")


def test_one_that_does_not_fail_is_an_error_with_the_lines_to_delete(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text("# the file's\n\n# the entry's\n" + ENTRY.format(verdict="violates"))
    status, output = run("correct", "--expectations", str(known))
    assert status == 1
    assert f"{known}:3-8: stale, delete these lines: argmax value violates" in output
    assert "the run says conforms" in output


def test_another_verdict_than_the_known_one_is_unexpected_and_stale(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(ENTRY.format(verdict="crashed"))
    status, output = run("always_wrong", "--expectations", str(known))
    assert status == 1
    assert "unexpected: argmax value violates on fakes.always_wrong" in output
    assert "1 stale" in output


def test_an_entry_of_a_function_that_was_not_run_is_not_stale(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(entry(function='"softmax"'))
    status, output = run("correct", "--expectations", str(known))
    assert (status, "0 of 1 entries met, 0 stale" in output) == (0, True)


def test_a_missing_reason_is_told_and_with_strict_an_error(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(ENTRY.format(verdict="violates").replace("known", UNEXPLAINED))
    status, output = run("always_wrong", "--expectations", str(known))
    assert status == 0
    assert f"{known}:1-5: the reason is missing: argmax value violates" in output
    status, output = run("always_wrong", "--expectations", str(known), "--strict")
    assert status == 2
    assert f"{known}:1-5" in output
    assert "--strict" in output


@pytest.mark.parametrize(
    ("fields", "covered"),
    [
        ({}, True),
        ({"target": '"mine"'}, True),
        ({"target": '"theano"'}, False),
        ({"edition": '"keras-2.2"'}, True),
        ({"edition": '"keras-1"'}, False),
        ({"versions": '{ tensorflow = "<2.0" }'}, True),
        ({"versions": '{ TensorFlow = "~=1.14", python = "<3.7" }'}, True),
        ({"versions": '{ tensorflow = ">=2.0" }'}, False),
        ({"versions": '{ theano = ">=1.0" }'}, False),
        ({"failure": '"0123"'}, True),
        ({"failure": '"0123456789ab"'}, True),
        ({"failure": '"1234"'}, False),
        ({"when": "\"x.ndim == 2 and x.dtype == 'float32'\""}, True),
        ({"when": "\"x.shape[1] > 2 or y.binding == 'constant'\""}, True),
        ({"when": "\"not x.binding in ('variable', 'constant')\""}, False),
        ({"when": '"y.shape[7] == 1"'}, False),
        ({"when": '"len(x.shape) < 2"'}, False),
        ({"verdict": '"crashed"'}, False),
        ({"verdict": '"diverges"'}, False),
    ],
)
def test_what_an_entry_covers(tmp_path: Path, fields: dict[str, str], covered: bool) -> None:
    known = parsed(tmp_path, entry(**fields))
    assert (not known_failures.uncovered([cell()], known)) is covered


def test_a_condition_sees_defaults_and_what_is_no_array(tmp_path: Path) -> None:
    step = Step("result", "softmax", (Ref("x"),))
    x = Input("x", (2, 3), "float32", Binding.VARIABLE)
    program = to_json(Program((x,), (step,), ("result",)))
    failing = cell(Verdict.VIOLATES, replace(failed(), program=program), function="softmax")
    for when, covered in (("axis == -1", True), ("axis != -1", False), ("axis is None", False)):
        known = parsed(tmp_path, entry(function='"softmax"', when=f'"{when}"'))
        assert (not known_failures.uncovered([failing], known)) is covered


def test_a_narrow_entry_covers_its_failures_only(tmp_path: Path) -> None:
    known = parsed(tmp_path, entry(failure='"0123"'))
    both = cell(Verdict.VIOLATES, failed(), failed("ba9876543210"))
    (left,) = known_failures.uncovered([both], known)
    assert [f.id for f in left.failures] == ["ba9876543210"]
    assert not known_failures.not_failing([both], known)
    assert (
        known_failures.not_failing([cell(Verdict.VIOLATES, failed("ba9876543210"))], known) == known
    )


def test_failures_that_are_not_asked_about_need_no_entry(tmp_path: Path) -> None:
    known = parsed(tmp_path, entry(failure='"0123"'))
    both = cell(Verdict.VIOLATES, failed(), failed("ba9876543210", Verdict.DIVERGES))
    (bad,) = known_failures.failing([both], [Verdict.VIOLATES])
    assert not known_failures.uncovered([bad], known)


def test_other_versions_and_other_targets_do_not_make_an_entry_stale(tmp_path: Path) -> None:
    fine = cell(Verdict.CONFORMS, failures=[])
    for fields in ({"versions": '{ tensorflow = ">=2" }'}, {"target": '"theano"'}):
        assert not known_failures.not_failing([fine], parsed(tmp_path, entry(**fields)))
    assert known_failures.not_failing([fine], parsed(tmp_path, entry(target='"mine"')))


def results(functions: Sequence[str], **of_run: object) -> Results:
    rows = [FunctionResult(name, "t", []) for name in functions]
    return records.results("mine", rows, **of_run)


def test_an_entry_of_a_function_that_no_target_has_matches_nothing(tmp_path: Path) -> None:
    known = parsed(tmp_path, entry())
    assert known_failures.without_function([results(["exp"])], known) == known
    assert not known_failures.without_function([results(["exp", "dot"])], known)
    for part in ({"selection": "exp"}, {"shard": "1/2"}, {"complete": False}):
        assert not known_failures.without_function([results(["exp"], **part)], known)


@pytest.mark.thorough
def test_an_intermittent_failure_may_be_absent_and_covers_what_it_did(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(ENTRY.format(verdict="violates") + "intermittent = true\n")
    status, output = run("correct", "--expectations", str(known))
    assert (status, "0 of 1 entries met, 0 stale" in output) == (0, True)
    assert run("always_wrong", "--expectations", str(known))[0] == 0
    known.write_text(ENTRY.format(verdict="diverges") + "intermittent = true\n")
    status, output = run("always_wrong", "--expectations", str(known))
    assert (status, "0 stale" in output, "1 unexpected" in output) == (1, True, True)


def test_an_intermittent_failure_of_what_no_target_has_is_stale(tmp_path: Path) -> None:
    known = parsed(tmp_path, entry(intermittent="true"))
    assert known_failures.stale([results(["exp"])], known) == known


# The file that is written


def test_what_is_written_is_what_is_expected_then_and_keeps_reasons(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    run("always_wrong", "--write-expectations", str(known))
    assert UNEXPLAINED in known.read_text()
    assert run("always_wrong", "--expectations", str(known))[0] == 0
    known.write_text("# mine\n" + known.read_text().replace(UNEXPLAINED, "because") + "# end\n")
    before = known.read_text()
    run("always_wrong", "--write-expectations", str(known))
    assert known.read_text() == before
    (mark,) = known_failures.read(known)
    assert (mark.function, mark.aspect, mark.verdict, mark.reason, mark.target) == (
        "argmax",
        Aspect.VALUE,
        Verdict.VIOLATES,
        "because",
        "fakes.always_wrong",
    )


def write(folder: Path, text: str, *cells: JudgedCell, mark: Mark = "failure") -> str:
    bad = [c for c in cells if c.verdict is not Verdict.CONFORMS]
    known = parsed(folder, text)
    return updated(text, known, known_failures.not_failing(cells, known), bad, mark=mark)


def test_a_written_file_is_sorted_and_passes(tmp_path: Path) -> None:
    two = [cell(function="sum"), cell(function="dot")]
    text = write(tmp_path, "", *two)
    assert text == write(tmp_path, "", *reversed(two))
    known = parsed(tmp_path, text)
    assert [e.function for e in known] == ["dot", "sum"]
    assert not known_failures.uncovered(two, known)
    assert not any(e.explained for e in known)
    assert "# gives (2,); expected (2, 1) (ko-2.2:1053)" in text
    by_cell = write(tmp_path, "", *two, mark="cell")
    assert f"# {failed().id}: gives (2,)" in by_cell
    assert not any(e.failure for e in parsed(tmp_path, by_cell))


@pytest.mark.parametrize(("mark", "left"), [("failure", ["ba9876543210"]), ("cell", [])])
def test_another_failure_of_a_marked_aspect_is_unexpected_unless_marked_by_cell(
    tmp_path: Path, mark: Mark, left: list[str]
) -> None:
    known = parsed(tmp_path, write(tmp_path, "", cell(), mark=mark))
    both = cell(Verdict.VIOLATES, failed(), failed("ba9876543210"))
    uncovered = known_failures.uncovered([both], known)
    assert [f.id for c in uncovered for f in c.failures] == left


def test_each_failure_has_an_entry_of_its_own_verdict(tmp_path: Path) -> None:
    both = cell(Verdict.VIOLATES, failed(), failed("ba9876543210", Verdict.CRASHED))
    text = write(tmp_path, "", both)
    known = parsed(tmp_path, text)
    assert {(e.failure, e.verdict) for e in known} == {
        ("0123456789ab", Verdict.VIOLATES),
        ("ba9876543210", Verdict.CRASHED),
    }
    assert not known_failures.uncovered([both], known)
    assert write(tmp_path, text, both) == text
    (gone,) = known_failures.not_failing([cell()], known)
    assert gone.failure == "ba9876543210"
    fewer = parsed(tmp_path, write(tmp_path, text, cell()))
    assert [e.failure for e in fewer] == ["0123456789ab"]


def test_a_failure_with_another_verdict_keeps_its_reason(tmp_path: Path) -> None:
    text = entry(target='"mine"', failure='"0123"', verdict='"crashed"', reason='"mine"')
    both = cell(Verdict.VIOLATES, failed(), failed("ba9876543210"))
    known = parsed(tmp_path, write(tmp_path, text, both))
    assert [(e.failure, e.verdict, e.reason) for e in known] == [
        ("0123", Verdict.VIOLATES, "mine"),
        ("ba9876543210", Verdict.VIOLATES, UNEXPLAINED),
    ]


def test_a_stale_mark_of_a_failure_names_those_that_are_there(tmp_path: Path) -> None:
    (known,) = parsed(tmp_path, entry(failure='"0123"'))
    message = stale_message(known, [cell(Verdict.VIOLATES, failed("ba9876543210"))])
    assert "no failure fits; there is ba9876543210" in message


def test_an_option_of_writing_needs_a_file_to_write() -> None:
    status, output = run("correct", "--expectations-by", "cell")
    assert status == 2
    assert "--write-expectations FILE" in output


@pytest.mark.thorough
def test_shards_and_resumed_runs_have_the_marks_of_a_whole_run(tmp_path: Path) -> None:
    both, whole, parts = ("-k", "argmax or exp"), tmp_path / "whole.toml", tmp_path / "parts.toml"
    run("always_wrong", *both, "--write-expectations", str(whole))
    assert 'failure = "' in whole.read_text()
    for shard in ("1/2", "2/2"):
        of = (*both, "--shard", shard, "-o", str(tmp_path / shard[0]))
        run("always_wrong", *of, "--write-expectations", str(parts))
        again = run("always_wrong", *of, "--resume", "--expectations", str(whole))
        assert again[0] == 0, again[1]
    assert parts.read_text() == whole.read_text()


# What the edition demands and the target lacks


def lacking(aspect: Aspect, *failures: Failure) -> JudgedCell:
    return cell(aspect=aspect, verdict=Verdict.UNSUPPORTED, failures=failures)


def test_a_missing_function_is_one_failure(tmp_path: Path) -> None:
    absent = failed("aaaaaaaaaaaa", Verdict.UNSUPPORTED)
    cells = [lacking(Aspect.PRESENCE, absent), lacking(Aspect.VALUE), lacking(Aspect.DTYPE)]
    worse = failing_outcomes("unsupported")
    bad = known_failures.failing(cells, worse)
    assert [c.aspect for c in bad] == [Aspect.PRESENCE]
    assert [c.aspect for c in known_failures.failing(cells[1:], worse)] == [
        Aspect.VALUE,
        Aspect.DTYPE,
    ], "where presence was not looked at, each aspect tells"
    known = parsed(tmp_path, updated("", [], [], bad))
    assert [(e.aspect, e.failure) for e in known] == [(Aspect.PRESENCE, "aaaaaaaaaaaa")]


def test_what_need_not_be_supported_does_not_fail() -> None:
    worse = failing_outcomes("unsupported")
    open_ = replace(failed("bbbbbbbbbbbb", Verdict.UNSUPPORTED), convention="empty")
    demanded = failed("cccccccccccc", Verdict.UNSUPPORTED)
    wrong = cell(Verdict.VIOLATES, failed(), open_)
    assert [f.id for c in known_failures.failing([wrong], worse) for f in c.failures] == [
        failed().id
    ]
    other = failed("dddddddddddd", Verdict.DIVERGES)
    assert not known_failures.failing([cell(Verdict.DIVERGES, other, open_)], worse)
    (bad,) = known_failures.failing([cell(Verdict.DIVERGES, other, demanded)], worse)
    assert [f.id for f in bad.failures] == ["cccccccccccc"]
    (nothing_else,) = known_failures.failing([lacking(Aspect.VALUE, open_)], worse)
    assert nothing_else.failures == [open_]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("violations", "'violations'"), ("violation,", "''"), ("never,divergence", "never excludes")],
)
def test_what_fail_on_is_not(text: str, wrong: str) -> None:
    status, output = run("correct", "--fail-on", text)
    assert status == 2
    assert wrong in output
    assert "hint: write" in output
    assert "Traceback" not in output


def test_several_words_of_fail_on() -> None:
    others = {Verdict.NOT_APPLICABLE, Verdict.CONFORMS, Verdict.NOT_RUN, Verdict.ERROR}
    assert {*failing_outcomes("change, divergence, unsupported")} == {*Verdict} - others
    assert failing_outcomes("never") == ()
    assert {*failing_outcomes("violation")} < {*failing_outcomes("accuracy")}
    assert Verdict.DIVERGES not in failing_outcomes("unsupported")


def test_accuracy_fails_for_inaccurate_results_alone() -> None:
    worse = failing_outcomes("accuracy")
    other = replace(failed("dddddddddddd", Verdict.DIVERGES), readings=["empty: refused"])
    digits = replace(failed("eeeeeeeeeeee", Verdict.DIVERGES), readings=["accuracy: inaccurate"])
    assert not known_failures.failing([cell(Verdict.DIVERGES, other)], worse)
    (bad,) = known_failures.failing([cell(Verdict.DIVERGES, other, digits)], worse)
    assert bad.failures == [digits]
    assert known_failures.failing([cell(Verdict.VIOLATES, failed())], worse)
    assert not known_failures.failing([bad], failing_outcomes("violation"))


def test_rewriting_keeps_comments_order_and_narrow_entries(tmp_path: Path) -> None:
    mine = (
        "# top\n\n"
        + "# about sum\n"
        + entry(target='"mine"', function='"sum"', issue='"http://x/1"', reason="'''two\nlines'''")
        + "\n\n# about one failure\n"
        + entry(target='"mine"', failure='"0123"')
        + "# at the end\n"
    )
    cells = [cell(), cell(function="sum")]
    assert write(tmp_path, mine, *cells) == mine
    more = write(tmp_path, mine, *cells, cell(function="exp"))
    assert more.replace("\n", "").startswith(mine.split("# about sum")[0].replace("\n", ""))
    assert [e.function for e in parsed(tmp_path, more)] == ["exp", "sum", "dot"]
    for line in mine.splitlines():
        assert line in more


def test_rewriting_deletes_what_is_stale_and_nothing_that_was_not_looked_at(tmp_path: Path) -> None:
    text = "".join(f"# on {f}\n" + entry(function=f'"{f}"') + "\n" for f in ("dot", "exp", "sum"))
    content = write(tmp_path, text, cell(Verdict.CONFORMS, failures=[]), cell(function="sum"))
    assert [e.function for e in parsed(tmp_path, content)] == ["exp", "sum"]
    assert "# on dot" not in content
    assert "# on exp" in content


def test_rewriting_keeps_what_is_intermittent(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    written = ENTRY.format(verdict="violates") + "intermittent = true\n"
    known.write_text(written)
    assert run("correct", "--write-expectations", str(known))[0] == 0
    assert known.read_text() == written


def test_another_verdict_is_changed_in_its_entry(tmp_path: Path) -> None:
    text = "# kept\n" + entry(target='"mine"', verdict='"crashed"', reason='"mine"')
    content = write(tmp_path, text, cell())
    assert content == text.replace("crashed", "violates")


@pytest.mark.thorough
def test_rewriting_says_what_has_changed(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(entry(function='"argmax"', verdict='"crashed"') + entry(function='"softmax"'))
    options = ("--expectations", str(known), "--write-expectations", str(known))
    status, output = run("always_wrong", *options)
    assert status == 1, "they were not known before"
    assert "2 entries, 1 added, 1 deleted, 0 without a reason" in output
    assert "delete these lines" not in output
    assert run("always_wrong", "--expectations", str(known))[0] == 0


def test_a_place_that_cannot_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    status, output = run("correct", "--write-expectations", str(tmp_path / "no" / "known.toml"))
    assert status == 2
    assert str(tmp_path / "no" / "known.toml") in output


# Mistakes in a file


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[expect]]\nfunktion = 'x'\n", [":2: ", "funktion", "function"]),
        ("expect = 3", [":1: ", "[[expect]]"]),
        ("\n[", [":2: ", "not TOML"]),
        ("[other]\n", [":1: ", "other", "[[expect]]"]),
        (entry() + "\n" + entry(reason='""'), [":11: ", "reason"]),
        (entry(intermittent='"yes"'), [":6: ", "intermittent"]),
        (entry().replace('reason = "r"\n', ""), [":1: ", "no reason", "TODO"]),
        (entry(function='"dott"'), [":2: ", "dott", "did you mean dot"]),
        (entry(function='"pow"', edition='"keras-9"'), ["edition", "keras-2.2"]),
        (entry(aspect='"valu"'), [":3: ", "did you mean value"]),
        (entry(aspect='"distribution"'), [":3: ", "not checked", "value"]),
        (entry(verdict='"conforms"'), [":4: ", "'conforms' is not a failure", "violates"]),
        (entry(verdict='"wrong"'), [":4: ", "wrong"]),
        (entry(target='"thaeno"'), [":6: ", "thaeno", "did you mean theano"]),
        (entry(versions='"<2"'), [":6: ", "versions = { tensorflow"]),
        (entry(versions='{ theano = "two" }'), [":6: ", "two", ">="]),
        (entry(versions='{ thaeno = "<2" }'), [":6: ", "thaeno", "did you mean theano"]),
        (entry(when='"axes == 1"'), [":6: ", "no parameter 'axes'", "x, y"]),
        (entry(when='"x.rank == 1"'), [":6: ", "no attribute 'rank'"]),
        (entry(when='"x ="'), [":6: ", "not an expression"]),
        (entry(when="\"print('x')\""), [":6: ", "len()"]),
        (entry(when='"[i for i in x]"'), [":6: ", "not allowed"]),
        (entry(when='"__import__"'), [":6: ", "no parameter"]),
        (entry(failure='"xyz"'), [":6: ", "not an id"]),
        (entry(issue='" "'), [":6: ", "link"]),
        (entry() + entry(), [":6-10", ":1-5", "delete one"]),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_to_write(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(UsageProblem) as caught:
        parsed(tmp_path, text)
    message = f"{caught.value.message}\n{caught.value.hint}"
    for word in ("known.toml", *words):
        assert word in message, message
