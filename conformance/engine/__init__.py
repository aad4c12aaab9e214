"""Plan, execute, compare, minimise. Knows no file format and no implementation."""

from conformance.engine.assignments import Answer, Assignment, Perform, perform
from conformance.engine.plan import Task, plan
from conformance.engine.portions import Shard, bundles
from conformance.engine.profiles import PROFILES, Profile
from conformance.engine.progress import kept
from conformance.engine.run import Elsewhere, run
from conformance.engine.stop import Stop
from conformance.engine.subject import Run, Subject

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
    "kept",
    "perform",
    "plan",
    "run",
]
