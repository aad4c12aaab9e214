"""Draw values with a seed, keep the choices that made them, and make them smaller from those.

Calls are drawn by `Seeded`, which chooses as a strategy does and keeps its choices in the form in
which Hypothesis does: the strategy makes the same call of them. Other strategies are drawn, and
everything is made smaller, by Hypothesis (`hypothesis_engine`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.database import choices_from_bytes
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.generators.hypothesis_engine import Drawn, StopShrinking, engine

__all__ = [
    "ByHypothesis",
    "Chooser",
    "Drawn",
    "Rejected",
    "Replayed",
    "Seeded",
    "StopShrinking",
    "drawn",
    "remade",
    "replayed",
    "seeded",
    "shrink",
]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Rejected:
    """Nothing, because what was drawn cannot go on as it has to."""

    reason: str


class Chooser(ABC):
    """Makes the choices of a call: at random, or as Hypothesis has them."""

    @abstractmethod
    def pick(self, choices: tuple[Any, ...], among: tuple[int, ...] = ()) -> Any:
        """One of the choices, of those with the numbers in `among` if it is not empty; failures
        shrink towards the first."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""

    @abstractmethod
    def draw(self, strategy: SearchStrategy[Value]) -> Value:
        """A value of any strategy."""

    def position(self) -> int:
        """The number of choices made so far."""
        return 0

    def take_back(self, position: int) -> None:  # noqa: B027
        """Forget the choices since a position, after what they made was undone."""


class ByHypothesis(Chooser):
    """Leaves the choices to Hypothesis."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw  # type: ignore[method-assign]

    def pick(self, choices: tuple[Any, ...], among: tuple[int, ...] = ()) -> Any:  # noqa: ARG002
        """One of all the choices."""
        return self.draw(_one_of(choices, repr(choices)))

    def integer(self, low: int, high: int) -> int:
        """An integer."""
        return self.draw(_between(low, high))

    def draw(self, strategy: SearchStrategy[Value]) -> Value:  # noqa: D102
        raise NotImplementedError("each has that of its strategy")


class Seeded(Chooser):
    """Chooses at random, each choice as likely as any other, and keeps what it chose.

    It keeps the index of what it picked; of one choice alone nothing, as Hypothesis does.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._made: list[Any] = []

    @property
    def made_of(self) -> tuple[Any, ...]:
        """The choices."""
        return tuple(self._made)

    def pick(self, choices: tuple[Any, ...], among: tuple[int, ...] = ()) -> Any:
        """One of the choices."""
        if len(choices) == 1:
            return choices[0]
        count = len(among or choices)
        place = int(self._random.random() * count)
        place = among[place] if among else place
        self._made.append(place)
        return choices[place]

    def integer(self, low: int, high: int) -> int:
        """An integer."""
        chosen = low + int(self._random.random() * (high - low + 1))
        self._made.append(chosen)
        return chosen

    def draw(self, strategy: SearchStrategy[Value]) -> Value:
        """A value of any strategy, by Hypothesis.

        Raises:
            UnsatisfiedAssumption: the strategy rejects its own draw.
        """
        found = drawn(strategy, self._random)
        if found is None:
            raise UnsatisfiedAssumption("a strategy rejected what it had drawn")
        self._made += found.made_of
        return found.value

    def position(self) -> int:
        """The number of choices made so far."""
        return len(self._made)

    def take_back(self, position: int) -> None:
        """Forget the choices since a position."""
        del self._made[position:]


class Replayed(Chooser):
    """Makes choices that `Seeded` made once. UnsatisfiedAssumption if they do not fit any more."""

    def __init__(self, made_of: Sequence[Any]) -> None:
        self.made_of = tuple(made_of)
        self._left = iter(self.made_of)

    def pick(self, choices: tuple[Any, ...], among: tuple[int, ...] = ()) -> Any:
        """The choice that was picked.

        Raises:
            UnsatisfiedAssumption: the call no longer offers it.
        """
        if len(choices) == 1:
            return choices[0]
        place = self._next()
        if not (0 <= place < len(choices)) or (among and place not in among):
            raise UnsatisfiedAssumption("what was picked is not offered any more")
        return choices[place]

    def integer(self, low: int, high: int) -> int:
        """The integer that was chosen.

        Raises:
            UnsatisfiedAssumption: the range no longer contains the integer.
        """
        chosen = self._next()
        if not low <= chosen <= high:
            raise UnsatisfiedAssumption("the integer is not in its range any more")
        return chosen

    def draw(self, strategy: SearchStrategy[Value]) -> Value:  # noqa: D102
        raise NotImplementedError("no structure is drawn by a strategy of Hypothesis's")

    def _next(self) -> int:
        for chosen in self._left:
            return int(chosen)
        raise UnsatisfiedAssumption("there are fewer choices than are asked for")


@cache
def _one_of(choices: tuple[Any, ...], _written: str) -> SearchStrategy[Any]:
    """A strategy that is made once, which saves time. Only as they are written do ((0,),) and
    ((False,),) differ."""
    return st.sampled_from(choices)


_between = cache(st.integers)


def seeded(make: Callable[[Chooser], Value], random: Random) -> Drawn[Value] | Rejected:
    """What `make` makes of choices that are made at random."""
    return _made(make, Seeded(random))


def replayed(make: Callable[[Chooser], Value], made_of: Sequence[Any]) -> Drawn[Value] | Rejected:
    """What `make` makes of choices that were made before."""
    return _made(make, Replayed(made_of))


def _made(make: Callable[[Chooser], Value], chooser: Seeded | Replayed) -> Drawn[Value] | Rejected:
    try:
        value = make(chooser)
    except UnsatisfiedAssumption as problem:
        return Rejected(str(problem))
    return Drawn(value, chooser.made_of)


def drawn(strategy: SearchStrategy[Value], random: Random) -> Drawn[Value] | None:
    """A value of the strategy; None if the strategy rejected what it had drawn."""
    return engine().draw(strategy, random)


def remade(strategy: SearchStrategy[Value], choices: bytes) -> Value | None:
    """The value that the strategy makes of these choices; None if it now makes other ones.

    A strategy that has changed may make something else of them: look at the value.
    """
    listed = choices_from_bytes(choices)
    replay = None if listed is None else engine().replay(strategy, listed)
    return None if replay is None else replay.value


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
    engine().shrink(strategy, fails, choices_from_bytes(choices) or (), seed)
