"""Programs that ask something of an implementation, outside of the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.adapters import launching
from conformance.adapters.launching import LaunchError, said_by
from conformance.adapters.target_records import Target

Asker = Callable[[str], str]
FLOOD = """
import sys
while True:
    sys.{stream}.write("x" * 65536 + chr(10))
"""


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asker:
    """The last line that a program prints in the environment of a target."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    asked = Target(name="mine", module="mine", edition="keras-2.2")
    return lambda program: said_by(asked, [sys.executable, "-I", "-S", "-c", program])


def test_the_last_line_of_the_output_is_the_answer(ask: Asker) -> None:
    assert ask("import sys; print('one\\ntwo'); print('three', file=sys.stderr)") == "two"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_prints_without_end_is_ended(
    stream: str, ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "MOST_PRINTED", 2**20)
    with pytest.raises(LaunchError, match="printed more than 1,048,576 bytes"):
        ask(FLOOD.format(stream=stream))


@pytest.mark.parametrize("program", ["", "import os; os.close(1); os.close(2); "])
def test_a_program_that_does_not_end_is_ended(
    program: str, ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "SECONDS", 0.5)
    with pytest.raises(LaunchError, match="did not end within"):
        ask(f"{program}import time; time.sleep(60)")


def test_the_end_of_what_a_failed_program_prints_says_why(ask: Asker) -> None:
    with pytest.raises(LaunchError, match="ValueError: no"):
        ask("raise ValueError('no')")
