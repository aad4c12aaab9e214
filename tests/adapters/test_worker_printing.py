"""What is printed during a call is captured, whatever prints it and however much."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import conformance

WORKER = Path(conformance.__file__).parent / "adapters" / "worker"

CALLS = {
    "print('from Python')": "from Python",
    "sys.stderr.write('an error')": "an error",
    "os.write(2, b'from below')": "from below",
    "ctypes.CDLL(None).puts(b'from C')": "from C",
    "subprocess.call(['echo', 'a child'])": "a child",
    "os.close(1)": "''",
    "sys.stdout.write('x' * 10**7 + 'the end')": "the end",
    "subprocess.Popen(['sleep', '20'])": "''",
}


def ran(source: str) -> str:
    """The end of the standard output of a new Python."""
    lines = f"""
import ctypes, os, subprocess, sys
sys.path.insert(0, {str(WORKER)!r})
from conformance_worker.printing import printed
{source}
"""
    done = subprocess.run(
        [sys.executable, "-c", lines], stdout=subprocess.PIPE, timeout=10, text=True, check=True
    )
    return done.stdout


def test_the_end_of_what_is_printed_is_the_answer() -> None:
    calls = [
        f"text = printed(lambda: {call})\nprint(repr(text[-20:]), len(text))" for call in CALLS
    ]
    lines = ran("\n".join(calls)).splitlines()
    for call, line in zip(CALLS, lines, strict=True):
        text, _, length = line.rpartition(" ")
        assert CALLS[call] in text, call
        assert int(length) <= 2000


def test_nothing_of_it_goes_where_it_went_before_and_later_prints_do() -> None:
    assert ran("printed(print, 'inside')\nprint('outside')") == "outside\n"


def test_what_is_raised_is_raised_and_the_streams_are_as_they_were() -> None:
    source = "try:\n    printed(lambda: 1 / 0)\nexcept ZeroDivisionError:\n    print('raised')"
    assert ran(source) == "raised\n"


def test_streams_that_lead_elsewhere_tell_nothing() -> None:
    source = "import io\nsys.stdout = io.StringIO()\nos.write(1, repr(printed(print)).encode())"
    assert ran(source) == "None"


@pytest.mark.parametrize(("level", "answer"), [("3", "None"), ("0", "''")])
def test_silence_tells_nothing_where_a_log_is_turned_off(level: str, answer: str) -> None:
    source = (
        f"sys.modules['tensorflow'] = sys\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '{level}'\n"
        "print(repr(printed(int)))"
    )
    assert ran(source) == f"{answer}\n"
