"""Make a failing case smaller, in structure and in values, keeping its symptom.

A smaller structure is drawn by the strategy of the plan. Simpler numbers are such as the plan could
have drawn (`Trial.fitted`). Both count only if they show the same symptom (`verdicts/symptoms.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis.strategies import SearchStrategy

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.in_time import judged_in_time
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.forms import rare_forms
from conformance.engine.verdicts.numbers import Candidate, Numbers, is_long
from conformance.engine.verdicts.plain_calls import plainer
from conformance.engine.verdicts.symptoms import Symptom, symptom
from conformance.engine.verdicts.tally import Group
from conformance.generators.drawing import Drawn, StopShrinking, shrink
from conformance.observations import StructureObservation, TimedOut
from conformance.results.kinds import FATAL

Array = npt.NDArray[Any]
RunTrial = Callable[[Trial], StructureObservation]

ROUNDS, LONG_ROUNDS = 4, 8
"""How often the numbers of a case are made simpler; each part of a long array is cut again."""
LONG_AXIS, MORE = 5, 3
"""A case with an axis of this length is not small. It gets so many more budgets of trials."""
MOST_WITHOUT_SUCCESS = 60
"""A search ends when this many trials in a row did not show the failure."""
MOST_HANGING = 2
"""Once so many trials have hung, which takes minutes each, the failures stay as they are."""
MOST_SECONDS = 120.0
"""Once the trials have taken so long inside the implementation, the failures also stay as they are.
Few functions take a hundredth of it."""


@dataclass(slots=True)
class Minimiser:
    """Shrinks failures of one function on one target.

    `run` executes a trial. `known` has the symptoms of the findings of every trial that was run
    already, by the trial's key, so that no trial is run twice.
    """

    run: RunTrial
    strategy: Callable[[Trial], SearchStrategy[Trial] | None]
    """The strategy for trials of the same sort; None if there are no others."""
    choices: Callable[[Trial], bytes]
    """The choices of which the strategy makes the trial."""
    seed: int
    budget: Callable[[Group], int]
    """How many trials may be run to make a failure smaller. A count, not a time: results must not
    depend on how fast the machine is."""
    known: dict[str, frozenset[Symptom]] = field(default_factory=dict)
    ended: Callable[[], bool] = lambda: False
    """Whether to stop with the smallest case found so far."""
    judge: Callable[[Trial, StructureObservation], Judgement] = judged_in_time
    """What an observation shows of this target."""
    hanging: int = 0
    """How many trials have hung."""
    seconds: float = 0.0
    """How long all trials took inside the implementation."""
    _shown: dict[str, list[Finding]] = field(default_factory=dict)
    """The findings of each trial that the present search has run, by key."""

    def minimise(self, group: Group) -> Group:
        """The group with the smallest case found; the group itself if there is none smaller."""
        group = self._alone(group)
        if group.trial is None or not self._may(group) or group.refilled is not None:
            return group
        return self._values(self._plainer(self._structure(group, group.trial)))

    def shorten(self, group: Group) -> Group:
        """The group with simpler numbers in place of long arrays, in the same structure."""
        group = self._alone(group)
        if group.trial is None or not self._may(group):
            return group
        long = is_long(group.trial.case(group.finding.draw).arrays)
        return self._values(group) if long else group

    def _alone(self, group: Group) -> Group:
        """The group with one element that shows the failure, where each element of a call is a call
        of its own. That takes a single run, which no budget counts."""
        trial, finding = group.trial, group.finding
        if not isinstance(trial, CallTrial) or finding.kind in FATAL or self._ended:
            return group
        elements = trial.elements(finding.draw, finding.got)
        if not elements:
            return group
        same = self._first(trial.refilled(finding.draw, elements), symptom(finding))
        if same is None:
            return group
        alone = trial.refilled(finding.draw, [elements[same.draw]])
        return replace(
            group,
            finding=replace(same, draw=0),
            trial=alone,
            planned=trial,
            refilled=finding.draw,
        )

    def _may(self, group: Group) -> bool:
        lasting = group.finding.kind not in FATAL
        return lasting and bool(self.budget(group)) and not self._ended

    @property
    def _ended(self) -> bool:
        worn = self.hanging >= MOST_HANGING or self.seconds >= MOST_SECONDS
        return worn or self.ended()

    def _structure(self, group: Group, trial: Trial) -> Group:
        strategy = self.strategy(trial)
        if strategy is None:
            return group
        self._shown, budget = {}, self.budget(group)
        search = _Shrinking(trial, group.finding, budget, group.is_of_cause)
        fails = partial(search.fails, shows=self._shows)
        shrink(strategy, fails, self.choices(trial), self.seed)
        if _has_long_axes(search.best):
            search.left += MORE * budget
            search.without_success = None
            shrink(strategy, fails, search.choices or self.choices(trial), self.seed)
        if search.best is trial:
            return group
        findings = self._shown.get(search.best.key)
        if findings is None:  # it was run before the search
            findings = self._findings(search.best)
        finding = _on_fewest_conventions(findings, search.wanted)
        if finding is None:
            return group
        return replace(
            group, finding=finding, trial=search.best, planned=trial, choices=search.choices
        )

    def _plainer(self, group: Group) -> Group:
        """The group with the plainest form of its call that shows the failure."""
        assert group.trial is not None
        for trial in plainer(group.trial):
            finding = None if self._ended else self._find(trial, symptom(group.finding))
            if finding is not None:
                planned = group.planned or group.trial
                return replace(group, finding=finding, trial=trial, planned=planned)
        return group

    def _shows(self, trial: Trial, search: _Shrinking) -> bool:
        """Whether the trial shows the failure; runs it, if it is new and the budget allows."""
        symptoms = self.known.get(trial.key)
        if symptoms is None and search.left > 0 and not self._ended:
            search.left -= 1
            symptoms = self._run_and_note(trial)
        return symptoms is not None and any(map(search.wanted.shown_by, symptoms))

    def _run_and_note(self, trial: Trial) -> frozenset[Symptom]:
        try:
            findings = self._findings(trial)
        except (ValueError, IndexError):  # the oracle has no answer for this one
            findings = []
        self._shown[trial.key] = findings
        self.known[trial.key] = frozenset(map(symptom, findings))
        return self.known[trial.key]

    def _findings(self, trial: Trial) -> list[Finding]:
        observed = self.run(trial)
        self.hanging += any(isinstance(draw.outcome, TimedOut) for draw in observed.draws)
        self.seconds += observed.seconds.total
        return self.judge(trial, observed).findings

    def _find(self, trial: Trial, wanted: Symptom) -> Finding | None:
        return _on_fewest_conventions(self._findings(trial), wanted)

    def _values(self, group: Group) -> Group:
        assert group.trial is not None
        trial, finding = group.trial, group.finding
        draw, below = finding.draw, trial.below
        arrays = {n: np.array(a) for n, a in trial.case(draw).arrays.items()}
        numbers = Numbers(arrays, below, partial(trial.fitted, draw))
        long = is_long(numbers.best)
        tried = None if long else trial.refilled(draw, [numbers.best])
        for _ in range(0 if self._ended else LONG_ROUNDS if long else ROUNDS):
            if not self._simplify(trial, draw, numbers, symptom(finding)):
                break
            tried = trial.refilled(draw, [numbers.best])
        final = None if tried is None else self._find(tried, symptom(finding))
        if final is None:
            return group
        planned = group.planned or trial
        return replace(group, finding=final, trial=tried, planned=planned, refilled=draw)

    def _simplify(self, trial: Trial, draw: int, numbers: Numbers, wanted: Symptom) -> bool:
        """Take the simplest numbers that show the failure; whether there are any. Of long arrays,
        whose results may have millions of elements, a few are tried at a time."""
        candidates = list(numbers.simpler())
        sizes = (1, 4, 16) if candidates and is_long(candidates[0].arrays) else ()
        for part in _portions(candidates, sizes):
            if self._ended:
                break
            batch = trial.refilled(draw, [candidate.arrays for candidate in part])
            found = None if batch is None else self._first(batch, wanted)
            numbers.failed(part if found is None else part[: found.draw])
            if found is not None:
                numbers.take(part[found.draw])
                return True
        return False

    def _first(self, trial: Trial, wanted: Symptom) -> Finding | None:
        same = [f for f in self._findings(trial) if wanted.shown_by(symptom(f))]
        return min(same, key=lambda f: f.draw, default=None)


def _has_long_axes(trial: Trial) -> bool:
    return any(n >= LONG_AXIS for array in trial.case(0).arrays.values() for n in array.shape)


def _on_fewest_conventions(findings: Sequence[Finding], failure: Symptom) -> Finding | None:
    """The finding that shows the failure and rests on the fewest conventions; None without one."""
    same = [f for f in findings if failure.shown_by(symptom(f))]
    return min(same, key=lambda f: len(f.conventions), default=None)


@dataclass(slots=True)
class _Shrinking:
    """One search: the smallest failing trial found so far, and how many may still be run."""

    best: Trial
    finding: Finding
    left: int
    """Trials that may yet be run."""
    is_of_cause: Callable[[Trial], bool]
    """Whether a trial may show the same cause."""
    without_success: int | None = None
    """Trials since the last one that failed; None until one has."""
    choices: bytes = b""
    """Hypothesis's choices that made `best`; empty while `best` is the trial of the plan."""

    @property
    def wanted(self) -> Symptom:
        """The symptom of the failure."""
        return symptom(self.finding).of_any_numbers

    def fails(self, drawn: Drawn[Trial], shows: Callable[[Trial, _Shrinking], bool]) -> bool:
        """Whether the trial shows the failure; StopShrinking after too many that do not, or when
        no more may be run."""
        trial = drawn.value
        if self.left <= 0:
            raise StopShrinking
        if self.without_success is not None:
            self.without_success += 1
            if self.without_success > MOST_WITHOUT_SUCCESS:
                raise StopShrinking
        if not set(trial.unsettled) <= set(self.best.unsettled):
            return False  # what rests on more conventions is no simpler
        if not (self._may_be(trial) and shows(trial, self)):
            return False
        self.without_success = 0
        if trial.size < self.best.size:
            self.best, self.choices = trial, drawn.choices
        return True

    def _may_be(self, trial: Trial) -> bool:
        """Whether the cause may be the same."""
        forms = rare_forms(self.finding, trial)
        return forms <= rare_forms(self.finding, self.best) and self.is_of_cause(trial)


def _portions(
    candidates: Sequence[Candidate], sizes: Sequence[int]
) -> Iterator[Sequence[Candidate]]:
    """The candidates in parts of these sizes, and the rest in one."""
    start = 0
    for size in sizes:
        yield from filter(None, (candidates[start : start + size],))
        start += size
    yield from filter(None, (candidates[start:],))
