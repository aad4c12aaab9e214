"""The outcome of pytest for each verdict."""

from __future__ import annotations

import functools
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from conformance.adapters.session import CallLimits, Session
from conformance.cli import main
from conformance.engine.judging import cases
from conformance.oracle import expect
from conformance.reporting.json_results import read_results
from conformance.testing import (
    SUITE,
    items,  # noqa: F401 - so that runs within this process find it imported
)
from tests.adapters.support import FAKES
from tests.engine import successors
from tests.engine.support import run_script
from tests.testing.support import EXP, ITEMS, SMOKE, run_on, verdicts


def test_what_conforms_passes(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "correct", "-k", "[exp-value] or [exp-dtype] or [exp-presence]")
    result.assert_outcomes(passed=3, deselected=ITEMS - 3)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines("conformance: fakes.correct (keras-2.2), profile tiny, seed 0")


def test_a_violation_fails_with_its_case_and_nothing_of_the_suite(
    pytester: pytest.Pytester,
) -> None:
    result = run_on(pytester, "always_wrong", "-k", "[exp-value]", "--conformance-seed", "3")
    result.assert_outcomes(failed=1, deselected=ITEMS - 1)
    shown = result.stdout.str()
    for part in (
        "demanded by ko-2.2:1527",
        "expected: float64",
        "got: float32",
        "script:",
        "seed 3",
    ):
        assert part in shown, part
    assert "Traceback" not in shown
    assert "items.py" not in shown
    summary = r"FAILED conformance\.suite::test_conformance\[exp-value\] - violates: exp\(x\)"
    assert re.search(summary, shown)


def test_the_script_that_is_shown_runs(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "always_wrong", "-k", "[exp-value]")
    lines = result.outlines[result.outlines.index("    script:") + 1 :]
    block = lines[: next(i for i, line in enumerate(lines) if line and line[:6].strip())]
    ran = run_script("\n".join(line[6:] for line in block))
    assert ran.returncode == 1, ran.stderr
    assert "Mismatched elements" in ran.stderr


def test_a_crash_is_an_error_and_the_rest_is_judged(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "crashes", *EXP, "--junitxml=junit.xml")
    outcomes = result.parseoutcomes()
    assert outcomes["errors"] == 1
    assert outcomes["passed"] >= 2
    assert "failed" not in outcomes
    shown = result.stdout.str()
    assert "ERROR conformance.suite::test_conformance[exp-value] - crashed: exp(" in shown
    assert "UnexpectedError" not in shown
    (error,) = ElementTree.parse(pytester.path / "junit.xml").iter("error")
    assert error.attrib["message"].startswith('failed on setup with "crashed: exp(')


@pytest.mark.parametrize("known", [False, True])
def test_an_error_of_the_suite_is_an_error_with_its_traceback(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    def planted(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "exp":
            message = "a planted fault"
            raise LookupError(message)
        return expect(name, *arguments, **options)

    monkeypatch.setattr(cases, "expect", planted)
    entry = '[[expect]]\nfunction = "exp"\naspect = "value"\nverdict = "violates"\nreason = "r"\n'
    (pytester.path / "known.toml").write_text(entry)
    marked = ("--conformance-expectations", "known.toml") if known else ()
    result = run_on(pytester, "correct", "-k", "[exp-value] or [identity-value]", *marked)
    result.assert_outcomes(passed=1, errors=1, deselected=ITEMS - 2)
    shown = result.stdout.str()
    assert "in planted" in shown
    assert "error: the suite failed while judging an answer: LookupError: a planted fault" in shown


def test_a_hang_is_an_error(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = functools.partial(Session, limits=CallLimits(structure=0.6, draw=0.0, failures=1))
    monkeypatch.setattr("conformance.adapters.access.Session", impatient)
    result = run_on(pytester, "hangs", "-k", "[exp-value] or [exp-presence]")
    result.assert_outcomes(passed=1, errors=1, deselected=ITEMS - 2)
    assert "timed out: exp(" in result.stdout.str()


def test_what_is_unsupported_is_skipped(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "correct", "-k", "[relu-presence]", "-rs")
    result.assert_outcomes(skipped=1, deselected=ITEMS - 1)
    assert "unsupported: relu is missing" in result.stdout.str()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("fake", "test", "fail_on", "outcome"),
    [
        ("wrong_dtype", "[exp-dtype]", "violation", {"passed": 1, "warnings": 1}),
        ("wrong_dtype", "[exp-dtype]", "divergence", {"failed": 1}),
        ("always_wrong", "[exp-value]", "divergence", {"failed": 1}),
        ("always_wrong", "[exp-value]", "never", {"passed": 1, "warnings": 1}),
        ("correct", "[relu-presence]", "unsupported", {"failed": 1}),
        ("correct", "[relu-value]", "divergence,unsupported", {"failed": 1}),
        ("wrong_dtype", "[exp-dtype]", "divergence,unsupported", {"failed": 1}),
        ("wrong_dtype", "[exp-dtype]", "unsupported", {"passed": 1, "warnings": 1}),
    ],
)
def test_what_fails_is_chosen(
    pytester: pytest.Pytester, fake: str, test: str, fail_on: str, outcome: dict[str, int]
) -> None:
    result = run_on(pytester, fake, "-k", test, "--conformance-fail-on", fail_on)
    assert result.parseoutcomes() == {"deselected": ITEMS - 1, **outcome}


def test_of_a_missing_function_the_presence_fails(pytester: pytest.Pytester) -> None:
    unsupported = ("--conformance-fail-on", "unsupported")
    result = run_on(pytester, "correct", "-k", "[relu-presence] or [relu-value]", *unsupported)
    result.assert_outcomes(failed=1, skipped=1, deselected=ITEMS - 2)
    assert "FAILED conformance.suite::test_conformance[relu-presence]" in result.stdout.str()


def test_a_divergence_is_a_warning_of_its_own(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "wrong_dtype", "-k", "[exp-dtype]")
    assert "DivergenceWarning: diverges: exp(" in result.stdout.str()
    strict = ("-W", "error::conformance.testing.DivergenceWarning")
    assert run_on(pytester, "wrong_dtype", "-k", "[exp-dtype]", *strict).ret == 1


def test_verdicts_are_those_of_a_run(pytester: pytest.Pytester) -> None:
    seed = ("--seed", "5")
    of = ("--module", "fakes.always_wrong", "--path", str(FAKES), "--profile", "smoke", "-j", "1")
    selection = "identity or argmax or expand_dims"
    CliRunner().invoke(main, ["run", *of, *seed, "-k", selection, "--output", "out"])
    (file,) = (pytester.path / "out").glob("*.json")
    run = {
        (f.function, str(a.aspect)): str(a.verdict)
        for f in read_results(file).functions
        for a in f.aspects
    }
    run_on(
        pytester, "always_wrong", "--conformance-seed", "5", "-k", selection, "--junitxml=junit.xml"
    )
    assert {"violates", "conforms", "unsupported"} <= set(run.values())
    assert verdicts(pytester.path / "junit.xml") == run


def test_a_change_is_a_warning_and_fails_on_request(pytester: pytest.Pytester) -> None:
    successors.write(pytester.path)
    arguments = ("--pyargs", SUITE, "--conformance-target=mine", *SMOKE, "-k", "[exp-value]")
    result = pytester.runpytest_inprocess(*arguments)
    result.assert_outcomes(passed=1, warnings=1, deselected=ITEMS - 1)
    result.stdout.fnmatch_lines("*ChangeWarning: changed: exp(*; calls.toml: exp)*")
    failed = pytester.runpytest_inprocess(*arguments, "--conformance-fail-on=change")
    failed.assert_outcomes(failed=1, deselected=ITEMS - 1)
