"""The fingerprints of all functions of a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.adapters.registry import Target
from conformance.engine import Subject, Task, bundles
from conformance.fingerprints.functions import digest, function_parts
from conformance.fingerprints.targets import UNKNOWN, row_part, target_parts

__all__ = ["PARTS", "UNKNOWN", "Fingerprints", "fingerprints"]

Fingerprints = Mapping[str, Mapping[str, str]]
"""The fingerprint of each function: a digest of each part."""
PARTS: Mapping[str, str] = {
    "options": "other options",
    "environment": "environment changed",
    "implementation": "implementation changed",
    "target": "description of the target changed",
    "adapters": "adapters changed",
    "engine": "engine changed",
    "generators": "generators changed",
    "spec": "spec changed",
    "scenarios": "scenarios changed",
    "oracle": "oracle changed",
    "row": "row of the mapping changed",
    "shared": "another function of the same process runs",
}
"""The parts, and what is said of the first one that differs."""


def fingerprints(target: Target, subject: Subject, tasks: Sequence[Task]) -> Fingerprints:
    """The fingerprints of the functions that `tasks` test on a target."""
    common = target_parts(target, subject)
    found = {
        task.spec.name: {
            **common,
            **function_parts(task),
            "row": row_part(target, subject, task.spec.name),
        }
        for task in tasks
    }
    for bundle in bundles(tasks):
        # one process with a configuration of its own serves them all
        names = [task.spec.name for task in bundle]
        shared = digest({name: found[name] for name in names}) if len(names) > 1 else ""
        for name in names:
            found[name]["shared"] = shared
    return found
