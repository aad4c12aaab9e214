"""Scenarios as a user would write them: functions of `K`, run once against a recorder.

A scenario is a program of several steps, its arrays, and checks of what its outputs must be. Nobody
writes the steps down. A scenario is a Python function whose first parameter is `K`; a `Recorder`
takes the place of the library, and each call of `K` becomes a step:

    BOOK = Book()

    @BOOK.scenario("set_value", "a new {dtype}", Aspect.STATE, dtype=("float32", "float64"))
    def new_value(K: Recorder, dtype: str) -> None:
        x = K.variable(K.array("start", np.zeros(3)), dtype=dtype)
        K.set_value(x, K.array("new", np.ones(3)))
        K.expect(
            "the new value is read back",
            K.eval(x + 1).output("after"),
            is_array(np.full(3, 2.0)),
            "2 everywhere",
            at={"ko-2.2": 2466},
        )

    FAMILIES = BOOK.families

What the function can do with `K` and with results:

* `K.NAME(...)` calls a function of the library, `K["NAME"](...)` one by its name as a text, and
  `K.keras.layers.Input(...)` something else of the package. Each call gives a `Result`.
* A `Result` is an argument of later calls. It has Python's operators: `x + y`, `-x`, `made[0]`, and
  `compiled([x])` where a call made a function.
* `K.array("start", values)` holds an array under a name. An array that is passed without one gets a
  name of its own.
* A Python function as an argument is recorded with its name and its parameters:
  `K.map_fn(lambda x: x * x, elements)`. Calls of `K` inside it are steps of the callable. A lambda
  is called "fn"; `K.body("name", function)` gives another name.
* `K.attempt(K.set_value, x, wrong)` may raise. Its result is "returns", or "raises" and the names
  of the exception's classes.
* `result.output("after")` names a result and makes it an output, which the worker sends back.
* `K.expect(name, results, test, demands)` adds a check of one result or several, or of outputs by
  their names. `test` gets the values of each, and answers None or a `Problem` (`checks.py` has the
  usual tests). The keywords are the fields of `Check`; the aspect is the first of the scenario's
  unless the keyword names another.
* `K.tested` is the function under test and `K.edition` the edition. The function may set `K.title`,
  `K.conventions`, `K.setup` and `K.at`, which are the fields of `Scenario`.

`Book.scenario` registers a `Family` for each function. Each further keyword is a parameter of the
function. Its values are a sequence (a run has all combinations) or a strategy of Hypothesis (the
profile says how many a run draws). Where they depend on the function under test,
a lambda gives them for its name. A function with a parameter `draw` draws as it goes. The title is
a format of `function` and of the parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import EDITIONS, Edition
from conformance.program import Binding, Function, Input, Program, Ref, Step
from conformance.results import Aspect
from conformance.scenarios.composites import composite
from conformance.scenarios.model import (
    Alternative,
    Array,
    Check,
    Family,
    Problem,
    Scenario,
    Setup,
)

Lines = Mapping[str, int | str]
Write = TypeVar("Write", bound=Callable[..., None])


class Result:
    """The result of a recorded call, or a parameter of a recorded callable."""

    __array_ufunc__ = None  # NumPy leaves an operator with an array to this class
    __iter__ = None  # __getitem__ alone would make an endless iterable of it

    def __init__(self, recorder: Recorder, ref: Ref) -> None:
        self._recorder = recorder
        self.ref = ref

    @property
    def name(self) -> str:
        """The name of the result in the program."""
        return self.ref.name

    def output(self, name: str) -> Result:
        """The same result as an output of that name. The call must be the latest one."""
        self._recorder.outputs.append(name)
        return self.named(name)

    def named(self, name: str) -> Result:
        """The same result under that name, for callables and oracles that look for it."""
        self._recorder.rename(self.ref, name)
        self.ref = Ref(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Call what the result is: a function that the program has made."""
        return self._recorder.step("operator.call", (self, *args), kwargs)

    def __getitem__(self, place: int) -> Result:
        return self._step("operator.getitem", self, place)

    def __add__(self, other: Any) -> Result:
        return self._step("operator.add", self, other)

    def __sub__(self, other: Any) -> Result:
        return self._step("operator.sub", self, other)

    def __mul__(self, other: Any) -> Result:
        return self._step("operator.mul", self, other)

    def __rmul__(self, other: Any) -> Result:
        return self._step("operator.mul", other, self)

    def __truediv__(self, other: Any) -> Result:
        return self._step("operator.truediv", self, other)

    def __neg__(self) -> Result:
        return self._step("operator.neg", self)

    def _step(self, function: str, *args: Any) -> Result:
        return self._recorder.step(function, args, {})


class Member:
    """A function of the library, or a namespace of functions such as `K.keras.layers`."""

    def __init__(self, recorder: Recorder, path: str) -> None:
        self._recorder = recorder
        self.path = path

    def __getattr__(self, name: str) -> Member:
        return Member(self._recorder, f"{self.path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Add a step that calls it."""
        return self._recorder.step(self.path, args, kwargs)


class Recorder:
    """The library as a scenario sees it, usually called `K`: the module's docstring has it all."""

    def __init__(
        self, tested: str, edition: Edition, title: str = "", aspect: Aspect = Aspect.VALUE
    ) -> None:
        self.tested, self.edition, self.title, self.aspect = tested, edition, title, aspect
        self.checks: list[Check] = []
        self.outputs: list[str] = []
        self.arrays: dict[str, Array] = {}
        self.conventions: Sequence[str] = ()
        self.setup: Setup | None = None
        self.may_refuse = False
        self.at: Lines = {}
        self._inputs: list[Input] = []
        self.steps: list[Step] = []

    def __getattr__(self, name: str) -> Member:
        return Member(self, name)

    def __getitem__(self, function: str) -> Member:
        return Member(self, function)

    def array(self, name: str, value: Any, dtype: str | None = None) -> Result:
        """A NumPy array that the program holds."""
        array = np.asarray(value, dtype)
        self._inputs.append(Input(name, array.shape, array.dtype.name, Binding.ARRAY))
        self.arrays[name] = array
        return Result(self, Ref(name))

    def tensor(self, name: str, value: Array) -> Result:
        """A tensor of the backend with the numbers and the dtype of an array."""
        return self.step("constant", (self.array(name, value),), {"dtype": value.dtype.name})

    def attempt(self, call: Member, *args: Any, **kwargs: Any) -> Result:
        """A call that may raise."""
        return self.step(call.path, args, kwargs, attempt=True)

    def step(
        self,
        function: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        attempt: bool = False,
    ) -> Result:
        """Add a call."""
        positional = tuple(map(self.argument, args))
        named = tuple((name, self.argument(value)) for name, value in kwargs.items())
        result = f"{function.rpartition('.')[2]}_{len(self.steps)}"
        self.steps.append(Step(result, function, positional, named, attempt))
        return Result(self, Ref(result))

    def rename(self, ref: Ref, name: str) -> None:
        """Give the latest step or array another name.

        Raises:
            ValueError: `ref` is not the latest step or array.
        """
        if self.steps and self.steps[-1].result == ref.name:
            self.steps[-1] = replace(self.steps[-1], result=name)
        elif self._inputs and self._inputs[-1].name == ref.name:
            self._inputs[-1] = replace(self._inputs[-1], name=name)
            self.arrays[name] = self.arrays.pop(ref.name)
        else:
            raise ValueError(f"{ref.name} is not the latest step; name it where it is made")

    def argument(self, value: Any) -> Any:
        """A value as programs hold it."""
        match value:
            case Result():
                return value.ref
            case np.ndarray():
                return self.array(f"array_{len(self._inputs)}", value).ref
            case FunctionType():
                name = value.__name__
                return self.body(name if name.isidentifier() else "fn", value)
        if type(value) in (tuple, list):
            return type(value)(map(self.argument, value))
        return value

    def body(self, name: str, function: Callable[..., Any]) -> Function:
        """A callable of that name, recorded from a Python function of its parameters."""
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        outer, self.steps = self.steps, []
        try:
            returns = self.argument(function(*(Result(self, Ref(p)) for p in parameters)))
            return Function(name, parameters, tuple(self.steps), returns)
        finally:
            self.steps = outer

    def expect(
        self,
        name: str,
        results: Result | str | Sequence[Result | str],
        test: Callable[..., Problem | None],
        demands: str,
        *,
        aspect: Aspect | None = None,
        at: Lines | None = None,
        conventions: Sequence[str] = (),
        alternatives: Sequence[Alternative] = (),
        after: Check | None = None,
    ) -> None:
        """One thing that must hold of results; the keywords are the fields of `Check`."""
        seen = [results] if isinstance(results, Result | str) else results
        outputs = tuple(r if isinstance(r, str) else r.name for r in seen)
        self.outputs += [name for name in outputs if name not in self.outputs]
        check = Check(
            name,
            aspect or self.aspect,
            outputs=outputs,
            test=test,
            demands=demands,
            at=at or {},
            conventions=tuple(conventions),
            alternatives=tuple(alternatives),
            after=after,
        )
        self.checks.append(check)

    def program(self) -> Program:
        """The program as recorded so far."""
        return Program(tuple(self._inputs), tuple(self.steps), tuple(self.outputs))

    def scenario(self) -> Scenario:
        """The scenario as recorded so far."""
        return Scenario(
            self.tested,
            self.title,
            program=self.program(),
            arrays=self.arrays,
            checks=tuple(self.checks),
            conventions=tuple(self.conventions),
            setup=self.setup,
            may_refuse=self.may_refuse,
            at=self.at,
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """A scenario that was not recorded yet: its function, and all but some parameters."""

    write: Callable[..., None]
    function: str
    title: str
    aspect: Aspect

    def recorded(self, edition: Edition, **values: Any) -> Scenario:
        """The scenario in an edition, with these values of the parameters."""
        shown = {name: value for name, value in values.items() if name != "draw"}
        title = self.title.format(function=self.function, **shown)
        K = Recorder(self.function, edition, title, self.aspect)
        self.write(K, **values)
        return K.scenario()


@composite
def _drawn(draw: DrawFn, recipe: Recipe, edition: Edition, values: Mapping[str, Any]) -> Scenario:
    drawn = {n: draw(v) if isinstance(v, SearchStrategy) else v for n, v in values.items()}
    if _draws(recipe.write):
        drawn["draw"] = draw
    return recipe.recorded(edition, **drawn)


def _draws(write: Callable[..., None]) -> bool:
    return "draw" in write.__code__.co_varnames[: write.__code__.co_argcount]


Functions = str | Iterable[str] | Mapping[str, Sequence[Edition]]
"""A function, several, or several with the editions of each."""


class Book:
    """The families of a module, in the order in which their scenarios are written."""

    def __init__(self) -> None:
        self._families: list[tuple[Callable[..., None], Family]] = []

    @property
    def families(self) -> tuple[Family, ...]:
        """All of them."""
        return tuple(family for _, family in self._families)

    def families_of(self, write: Callable[..., None]) -> list[Family]:
        """Those whose scenarios this function writes."""
        return [family for written, family in self._families if written is write]

    def scenario(
        self,
        functions: Functions,
        title: str = "",
        *aspects: Aspect,
        editions: Sequence[Edition] = EDITIONS,
        share: float = 1.0,
        **parameters: Any,
    ) -> Callable[[Write], Write]:
        """Register the scenarios that a function of a recorder writes: see the module's docstring.

        `aspects` are those of all checks (the default is the value), `share` is that of `Family`.
        """
        shown = aspects or (Aspect.VALUE,)

        def register(write: Write) -> Write:
            for function, offered in _with_editions(functions, editions):
                recipe = Recipe(write, function, title, shown[0])
                for make in _makers(recipe, parameters):
                    family = Family(
                        function,
                        frozenset(shown),
                        make=make,
                        editions=tuple(offered),
                        share=share,
                    )
                    self._families.append((write, family))
            return write

        return register


def _with_editions(
    functions: Functions, editions: Sequence[Edition]
) -> Iterable[tuple[str, Sequence[Edition]]]:
    if isinstance(functions, str):
        return [(functions, editions)]
    if isinstance(functions, Mapping):
        return functions.items()
    return [(function, editions) for function in functions]


Make = Callable[[Edition], SearchStrategy[Scenario] | Sequence[Scenario]]


def _makers(recipe: Recipe, parameters: Mapping[str, Any]) -> Iterator[Make]:
    """The makers of the scenarios: a sequence of all, or a strategy per combination of values."""
    offered = [
        v(recipe.function) if isinstance(v, FunctionType) else v for v in parameters.values()
    ]
    strategies = any(isinstance(v, SearchStrategy) for v in offered)
    rows = [[v] if isinstance(v, SearchStrategy) else list(v) for v in offered]
    combinations = [dict(zip(parameters, row, strict=True)) for row in itertools.product(*rows)]
    if not strategies and not _draws(recipe.write):
        yield lambda edition: [recipe.recorded(edition, **values) for values in combinations]
        return
    for values in combinations:
        yield lambda edition, values=values: _drawn(recipe, edition, values)  # type: ignore[misc]
