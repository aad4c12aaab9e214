"""What is executed for a function is among the definitions of its fingerprint."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import pytest

import conformance
from conformance.adapters import registry
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Assignment, perform
from conformance.fingerprints import functions
from conformance.results import ASPECTS
from conformance.specs import load

ROOT = Path(conformance.__file__).parent
EDITION = "keras-2.2"
NAMES = [name for name, spec in load().items() if EDITION in spec.editions]


@pytest.mark.thorough
@pytest.mark.parametrize("function", NAMES[::7])
def test_nothing_runs_that_the_fingerprint_does_not_count(function: str) -> None:
    """What another function has computed before would not run again, and is forgotten."""
    _forget()
    examined = subject(registry.shipped()["reference"])
    assigned = Assignment("0", EDITION, PROFILES["smoke"], 0, (function,), ASPECTS)
    with _executed() as codes:
        answer = perform(examined, assigned)
    assert answer.info is not None
    reach = functions._reach(function, EDITION)
    places = {place for code in codes for place in _place(code)}
    known = {place for place in places if place.partition(":")[0] in reach.modules}
    assert len(known) > 100
    assert not sorted(p for p in known - functions.CUT if not reach.has(p))


def _forget() -> None:
    """Empty the caches of the code that plans and judges."""
    for value in gc.get_objects():
        if type(value).__name__ == "_lru_cache_wrapper":
            module = getattr(value, "__module__", "")
            if module.startswith(("conformance.oracle", "conformance.scenarios")):
                value.cache_clear()


@contextmanager
def _executed() -> Iterator[set[CodeType]]:
    """The code that runs meanwhile, in every thread."""
    codes = set[CodeType]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield codes
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _place(code: CodeType) -> Iterator[str]:
    """The definition that code belongs to; a function that is registered under no name of its own,
    and a lambda of an entry, have none."""
    file = Path(code.co_filename)
    name = code.co_qualname.partition(".")[0]
    if file.is_relative_to(ROOT) and name != "_" and not name.startswith("<"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        module = ".".join(("conformance", *(part for part in parts if part != "__init__")))
        yield f"{module}:{name}"
