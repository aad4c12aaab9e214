"""Scenarios of keras.random: classes that are chosen, elements in another order, and dropout.

The docstring of `shuffle` does not say whether the elements at one place of the axis stay
together, so that nothing asks for either; `dropout` has no docstring, so that all that is asked of
it rests on a convention.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    has_shape,
    is_static_shape,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT, Check, Family, Problem, Scenario
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.dropout import are_constant, elements_of, is_dropped_or_kept
from conformance.scenarios.randomness.keras_random import (
    in_float64,
    seed_scenarios,
)
from conformance.scenarios.randomness.keras_samplers import ARGS, SUMMARY
from conformance.scenarios.randomness.random_tensors import SAMPLE, SEED
from conformance.scenarios.randomness.samplers import Lines
from conformance.scenarios.randomness.statistics import Array
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

CATEGORICAL = "keras.random.categorical"
SHUFFLE = "keras.random.shuffle"
DROPOUT = "keras.random.dropout"
RETURNS = {KERAS_3_DOCUMENT: "Returns"}
UNDOCUMENTED = (ConventionName.KERAS_DROPOUT,)
CHANCES = np.array([[0.125, 0.25, 0.125, 0.5], [0.25, 0.25, 0.0625, 0.4375]])
"""Probabilities of the classes, a row for each distribution."""
EACH = 50_000
"""How many classes are chosen of each."""
PLACES = 20_000


def _scenario(function: str, title: str, w: ProgramWriter, *checks: Check) -> Scenario:
    return Scenario(function, title, program=w.program(), arrays=w.arrays, checks=checks)


def _tensor(w: ProgramWriter, name: str, elements: Array) -> Ref:
    return w.call("constant", w.array(name, elements), dtype=elements.dtype.name)


def choices(edition: Edition) -> SearchStrategy[Scenario]:
    """A few choices between any number of classes."""
    del edition

    @composite
    def drawn(draw: DrawFn) -> Scenario:
        shape = (draw(st.integers(1, 4)), draw(st.integers(1, 6)))
        logits = np.random.default_rng(draw(st.integers(0, 2**16))).normal(size=shape)
        dtype = draw(st.sampled_from((None, "int32", "int64", "uint8", "float32")))
        kind = draw(st.sampled_from(("float32", "float64")))
        return _choices(logits.astype(kind), draw(st.integers(1, 5)), dtype)

    return drawn()


def _choices(logits: Array, count: int, dtype: str | None) -> Scenario:
    w = ProgramWriter()
    tensor = _tensor(w, "logits", logits)
    given = {} if dtype is None else {"dtype": dtype}
    made = w.call(CATEGORICAL, tensor, count, **given, seed=SEED)
    w.observe("values", "eval", made)
    w.observe("static", "int_shape", made)
    checks = _choice_checks((logits.shape[0], count), logits.shape[1], dtype)
    return _scenario(CATEGORICAL, "a small call", w, *checks)


def _choice_checks(shape: tuple[int, ...], classes: int, dtype: str | None) -> Iterator[Check]:
    values: dict[str, Any] = {"outputs": ("values",)}
    yield Check(
        "the shape is as asked for",
        Aspect.VALUE,
        test=has_shape(shape),
        demands=f"shape {shape}",
        at=RETURNS,
        **values,
    )
    yield Check(
        "the values are classes",
        Aspect.VALUE,
        test=chance.takes_only(*range(classes)),
        demands=f"integers from 0 to {classes - 1}",
        at=SUMMARY,
        **values,
    )
    yield Check(
        "the dtype is as asked for",
        Aspect.DTYPE,
        test=has_dtype(dtype or "int32"),
        demands=dtype or "int32",
        at=ARGS,
        conventions=() if dtype else (ConventionName.DEFAULT_DTYPE,),
        **values,
    )
    yield _static(shape, RETURNS)


def _static(shape: tuple[int, ...], at: Lines) -> Check:
    return Check(
        "int_shape is the shape",
        Aspect.STATIC_SHAPE,
        outputs=("static",),
        test=is_static_shape(shape),
        demands=str(shape),
        at=at,
    )


def proportions(edition: Edition) -> Sequence[Scenario]:
    """Many choices in two rows, of other probabilities each; logits are not normalised."""
    del edition
    return [_proportions(dtype) for dtype in ("float32", "float64")]


def _proportions(dtype: str) -> Scenario:
    w = ProgramWriter()
    logits = (np.log(CHANCES) + np.array([[3.0], [-2.0]])).astype(dtype)
    tensor = _tensor(w, "logits", logits)
    w.observe("sample", "eval", w.call(CATEGORICAL, tensor, EACH, seed=SEED))
    rows = tuple(_has_proportions(row) for row in range(len(CHANCES)))
    check = Check(
        "the proportions of the classes",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=chance.first_of(*rows),
        demands="each class as often as its logit says",
        at=SUMMARY,
    )
    neighbours = Check(
        "choices are independent",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=in_float64(chance.neighbours_are_independent(lambda got: got / 3)),
        demands="independent choices",
        at=SUMMARY,
    )
    return _scenario(CATEGORICAL, f"many choices by {dtype}", w, check, neighbours)


def _has_proportions(row: int) -> Test:
    """As many elements of a row are of each class as chance allows."""

    def one(chosen: int) -> Test:
        def event(got: Array) -> Array:
            return np.asarray(np.equal(got[row], chosen))

        return chance.occurs(event, CHANCES[row, chosen], f"in row {row} of class {chosen}")

    shape = has_shape((len(CHANCES), EACH))
    return chance.first_of(shape, *map(one, range(CHANCES.shape[1])))


def choice_seeds(edition: Edition) -> Sequence[Scenario]:
    """What a seed is for classes."""
    del edition

    def draw(w: ProgramWriter, output: str, seed: dict[str, Argument]) -> None:
        tensor = _tensor(w, f"logits_{output}", np.zeros((40, 4), "float32"))
        w.observe(output, "eval", w.call(CATEGORICAL, tensor, 50, **seed))

    independent = in_float64(chance.are_independent(lambda got: got / 3))
    return seed_scenarios(CATEGORICAL, draw, independent)


def shuffles(edition: Edition) -> SearchStrategy[Scenario]:
    """Tensors of any shape along any axis."""
    del edition

    @composite
    def drawn(draw: DrawFn) -> Scenario:
        shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
        axis = draw(st.integers(-1, len(shape) - 1))
        return _shuffle(shape, axis, draw(st.sampled_from(("float32", "float64"))))

    return drawn()


def _shuffle(shape: tuple[int, ...], axis: int, dtype: str) -> Scenario:
    elements = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    w = ProgramWriter()
    made = w.call(SHUFFLE, _tensor(w, "x", elements), axis=axis, seed=SEED)
    w.observe("values", "eval", made)
    w.observe("static", "int_shape", made)
    negative = (ConventionName.NEGATIVE_AXIS,) if axis < 0 else ()
    return Scenario(
        SHUFFLE,
        "a small call",
        program=w.program(),
        arrays=w.arrays,
        checks=(*_shuffle_checks(elements, axis),),
        conventions=(*negative, *unsettled_of(shape, dtype)),
    )


def _shuffle_checks(elements: Array, axis: int) -> Iterator[Check]:
    yield Check(
        "each line along the axis keeps its elements",
        Aspect.VALUE,
        outputs=("values",),
        test=keeps_lines(elements, axis),
        demands=f"the elements in another order along axis {axis}",
        at=SUMMARY,
    )
    yield Check(
        "the dtype of x is kept",
        Aspect.DTYPE,
        outputs=("values",),
        test=has_dtype(elements.dtype.name),
        demands=elements.dtype.name,
        alternatives=OTHER_DTYPES,
    )
    yield _static(elements.shape, SUMMARY)


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

    return chance.of_array(test)


def orders(edition: Edition) -> Sequence[Scenario]:
    """A long vector: its elements come from everywhere.

    How many of the first half were there before is hypergeometric, of which the bound for
    independent events holds (Hoeffding 1963, theorem 4). The same holds for the even places.
    """
    del edition
    w = ProgramWriter()
    x = _tensor(w, "x", np.arange(PLACES, dtype="float32"))
    w.observe("sample", "eval", w.call(SHUFFLE, x, seed=SEED))
    halves = chance.occurs(lambda got: got[: PLACES // 2] < PLACES // 2, 0.5, "of the first half")
    evens = chance.occurs(lambda got: got[::2] % 2 == 0, 0.5, "of the even places")
    check = Check(
        "elements come from everywhere",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=chance.first_of(has_shape((PLACES,)), halves, evens),
        demands="an order in which every place is as likely for each element",
        at=SUMMARY,
    )
    return [_scenario(SHUFFLE, "a long vector", w, check)]


def shuffle_seeds(edition: Edition) -> Sequence[Scenario]:
    """What a seed is for an order."""
    del edition

    def draw(w: ProgramWriter, output: str, seed: dict[str, Argument]) -> None:
        x = _tensor(w, f"x_{output}", np.arange(2000, dtype="float32"))
        w.observe(output, "eval", w.call(SHUFFLE, x, **seed))

    return seed_scenarios(SHUFFLE, draw, None)


def drops(edition: Edition) -> SearchStrategy[Scenario]:
    """A few elements of any shape: each is dropped, or kept and scaled."""
    del edition

    @composite
    def drawn(draw: DrawFn) -> Scenario:
        shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
        rate = draw(st.sampled_from((0.0, 0.25, 0.5, 0.75, 0.1, 0.9)))
        elements = elements_of(shape, draw(st.sampled_from(("float32", "float64"))), 0)
        return _drop(elements, rate)

    return drawn()


def _drop(elements: Array, rate: float) -> Scenario:
    w = ProgramWriter()
    made = _dropped(w, elements, rate)
    w.observe("values", "eval", made)
    w.observe("static", "int_shape", made)
    return Scenario(
        DROPOUT,
        "a small call",
        program=w.program(),
        arrays=w.arrays,
        checks=(*_drop_checks(elements, rate),),
        conventions=UNDOCUMENTED,
    )


def _dropped(w: ProgramWriter, elements: Array, rate: float, **others: Argument) -> Ref:
    x = _tensor(w, "x", elements)
    return w.call(DROPOUT, x, rate, **others, seed=SEED)


def _drop_checks(elements: Array, rate: float) -> Iterator[Check]:
    shape, dtype = elements.shape, elements.dtype.name
    asked: tuple[tuple[str, Aspect, str, Test, str], ...] = (
        (
            "each element is dropped or kept",
            Aspect.VALUE,
            "values",
            is_dropped_or_kept(elements, rate),
            f"0 or x / (1 - {rate:g})",
        ),
        ("the dtype of x is kept", Aspect.DTYPE, "values", has_dtype(dtype), dtype),
        (
            "int_shape is the shape",
            Aspect.STATIC_SHAPE,
            "static",
            is_static_shape(shape),
            str(shape),
        ),
    )
    for name, aspect, output, test, demands in asked:
        yield _undocumented(name, aspect, output, test, demands)


def _undocumented(name: str, aspect: Aspect, output: str, test: Test, demands: str) -> Check:
    return Check(
        name, aspect, outputs=(output,), test=test, demands=demands, conventions=UNDOCUMENTED
    )


def drop_samples(edition: Edition) -> Sequence[Scenario]:
    """Large tensors: how many are dropped, and what shares a place of the noise shape."""
    del edition
    return [
        _drop_sample(SAMPLE, 0.3, None),
        _drop_sample(SAMPLE, 0.9, None),
        _drop_sample((2000, 20), 0.5, (2000, 1)),
    ]


def _drop_sample(shape: tuple[int, ...], rate: float, noise: tuple[int, ...] | None) -> Scenario:
    w = ProgramWriter()
    others: dict[str, Argument] = {} if noise is None else {"noise_shape": noise}
    x = w.call("keras.ops.ones", shape)
    w.observe("sample", "eval", w.call(DROPOUT, x, rate, **others, seed=SEED))
    title = "a large tensor" if noise is None else "a noise shape"
    checks = (*_sample_checks(shape, rate, shared=noise is not None),)
    made = _scenario(DROPOUT, title, w, *checks)
    return replace(made, conventions=UNDOCUMENTED)


def _sample_checks(shape: tuple[int, ...], rate: float, *, shared: bool) -> Iterator[Check]:
    """With `shared` a row is dropped as a whole."""

    def dropped(got: Array) -> Array:
        return np.equal(got[:, 0] if shared else got, 0)

    test: Test = chance.occurs(dropped, rate, "zeros")
    if shared:
        test = chance.first_of(are_constant(1), test)
    test = chance.first_of(has_shape(shape), test)
    says = f"zeros with probability {rate:g}" + (", a whole row each" if shared else "")
    yield _undocumented("the proportion of zeros", Aspect.DISTRIBUTION, "sample", test, says)


def drop_seeds(edition: Edition) -> Sequence[Scenario]:
    """What a seed is for dropout."""
    del edition

    def draw(w: ProgramWriter, output: str, seed: dict[str, Argument]) -> None:
        w.observe(output, "eval", w.call(DROPOUT, w.call("keras.ops.ones", (40, 50)), 0.5, **seed))

    flags = chance.are_independent(lambda got: got == 0)
    return seed_scenarios(DROPOUT, draw, flags, UNDOCUMENTED)


_SMALL = frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE})
_ROWS: tuple[tuple[str, frozenset[Aspect], Any], ...] = (
    (CATEGORICAL, _SMALL, choices),
    (CATEGORICAL, frozenset({Aspect.DISTRIBUTION}), proportions),
    (CATEGORICAL, frozenset({Aspect.SEED}), choice_seeds),
    (SHUFFLE, _SMALL, shuffles),
    (SHUFFLE, frozenset({Aspect.DISTRIBUTION}), orders),
    (SHUFFLE, frozenset({Aspect.SEED}), shuffle_seeds),
    (DROPOUT, _SMALL, drops),
    (DROPOUT, frozenset({Aspect.DISTRIBUTION}), drop_samples),
    (DROPOUT, frozenset({Aspect.SEED}), drop_seeds),
)

FAMILIES: tuple[Family, ...] = tuple(
    Family(name, aspects, make=make, editions=KERAS_3) for name, aspects, make in _ROWS
)
