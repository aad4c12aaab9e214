"""Scenarios of keras.random: numbers of a law, integers, and seeds.

The docstrings promise that an integer as the seed gives the same numbers at each call, and a
SeedGenerator others. They also promise the range of numbers. They do not say that another integer
gives independent numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import Test, of_array, of_arrays
from conformance.scenarios.model import ARGS, KERAS_3, Problem, Values
from conformance.scenarios.randomness import chance, random_tensors
from conformance.scenarios.randomness.keras_samplers import (
    KERAS_SAMPLERS,
    beta,
)
from conformance.scenarios.randomness.random_tensors import (
    BY_NAME,
    LARGE,
    OTHER_SEED,
    SAMPLE,
    SEED,
    SMALL,
    SMALLER,
    called,
    expect_possible,
    expect_sample,
    kinds_of_samples,
    samples_are_independent,
)
from conformance.scenarios.randomness.statistics import Law, binomial, truncated
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
MANY = (1000, 1000)
"""The shape of a sample in which a number out of range would be seen that is one of 100,000."""
NAMES, RANDINT = [sampler.function for sampler in KERAS_SAMPLERS], "keras.random.randint"

BOOK.scenario([*NAMES, RANDINT], *SMALL, editions=KERAS_3)(random_tensors.small)
BOOK.scenario(NAMES, *LARGE, editions=KERAS_3, what=kinds_of_samples)(random_tensors.samples)


def _ranges(function: str) -> list[tuple[tuple[int, int], str, int]]:
    asked = [(SAMPLE, "float16", 1), (SAMPLE, "float16", 2)]
    return asked + [(MANY, "float32", 0)] * (BY_NAME[function].law is truncated)


@BOOK.scenario(NAMES, editions=KERAS_3, asked=_ranges)
def in_range(K: Recorder, asked: tuple[tuple[int, int], str, int]) -> None:
    """Many numbers in float16, and very many where some are drawn again, none out of range."""
    shape, dtype, example = asked
    K.title = f"{shape[0] * shape[1]:,} numbers in {dtype}"
    parameters = BY_NAME[K.tested].examples[example]
    tensor = called(K, shape, parameters, dtype=dtype, seed=SEED)
    expect_possible(K, K.eval(tensor).output("values"), parameters)


INTEGERS = (Aspect.VALUE, Aspect.DISTRIBUTION)
RANGES = ((0, 5), (-3, 4))


@BOOK.scenario(
    RANDINT, "a large sample from {bounds[0]}", *INTEGERS, editions=KERAS_3, bounds=RANGES
)
def integers(K: Recorder, bounds: tuple[int, int]) -> None:
    """A large sample of integers, and some below zero."""
    expect_sample(K, called(K, SAMPLE, bounds, keywords=True, seed=SEED), bounds)
    K.checks = [replace(c, test=in_float64(c.test)) for c in K.checks]


def in_float64(test: Test) -> Test:
    """The test, of the numbers as float64."""

    def wide(values: Values) -> Values:
        return tuple(
            v if v.array is None else replace(v, array=v.array.astype("float64")) for v in values
        )

    def tested(*values: Values) -> Problem | None:
        return test(*map(wide, values))

    return chance.ByChance(tested, test.rate) if isinstance(test, chance.ByChance) else tested


SEEDS = ("integers as seeds", "a SeedGenerator", "no seed")
WITH_SEEDS = ("{what}", Aspect.SEED)


@BOOK.scenario([*NAMES, RANDINT], *WITH_SEEDS, editions=KERAS_3, what=SEEDS)
def seeds(K: Recorder, what: str) -> None:
    """Integers as seeds, a SeedGenerator, and none."""
    sampler = BY_NAME[K.tested]
    parameters = sampler.examples[0]

    def sample(_: str, seed: dict[str, Any]) -> Result:
        return K.eval(called(K, SMALLER, parameters, keywords=True, **seed))

    expect_seeds(K, what, sample, in_float64(samples_are_independent(sampler, parameters)))


def expect_seeds(
    K: Recorder,
    what: str,
    sample: Callable[[str, dict[str, Any]], Result],
    independent: Test | None,
    at: Lines = ARGS,
) -> None:
    """The docstrings' promises about seeds: `sample` draws with the seed in the keywords."""
    other = of_arrays(chance.other_samples)
    if what != "integers as seeds":
        keywords = {"seed": K.keras.random.SeedGenerator(SEED)} if what != "no seed" else {}
        both = [sample(output, keywords).output(output) for output in ("once", "again")]
        name, test = f"{what} gives other numbers at each call", chance.without_figures(other)
        demands = "other numbers at each call"
        K.expect(name, both, test, demands, at=at)
        return
    for output, seed in (("first", SEED), ("second", SEED), ("other", OTHER_SEED)):
        sample(output, {"seed": seed}).output(output)
    name, same = "the same seed gives the same numbers", of_arrays(chance.equal_samples)
    demands = "the same numbers for the same integer as the seed"
    K.expect(name, ("first", "second"), same, demands, at=at)
    if independent is not None:
        K.expect(
            "samples with different seeds are independent",
            ("first", "other"),
            chance.first_of(other, independent),
            "other numbers for another seed, independent of them",
            conventions=(ConventionName.INDEPENDENT,),
        )


COUNTS, CHANCES = np.array([4, 9], "int32"), np.array([0.25, 0.5], "float32")
PAIR = np.array([1, 4], "float32")
COLUMNS: dict[str, list[tuple[dict[str, Any], list[Law]]]] = {
    "keras.random.binomial": [
        ({"counts": COUNTS, "probabilities": 0.5}, [binomial(4, 0.5), binomial(9, 0.5)]),
        ({"counts": 6, "probabilities": CHANCES}, [binomial(6, 0.25), binomial(6, 0.5)]),
        (
            {"counts": COUNTS.astype("float32"), "probabilities": 0.5},
            [binomial(4, 0.5), binomial(9, 0.5)],
        ),
    ],
    "keras.random.beta": [
        ({"alpha": PAIR, "beta": 2.0}, [beta(1, 2), beta(4, 2)]),
        ({"alpha": 2.0, "beta": PAIR}, [beta(2, 1), beta(2, 4)]),
    ],
}
"""An array of each parameter, and the law of each column."""


@BOOK.scenario(
    COLUMNS.keys(),
    "{form} of parameters",
    Aspect.DISTRIBUTION,
    editions=KERAS_3,
    place=lambda function: range(len(COLUMNS[function])),
    form=("an array", "a tensor"),
)
def columns(K: Recorder, place: int, form: str) -> None:
    """A sample with a column for each law."""
    parameters, laws = COLUMNS[K.tested][place]
    several = K.array if form == "an array" else K.tensor
    arguments = {
        name: several(name, value) if isinstance(value, np.ndarray) else value
        for name, value in parameters.items()
    }
    sample = K.eval(K[K.tested]((20_000, len(laws)), **arguments, seed=SEED)).output("sample")
    tests = [chance.first_of(chance.has_mean(law), chance.follows(law)) for law in laws]
    demands = " beside ".join(f"numbers of {law.says}" for law in laws)
    K.expect("each column has its distribution", sample, in_columns(tests), demands, at=ARGS)


def in_columns(tests: Sequence[Test]) -> Test:
    """A test for each column of the one array that an output gave."""

    def of_column(test: Test, place: int) -> Test:
        def tested(values: Values) -> Problem | None:
            problem = test(
                tuple(v if v.array is None else replace(v, array=v.array[:, place]) for v in values)
            )
            return problem and replace(
                problem,
                gives=f"{problem.gives} in column {place}",
                fault=_of_column(problem.fault, place),
                wrong=_of_column(problem.wrong, place),
            )

        return chance.ByChance(tested, test.rate) if isinstance(test, chance.ByChance) else tested

    return chance.first_of(
        of_array(lambda got: _are_columns(got, len(tests))),
        *(of_column(test, place) for place, test in enumerate(tests)),
    )


def _of_column(expression: str, place: int) -> str:
    """An expression about `first`, of one column of it."""
    return re.sub(r"\bfirst\b", f"first[:, {place}]", expression)


def _are_columns(got: Any, count: int) -> Problem | None:
    if got.ndim == 2 and got.shape[1] == count:
        return None
    return Problem(f"gives shape {got.shape}", "shape")


FAMILIES = BOOK.families
