"""A failing case made smaller, in structure and in values, without becoming another failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis.strategies import SearchStrategy

from conformance.engine.judging.findings import Finding, Identity
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.tally import Group
from conformance.generators import shrink
from conformance.generators.collect import StopShrinking, current_choices
from conformance.observations import StructureObservation
from conformance.results.kinds import FATAL

Array = npt.NDArray[Any]
RunTrial = Callable[[Trial], StructureObservation]

MOST_IDLE = 60
"""A search ends when so many trials in a row do not show the failure."""


@dataclass(slots=True)
class Minimiser:
    """Shrinks failures of one function on one target.

    `run` executes a trial; `known` tells of trials that were run already which failures they
    showed, so that none is run twice.
    """

    run: RunTrial
    strategy: Callable[[Trial], SearchStrategy[Trial] | None]
    """Trials of the same sort, None if there are no others."""
    count: Callable[[Trial], int]
    """How many of its sort were generated."""
    seed: int
    budget: Callable[[Group], int]
    """How many trials may be run for a failure. A count, not a time: a run must not depend
    on how fast the machine is."""
    known: dict[str, frozenset[Identity]] = field(default_factory=dict)
    ended: Callable[[], bool] = lambda: False
    """Whether to leave it at what was found so far."""

    def minimise(self, group: Group) -> Group:
        """The group with the smallest case found; the group itself if there is none smaller."""
        if group.trial is None or group.finding.kind in FATAL:
            return group
        if group.remembered is not None or not self.budget(group) or self.ended():
            return group
        return self._values(self._structure(group, group.trial))

    def _structure(self, group: Group, trial: Trial) -> Group:
        strategy = self.strategy(trial)
        if strategy is None:
            return group
        search = _Shrinking(trial, group.finding.identity, self.budget(group))
        shrink(
            strategy,
            partial(search.fails, shows=self._shows),
            self.count(trial),
            self.seed,
        )
        if search.best is trial:
            return group
        finding = self._find(search.best, search.wanted)
        if finding is None:
            return group
        return replace(
            group, finding=finding, trial=search.best, planned=trial, choices=search.choices
        )

    def _shows(self, trial: Trial, search: _Shrinking) -> bool:
        """Whether the trial shows the failure; it is run if it was not and may be."""
        found = self.known.get(trial.key)
        if found is None and search.left > 0 and not self.ended():
            search.left -= 1
            found = self._look(trial)
        return found is not None and search.wanted in found

    def _look(self, trial: Trial) -> frozenset[Identity]:
        try:
            findings = trial.judge(self.run(trial)).findings
        except (ValueError, IndexError):  # the oracle knows no answer to this one
            findings = []
        self.known[trial.key] = frozenset(f.identity for f in findings)
        return self.known[trial.key]

    def _find(self, trial: Trial, wanted: Identity) -> Finding | None:
        findings = trial.judge(self.run(trial)).findings
        return next((f for f in findings if f.identity == wanted), None)

    def _values(self, group: Group) -> Group:
        assert group.trial is not None
        trial, finding = group.trial, group.finding
        draw, below = finding.draw, trial.below
        best = {n: np.array(a) for n, a in trial.case(draw).arrays.items()}
        tried = trial.refilled(draw, [best])
        for _ in range(0 if self.ended() else 4):
            candidates = list(_simpler(best, below))
            batch = trial.refilled(draw, candidates) if candidates else None
            found = None if batch is None else self._first(batch, finding.identity)
            if found is None:
                break
            best = candidates[found.draw]
            tried = trial.refilled(draw, [best])
        final = None if tried is None else self._find(tried, finding.identity)
        if final is None:
            return group
        planned = group.planned or trial
        return replace(group, finding=final, trial=tried, planned=planned, refilled=draw)

    def _first(self, trial: Trial, wanted: Identity) -> Finding | None:
        findings = trial.judge(self.run(trial)).findings
        same = [f for f in findings if f.identity == wanted]
        return min(same, key=lambda f: f.draw, default=None)


@dataclass(slots=True)
class _Shrinking:
    """The smallest trial found so far that shows a failure, and what may still be tried."""

    best: Trial
    wanted: Identity
    left: int
    """Trials that may yet be run."""
    idle: int | None = None
    """How many were looked at since one was found; None until then."""
    choices: bytes = b""
    """Hypothesis's choices that made `best`; empty while it is the one of the plan."""

    def fails(self, trial: Trial, shows: Callable[[Trial, _Shrinking], bool]) -> bool:
        """Whether the trial shows the failure; `StopShrinking` when it is enough."""
        if self.idle is not None:
            self.idle += 1
            if self.idle > MOST_IDLE:
                raise StopShrinking
        if not set(trial.unsettled) <= set(self.best.unsettled):
            return False  # what rests on more conventions is no simpler
        if not shows(trial, self):
            return False
        self.idle = 0
        if trial.size < self.best.size:
            self.best, self.choices = trial, current_choices()
        return True


def _simpler(arrays: Mapping[str, Array], below: Mapping[str, int]) -> Iterator[dict[str, Array]]:
    """Simpler numbers, the simplest first: zeros, ones, small integers, one element less."""
    for make in (np.zeros_like, np.ones_like, _counted, _rounded):
        for names in ([*arrays], *([n] for n in arrays if len(arrays) > 1)):
            made = {n: make(a) if n in names and n not in below else a for n, a in arrays.items()}
            if any(not _equal(made[n], arrays[n]) for n in arrays):
                yield made
    yield from _one_element(arrays, below)


def _counted(array: Array) -> Array:
    return (np.arange(array.size).reshape(array.shape) % 100).astype(array.dtype)


def _rounded(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        return np.asarray(np.where(np.abs(array) < 1e6, np.round(array), array), array.dtype)


def _one_element(
    arrays: Mapping[str, Array], below: Mapping[str, int]
) -> Iterator[dict[str, Array]]:
    """One element set to zero, for as many elements as make a short batch."""
    for name, array in arrays.items():
        if name in below or array.size > 12:
            continue
        for index in np.flatnonzero(array.reshape(-1) != 0):
            changed = array.copy()
            changed.reshape(-1)[index] = 0
            yield {**arrays, name: changed}


def _equal(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes()
