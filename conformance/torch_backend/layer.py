"""The symbolic layer, imported a second time: two libraries that compute in one process.

`conformance.reference` keeps what a process has once: the library that computes, the settings, the
learning phase. A copy of the package's modules keeps its own, so that a program may import both
implementations, compare them, and set `floatx` of one of them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import conformance

LAYER = "conformance.reference"

_own: dict[str, ModuleType] = {}
"""The modules of the copy, which nothing else may keep alive."""


@contextmanager
def of_its_own() -> Iterator[None]:
    """A context in which `conformance.reference` is another copy than outside."""
    standing = _taken_out()
    sys.modules.update(_own)
    try:
        importlib.import_module(LAYER)
        yield
    finally:
        _own.update(_taken_out())
        sys.modules.update(standing)
        if LAYER in standing:
            vars(conformance)["reference"] = standing[LAYER]


def _taken_out() -> dict[str, ModuleType]:
    """The modules of the package, which `sys.modules` does not have any more."""
    names = [name for name in sys.modules if name == LAYER or name.startswith(f"{LAYER}.")]
    vars(conformance).pop("reference", None)
    return {name: sys.modules.pop(name) for name in names}
