"""A call of tensors that belong together, with what must come of it, as scenarios.

The kinds of parameters that a spec can name draw each argument for itself. Here a function draws
the whole call: indices that are distinct, a matrix that has an inverse, lengths that add up. A
call is made of tensors, or of symbolic ones, whose shape is known before the numbers are, or it is
compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.generators.compiled import COMPILED
from conformance.program import Argument, Ref, Step
from conformance.program import Function as Body
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    UNKNOWN,
    Test,
    has_dtype,
    has_shape,
    is_array,
    shown,
)
from conformance.scenarios.checks import is_static_shape as is_static
from conformance.scenarios.composites import composite
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Check,
    Family,
    Problem,
    Scenario,
    Values,
)
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

FLOATS = ("float32", "float64")
StaticTest = Callable[[Sequence[int]], Test]
"""Makes the test of what is known of a shape before the numbers are."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One of the tensors that a call gives."""

    shape: tuple[int, ...]
    test: Test
    _: KW_ONLY
    demands: str
    dtype: str | None = None
    """The dtype of the input that it consists of; None where the docstring names no dtype."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """The arguments of one call and its results."""

    tensors: Mapping[str, Array]
    """By the names under which the arguments refer to them."""
    args: tuple[Argument, ...]
    kwargs: Mapping[str, Argument] = field(default_factory=dict)
    _: KW_ONLY
    results: tuple[Result, ...]
    whole: Callable[..., Problem | None] | None = None
    """A test of all results together, which it gets as arrays."""
    demands: str = ""
    """What the test of all results asks for."""
    several: bool = False
    """Whether a list or tuple of results comes, even if there is one."""
    outside: Mapping[str, Array] = field(default_factory=dict)
    """Tensors that are never symbolic."""
    about: str = ""
    """What is special about it, in words that are the same for every case: as many of these as can
    be are among the cases of a run."""
    test: Test | None = None
    """A test of all that comes, in whatever form, in the place of one for each result."""
    conventions: tuple[ConventionName, ...] = ()
    """Those by which the call may be refused; what it gives must be right."""


def exact(expected: Any, dtype: str | None = None) -> Result:
    """A result that is settled to the last bit."""
    wanted = np.asarray(expected)
    return Result(wanted.shape, is_array(wanted), demands=shown(wanted), dtype=dtype)


def one(tensors: Mapping[str, Array], *args: Argument, gives: Result, **kwargs: Argument) -> Call:
    """A call with one result."""
    return Call(tensors, args, kwargs, results=(gives,))


def many(
    tensors: Mapping[str, Array], *args: Argument, gives: Sequence[Result], **kwargs: Argument
) -> Call:
    """A call with a list or tuple of results."""
    return Call(tensors, args, kwargs, results=(*gives,), several=True)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with the strategy of its calls."""

    name: str
    draw: Callable[[DrawFn], Call]
    _: KW_ONLY
    section: str = "Returns"
    """The section of the docstring that says what the call gives."""
    keeps_dtype: bool = False
    """Whether results consist of elements of the input, so that their dtype is looked at."""
    names_dtype: bool = False
    """Whether the docstring says which dtype the results have."""
    symbolic: bool = True
    """Whether the shape follows from the shapes of the arguments."""
    inner: int | None = None
    """How many of the last axes must be known before the numbers are; None if all must be."""


def families(functions: Sequence[Function]) -> Iterator[Family]:
    """The scenarios of each function."""
    for function in functions:
        aspects = {Aspect.VALUE}
        aspects |= {Aspect.DTYPE} if function.keeps_dtype or function.names_dtype else set()
        aspects |= {Aspect.STATIC_SHAPE} if function.symbolic else set()
        yield Family(
            function.name, frozenset(aspects), make=_maker(function), editions=KERAS_3, share=2.0
        )
        yield Family(
            function.name,
            frozenset(aspects - {Aspect.STATIC_SHAPE}),
            make=_compiler(function),
            editions=KERAS_3,
            share=0.2,
        )


def _maker(function: Function) -> Callable[[Edition], SearchStrategy[Scenario]]:
    @composite
    def drawn(draw: DrawFn) -> Scenario:
        call = function.draw(draw)
        if not (function.symbolic and draw(st.booleans())):
            return _eager(function, call)
        return _symbolic(function, call, unknown=draw(st.booleans()))

    return lambda _: drawn()


def _compiler(function: Function) -> Callable[[Edition], SearchStrategy[Scenario]]:
    @composite
    def drawn(draw: DrawFn) -> Scenario:
        call, whole = function.draw(draw), draw(st.booleans())
        w = ProgramWriter()
        args, kwargs = arguments(call, _constants(w, {**call.tensors, **call.outside}))
        w.observe("values", COMPILED, function.name, whole, *args, **kwargs)
        made = _scenario(function, call, w, "tensors, compiled")
        return replace(made, conventions=(*made.conventions, ConventionName.COMPILED_CALL))

    return lambda _: drawn()


def _eager(function: Function, call: Call) -> Scenario:
    w = ProgramWriter()
    args, kwargs = arguments(call, _constants(w, {**call.tensors, **call.outside}))
    w.observe("values", function.name, *args, **kwargs)
    return _scenario(function, call, w, "tensors")


def _constants(w: ProgramWriter, arrays: Mapping[str, Array]) -> dict[Ref, Ref]:
    return {
        Ref(name): w.call("constant", w.array(name, array), dtype=array.dtype.name)
        for name, array in arrays.items()
    }


def _symbolic(function: Function, call: Call, *, unknown: bool) -> Scenario:
    w = ProgramWriter()
    inner = function.inner if unknown else None
    shapes = {name: _known(array.shape, inner) for name, array in call.tensors.items()}
    unknown = any(None in shape for shape in shapes.values())
    made = {
        Ref(name): w.call("placeholder", shape=shapes[name], dtype=array.dtype.name)
        for name, array in call.tensors.items()
    }
    args, kwargs = arguments(call, {**made, **_constants(w, call.outside)})
    result = w.call(function.name, *args, **kwargs)
    parts = _parts(w, call, result)
    for place, part in enumerate(parts):
        w.observe(f"static_{place}", "int_shape", part)
    compiled = w.call("function", [*made.values()], parts)
    arrays: list[Argument] = [w.array(name, array) for name, array in call.tensors.items()]
    w.observe("values", "operator.call", compiled, arrays)
    title = "symbolic tensors of unknown length" if unknown else "symbolic tensors"
    static = _agrees_with if unknown else is_static
    return _scenario(function, call, w, title, static=static)


def _known(shape: Sequence[int], inner: int | None) -> tuple[int | None, ...]:
    """The shape that a symbolic tensor knows: all of it, or all but its first length."""
    return (*shape,) if inner is None or len(shape) <= inner else (None, *shape[1:])


def _parts(w: ProgramWriter, call: Call, result: Ref) -> list[Argument]:
    if not call.several:
        return [result]
    return [w.call("operator.getitem", result, place) for place in range(len(call.results))]


class Given(Protocol):
    """What has arguments that name tensors."""

    @property
    def args(self) -> Sequence[Argument]:
        """Those by position."""

    @property
    def kwargs(self) -> Mapping[str, Argument]:
        """Those by name."""


def arguments(call: Given, made: Mapping[Ref, Ref]) -> tuple[list[Argument], dict[str, Argument]]:
    """The arguments with what was made in place of the names of tensors."""
    args = [placed(argument, made) for argument in call.args]
    return args, {name: placed(argument, made) for name, argument in call.kwargs.items()}


def placed(argument: Argument, made: Mapping[Ref, Ref]) -> Argument:
    """The argument with what was made in place of names; a callable has names of its own, too."""
    match argument:
        case Ref():
            return made.get(argument, argument)
        case list():
            return [placed(item, made) for item in argument]
        case tuple():
            return tuple(placed(item, made) for item in argument)
        case Body():
            seen = {ref: one for ref, one in made.items() if ref.name not in argument.parameters}
            steps = tuple(_step(step, seen) for step in argument.steps)
            return replace(argument, steps=steps, returns=placed(argument.returns, seen))
    return argument


def _step(step: Step, made: Mapping[Ref, Ref]) -> Step:
    args = tuple(placed(argument, made) for argument in step.args)
    kwargs = tuple((name, placed(argument, made)) for name, argument in step.kwargs)
    return replace(step, args=args, kwargs=kwargs)


def _scenario(
    function: Function, call: Call, w: ProgramWriter, title: str, static: StaticTest | None = None
) -> Scenario:
    at = {KERAS_3_DOCUMENT: function.section}
    title = f"{title}, {call.about}" if call.about else title
    checks = [*_value_checks(call, at)]
    if function.keeps_dtype:
        checks += _dtype_checks(call)
    if function.names_dtype:
        checks += (replace(c, at=at, alternatives=()) for c in _dtype_checks(call))
    if static is not None:
        checks += _static_checks(call, at, static)
    return Scenario(
        function.name,
        title,
        program=w.program(),
        arrays=w.arrays,
        checks=(*checks,),
        conventions=call.conventions,
    )


def _value_checks(call: Call, at: Mapping[str, str]) -> Iterator[Check]:
    wanted = [result.demands for result in call.results if result.demands] or [call.demands]
    yield Check(
        "the results",
        Aspect.VALUE,
        outputs=("values",),
        test=call.test or each([result.test for result in call.results]),
        demands=", ".join(wanted),
        at=at,
    )
    if call.whole is not None:
        yield Check(
            "the results together",
            Aspect.VALUE,
            outputs=("values",),
            test=together(call.whole, [result.test for result in call.results]),
            demands=call.demands,
            at=at,
        )


def _dtype_checks(call: Call) -> Iterator[Check]:
    for place, result in enumerate(call.results):
        if result.dtype is not None:
            yield Check(
                "the dtype is that of the input",
                Aspect.DTYPE,
                outputs=("values",),
                test=part(has_dtype(result.dtype), place),
                demands=result.dtype,
                alternatives=tuple(
                    replace(other, test=part(other.test, place)) for other in OTHER_DTYPES
                ),
            )


def _static_checks(call: Call, at: Mapping[str, str], static: StaticTest) -> Iterator[Check]:
    for place, result in enumerate(call.results):
        yield Check(
            "the shape is known before",
            Aspect.STATIC_SHAPE,
            outputs=(f"static_{place}",),
            test=static(result.shape),
            demands=str(result.shape),
            at=at,
        )


def _agrees_with(shape: Sequence[int]) -> Test:
    """No dimension is another one; those may be unknown that follow from what is unknown."""
    exact = is_static(shape)

    def test(values: Values) -> Problem | None:
        found = exact(values)
        return None if found is None or found.detail == UNKNOWN else found

    return test


def part(test: Test, place: int) -> Test:
    """A test of one of several values; another check says so if there are too few."""

    def tested(values: Values) -> Problem | None:
        return _at(place, test(values[place : place + 1])) if place < len(values) else None

    return tested


def _at(place: int, problem: Problem | None) -> Problem | None:
    """The problem of one of several values; expressions for scripts name the first of these."""
    if problem is None or not place:
        return problem
    fault = re.sub(r"\bfirst\b", f"values[0][{place}]", problem.fault)
    return replace(problem, fault=fault)


def each(tests: Sequence[Test]) -> Test:
    """A test for each value, of which there are as many."""

    def tested(values: Values) -> Problem | None:
        if len(values) != len(tests):
            return Problem(f"gives {len(values)} results", "count")
        found = (part(test, place)(values) for place, test in enumerate(tests))
        return next((problem for problem in found if problem is not None), None)

    return tested


def together(test: Callable[..., Problem | None], parts: Sequence[Test]) -> Test:
    """A test of the arrays of all values, where each is as it should be by itself: else another
    check has found what is wrong."""

    def tested(values: Values) -> Problem | None:
        fit = each(parts)(values) is None
        return test(*(value.array for value in values)) if fit else None

    return tested


def shaped(shape: Sequence[int], demands: str, dtype: str | None = None) -> Result:
    """A result of which the shape is settled, and the numbers by a test of all results."""
    return Result((*shape,), has_shape(shape), demands=demands, dtype=dtype)


def distinct(draw: DrawFn, shape: Sequence[int], dtype: str = "float32") -> Array:
    """Different whole numbers of both signs, in any order."""
    size = int(np.prod(shape, dtype=int))
    order = np.random.default_rng(draw(st.integers(0, 2**16))).permutation(size)
    return (order - size // 2).reshape(shape).astype(dtype)


def small(draw: DrawFn, shape: Sequence[int], dtype: str = "float32", most: int = 4) -> Array:
    """Whole numbers from -most to most."""
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return generator.integers(-most, most + 1, (*shape,)).astype(dtype)


def a_shape(draw: DrawFn, low: int = 1, high: int = 3, longest: int = 5) -> tuple[int, ...]:
    """Some axes without any that is empty."""
    return tuple(draw(st.lists(st.integers(1, longest), min_size=low, max_size=high)))


def a_dtype(draw: DrawFn) -> str:
    """float32 or float64."""
    return draw(st.sampled_from(FLOATS))
