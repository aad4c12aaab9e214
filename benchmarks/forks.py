"""Compare workers that are forked with workers that are started: time, and the results.

    python benchmarks/forks.py [TARGET...] [--functions NAMES] [--profile NAME] [--pairs N]

A pair is a run with forks and one with full starts of the same functions of a target, one after the
other, with one worker; their cases are made before. The table has the medians of wall time and CPU
time (of this process, and of the workers with all that they started), how often a worker was
replaced, and whether the results of all runs are the same, times aside. A restart is what a session
waits for between the end of a worker and the answer of the next one to its first two requests.

CNTK dies on every empty array, and a run leaves such cases out once it knows. With --deadly they
are run, and the table shows what many restarts cost.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from unittest.mock import patch

import click
import msgspec
from rich.console import Console
from rich.table import Table

import conformance
from conformance.adapters.access import launch
from conformance.adapters.registry import resolve
from conformance.adapters.session import Session
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Run, plan, run
from conformance.engine.planning.plan import Task
from conformance.engine.running.examination import Examination
from conformance.results import Results
from conformance.results.events import Event, TargetFinished
from conformance.results.model import timeless
from conformance.specs import load

TARGETS = ("keras-2.2.4-cntk", "keras-2.2.4-theano", "keras-2.2.4-tensorflow", "tf_keras")
FUNCTIONS = "zeros_like in_top_k square exp pow clip maximum prod std random_uniform one_hot gather"
"""CNTK ends its own process in most of these."""
RESTARTS = 5


@dataclass(frozen=True, slots=True)
class ForkTime:
    """Seconds: of wall time, of this process, and of the processes that it waited for."""

    wall: float
    host: float
    workers: float

    @property
    def cpu(self) -> float:
        """CPU time of all processes."""
        return self.host + self.workers

    @classmethod
    def now(cls) -> ForkTime:
        """What has been spent until now."""
        own = resource.getrusage(resource.RUSAGE_SELF)
        below = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(
            time.perf_counter(), own.ru_utime + own.ru_stime, below.ru_utime + below.ru_stime
        )

    def since(self, begun: ForkTime) -> ForkTime:
        """The difference."""
        return ForkTime(
            self.wall - begun.wall, self.host - begun.host, self.workers - begun.workers
        )


class RestartableSession(Session):
    """A session whose worker can be replaced at any time."""

    def restart(self) -> None:
        """End the worker, start another and wait until it is ready."""
        self._drop()
        self._connected()


@dataclass(slots=True)
class ForkWay:
    """The runs of a target with forks, or those without."""

    target: Target
    results: list[Results] = field(default_factory=list)
    spent: list[ForkTime] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)
    restart_cpu: float = 0.0

    def run(self, tasks: Sequence[Task]) -> None:
        """One run more."""
        target, events = self.target, list[Event]()
        common = Run(conformance.__version__, tasks[0].profile, tasks[0].seed, "")
        begun = ForkTime.now()
        only = replace(subject(target), workers=1)
        run([only], {target.edition: tasks}, common, events.append, 1)
        self.spent.append(ForkTime.now().since(begun))
        self.results += [e.results for e in events if isinstance(e, TargetFinished)]

    def restart(self) -> None:
        """Measure restarts of an idle worker; a worker's CPU time is known once all have ended."""
        whole = [self._session(count) for count in (0, RESTARTS)]
        self.restart_cpu = (whole[1].cpu - whole[0].cpu) / RESTARTS

    def _session(self, restarts: int) -> ForkTime:
        begun = ForkTime.now()
        with closing(RestartableSession(launch(self.target))) as session:
            session.restart()
            for _ in range(restarts):
                before = time.perf_counter()
                session.restart()
                self.restarts.append(time.perf_counter() - before)
        return ForkTime.now().since(begun)

    def cells(self) -> list[str]:
        """The row of the table."""
        named = "fork" if self.target.fork else "full start"
        cells = [
            f"{1000 * s:.0f}"
            for s in (statistics.median(self.restarts), min(self.restarts), self.restart_cpu)
        ]
        cells += [
            f"{statistics.median(getattr(s, f) for s in self.spent):.1f}"
            for f in ("wall", "host", "workers")
        ]
        return [self.target.name, named, *cells, str(self.results[0].run.restarts)]


COLUMNS = (
    "target",
    "worker",
    "restart, ms",
    "least",
    "CPU ms",
    "wall, s",
    "host, CPU s",
    "workers, CPU s",
    "restarts",
)


def _measure(target: Target, functions: Sequence[str], profile: str, pairs: int) -> list[ForkWay]:
    """Both ways of a target, forks first."""
    ways = [ForkWay(msgspec.structs.replace(target, fork=fork)) for fork in (True, False)]
    for way in ways:
        way.restart()
    specs, profiled = load(), PROFILES[profile]
    for _ in range(pairs):
        for way in ways:
            tasks = plan(specs, target.edition, profiled, 0, select=functions.__contains__)
            for task in tasks:
                task.trials()
            way.run(tasks)
    return ways


def _different(ways: Sequence[ForkWay]) -> list[str]:
    """The functions whose results are not the same in all runs."""
    every = [timeless(results) for way in ways for results in way.results]
    of = [{f.function: f for f in results.functions} for results in every]
    return [name for name in of[0] if any(functions[name] != of[0][name] for functions in of)]


@click.command(help=__doc__)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option("--functions", default=FUNCTIONS, help="Their names, with spaces between.")
@click.option("--profile", type=click.Choice(list(PROFILES)), default="default")
@click.option("--pairs", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--deadly", is_flag=True, help="Run the cases of which a target is known to die.")
def main(targets: tuple[str, ...], functions: str, profile: str, pairs: int, deadly: bool) -> None:
    """Measure and print the table; exit status 1 if results differ."""
    if deadly:
        patch.object(Examination, "_probe_empty_arrays", lambda _: None).start()
    table = Table(*COLUMNS, box=None, pad_edge=False)
    different: dict[str, list[str]] = {}
    for target in resolve(targets or TARGETS):
        ways = _measure(target, functions.split(), profile, pairs)
        for way in ways:
            table.add_row(*way.cells())
        different[target.name] = _different(ways)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    for name, those in different.items():
        click.echo(f"{name}: {'different: ' + ' '.join(those) if those else 'the same results'}")
    sys.exit(any(different.values()))


if __name__ == "__main__":
    main()
