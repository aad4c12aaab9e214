"""Time limits of a worker, and how the host treats a batch that ends it."""

from __future__ import annotations

from dataclasses import dataclass, replace

CALL_SECONDS = 10.0
"""Seconds that a call may take, unless its target says otherwise. An eager call, or building a
graph, takes milliseconds."""
CALL_RANGE = (0.1, 3600.0)
"""The shortest and the longest limit that a target may have."""
_PATIENT_SECONDS = 120.0
_ROUND = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""The hurried limits. They are few: two runs of a target then choose the same limit."""
_TIMES, _FEW_TIMES = 10.0, 2.0
"""Factors of the slowest answer for a hurried limit: the first at first, then the second."""
_MOST_WASTED = 60.0
"""The seconds of hurried waits after which the second factor applies. With the first factor alone,
300 functions that hang would take an hour if one answer took a second."""
_PARTS = 4.0
"""A first call takes less than such a part of the start of a process, which imports a library."""
HANG = 4
"""A draw that hangs counts as so many other failures of a batch."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Time limits in seconds, and how often a batch may fail before the rest of it is skipped.

    The host runs a batch that hangs again, once, in a new worker and for longer, because a call may
    be slow on a busy machine. There Theano compiles C for half a minute to differentiate a loop;
    such targets have a longer limit from the start.
    """

    start: float = 180.0
    structure: float = CALL_SECONDS
    draw: float = 1.0
    failures: int = 10

    def seconds(self, draws: int) -> float:
        """The limit of a batch of `draws`."""
        return self.structure + draws * self.draw

    @property
    def patient(self) -> CallLimits:
        """Twice as long, and no more than two minutes unless the limit itself is longer."""
        twice = min(2 * self.structure, _PATIENT_SECONDS)
        return replace(self, structure=max(self.structure, twice))


USUAL_LIMITS = CallLimits()


@dataclass(frozen=True, slots=True)
class Patience:
    """How the host treats a batch that ends its worker."""

    again: bool = True
    """Whether a batch that hangs runs again, for longer and with the draws apart."""
    blamed: int | None = None
    """How many draws are found by running the batch in parts, before the rest of it is skipped.
    None: all; 0: the batch is not run again, and all its draws have the fault."""
    hurried: bool = False
    """Whether the limit is that of `hurried`, if that is shorter than the usual one."""


USUAL = Patience()
ONCE = Patience(again=False)
FIRST_DRAW = Patience(again=False, blamed=1)
HURRIED = Patience(again=False, blamed=0, hurried=True)


def takes_most(seconds: float, limit: float) -> bool:
    """Whether an answer took more than half of the limit."""
    return seconds > limit / 2


def hurried(slowest: float, start: float, wasted: float = 0.0) -> float:
    """A limit for a target on which many calls hung already.

    It is short enough to try a whole target. It grows with the seconds of the target's slowest
    answer and of its start, and is shorter once such waits have `wasted` too many seconds.
    """
    times = _TIMES if wasted < _MOST_WASTED else _FEW_TIMES
    needed = max(_ROUND[0], start / _PARTS, times * slowest)
    return next((limit for limit in _ROUND if limit >= needed), needed)
