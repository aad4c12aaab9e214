"""A machine that writes a program rule by rule, with a model of every observation.

A rule has a precondition on the model. It adds steps to the program, changes the model as the
steps change the variables, and notes the expected results of the steps. Hypothesis chooses the
rules and their arguments: the first choice is always the simplest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.dtypes import BFLOAT16
from conformance.program import Ref
from conformance.scenarios.checks import equal_in_single, plain, shown
from conformance.scenarios.model import INACCURATE, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Recorder
from conformance.scenarios.recorder import Result as Recorded
from conformance.scenarios.state.variable_model import (
    NONE,
    Conventions,
    Expression,
    ModelFunction,
    ModelVariable,
    UpdateKind,
)
from conformance.scenarios.state.worlds import READINGS, WITHOUT_BIAS, Result, World, initial
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

Draw = st.DrawFn
# cached, because Hypothesis takes as long to look the strategy up as to draw from it
_between = cache(st.integers)
_BOOLEANS = st.booleans()


@cache
def _whole_numbers(lowest: int, size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(_between(lowest, 8), min_size=size, max_size=size)


Kind = tuple[tuple[int, ...], str]

SHAPES = ((2,), (1,), (2, 3), (1, 2, 2), (), (0,))
DTYPES = ("float32", "float64")
PROBED = ("int32", "float16", "int64", "uint8")


TENSOR, OUTPUT = "the value of a tensor", "an output of a function"
COMPUTED = (TENSOR, OUTPUT)
OTHER_FLOATS = ("float32", "float64")
LARGEST = 16.0
"""How large a number may be on the way to a result: a sum of a few of the programs' own, which are
about 4 at most. Where they cancel, more than the result's last digit is lost."""
ROUNDINGS = 64
"""How many a result has at most that is compared with a reading other than the suite's own."""


@dataclass(frozen=True, eq=False)
class ExpectedResult:
    """The expected value of one result of an output."""

    what: str
    output: str
    _: KW_ONLY
    value: Array
    conventions: Conventions
    history: list[Array]
    """All values of its source (a variable, or an output of a function), including later ones.

    A result that equals a later value was changed after it had been returned."""
    others: Sequence[Result] = ()
    """Its values under other readings."""
    place: int | None = None
    """Which item of a list; None for a single result."""
    known: int = 0
    """The length of the history when the result was observed."""
    rank: str | None = None
    """The output that holds `ndim` of the evaluated tensor; None if there is none."""
    made: str | None = None
    """The output that holds the dtype of its variable; None if there is none."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs that a check looks at, the result first."""
        return (self.output, *(name for name in (self.rank, self.made) if name is not None))


@dataclass(eq=False)
class HeldArray:
    """An array of the program, and the variables that have the same value, with their versions.

    A variable may keep the array itself, and change in it: then the array is another.
    """

    ref: Recorded
    value: Array
    _: KW_ONLY
    conventions: Conventions = NONE
    takers: list[tuple[ModelVariable, int]] = field(default_factory=list)

    @property
    def unchanged(self) -> bool:
        """Whether no such variable has changed since."""
        return all(variable.version == version for variable, version in self.takers)


@dataclass
class Machine:
    """A program that is recorded, with the model."""

    K: Recorder
    draw: Draw
    _: KW_ONLY
    updates: tuple[UpdateKind, ...] = ()
    probed: bool = False
    variables: list[ModelVariable] = field(default_factory=list)
    compiled: list[ModelFunction] = field(default_factory=list)
    noted: list[ExpectedResult] = field(default_factory=list)
    arrays: dict[str, HeldArray] = field(default_factory=dict)
    """Arrays of the program by name, including those read from variables."""
    conventions: set[str] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)
    worlds: list[World] = field(default_factory=list)
    """The values of the variables under other readings."""

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.worlds = initial(averages="moving_average_update" in self.updates)

    def name(self, word: str) -> str:
        """A name that the program does not have yet."""
        self.names[word] += 1
        return f"{word}_{self.names[word]}"

    def rarely(self) -> bool:
        """True now and then, False if in doubt."""
        return self.draw(_between(0, 7)) == 7

    def perhaps(self) -> bool:
        """True half of the time, False if in doubt."""
        return self.draw(_BOOLEANS)

    def choose(self, candidates: Sequence[object]) -> int:
        """The index of one of the candidates."""
        return self.draw(_between(0, len(candidates) - 1))

    def a_variable(self) -> ModelVariable:
        """One of the variables."""
        return self.variables[self.choose(self.variables)]

    def some_variables(self, *, distinct: bool) -> list[ModelVariable]:
        """At least one of them, in any order."""
        places = st.integers(0, len(self.variables) - 1)
        drawn = self.draw(st.lists(places, min_size=1, max_size=3, unique=distinct))
        return [self.variables[place] for place in drawn]

    def numbers(self, kind: Kind) -> Array:
        """A new array of small numbers; halves too where the dtype has them.

        Those of float64 have digits that float32 lacks, and few enough for exact sums.
        """
        shape, dtype = kind
        lowest = 0 if dtype == "uint8" else -8
        size = int(np.prod(shape))
        drawn = self.draw(_whole_numbers(lowest, size))
        whole = np.array(drawn, dtype="float64").reshape(shape)
        unit = 0.5 + 2.0**-25 if dtype == "float64" else 0.5
        return (whole * unit if dtype.startswith("float") else whole).astype(dtype)

    def array(self, value: Array) -> Recorded:
        """An array that the program holds, for use as an argument."""
        array = self.K.array(self.name("array"), value)
        self.arrays[array.name] = HeldArray(array, value)
        return array

    def taken(self, argument: Recorded, variable: ModelVariable) -> None:
        """A variable has taken its value from an argument, which may be one of the arrays."""
        if argument.name in self.arrays:
            self.arrays[argument.name].takers.append((variable, variable.version))

    def assign(
        self,
        variable: ModelVariable,
        argument: Recorded,
        value: Array,
        conventions: Conventions = NONE,
    ) -> None:
        """Give a variable a value, which it takes from an argument."""
        variable.set(value, conventions)
        for world in self.worlds:
            taken = world.held.get(argument.name, value)
            world.values[variable] = taken.astype(variable.value.dtype)
        self.taken(argument, variable)

    def set_new(self, variable: ModelVariable) -> Array:
        """Set a variable to new numbers, which are returned."""
        value = self.numbers(variable.kind)
        array = self.array(value)
        self.K.set_value(variable.ref, array)
        self.assign(variable, array, value)
        return value

    def hold(self, read: Recorded, variable: ModelVariable) -> None:
        """Keep what was read of a variable, for use as an argument."""
        held = HeldArray(read, variable.value, conventions=variable.conventions)
        held.takers.append((variable, variable.version))
        self.arrays[read.name] = held
        for world in self.worlds:
            world.held[read.name] = world.values[variable]

    def note(self, what: str, output: str, value: Array, **more: Any) -> None:
        """Note the expected value of a result, as far as the model knows: see `ExpectedResult`."""
        known = len(more["history"])
        self.noted.append(ExpectedResult(what, output, value=np.array(value), known=known, **more))

    def note_variable(
        self, what: str, output: str, variable: ModelVariable, place: int | None = None
    ) -> None:
        """A result must be what a variable holds, by each reading."""
        self.note(
            what,
            output,
            variable.value,
            conventions=variable.conventions,
            history=variable.history,
            others=[(world.taken, world.values[variable]) for world in self.worlds],
            place=place,
            made=variable.made,
        )

    def read_back(self, variable: ModelVariable) -> None:
        """`get_value` of this variable."""
        read = self.K.get_value(variable.ref).output(self.name("read"))
        self.note_variable("the value of a variable", read.name, variable)
        self.hold(read, variable)

    def expression(self, kind: Kind, fed: Sequence[str] = (), depth: int = 1) -> Expression:
        """A sum or difference of leaves, or a leaf."""
        if depth and self.perhaps():
            parts = tuple(self.expression(kind, fed, depth - 1) for _ in range(2))
            return Expression("sub" if self.perhaps() else "add", parts)
        leaves = [Expression("fed", name=name) for name in fed]
        leaves += [Expression("variable", variable=v) for v in self.variables if v.kind == kind]
        if not leaves or (self.K.edition != "keras-1" and self.rarely()):
            return self._fixed(kind)
        return leaves[self.choose(leaves)]

    def _fixed(self, kind: Kind) -> Expression:
        value = self.numbers(kind)
        if self.K.edition == "keras-1":  # which has no constants
            return Expression("variable", variable=self.make(kind, value))
        constant = self.K.constant(self.array(value), dtype=kind[1])
        return Expression("fixed", fixed=value, name=constant.name)

    def written(self, expression: Expression) -> Recorded:
        """The steps that make the tensor of an expression."""
        for world in self.worlds:
            world.write(expression)
        return self._written(expression)

    def _written(self, expression: Expression) -> Recorded:
        if expression.variable is not None:
            return expression.variable.ref
        if not expression.parts:
            return Recorded(self.K, Ref(expression.name))
        left, right = (self._written(part) for part in expression.parts)
        return left + right if expression.operator == "add" else left - right

    def make(self, kind: Kind, value: Array | None = None) -> ModelVariable:
        """A variable with a value, or with new numbers."""
        value = self.numbers(kind) if value is None else value
        array = self.array(value)
        ref = self.K.variable(array, dtype=kind[1])
        variable = ModelVariable(ref, value, made=self._dtype_of(ref, kind[1]))
        for world in self.worlds:
            world.values[variable] = value
        self.taken(array, variable)
        self.variables.append(variable)
        self.conventions.update(unsettled_of(*kind, DTYPES))
        return variable

    def _dtype_of(self, ref: Recorded, dtype: str) -> str | None:
        """Ask for the dtype of a variable that was to have integers: no document names those."""
        if dtype.startswith("float"):
            return None
        return self.K.dtype(ref).output(self.name("made")).name

    def forget(self) -> None:
        """Forget all variables and functions: later steps must not use them."""
        self.variables.clear()
        self.compiled.clear()
        self._begin()

    def finish(self) -> None:
        """A check of each expected result, and the conventions of all that was drawn."""
        self.expect_noted()
        self.K.conventions = sorted(self.conventions)

    def expect_noted(self) -> None:
        """A check of each expected result."""
        for noted in self.noted:
            self.K.expect(
                noted.what,
                noted.outputs,
                _as_noted(noted),
                f"{shown(noted.value)} in {noted.output}",
                conventions=sorted(noted.conventions),
                alternatives=(*_readings(noted), *_dtypes(noted), _changed(noted)),
            )


def _readings(noted: ExpectedResult) -> Iterator[Alternative]:
    """The other values, each under the first of the readings that it takes."""
    named: dict[tuple[str, str], list[Array]] = {}
    for taken, value in noted.others:
        if taken and not _same(value, noted.value):
            named.setdefault(next(r for r in READINGS if r in taken), []).append(value)
    for (convention, reading), values in named.items():
        yield Alternative(convention, reading, _is_any_of(noted, values, _same_as(noted, reading)))


def _same_as(noted: ExpectedResult, reading: str) -> Callable[[Array, Array], bool]:
    """The comparison for results of a reading: computed results may have another dtype."""
    if noted.what in COMPUTED:
        return partial(_nearly, OTHER_FLOATS)
    return partial(_nearly, ()) if reading == WITHOUT_BIAS[1] else _same


def _dtypes(noted: ExpectedResult) -> Iterator[Alternative]:
    """The same numbers in another dtype: no document says which arithmetic on tensors gives."""
    if noted.what in COMPUTED:
        readings = load_conventions()[ConventionName.RESULT_DTYPE].variants
        for name in (r.name for r in readings if r.name != BFLOAT16):  # NumPy has no such array
            test = _is_any_of(noted, [noted.value.astype(name)])
            yield Alternative(ConventionName.RESULT_DTYPE, name, test)


def _changed(noted: ExpectedResult) -> Alternative:
    """One of the later values of the source, which has changed in the array that was returned."""
    later = [value for value in noted.history[noted.known :] if not _same(value, noted.value)]
    return Alternative(ConventionName.RETURNED_COPY, "shared", _is_any_of(noted, later))


def _is_any_of(
    noted: ExpectedResult,
    allowed: Sequence[Array],
    same: Callable[[Array, Array], bool] | None = None,
) -> Callable[..., Problem | None]:
    """A test that the result is one of these arrays."""
    alike = same or _same

    def test(values: Values, *_rank: Values) -> Problem | None:
        got = _item(noted, values)
        if isinstance(got, Problem) or any(alike(got, value) for value in allowed):
            return got if isinstance(got, Problem) else None
        return Problem(f"gives {shown(got)}", "value", got=got)

    return test


def _nearly(others: Collection[str], got: Array, expected: Array) -> bool:
    """Equal up to some roundings of the coarser dtype, in that of `wanted` or one of `others`."""
    if (
        got.dtype != expected.dtype and got.dtype.name not in others
    ) or got.shape != expected.shape:
        return False
    if expected.dtype.kind != "f" or got.dtype.kind != "f":
        return np.array_equal(got, expected)
    names = {got.dtype.name, expected.dtype.name, *(("float32",) if others else ())}
    eps = max(float(np.finfo(name).eps) for name in names)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    return bool(np.abs(got - expected).max(initial=0) <= ROUNDINGS * eps * scale)


def _item(noted: ExpectedResult, values: Values) -> Array | Problem:
    """The array that a result is."""
    place = 0 if noted.place is None else noted.place
    if (noted.place is None and len(values) != 1) or len(values) <= place:
        return Problem(f"gives {len(values)} results", "several")
    got = values[place].array
    return Problem(f"gives a {values[place].python_type}", "no array") if got is None else got


def _as_noted(noted: ExpectedResult) -> Callable[..., Problem | None]:
    """A test that the result is the expected array."""

    def test(values: Values, *answers: Values) -> Problem | None:
        got = _item(noted, values)
        if isinstance(got, Problem) or _same(got, noted.value):
            return got if isinstance(got, Problem) else None
        unmade = any(_is_as_made(plain(answer), got, noted.value) for answer in answers)
        return replace(_problem(got, noted.value), unmade=unmade)

    return test


def _is_as_made(answer: object, got: Array, expected: Array) -> bool:
    """Whether a result differs because its tensor did.

    If the tensor had another rank before it was evaluated, its operator is to blame; if it had
    another dtype, `variable` is.
    """
    if isinstance(answer, str):
        same = answer.removesuffix("_ref") == got.dtype.name != expected.dtype.name
        return same and np.array_equal(got, expected.astype(got.dtype))
    return answer == got.ndim != expected.ndim


def _same(got: Array, expected: Array) -> bool:
    return got.dtype == expected.dtype and np.array_equal(got, expected)


def _problem(got: Array, expected: Array) -> Problem:
    if got.shape != expected.shape:
        return Problem(f"gives shape {got.shape}", "shape", got=got, expected=expected)
    if np.array_equal(got, expected):
        return Problem(f"gives dtype {got.dtype}", "dtype", got=got, expected=expected)
    coarse = equal_in_single(got, expected, LARGEST)
    return Problem(
        f"gives {shown(got)}",
        INACCURATE if coarse else "value",
        conventions=(ConventionName.ACCURACY,) if coarse else (),
        got=got,
        expected=expected,
    )


Rule = Callable[[Machine], None]


@dataclass(frozen=True)
class GuardedRule:
    """A rule and its precondition on the model."""

    rule: Rule
    enabled: Callable[[Machine], bool] = lambda machine: bool(machine.variables)


def run(machine: Machine, rules: Mapping[str, GuardedRule], main: str, steps: int) -> None:
    """Use some of the rules, and the main one at least once.

    The main rule is the first: a failure shrinks to it. Its precondition is always true.
    """
    used = set()
    names = [main, *(name for name in rules if name != main)]
    for _ in range(machine.draw(_between(1, steps))):
        enabled = [name for name in names if rules[name].enabled(machine)]
        name = enabled[machine.choose(enabled)]
        rules[name].rule(machine)
        used.add(name)
    if main not in used:
        rules[main].rule(machine)
