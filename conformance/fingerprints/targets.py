"""The parts of a fingerprint that depend on the target, and the whole fingerprints.

The suite knows the code of an implementation if it is one of the suite's own backends, or if a lock
pins its packages by their hashes. Any other target has the part `UNKNOWN`, and always runs again.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

import conformance
from conformance.adapters import environments, layout, mappings
from conformance.adapters.target_records import Target
from conformance.engine import Subject, Task, bundles
from conformance.files import MOST_SOURCE
from conformance.fingerprints.functions import (
    digest,
    function_parts,
    modules_of,
    names_called,
    sources,
)
from conformance.scripts import Prelude

UNKNOWN = "unknown"
"""The implementation of a target that may change without notice."""
NEEDED = ("hypothesis", "msgspec", "numpy", "PyYAML", "sortedcontainers")
"""The packages of the host that have a part in a plan, in a verdict or in their digests."""
OWN: Mapping[str, tuple[str, ...]] = {
    "conformance.reference": ("reference",),
    "conformance.torch_backend": ("torch_backend", "reference"),
}
"""The packages of the suite's own backends, by their module."""
PLACES = ("described_in", "found_in", "lock", "mapping", "prepare", "venv")
"""Fields with the place of a file: its content counts, not the place."""


def target_parts(target: Target, subject: Subject) -> dict[str, str]:
    """A digest for each part on which all verdicts on a target depend."""
    return {
        "target": _portable(_record(target), _prelude(subject), *_files(target)),
        "implementation": _implementation(target),
        "environment": digest(_environment(target), host()),
    }


def row_part(target: Target, subject: Subject, function: str) -> str:
    """A digest of the rows of the target's table that a function needs."""
    if target.mapping is None:
        return ""
    rows = mappings.load(target.mapping).functions
    return digest({n: rows[n] for n in names_called(function, subject.edition) if n in rows})


def _record(target: Target) -> dict[str, Any]:
    fields = {name: getattr(target, name) for name in target.__struct_fields__}
    return {name: value for name, value in fields.items() if name not in PLACES}


def _prelude(subject: Subject) -> Prelude:
    """How scripts reach the target, without the functions of a table, whose rows count singly."""
    return replace(subject.prelude, definitions=None)


def _portable(*values: Any) -> str:
    """A digest that does not depend on where the suite is installed."""
    here = str(Path(conformance.__file__).parents[1])
    return digest(repr(values).replace(here, "{suite}"))


def _files(target: Target) -> Iterator[Any]:
    """The files that belong to a target's description."""
    if target.mapping is not None:
        table = msgspec.to_builtins(mappings.load(target.mapping))
        yield {name: value for name, value in table.items() if name != "functions"}
    if target.prepare is not None:
        beside = sorted(path for path in target.prepare.parent.iterdir() if path.is_file())
        yield [(path.name, _content(path)) for path in beside]


def _content(path: Path) -> bytes:
    """The content of a file, or a digest of it where it is large."""
    with path.open("rb") as file:
        if path.stat().st_size <= MOST_SOURCE:
            return file.read(MOST_SOURCE)
        return hashlib.file_digest(file, "sha256").digest()


def _implementation(target: Target) -> str:
    own = OWN.get(target.module)
    if own is not None and target.adapter is None:
        return digest(_code(own))
    pinned = target.venv is not None and target.venv.lock is not None
    return "" if pinned and not (target.script_paths or target.adapter) else UNKNOWN


@cache
def _code(packages: tuple[str, ...]) -> list[tuple[str, str, str]]:
    modules = modules_of(sources(*packages))
    return [
        (m, n, d.digest) for m, module in modules.items() for n, d in module.definitions.items()
    ]


def _environment(target: Target) -> list[Any]:
    """The target's interpreter, and the packages in it as far as they are pinned."""
    state = environments.status(target)
    ready = isinstance(state, environments.Ready)
    return [
        None if target.venv is None else layout.digest(target.venv),
        (state.python, state.versions) if isinstance(state, environments.Ready) else ready,
    ]


@cache
def host() -> dict[str, str]:
    """The versions of Python and of the packages with which the suite plans and judges."""
    return {"python": sys.version, **{name: metadata.version(name) for name in NEEDED}}


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
"""The parts, and the reason that a run prints for the first difference."""


def fingerprints(target: Target, subject: Subject, tasks: Sequence[Task]) -> Fingerprints:
    """The fingerprint of each function that `tasks` test on a target, by its name.

    Functions that share a process with a configuration of its own also share a digest.
    """
    common = target_parts(target, subject)
    digests = {
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
        shared = digest({name: digests[name] for name in names}) if len(names) > 1 else ""
        for name in names:
            digests[name]["shared"] = shared
    return digests
