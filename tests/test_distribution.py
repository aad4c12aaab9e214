"""Which tests a run of pytest takes and leaves out, and which of them share a process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.distribution import LEFT_OUT

QUICK = """
import os
import pytest

def note(name):
    with open("told", "a") as told:
        told.write(f"{name} {os.getpid()}\\n")

@pytest.mark.parametrize("number", range(8))
def test_quick(number):
    note("quick")

@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(7))
def test_of_many(number):
    note(f"many{number}")
"""
LONG = """
import pytest
from quick.test_a import note

@pytest.mark.slow
def test_slow():
    note("slow")

@pytest.mark.thorough
def test_thorough():
    note("thorough")

@pytest.mark.real
@pytest.mark.slow
@pytest.mark.xdist_group("target")
@pytest.mark.parametrize("number", range(3))
def test_real(number):
    note("group")

def test_other():
    note("other")
"""
SETTINGS = """
[tool.pytest.ini_options]
testpaths = ["quick", "long"]
pythonpath = ["."]
markers = ["slow", "thorough", "sampled(n)", "real"]
"""


@pytest.fixture(autouse=True)
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files of tests that write down who ran and in which process."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makepyprojecttoml(SETTINGS)
    for name, text in {"quick/test_a.py": QUICK, "long/test_b.py": LONG}.items():
        file = pytester.path / name
        file.parent.mkdir()
        file.write_text(text, "utf-8")
    return pytester.path


def ran(pytester: pytest.Pytester, *arguments: str) -> tuple[list[str], pytest.RunResult]:
    """The names of the tests that ran in a run of pytest, sorted, and what it printed."""
    (pytester.path / "told").unlink(missing_ok=True)
    options = ("-p", "tests.distribution", "-p", "no:cacheprovider", "--strict-markers")
    if "2" in arguments:  # where pytest-xdist starts processes, its own has to be another, too
        result = pytester.runpytest_subprocess(*options, *arguments)
    else:
        result = pytester.runpytest_inprocess(*options, *arguments)
    return sorted(name for name, _ in runs(pytester.path)), result


def runs(folder: Path) -> list[tuple[str, str]]:
    lines = (folder / "told").read_text("utf-8").splitlines()
    return [(name, process) for name, _, process in (line.partition(" ") for line in lines)]


def test_what_is_left_out_is_counted_and_the_command_runs_exactly_that(
    pytester: pytest.Pytester,
) -> None:
    first, result = ran(pytester)
    assert (len(first), first.count("quick"), first.count("other")) == (12, 8, 1)
    count, line = result.outlines[-3:-1]
    assert count == "Left out: 9 tests that take minutes in all (4 slow, 5 thorough)"
    assert line.endswith(" -m 'slow or thorough or real'")
    rest, again = ran(pytester, "-m", " or ".join(LEFT_OUT))
    assert not any("Left out" in line for line in again.outlines)
    assert sorted([*first, *rest]) == ran(pytester, "--everything")[0]
    assert len([*first, *rest]) == 21


def test_a_sample_is_the_same_each_time_and_never_empty(pytester: pytest.Pytester) -> None:
    first, _ = ran(pytester, "quick", "-k", "of_many")
    assert len(first) == 3
    assert first != ["many0", "many1", "many2"]
    assert first == ran(pytester, "-k", "of_many")[0]


def test_one_test_may_be_left_out(pytester: pytest.Pytester) -> None:
    _, result = ran(pytester, "long", "-k", "thorough or other")
    assert "Left out: 1 test that takes minutes in all (1 thorough)" in result.outlines


@pytest.mark.parametrize("named", ["long/test_b.py", "long/test_b.py::test_slow"])
def test_what_is_named_runs_in_one_process(pytester: pytest.Pytester, named: str) -> None:
    names, result = ran(pytester, named, "-n", "logical", "--dist", "loadgroup")
    assert {"slow"} <= set(names) <= {"slow", "thorough", "group", "other"}
    assert len(set(runs(pytester.path))) == len(set(names))
    assert not any("Left out" in line or "workers" in line for line in result.outlines)


def test_a_file_and_a_group_stay_in_one_process(pytester: pytest.Pytester) -> None:
    names, _ = ran(pytester, "--everything", "-n", "2", "--dist", "loadgroup")
    assert len(names) == 21
    places = {(name.rstrip("0123456789"), process) for name, process in runs(pytester.path)}
    process = dict(places)
    assert len(places) == len(process) == 6, "each has one process"
    assert process["quick"] == process["many"]
    assert process["slow"] == process["thorough"] == process["other"]
    assert str(os.getpid()) not in process.values()


def test_workers_tell_what_they_leave_out(pytester: pytest.Pytester) -> None:
    names, result = ran(pytester, "-n", "2", "--dist", "loadgroup")
    assert len(names) == 12
    assert "Left out: 9 tests that take minutes in all (4 slow, 5 thorough)" in result.outlines
