"""Draw values with a seed, keep the choices that made them, and make them smaller from those.

Hypothesis's public ways of generating look for failures, and remember all that they tried; a plan
needs one value at a time, fast, the same for the same seed. So calls are drawn by `Seeded`, which
chooses as a strategy does and keeps its choices in the form in which Hypothesis does: the strategy
makes the same call of them. Other strategies are drawn, and everything is made smaller, by four
classes of Hypothesis that are not public; this module alone uses them. pyproject.toml allows the
releases with which it was tested.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, Generic, TypeVar

import hypothesis
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase, choices_from_bytes, choices_to_bytes
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.strategies import DrawFn, SearchStrategy

_KEY = b"case"
_PRIVATE = {
    "BuildContext": "hypothesis.control",
    "ConjectureData": "hypothesis.internal.conjecture.data",
    "ConjectureRunner": "hypothesis.internal.conjecture.engine",
    "HypothesisProvider": "hypothesis.internal.conjecture.providers",
}
"""The module of each class that Hypothesis does not document."""
_ORIGIN = "fails"
_MOST_CALLS = 10_000
"""Hypothesis's own limit of what one search may try; the caller's budget ends it long before."""

Value = TypeVar("Value")


class UnsupportedHypothesisError(RuntimeError):
    """The installed release of Hypothesis lacks what this module needs of it."""

    for_users = True
    """The command line prints the message alone."""

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
        return self.draw(_one_of(choices, tuple(map(type, choices))))

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
        """A value of any strategy, by Hypothesis."""
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
        """The choice that was picked."""
        if len(choices) == 1:
            return choices[0]
        place = self._next()
        if not (0 <= place < len(choices)) or (among and place not in among):
            raise UnsatisfiedAssumption("what was picked is not offered any more")
        return choices[place]

    def integer(self, low: int, high: int) -> int:
        """The integer that was chosen."""
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
def _one_of(choices: tuple[Any, ...], _types: tuple[type, ...]) -> SearchStrategy[Any]:
    """A strategy that is made once, which saves time. The types tell (True, 0) from (1, False)."""
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
    """A value of the strategy; None if the strategy rejected what it had drawn.

    UnsupportedHypothesisError if the installed Hypothesis has another private interface.
    """
    data = _new_data(random=random)
    try:
        return Drawn(_value(data, strategy), tuple(data.choices))
    except (StopTest, UnsatisfiedAssumption):
        return None


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


def _value(data: Any, strategy: SearchStrategy[Value]) -> Value:
    with _private("BuildContext", data, is_final=False, wrapped_test=_nothing):
        value: Value = data.draw(strategy)
        return value


def _new_data(random: Random | None, **prefix: Any) -> Any:
    return _private("ConjectureData", random=random, provider=_private_provider(), **prefix)


@cache
def _private_provider() -> type:
    """Hypothesis's own choices, but for constants.

    It chooses one of twenty numbers among the constants in the source of all modules that are
    imported from outside of site-packages, so that an installed suite, another program around it or
    another order of imports would draw other cases.
    """
    try:
        usual: Any = _class("HypothesisProvider")
        chosen = vars(usual)["_maybe_draw_constant"]
    except (ImportError, AttributeError, KeyError) as problem:
        raise UnsupportedHypothesisError(str(problem)) from problem

    def none(*_args: Any, **_kwargs: Any) -> None:
        """No constant."""

    return type("WithoutConstants", (usual,), {chosen.__name__: none})


def _runner(test: Callable[[Any], None], settings: hypothesis.settings, seed: int) -> Any:
    random = Random(seed)  # noqa: S311
    return _private("ConjectureRunner", test, settings=settings, random=random, database_key=_KEY)


def _private(name: str, *args: Any, **kwargs: Any) -> Any:
    """An object of one of Hypothesis's private classes."""
    try:
        return _class(name)(*args, **kwargs)
    except (ImportError, AttributeError, TypeError) as problem:
        raise UnsupportedHypothesisError(str(problem)) from problem


@cache
def _class(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(_PRIVATE[name]), name)
    return found


def _nothing() -> None:
    """The test that Hypothesis asks for its name and its signature."""
