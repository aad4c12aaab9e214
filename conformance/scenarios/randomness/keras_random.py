"""Scenarios of keras.random: numbers of a law, integers, and what a seed is there.

An integer as the seed gives the same numbers at each call, and a SeedGenerator others at each
call: the docstrings promise both, and in which range numbers lie. That another integer gives
numbers that have nothing to do with those of the first they do not say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test
from conformance.scenarios.model import KERAS_3, Check, Family, Problem, Scenario, Values
from conformance.scenarios.randomness import chance, random_tensors
from conformance.scenarios.randomness.keras_samplers import (
    ARGS,
    KERAS_SAMPLERS,
    RANDINT,
    beta,
)
from conformance.scenarios.randomness.random_tensors import (
    OTHER_SEED,
    SAMPLE,
    SEED,
    SMALLER,
    called,
    large_sample,
    range_checks,
    samples_are_independent,
)
from conformance.scenarios.randomness.samplers import Sampler
from conformance.scenarios.randomness.statistics import binomial, truncated
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

MANY = (1000, 1000)
"""The shape of a sample in which a number out of range would be seen that is one of 100,000."""
GENERATOR = "keras.random.SeedGenerator"

Draw = Callable[[ProgramWriter, str, dict[str, Argument]], None]
"""Writes one output, drawn with the seed in the keywords, if there is one."""


def in_range(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """Many numbers in float16, and very many where some are drawn again, none out of range."""
    del edition
    asked = [(SAMPLE, "float16", 1), (SAMPLE, "float16", 2)]
    if sampler.law is truncated:
        asked.append((MANY, "float32", 0))
    return [_in_range(sampler, *one) for one in asked]


def _in_range(sampler: Sampler, shape: tuple[int, ...], dtype: str, example: int) -> Scenario:
    parameters = sampler.examples[example]
    w = ProgramWriter()
    made = called(w, sampler, shape, parameters, dtype=dtype, seed=SEED)
    w.observe("values", "eval", made)
    return Scenario(
        sampler.function,
        f"{shape[0] * shape[1]:,} numbers in {dtype}",
        program=w.program(),
        arrays=w.arrays,
        checks=(*range_checks(sampler, parameters, "values"),),
    )


def integers(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """A large sample of integers, and some below zero."""
    del edition
    return [_integers(sampler, *asked) for asked in ((0, 5), (-3, 4))]


def _integers(sampler: Sampler, low: int, high: int) -> Scenario:
    def make(w: ProgramWriter) -> Ref:
        return called(w, sampler, SAMPLE, (low, high), keywords=True, seed=SEED)

    made = large_sample(sampler, (low, high), f"a large sample from {low}", make)
    return replace(made, checks=tuple(replace(c, test=in_float64(c.test)) for c in made.checks))


def in_float64(test: Test) -> Test:
    """The test, of the numbers as float64."""

    def wide(values: Values) -> Values:
        return tuple(
            v if v.array is None else replace(v, array=v.array.astype("float64")) for v in values
        )

    def tested(*values: Values) -> Problem | None:
        return test(*map(wide, values))

    return chance.ByChance(tested, test.rate) if isinstance(test, chance.ByChance) else tested


def seeds(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """Integers as seeds, a SeedGenerator, and none."""
    del edition
    parameters = sampler.examples[0]

    def draw(w: ProgramWriter, output: str, seed: dict[str, Argument]) -> None:
        w.observe(output, "eval", called(w, sampler, SMALLER, parameters, keywords=True, **seed))

    independent = in_float64(samples_are_independent(sampler, parameters))
    return seed_scenarios(sampler.function, draw, independent)


def seed_scenarios(
    function: str, draw: Draw, independent: Test | None, conventions: tuple[str, ...] = ()
) -> list[Scenario]:
    """What the docstrings say of seeds. `conventions` are those of a function without one."""
    checks = (_same(), *(() if independent is None else (_others(independent),)))
    made = (
        _seeded(function, draw, checks),
        _generated(function, draw),
        _unseeded(function, draw),
    )
    return [_resting(scenario, conventions) for scenario in made]


def _resting(scenario: Scenario, conventions: tuple[str, ...]) -> Scenario:
    if not conventions:
        return scenario
    checks = tuple(
        replace(c, at={}, conventions=(*c.conventions, *conventions)) for c in scenario.checks
    )
    return replace(scenario, checks=checks, conventions=conventions)


def _scenario(function: str, title: str, w: ProgramWriter, *checks: Check) -> Scenario:
    return Scenario(function, title, program=w.program(), arrays=w.arrays, checks=checks)


def _seeded(function: str, draw: Draw, checks: tuple[Check, ...]) -> Scenario:
    w = ProgramWriter()
    for output, seed in (("first", SEED), ("second", SEED), ("other", OTHER_SEED)):
        draw(w, output, {"seed": seed})
    return _scenario(function, "integers as seeds", w, *checks)


def _same() -> Check:
    return Check(
        "the same seed gives the same numbers",
        Aspect.SEED,
        outputs=("first", "second"),
        test=chance.of_arrays(chance.equal_samples),
        demands="the same numbers for the same integer as the seed",
        at=ARGS,
    )


def _others(independent: Test) -> Check:
    other = chance.of_arrays(chance.other_samples)
    return Check(
        "samples with different seeds are independent",
        Aspect.SEED,
        outputs=("first", "other"),
        test=chance.first_of(other, independent),
        demands="other numbers for another seed, independent of them",
        conventions=(ConventionName.INDEPENDENT,),
    )


def _generated(function: str, draw: Draw) -> Scenario:
    w = ProgramWriter()
    seed = w.call(GENERATOR, SEED)
    for output in ("once", "again"):
        draw(w, output, {"seed": seed})
    return _scenario(function, "a SeedGenerator", w, _new("a SeedGenerator"))


def _unseeded(function: str, draw: Draw) -> Scenario:
    w = ProgramWriter()
    for output in ("once", "again"):
        draw(w, output, {})
    return _scenario(function, "no seed", w, _new("no seed"))


def _new(what: str) -> Check:
    return Check(
        f"{what} gives other numbers at each call",
        Aspect.SEED,
        outputs=("once", "again"),
        test=chance.without_figures(chance.of_arrays(chance.other_samples)),
        demands="other numbers at each call",
        at=ARGS,
    )


def binomial_arrays(edition: Edition) -> Sequence[Scenario]:
    """An array of counts, and one of probabilities."""
    del edition
    counts, chances = [4, 9], [0.25, 0.5]
    return [
        _columns(
            "keras.random.binomial",
            {"counts": np.array(counts, "int32"), "probabilities": 0.5},
            [binomial(n, 0.5) for n in counts],
        ),
        _columns(
            "keras.random.binomial",
            {"counts": 6, "probabilities": np.array(chances, "float32")},
            [binomial(6, p) for p in chances],
        ),
    ]


def beta_arrays(edition: Edition) -> Sequence[Scenario]:
    """An array of each parameter."""
    del edition
    given = np.array([1, 4], "float32")
    return [
        _columns("keras.random.beta", {"alpha": given, "beta": 2.0}, [beta(1, 2), beta(4, 2)]),
        _columns("keras.random.beta", {"alpha": 2.0, "beta": given}, [beta(2, 1), beta(2, 4)]),
    ]


def _columns(function: str, given: dict[str, Any], laws: Sequence[Any]) -> Scenario:
    """A sample with a column for each law."""
    w = ProgramWriter()
    arguments = {
        name: w.array(name, one) if isinstance(one, np.ndarray) else one
        for name, one in given.items()
    }
    made = w.call(function, (20_000, len(laws)), **arguments, seed=SEED)
    w.observe("sample", "eval", made)
    tests = [chance.first_of(chance.has_mean(law), chance.follows(law)) for law in laws]
    check = Check(
        "each column has its distribution",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=in_columns(tests),
        demands=" beside ".join(f"numbers of {law.says}" for law in laws),
        at=ARGS,
    )
    return _scenario(function, "an array of parameters", w, check)


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
        chance.of_array(lambda got: _are_columns(got, len(tests))),
        *(of_column(test, place) for place, test in enumerate(tests)),
    )


def _of_column(expression: str, place: int) -> str:
    """An expression about `first`, of one column of it."""
    return re.sub(r"\bfirst\b", f"first[:, {place}]", expression)


def _are_columns(got: Any, wanted: int) -> Problem | None:
    if got.ndim == 2 and got.shape[1] == wanted:
        return None
    return Problem(f"gives shape {got.shape}", "shape")


Make = Callable[[Sampler, Edition], Any]
_SMALL = frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE})
_SAMPLES = frozenset({Aspect.VALUE, Aspect.DISTRIBUTION})


def _families() -> Iterator[Family]:
    for sampler in KERAS_SAMPLERS:
        yield _family(sampler, _SMALL, random_tensors.small)
        yield _family(sampler, _SAMPLES, random_tensors.samples)
        yield _family(sampler, frozenset({Aspect.VALUE}), in_range)
        yield _family(sampler, frozenset({Aspect.SEED}), seeds)
    yield _family(RANDINT, _SMALL, random_tensors.small)
    yield _family(RANDINT, _SAMPLES, integers)
    yield _family(RANDINT, frozenset({Aspect.SEED}), seeds)
    arrays = (("binomial", binomial_arrays), ("beta", beta_arrays))
    for name, make in arrays:
        shown = frozenset({Aspect.DISTRIBUTION})
        yield Family(f"keras.random.{name}", shown, make=make, editions=KERAS_3)


def _family(sampler: Sampler, aspects: frozenset[Aspect], make: Make) -> Family:
    return Family(
        sampler.function, aspects, make=lambda edition: make(sampler, edition), editions=KERAS_3
    )


FAMILIES: tuple[Family, ...] = tuple(_families())
