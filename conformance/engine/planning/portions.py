"""Cut a plan into portions of about the same cost: for workers, for machines, for shards.

The cost of a function depends on the library that computes. What is found of a function does not
depend on the portion that it is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.engine.judging.trials import Trial
from conformance.engine.planning.estimates import estimates
from conformance.engine.planning.plan import Task
from conformance.engine.planning.profiles import PROFILES
from conformance.results import Aspect

MEASURED = "default"
"""The profile of which the seconds of functions were measured."""
CASES_WORTH_A_WORKER = 2000
"""Planned cases for each worker; with fewer, starting a worker costs more time than it saves."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The `part`-th of `parts`, counted from 1."""

    part: int
    parts: int

    def __str__(self) -> str:
        return f"{self.part}/{self.parts}"

    def of(self, tasks: Sequence[Task], library: str = "") -> list[Task]:
        """The tasks of this shard, in the order of the plan."""
        parted = portions(tasks, self.parts, library)
        return parted[self.part - 1] if self.part <= len(parted) else []


def bundles(tasks: Sequence[Task]) -> list[list[Task]]:
    """The smallest parts: one function each, or those that share configured processes."""
    together = [task for task in tasks if Aspect.CONFIGURATION in task.aspects]
    return [
        together if task in together[:1] else [task] for task in tasks if task not in together[1:]
    ]


def portions(tasks: Sequence[Task], count: int, library: str = "") -> list[list[Task]]:
    """Up to `count` parts of about the same cost, the dearest bundles first; none is empty.

    They depend on the tasks, `count` and the library alone.
    """
    whole = bundles(tasks)
    parts: list[list[Task]] = [[] for _ in range(max(1, min(count, len(whole))))]
    loads = [0.0] * len(parts)
    for bundle in sorted(whole, key=lambda b: (-cost(b, library), b[0].spec.name)):
        place = loads.index(min(loads))
        loads[place] += cost(bundle, library)
        parts[place] += bundle
    return [[task for task in tasks if task in part] for part in parts]


def worker_count(tasks: Sequence[Task], most: int) -> int:
    """How many workers share a plan. It does not depend on how many run at the same time, so that
    a run is the same on every machine."""
    return max(
        1, min(most, len(bundles(tasks)), sum(t.planned for t in tasks) // CASES_WORTH_A_WORKER)
    )


def riskiest_first(tasks: Sequence[Task], library: str = "") -> list[list[Task]]:
    """The bundles, first those with the most failures expected per second."""

    def gain(bundle: Sequence[Task]) -> float:
        found = sum(estimates().risk(task.theme) * len(task.aspects) for task in bundle)
        return found / cost(bundle, library)

    return sorted(bundles(tasks), key=lambda b: (-gain(b), b[0].spec.name))


def duration(tasks: Sequence[Task], library: str = "") -> float:
    """About how many seconds one worker takes with the profile of the tasks."""
    measured = PROFILES[MEASURED]
    shares = ((t, t.planned / max(1, t.with_profile(measured).planned)) for t in tasks)
    return sum(cost([task], library) * share for task, share in shares)


def cost(tasks: Sequence[Task], library: str = "") -> float:
    """The estimated seconds of one worker with the profile with which they were measured."""
    return sum(estimates().cost(task.spec.name, library) for task in tasks)


def by_setup(trials: Iterable[tuple[Task, Trial]]) -> list[list[tuple[Task, Trial]]]:
    """The trials, each with its function, that one configured process serves.

    Those of the smallest profile that has them are first, and of these those with the most trials
    of that profile: so a larger profile begins with the processes of a smaller one.
    """
    groups: dict[str, list[tuple[Task, Trial]]] = {}
    for task, trial in trials:
        groups.setdefault(repr(trial.setup), []).append((task, trial))
    return [groups[name] for name in sorted(groups, key=lambda name: _order(name, groups[name]))]


def _order(name: str, group: Sequence[tuple[Task, Trial]]) -> tuple[int, int, str]:
    stages = [task.stage(trial) for task, trial in group]
    return min(stages), -stages.count(min(stages)), name
