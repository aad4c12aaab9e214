"""Known failures: they are expected to fail, and a test that no longer does fails."""

from __future__ import annotations

import dataclasses
import re

import pytest

from conformance.engine import PROFILES
from conformance.testing import items  # noqa: F401 - so that runs within this process find it imported
from tests.engine.support import TINY
from tests.testing.support import EXP, ITEMS, run_on

ENTRY = """
[[expect]]
function = "exp"
aspect = "{aspect}"
verdict = "{verdict}"
reason = "it adds one"
"""


def known(pytester: pytest.Pytester, *entries: str) -> str:
    file = pytester.path / "known.toml"
    file.write_text("".join(entries), encoding="utf-8")
    return f"--conformance-expectations={file}"


def entry(aspect: str, verdict: str) -> str:
    return ENTRY.format(aspect=aspect, verdict=verdict)


def test_a_known_failure_is_expected_with_its_reason(pytester: pytest.Pytester) -> None:
    file = known(pytester, entry("value", "violates"))
    result = run_on(pytester, "always_wrong", *EXP, file, "-rx")
    result.assert_outcomes(xfailed=1, passed=4, skipped=2, deselected=ITEMS - 7)
    assert result.ret == pytest.ExitCode.OK
    assert "it adds one" in result.stdout.str()


def test_a_known_crash_is_expected_too(pytester: pytest.Pytester) -> None:
    result = run_on(
        pytester, "crashes", "-k", "[exp-value]", known(pytester, entry("value", "crashed"))
    )
    result.assert_outcomes(xfailed=1, deselected=ITEMS - 1)


def test_another_failure_than_the_marked_one_fails(pytester: pytest.Pytester) -> None:
    marked = entry("value", "violates") + 'failure = "{}"\n'
    both = ("-k", "[exp-value]")
    result = run_on(pytester, "always_wrong", *both, known(pytester, marked.format("0123")))
    result.assert_outcomes(failed=1, deselected=ITEMS - 1)
    shown = result.stdout.str()
    match = re.search(r"no failure fits; there is ([0-9a-f]{12})", shown)
    assert match, shown
    file = known(pytester, marked.format(match[1]))
    run_on(pytester, "always_wrong", *both, file).assert_outcomes(xfailed=1, deselected=ITEMS - 1)
    intermittent = marked.format("0123") + "intermittent = true\n"
    result = run_on(pytester, "always_wrong", *both, known(pytester, intermittent))
    result.assert_outcomes(failed=1, deselected=ITEMS - 1)
    assert "violates: exp(" in result.stdout.str()


def test_an_entry_of_a_profile_that_tries_more_is_not_stale(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, "smoke", dataclasses.replace(TINY, name="smoke"))
    file = known(pytester, entry("value", "violates") + 'profile = "default"\n')
    result = run_on(pytester, "correct", "-k", "[exp-value]", file)
    result.assert_outcomes(passed=1, deselected=ITEMS - 1)


@pytest.mark.parametrize("verdict", ["diverges", "unsupported"])
def test_what_would_not_fail_can_be_expected(pytester: pytest.Pytester, verdict: str) -> None:
    fake, aspect = {
        "diverges": ("wrong_dtype", "dtype"),
        "unsupported": ("always_wrong", "gradient"),
    }[verdict]
    result = run_on(
        pytester, fake, "-k", f"[exp-{aspect}]", known(pytester, entry(aspect, verdict))
    )
    result.assert_outcomes(xfailed=1, deselected=ITEMS - 1)


@pytest.mark.parametrize(("fake", "outcome"), [("correct", "failed"), ("crashes", "errors")])
def test_a_stale_one_fails(pytester: pytest.Pytester, fake: str, outcome: str) -> None:
    result = run_on(
        pytester, fake, "-k", "[exp-value]", known(pytester, entry("value", "violates"))
    )
    assert result.parseoutcomes() == {outcome: 1, "deselected": ITEMS - 1}
    shown = result.stdout.str()
    assert "stale, delete these lines: exp value violates; the run says" in shown
    assert "Traceback" not in shown


def test_one_of_no_target_is_not_stale_while_a_target_needs_it(pytester: pytest.Pytester) -> None:
    file = known(pytester, entry("value", "violates"))
    more = (
        "--conformance-target=reference",
        "-k",
        "wrong-exp-value] or reference-exp-value]",
        file,
    )
    run_on(pytester, "always_wrong", *more).assert_outcomes(
        xfailed=1, passed=1, deselected=2 * (ITEMS - 1)
    )


def test_without_the_expectations_run_it_fails(pytester: pytest.Pytester) -> None:
    file = known(pytester, entry("value", "violates"))
    result = run_on(pytester, "always_wrong", "-k", "[exp-value]", file, "--runxfail")
    result.assert_outcomes(failed=1, deselected=ITEMS - 1)
