"""The one way to Hypothesis: draw a value, make it again from its choices, make it smaller.

Hypothesis's public interface looks for failures and remembers all that it tried. A plan needs one
value at a time, fast, the same for the same seed. `PrivateEngine` has that from classes that are
not public. `PublicEngine` does the same by tests that fail, more slowly and with other
values. It takes over where a release of Hypothesis has other private classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, Generic, TypeVar
from unittest import SkipTest

import hypothesis
from hypothesis import strategies as st
from hypothesis.database import (
    ExampleDatabase,
    InMemoryExampleDatabase,
    choices_from_bytes,
    choices_to_bytes,
)
from hypothesis.errors import Unsatisfiable, UnsatisfiedAssumption
from hypothesis.strategies import SearchStrategy

_KEY = b"case"
_PRIVATE = {
    "BuildContext": "hypothesis.control",
    "ConjectureData": "hypothesis.internal.conjecture.data",
    "ConjectureRunner": "hypothesis.internal.conjecture.engine",
    "HypothesisProvider": "hypothesis.internal.conjecture.providers",
    "StopTest": "hypothesis.errors",
}
"""The module of each class that Hypothesis does not document."""
_CHANGED = (ImportError, AttributeError, KeyError, TypeError)
"""The errors of a release whose private classes differ."""
_ORIGIN = "fails"
_MOST_CALLS = 10_000
"""Hypothesis's own limit of what one search may try; the caller's budget ends it long before."""
_FEW = 9
"""Where it may try so few values, Hypothesis makes only the first one small on purpose."""

Value = TypeVar("Value")


class StopShrinking(BaseException):
    """Raised by a condition to end a search. Not an Exception: Hypothesis would shrink that."""


@dataclass(frozen=True, slots=True)
class Drawn(Generic[Value]):
    """A value, and the choices from which its strategy makes it again."""

    value: Value
    made_of: tuple[Any, ...]

    @property
    def choices(self) -> bytes:
        """The choices, as they are stored."""
        return choices_to_bytes(self.made_of)


class Engine(ABC):
    """Draws values of strategies, and makes them smaller."""

    @abstractmethod
    def draw(self, strategy: SearchStrategy[Value], random: Random) -> Drawn[Value] | None:
        """A value of the strategy; None if the strategy rejected what it had drawn."""

    @abstractmethod
    def replay(
        self, strategy: SearchStrategy[Value], choices: Sequence[Any]
    ) -> Drawn[Value] | None:
        """The value that the strategy makes of these choices; None if it now makes other ones."""

    @abstractmethod
    def shrink(
        self,
        strategy: SearchStrategy[Value],
        fails: Callable[[Drawn[Value]], bool],
        choices: Sequence[Any],
        seed: int,
    ) -> None:
        """Ask `fails` about ever simpler values, beginning with that of these choices."""


class PrivateEngine(Engine):
    """Uses Hypothesis's private classes.

    Any of `_CHANGED` if the installed release has other ones.
    """

    def draw(self, strategy: SearchStrategy[Value], random: Random) -> Drawn[Value] | None:  # noqa: D102
        return self._drawn(strategy, _new_data(random=random))

    def replay(  # noqa: D102
        self, strategy: SearchStrategy[Value], choices: Sequence[Any]
    ) -> Drawn[Value] | None:
        data = _new_data(random=None, prefix=tuple(choices), max_choices=len(choices))
        return self._drawn(strategy, data)

    def _drawn(self, strategy: SearchStrategy[Value], data: Any) -> Drawn[Value] | None:
        try:
            return Drawn(_value(data, strategy), tuple(data.choices))
        except (_class("StopTest"), UnsatisfiedAssumption):
            return None

    def shrink(  # noqa: D102
        self,
        strategy: SearchStrategy[Value],
        fails: Callable[[Drawn[Value]], bool],
        choices: Sequence[Any],
        seed: int,
    ) -> None:
        database = InMemoryExampleDatabase()
        # with one choice too many: Hypothesis does not shrink what it has stored once more
        database.save(_KEY, choices_to_bytes((*choices, 0)))
        settings = _settings(database, hypothesis.Phase.reuse, hypothesis.Phase.shrink)

        def test(data: Any) -> None:
            try:
                value = _value(data, strategy)
            except UnsatisfiedAssumption:
                data.mark_invalid()
            if fails(Drawn(value, tuple(data.choices))):
                data.mark_interesting(_ORIGIN)

        random = Random(seed)  # noqa: S311
        runner = _class("ConjectureRunner")
        with suppress(StopShrinking):
            runner(test, settings=settings, random=random, database_key=_KEY).run()


def _value(data: Any, strategy: SearchStrategy[Value]) -> Value:
    with _class("BuildContext")(data, is_final=False, wrapped_test=_nothing):
        value: Value = data.draw(strategy)
        return value


def _new_data(random: Random | None, **prefix: Any) -> Any:
    return _class("ConjectureData")(random=random, provider=_provider(), **prefix)


@cache
def _provider() -> type:
    """Hypothesis's own choices, except constants.

    It takes one of twenty numbers from the source of all modules outside of site-packages. An
    installed suite, another program around it or another order of imports would draw other cases.
    """
    usual: Any = _class("HypothesisProvider")
    chosen = vars(usual)["_maybe_draw_constant"]

    def none(*_args: Any, **_kwargs: Any) -> None:
        """No constant."""

    return type("WithoutConstants", (usual,), {chosen.__name__: none})


def _settings(database: ExampleDatabase, *phases: hypothesis.Phase) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=_MOST_CALLS,
        database=database,
        deadline=None,
        derandomize=False,
        phases=phases,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )


def _class(name: str) -> Any:
    return getattr(import_module(_PRIVATE[name]), name)


def _nothing() -> None:
    """The test that Hypothesis asks for its name and its signature."""


class PublicEngine(Engine):
    """Uses tests that fail for the value that is to be kept: Hypothesis stores its choices."""

    def draw(self, strategy: SearchStrategy[Value], random: Random) -> Drawn[Value] | None:
        """The second value, because Hypothesis tries the simplest one first."""
        seed = random.getrandbits(64)
        second = _nth_value(strategy, Stored(None), seed, number=2)
        return second or _nth_value(strategy, Stored(None), seed, number=1)

    def replay(  # noqa: D102
        self, strategy: SearchStrategy[Value], choices: Sequence[Any]
    ) -> Drawn[Value] | None:
        return _nth_value(strategy, Stored(choices_to_bytes(tuple(choices))), seed=0, number=1)

    def shrink(
        self,
        strategy: SearchStrategy[Value],
        fails: Callable[[Drawn[Value]], bool],
        choices: Sequence[Any],
        seed: int,  # noqa: ARG002
    ) -> None:
        """Try fewer choices and smaller ones, until none of them makes a value that fails."""
        with suppress(StopShrinking):
            best = self.replay(strategy, choices)
            if best is None or not fails(best):
                return
            candidates, tried = _simpler(best.made_of), {best.made_of}
            while (simpler := next(candidates, None)) is not None:
                candidate = None if simpler in tried else self.replay(strategy, simpler)
                tried.add(simpler)
                if candidate and _size(candidate) < _size(best) and fails(candidate):
                    best, candidates = candidate, _simpler(candidate.made_of)


class Stored(ExampleDatabase):
    """Has the choices of one value to begin with, and keeps those of the first that fails."""

    def __init__(self, start: bytes | None) -> None:
        super().__init__()
        self.start = start
        self.choices: bytes | None = None

    def fetch(self, key: bytes) -> Iterator[bytes]:  # noqa: ARG002
        """The choices to begin with."""
        yield from [] if self.start is None else [self.start]

    def save(self, key: bytes, value: bytes) -> None:  # noqa: ARG002
        """Keep the choices of the first value."""
        self.choices = value if self.choices is None else self.choices

    def delete(self, key: bytes, value: bytes) -> None:
        """Keep all."""


class KeptError(Exception):
    """The failure of a value that is to be kept."""


def _nth_value(
    strategy: SearchStrategy[Value], stored: Stored, seed: int, *, number: int
) -> Drawn[Value] | None:
    """The value that is this number of those that Hypothesis tries; None if it tries fewer."""
    phase = hypothesis.Phase.generate if stored.start is None else hypothesis.Phase.reuse
    settings = hypothesis.settings(_settings(stored, phase), max_examples=_FEW, database=stored)
    values: list[Value] = []

    @settings  # outside, because a seed alone has no database
    @hypothesis.seed(seed)
    @hypothesis.given(strategy)
    def keep(value: Value) -> None:
        values.append(value)
        if len(values) >= number:
            raise KeptError

    try:
        keep()
    except KeptError:
        # it stores nothing where a value needs no choices
        choices = choices_from_bytes(stored.choices or b"")
        return Drawn(values[number - 1], tuple(choices or ()))
    except (SkipTest, Unsatisfiable):
        pass
    return None


def _simpler(made_of: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Simpler choices, the boldest first: without parts of them, then with smaller numbers."""
    length = len(made_of)
    while length:
        for start in range(0, len(made_of), length):
            yield made_of[:start] + made_of[start + length :]
        length //= 2
    for place, chosen in enumerate(made_of):
        if isinstance(chosen, (bool, int)) and chosen:
            smaller = [False] if isinstance(chosen, bool) else [0, chosen // 2, chosen - 1]
            yield from ((*made_of[:place], less, *made_of[place + 1 :]) for less in smaller)


def _size(drawn: Drawn[Any]) -> tuple[int, list[str]]:
    """Fewer choices are simpler, and then smaller numbers."""
    return len(drawn.made_of), [
        f"{abs(c):020}" if isinstance(c, int) else "" for c in drawn.made_of
    ]


@cache
def engine() -> Engine:
    """The engine that the installed release of Hypothesis has."""
    private = PrivateEngine()
    try:
        _class("StopTest")
        drawn = private.draw(st.integers(), Random(0))  # noqa: S311
        private.shrink(st.integers(), lambda _: False, () if drawn is None else drawn.made_of, 0)
    except _CHANGED:
        return PublicEngine()
    return private
