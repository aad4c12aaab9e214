"""Workers that end: why, and what of a plan is left out because each loss takes time.

A loss is a worker that hung, died or met a limit. `Losses` counts those of one portion and decides
how much more of it is run:

* A function is left once trials of the weight `MOST_FATAL` have ended the worker.
* A function that hangs is no longer called in the tests of others.
* A function that answers, but slowly, gets no tensors half as large as those of its slow call.
* The first functions that hang get a second try with a longer limit, because the machine may be
  busy. Later functions get one try.
* If many functions in a row only end the worker, or if there are many losses in all, the target is
  at fault as a whole. From then on the suite leaves a function at its first trial that ends the
  worker, after a short limit. It tests a function that answers in full.
* The same follows when most functions so far have ended the worker, and losses
  have taken as long as `BRIEF_WAITS` waits. After `MOST_WAITS` waits the suite ends the portion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from conformance.adapters.patience import (
    CALL_SECONDS,
    FIRST_DRAW,
    HURRIED,
    ONCE,
    USUAL,
    Patience,
    takes_most,
)
from conformance.engine.judging.losses import fault_name
from conformance.engine.judging.trials import Trial
from conformance.observations import (
    Crashed,
    Fault,
    NotRun,
    Outcome,
    StructureObservation,
    TimedOut,
)
from conformance.program import Binding, Program

MOST_FATAL = 8
"""Once trials of a function of this weight have ended the worker, skip the rest."""
_SLOW = 4
"""A trial that hangs, or fills the memory up to its limit, takes long each time it runs. Another
fatal trial costs one start of the worker. The first weighs as much as so many of the second."""
MOST_IN_A_ROW = 5
"""Once so many functions in a row have only ended the worker, the rest is tried briefly."""
MOST_HUNG = 8
"""The same after so many trials that hung."""
MOST_LOST = 64
"""The same after so many trials that ended the worker. In released implementations a portion has 20
at most: the 54 restarts of the worst of them are of 8 trials."""
BRIEF_WAITS = 12
"""The same once losses have taken as long as so many waits for a call that hangs."""
MOST_WAITS = 36
"""Once losses have taken as long as so many waits, the rest is not run: six minutes with the usual
limit, beside the time of the functions that answer."""
_MANY_FUNCTIONS = 8
"""The time of losses counts only if at least so many functions ended the worker, and more than half
of those so far. In released implementations one function in ten does (TensorFlow, OpenVINO)."""
_PATIENT = 3
"""A trial that hangs runs again while fewer trials than this have hung."""
_ESTABLISHED = 2
"""How often a function has to hang before no test of another function calls it."""
_COMPUTES_OTHERS = frozenset({"gradients"})
"""Functions that may hang because others do."""
_MAKERS = {
    Binding.VARIABLE: "variable",
    Binding.CONSTANT: "constant",
    Binding.PLACEHOLDER: "placeholder",
    Binding.PLACEHOLDER_NONE: "placeholder",
}
"""The function that makes an input."""


def is_slow(outcome: Outcome) -> bool:
    """Whether an outcome takes as long as a limit of time or memory."""
    return isinstance(outcome, TimedOut) or (isinstance(outcome, Crashed) and bool(outcome.limit))


def weight(outcome: Outcome) -> int:
    """How much an outcome weighs: nothing unless it ended the worker."""
    return _SLOW if is_slow(outcome) else int(isinstance(outcome, Fault))


def why_restarted(observed: StructureObservation) -> Iterator[str]:
    """Why the worker was replaced after an observation, in a few words; nothing if it was not."""
    yield from (fault_name(fault) for fault in observed.incidents[:1])
    if observed.renewed:
        yield f"it cannot undo {', '.join(observed.renewed)}"


def _answered_slowly(observed: StructureObservation) -> bool:
    """Whether a batch hung, and its draws then took most of the limit alone."""
    limits = [fault.limit for fault in observed.incidents if isinstance(fault, TimedOut)]
    answers = sum(not isinstance(draw.outcome, Fault | NotRun) for draw in observed.draws)
    if not limits or not answers:
        return False
    return takes_most(observed.seconds.total / answers, min(limits))


def _elements(trial: Trial) -> int:
    return sum(math.prod(item.shape) for item in trial.batch.program.inputs)


def _makers(program: Program) -> frozenset[str]:
    """The functions that make the inputs of a program."""
    return frozenset(_MAKERS[i.binding] for i in program.inputs if i.binding in _MAKERS)


@dataclass(slots=True)
class Losses:
    """The losses of one portion of a target."""

    documented: Collection[str]
    """The functions of the edition."""
    call_seconds: float = CALL_SECONDS
    """The seconds that a call may take."""
    elsewhere: int = 0
    """How many workers were lost that were not those of the portion's own session."""
    _fatal: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    """The conventions of the trials of each function that ended the worker, each as often as the
    trial weighs."""
    _hung: Counter[str] = field(default_factory=Counter)
    """How often each function was being called when the worker hung."""
    _suspected: set[str] = field(default_factory=set)
    """The functions that hung in a probe, until they answer a trial of their own."""
    _sizes: dict[str, int] = field(default_factory=dict)
    """The elements of the smallest trial of each function that answered after it had hung."""
    _working: set[str] = field(default_factory=set)
    """The functions that made the inputs of a trial that was answered."""
    _slow: int = 0
    """How many trials hung, or filled the memory."""
    _trials: int = 0
    """How many trials ended the worker."""
    _answered: set[str] = field(default_factory=set)
    """The functions of which a trial did not end the worker."""
    _row: list[str] = field(default_factory=list)
    """The functions that only ended the worker, since a function last answered."""
    _wasted: float = 0.0
    """The seconds that losses took, when most functions last ended the worker."""
    _finished: int = 0
    """How many functions are done."""
    _announced: bool = False
    """Whether `finish` has said that functions are left early."""

    def probed(self, program: Program, observed: StructureObservation) -> None:
        """Note what a probe shows."""
        self._slow += any(map(is_slow, observed.incidents))
        self._suspected |= {*self._blamed(program, observed)}

    def note(self, name: str, trial: Trial, observed: StructureObservation) -> None:
        """Note what a trial of a function shows. Where another function hung, it is to blame."""
        outcomes = [draw.outcome for draw in observed.draws]
        heaviest = max(map(weight, outcomes), default=0)
        blamed = self._blamed(trial.batch.program, observed)
        self._hung.update(blamed)
        if _answered_slowly(observed):
            self._sizes[name] = min(_elements(trial), self._sizes.get(name, _elements(trial)))
        self._trials += heaviest > 0
        self._slow += any(map(is_slow, outcomes))
        if not blamed or name in blamed:
            self._fatal.setdefault(name, []).extend([frozenset(trial.unsettled)] * heaviest)
        if not all(isinstance(outcome, Fault | NotRun) for outcome in outcomes):
            self._answered.add(name)
            self._working |= _makers(trial.batch.program)
            self._suspected -= {name, *self._working}

    def _blamed(self, program: Program, observed: StructureObservation) -> list[str]:
        """The function that was being called each time the worker hung, if that is known."""
        if not any(isinstance(draw.outcome, TimedOut) for draw in observed.draws):
            return []
        steps = [
            fault.step
            for fault in observed.incidents
            if isinstance(fault, TimedOut) and fault.stage == "step" and fault.step is not None
        ]
        called = [program.steps[n].function for n in steps if n < len(program.steps)]
        documented = [f for f in called if f in self.documented and f not in _COMPUTES_OTHERS]
        return documented + self._blamed_makers(program, observed)

    def _blamed_makers(self, program: Program, observed: StructureObservation) -> list[str]:
        """The function that makes all inputs, each time the worker hung there, if it never made
        any."""
        hung = [f for f in observed.incidents if isinstance(f, TimedOut) and f.stage == "bind"]
        makers = _makers(program) - self._working
        return [*makers] * len(hung) if len(_makers(program)) == 1 else []

    def spend(self, seconds: float) -> bool:
        """Note how many seconds losses have taken so far; whether the portion ends for it."""
        lost = sum(map(bool, self._fatal.values()))
        if lost >= max(_MANY_FUNCTIONS, (self._finished + 1) / 2):
            self._wasted = seconds
        return self._over

    def finish(self, name: str) -> str | None:
        """Note that a function is done; what the rest loses by it, if that is decided now."""
        self._finished += 1
        if name in self._answered:
            self._row.clear()
        elif self._fatal.get(name):
            self._row.append(name)
        if self._over:
            return f"lost workers took {self._wasted:.0f} s; what was left then was not run"
        if self._announced or not self.brief:
            return None
        self._announced = True
        return self._why(name)

    @property
    def _wait(self) -> float:
        """The seconds of a wait for a call that hangs; starts take as long with a short limit."""
        return max(self.call_seconds, CALL_SECONDS)

    @property
    def _over(self) -> bool:
        """Whether losses have taken so much time that the rest of the portion is not run."""
        return self._wasted >= MOST_WAITS * self._wait

    def _why(self, name: str) -> str:
        if len(self._row) >= MOST_IN_A_ROW:
            why = f"{len(self._row)} functions in a row answered no case"
        elif self._slow >= MOST_HUNG:
            why = f"{self._slow} cases hung or filled the memory"
        elif self._trials < MOST_LOST:
            why = f"lost workers took {self._wasted:.0f} s"
        else:
            why = f"{self._trials} cases ended the worker"
        return f"{why} (the last of {name}); later functions are left at their first such case"

    @property
    def brief(self) -> bool:
        """Whether a function is left at its first trial that ends the worker."""
        row = len(self._row) >= MOST_IN_A_ROW
        late = self._wasted >= BRIEF_WAITS * self._wait
        return row or late or self._slow >= MOST_HUNG or self._trials >= MOST_LOST

    def patience(self, name: str) -> Patience:
        """How the host treats the next trial of a function if it ends the worker."""
        if self.brief:
            return HURRIED
        if self._fatal.get(name) or self._hung[name] >= _ESTABLISHED:
            return FIRST_DRAW
        return USUAL if self._slow < _PATIENT else ONCE

    @property
    def patience_elsewhere(self) -> Patience:
        """The same for trials that share a configured process, before one of them hangs there."""
        if self.brief:
            return HURRIED
        return ONCE if self._slow else USUAL

    def haste(self, name: str) -> Patience:
        """The same for a trial that makes a failure smaller."""
        return HURRIED if self._fatal.get(name) else ONCE

    def are_enough(self, name: str, trial: Trial) -> bool:
        """Whether a trial is not run because others of its function have ended the worker.

        A settled trial is skipped only after `MOST_FATAL` of them. A trial that rests on
        conventions is skipped if a trial ended the worker that rests on no others.
        """
        here = self._fatal.get(name, [])
        unsettled = frozenset(trial.unsettled)
        most = 1 if self.brief else _SLOW if self._slow >= _ESTABLISHED else MOST_FATAL
        return len(here) >= most or any(f and f <= unsettled for f in here)

    def is_too_large(self, name: str, trial: Trial) -> bool:
        """Whether a trial has half as many elements as a slow one of its function."""
        return name in self._sizes and 2 * _elements(trial) >= self._sizes[name]

    def hanging(self, name: str, program: Program) -> str | None:
        """A function that a trial of another one would call, and that is known to hang."""
        if not self._hung and not self._suspected:
            return None
        others = {s.function for s in program.steps} | program.functions() | _makers(program)
        hanging = {
            f for f in others if self._hung.get(f, 0) >= _ESTABLISHED
        } | self._suspected & others
        return min(hanging - {name}, default=None)
