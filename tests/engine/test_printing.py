"""What print_tensor prints is checked: no text, another message or another value is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.adapters.session import CallLimits
from conformance.program import Step, call_text
from conformance.results import Aspect, Failure, Verdict
from tests.engine.support import ROOT, examine, module

LIMITS = CallLimits(structure=20.0, draw=2.0)

FAKE = """
import sys
from conformance.reference import *
from conformance.reference import identity, print_tensor as right


def print_tensor(x, message=""):
    {body}
"""
BODIES = {
    "right": "return right(x, message)",
    "to standard error": "sys.stdout = sys.stderr; return right(x, message)",
    "nothing": "return identity(x)",
    "another message": "return right(x, message.upper())",
    "the message alone": "print(message); return identity(x)",
    "another value": "right_x = right(x * 2, message); return right_x * 0.5",
    "twice": "return right(right(x, message), message)",
}
MESSAGE, VALUE = "the message is printed", "the value is printed"
FOUND: dict[str, set[str]] = {
    "right": set(),
    "to standard error": set(),
    "nothing": {MESSAGE, VALUE, f"{MESSAGE} by a function", f"{VALUE} by a function"},
    "another message": {MESSAGE, f"{MESSAGE} by a function"},
    "the message alone": {VALUE, f"{MESSAGE} by a function", f"{VALUE} by a function"},
    "another value": {VALUE, f"{VALUE} by a function"},
    "twice": {"it is printed once"},
}


def failures(name: str, folder: Path) -> list[Failure]:
    """The failures of a fake that prints tensors in its own way."""
    fake = "prints_" + name.replace(" ", "_")
    (folder / f"{fake}.py").write_text(FAKE.format(body=BODIES[name]), "utf-8")
    outcome = examine(module(fake, folder, LIMITS), ["print_tensor"])
    result = outcome.aspect("print_tensor", Aspect.VALUE)
    assert result.cases
    return [f for f in result.failures if "printed" in f.kind]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BODIES)
def test_what_is_wrong_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    shown = failures(name, tmp_path)
    assert {f.kind for f in shown} == FOUND[name]
    assert {f.verdict for f in shown} <= {Verdict.DIVERGES if name == "twice" else Verdict.VIOLATES}
    lines = {str(f.citation) for f in shown if f.verdict is Verdict.VIOLATES}
    assert all("2500" in line for line in lines)


def test_the_script_shows_it_with_no_part_of_the_suite(tmp_path: Path) -> None:
    failure = failures("another message", tmp_path)[0]
    paths = f"import sys; sys.path[:0] = {[str(tmp_path), str(ROOT)]!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + str(failure.script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "ANOTHER MESSAGE" in done.stderr or "WEIGHTS" in done.stderr
    assert "conformance_worker" not in str(failure.script)


def test_it_is_written_like_a_call() -> None:
    assert call_text(Step("text", "printed.call", ("f", 1))) == "printed('f', 1)"
