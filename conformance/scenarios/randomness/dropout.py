"""Scenarios of dropout.

What is dropped is random, what is kept is exact: one common factor times the element. There is a
seed, so that a report says the same again; what is evaluated twice has none. Large samples
are tensors of ones that the implementation makes itself; programs that feed a placeholder show
what a training step sees, one that evaluates a variable shows that dropout asks for no phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.program import Argument, Function, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    is_static_shape,
    raises,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.model import INACCURATE, Check, Family, Problem, Scenario, Values
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.random_tensors import (
    SAMPLE,
    SEED,
    SMALLER,
    draw_with_seeds,
    seed_checks,
)
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

Array = npt.NDArray[Any]

DROPOUT = "dropout"
LEVEL = {"ja-1": 1378, "ja-2.0": 2915, "ko-2.2": 3009}
ZEROS = {"ja-1": 1373, "ja-2.0": 2910, "ko-2.2": 3004}
NOISE_SHAPE = {"ja-2.0": 2916, "ko-2.2": 3010}
BROADCASTABLE = {"ja-2.0": 2916, "ko-2.2": 3011}
LEVELS = (0.0, 0.25, 0.5, 0.75, 0.1, 0.9)


def small(edition: Edition) -> SearchStrategy[Scenario]:
    """A few elements of any shape and dtype: each is dropped, or kept and scaled."""
    del edition

    @composite
    def drawn(draw: DrawFn) -> Scenario:
        shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
        return _small(
            shape,
            draw(st.sampled_from(LEVELS)),
            draw(st.sampled_from(("float32", "float64", "float16"))),
            draw(st.integers(0, 2**16)),
        )

    return drawn()


def _small(shape: tuple[int, ...], level: float, dtype: str, seed: int) -> Scenario:
    w = ProgramWriter()
    elements = elements_of(shape, dtype, seed)
    x = w.call("placeholder", shape=shape, dtype=dtype)
    made = w.call(DROPOUT, x, level, seed=SEED)
    w.observe("static", "int_shape", made)
    # if nothing is dropped the result may be x itself, which some backends cannot feed and fetch
    compiled = w.call("function", [x], [w.call("operator.mul", made, 1)])
    w.observe("values", "operator.call", compiled, [w.array("x", elements)])
    return Scenario(
        DROPOUT,
        "a small call",
        program=w.program(),
        arrays=w.arrays,
        checks=_small_checks(elements, level),
        conventions=unsettled_of(shape, dtype),
    )


def _small_checks(elements: Array, level: float) -> tuple[Check, ...]:
    shape, dtype = elements.shape, elements.dtype.name
    return (
        Check(
            "each element is dropped or kept",
            Aspect.VALUE,
            outputs=("values",),
            test=is_dropped_or_kept(elements, level),
            demands=f"0 or x / (1 - {level:g})",
            at=ZEROS,
        ),
        Check(
            "the dtype of x is kept",
            Aspect.DTYPE,
            outputs=("values",),
            test=keeps_dtype(dtype),
            demands=dtype,
            alternatives=OTHER_DTYPES,
        ),
        Check(
            "int_shape is the shape of x",
            Aspect.STATIC_SHAPE,
            outputs=("static",),
            test=is_static_shape(shape),
            demands=str(shape),
            at=ZEROS,
        ),
    )


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
        kept = factors[factors != 0]
        if not kept.size:
            return None
        return _common_factor(kept, x.dtype) or _scale(kept, x.dtype, level)

    return chance.of_array(test)


def _common_factor(kept: Array, dtype: Any) -> Problem | None:
    """All factors are the same, but for a few roundings, and positive."""
    low, high = float(kept.min()), float(kept.max())
    if low > 0 and high - low <= 8 * np.finfo(dtype).eps * high:
        return None
    gives = f"multiplies some elements by {low:.6g} and some by {high:.6g}"
    if dtype == np.float64 and low > 0 and high - low <= 8 * np.finfo(np.float32).eps * high:
        return Problem(gives, INACCURATE, conventions=(ConventionName.ACCURACY,))
    return Problem(gives, "two factors")


def _scale(kept: Array, dtype: Any, level: float) -> Problem | None:
    """The factor is 1 / (1 - level). The rounding of the level weighs more the nearer it is 1."""
    eps, wanted = float(np.finfo(dtype).eps), 1 / (1 - level)
    error, bound = float(np.abs(kept - wanted).max()) / wanted, 4 * eps * wanted
    if error <= bound:
        return None
    inaccurate = error <= bound / np.sqrt(eps)  # half of the digits are right
    return Problem(
        f"multiplies what it keeps by {float(kept.flat[0]):.9g}",
        INACCURATE if inaccurate else "factor",
        conventions=(ConventionName.ACCURACY,) if inaccurate else (ConventionName.DROPOUT_SCALE,),
    )


def _ones(w: ProgramWriter, shape: tuple[int, ...]) -> Ref:
    """An array of ones that the implementation makes, so that scripts stay short."""
    return w.call("eval", w.call("ones", shape))


def _fed(
    w: ProgramWriter, output: str, shape: tuple[int, ...], *args: Argument, **kwargs: Any
) -> None:
    """Observe dropout of a placeholder that is fed with ones."""
    x = w.call("placeholder", shape=shape)
    compiled = w.call("function", [x], [w.call(DROPOUT, x, *args, **kwargs)])
    w.observe(output, "operator.call", compiled, [_ones(w, shape)])


def samples(edition: Edition) -> Sequence[Scenario]:
    """Large tensors of ones: how many are dropped, and whether independently."""
    del edition
    return [
        *(_sample(level, fed=True) for level in (0.3, 0.9, 0.5)),
        _sample(0.3, fed=False),
    ]


def _sample(level: float, *, fed: bool) -> Scenario:
    w = ProgramWriter()
    if fed:
        _fed(w, "sample", SAMPLE, level, seed=SEED)
    else:
        ones = w.call("ones", SAMPLE)
        w.observe("sample", "eval", w.call(DROPOUT, ones, level, seed=SEED))
    checks = (_proportion(level), _independence())
    title = "a large tensor fed" if fed else "a large variable evaluated"
    return Scenario(DROPOUT, title, program=w.program(), arrays=w.arrays, checks=checks)


def _proportion(level: float) -> Check:
    return Check(
        "the proportion of zeros",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=chance.occurs(lambda got: got == 0, level, "zeros"),
        demands=f"zeros with probability {level:g}",
        at=LEVEL,
    )


def _independence() -> Check:
    return Check(
        "neighbours are dropped independently",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=chance.neighbours_are_independent(lambda got: got == 0),
        demands="independent elements",
        at=ZEROS,
    )


def noise_shapes(edition: Edition) -> Sequence[Scenario]:
    """The flags have `noise_shape` and are broadcast."""
    del edition
    return [
        _noise((2000, 20), (2000, 1), 0.3, third=True),
        _noise((20, 2000), (1, 2000), 0.5, third=False),
        _noise((4, 5, 2000), (4, 1, 2000), 0.5, third=False),
    ]


def _noise(
    shape: tuple[int, ...], noise: tuple[int, ...], level: float, *, third: bool
) -> Scenario:
    w = ProgramWriter()
    if third:
        _fed(w, "sample", shape, level, noise, SEED)
    else:
        _fed(w, "sample", shape, level, noise_shape=noise, seed=SEED)
    axis = next(i for i, (n, d) in enumerate(zip(noise, shape, strict=True)) if n != d)
    checks = (
        Check(
            "what shares a flag is dropped together",
            Aspect.VALUE,
            outputs=("sample",),
            test=are_constant(axis),
            demands=f"elements dropped together along axis {axis}",
            at=NOISE_SHAPE,
        ),
        Check(
            "the proportion of flags",
            Aspect.DISTRIBUTION,
            outputs=("sample",),
            test=chance.occurs(partial(_flags, axis), level, "flags"),
            demands=f"flags with probability {level:g}",
            at=LEVEL,
        ),
    )
    title = "a noise shape in the third place" if third else "a noise shape"
    return Scenario(DROPOUT, title, program=w.program(), arrays=w.arrays, checks=checks)


def _flags(axis: int, got: Array) -> Array:
    """What is dropped of the elements that have a flag of their own; a result of fewer axes, which
    another check tells, has one for each element."""
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

    return chance.of_array(test)


def seeds(edition: Edition) -> Sequence[Scenario]:
    """Tensors with one seed and with another; keras-1 knows no new session."""
    restarts = edition != "keras-1"
    w = ProgramWriter()

    def draw(output: str, seed: int) -> None:
        _fed(w, output, SMALLER, 0.5, seed=seed)

    draw_with_seeds(w, draw, restarts=restarts)
    flags = chance.are_independent(lambda got: got == 0)
    return [
        Scenario(
            DROPOUT,
            "tensors with seeds",
            program=w.program(),
            arrays=w.arrays,
            checks=seed_checks(flags, restarts=restarts),
        )
    ]


def evaluations(edition: Edition) -> Sequence[Scenario]:
    """One compiled function called twice drops other elements."""
    del edition
    w = ProgramWriter()
    x = w.call("placeholder", shape=SMALLER)
    compiled = w.call("function", [x], [w.call(DROPOUT, x, 0.5)])
    ones = _ones(w, SMALLER)
    w.observe("once", "operator.call", compiled, [ones])
    w.observe("again", "operator.call", compiled, [ones])
    check = Check(
        "each evaluation drops other elements",
        Aspect.DISTRIBUTION,
        outputs=("once", "again"),
        test=chance.of_arrays(chance.other_samples),
        demands="other zeros at each evaluation",
        at=ZEROS,
    )
    return [
        Scenario(
            DROPOUT,
            "a function called twice",
            program=w.program(),
            arrays=w.arrays,
            checks=(check,),
        )
    ]


def no_levels(edition: Edition) -> Sequence[Scenario]:
    """Levels outside 0 to 1."""
    del edition
    return [
        _refusal(f"level={p}", "a level outside 0 to 1 is refused", LEVEL, p) for p in (1.5, -0.5)
    ]


def no_noise_shapes(edition: Edition) -> Sequence[Scenario]:
    """A noise shape that does not broadcast to the shape of x."""
    del edition
    name = "a noise shape that does not fit is refused"
    return [_refusal("noise_shape=(3, 5)", name, BROADCASTABLE, 0.5, (3, 5))]


def _refusal(title: str, name: str, at: dict[str, int], *args: Argument) -> Scenario:
    w = ProgramWriter()
    x = w.call("placeholder", shape=(4, 5))
    w.attempt(
        "answer", "operator.call", _evaluated(x, *args), w.array("fed", np.ones((4, 5)), "float32")
    )
    check = Check(
        name,
        Aspect.ERROR,
        outputs=("answer",),
        test=raises(),
        demands="an exception",
        at=at,
        conventions=(ConventionName.INVALID_INPUT,),
    )
    return Scenario(DROPOUT, title, program=w.program(), arrays=w.arrays, checks=(check,))


def _evaluated(x: Ref, *args: Argument) -> Function:
    """A callable that builds dropout, compiles and calls it: any of them may refuse."""
    body = FunctionWriter("drop", "values")
    compiled = body.call("function", [x], [body.call(DROPOUT, x, *args)])
    return body.returning(body.call("operator.call", compiled, [Ref("values")]))


_2: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")

FAMILIES: tuple[Family, ...] = (
    Family(DROPOUT, frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE}), make=small),
    Family(DROPOUT, frozenset({Aspect.DISTRIBUTION}), make=samples),
    Family(DROPOUT, frozenset({Aspect.VALUE, Aspect.DISTRIBUTION}), make=noise_shapes, editions=_2),
    Family(DROPOUT, frozenset({Aspect.SEED}), make=seeds),
    Family(DROPOUT, frozenset({Aspect.DISTRIBUTION}), make=evaluations),
    Family(DROPOUT, frozenset({Aspect.ERROR}), make=no_levels),
    Family(DROPOUT, frozenset({Aspect.ERROR}), make=no_noise_shapes, editions=_2),
)
