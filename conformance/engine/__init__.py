"""Plan, execute, compare, minimise. Knows no file format and no implementation."""

from conformance.engine.plan import Task, plan
from conformance.engine.profiles import PROFILES, Profile
from conformance.engine.run import run
from conformance.engine.subject import Run, Subject

__all__ = ["PROFILES", "Profile", "Run", "Subject", "Task", "plan", "run"]
