"""Scenarios of keras.random: classes that are chosen, elements in another order, and dropout.

The docstring of `shuffle` does not say whether the elements at one place of the axis stay together,
so no check demands either. `dropout` has no docstring. The docstring of the layer `Dropout`, which
calls it, describes it, and so does that of `SeedGenerator`, which shows that call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    has_shape,
    is_static_shape,
    of_array,
)
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    KERAS_3_DOCUMENT,
    RETURNS,
    SUMMARY,
    Array,
    Problem,
)
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.dropout import (
    LEVELS,
    are_constant,
    elements_of,
    is_dropped_or_kept,
)
from conformance.scenarios.randomness.keras_random import (
    SEEDS,
    WITH_SEEDS,
    expect_seeds,
    in_float64,
)
from conformance.scenarios.randomness.random_tensors import SAMPLE, SEED, SMALL
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
CATEGORICAL, SHUFFLE = "keras.random.categorical", "keras.random.shuffle"
DROPOUT = "keras.random.dropout"
LAYER: Lines = {KERAS_3_DOCUMENT: "keras.layers.Dropout: Summary"}
NOISE_SHAPE: Lines = {KERAS_3_DOCUMENT: "keras.layers.Dropout: Args"}
GENERATOR: Lines = {KERAS_3_DOCUMENT: "keras.random.SeedGenerator: Summary"}
CHANCES = np.array([[0.125, 0.25, 0.125, 0.5], [0.25, 0.25, 0.0625, 0.4375]])
"""Probabilities of the classes, a row for each distribution."""
EACH = 50_000
"""How many classes are chosen of each."""
PLACES = 20_000
DISTRIBUTION, STATIC = Aspect.DISTRIBUTION, Aspect.STATIC_SHAPE
Draw = st.DrawFn


def _tensor(K: Recorder, name: str, elements: Array) -> Result:
    return K.constant(K.array(name, elements), dtype=elements.dtype.name)


def _observed(K: Recorder, tensor: Result) -> tuple[Result, Result]:
    """Its values and its static shape."""
    return K.eval(tensor).output("values"), K.int_shape(tensor).output("static")


@BOOK.scenario(CATEGORICAL, *SMALL, editions=KERAS_3)
def choices(K: Recorder, draw: Draw) -> None:
    """A few choices between any number of classes."""
    rows, classes = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    logits = np.random.default_rng(draw(st.integers(0, 2**16))).normal(size=(rows, classes))
    dtype = draw(st.sampled_from((None, "int32", "int64", "uint8", "float32")))
    logits = logits.astype(draw(st.sampled_from(("float32", "float64"))))
    count, keywords = draw(st.integers(1, 5)), {} if dtype is None else {"dtype": dtype}
    tensor, shape = _tensor(K, "logits", logits), (rows, count)
    values, static = _observed(K, K.keras.random.categorical(tensor, count, **keywords, seed=SEED))
    K.expect("the shape is as asked for", values, has_shape(shape), f"shape {shape}", at=RETURNS)
    test, demands = chance.takes_only(*range(classes)), f"integers from 0 to {classes - 1}"
    K.expect("the values are classes", values, test, demands, at=SUMMARY)
    K.expect(
        "the dtype is as asked for",
        values,
        has_dtype(dtype or "int32"),
        dtype or "int32",
        aspect=Aspect.DTYPE,
        at=ARGS,
        conventions=() if dtype else (ConventionName.DEFAULT_DTYPE,),
    )
    _expect_static(K, static, shape, RETURNS)


def _expect_static(K: Recorder, static: Result, shape: tuple[int, ...], at: Lines) -> None:
    test = is_static_shape(shape)
    K.expect("int_shape is the shape", static, test, str(shape), aspect=STATIC, at=at)


@BOOK.scenario(
    CATEGORICAL,
    "many choices by {dtype}",
    DISTRIBUTION,
    editions=KERAS_3,
    dtype=("float32", "float64"),
)
def proportions(K: Recorder, dtype: str) -> None:
    """Many choices in two rows, of other probabilities each; logits are not normalised."""
    logits = (np.log(CHANCES) + np.array([[3.0], [-2.0]])).astype(dtype)
    tensor = _tensor(K, "logits", logits)
    sample = K.eval(K.keras.random.categorical(tensor, EACH, seed=SEED)).output("sample")
    test = chance.first_of(*(_has_proportions(row) for row in range(len(CHANCES))))
    demands = "each class as often as its logit says"
    K.expect("the proportions of the classes", sample, test, demands, at=SUMMARY)
    test = in_float64(chance.neighbours_are_independent(lambda got: got / 3))
    K.expect("choices are independent", sample, test, "independent choices", at=SUMMARY)


def _has_proportions(row: int) -> Test:
    """As many elements of a row are of each class as chance allows."""

    def of_class(chosen: int) -> Test:
        def event(got: Array) -> Array:
            return np.asarray(np.equal(got[row], chosen))

        return chance.occurs(event, CHANCES[row, chosen], f"in row {row} of class {chosen}")

    shape = has_shape((len(CHANCES), EACH))
    return chance.first_of(shape, *map(of_class, range(CHANCES.shape[1])))


@BOOK.scenario(SHUFFLE, *SMALL, editions=KERAS_3)
def shuffles(K: Recorder, draw: Draw) -> None:
    """Tensors of any shape along any axis."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    axis = draw(st.integers(-1, len(shape) - 1))
    dtype = draw(st.sampled_from(("float32", "float64")))
    elements = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    x = _tensor(K, "x", elements)
    values, static = _observed(K, K.keras.random.shuffle(x, axis=axis, seed=SEED))
    negative = (ConventionName.NEGATIVE_AXIS,) if axis < 0 else ()
    K.conventions = (*negative, *unsettled_of(shape, dtype))
    name, demands = (
        "each line along the axis keeps its elements",
        f"the elements in another order along axis {axis}",
    )
    K.expect(name, values, keeps_lines(elements, axis), demands, at=SUMMARY)
    test, aspect = has_dtype(dtype), Aspect.DTYPE
    K.expect(
        "the dtype of x is kept", values, test, dtype, aspect=aspect, alternatives=OTHER_DTYPES
    )
    _expect_static(K, static, shape, SUMMARY)


def keeps_lines(elements: Array, axis: int) -> Test:
    """Along the axis each line has the elements that it had, each once."""

    def test(got: Array) -> Problem | None:
        if got.shape != elements.shape:
            return Problem(f"gives shape {got.shape}", "shape")
        wrong = np.sort(got, axis) != elements
        if not wrong.any():
            return None
        fault = f"(np.sort(first, {axis}) != np.arange(first.size).reshape(first.shape)).any()"
        return Problem("gives other elements", "elements", got=got, fault=fault)

    return of_array(test)


@BOOK.scenario(SHUFFLE, "a long vector", DISTRIBUTION, editions=KERAS_3)
def orders(K: Recorder) -> None:
    """A long vector: its elements come from everywhere.

    How many of the first half were there before is hypergeometric, of which the bound for
    independent events holds (Hoeffding 1963, theorem 4). The same holds for the even places.
    """
    x = _tensor(K, "x", np.arange(PLACES, dtype="float32"))
    sample = K.eval(K.keras.random.shuffle(x, seed=SEED)).output("sample")
    halves = chance.occurs(lambda got: got[: PLACES // 2] < PLACES // 2, 0.5, "of the first half")
    evens = chance.occurs(lambda got: got[::2] % 2 == 0, 0.5, "of the even places")
    test = chance.first_of(has_shape((PLACES,)), halves, evens)
    demands = "an order in which every place is as likely for each element"
    K.expect("elements come from everywhere", sample, test, demands, at=SUMMARY)


@BOOK.scenario(DROPOUT, *SMALL, editions=KERAS_3)
def drops(K: Recorder, draw: Draw) -> None:
    """A few elements of any shape: each is dropped, or kept and scaled."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    rate = draw(st.sampled_from(LEVELS))
    dtype = draw(st.sampled_from(("float32", "float64")))
    elements = elements_of(shape, dtype, 0)
    x = _tensor(K, "x", elements)
    values, static = _observed(K, K.keras.random.dropout(x, rate, seed=SEED))
    K.at = LAYER
    name, test = "each element is dropped or kept", is_dropped_or_kept(elements, rate)
    K.expect(name, values, test, f"0 or x / (1 - {rate:g})", at=LAYER)
    K.expect(
        "the dtype of x is kept",
        values,
        has_dtype(dtype),
        dtype,
        aspect=Aspect.DTYPE,
        alternatives=OTHER_DTYPES,
    )
    _expect_static(K, static, shape, LAYER)


DROPS = ((SAMPLE, 0.3, None), (SAMPLE, 0.9, None), ((2000, 20), 0.5, (2000, 1)))


@BOOK.scenario(DROPOUT, "", DISTRIBUTION, editions=KERAS_3, how=DROPS)
def drop_samples(K: Recorder, how: tuple[tuple[int, ...], float, tuple[int, ...] | None]) -> None:
    """Large tensors: how many are dropped, and what shares a place of the noise shape."""
    shape, rate, noise = how
    K.title = "a large tensor" if noise is None else "a noise shape"
    keywords: dict[str, Any] = {} if noise is None else {"noise_shape": noise}
    x = K.keras.ops.ones(shape)
    sample = K.eval(K.keras.random.dropout(x, rate, **keywords, seed=SEED)).output("sample")

    def dropped(got: Array) -> Array:
        return np.equal(got if noise is None else got[:, 0], 0)

    test: Test = chance.occurs(dropped, rate, "zeros")
    if noise is not None:  # a row is dropped as a whole
        test = chance.first_of(are_constant(1), test)
    test = chance.first_of(has_shape(shape), test)
    demands = f"zeros with probability {rate:g}" + (", a whole row each" if noise else "")
    K.at = at = LAYER if noise is None else NOISE_SHAPE
    K.expect("the proportion of zeros", sample, test, demands, at=at)


def _drawn_classes(K: Recorder, output: str, seed: dict[str, Any]) -> Result:
    tensor = _tensor(K, f"logits_{output}", np.zeros((40, 4), "float32"))
    return K.eval(K.keras.random.categorical(tensor, 50, **seed))


def _drawn_order(K: Recorder, output: str, seed: dict[str, Any]) -> Result:
    x = _tensor(K, f"x_{output}", np.arange(2000, dtype="float32"))
    return K.eval(K.keras.random.shuffle(x, **seed))


def _drawn_zeros(K: Recorder, _: str, seed: dict[str, Any]) -> Result:
    return K.eval(K.keras.random.dropout(K.keras.ops.ones((40, 50)), 0.5, **seed))


@dataclass(frozen=True, slots=True, eq=False)
class SeededDraws:
    """How a function draws with a seed, the test of independence, and what says what a seed is."""

    sample: Callable[[Recorder, str, dict[str, Any]], Result]
    independent: Test | None
    at: Lines = field(default_factory=lambda: ARGS)


SEEDED = {
    CATEGORICAL: SeededDraws(
        _drawn_classes, in_float64(chance.are_independent(lambda got: got / 3))
    ),
    SHUFFLE: SeededDraws(_drawn_order, None),
    DROPOUT: SeededDraws(_drawn_zeros, chance.are_independent(lambda got: got == 0), GENERATOR),
}


@BOOK.scenario(SEEDED.keys(), *WITH_SEEDS, editions=KERAS_3, what=SEEDS)
def seeds(K: Recorder, what: str) -> None:
    """Seeds of classes, of an order and of dropout."""
    seeded = SEEDED[K.tested]
    expect_seeds(K, what, partial(seeded.sample, K), seeded.independent, seeded.at)


FAMILIES = BOOK.families
