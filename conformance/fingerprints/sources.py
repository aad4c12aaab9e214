"""The sources of the suite, by module."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import conformance
from conformance.fingerprints import definitions
from conformance.fingerprints.definitions import Module, parsed
from conformance.specs.remembered import remembered

PACKAGES = (
    "adapters",
    "dtypes",
    "editions",
    "engine",
    "generators",
    "observations",
    "oracle",
    "program",
    "results",
    "scenarios",
    "specs",
)
"""The packages and modules that plan, run and judge a case."""


def sources(*packages: str) -> dict[str, str]:
    """The texts of all modules of some packages, by the name of the module."""
    package = resources.files(conformance)
    found: dict[str, str] = {}
    for name in packages:
        file, folder = package / f"{name}.py", package / name
        if file.is_file():
            found[f"conformance.{name}"] = file.read_text("utf-8")
        elif folder.is_dir():
            found.update(_modules(folder, f"conformance.{name}"))
    return found


def _modules(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".py"):
            own = entry.name.removesuffix(".py")
            yield name if own == "__init__" else f"{name}.{own}", entry.read_text("utf-8")
        elif entry.is_dir() and entry.name.isidentifier():
            yield from _modules(entry, f"{name}.{entry.name}")


def modules_of(texts: Mapping[str, str]) -> dict[str, Module]:
    """The definitions in these sources: parsed once, and then taken from the user's cache."""
    own = resources.files(conformance) / "fingerprints" / "definitions.py"
    key = {**texts, definitions.__name__: own.read_text("utf-8"), "python": sys.version}
    return remembered(key, dict[str, Module], lambda: parsed(texts))


@cache
def suite_modules() -> dict[str, Module]:
    """The definitions of `PACKAGES`."""
    return modules_of(sources(*PACKAGES))
