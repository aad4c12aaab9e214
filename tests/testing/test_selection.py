"""Names of tests, tests run again by name, and test modules of a user."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from conformance.engine import PROFILES, plan
from conformance.results import ASPECTS
from conformance.specs import load
from conformance.testing import (
    SUITE,
    items,  # noqa: F401 - so that runs within this process find it imported
)
from conformance.testing.names import function_of, identifier
from tests.adapters.support import FAKES
from tests.testing.conftest import SMOKE
from tests.testing.support import EXP, ITEMS, arguments, run_on, verdicts

FRONT = f"{SUITE}::test_conformance"
CELLS = [
    (task.spec.name, aspect)
    for task in plan(load(), "keras-2.2", PROFILES["smoke"], 0)
    for aspect in task.aspects
]


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_there_is_a_test_for_each_function_and_aspect(pytester: pytest.Pytester) -> None:
    result = run_on(pytester, "correct", "--collect-only", "-q")
    names = {f"{FRONT}[{identifier(None, *cell)}]" for cell in CELLS}
    assert len(collected(result)) == len(names) == len(CELLS)
    assert set(collected(result)) == names


def test_an_edition_has_tests_of_its_own(pytester: pytest.Pytester) -> None:
    older = run_on(pytester, "correct", "--collect-only", "-q", "--conformance-edition", "keras-1")
    assert f"{FRONT}[image_dim_ordering-presence]" in collected(older)


def test_no_function_is_selected_by_what_all_names_have() -> None:
    assert not [name for name, _ in CELLS if name in f"{FRONT}[" or name in "suite.py"]


def test_with_several_targets_the_target_is_in_the_name(pytester: pytest.Pytester) -> None:
    two = run_on(pytester, "correct", "--conformance-target=reference", "--collect-only", "-q")
    names = collected(two)
    assert len(names) == 2 * len(CELLS)
    assert f"{FRONT}[reference-exp-static_shape]" in names
    assert f"{FRONT}[fakes.correct-exp-static_shape]" in names


def test_a_failing_one_is_run_again_by_lf_and_by_its_name(pytester: pytest.Pytester) -> None:
    run_on(pytester, "always_wrong", *EXP).assert_outcomes(
        failed=1, passed=4, skipped=2, deselected=ITEMS - 7
    )
    again = run_on(pytester, "always_wrong", "--lf")
    again.assert_outcomes(failed=1, deselected=ITEMS - 1)
    named = arguments("always_wrong")
    named[named.index(SUITE)] = f"{FRONT}[exp-value]"
    pytester.runpytest_inprocess(*named).assert_outcomes(failed=1)


def test_tests_of_one_function_have_one_place() -> None:
    places = {function_of(f"{FRONT}[{identifier('a-b', 'exp', aspect)}]") for aspect in ASPECTS}
    assert len(places) == 1
    assert function_of("tests/test_mine.py::test_it[a-b]") == "tests/test_mine.py::test_it[a-b]"


@pytest.mark.slow
def test_two_processes_give_the_same_verdicts(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, "smoke", SMOKE)  # the one that other processes know
    selected = ("-k", "[exp- or [identity- or [dot-")
    run_on(pytester, "always_wrong", *selected, "--junitxml=one.xml")
    command = [sys.executable, "-m", "pytest", *arguments("always_wrong", *selected)]
    result = pytester.run(*command, "-n", "2", "-v", "--junitxml=two.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lines = [line.split() for line in result.outlines if re.match(r"\[gw\d\] \[", line)]
    assert {worker for worker, *_ in lines} == {"[gw0]", "[gw1]"}
    places = {(worker, function_of(name)) for worker, *_, name in lines}
    assert len(places) == 3, "the tests of one function are in one process"
    first, two = (verdicts(pytester.path / f"{name}.xml") for name in ("one", "two"))
    assert first == two


MODULE = f"""
from conformance.testing import conformance_tests

test_mine = conformance_tests("fakes.always_wrong", path={str(FAKES)!r}, profile="smoke")
"""


def test_three_lines_make_tests_of_ones_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_backend=MODULE + "\ndef test_other(): pass\n")
    result = pytester.runpytest_inprocess("-k", "[exp-value] or other")
    result.assert_outcomes(failed=1, passed=1, deselected=ITEMS - 1)
    assert "FAILED test_backend.py::test_mine[exp-value] - violates" in result.stdout.str()
    assert "conformance:" not in result.stdout.str()
    marked = pytester.runpytest_inprocess("-m", "not conformance", "--strict-markers")
    marked.assert_outcomes(passed=1, deselected=ITEMS)


def test_the_command_line_outweighs_the_module(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_backend=MODULE)
    result = pytester.runpytest_inprocess("-k", "[exp-value]", "--conformance-fail-on=never")
    result.assert_outcomes(passed=1, deselected=ITEMS - 1, warnings=1)


def test_a_module_that_does_not_start_fails_its_own_tests_only(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_backend=MODULE.replace("always_wrong", "does_not_import") + "\ndef test_other(): pass"
    )
    result = pytester.runpytest_inprocess("-k", "[exp-value] or [exp-dtype] or other")
    result.assert_outcomes(errors=2, passed=1, deselected=ITEMS - 2)
    assert "the library that this needs is not there" in result.stdout.str()


def test_what_a_module_says_wrongly_is_told_without_a_traceback(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_backend=MODULE.replace("smoke", "smock"))
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "profile: there is no 'smock'" in result.stdout.str()
    assert "hint: write one of smoke, default, thorough" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


# Those who do not use it


def test_the_plug_in_is_light() -> None:
    heavy = "('numpy', 'hypothesis', 'click', 'rich', 'msgspec', 'yaml', 'conformance.specs')"
    code = "import sys, pytest; had = set(sys.modules); import conformance.pytest_plugin\n"
    code += f"print([m for m in {heavy} if m in sys.modules and m not in had])\n"
    code += "print(len(set(sys.modules) - had))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, count = ran.stdout.splitlines()
    assert loaded == "[]"
    assert int(count) < 10


def test_other_tests_do_not_notice_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    assert "conformance:" not in result.stdout.str()
