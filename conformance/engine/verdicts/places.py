"""Rank the lines of an implementation that may be the cause of a wrong answer.

An exception names the line that raised it; a wrong answer names none. *Spectrum-based localisation*
compares which lines run: a line that every failing case runs and no passing one is suspect. The
worker runs the failing case, some trials with the same symptom, and some trials that pass, each
once under a line tracer. The score of a line is that of Ochiai: f / sqrt(F (f + p)). There f of
the F failing cases and p passing cases run the line (Abreu, Zoeteweij and van Gemund, 2006).

In a graph backend the lines are those that build the graph. No verdict and no id depends on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import evenly
from conformance.engine.verdicts.symptoms import Symptom, symptom
from conformance.engine.verdicts.tally import Group
from conformance.observations import Batch, StructureObservation, TracedFunction
from conformance.program import Input, Program, Step
from conformance.results import FindingKind, SuspectLine, Verdict
from conformance.results.kinds import FATAL

Trace = tuple[TracedFunction, ...]
RunBatch = Callable[[Batch], StructureObservation]

MOST_LOCATED = 6
"""How many failures of one function get the lines, the gravest first."""
MOST_SECONDS = 10.0
"""Once the traced cases of one function, or the controls, have taken so long inside the
implementation, no more run. Few targets need a tenth of it."""
MOST_FAILING, MOST_PASSING = 8, 24
"""How many trials of each sort run for a failure."""
MOST_DRAWS = 4
"""How many draws of a trial run."""
MOST_LINES = 5
"""How many lines a failure lists."""
MOST_TRACES, MOST_CONTROLS = 128, 512
"""How many traces are kept as statements, and of how many more the functions are."""
_WITHOUT_ANSWER = FATAL | {
    FindingKind.EXCEPTION,
    FindingKind.INT_SHAPE_RAISES,
    FindingKind.NO_GRADIENTS,
    FindingKind.NO_STATIC_SHAPES,
    FindingKind.UNMADE_INPUT,
}


class Spectra(NamedTuple):
    """The traces of the cases that show a failure, of cases that pass, and of other functions."""

    failing: Sequence[Trace]
    passing: Sequence[Trace]
    others: Sequence[Trace] = ()


@dataclass(slots=True)
class Locator:
    """Finds the lines for the failures of one function on one target.

    `run` executes a batch; `trials` are those of the function, and `known` has the symptoms of each
    that was run, by its key. `others` are the traces of right answers of other functions.
    """

    run: RunBatch
    trials: Sequence[Trial]
    known: Mapping[str, frozenset[Symptom]]
    others: Callable[[], Sequence[Trace]] = tuple
    ended: Callable[[], bool] = lambda: False
    _traces: dict[str, Trace] = field(default_factory=dict)
    """Those of trials of the plan, by key."""
    _traits: dict[str, frozenset[str]] = field(default_factory=dict)
    """The traits of trials, by key."""
    _seconds: float = 0.0
    """How long the traced cases took inside the implementation."""
    _lost: bool = False
    """Whether a worker was lost: then the other failures get no lines."""

    def located(self, groups: Sequence[Group]) -> list[Group]:
        """The groups, the first of the wrong answers with their lines."""
        wrong = [id(group) for group in groups if _is_wrong_answer(group)][:MOST_LOCATED]
        return [self._with_lines(group) if id(group) in wrong else group for group in groups]

    def _with_lines(self, group: Group) -> Group:
        spectra = self.spectra(group)
        return group if spectra is None else replace(group, lines=ranked(spectra))

    def spectra(self, group: Group) -> Spectra | None:
        """The traces for a failure; None if they cannot be had."""
        trial = group.trial
        if trial is None or self.ended() or self._lost:
            return None
        shown = self._trace(trial.batch.part(group.finding.draw, group.finding.draw + 1))
        if not shown:
            return None
        alike = [t for t in self._ran() if self._shows(t, group)]
        right = [t for t in self._ran() if not self.known[t.key]]
        failing = [self._traced(t) for t in self._chosen(trial, alike, MOST_FAILING - 1)]
        passing = [self._traced(t) for t in self._chosen(trial, right, MOST_PASSING)]
        if self._lost:
            return None
        return Spectra([shown, *filter(None, failing)], list(filter(None, passing)), self.others())

    def _ran(self) -> Iterator[Trial]:
        """The trials that were run in the process of the function."""
        yield from (t for t in self.trials if t.setup is None and self.known.get(t.key) is not None)

    def _shows(self, trial: Trial, group: Group) -> bool:
        identities = {shown.identity[:3] for shown in self.known[trial.key]}
        return symptom(group.finding).identity[:3] in identities

    def _chosen(self, trial: Trial, others: Sequence[Trial], most: int) -> list[Trial]:
        """Some of the trials: half are those most like this one, of its own kind first, and half
        are spread over the others. Like trials differ in few conditions, spread ones in many."""
        traits = self._traits_of(trial)

        def distance(other: Trial) -> tuple[bool, int]:
            return type(other) is not type(trial), len(traits ^ self._traits_of(other))

        near = sorted((o for o in others if o.key != trial.key), key=distance)
        rest = near[most // 2 :]
        return near[: most // 2] + evenly(rest, most - most // 2)

    def _traits_of(self, trial: Trial) -> frozenset[str]:
        if trial.key not in self._traits:
            self._traits[trial.key] = _traits(_program(trial))
        return self._traits[trial.key]

    def _traced(self, trial: Trial) -> Trace:
        if trial.key not in self._traces:
            draws = min(trial.batch.draws, MOST_DRAWS)
            self._traces[trial.key] = self._trace(trial.batch.part(0, draws))
        return self._traces[trial.key]

    def _trace(self, batch: Batch) -> Trace:
        """The trace of one batch; empty if it costs the worker, or if the time is over."""
        if self._lost or self.ended() or self._seconds > MOST_SECONDS:
            return ()
        observed = self.run(replace(batch, trace=True))
        self._seconds += observed.seconds.total
        self._lost = bool(observed.incidents)
        return observed.trace


def _is_wrong_answer(group: Group) -> bool:
    """Whether a violation is an answer, from a process that other trials share."""
    finding, trial = group.finding, group.trial
    if trial is None or trial.setup is not None or finding.place is not None:
        return False
    return finding.verdict is Verdict.VIOLATES and finding.kind not in _WITHOUT_ANSWER


# Trials that are alike


def _program(trial: Trial) -> Program:
    """The program of a trial; of a call without its numbers, which are drawn again if need be."""
    if isinstance(trial, CallTrial):
        return trial.prepared.structure.program
    return trial.batch.program


def _traits(program: Program) -> frozenset[str]:
    """The inputs' dtypes, ranks and bindings, and the arguments of the steps."""
    inputs = (trait for item in program.inputs for trait in _of_input(item))
    return frozenset([*inputs, *(trait for step in program.steps for trait in _of_step(step))])


def _of_input(item: Input) -> Iterator[str]:
    yield f"{item.name} {item.dtype}"
    yield f"{item.name} {item.binding} {item.layout}"
    yield f"{item.name} {len(item.shape)} {0 in item.shape} {1 in item.shape}"


def _of_step(step: Step) -> Iterator[str]:
    yield step.function
    yield from (f"{step.function} {place} {value!r}" for place, value in enumerate(step.args))
    yield from (f"{step.function} {name} {value!r}" for name, value in step.kwargs)


# Ranking


_Home = tuple[str, int, str]


class _Statement(NamedTuple):
    """A statement, in the function whose code has it."""

    file: str
    first: int
    """The line where the function begins."""
    function: str
    number: int
    """The line where the statement begins."""

    @property
    def home(self) -> _Home:
        """The function, by file, first line and name."""
        return self[:3]


@dataclass(slots=True)
class _Spectrum:
    """Which cases run each statement that the shown case runs."""

    failing: Sequence[Mapping[_Statement, int]]
    """The statements of each failing case, with their sizes; the shown case is the first."""
    passing: Sequence[Mapping[_Statement, int]]
    common: frozenset[_Home]
    """The functions that right answers of other functions run."""
    runs: Counter[_Home]
    """How many failing cases run each function."""
    depths: Mapping[_Home, int]

    @classmethod
    def of(cls, spectra: Spectra) -> _Spectrum:
        """The spectrum of the traces."""
        failing = [_sizes(trace) for trace in spectra.failing]
        return cls(
            failing,
            [_sizes(trace) for trace in spectra.passing],
            frozenset[_Home]().union(*map(_homes, spectra.others)),
            Counter(home for sizes in failing for home in {s.home for s in sizes}),
            {(f.file, f.first, f.name): f.depth for f in reversed(spectra.failing[0])},
        )

    def score(self, statement: _Statement) -> float:
        """The score of Ochiai."""
        failing = sum(statement in sizes for sizes in self.failing)
        passing = sum(statement in sizes for sizes in self.passing)
        return failing / math.sqrt(len(self.failing) * (failing + passing))

    def order(self, statement: _Statement) -> tuple[float, ...]:
        """The place of a statement among all: the smallest is the most suspect."""
        home = statement.home
        function = (home in self.common, -self.runs[home], -self.depths[home], home[1])
        size = self.failing[0][statement]
        return (*function, -round(self.score(statement), 4), -size, statement.number)


def ranked(spectra: Spectra) -> tuple[SuspectLine, ...]:
    """The most suspect lines, the most suspect first.

    Lines of one function stand together. Functions that no control runs precede common ones, then
    the number of failing cases that run them decides, then the depth. In a function the score
    decides, then the size of the statement: more code has more faults.
    """
    spectrum = _Spectrum.of(spectra)
    lines = sorted(spectrum.failing[0], key=spectrum.order)[:MOST_LINES]
    return tuple(
        SuspectLine(
            place=f"{line.file}:{line.number}, in {line.function}",
            score=round(spectrum.score(line), 4),
        )
        for line in lines
    )


@lru_cache(MOST_CONTROLS)
def _homes(trace: Trace) -> frozenset[_Home]:
    """The functions of a trace."""
    return frozenset(statement.home for statement in _sizes(trace))


@lru_cache(MOST_TRACES)
def _sizes(trace: Trace) -> Mapping[_Statement, int]:
    """The statements of a trace with their sizes; those of a comprehension or a lambda belong to
    the function around it."""
    sizes: dict[_Statement, int] = {}
    homes: dict[tuple[str, int], _Statement] = {}
    for function in sorted(trace, key=lambda f: f.name.startswith("<")):
        for number, size in function.lines.items():
            own = _Statement(function.file, function.first, function.name, number)
            statement = homes.setdefault((function.file, number), own)
            sizes[statement] = sizes.get(statement, 0) + size
    return sizes
