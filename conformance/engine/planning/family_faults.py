"""What is wrong with a family of scenarios, as a few of its scenarios show it.

Code makes a scenario, and its checks are code as well: a check that raises, or a NumPy scalar where
an array belongs, ends a run. This module makes a few scenarios of each family, as a plan does.
Their programs must be data, and their checks must describe any wrong answer in plain data.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from conformance import scenarios as package
from conformance.dtypes import held_in
from conformance.observations import Value
from conformance.program import from_json, to_json
from conformance.scenarios import Family, Scenario
from conformance.scenarios.cited import scenarios_of
from conformance.scenarios.model import Check, Problem
from conformance.scenarios.recorder import Recipe
from conformance.specs import SpecError, load, load_conventions

SCENARIOS = 4
"""How many scenarios of each family and edition are looked at."""
MOST_RESULTS = 3
"""How many results an output is made to have at most."""
_ROOT = Path(package.__file__).parent.parent


@dataclass(frozen=True, slots=True)
class FamilyFault:
    """A family that is wrong."""

    function: str
    place: str
    """The file and the line."""
    says: str


class _FaultError(Exception):
    """What is wrong with a scenario."""


def family_faults(family: Family) -> list[FamilyFault]:
    """The faults of a family, one for each edition that shows one and each text."""
    shown: dict[str, FamilyFault] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for edition in (e for e in family.editions if e in load()[family.function].editions):
            try:
                for scenario in islice(scenarios_of(family, edition, SCENARIOS), SCENARIOS):
                    _check(scenario)
            except Exception as error:
                place, says = _place_and_words(error, family)
                shown.setdefault(says, FamilyFault(family.function, place, says))
    return list(shown.values())


def _place_and_words(error: Exception, family: Family) -> tuple[str, str]:
    """Where a family is wrong, and why: a file of the specs says both."""
    if isinstance(error, SpecError):
        place, _, says = str(error).partition(": ")
        return place, says
    if isinstance(error, _FaultError):
        return _place_of_code(family), str(error)
    return _place_of_error(error, family), f"{type(error).__name__}: {error}"


def _place_of_error(error: Exception, family: Family) -> str:
    """The innermost line of a module of scenarios."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if Path(f.filename).is_relative_to(_ROOT / "scenarios")]
    inside = [f for f in inside if Path(f.filename).name not in ("cited.py", "recorder.py")]
    if not inside:
        return _place_of_code(family)
    return f"{Path(inside[-1].filename).relative_to(_ROOT)}:{inside[-1].lineno}"


def _place_of_code(family: Family) -> str:
    """The line of the function that writes the scenarios of the family or draws its calls, or of
    the innermost function of its strategy."""
    functions = _inside(family.make)
    codes = [code for function in functions if (code := getattr(function, "__code__", None))]
    if not codes:
        return "scenarios"
    path = Path(codes[-1].co_filename)
    shown = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path
    return f"{shown}:{codes[-1].co_firstlineno}"


def _inside(make: Any) -> Iterator[Any]:
    """A function, and those that it holds: of a recipe the one that writes it, of a function with
    calls the one that draws them."""
    if (definition := getattr(make, "__wrapped__", None)) is not None:
        yield from _inside(definition)
        return
    yield make
    for cell in getattr(make, "__closure__", None) or ():
        if isinstance(cell.cell_contents, Recipe):
            yield cell.cell_contents.write
        elif drawing := getattr(cell.cell_contents, "draw", None):
            yield drawing
        elif callable(cell.cell_contents):
            yield from _inside(cell.cell_contents)


def _check(scenario: Scenario) -> None:
    _check_program(scenario)
    for check in scenario.checks:
        missing = {*check.outputs} - {*scenario.program.outputs}
        if missing:
            raise _FaultError(f"{_named(scenario, check)} looks at {sorted(missing)}, no outputs")
        for problem in _problems(check):
            if says := _not_plain(problem):
                raise _FaultError(f"{_named(scenario, check)} tells {says}")


def _named(scenario: Scenario, check: Check) -> str:
    return f"{scenario.title}: the check {check.name!r}"


def _check_program(scenario: Scenario) -> None:
    """A fault if the program is no data, or its arrays are not those of its inputs."""
    try:
        text = msgspec.json.encode(to_json(scenario.program))
    except (TypeError, ValueError) as error:
        raise _FaultError(f"{scenario.title}: the program is no data: {error}") from error
    if from_json(msgspec.json.decode(text)) != scenario.program:
        raise _FaultError(f"{scenario.title}: the program is another once it is read again")
    for item in scenario.program.inputs:
        array = scenario.arrays.get(item.name)
        if not isinstance(array, np.ndarray):
            says = f"{scenario.title}: {item.name} is a {type(array).__name__}, and no array"
            raise _FaultError(says)
        if array.shape != item.shape or array.dtype != held_in(item.dtype):
            says = f"{array.dtype} {array.shape}, and not {item.dtype} {item.shape}"
            raise _FaultError(f"{scenario.title}: {item.name} is {says}")


def _problems(check: Check) -> Iterator[Problem]:
    """What the check says of answers that are wrong: of none, of what is no array, and of arrays,
    of the shape that it expects, too."""
    shapes: list[tuple[int, ...]] = [()]
    tests = [check.test, *(alternative.test for alternative in check.alternatives)]
    for test in tests:
        seen = 0
        for answer in ((), (_no_array(),)):
            yield from _asked(check, test, answer)
        while seen < len(shapes):
            shape, seen = shapes[seen], seen + 1
            for count in range(1, MOST_RESULTS + 1):
                for problem in _asked(check, test, (_array(shape),) * count):
                    expected = getattr(problem.expected, "shape", None)
                    if expected is not None and expected not in shapes:
                        shapes.append(expected)
                    yield problem


def _asked(
    check: Check, test: Callable[..., Problem | None], answer: tuple[Value, ...]
) -> Iterator[Problem]:
    problem = test(*(answer for _ in check.outputs))
    if problem is not None:
        yield problem


def _no_array() -> Value:
    return Value(None, "object", "object", "no array")


def _array(shape: tuple[int, ...]) -> Value:
    """Numbers that nothing gives."""
    return Value(np.full(shape, -12345.678), "float64", "ndarray")


def _not_plain(problem: Problem) -> str | None:
    """What is no plain data in what a check says; None if all is."""
    for name in ("got", "expected"):
        value = getattr(problem, name)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            continue
        if not (value is None or type(value) is str):
            return f"{name} as a {type(value).__name__}, which is neither a text nor an array"
    if not (problem.ulp is None or type(problem.ulp) is float):
        return f"an error in ULP as a {type(problem.ulp).__name__}"
    for name in ("gives", "detail", "fault", "wrong"):
        if type(getattr(problem, name)) is not str:
            return f"{name} as a {type(getattr(problem, name)).__name__}, which is no text"
    strange = {*problem.conventions} - load_conventions().keys()
    return f"the conventions {sorted(strange)}, which are none" if strange else None
