"""The records of a scenario: a program of several steps, its arrays, and checks of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis.strategies import SearchStrategy

from conformance.editions import EDITIONS, Edition
from conformance.observations import Value
from conformance.program import Program
from conformance.results import Aspect

KERAS_2: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
LATEST_K: tuple[Edition, ...] = ("keras-2.2",)
KERAS_3: tuple[Edition, ...] = ("keras-3",)
KERAS_3_DOCUMENT = "keras-3.15.1"

SUMMARY: Mapping[str, int | str] = {KERAS_3_DOCUMENT: "Summary"}
ARGS: Mapping[str, int | str] = {KERAS_3_DOCUMENT: "Args"}
RETURNS: Mapping[str, int | str] = {KERAS_3_DOCUMENT: "Returns"}
SYMBOL: Mapping[str, int | str] = {KERAS_3_DOCUMENT: "keras.KerasTensor: Example"}
"""Places in the docstrings that checks cite."""
Array = npt.NDArray[Any]
INACCURATE = "accuracy"
"""The detail of a problem whose values are right in the first half of their digits."""
Values = tuple[Value, ...]
"""The values of one output of a program: one value, or one for each item of a list or tuple."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The difference between the values and the demand of a check."""

    gives: str
    """The result, in words that follow the call: "gives (2,)"."""
    detail: str = ""
    """Tells the failures of one check apart; the same failure always has the same detail."""
    _: KW_ONLY
    conventions: tuple[str, ...] = ()
    """The conventions that this problem rests on, besides those of the check."""
    got: Array | str | None = None
    expected: Array | str | None = None
    ulp: float | None = None
    limits: npt.NDArray[np.float64] | None = None
    """How far each element may be from `expected`; None for a check of its own tolerance."""
    fault: str = ""
    """A Python expression for scripts that is true if the fault is there. `values` holds a list of
    values for each of the check's outputs, `first` is the first of a list. Without an expression, a
    script compares `got` with `expected`, or tests for the same answer again."""
    wrong: str = ""
    """In place of `fault`: an expression for the mask of the elements of `first` that are wrong."""
    texts: tuple[str, ...] = ()
    """A shorter form of `fault` for a check of one output: it must be one of these texts."""
    unmade: bool = False
    """Whether a function on which the check depends failed first: the check saw nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """Another answer that a check allows: that of a reading of a convention.

    `test` is called as the check's own, and answers None if the outputs are those of the reading.
    """

    convention: str
    reading: str
    test: Callable[..., Problem | None]


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One thing that must hold of the outputs of a program.

    The suite calls `test` with the values of each output in `outputs`; None means that it holds.
    A failure contradicts the line in `at` for the edition's document, or else the line of the
    function's first claim of the aspect. It is a divergence if one of `alternatives` finds its own
    answer, or if a convention that the check, its scenario or the problem names allows anything.
    """

    name: str
    """A few words that are the same for every case: "the new value is read back"."""
    aspect: Aspect
    _: KW_ONLY
    outputs: tuple[str, ...]
    test: Callable[..., Problem | None]
    demands: str
    """The expected result, in words that follow "demands"."""
    at: Mapping[str, int | str] = field(default_factory=dict)
    """The line of each document that demands it, or the section of the function's docstring."""
    conventions: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    after: Check | None = None
    """An earlier check: if it violates, its failure replaces that of this check."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A process of its own for one scenario: what its configuration folder and environment hold.

    In texts, `{backend}` stands for the name of the target's own backend. A variable that is None
    is removed.
    """

    configuration: str | None = None
    """The text of `keras.json`; None for no such file."""
    _: KW_ONLY
    environment: Mapping[str, str | None] = field(default_factory=dict)
    may_refuse: bool = False
    """Whether the import may fail; if it does, nothing is checked."""
    cleared: bool = True
    """Whether `clear_session` precedes it; otherwise the program is the first of its process."""


OWN_PROCESS = Setup()
"""A process of its own, where a call may end it, or read or write beyond its tensors."""


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """A program, its arrays by input name, and the checks.

    Every output of the program should be a plain value, made by a step that evaluates (`eval`,
    `get_value`, `operator.call` of a function); a tensor is evaluated after the last step.
    """

    function: str
    """The function under test, by its newest name."""
    title: str
    """Its subject, in words that are the same for every case."""
    _: KW_ONLY
    program: Program
    arrays: Mapping[str, Array]
    checks: tuple[Check, ...]
    conventions: tuple[str, ...] = ()
    """Conventions without which the documents do not cover the case at all."""
    setup: Setup | None = None
    may_refuse: bool = False
    """Whether calls of the function may raise; if one does, no check looks at its result."""
    at: Mapping[str, int | str] = field(default_factory=dict)
    """The lines that say that there is a result; empty: those that describe the function."""

    @property
    def size(self) -> tuple[int, ...]:
        """A measure of complexity: the smaller of two failing scenarios is shown."""
        elements = sum(array.size for array in self.arrays.values())
        return (len(self.program.steps), elements, len(self.conventions))


@dataclass(frozen=True, slots=True)
class Family:
    """Scenarios of one kind for one function.

    `make` gets the edition and gives a strategy, of which as many are drawn as the run's profile
    says, or a sequence of scenarios, all of which are run. `aspects` are those of all its checks.
    """

    function: str
    aspects: frozenset[Aspect]
    _: KW_ONLY
    make: Callable[[Edition], SearchStrategy[Scenario] | Sequence[Scenario]]
    editions: tuple[Edition, ...] = EDITIONS
    share: float = 1.0
    """How many scenarios are drawn, as a multiple of the profile's number."""
