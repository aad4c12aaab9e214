"""Measure how many cases of each target are run in a second, and where the time is spent.

    python benchmarks/rates.py [TARGET...] [--seconds S]

A case is one draw of numbers through one structure, evaluated by the target and compared with the
oracle element by element. A sweep takes the same cases of all functions through the whole pipeline
(generation, oracle, worker, comparison) with one worker; starting the worker and making failures
smaller are not counted. The first sweep of a target is not counted either: it fills the
caches (Theano compiles C). The baseline takes the same cases one at a time: a fresh graph, one
round trip and one comparison for each, as Keras's own tests do; generation is left out of it.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

import click
from rich.console import Console
from rich.table import Table

import conformance
from conformance.adapters import environments
from conformance.adapters.access import open_session
from conformance.adapters.registry import UnknownTargetError, resolve, shipped
from conformance.adapters.target_records import Target
from conformance.engine import PROFILES, Run, Subject, plan
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.judge import judge
from conformance.engine.planning.plan import Task
from conformance.engine.running.examination import Examination
from conformance.engine.running.progress import Progress
from conformance.engine.running.stop import Stop
from conformance.results import Aspect
from conformance.results.events import (
    CasesDone,
    Event,
    TargetFinished,
    TargetStarted,
)
from conformance.specs import load

GOALS = {
    "keras-2.2.4-tensorflow": 400,
    "keras-2.2.4-cntk": 400,
    "keras-2.2.4-theano": 100,
    "reference": 1500,
}
"""Cases a second that each target should reach, Theano with a warm cache."""

ASPECTS = (Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.PURITY)
LEAST_SWEEPS = 3


@dataclass(slots=True)
class Measured:
    """`cases` in `seconds` of wall time, of which the implementation had `inside`."""

    cases: int = 0
    seconds: float = 0.0
    inside: float = 0.0
    host: float = 0.0
    """Processor time of this process."""
    restarts: int = 0

    @property
    def rate(self) -> float:
        """Cases a second."""
        return self.cases / self.seconds


@dataclass(slots=True)
class Stopwatch:
    """Takes the time of a sweep from its events."""

    measured: Measured = field(default_factory=Measured)
    _begun: float = 0.0
    _host: float = 0.0

    def __call__(self, event: Event) -> None:
        """Handle one event."""
        measured = self.measured
        match event:
            case TargetStarted():
                self._begun, self._host = time.perf_counter(), time.process_time()
            case CasesDone():
                measured.cases += event.cases
                measured.seconds = time.perf_counter() - self._begun
                measured.host = time.process_time() - self._host
            case TargetFinished():
                measured.inside = event.results.run.seconds_in_target
                measured.restarts = event.results.run.restarts


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured: so many structures for each function, with the draws of a profile."""

    structures: int
    seed: int
    seconds: float

    def tasks(self, target: Target) -> list[Task]:
        """The plan, made anew: what was generated before is not kept."""
        profile = dataclasses.replace(
            PROFILES["default"],
            structures=self.structures,
            shrink=0,
            shrink_other=0,
            contains=None,
        )
        return plan(load(), target.edition, profile, self.seed, aspects=ASPECTS)

    def sweep(self, target: Target) -> Measured:
        """One sweep with a new worker."""
        tasks = self.tasks(target)
        names = [t.documented.name for t in tasks]
        common = Run(conformance.__version__, tasks[0].profile, self.seed, "")
        stop, stopwatch = Stop(), Stopwatch()
        subject = Subject(
            target.name,
            target.edition,
            target.implementation,
            partial(open_session, target),
            workers=1,
        )
        with subject.open(names, 0) as session:
            examination = Examination(subject, session, tasks, common, stopwatch, stop)
            progress = Progress(subject, tasks, common, stopwatch, stop=stop)
            for examined in examination.all(progress.introduce):
                progress.record(examined)
            progress.done()
        return stopwatch.measured

    def sweeps(self, target: Target) -> list[Measured]:
        """At least `LEAST_SWEEPS` of them, and as many as begin within the time."""
        begun = time.perf_counter()
        sweeps: list[Measured] = []
        while len(sweeps) < LEAST_SWEEPS or time.perf_counter() - begun < self.seconds:
            sweeps.append(self.sweep(target))
        return sweeps

    def baseline(self, target: Target) -> Measured:
        """The same cases one by one, in random order, until the time is up."""
        tasks = self.tasks(target)
        with open_session(target, [t.documented.name for t in tasks]) as session:
            present = session.identity.functions
            available = [t for t in tasks if present[t.documented.name].present]
            cases = [case for task in available for case in _single(task)]
            Random(self.seed).shuffle(cases)
            measured, begun, host = Measured(), time.perf_counter(), time.process_time()
            for case in cases:
                observed = session.run_batch(case.batch)
                judge(case, observed)
                measured.cases += 1
                measured.inside += observed.seconds.total
                measured.seconds = time.perf_counter() - begun
                if measured.seconds > self.seconds:
                    break
            measured.host = time.process_time() - host
            measured.restarts = session.starts - 1
        return measured


def _single(task: Task) -> Iterator[Prepared]:
    """Every case of a task as a structure with one draw."""
    for prepared in task.prepared():
        for draw, arrays in zip(prepared.draws, prepared.arrays, strict=True):
            yield Prepared(prepared.structure, [draw], [arrays])


@dataclass(frozen=True, slots=True)
class RateRow:
    """What was found for one target."""

    name: str
    sweeps: Sequence[Measured]
    baseline: Measured

    @property
    def rate(self) -> float:
        """The median of the sweeps, in cases a second."""
        return statistics.median(s.rate for s in self.sweeps)

    @property
    def total(self) -> Measured:
        """All sweeps together."""
        fields = ("cases", "seconds", "inside", "host")
        return Measured(**{f: sum(getattr(s, f) for s in self.sweeps) for f in fields})

    def cells(self, reference: float | None) -> list[str]:
        """The row of the table; rates are compared with that of the reference."""
        total, rates = self.total, [s.rate for s in self.sweeps]
        goal = GOALS.get(self.name)
        inside = total.inside or float("nan")
        return [
            self.name,
            f"{self.rate:.0f}",
            f"{min(rates):.0f} to {max(rates):.0f} ({len(rates)})",
            "" if goal is None else f"{goal} {'reached' if self.rate >= goal else 'missed'}",
            f"{total.inside / total.seconds:.0%}",
            f"{(total.seconds - total.inside) / inside:.2f}",
            f"{1e6 * total.host / total.cases:.0f}",
            f"{self.baseline.rate:.0f}",
            f"{self.rate / self.baseline.rate:.1f}",
            "" if reference is None else f"{self.rate / reference:.3f}",
            str(max(s.restarts for s in self.sweeps)),
        ]


COLUMNS = {
    "target": "left",
    "cases/s": "right",
    "least to most (sweeps)": "right",
    "goal": "left",
    "in target": "right",
    "harness/target": "right",
    "host µs/case": "right",
    "one by one, cases/s": "right",
    "speed-up": "right",
    "of reference": "right",
    "restarts": "right",
}


def _table(rows: Sequence[RateRow]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name, justify in COLUMNS.items():
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    reference = next((r.rate for r in rows if r.name == "reference"), None)
    for row in rows:
        table.add_row(*row.cells(reference))
    return table


def _ready(names: Sequence[str]) -> list[Target]:
    """The targets that are named, or all; a usage error names one that is not ready."""
    try:
        targets = resolve(names) if names else list(shipped().values())
    except UnknownTargetError as error:
        raise click.UsageError(str(error)) from error
    ready = []
    for target in targets:
        state = environments.status(target)
        if isinstance(state, environments.Ready):
            ready.append(target)
        elif names:
            raise click.UsageError(f"{target.name}: {state.reason}; first: {state.hint}")
    return ready


@click.command(help=__doc__)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=20.0,
    show_default=True,
    help="For the sweeps of a target, and for its baseline; three sweeps are made at least.",
)
@click.option(
    "--structures",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Structures for each function; the draws are those of the default profile.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def main(targets: tuple[str, ...], seconds: float, structures: int, seed: int) -> None:
    """Measure and print the table."""
    bench, rows = Bench(structures, seed, seconds), []
    for target in _ready(targets):
        first = bench.sweep(target)
        click.echo(f"{target.name}: first sweep {first.cases} cases, {first.rate:.0f}/s", err=True)
        rows.append(RateRow(target.name, bench.sweeps(target), bench.baseline(target)))
    Console(width=None if sys.stdout.isatty() else 200).print(_table(rows))


if __name__ == "__main__":
    main()
