"""Run the whole engine against fakes, and look at the results."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.editions import Edition
from conformance.engine import PROFILES, Profile, Run, Subject, Task, plan, run
from conformance.results import Aspect, AspectResult, Failure, Results, Verdict
from conformance.results.events import Event, TargetFinished
from conformance.scripts import Prelude
from conformance.specs import load
from tests.adapters.support import FAKES

ROOT = Path(__file__).parents[2]
OFFERED = [
    "sum",
    "softmax",
    "exp",
    "reshape",
    "argmax",
    "dot",
    "maximum",
    "identity",
    "variable",
    "constant",
    "placeholder",
]
"""Functions that every fake has and tests use."""

TINY = Profile(
    "tiny",
    structures=2,
    invalid=1,
    values=("ordinary", "halves"),
    shrink=5,
    shrink_other=5,
    scenarios=1,
    gradients=1,
)
"""So small a profile that even a fake that crashes or hangs every time is done soon."""

QUICK = CallLimits(structure=2.0, draw=0.05)
EDITION: Edition = "keras-2.2"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a run of one subject, and all events."""

    results: Results
    events: Sequence[Event]
    reached: bool

    def aspect(self, function: str, aspect: Aspect) -> AspectResult:
        """The result of one aspect; StopIteration if it was not checked."""
        tested = next(f for f in self.results.functions if f.function == function)
        return next(a for a in tested.aspects if a.aspect is aspect)

    def verdicts(self, *functions: str) -> dict[tuple[str, Aspect], Verdict]:
        """The verdict on every aspect of these functions, or of all."""
        return {
            (f.function, a.aspect): a.verdict
            for f in self.results.functions
            for a in f.aspects
            if not functions or f.function in functions
        }

    def failures(self, *verdicts: Verdict) -> list[tuple[str, Aspect, Failure]]:
        """The failures with these verdicts, or all."""
        return [
            (f.function, a.aspect, failure)
            for f in self.results.functions
            for a in f.aspects
            for failure in a.failures
            if not verdicts or failure.verdict in verdicts
        ]


def fake(name: str, limits: CallLimits = QUICK, **environment: str) -> Subject:
    """The named fake as a subject."""
    paths = {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1"}
    started = Launch(sys.executable, f"fakes.{name}", "graph", {**paths, **environment})
    imports = (f"from fakes import {name} as K",)
    return subject(name, started, Prelude(imports, environment), limits)


def module(
    name: str,
    path: Path,
    limits: CallLimits = QUICK,
    edition: Edition = EDITION,
    **environment: str,
) -> Subject:
    """A module in the folder `path`, which may import the suite's reference."""
    paths = os.pathsep.join((str(path), str(ROOT)))
    environment |= {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    started = Launch(sys.executable, name, "graph", environment)
    return subject(name, started, Prelude((f"import {name} as K",)), limits, edition)


def subject(
    name: str, started: Launch, prelude: Prelude, limits: CallLimits, edition: Edition = EDITION
) -> Subject:
    """A subject behind a session with short limits."""

    def open_session(functions: Sequence[str], _: int) -> Session:
        return Session(started, functions=functions, limits=limits)

    return Subject(name, edition, f"the fake {name}", open_session, prelude, cure=f"make {name}")


def tasks(
    functions: Collection[str], profile: Profile, seed: int = 0, edition: Edition = EDITION
) -> list[Task]:
    """The plan for these functions."""
    return plan(load(), edition, profile, seed, select=lambda name: name in functions)


def examine(
    tested: Subject,
    functions: Collection[str] = OFFERED,
    profile: str | Profile = "smoke",
    seed: int = 0,
    emit: Callable[[Event], None] = lambda _: None,
    *,
    locate: bool = False,
) -> Outcome:
    """Run the engine over some functions of one subject."""
    events: list[Event] = []

    def note(event: Event) -> None:
        events.append(event)
        emit(event)

    chosen = PROFILES[profile] if isinstance(profile, str) else profile
    common = Run("1.0", chosen, seed, "2000-01-01T00:00:00+00:00", locate=locate)
    planned = tasks(functions, chosen, seed, tested.edition)
    reached = run([tested], {tested.edition: planned}, common, note, 1)
    (results,) = (e.results for e in events if isinstance(e, TargetFinished))
    return Outcome(results, events, reached)


def violations_of(source: str, function: str, kind: Aspect, folder: Path) -> list[Failure]:
    """What violates, of one kind, in one function of a module with this source; by default."""
    (folder / "planted.py").write_text(source, encoding="utf-8")
    failures = examine(module("planted", folder), [function], "default").failures(Verdict.VIOLATES)
    return [failure for *_, failure in failures if failure.kind == kind]


def run_script(script: str, path: Path = FAKES) -> subprocess.CompletedProcess[str]:
    """Run a script in a new Python that can import nothing but the fakes."""
    return subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(path)!r})\n{script}"],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        cwd=path,
    )
