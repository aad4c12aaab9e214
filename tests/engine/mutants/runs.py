"""Runs of the engine over mutants: as many at once as do not disturb each other."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from unittest import mock

from conformance.adapters.configured import Configurable
from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.adapters.target_records import Target
from conformance.editions import Edition
from conformance.engine import PROFILES, Profile, Run, Subject, Task, plan, run
from conformance.engine.running import examination
from conformance.results import Aspect, AspectResult, FunctionResult
from conformance.results.events import Event, TargetFinished
from conformance.scripts import Prelude
from conformance.specs import load
from tests.engine.mutants.kit import SEPARATOR, VARIABLE, Mutant
from tests.engine.support import ROOT

MODULE = "tests.engine.mutants.changed"
LIMITS = CallLimits(structure=20.0, draw=2.0)
MOST = 90
"""Mutants in one process."""

SMALL = replace(
    PROFILES["default"],
    name="small",
    structures=14,
    invalid=3,
    values=("ordinary", "halves", "ordinary", "integers", "special"),
    scenarios=4,
    gradients=3,
    contains=None,
)
"""Half of the default profile: enough for most mutants."""

CALLED = ("value", "dtype", "static shape")
"""Aspects of the same trials, which are made once."""

Round = list[Mutant]


def rounds(mutants: Sequence[Mutant]) -> Iterator[Round]:
    """Mutants of one profile and edition, no two of one function; some are alone."""
    kinds: dict[tuple[str, str], list[Round]] = defaultdict(list)
    for mutant in mutants:
        if mutant.alone:
            yield [mutant]
            continue
        offered = kinds[mutant.profile, mutant.edition]
        place = next((r for r in offered if _fits(mutant, r)), None)
        if place is None:
            offered.append([mutant])
        else:
            place.append(mutant)
    for kind in kinds.values():
        yield from kind


def _fits(planted: Mutant, others: Round) -> bool:
    return len(others) < MOST and all(planted.function != other.function for other in others)


def _profile(name: str) -> Profile:
    return SMALL if name == SMALL.name else PROFILES[name]


@cache
def _task(function: str, aspect: str, profile: str, edition: Edition) -> Task:
    """The plan for one aspect of one function; its trials are made once for all mutants."""
    if aspect in CALLED[1:]:
        return _task(function, CALLED[0], profile, edition)
    (task,) = plan(
        load(),
        edition,
        _profile(profile),
        0,
        select=lambda name: name == function,
        aspects=[Aspect(a) for a in (CALLED if aspect in CALLED else (aspect,))],
    )
    return task


def _subject(together: Round) -> Subject:
    names = SEPARATOR.join(m.name for m in together)
    environment = {
        VARIABLE: names,
        "CONFORMANCE_REFERENCE_EDITION": together[0].edition,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    started = Launch(sys.executable, MODULE, "graph", environment)
    prelude = Prelude((f"import {MODULE} as K",), environment)
    configurable = Configurable(
        Target(
            name="mutants",
            module=MODULE,
            edition=together[0].edition,
            environment=environment | {"PATH": os.environ["PATH"]},
        )
    )
    return Subject(
        "mutants",
        together[0].edition,
        "the reference with errors",
        lambda functions, _: Session(started, functions=functions, limits=LIMITS),
        prelude,
        lambda setup: configurable.open(setup.configuration, setup.environment),
    )


def examined(together: Round) -> dict[str, FunctionResult]:
    """The results of one round, by function. Nothing is made smaller."""
    events: list[Event] = []
    first = together[0]
    common = Run("1.0", _profile(first.profile), 0, "2000-01-01T00:00:00+00:00")
    tasks = [_task(m.function, m.aspect, m.profile, m.edition) for m in together]
    with mock.patch.object(examination, "MOST_MINIMISED", 0):
        run([_subject(together)], {first.edition: tasks}, common, events.append, 1)
    (results,) = (e.results for e in events if isinstance(e, TargetFinished))
    return {f.function: f for f in results.functions}


def found_in(results: dict[str, FunctionResult], tested: Mutant) -> AspectResult:
    """What was found of the aspect in which the mutant is wrong."""
    aspects = results[tested.function].aspects
    return next(a for a in aspects if a.aspect == tested.aspect)
