"""Time limits of a worker, and how the host treats a batch that ends it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

CALL_SECONDS = 10.0
"""Seconds that a call may take, unless its target says otherwise. An eager call, or building a
graph, takes milliseconds."""
CALL_RANGE = (0.1, 3600.0)
"""The shortest and the longest limit that a target may have."""
_PATIENT_SECONDS = 120.0
_ROUND = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""The hurried limits. They are few: two runs of a target then choose the same limit."""
_TIMES, _FEW_TIMES = 10.0, 2.0
"""A hurried limit is so many times the slowest answer at first, then so many times a slow one."""
_CLASSES = (0.1, 0.2, 0.5, *_ROUND)
"""The seconds by which answers are counted."""
_SLOW_SHARE = 0.01
"""The share of answers that take longer than a slow one. On a busy machine a few of a thousand take
seconds."""
_MOST_WASTED = 30.0
"""The seconds of waits at hurried limits after which the slowest answer no longer counts. Three
hundred functions that hang would else take an hour where one answer took a second."""
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
    None: all; 0, or the number of its draws: the batch is not run again, and all its draws have the
    fault."""
    hurried: bool = False
    """Whether the limit is `Pace.hurried`, if that is shorter than the usual one."""


USUAL = Patience()
ONCE = Patience(again=False)
FIRST_DRAW = Patience(again=False, blamed=1)
HURRIED = Patience(again=False, blamed=0, hurried=True)


def takes_most(seconds: float, limit: float) -> bool:
    """Whether an answer took more than half of the limit."""
    return seconds > limit / 2


@dataclass(slots=True)
class Pace:
    """How long a target takes, from which the limit follows once many calls have hung."""

    start: float = 0.0
    """The seconds of the first start."""
    wasted: float = 0.0
    """The seconds of waits at hurried limits."""
    slowest: float = 0.0
    """The seconds of the slowest answer."""
    call: float = CALL_SECONDS
    """The seconds that a call may take."""
    lost: float = 0.0
    """The seconds of waits for workers that were lost, and of all starts after the first."""
    _answers: Counter[float] = field(default_factory=Counter)
    """How many answers took as many seconds as a class, or less."""

    def note_start(self, seconds: float) -> None:
        """Note how long a start took."""
        self.lost += seconds if self.start else 0.0
        self.start = self.start or seconds

    def note(self, seconds: float) -> None:
        """Note how long an answer took."""
        self.slowest = max(self.slowest, seconds)
        self._answers[_rounded(seconds, _CLASSES)] += 1

    @property
    def slow(self) -> float:
        """The seconds within which nearly all answers arrive, as a class; 0 without an answer."""
        longer = self._answers.total() * _SLOW_SHARE
        for seconds in sorted(self._answers, reverse=True):
            longer -= self._answers[seconds]
            if longer < 0:
                return seconds
        return 0.0

    @property
    def hurried(self) -> float:
        """A limit for a target on which many calls hung already.

        It is short enough to try a whole target. It is long for a target whose answers and whose
        start are slow, and shorter once such waits have wasted too many seconds.
        """
        patient = self.wasted < _MOST_WASTED
        answer = _TIMES * self.slowest if patient else _FEW_TIMES * self.slow
        return _rounded(max(_ROUND[0], self.start / _PARTS, answer), _ROUND)


def _rounded(seconds: float, classes: Sequence[float]) -> float:
    """The first class that is as long; what is longer than all stays as it is."""
    return next((each for each in classes if each >= seconds), seconds)
