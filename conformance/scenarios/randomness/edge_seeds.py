"""Scenarios of seeds at the ends of their range: 0, 1, the largest of 32 bits, and negative ones.

Code that tests `if seed` takes 0 for no seed. The largest overflows where one is added to it. That
a negative one is refused in words is a reading of `negative-seed`.
"""

from __future__ import annotations

from typing import Any

from conformance.results import Aspect
from conformance.scenarios.checks import of_arrays
from conformance.scenarios.model import ARGS, KERAS_2, KERAS_3
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.dropout import DROPOUT, dropout_of_ones
from conformance.scenarios.randomness.keras_choices import GENERATOR, SEEDED
from conformance.scenarios.randomness.keras_random import NAMES, RANDINT
from conformance.scenarios.randomness.random_tensors import (
    BY_NAME,
    SMALLER,
    TENSORS,
    VARIABLES,
    called,
    expect_possible,
    expect_seeds,
    hide_figures,
    usual_parameters,
)
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
EDGES = (0, 1, 2**31 - 1, -1, -(2**31))
SEED = ("the seed {seed}", Aspect.SEED)


def _neighbour(seed: int) -> int:
    """The seed next to it that fits into 32 bits as well."""
    return seed ^ 1


def _rest_on_sign(K: Recorder, seed: int) -> None:
    K.conventions = (ConventionName.NEGATIVE_SEED,) if seed < 0 else ()


@BOOK.scenario([*TENSORS, DROPOUT], *SEED, editions=KERAS_2, seed=EDGES[:4])
def tensors(K: Recorder, seed: int) -> None:
    """Tensors with the seed and with the next one, in this session and in new ones."""

    def sample(number: int) -> Result:
        if K.tested == DROPOUT:
            return dropout_of_ones(K, SMALLER, 0.5, seed=number)
        parameters = usual_parameters(BY_NAME[K.tested])
        return K.eval(called(K, SMALLER, parameters, keywords=True, seed=number))

    expect_seeds(K, sample, None, restarts=True, seeds=(seed, _neighbour(seed)))
    _rest_on_sign(K, seed)


@BOOK.scenario(VARIABLES, "the seed {seed}", Aspect.VALUE, editions=KERAS_2, seed=EDGES[:4])
def variables(K: Recorder, seed: int) -> None:
    """Variables with the seed: that it gives the same numbers again is not said of them."""
    parameters = usual_parameters(BY_NAME[K.tested])
    variable = called(K, SMALLER, parameters, keywords=True, seed=seed)
    expect_possible(K, K.eval(variable).output("values"), parameters)
    hide_figures(K)
    _rest_on_sign(K, seed)


def _drawn(K: Recorder, output: str, seed: dict[str, Any]) -> Result:
    if K.tested in SEEDED:
        return SEEDED[K.tested].sample(K, output, seed)
    parameters = BY_NAME[K.tested].examples[0]
    return K.eval(called(K, SMALLER, parameters, keywords=True, **seed))


RANDOM = [*NAMES, RANDINT, *SEEDED]


@BOOK.scenario(RANDOM, *SEED, editions=KERAS_3, seed=EDGES)
def integers(K: Recorder, seed: int) -> None:
    """An integer gives the same numbers at each call, and the next one others."""
    for output, number in (("first", seed), ("second", seed), ("other", _neighbour(seed))):
        _drawn(K, output, {"seed": number}).output(output)
    at = SEEDED[K.tested].at if K.tested in SEEDED else ARGS
    same, other = of_arrays(chance.equal_samples), of_arrays(chance.other_samples)
    name, demands = "the same seed gives the same numbers", "the same numbers for the same integer"
    K.expect(name, ("first", "second"), same, demands, at=at)
    name, demands = "the next seed gives other numbers", "other numbers for the next integer"
    rests = (ConventionName.INDEPENDENT,)
    K.expect(name, ("first", "other"), other, demands, at=at, conventions=rests)
    _rest_on_sign(K, seed)


@BOOK.scenario(RANDOM, "SeedGenerator({seed})", Aspect.SEED, editions=KERAS_3, seed=EDGES)
def generators(K: Recorder, seed: int) -> None:
    """A generator gives other numbers at each call, and so does a second one with its seed."""
    for outputs in (("once", "again"), ("once_anew", "again_anew")):
        generator = K.keras.random.SeedGenerator(seed)
        for output in outputs:
            _drawn(K, output, {"seed": generator}).output(output)
    same, other = of_arrays(chance.equal_samples), of_arrays(chance.other_samples)
    name, demands = "a generator gives other numbers at each call", "other numbers at each call"
    K.expect(name, ("once", "again"), other, demands, at=GENERATOR)
    name, demands = "two generators with one seed agree", "the numbers of the first generator"
    for pair in (("once", "once_anew"), ("again", "again_anew")):
        K.expect(name, pair, same, demands, at=GENERATOR)
    _rest_on_sign(K, seed)


FAMILIES = BOOK.families
