"""Scenarios of dropout.

dropout picks elements at random. The others are exact: one common factor times the element.
Samples have a seed, and reports repeat their figures; samples that are evaluated twice have none.
Large samples are tensors of ones that the implementation makes itself. Programs that feed a
placeholder show the view of a training step. A program that evaluates a variable shows that dropout
needs no phase.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    is_static_shape,
    of_array,
    of_arrays,
    raises,
)
from conformance.scenarios.model import INACCURATE, KERAS_2, Array, Problem, Values
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.random_tensors import SAMPLE, SEED, SMALLER, expect_seeds
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
DROPOUT = "dropout"
LEVEL: Lines = {"ja-1": 1378, "ja-2.0": 2915, "ko-2.2": 3009}
ZEROS: Lines = {"ja-1": 1373, "ja-2.0": 2910, "ko-2.2": 3004}
NOISE_SHAPE: Lines = {"ja-2.0": 2916, "ko-2.2": 3010}
BROADCASTABLE: Lines = {"ja-2.0": 2916, "ko-2.2": 3011}
LEVELS = (0.0, 0.25, 0.5, 0.75, 0.1, 0.9)


@BOOK.scenario(
    DROPOUT,
    "a small call",
    Aspect.VALUE,
    Aspect.DTYPE,
    Aspect.STATIC_SHAPE,
    shape=st.lists(st.integers(0, 4), max_size=4).map(tuple),
    level=st.sampled_from(LEVELS),
    dtype=st.sampled_from(("float32", "float64", "float16")),
    seed=st.integers(0, 2**16),
)
def small(K: Recorder, shape: tuple[int, ...], level: float, dtype: str, seed: int) -> None:
    """A few elements of any shape and dtype: each is dropped, or kept and scaled."""
    elements = elements_of(shape, dtype, seed)
    x = K.placeholder(shape=shape, dtype=dtype)
    dropped = K.dropout(x, level, seed=SEED)
    static = K.int_shape(dropped).output("static")
    # if nothing is dropped the result may be x itself, which some backends cannot feed and fetch
    values = K.function([x], [dropped * 1])([K.array("x", elements)]).output("values")
    K.conventions = unsettled_of(shape, dtype)
    name, demands = "each element is dropped or kept", f"0 or x / (1 - {level:g})"
    K.expect(name, values, is_dropped_or_kept(elements, level), demands, at=ZEROS)
    K.expect(
        "the dtype of x is kept",
        values,
        keeps_dtype(dtype),
        dtype,
        aspect=Aspect.DTYPE,
        alternatives=OTHER_DTYPES,
    )
    test, aspect = is_static_shape(shape), Aspect.STATIC_SHAPE
    K.expect("int_shape is the shape of x", static, test, str(shape), aspect=aspect, at=ZEROS)


def keeps_dtype(dtype: str) -> Test:
    """An array has the dtype; a Python number, which some compiled functions give, has none."""

    def test(values: Values) -> Problem | None:
        number = len(values) == 1 and values[0].python_type in ("bool", "int", "float")
        return None if number else has_dtype(dtype)(values)

    return test


def elements_of(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    """Numbers of both signs, none of them 0 or small; in float64 with digits that float32 lacks."""
    generator = np.random.default_rng(seed)
    size = 1 + generator.integers(0, 64, shape) / 16
    if dtype == "float64":
        size = size * (1 + 2.0**-30)
    return np.asarray(generator.choice((-1, 1), shape) * size, dtype)


def is_dropped_or_kept(x: Array, level: float) -> Test:
    """Every element is 0 or x / (1 - level)."""

    def test(got: Array) -> Problem | None:
        if got.shape != x.shape:
            return Problem(f"gives shape {got.shape}", "shape")
        factors = np.asarray(got, "float64") / x.astype("float64")
        factors_left = factors[factors != 0]
        if not factors_left.size:
            return None
        return _common_factor(factors_left, x.dtype) or _scale(factors_left, x.dtype, level)

    return of_array(test)


def _common_factor(factors: Array, dtype: Any) -> Problem | None:
    """All factors are positive, and equal except for a few roundings."""
    low, high = float(factors.min()), float(factors.max())
    if low > 0 and high - low <= 8 * np.finfo(dtype).eps * high:
        return None
    gives = f"multiplies some elements by {low:.6g} and some by {high:.6g}"
    if dtype == np.float64 and low > 0 and high - low <= 8 * np.finfo(np.float32).eps * high:
        return Problem(gives, INACCURATE, conventions=(ConventionName.ACCURACY,))
    return Problem(gives, "two factors")


def _scale(factors: Array, dtype: Any, level: float) -> Problem | None:
    """The factor is 1 / (1 - level). The rounding of the level weighs more the nearer it is 1."""
    eps, exact = float(np.finfo(dtype).eps), 1 / (1 - level)
    error, bound = float(np.abs(factors - exact).max()) / exact, 4 * eps * exact
    if error <= bound:
        return None
    inaccurate = error <= bound / np.sqrt(eps)  # half of the digits are right
    return Problem(
        f"multiplies what it keeps by {float(factors.flat[0]):.9g}",
        INACCURATE if inaccurate else "factor",
        conventions=(ConventionName.ACCURACY,) if inaccurate else (ConventionName.DROPOUT_SCALE,),
    )


def dropout_of_ones(K: Recorder, shape: tuple[int, ...], *args: Any, **kwargs: Any) -> Result:
    """Dropout of a placeholder that is fed with ones."""
    x = K.placeholder(shape=shape)
    compiled = K.function([x], [K.dropout(x, *args, **kwargs)])
    return compiled([K.eval(K.ones(shape))])  # which it makes, so that scripts stay short


SAMPLES = ((0.3, True), (0.9, True), (0.5, True), (0.3, False))
"""Levels, and whether the ones are fed."""


@BOOK.scenario(DROPOUT, "", Aspect.DISTRIBUTION, how=SAMPLES)
def samples(K: Recorder, how: tuple[float, bool]) -> None:
    """Large tensors of ones: how many are dropped, and whether independently."""
    level, fed = how
    K.title = "a large tensor fed" if fed else "a large variable evaluated"
    if fed:
        sample = dropout_of_ones(K, SAMPLE, level, seed=SEED).output("sample")
    else:
        sample = K.eval(K.dropout(K.ones(SAMPLE), level, seed=SEED)).output("sample")
    test, demands = chance.occurs(_is_zero, level, "zeros"), f"zeros with probability {level:g}"
    K.expect("the proportion of zeros", sample, test, demands, at=LEVEL)
    name, test = "neighbours are dropped independently", chance.neighbours_are_independent(_is_zero)
    K.expect(name, sample, test, "independent elements", at=ZEROS)


def _is_zero(got: Array) -> Array:
    return np.asarray(got == 0)


THIRD = "a noise shape in the third place"
NOISE = (
    (THIRD, (2000, 20), (2000, 1), 0.3),
    ("a noise shape", (20, 2000), (1, 2000), 0.5),
    ("a noise shape", (4, 5, 2000), (4, 1, 2000), 0.5),
)


@BOOK.scenario(DROPOUT, "{row[0]}", Aspect.VALUE, Aspect.DISTRIBUTION, editions=KERAS_2, row=NOISE)
def noise_shapes(K: Recorder, row: tuple[str, tuple[int, ...], tuple[int, ...], float]) -> None:
    """The flags have `noise_shape` and are broadcast."""
    title, shape, noise, level = row
    if title == THIRD:
        sample = dropout_of_ones(K, shape, level, noise, SEED).output("sample")
    else:
        sample = dropout_of_ones(K, shape, level, noise_shape=noise, seed=SEED).output("sample")
    axis = next(i for i, (n, d) in enumerate(zip(noise, shape, strict=True)) if n != d)
    name, demands = (
        "what shares a flag is dropped together",
        f"elements dropped together along axis {axis}",
    )
    K.expect(name, sample, are_constant(axis), demands, at=NOISE_SHAPE)
    test, aspect = chance.occurs(partial(_flags, axis), level, "flags"), Aspect.DISTRIBUTION
    demands = f"flags with probability {level:g}"
    K.expect("the proportion of flags", sample, test, demands, aspect=aspect, at=LEVEL)


def _flags(axis: int, got: Array) -> Array:
    """Whether each flag drops its elements. In a result with too few axes, which another check
    reports, every element has a flag."""
    return np.asarray((got.take(0, axis) if axis < got.ndim else got) == 0)


def are_constant(axis: int) -> Test:
    """Along the axis either all elements are 0 or none."""

    def test(got: Array) -> Problem | None:
        if not -got.ndim <= axis < got.ndim:
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        dropped = got == 0
        mixed = dropped.any(axis) & ~dropped.all(axis)
        if not mixed.any():
            return None
        return Problem(
            f"drops parts of {np.count_nonzero(mixed):,} of {mixed.size:,} groups",
            "mixed",
            fault=f"((first == 0).any({axis}) & (first != 0).any({axis})).any()",
        )

    return of_array(test)


@BOOK.scenario(DROPOUT, "tensors with seeds", Aspect.SEED)
def seeds(K: Recorder) -> None:
    """Tensors with one seed and with another; keras-1 knows no new session."""

    def sample(seed: int) -> Result:
        return dropout_of_ones(K, SMALLER, 0.5, seed=seed)

    expect_seeds(K, sample, chance.are_independent(_is_zero), restarts=K.edition != "keras-1")


@BOOK.scenario(DROPOUT, "a function called twice", Aspect.DISTRIBUTION)
def evaluations(K: Recorder) -> None:
    """One compiled function called twice drops other elements."""
    x = K.placeholder(shape=SMALLER)
    compiled = K.function([x], [K.dropout(x, 0.5)])
    ones = K.eval(K.ones(SMALLER))
    both = compiled([ones]).output("once"), compiled([ones]).output("again")
    test, demands = of_arrays(chance.other_samples), "other zeros at each evaluation"
    K.expect("each evaluation drops other elements", both, test, demands, at=ZEROS)


@BOOK.scenario(DROPOUT, "level={level}", Aspect.ERROR, level=(1.5, -0.5))
def no_levels(K: Recorder, level: float) -> None:
    """Levels outside 0 to 1."""
    _expect_refused(K, "a level outside 0 to 1 is refused", LEVEL, level)


@BOOK.scenario(DROPOUT, "noise_shape=(3, 5)", Aspect.ERROR, editions=KERAS_2)
def no_noise_shapes(K: Recorder) -> None:
    """A noise shape that does not broadcast to the shape of x."""
    _expect_refused(K, "a noise shape that does not fit is refused", BROADCASTABLE, 0.5, (3, 5))


def _expect_refused(K: Recorder, name: str, at: Lines, *args: Any) -> None:
    """Building, compiling or calling dropout raises."""
    x = K.placeholder(shape=(4, 5))

    def drop(values: Result) -> Result:
        return K.function([x], [K.dropout(x, *args)])([values])

    fed = K.array("fed", np.ones((4, 5)), "float32")
    answer, rests = K.attempt(K.operator.call, drop, fed), (ConventionName.INVALID_INPUT,)
    K.expect(name, answer.output("answer"), raises(), "an exception", at=at, conventions=rests)


FAMILIES = BOOK.families
