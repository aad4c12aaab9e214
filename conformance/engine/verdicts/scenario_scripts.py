"""The demands of a scenario's script: that the values pass the checks.

A check is a function of the suite, which a script lacks. A problem therefore says in Python what is
wrong (`Problem.fault`, `Problem.wrong`) or what array was expected. Where the program never
finished, or a problem says neither, the check is tried on values that no answer has: what it says
of them is what it demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.findings import Checked, Finding
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.verdicts.limits import named_index
from conformance.observations import Value
from conformance.program.calls import argument_text
from conformance.results import FindingKind
from conformance.scenarios import Check, Problem
from conformance.scripts import endings
from conformance.scripts.answers import MOST_COMPARED, Bounded, RightAnswer
from conformance.scripts.endings import ScriptEnding

Array = npt.NDArray[Any]
_ODD = np.full((1, 3, 1, 2, 1, 3, 1), 0.8437)
"""An array that nothing gives, in shape and numbers."""
_ABSURD = (
    (Value(_ODD, "float64", "ndarray"),),
    (Value(_ODD * 3, "float64", "ndarray"),),
    (Value(None, "str", "str", text="nothing like this"),),
    (Value(None, "str", "str", text="nor like that"),),
)
"""Values that outputs never give. The second of each pair shows which words of a problem are about
the demand and not about the values."""


def scenario_ending(finding: Finding, trial: ScenarioTrial) -> ScriptEnding:
    """The script's end for a finding: the check that failed, or every check that can be written."""
    checked = finding.checked
    if checked is None:
        return _of_unfinished(finding, trial)
    names = tuple(checked.values)
    stated = _stated(checked, names)
    if stated is not None:
        return stated
    place = _place(finding, checked.values.values())
    if place is not None and isinstance(finding.expected, np.ndarray):
        return endings.gave_answer(names, _answer(finding), place)
    failed = next((c for c in trial.scenario.checks if c.name == finding.kind), None)
    demanded = None if failed is None else _demanded(failed)
    if demanded is not None:
        return demanded
    printed = [[_plain(value) for value in values] for values in checked.values.values()]
    fault = (
        f"same([[measured(item) for item in part] for part in values], {argument_text(printed)})"
    )
    return endings.gave(names, fault)


def _stated(problem: Checked | Problem, names: Sequence[str]) -> ScriptEnding | None:
    """The demand that a problem states in Python; None if it states none."""
    if problem.texts and len(names) == 1:
        return endings.gave_text(names[0], problem.texts)
    if problem.wrong:
        return endings.gave_elements(names, _source(problem.wrong))
    return endings.gave(names, _source(problem.fault)) if problem.fault else None


def _of_unfinished(finding: Finding, trial: ScenarioTrial) -> ScriptEnding:
    """The checks of a program that ended early, one after the other."""
    checks = trial.scenario.checks
    plain = [check for check in checks if not check.alternatives] or [*checks]
    demanded = [ending for ending in map(_demanded, plain) if ending is not None]
    if not demanded or finding.kind == FindingKind.UNMADE_INPUT:
        return endings.gave(trial.batch.program.outputs, "False")
    return endings.all_of(demanded)


def _demanded(check: Check) -> ScriptEnding | None:
    """The demand of a check, as far as it says so of values that no answer has."""
    for first, second in zip(_ABSURD[::2], _ABSURD[1::2], strict=True):
        problem, again = _problem(check, first), _problem(check, second)
        if problem is None or again is None or problem.unmade:
            continue
        expected = problem.expected
        if isinstance(expected, np.ndarray) and len(check.outputs) == 1:
            return endings.gave_answer(check.outputs, _right(problem, expected), (0, 0))
        alike = (problem.texts, problem.wrong, problem.fault)
        if any(alike) and alike == (again.texts, again.wrong, again.fault):
            return _stated(problem, check.outputs)
    return None


def _problem(check: Check, values: tuple[Value, ...]) -> Problem | None:
    try:
        return check.test(*[values] * len(check.outputs))
    except Exception:  # a test may rely on a property of every answer
        return None


def _right(problem: Problem, expected: Array) -> RightAnswer:
    if problem.limits is not None:
        return RightAnswer((Bounded(expected, problem.limits).generous(_dtype(expected)),))
    return RightAnswer((Bounded(expected, np.zeros(expected.shape)).generous(_dtype(expected)),))


def _dtype(array: Array) -> str:
    """Scenarios compute in float32, and their expectations in float64."""
    return "float32" if array.dtype.kind == "f" else array.dtype.name


def _answer(finding: Finding) -> RightAnswer:
    """The expected array, as near as the check itself asks, or nearer than the wrong array."""
    expected, got = np.asarray(finding.expected), finding.got
    dtypes = (expected.dtype.name,) if finding.detail == "dtype" else ()
    limits = finding.checked.limits if finding.checked is not None else None
    exact = Bounded(expected, np.zeros(expected.shape) if limits is None else limits)
    numbers = exact if limits is not None else exact.generous(_dtype(expected))
    if not isinstance(got, np.ndarray) or got.shape != expected.shape:
        return RightAnswer((exact.generous(_dtype(expected)),), dtypes)
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.float64) - expected.astype(np.float64))
        near = bool(((distance <= numbers.limits) | (got == expected)).all())
    if near and finding.detail != "dtype":
        numbers = exact
    return RightAnswer((numbers,), dtypes, index=named_index(finding), wrong=(got,))


def _source(text: str) -> str:
    """The printed lists of numbers as Python source."""
    return re.sub(r"(?<![\w.'])(nan|inf)\b", r"np.\1", text)


def _place(finding: Finding, outputs: Iterable[Sequence[Value]]) -> tuple[int, int] | None:
    """Which output gave the array that was found, and where in it."""
    for number, values in enumerate(outputs):
        for item, value in enumerate(values):
            if value.array is not None and value.array is finding.got:
                return number, item
    return None


def _plain(value: Value) -> Any:
    """The result of a script's `measured` for the value."""
    if value.array is None:
        text = value.python_type if value.text is None else value.text
        return None if value.python_type == "NoneType" else text
    if value.array.size <= MOST_COMPARED:
        return value.array.tolist()
    numbers = value.array.astype("float64")
    measures = (numbers.min(), numbers.max(), numbers.mean(), (numbers == 0).mean())
    return [list(value.array.shape), *map(float, measures)]
