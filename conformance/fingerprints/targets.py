"""What verdicts depend on besides the function: the target, its environment, and the suite's own.

What the code of an implementation is, is known of the suite's own backends, and of packages that a
lock pins by their hashes. Of any other it is unknown: such a target has the part `UNKNOWN`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

import conformance
from conformance.adapters import environments, layout, mappings
from conformance.adapters.registry import Target
from conformance.engine import Subject
from conformance.fingerprints.functions import digest, names_called
from conformance.fingerprints.sources import modules_of, sources
from conformance.program import Prelude

UNKNOWN = "unknown"
"""The implementation of a target that may change without notice."""
NEEDED = ("hypothesis", "msgspec", "numpy", "PyYAML", "sortedcontainers")
"""The packages of the host that have a part in a plan, in a verdict or in their digests."""
OWN: Mapping[str, tuple[str, ...]] = {
    "conformance.reference": ("reference",),
    "conformance.torch_backend": ("torch_backend", "reference"),
}
"""The packages of the suite's own backends, by their module."""
PLACES = ("described_in", "found_above", "lock", "mapping", "prepare", "venv")
"""Fields that say where something lies: what lies there counts."""


def target_parts(target: Target, subject: Subject) -> dict[str, str]:
    """A digest of each part of what the verdicts on all functions of a target depend on."""
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
        yield [(path.name, path.read_bytes()) for path in beside]


def _implementation(target: Target) -> str:
    own = OWN.get(target.module)
    if own is not None and target.adapter is None:
        return digest(_code(own))
    pinned = target.venv is not None and target.venv.lock is not None
    return "" if pinned and not (target.script_paths or target.adapter) else UNKNOWN


@cache
def _code(packages: tuple[str, ...]) -> list[tuple[str, str, str]]:
    modules = modules_of(sources(*packages))
    return [(m, n, d.digest) for m, one in modules.items() for n, d in one.definitions.items()]


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
