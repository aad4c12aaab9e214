"""Runs of pytest on fakes, in this process unless said otherwise."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.engine.planning.demands import demanded_aspects
from conformance.specs import load
from conformance.testing import SUITE
from tests.adapters.support import FAKES

SMOKE = ("--conformance-profile", "smoke")
EXP = ("-k", "[exp-")
ITEMS = sum(
    len(demanded_aspects(spec, "keras-2.2"))
    for spec in load().values()
    if "keras-2.2" in spec.editions
)
"""The tests of a fake: one for each aspect that its edition demands of each function."""


def arguments(fake: str, *more: str) -> list[str]:
    """The arguments with which pytest tests a fake."""
    module = (f"--conformance-module=fakes.{fake}", f"--conformance-path={FAKES}")
    return ["-p", "no:randomly", "--pyargs", SUITE, *module, *SMOKE, *more]


def run_on(pytester: pytest.Pytester, fake: str, *more: str) -> pytest.RunResult:
    """A run of the suite's test module on a fake."""
    return pytester.runpytest_inprocess(*arguments(fake, *more))


def verdicts(junit: Path) -> dict[tuple[str, str], str]:
    """The verdicts in a JUnit file of pytest, by function and aspect."""
    verdicts_by_cell = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        facts = {p.get("name"): p.get("value") for p in case.iter("property")}
        verdicts_by_cell[facts["function"], facts["aspect"]] = facts["verdict"]
    return {(str(f), str(a)): str(v) for (f, a), v in verdicts_by_cell.items()}
