"""Tests of values that many scenarios share. Each answers None or a `Problem`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.observations import Value
from conformance.oracle import Expectation, agrees, worst
from conformance.oracle.compare import as_in_single, is_inaccurate
from conformance.scenarios.model import INACCURATE, Alternative, Problem, Values
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Test = Callable[..., Problem | None]


def of_array(test: Callable[[Array], Problem | None]) -> Test:
    """A test of the one array that an output gave."""

    def tested(values: Values) -> Problem | None:
        got = only(values)
        return got if isinstance(got, Problem) else test(got)

    return tested


def of_arrays(test: Callable[..., Problem | None]) -> Test:
    """A test of the one array that each of several outputs gave."""

    def tested(*outputs: Values) -> Problem | None:
        got = [only(values) for values in outputs]
        problem = next((g for g in got if isinstance(g, Problem)), None)
        return problem or test(*got)

    return tested


def is_array(expected: Any, *, dtype: bool = False) -> Test:
    """The output is one array (or number) equal to `expected` in shape and elements.

    With `dtype`, the dtype must also be equal. NaN equals NaN. Numbers that are equal only in
    float32 are inaccurate, which no document forbids.
    """
    reference = np.asarray(expected)

    @of_array
    def test(got: Array) -> Problem | None:
        if got.shape != reference.shape:
            return Problem(f"gives shape {got.shape}", "shape", got=got, expected=reference)
        if dtype and got.dtype != reference.dtype:
            return Problem(f"gives {got.dtype}", "dtype", got=got, expected=reference)
        same = got == reference
        if got.dtype.kind == reference.dtype.kind == "f":
            same |= np.isnan(got) & np.isnan(reference)
        return None if np.all(same) else _unequal(got, reference)

    return test


def equal_in_single(got: Array, expected: Array, operand: float = 1.0) -> bool:
    """Whether arrays of one shape are equal as far as float32 can tell, where float64 is wanted.

    `operand` is how large the numbers may have been of which they were computed.
    """
    if not got.dtype.kind == expected.dtype.kind == "f":
        return False
    exact = Expectation(expected, np.zeros(expected.shape), expected.dtype.name)
    outside = (got != expected) & ~(np.isnan(got) & np.isnan(expected))
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=operand)
    return as_in_single(got, exact, outside, np.full(expected.shape, largest))


def _unequal(got: Array, expected: Array) -> Problem:
    inaccurate = equal_in_single(got, expected)
    kind, conventions = (INACCURATE, (ConventionName.ACCURACY,)) if inaccurate else ("value", ())
    return Problem(f"gives {shown(got)}", kind, conventions=conventions, got=got, expected=expected)


def as_second(first: Values, second: Values) -> Problem | None:
    """The first output is one array, equal in shape and elements to that of the second."""
    expected = only(second)
    if isinstance(expected, Problem):
        return expected
    problem = is_array(expected)(first)
    fault = "not same(measured(values[0][0]), measured(values[1][0]))"
    return None if problem is None else Problem(problem.gives, problem.detail, fault=fault)


def of_last(problem: Problem | None) -> Problem | None:
    """The problem of the last of several outputs that a check looks at: its script looks there."""
    if problem is None or not problem.fault:
        return problem
    there = problem.fault.replace("values[0]", "values[-1]")
    return replace(problem, fault=re.sub(r"\bfirst\b", "values[-1][0]", there))


def controlled(control: Test, test: Test, function: str, where: str) -> Test:
    """The test of the outputs after the first, if the first passes `control`.

    If it does not, `function` fails `where` nothing else is tested, and the test sees nothing.
    """

    def tested(known: Values, *values: Values) -> Problem | None:
        if control(known) is None:
            return test(*values)
        gives = f"shows nothing, because {function} fails for {where}"
        return Problem(gives, function, unmade=True)

    return tested


def agrees_with(expect: Callable[[], Expectation] | Expectation) -> Test:
    """The output is one array within the bounds of the expectation.

    An answer with an error below half of the dtype's digits is inaccurate, which no document
    forbids.
    """

    def test(values: Values) -> Problem | None:
        expectation = expect if isinstance(expect, Expectation) else expect()
        got = only(values)
        if isinstance(got, Problem):
            return got
        if got.shape != expectation.value.shape:
            return Problem(
                f"gives shape {got.shape}",
                "shape",
                got=got,
                expected=expectation.value,
                limits=expectation.bound,
            )
        outside = ~agrees(got, expectation)
        return _outside(got, expectation) if outside.any() else None

    return test


def near(expected: Any, dtype: str = "float32", roundings: int = 16) -> Test:
    """The output has these numbers, up to some roundings of the largest."""
    value = np.asarray(expected, "float64")
    unit = float({"float16": 2.0**-10}.get(dtype, 2.0**-23))
    bound = np.full(value.shape, roundings * unit * np.abs(value).max(initial=1))
    return agrees_with(Expectation(value, bound, dtype))


def shape_alone(test: Test) -> Test:
    """The test of `agrees_with`, or one like it, but of the shape of the array alone."""

    def tested(values: Values) -> Problem | None:
        problem = test(values)
        return problem if problem and problem.detail in _NO_NUMBERS else None

    return tested


_NO_NUMBERS = ("shape", "several", "no array")


def _outside(got: Array, expectation: Expectation) -> Problem:
    error = worst(got, expectation)
    inaccurate = is_inaccurate(got, expectation, single_will_do=True)
    place = f" at {list(error.index)}" if error.index else ""
    return Problem(
        f"gives {shown(got[error.index or ()])}{place}",
        INACCURATE if inaccurate else "value",
        conventions=(ConventionName.ACCURACY,) if inaccurate else (),
        got=got,
        expected=expectation.value,
        ulp=error.ulp,
        limits=expectation.bound,
    )


def is_one_of(*expected: Any) -> Test:
    """The output is one of these Python values: a text, a number, a bool or None.

    A bool is not equal to a number here.
    """

    def test(values: Values) -> Problem | None:
        value = plain(values)
        same = any(value == e and isinstance(value, bool) == isinstance(e, bool) for e in expected)
        if same:
            return None
        lists = [[*e] if isinstance(e, list | tuple) else [e] for e in expected]
        fault = f"not any(same([measured(v) for v in values[0]], e) for e in {lists!r})"
        texts = expected if all(isinstance(e, str) for e in expected) else ()
        gives = f"gives {value!r}"
        return Problem(gives, repr(value), got=repr(value), fault=fault, texts=texts)

    return test


def raises(*names: str) -> Test:
    """The attempted step raised an exception of one of these classes; of any if there are none."""

    def test(values: Values) -> Problem | None:
        text = str(plain(values))
        others = f" or not {{*{list(names)!r}}} & {{*first.split()}}" if names else ""
        fault = f"first == 'returns'{others}"
        if text == "returns":
            return Problem("returns", "accepted", got=text, fault=fault)
        classes = _classes(text)
        if not names or {*names} & {*classes}:
            return None
        # NotImplementedError does not show that the wrong argument was noticed
        unmade = "NotImplementedError" in classes
        return Problem(f"raises {classes[0]}", classes[0], got=text, unmade=unmade, fault=fault)

    return test


def _classes(text: str) -> list[str]:
    """The names of classes in the result of a step, at least one."""
    return text.removeprefix("raises ").split() or ["nothing"]


def returns(values: Values) -> Problem | None:
    """The attempted step raised nothing."""
    text = str(plain(values))
    if text == "returns":
        return None
    name = _classes(text)[0]
    return Problem(f"raises {name}", name, got=text, fault="first != 'returns'")


LACKING = ("NotImplementedError", "UnimplementedError")
"""The classes of Python and TensorFlow for an exception about a missing feature."""


def one_is_taken(*forms: Values) -> Problem | None:
    """One of the attempted steps raised nothing, or the library says that it lacks the feature."""
    problems = [p for p in map(returns, forms) if p is not None]
    lacking = any({*_classes(str(p.got))} & {*LACKING} for p in problems)
    return None if lacking or len(problems) < len(forms) else problems[0]


def is_a(*names: str) -> Test:
    """The result of the step `operator.classes` has one of these classes."""

    def test(values: Values) -> Problem | None:
        classes = _classes(str(plain(values)))
        if {*names} & {*classes}:
            return None
        fault = f"not {{*{list(names)!r}}} & {{*str(first).split()}}"
        return Problem(f"gives a {classes[0]}", classes[0], got=classes[0], fault=fault)

    return test


def has_shape(shape: Sequence[int]) -> Test:
    """The output is one array of this shape."""

    @of_array
    def test(got: Array) -> Problem | None:
        if got.shape == tuple(shape):
            return None
        fault = f"np.shape(first) != {tuple(shape)!r}"
        return Problem(f"gives shape {got.shape}", "shape", got=got, fault=fault)

    return test


def not_integers(values: Values) -> Problem | None:
    """A problem if `int_shape` gave a dimension of another type than int, NumPy's integers or None.

    A tensor or an array arrives as an array, a text as a text.
    """
    kinds = [v.python_type for v in values if not _whole(v.python_type)]
    if not kinds:
        return None
    kinds_of_dimensions = f"dimensions of type {', '.join(dict.fromkeys(kinds))}"
    return Problem(f"gives {kinds_of_dimensions}", "not integers", got=kinds_of_dimensions)


def _whole(python_type: str) -> bool:
    return python_type in ("int", "NoneType") or re.fullmatch(r"u?int\d+", python_type) is not None


def gave_none(values: Values) -> bool:
    """Whether an output is None, and not a list or tuple that holds it."""
    return len(values) == 1 and values[0].python_type == "NoneType" and not values[0].item


def has_static_shape(shape: Sequence[int]) -> Test:
    """The output is this static shape. A dimension that is None is imprecise, a divergence."""

    def test(values: Values) -> Problem | None:
        if (odd := not_integers(values)) is not None:
            return odd
        dims = tuple(described(v) for v in values)
        fault = _other_dimensions(shape)
        if gave_none(values):
            return Problem(
                "gives None",
                "unknown",
                conventions=(ConventionName.PRECISE_STATIC_SHAPE,),
                got="None",
                fault=fault,
            )
        fits = len(dims) == len(shape) and all(
            a in (None, b) for a, b in zip(dims, shape, strict=False)
        )
        if not fits:
            return Problem(f"gives {dims}", "static shape", got=repr(dims), fault=fault)
        if dims == tuple(shape):
            return None
        return Problem(
            f"gives {dims}",
            "imprecise",
            conventions=(ConventionName.PRECISE_STATIC_SHAPE,),
            got=repr(dims),
            fault=fault,
        )

    return test


UNKNOWN = "unknown"
"""The detail of a problem that consists of dimensions that are not known."""


def is_static_shape(shape: Sequence[int | None]) -> Test:
    """`int_shape` gave this shape. A dimension that it leaves unknown is a divergence."""

    def test(values: Values) -> Problem | None:
        if (odd := not_integers(values)) is not None:
            return odd
        dims = tuple(described(v) for v in values)
        nothing = gave_none(values)
        if dims == tuple(shape) and not nothing:
            return None
        unknown = nothing or (
            len(dims) == len(shape)
            and all(s in (None, d) for s, d in zip(dims, shape, strict=True))
        )
        conventions = (ConventionName.PRECISE_STATIC_SHAPE,) if unknown else ()
        shown = None if nothing else dims
        return Problem(
            f"has the static shape {shown}",
            UNKNOWN if unknown else "wrong",
            conventions=conventions,
            got=str(shown),
            fault=_other_dimensions(shape),
        )

    return test


def _other_dimensions(shape: Sequence[int | None]) -> str:
    return f"[measured(v) for v in values[0]] != {list(shape)!r}"


def has_dtype(*names: str) -> Test:
    """The output is one array of one of these dtypes."""

    @of_array
    def test(got: Array) -> Problem | None:
        if (name := got.dtype.name) in names:
            return None
        fault = f"np.asarray(first).dtype.name not in {list(names)!r}"
        return Problem(f"gives {got.dtype}", name, got=name, fault=fault)

    return test


def of_other_dtypes(test: Callable[[str], Test]) -> tuple[Alternative, ...]:
    """The readings of `result-dtype`, which are names of dtypes, with a test for each."""
    convention = ConventionName.RESULT_DTYPE
    names = (reading.name for reading in load_conventions()[convention].variants)
    return tuple(Alternative(convention, name, test(name)) for name in names)


OTHER_DTYPES = of_other_dtypes(has_dtype)
"""A result of another dtype than its input, where no document says which it has."""
OTHER_CLAIMED_DTYPES = of_other_dtypes(is_one_of)
"""The same of what `dtype` says."""


def only(values: Values) -> Array | Problem:
    """The one array that an output gave."""
    if len(values) != 1:
        return Problem(f"gives {len(values)} results", "several")
    (value,) = values
    if value.array is None:
        return Problem(f"gives a {value.python_type}", "no array", got=str(described(value)))
    return value.array


def plain(values: Values) -> Any:
    """The values of an output as Python values: a tuple of them if there is not exactly one."""
    items = tuple(described(v) for v in values)
    return items[0] if len(items) == 1 else items


def described(value: Value) -> Any:
    """A text or None as it is, an array of rank 0 as a number, any other as nested lists."""
    if value.array is not None:
        return value.array.tolist()
    return None if value.python_type == "NoneType" else value.text


def shown(array: Any) -> str:
    """A few elements in words."""
    elements = np.asarray(array)
    if elements.dtype.hasobject:
        return _in_words(elements)
    return _of_content(elements.dtype, elements.shape, elements.tobytes())


@lru_cache(maxsize=1024)
def _of_content(dtype: np.dtype[Any], shape: tuple[int, ...], content: bytes) -> str:
    """NumPy takes long to write an array, and checks write the same ones for every draw."""
    return _in_words(np.ndarray(shape, dtype, content))


def _in_words(array: Array) -> str:
    return " ".join(np.array2string(array, threshold=12, precision=9).split())
