"""Draw values from Hypothesis strategies, keep the choices that made them, and shrink from those.

Hypothesis's public ways of generating search for failures, keep a tree of all that they have tried,
and cannot be told apart from a run: a plan needs one value at a time, fast, the same for the same
seed. So this module, and no other, uses three things of Hypothesis that are not public:
`ConjectureData` (one draw), `BuildContext` (what `reject` and `note` look for) and
`ConjectureRunner` (the shrinker). pyproject.toml allows the releases with which it was tested.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Generic, TypeVar

import hypothesis
from hypothesis.control import current_build_context
from hypothesis.database import InMemoryExampleDatabase, choices_from_bytes, choices_to_bytes
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.strategies import SearchStrategy

_KEY = b"case"
_ORIGIN = "fails"
_MOST_CALLS = 10_000
"""Hypothesis's own limit of what one search may try; the caller's budget ends it long before."""

Value = TypeVar("Value")


class UnsupportedHypothesisError(RuntimeError):
    """The installed release of Hypothesis lacks what this module needs of it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"Hypothesis {hypothesis.__version__} does not fit this suite ({problem}): install a "
            "release that the suite's metadata allows, for example with `pip install conformance`"
        )


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


class _Given(threading.local):
    """What the draw of this thread has taken back."""

    back: list[tuple[int, int]] | None = None


_GIVEN = _Given()


def drawn(strategy: SearchStrategy[Value], random: Random) -> Drawn[Value] | None:
    """A value of the strategy; None if the strategy rejected what it had drawn.

    UnsupportedHypothesisError if the installed Hypothesis has another private interface.
    """
    data = _new_data(random=random)
    _GIVEN.back = []
    try:
        value = _value(data, strategy)
        return Drawn(value, _without(tuple(data.choices), _GIVEN.back))
    except (StopTest, UnsatisfiedAssumption):
        return None
    finally:
        _GIVEN.back = None


def remade(strategy: SearchStrategy[Value], choices: bytes) -> Value | None:
    """What the strategy makes of these choices; None if it has come to make other ones.

    A strategy that has changed may make something else of them: look at what comes.
    """
    listed = choices_from_bytes(choices)
    if listed is None:
        return None
    data = _new_data(random=None, prefix=listed, max_choices=len(listed))
    try:
        return _value(data, strategy)
    except (StopTest, UnsatisfiedAssumption):
        return None


def shrink(
    strategy: SearchStrategy[Value],
    fails: Callable[[Drawn[Value]], bool],
    choices: bytes,
    seed: int,
) -> None:
    """Ask `fails` about ever simpler values, starting from the one that these choices make.

    `fails` keeps the best one that it has seen, and raises `StopShrinking` to end the search. The
    values are the same for the same seed and answers.
    """
    database = InMemoryExampleDatabase()
    # with one choice too many: Hypothesis does not shrink what it has stored once more
    database.save(_KEY, choices_to_bytes((*(choices_from_bytes(choices) or ()), 0)))
    settings = hypothesis.settings(
        max_examples=_MOST_CALLS,
        database=database,
        deadline=None,
        phases=(hypothesis.Phase.reuse, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
    )

    def test(data: Any) -> None:
        try:
            value = _value(data, strategy)
        except UnsatisfiedAssumption:
            data.mark_invalid()
        if fails(Drawn(value, tuple(data.choices))):
            data.mark_interesting(_ORIGIN)

    try:
        _runner(test, settings, seed).run()
    except StopShrinking:
        return


def position() -> int:
    """How many choices the current draw has made."""
    return len(current_build_context().data.nodes)


def take_back(start: int) -> None:
    """Leave the choices since `start` out of those that the current draw keeps.

    What they made must have been undone: the rest must make the same value without them.
    """
    if _GIVEN.back is not None:
        _GIVEN.back.append((start, position()))


def _without(choices: tuple[Any, ...], spans: list[tuple[int, int]]) -> tuple[Any, ...]:
    kept: list[Any] = []
    place = 0
    for start, stop in spans:
        kept += choices[place:start]
        place = max(place, stop)
    return (*kept, *choices[place:])


def _value(data: Any, strategy: SearchStrategy[Value]) -> Value:
    with _private("BuildContext", data, is_final=False, wrapped_test=_nothing):
        value: Value = data.draw(strategy)
        return value


def _new_data(random: Random | None, **prefix: Any) -> Any:
    return _private("ConjectureData", random=random, **prefix)


def _runner(test: Callable[[Any], None], settings: hypothesis.settings, seed: int) -> Any:
    random = Random(seed)  # noqa: S311
    return _private("ConjectureRunner", test, settings=settings, random=random, database_key=_KEY)


def _private(name: str, *args: Any, **kwargs: Any) -> Any:
    """An object of one of Hypothesis's private classes."""
    try:
        return _classes()[name](*args, **kwargs)
    except (ImportError, TypeError) as problem:
        raise UnsupportedHypothesisError(str(problem)) from problem


@cache
def _classes() -> dict[str, Callable[..., Any]]:
    from hypothesis.control import BuildContext
    from hypothesis.internal.conjecture.data import ConjectureData
    from hypothesis.internal.conjecture.engine import ConjectureRunner

    found = (BuildContext, ConjectureData, ConjectureRunner)
    return {one.__name__: one for one in found}


def _nothing() -> None:
    """The test that Hypothesis asks for its name and its signature."""
