"""Failures as a test module for pytest that needs nothing of this suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.reporting.safe_text import clean, clean_block
from conformance.source_text import inside

_JUDGES = (
    "status 0 only if right",
    "status 0 if right or refused",
    "ends with status 1 where the fault is there",
)
"""The words of scripts about themselves, now and in earlier versions; the oldest print only."""
_HEAD = '''"""{count} failures of {targets}, found by conformance {version}.

Each test runs the script of one failure in a process of its own, with the interpreter that runs
pytest, or the one that CONFORMANCE_PYTHON names. It fails as long as the fault is there, and is
skipped where the implementation cannot be imported. Nothing but pytest and the implementation is
needed.
"""

import os
import subprocess
import sys

import pytest

PYTHON = os.environ.get("CONFORMANCE_PYTHON", sys.executable)
SECONDS = 600

'''
_TAIL = """

@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_fault_is_gone(name, tmp_path):
    script = tmp_path / "script.py"
    script.write_bytes(SCRIPTS[name].encode("utf-8", "surrogateescape"))
    done = subprocess.run(
        [PYTHON, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
    )
    said = done.stdout.decode("utf-8", "replace")
    last = (said.strip().splitlines() or [""])[-1]
    if done.returncode == 2 or last.startswith(("ImportError: ", "ModuleNotFoundError: ")):
        pytest.skip("nothing tested: " + said.strip()[-300:])
    assert done.returncode == 0, said[-3000:]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTest:
    """A failure that becomes a test."""

    target: str
    function: str
    aspect: str
    identity: str
    script: str

    @property
    def name(self) -> str:
        """The end of the test's name, such as `tf_keras-dot-static_shape-61640165e085`."""
        parts = (self.target, self.function, self.aspect, self.identity)
        return clean("-".join(parts)).replace(" ", "_")


def judges(script: str | None) -> bool:
    """Whether the script's exit status says whether the fault is there."""
    return script is not None and any(words in script for words in _JUDGES)


def module(tests: Sequence[ExportedTest], version: str) -> str:
    """The source of the module."""
    targets = ", ".join(dict.fromkeys(clean(test.target) for test in tests))
    head = _HEAD.format(count=len(tests), targets=inside(targets), version=version)
    scripts = "".join(f"SCRIPTS[{test.name!a}] = {_literal(test.script)}\n" for test in tests)
    return f"{head}SCRIPTS = {{}}\n{scripts}{_TAIL}"


def _literal(script: str) -> str:
    """The text as a literal over several lines; what cannot be shown is escaped."""
    lines = script if script.endswith("\n") else script + "\n"
    if clean_block(lines) != lines:
        return ascii(lines)
    inside = lines.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\\\n{inside}"""'
