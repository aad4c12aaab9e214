"""Run composed programs on the reference with a planted fault."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.editions import Edition
from conformance.engine import Stop, Subject
from conformance.fuzz.bounds.sessions import FRAME, graph
from conformance.fuzz.running.target import Campaign, TargetRun
from conformance.program import from_json
from conformance.results import Failure, Results
from conformance.results.events import Event, TargetFinished
from conformance.scripts import Prelude
from tests.engine.support import ROOT
from tests.fuzz.faults import VARIABLE

MODULE = "tests.fuzz.faulty"
EDITION: Edition = "keras-2.2"
CHUNK = 4
"""Programs that are judged at a time: a hunt ends with the first that shows the fault."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """What was found of a fault."""

    results: Results
    failures: list[Failure]
    seconds: float


def subject(fault: str) -> Subject:
    """The reference with a fault as a target."""
    environment = {VARIABLE: fault, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    started = Launch(sys.executable, MODULE, "graph", environment)

    def opened(functions: object, _: int) -> Session:
        return Session(started, limits=CallLimits(structure=20.0, draw=2.0))

    prelude = Prelude((f"import {MODULE} as K",), environment)
    return Subject(fault, EDITION, "the reference with a fault", opened, prelude, workers=1)


def hunted(fault: str, programs: int, *, most: int = 1, seed: int = 0) -> Hunt:
    """Run programs, at most so many, until `most` failures of composition were found."""
    stop, events = Stop(), list[Event]()
    campaign = Campaign(seed, "1.0", "2000-01-01T00:00:00+00:00", programs, chunk=CHUNK)
    run = TargetRun(subject(fault), campaign, events.append, stop)
    begun = time.monotonic()

    def note(event: Event) -> None:
        events.append(event)
        if run.failure_count >= most:
            stop.set()

    run.emit = note
    run.work(0)
    run.finish()
    (results,) = (e.results for e in events if isinstance(e, TargetFinished))
    failures = [x for f in results.functions for a in f.aspects for x in a.failures]
    return Hunt(results, failures, time.monotonic() - begun)


def calls(failure: Failure) -> int:
    """How many calls of functions the program of a failure has."""
    assert failure.program is not None
    program = from_json(failure.program)
    members = ("operator.getitem", "gradients")
    return sum(s.function not in (*FRAME, *members) for s in graph(program).steps)
