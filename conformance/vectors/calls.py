"""The calls of a plan that have vectors: those with single calls in eager mode, valid or not.

Gradients and scenarios are programs of several steps with checks of their own, and compiled calls
repeat eager ones: no vectors are made of them. Calls with every number of a dtype have none either,
because one of them has more elements than all vectors of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from conformance.editions import Edition
from conformance.engine import PROFILES, Profile, Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.planning.plan import Planned
from conformance.results import Aspect
from conformance.specs import load

ASPECTS = (
    Aspect.PRESENCE,
    Aspect.SIGNATURE,
    Aspect.VALUE,
    Aspect.DTYPE,
    Aspect.STATIC_SHAPE,
    Aspect.PURITY,
    Aspect.ERROR,
)
"""The aspects that single calls show."""
DRAWS = 8
"""The draws of a call, twice those of a run: its text is most of a file, and more numbers
cost a runner no work."""


class CallTask(Task):
    """One function in one edition, with those of its trials that vectors are made of."""

    __slots__ = ()

    def _planned(self) -> Iterator[Planned]:
        yield from self._calls(self._rows())
        yield from self._invalid_calls()

    def calls(self) -> Iterator[CallTrial]:
        """The trials."""
        for trial in self.trials():
            assert isinstance(trial, CallTrial), "single calls alone are planned"
            yield trial


def call_tasks(
    edition: Edition,
    profile: str,
    seed: int,
    select: Callable[[str], bool] = lambda _: True,
    aspects: Sequence[Aspect] = ASPECTS,
) -> list[CallTask]:
    """A task for each function of an edition that is selected, if single calls are made of it."""
    widened = _with_more_draws(PROFILES[profile])
    tasks = plan(load(), edition, widened, seed, select=select, aspects=aspects)
    return [
        CallTask(task.spec, task.theme, task.edition, task.profile, task.seed, task.aspects)
        for task in tasks
        if task.spec.dtype is not None
    ]


def _with_more_draws(profile: Profile) -> Profile:
    """The same calls, with up to `DRAWS` draws from all value profiles."""
    values, draws = PROFILES["default"].values, max(DRAWS, profile.draws)
    return replace(profile, values=values, draws=draws, contains=profile)
