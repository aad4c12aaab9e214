"""A plan in parts that cost about the same: for workers, for machines, for shards.

What functions cost depends on the library that computes; what is found of one does not depend on
the part that it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.engine.planning.estimates import estimates
from conformance.engine.planning.plan import Task
from conformance.results import Aspect

WORTH_A_LANE = 2000
"""Planned cases below which another worker costs more than it saves."""


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
    """The smallest parts: a function each, but for those that share configured processes."""
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


def lanes(tasks: Sequence[Task], most: int) -> int:
    """How many workers share a plan, however many run at once: a run is the same everywhere."""
    return max(1, min(most, len(bundles(tasks)), sum(t.planned for t in tasks) // WORTH_A_LANE))


def riskiest(tasks: Sequence[Task], library: str = "") -> list[list[Task]]:
    """The bundles, first where most failures are to be expected for the time."""

    def gain(bundle: Sequence[Task]) -> float:
        found = sum(estimates().risk(task.theme) * len(task.aspects) for task in bundle)
        return found / cost(bundle, library)

    return sorted(bundles(tasks), key=lambda b: (-gain(b), b[0].spec.name))


def cost(tasks: Sequence[Task], library: str = "") -> float:
    """Seconds that one worker may take."""
    return sum(estimates().cost(task.spec.name, library) for task in tasks)
