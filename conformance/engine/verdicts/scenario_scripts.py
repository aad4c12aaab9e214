"""The demands of a scenario's script: that the values pass the checks.

A check is a function of the suite, which a script lacks. A problem therefore says in Python what is
wrong (`Problem.fault`, `Problem.wrong`) or what array was expected. Where the program never
finished, or a problem says neither, the check is tried on values that no answer has: what it says
of them is what it demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_dtype
from conformance.engine.judging.findings import Checked, Finding
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.verdicts.limits import named_index
from conformance.observations import Value
from conformance.program import Step
from conformance.program.calls import argument_text
from conformance.results import Verdict
from conformance.scenarios import Check, Problem
from conformance.scenarios.examples.docstring_results import DOCSTRING_EXAMPLE, printed_results
from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.scripts import endings
from conformance.scripts.answers import MOST_COMPARED, Bounded, RightAnswer
from conformance.scripts.endings import ScriptEnding
from conformance.scripts.examples import InstalledExample, PrintedResult, gives, gives_its_print
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.docstrings import is_fenced, load_docstrings

Array = npt.NDArray[Any]
Outputs = Sequence[tuple[Value, ...]]
_READERS = ("eval", "get_value")
"""Steps that give an array."""
_THREE_DIGITS, _SIX_DIGITS = 1e-3, 1e-6
"""Docstrings print four digits or more. Where a wrong number is near, all of them count."""
_ODD = np.full((1, 3, 1, 2, 1, 3, 1), 0.8437)
"""An array that nothing gives, in shape and numbers."""
_NUMBERS = np.linspace(0.1, 0.9, 7)
_VARIED = Value(_NUMBERS, "float64", "ndarray")
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
    read = {s.result for s in trial.scenario.program.steps if s.function in _READERS}
    return endings.without_flat(_ending(finding, trial), read)


def _ending(finding: Finding, trial: ScenarioTrial) -> ScriptEnding:
    example = _example(trial)
    if example is not None:
        return _of_example(example, finding)
    checked = finding.checked
    if checked is None:
        return _of_unfinished(trial)
    names = tuple(checked.values)
    stated = _stated(checked, names)
    if stated is not None:
        return stated
    if isinstance(finding.expected, np.ndarray):
        place = _place(finding, checked.values.values())
        if place is not None:
            return endings.gave_answer(names, _answer(finding), place)
        if _is_rearranged(finding, checked.values):
            shape = finding.expected.shape
            return endings.gave_answer(names, _answer(finding), (0, 0), shape=shape)
    return _of_check(finding, checked, trial)


def _of_check(finding: Finding, checked: Checked, trial: ScenarioTrial) -> ScriptEnding:
    """The demand of the check on values that no answer has; else not the recorded answer again."""
    failed = next((c for c in trial.scenario.checks if c.name == finding.kind), None)
    demanded = None if failed is None else _demanded(failed)
    if demanded is not None:
        return demanded
    printed = [[_plain(value) for value in values] for values in checked.values.values()]
    fault = (
        f"same([[measured(item) for item in part] for part in values], {argument_text(printed)})"
    )
    return endings.gave(tuple(checked.values), fault)


# Examples in docstrings


def _example(trial: ScenarioTrial) -> Step | None:
    """The step that runs an example of a docstring, if there is one."""
    steps = trial.scenario.program.steps
    return next((step for step in steps if step.function == DOCSTRING_EXAMPLE), None)


def _of_example(step: Step, finding: Finding) -> ScriptEnding:
    """The print, as arrays where it is known; the installed docstring has it otherwise."""
    others, tolerance = _other_dtypes(finding), _nearness(finding)
    values = () if finding.checked is None else finding.checked.values[step.result]
    printed = printed_results(values)
    example = _installed(step)
    if example is None or (values and printed is None):
        return gives_its_print(step.result, others, tolerance)
    if printed is None:
        return gives_its_print(example, others, tolerance)
    parts = [
        PrintedResult(part) if isinstance(part, str) else PrintedResult(part.elements, part.dtype)
        for part in printed.parts
    ]
    return gives(example, parts, others, tolerance, stacked=printed.stacked, random=printed.random)


def _installed(step: Step) -> InstalledExample | None:
    """The example as a script finds it between `>>>`; None if it is in a block of code."""
    name, digest, *_ = map(str, step.args)
    docstring = (load_docstrings(KERAS_3_DOCUMENT) or {})[name]
    if is_fenced(KERAS_3_DOCUMENT, name) or digest not in docstring.examples:
        return None
    return InstalledExample(name, docstring.examples.index(digest) + 1)


def _other_dtypes(finding: Finding) -> Sequence[str]:
    """The dtypes that an array may have instead of the printed one: those of readings, unless the
    dtype is what differs from the suite's own."""
    if finding.detail == "dtype" and finding.verdict is not Verdict.VIOLATES:
        return ()
    readings = load_conventions()[ConventionName.RESULT_DTYPE].variants
    return [reading.name for reading in readings if is_dtype(reading.name)]


def _nearness(finding: Finding) -> float:
    """A tolerance relative to the largest element that refuses a wrong array."""
    got, expected = finding.got, finding.expected
    if not isinstance(got, np.ndarray) or not isinstance(expected, np.ndarray):
        return _THREE_DIGITS
    if got.shape != expected.shape or finding.detail != "value" or not expected.size:
        return _THREE_DIGITS
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    near = np.allclose(got, expected, rtol=0, atol=_THREE_DIGITS * largest, equal_nan=True)
    return _SIX_DIGITS if near else _THREE_DIGITS


def _stated(problem: Checked | Problem, names: Sequence[str]) -> ScriptEnding | None:
    """The demand that a problem states in Python; None if it states none."""
    if problem.texts and len(names) == 1:
        return endings.gave_text(names[0], problem.texts)
    if problem.wrong:
        return endings.gave_elements(names, _source(problem.wrong))
    return endings.gave(names, _source(problem.fault)) if problem.fault else None


def _of_unfinished(trial: ScenarioTrial) -> ScriptEnding:
    """The checks of a program that ended early, one after the other."""
    checks = trial.scenario.checks
    plain = [check for check in checks if not check.alternatives] or [*checks]
    demanded = [ending for ending in map(_demanded, plain) if ending is not None]
    if not demanded:
        return endings.gave(trial.batch.program.outputs, "False")
    return endings.all_of(demanded)


def _demanded(check: Check) -> ScriptEnding | None:
    """The demand of a check, as far as it says so of values that no answer has."""
    for first, second in _absurd_outputs(len(check.outputs)):
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


def _absurd_outputs(count: int) -> Iterator[tuple[Outputs, Outputs]]:
    """Pairs of values for `count` outputs: all outputs alike, and each with numbers of its own."""
    for first, second in zip(_ABSURD[::2], _ABSURD[1::2], strict=True):
        yield [first] * count, [second] * count
    if count > 1:
        yield [(_VARIED,)] * count, [(replace(_VARIED, array=_NUMBERS * 3),)] * count
        different = [(Value(_ODD + place, "float64", "ndarray"),) for place in range(count)]
        yield different, different[::-1]


def _problem(check: Check, values: Outputs) -> Problem | None:
    try:
        return check.test(*values)
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


def _is_rearranged(finding: Finding, outputs: Mapping[str, Sequence[Value]]) -> bool:
    """Whether the outputs gave one array, and the check arranged it in the expected shape."""
    got, values = finding.got, [value.array for values in outputs.values() for value in values]
    if not isinstance(got, np.ndarray) or len(values) != 1 or values[0] is None:
        return False
    return values[0].size == got.size and np.array_equal(values[0].ravel(), got.ravel())


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
