"""Whether the cases that are shown of planted errors are fair: `python -m tools.shown_cases`.

Each mutant of a sample is run, the failing cases of its function are made smaller, and each
violation is looked at:

* the case that is shown has numbers that the plan could have drawn (`generators/admissible.py`);
* its script, on the target without the error, ends with status 0: the answer is right there. Else
  the target itself has the violation, as the judge says, and not the script alone.

    python -m tools.shown_cases --sample 100                            mutants of the reference
    python -m tools.shown_cases keras3-ops-numpy --code --sample 100    changes in a backend's code

The exit status is 1 if a shown case is not fair, and 3 if the target cannot be run.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from conformance.adapters import environments
from conformance.adapters.launching import interpreter, launch_environment
from conformance.adapters.registry import shipped
from conformance.adapters.session import Session, SessionAbortedError, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Run, Subject, Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import documented_names
from conformance.engine.running.examination import Examination
from conformance.engine.running.stop import Stop
from conformance.engine.verdicts.origins import trials
from conformance.generators import Draw
from conformance.generators.admissible import admissible
from conformance.generators.structure import Structure
from conformance.mutation.backend import MutatedTarget
from conformance.mutation.code.population import (
    CodeMutant,
    TargetSources,
    code_population,
    drawn,
    sources,
)
from conformance.mutation.code.scoring import changed
from conformance.mutation.model import Mutant
from conformance.mutation.population import population
from conformance.results import Failure, Verdict
from conformance.specs import load
from conformance.specs.load import documented_name

SECONDS = 600
"""How long a script may take."""
TIMED_OUT = 124
"""The status of a script that takes longer."""


@dataclass(frozen=True, slots=True)
class Planted:
    """One error, the function that is run with it, and a backend that has it."""

    name: str
    function: str
    mutated: Callable[[], Any]
    """A context manager that gives a subject with a session."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownMutant:
    """A violation that an error causes, as it is shown."""

    planted: str
    function: str
    failure: Failure
    unfair: str
    """Why the plan could not have made the case; empty if it could."""


@dataclass(slots=True)
class Showing:
    """Runs errors in one target, and gathers what is shown of them."""

    target: Target
    profile: str = "smoke"
    seed: int = 0
    run: int = 0
    """How many errors were run."""
    problems: list[str] = field(default_factory=list)
    """Errors that could not be planted, and why."""
    _base: dict[str, frozenset[str]] = field(default_factory=dict)
    _tasks: dict[str, Task] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tasks = plan(load(), self.target.edition, PROFILES[self.profile], self.seed)
        self._tasks = {task.spec.name: task for task in tasks}

    def cases(self, planted: Planted) -> list[ShownMutant]:
        """The shown cases of an error; none if it cannot be planted."""
        try:
            failures = list(self._violations(planted))
        except (WorkerStartError, SessionAbortedError, OSError, ValueError) as problem:
            self.problems.append(f"{planted.name}: {problem}")
            return []
        self.run += 1
        name = planted.function
        return [ShownMutant(planted.name, name, f, self.unfair(name, f)) for f in failures]

    def is_of_target(self, case: ShownMutant, without: Planted) -> bool:
        """Whether the target, with the backend of `without`, has the violation without an error: a
        run shows it, or the case that is shown violates there in the same way."""
        name = case.function
        if name not in self._base:
            violations = self._violations(replace(without, function=name))
            self._base[name] = frozenset(f.id for f in violations)
        return case.failure.id in self._base[name] or self._is_judged_alike(case, without)

    def _is_judged_alike(self, case: ShownMutant, without: Planted) -> bool:
        remade = trials(self._tasks[case.function], case.failure)
        with without.mutated() as (_, session):
            judged = [t.judge(session.run_batch(t.batch)) for t in remade if t.setup is None]
        findings = [finding for judgement in judged for finding in judgement.findings]
        kinds = {f.kind for f in findings if f.verdict is Verdict.VIOLATES}
        return case.failure.kind in kinds

    def _violations(self, planted: Planted) -> Iterator[Failure]:
        common = Run("shown", PROFILES[self.profile], self.seed, "2000-01-01T00:00:00+00:00")
        task = self._tasks[planted.function]
        with planted.mutated() as (tested, session):
            examination = Examination(tested, session, [task], common, lambda _: None, Stop())
            results = [function.result for function in examination.all(lambda _: None)]
        failures = (f for result in results for a in result.aspects for f in a.failures)
        yield from (f for f in failures if f.verdict is Verdict.VIOLATES and f.script)

    def unfair(self, function: str, failure: Failure) -> str:
        """Why the plan could not have made the case that is shown; empty if it could."""
        if failure.program is None:
            return ""
        source, remade = failure.origin, trials(self._tasks[function], failure)
        if not remade:
            return "it is not made again from its origin"
        draw = 0 if getattr(source, "arrays", None) else getattr(source, "draw", 0)
        return "" if all(_is_fair(trial, draw) for trial in remade) else "its numbers are not drawn"


def _is_fair(trial: Trial, draw: int) -> bool:
    """Whether the numbers of a case are such as the plan draws; scenarios are never refilled."""
    arrays = {name: np.asarray(a) for name, a in trial.case(draw).arrays.items()}
    parts: tuple[Structure, Draw] | None = None
    if isinstance(trial, CallTrial):
        parts = trial.prepared.structure, trial.prepared.draws[draw]
    elif isinstance(trial, GradientTrial):
        parts = trial.differentiated.structure, trial.draws[draw]
    return parts is None or admissible(parts[0], arrays, parts[1].profile)


def statuses(target: Target, scripts: Sequence[str], jobs: int = 2) -> list[tuple[int, str]]:
    """The exit status and the output of each script on the target as it is."""
    environment = launch_environment(target)
    command = [str(interpreter(target)), "-B", "-"]

    def ended(script: str) -> tuple[int, str]:
        try:
            done = subprocess.run(
                command,
                input=script,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT, f"it takes more than {SECONDS} s"
        return done.returncode, (done.stdout + done.stderr)[-2000:]

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(ended, scripts))


# Errors


def of_wrappers(
    target: Target, sample: int, seed: int, select: Callable[[str], bool] = lambda _: True
) -> tuple[list[Planted], Planted]:
    """Errors in the functions of a target that is a module, and the target without any."""
    every = population(load(), target.edition, select)
    chosen = sorted(every, key=lambda m: hashlib.sha256(f"{seed}:{m.name}".encode()).digest())
    backend = MutatedTarget(target, documented_names(target.edition))
    prelude = subject(target).prelude

    @contextmanager
    def mutated(mutant: Mutant | None) -> Iterator[tuple[Subject, Session]]:
        text = "" if mutant is None else mutant.text(_own_name(target, mutant.function))
        backend.restart()
        if problem := backend.set_mutant(text):
            raise ValueError(problem)
        yield replace(backend.subject(), prelude=prelude), backend.session

    planted = [Planted(m.name, m.function, _later(mutated, m)) for m in chosen[:sample]]
    return planted, Planted("none", "", _later(mutated, None))


def of_code(
    target: Target, sample: int, seed: int, select: Callable[[str], bool] = lambda _: True
) -> tuple[list[Planted], Planted]:
    """Changes in the code of a target, each with the function that is nearest to it."""
    code: TargetSources = sources(target)
    prelude = subject(target).prelude

    @contextmanager
    def mutated(mutant: CodeMutant | None) -> Iterator[tuple[Subject, Session]]:
        with tempfile.TemporaryDirectory(prefix="conformance-shown-") as folder:
            files = {}
            if mutant is not None:
                files[mutant.module.name] = Path(folder, "changed.py")
                files[mutant.module.name].write_bytes(mutant.source())
            tested = replace(subject(changed(target, files)), prelude=prelude)
            session = tested.open(documented_names(target.edition), 0)
            try:
                yield tested, session
            finally:
                session.close()

    chosen = drawn(code_population(code, select), sample, seed)
    planted = [Planted(m.name, m.reached_from[0], _later(mutated, m)) for m in chosen]
    return planted, Planted("none", "", _later(mutated, None))


def _later(mutated: Callable[[Any], Any], mutant: Any) -> Callable[[], Any]:
    return lambda: mutated(mutant)


def _own_name(target: Target, function: str) -> str:
    name = documented_name(load()[function], target.edition)
    return target.names.get(name, name)


# The command


@click.command()
@click.argument("name", metavar="TARGET", default="reference")
@click.option("--code", is_flag=True, help="Change the target's source.")
@click.option("--sample", default=100, show_default=True, help="How many errors.")
@click.option("--seed", default=0, show_default=True)
@click.option("--profile", default="smoke", type=click.Choice([*PROFILES]), show_default=True)
def main(name: str, code: bool, sample: int, seed: int, profile: str) -> None:
    """Look at the cases that are shown of errors in a target."""
    begun = time.monotonic()
    if name not in shipped():
        raise click.UsageError(f"{name} is not a target: `conformance targets` lists them")
    target = shipped()[name]
    state = environments.status(target)
    if not isinstance(state, environments.Ready):
        click.echo(f"error: {name}: {state.reason}\nhint: {state.hint}", err=True)
        raise SystemExit(CANNOT_RUN)
    showing = Showing(target, profile, seed)
    planted, without = (of_code if code else of_wrappers)(target, sample, seed)
    shown = own = unfair = 0
    for error in planted:
        cases = showing.cases(error)
        failing = _failing(target, cases)
        of_plan = [case for case, _ in failing if not case.unfair]
        known = [case for case in of_plan if showing.is_of_target(case, without)]
        lines = [line for case, line in failing if case not in known]
        shown, own, unfair = shown + len(cases), own + len(known), unfair + len(lines)
        click.echo("\n".join([f"{error.name}: {len(cases)} shown", *lines]))
    for problem in showing.problems:
        click.echo(f"not planted: {problem}")
    click.echo(
        f"{name}: {showing.run} errors, {shown} cases shown, {unfair} not fair; "
        f"{own} are violations without an error, in {time.monotonic() - begun:.0f} s"
    )
    raise SystemExit(1 if unfair else 0)


def _failing(target: Target, cases: Sequence[ShownMutant]) -> list[tuple[ShownMutant, str]]:
    """Each case that is not fair, or whose script ends badly, and why."""
    failing = []
    ended = statuses(target, [str(case.failure.script) for case in cases])
    for case, (status, output) in zip(cases, ended, strict=True):
        reasons = [case.unfair, f"its script ends with {status}" if status else ""]
        if any(reasons):
            last = (output.strip().splitlines() or [""])[-1]
            why = "; ".join(filter(None, reasons))
            failing.append((case, f"  not fair: {case.failure.message}\n    {why}: {last}"))
    return failing


if __name__ == "__main__":
    main()
