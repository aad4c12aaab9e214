"""A scenario as a trial: a program of several steps, and its checks."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.findings import (
    Allowance,
    Checked,
    Finding,
    Judgement,
    called_text,
)
from conformance.engine.judging.losses import without_answer
from conformance.engine.judging.messages import named_error, raised
from conformance.engine.judging.readings import (
    of_anything,
    of_exception,
    of_nothing,
    of_readings,
)
from conformance.engine.judging.refusals import lacked, refused_type, refuses_by_name
from conformance.observations import (
    Batch,
    NotRun,
    Outcome,
    Raised,
    Returned,
    StructureObservation,
)
from conformance.program import Binding, Case, Outputs, Step, call_text, to_json
from conformance.program.marks import MAYBE, OPERATOR, OPERATOR_CALL, PRINTED_CALL, UNKNOWN
from conformance.program.model import COMPILED, DIFFERENTIATED
from conformance.results import Aspect, FindingKind, Verdict
from conformance.scenarios import Check, Problem, Scenario, Setup
from conformance.scenarios.examples.docstring_results import DOCSTRING_EXAMPLE
from conformance.scenarios.model import Values
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import load_conventions, taken

Array = npt.NDArray[Any]

_EVALUATING = ("eval", "get_value", "batch_get_value")
"""Steps that fail if what an earlier step made is wrong: the function under test is to blame."""

_STATIC_SHAPE = "int_shape"
_GRADIENTS = "gradients"
_OWN_GRADIENTS = (DIFFERENTIATED, "derivative")
"""What a mapping calls the gradients that a backend takes by its own means."""
_MAKERS = {"variable": Binding.VARIABLE, "placeholder": Binding.PLACEHOLDER}
_ASKED_OF = {Aspect.GRADIENT: _GRADIENTS, Aspect.STATIC_SHAPE: _STATIC_SHAPE}
"""The aspects of a result that another function tells, and the function that does."""
_TELLING = ("int_shape", "dtype")
"""Functions that tell what a symbolic result is."""
_TOLERATED = ("int_shape", "clear_session")
"""Functions that a target may lack: where they only help to test another, they do not raise."""


@dataclass(frozen=True, eq=False)
class ScenarioTrial:
    """One scenario, whose function is called `name` in the edition."""

    scenario: Scenario
    name: str
    outputs: Outputs = "values"

    @cached_property
    def differentiates(self) -> frozenset[Binding]:
        """What it differentiates by, if it looks at nothing but the gradient of a function."""
        if self.name == _GRADIENTS or {c.aspect for c in self.scenario.checks} != {Aspect.GRADIENT}:
            return frozenset()
        if any(step.function in _OWN_GRADIENTS for step in self.scenario.program.steps):
            return frozenset({Binding.CONSTANT})
        asked = (s for s in self.scenario.program.steps if s.function == _GRADIENTS)
        sources = set[str]().union(
            *(Step("", "", step.args[1:], step.kwargs).mentions() for step in asked)
        )
        made = {s.function for s in self.scenario.program.steps if s.result in sources}
        return frozenset(binding for maker, binding in _MAKERS.items() if maker in made)

    @property
    def below(self) -> Mapping[str, int]:
        """Empty: shrinking does not change the numbers of scenarios."""
        return {}

    @property
    def setup(self) -> Setup | None:
        """The configuration of the process that it must have for itself; None if it needs none."""
        return self.scenario.setup

    @cached_property
    def key(self) -> str:
        """The program as text, with a checksum of its arrays."""
        numbers = zlib.crc32(b"".join(a.tobytes() for a in self.scenario.arrays.values()))
        program = to_json(self.scenario.program)
        return json.dumps([program, numbers, repr(self.scenario.setup)], sort_keys=True)

    @property
    def size(self) -> tuple[int, ...]:
        """How complex the scenario is."""
        return self.scenario.size

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Conventions that it rests on because the documents do not cover it."""
        return self.scenario.conventions

    @property
    def _called(self) -> Step | None:
        """The first call of the function under test."""
        return next((s for s in self.scenario.program.steps if self._calls(s)), None)

    def _calls(self, step: Step) -> bool:
        """Whether a step calls the function under test, compiled or in its docstring's example."""
        named = step.function in (COMPILED, DOCSTRING_EXAMPLE) and step.args[0] == self.name
        return named or step.function == self.name

    @property
    def described(self) -> str:
        """The call of the function under test, and what the scenario is about."""
        step = self._called
        own = step is None or step.function == DOCSTRING_EXAMPLE
        text = self.name if step is None or own else called_text(step)
        return f"{text} ({self.scenario.title})"

    @cached_property
    def batch(self) -> Batch:
        """One draw; its session is forgotten before and after it, but for some setups."""
        setup = self.scenario.setup
        arrays = {n: a[None] for n, a in self.scenario.arrays.items()}
        program = self.scenario.program
        steps = tuple(self._tolerant(step) for step in program.steps)
        fresh = setup is None or setup.cleared
        return Batch(replace(program, steps=steps), arrays, 1, fresh=fresh)

    def _tolerant(self, step: Step) -> Step:
        """The step; in the test of another function some functions are made not to raise.

        Where calls may refuse, so are the function under test and those that tell about its result.
        """
        outputs, may_refuse = self.scenario.program.outputs, self.scenario.may_refuse
        if may_refuse and step.function in (self.name, *_TELLING) and not step.attempt:
            return replace(step, function=f"{MAYBE}{step.function}")
        own = step.function == self.name or step.function not in _TOLERATED
        if own or step.result not in outputs or step.attempt:
            return step
        return replace(step, function=f"{MAYBE}{step.function}")

    def case(self, draw: int) -> Case:  # noqa: ARG002 - there is one
        """The program with its arrays."""
        return Case(self.scenario.program, self.scenario.arrays)

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> None:
        """None: its numbers must not change."""

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> None:
        """None: the checks are only right for the numbers of the scenario."""

    def judge(self, observed: StructureObservation) -> Judgement:
        """Run the checks on the outputs, or find how the program ended without any."""
        judgement = Judgement()
        outcome = observed.draws[0].outcome
        if isinstance(outcome, NotRun):
            return judgement
        refused = self._refused(outcome)
        seen = self.scenario.checks if refused or isinstance(outcome, Returned) else self._first
        for check in seen:
            if not _not_told(check, outcome):
                judgement.count(check.aspect)
        failures = self._failures(outcome) if isinstance(outcome, Returned) else {}
        if not refused:
            judgement.findings += self._found(outcome, failures)
        for finding in judgement.findings:
            judgement.readings.update((finding.aspect, reading) for reading in finding.readings)
            if finding.aspect not in judgement.cases:
                judgement.count(finding.aspect)
        if isinstance(outcome, Returned):
            judgement.readings.update(self._choices(outcome, failures))
        return judgement

    def _failures(self, returned: Returned) -> dict[Check, Finding | None]:
        """What each check finds of the values: first those that others come after."""
        told = [check for check in self.scenario.checks if not _not_told(check, returned)]
        before = [check.after for check in told if check.after]
        return {check: self._failure(check, returned) for check in dict.fromkeys([*before, *told])}

    def _choices(
        self, returned: Returned, failures: Mapping[Check, Finding | None]
    ) -> Iterator[tuple[Aspect, str]]:
        """The suite's own readings that the values show: those that no alternative allows."""
        for check in self.scenario.checks:
            if not check.alternatives or _not_told(check, returned) or failures[check]:
                continue
            values = [returned.values[name] for name in check.outputs]
            for name in {other.convention for other in check.alternatives}:
                others = (o.test(*values) for o in check.alternatives if o.convention == name)
                if all(problem is not None for problem in others):
                    yield check.aspect, taken(name, load_conventions()[name].choice)

    @property
    def _first(self) -> tuple[Check, ...]:
        return self.scenario.checks[:1]

    def _found(
        self, outcome: Outcome, failures: Mapping[Check, Finding | None]
    ) -> Iterator[Finding]:
        """What the checks find; a program that did not finish fails its first check."""
        if isinstance(outcome, Returned):
            yield from self._checked(outcome, failures)
        else:
            yield from self._unfinished(outcome, self._first[0])

    def _unfinished(self, outcome: Outcome, check: Check) -> Iterator[Finding]:
        """What a program shows that did not reach `check`: if a function has no result, that is the
        failure of its value, and it has no gradient and no static shape to ask for."""
        finding = self._no_answer(outcome, check)
        if check.aspect is Aspect.ERROR and isinstance(outcome, Raised):
            yield _unreached(finding)
            return
        if not self._has_no_result(outcome, check):
            yield finding
            return
        yield replace(finding, aspect=Aspect.VALUE, demands="a result", at=self.scenario.at)
        yield _unseen(check, "has no result of which it could be asked")

    def _has_no_result(self, outcome: Outcome, check: Check) -> bool:
        """Whether the function under test failed itself, or what takes its result apart did, so
        that an aspect of the result could not be looked at."""
        step = self._step(outcome)
        if step is None or self.name == _ASKED_OF.get(check.aspect, self.name):
            return False
        later = (*_EVALUATING, PRINTED_CALL, OPERATOR_CALL)
        return self._blamed(step) and step.function not in later

    def _is_of_gradient(self, check: Check) -> bool:
        """Whether the check looks at the gradient of a function other than `gradients`."""
        return check.aspect is Aspect.GRADIENT and self.name != _GRADIENTS

    def _refused(self, outcome: Outcome) -> bool:
        """Whether the import failed in a scenario that allows it to, or a call that may refuse."""
        setup = self.scenario.setup
        if not isinstance(outcome, Raised):
            return False
        at_import = outcome.stage == "import" and setup is not None and setup.may_refuse
        return at_import or self.scenario.may_refuse

    def _checked(
        self, returned: Returned, failures: Mapping[Check, Finding | None]
    ) -> Iterator[Finding]:
        told = [check for check in self.scenario.checks if not _not_told(check, returned)]
        before = dict.fromkeys(check.after for check in told if check.after)
        yield from filter(None, (failures[check] for check in before))
        wrong = {check for check in before if (found := failures[check]) and _violates(found)}
        for check in told:
            found = failures[check]
            if found is not None and check.after not in wrong:
                yield found
            elif found is not None and check.after and check.after.aspect is not check.aspect:
                yield _unseen(check, "is that of a wrong result")

    def _failure(self, check: Check, returned: Returned) -> Finding | None:
        """The finding of one check; None if it holds."""
        looked = {name: returned.values[name] for name in check.outputs}
        values = list(looked.values())
        problem = check.test(*values)
        if problem is None:
            return None
        finding = self._finding(check, problem, self._allowed(check, problem, values))
        checked = Checked(looked, problem.fault, problem.wrong, problem.limits, problem.texts)
        return replace(finding, checked=checked)

    def _allowed(self, check: Check, problem: Problem, values: Sequence[Values]) -> Allowance:
        """What allows the values that the check's own test refused."""
        for other in check.alternatives:
            if other.test(*values) is None:
                return of_readings((other.convention, other.reading))
        # what a whole program rests on may be refused; it frees no answer
        found = of_anything((*check.conventions, *problem.conventions))
        return found if found.conventions else of_nothing((*self._named(check), *found.open_points))

    def _named(self, check: Check) -> set[str]:
        return {*self.scenario.conventions, *check.conventions}

    def _finding(self, check: Check, problem: Problem, allowed: Allowance) -> Finding:
        return Finding.under(
            allowed,
            check.aspect,
            FindingKind.UNMADE_INPUT if problem.unmade else check.name,
            gives=problem.gives,
            demands=_demands(check, problem),
            detail=problem.detail,
            got=problem.got,
            expected=problem.expected,
            ulp=problem.ulp,
            at=check.at,
            verdict=Verdict.UNSUPPORTED if problem.unmade else None,
        )

    def _no_answer(self, outcome: Outcome, check: Check) -> Finding:
        """The finding on a program that did not finish, so that `check` was not reached.

        A gradient that raises rests on the same convention as in `GradientTrial`: no document says
        that every function has one.
        """
        named, step = self._named(check), self._step(outcome)
        if self._is_of_gradient(check) and not self._has_no_result(outcome, check):
            named |= {ConventionName.DIFFERENTIABLE}
        allowed = of_exception(outcome, named)
        asked = step is not None and step.function == _GRADIENTS and self._is_of_gradient(check)
        unmade = getattr(outcome, "stage", None) == "bind"
        blamed = not unmade and (step is None or asked or self._blamed(step))
        if isinstance(outcome, Raised):
            return self._raised(outcome, check, allowed, blamed=blamed)
        verdict, kind, gives, detail = without_answer(outcome, self.scenario.program)
        return Finding(
            check.aspect,
            verdict if blamed else Verdict.UNSUPPORTED,
            kind if blamed else FindingKind.UNMADE_INPUT,
            gives=gives,
            demands=check.demands,
            detail=detail,
            conventions=allowed.conventions,
        )

    def _raised(
        self, outcome: Raised, check: Check, allowed: Allowance, *, blamed: bool
    ) -> Finding:
        refused, step = blamed and refuses_by_name(outcome), self._step(outcome)
        where = "" if step is None or step is self._called else f" in {call_text(step)}"
        demands, conventions = check.demands, allowed.conventions
        if where:
            demands = f"that call to return, and {demands}"
        return Finding.under(
            allowed,
            check.aspect,
            FindingKind.EXCEPTION if blamed else FindingKind.UNMADE_INPUT,
            gives=raised(outcome, where),
            demands=lacked(demands, conventions, outcome) if refused else demands,
            detail=refused_type(outcome) if refused else outcome.type,
            got=named_error(outcome.type, outcome.message),
            place=outcome.place,
            at=check.at,
            verdict=Verdict.UNSUPPORTED if refused or not blamed else None,
        )

    def _step(self, outcome: Outcome) -> Step | None:
        """The step at which the program ended, if the worker said which."""
        number, steps = getattr(outcome, "step", None), self.scenario.program.steps
        return steps[number] if number is not None and number < len(steps) else None

    def _blamed(self, step: Step) -> bool:
        """Whether the function under test is to blame for a failing step.

        It is also to blame for an operator that fails on its result, or on the result of another
        operator on that.
        """
        if not step.function.startswith(OPERATOR):
            return self._calls(step) or step.function in (*_EVALUATING, PRINTED_CALL)
        return step.function == OPERATOR_CALL or bool(step.mentions() & self._own())

    def _own(self) -> set[str]:
        """The results of the function under test, and of operators on them."""
        own: set[str] = set()
        for step in self.scenario.program.steps:
            operates = step.function.startswith(OPERATOR) and step.mentions() & own
            if step.function == self.name or operates:
                own.add(step.result)
        return own


def _demands(check: Check, problem: Problem) -> str:
    """What should have come: where the shape is another, the shape, and not the numbers."""
    if problem.detail == "shape" and isinstance(problem.expected, np.ndarray):
        return f"shape {problem.expected.shape}"
    return check.demands


def _violates(finding: Finding) -> bool:
    return finding.verdict is Verdict.VIOLATES


def _unseen(check: Check, gives: str) -> Finding:
    """The finding on a check that shows nothing, because of the result that it is about."""
    return Finding(
        check.aspect,
        Verdict.UNSUPPORTED,
        FindingKind.UNMADE_INPUT,
        gives=gives,
        demands=check.demands,
    )


def _unreached(finding: Finding) -> Finding:
    """The finding on a program that ended before it was known whether invalid input is refused.

    The exception there is not that of the call that must be refused.
    """
    return replace(
        finding, verdict=Verdict.UNSUPPORTED, kind=FindingKind.UNMADE_INPUT, conventions=()
    )


def _not_told(check: Check, outcome: Outcome) -> bool:
    """Whether the implementation did not report what the check needs."""
    if not isinstance(outcome, Returned):
        return False
    texts = {value.text for name in check.outputs for value in outcome.values[name]}
    return UNKNOWN in texts
