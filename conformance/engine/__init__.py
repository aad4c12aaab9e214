"""Plan, execute, compare, minimise. Knows no file format and no implementation."""

from conformance.engine.planning.plan import Task, plan
from conformance.engine.planning.portions import Shard, bundles
from conformance.engine.planning.profiles import PROFILES, Profile
from conformance.engine.running.assignments import Answer, Assignment, Perform, perform
from conformance.engine.running.run import Elsewhere, run
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject

__all__ = [
    "PROFILES",
    "Answer",
    "Assignment",
    "Elsewhere",
    "Perform",
    "Profile",
    "Run",
    "Shard",
    "Stop",
    "Subject",
    "Task",
    "bundles",
    "perform",
    "plan",
    "run",
]
