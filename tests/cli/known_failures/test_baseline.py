"""`--baseline`: what is lost since an earlier run, and which results can be one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from conformance.cli import main
from conformance.cli.known_failures import read
from conformance.cli.known_failures.baseline import compare, transition
from conformance.reporting.json_results import encode, read_results
from conformance.results import Aspect, Failure, FunctionResult, Results, Verdict
from tests.adapters.support import FAKES
from tests.reporting import records

EXP = "exp and not (expand or sum)"
MINE = "fakes.wrong_dtype"
OPTIONS = ("--path", str(FAKES), "-k", EXP, "--profile", "smoke", "--quiet", "--no-database")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["run", "--module", MINE, *OPTIONS, *arguments])
    return result.exit_code, result.output


def results(*verdicts: Verdict, name: str = "dot", **of_run: object) -> Results:
    """A run of a function: the verdicts on its presence, value and dtype."""
    aspects = (Aspect.PRESENCE, Aspect.VALUE, Aspect.DTYPE)
    records_of_aspects = [
        records.aspect_result(aspect, verdict, *_failures(verdict))
        for aspect, verdict in zip(aspects, verdicts, strict=False)
    ]
    return records.results("mine", [FunctionResult(name, "t", records_of_aspects)], **of_run)


def _failures(verdict: Verdict) -> Iterable[Failure]:
    return [records.failure(verdict)] if verdict in (Verdict.VIOLATES, Verdict.DIVERGES) else []


RIGHT, WRONG, OTHER = Verdict.CONFORMS, Verdict.VIOLATES, Verdict.DIVERGES
LACKS, NOT_RUN = Verdict.UNSUPPORTED, Verdict.NOT_RUN


@pytest.mark.parametrize(
    ("was", "now", "lost", "won"),
    [
        (RIGHT, RIGHT, False, 0),
        (RIGHT, WRONG, True, 0),
        (RIGHT, OTHER, True, 0),
        (RIGHT, LACKS, True, 0),
        (RIGHT, NOT_RUN, True, 0),
        (OTHER, LACKS, True, 0),
        (WRONG, LACKS, True, 0),
        (WRONG, OTHER, False, 0),
        (OTHER, WRONG, False, 0),
        (LACKS, WRONG, False, 0),
        (WRONG, RIGHT, False, 1),
        (LACKS, RIGHT, False, 1),
        (NOT_RUN, LACKS, False, 0),
    ],
)
def test_what_is_lost_and_what_is_won(was: Verdict, now: Verdict, lost: bool, won: int) -> None:
    comparison = compare(results(RIGHT, was), results(RIGHT, now))
    assert (len(comparison.regressions), comparison.improvements) == (lost, won)


def test_a_regression_is_told_with_its_first_failure() -> None:
    ((was, cell),) = compare(results(RIGHT, RIGHT), results(RIGHT, WRONG)).regressions
    assert transition(was, cell) == (
        "dot value: conforms → violates: f1a2: gives (2,); expected (2, 1) (ko-2.2:1053)"
    )


def refusing(*refusals: Failure) -> Results:
    """A run whose value violates, and that refuses calls."""
    value = records.aspect_result(Aspect.VALUE, WRONG, records.failure(), *refusals)
    return records.results("mine", [FunctionResult("dot", "t", [value])])


def test_an_aspect_with_failures_regresses_if_it_refuses_another_documented_call() -> None:
    refusal = records.failure(LACKS, id="e0e0", message="dot(x, y) raises RuntimeError: no kernel")
    ((was, cell),) = compare(refusing(), refusing(refusal)).regressions
    assert transition(was, cell) == (
        "dot value: a documented call is refused: e0e0: dot(x, y) raises RuntimeError: no kernel"
    )
    assert not compare(refusing(refusal), refusing(refusal)).regressions
    allowed = records.failure(LACKS, id="e0e0", convention="input-dtype")
    assert not compare(refusing(), refusing(allowed)).regressions


def test_a_function_that_is_gone_is_one_regression() -> None:
    comparison = compare(results(RIGHT, RIGHT, OTHER), results(LACKS, LACKS, LACKS))
    assert [cell.aspect for _, cell in comparison.regressions] == [Aspect.PRESENCE]


def test_only_what_both_looked_at_in_full_is_compared() -> None:
    then = results(RIGHT, RIGHT)
    assert compare(then, results(WRONG, name="sum")).compared == 0
    assert compare(then, results(RIGHT)).compared == 1
    unfinished = results(RIGHT, NOT_RUN, unfinished=["dot"])
    assert not compare(then, unfinished).regressions
    assert compare(then, results(RIGHT, WRONG, unfinished=["dot"])).regressions
    assert not compare(results(RIGHT, RIGHT, unfinished=["dot"]), results(RIGHT, WRONG)).regressions


def test_a_known_failure_is_no_regression(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    head = '[[expect]]\nfunction = "dot"\naspect = "value"\nverdict = "violates"\nreason = "r"\n'
    known.write_text(head + 'failure = "f1a2"\n')
    comparison = compare(results(RIGHT, RIGHT), results(RIGHT, WRONG), read(known))
    assert (comparison.regressions, comparison.known) == ([], 1)


def changed(file: Path, aspect: Aspect, verdict: Verdict) -> None:
    """Make an earlier run of which an aspect came out otherwise."""
    old = read_results(file)
    functions = [
        replace(
            f,
            aspects=[replace(a, verdict=verdict) if a.aspect is aspect else a for a in f.aspects],
        )
        for f in old.functions
    ]
    file.write_bytes(encode(replace(old, functions=functions)))


def test_a_run_against_an_earlier_one(tmp_path: Path) -> None:
    assert run("--fail-on", "never", "-o", str(tmp_path))[0] == 0
    file = tmp_path / f"{MINE}.json"
    status, output = run("--baseline", str(file), "--seed", "1")
    assert status == 0, output
    assert "warning: the seed was 0 and is 1" in output
    assert "regressions 0, improvements 0" in output
    worse = next(a for f in read_results(file).functions for a in f.aspects if a.verdict is OTHER)
    changed(file, worse.aspect, RIGHT)
    status, output = run("--baseline", str(tmp_path), "--fail-on", "never")
    assert status == 1, "never is about findings: what is asked of a baseline stays"
    assert f"regression: {MINE}: exp {worse.aspect}: conforms → diverges: " in output
    status, output = run("--baseline", str(file), "--aspect", "presence")
    assert (status, "1 of " in output) == (0, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda r: b"{}", "this is not|missing required"),
        (lambda r: encode(replace(r, target=replace(r.target, name="x"))), "no results of fakes"),
        (
            lambda r: encode(replace(r, target=replace(r.target, edition="keras-1"))),
            "was run against keras-1",
        ),
        (lambda r: encode(replace(r, functions=[])), "it has none of the planned results of"),
        (None, "does not exist"),
    ],
)
def test_what_is_no_baseline_is_told_before_the_run(
    tmp_path: Path, content: object, message: str
) -> None:
    file = tmp_path / "old.json"
    baseline = records.results(MINE, [records.function("exp", RIGHT)])
    if callable(content):
        file.write_bytes(content(baseline))
    status, output = run("--baseline", str(file))
    assert status == 2, output
    assert "old.json" in output
    assert any(part in output for part in message.split("|")), output
    assert "Traceback" not in output
    assert "aspects follow the documents" not in output


def test_two_runs_of_a_target_are_no_baseline(tmp_path: Path) -> None:
    baseline = records.results(MINE, [records.function("exp", RIGHT)])
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(encode(baseline))
    status, output = run("--baseline", str(tmp_path))
    assert status == 2
    assert "2 runs of fakes.wrong_dtype" in output


def test_a_file_of_known_failures_is_no_baseline(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    for text in ('[[expect]]\nfunction = "exp"\n', '# why\n\n[[expect]]\nfunction = "exp"\n'):
        known.write_text(text)
        status, output = run("--baseline", str(known))
        assert status == 2
        assert f"error: {known}: this is " in output
        assert " not JSON" in output
    assert "name a results file: TARGET.json" in output
    assert "known failures goes with --expectations" in output
