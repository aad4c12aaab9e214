"""Estimate how often statistical tests fail a correct implementation, and count it with many seeds.

The first part multiplies: every test by chance of a default run states the probability with
which it fails a correct implementation; the sum of them bounds the probability of an alarm in one
run, and ten thousand times it that in ten thousand runs. The second part runs the same scenarios
on the reference with other seeds, again and again, and counts what fails.

    python benchmarks/alarms.py                the calculation
    python benchmarks/alarms.py --runs 200     and two hundred runs with other seeds
    python benchmarks/alarms.py --runs 200 --first 201 --jobs 2      the next two hundred
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from conformance.adapters.access import open_session
from conformance.adapters.registry import shipped
from conformance.adapters.session import Session
from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.program import Function, Program, Step
from conformance.results import Aspect
from conformance.scenarios import Scenario
from conformance.scenarios.randomness.chance import ByChance
from conformance.scenarios.randomness.random_tensors import OTHER_SEED, SEED
from conformance.specs import EDITIONS, load

RUNS = 10_000
CHANCE = (Aspect.DISTRIBUTION, Aspect.SEED, Aspect.VALUE)
SEEDS = (SEED, OTHER_SEED)


def scenarios(edition: Edition, profile: str = "default") -> list[Scenario]:
    """The scenarios of a run with at least one test by chance."""
    tasks = [t for t in plan(load(), edition, PROFILES[profile], 0) if Aspect.SEED in t.aspects]
    every = [t.scenario for task in tasks for t in task.trials() if isinstance(t, ScenarioTrial)]
    return [s for s in every if rates(s)]


def rates(scenario: Scenario) -> list[float]:
    """The rate of each of its tests by chance."""
    return [c.test.rate for c in scenario.checks if isinstance(c.test, ByChance)]


def calculation(edition: Edition) -> str:
    """One row: tests, bounds on the chance of an alarm in one run and in ten thousand."""
    bounds = [rate for s in scenarios(edition) for rate in rates(s)]
    single = math.fsum(bounds)
    many = -math.expm1(RUNS * math.log1p(-single))
    return f"| {edition} | {len(bounds)} | {single:.2e} | {many:.2e} |"


def reseeded(program: Program, by: int) -> Program:
    """The program with other seeds."""
    return replace(program, steps=tuple(_step(step, by) for step in program.steps))


def _step(step: Step, by: int) -> Step:
    kwargs = tuple((k, _argument(v, by)) for k, v in step.kwargs)
    return replace(step, args=tuple(_argument(a, by) for a in step.args), kwargs=kwargs)


def _argument(value: Any, by: int) -> Any:
    if isinstance(value, Function):
        return replace(value, steps=tuple(_step(step, by) for step in value.steps))
    return value + by if type(value) is int and value in SEEDS else value


def alarms(session: Session, chosen: list[Scenario], by: int) -> Iterator[str]:
    """What fails with seeds that are so much larger."""
    for scenario in chosen:
        changed = replace(scenario, program=reseeded(scenario.program, by))
        trial = ScenarioTrial(changed, scenario.function)
        for finding in trial.judge(session.run_batch(trial.batch)).findings:
            yield f"{scenario.function}: {scenario.title}: {finding.gives}"


def main() -> None:
    """Print the table, and what many seeds show."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=0, help="how many runs with other seeds")
    parser.add_argument("--first", type=int, default=1, help="the number of the first: its seeds")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share them")
    arguments = parser.parse_args()
    print("| edition | tests by chance | in one run, at most | in 10,000 runs, at most |")
    print("|---|---:|---:|---:|")
    for edition in EDITIONS:
        print(calculation(edition))
    if arguments.runs:
        numbers = range(arguments.first, arguments.first + arguments.runs)
        _report(numbers, arguments.seconds, arguments.jobs)


def _report(numbers: range, seconds: float, jobs: int) -> None:
    with ProcessPoolExecutor(jobs) as pool:
        parts = [numbers[job::jobs] for job in range(jobs)]
        shown = list(pool.map(simulated, parts, [seconds] * jobs))
    done = sum(runs for runs, _, _ in shown)
    counted = sum((alarms for _, _, alarms in shown), Counter[str]())
    tests = sum(tests for _, tests, _ in shown)
    print(f"{done} runs with other seeds, {tests} tests by chance: {counted.total()} alarms")
    for text, times in counted.most_common():
        print(f"  {times} x {text}")


def simulated(numbers: range, seconds: float) -> tuple[int, int, Counter[str]]:
    """Runs with the seeds of these numbers: how many, how many tests, and what alarmed."""
    chosen, counted, begun, done = scenarios("keras-2.2"), Counter[str](), time.monotonic(), 0
    with open_session(shipped()["reference"]) as session:
        for number in numbers:
            if time.monotonic() - begun > seconds:
                break
            counted.update(alarms(session, chosen, 1000 * number))
            done += 1
    return done, done * sum(len(rates(s)) for s in chosen), counted


if __name__ == "__main__":
    main()
