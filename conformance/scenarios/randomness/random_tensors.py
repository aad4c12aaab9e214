"""Scenarios of the functions that draw random numbers.

Small calls show shapes, dtypes and bounds. A few large samples show the distribution, and an error
of two per cent in a parameter. Repeated draws show the seed. The documents call `seed` a random
seed and promise no more. By a convention the same seed gives the same numbers in another tensor,
because a seed may also start a stream that goes on with each tensor. A stream starts again in a
new session; numbers that do not repeat there have no seed.

Samples have a seed, and reports repeat their figures. Only one scenario of variables has a seed,
because an implementation may lack it there; reports have no figures about these samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    Test,
    has_dtype,
    has_shape,
    is_static_shape,
    of_arrays,
    raises,
)
from conformance.scenarios.model import KERAS_2, Alternative
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.keras_samplers import KERAS_SAMPLERS, RANDINT
from conformance.scenarios.randomness.samplers import SAMPLERS, Parameters, Sampler
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
SAMPLE = (400, 500)
"""The shape of a large sample: enough numbers to see two per cent of a standard deviation."""
SMALLER = (40, 50)
"""The shape of a sample that is compared with another."""
SEED, OTHER_SEED = 20_240, 517

BY_NAME = {sampler.function: sampler for sampler in (*SAMPLERS, *KERAS_SAMPLERS, RANDINT)}
NAMES = [sampler.function for sampler in SAMPLERS]
SMALL = ("a small call", Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE)
LARGE = ("{what}", Aspect.VALUE, Aspect.DISTRIBUTION)


@BOOK.scenario(NAMES, *SMALL, editions=KERAS_2)
def small(K: Recorder, draw: st.DrawFn) -> None:
    """Calls with any shape and dtype."""
    sampler = BY_NAME[K.tested]
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    parameters = draw(st.sampled_from(sampler.examples))
    dtype = draw(st.sampled_from((None, *sampler.dtypes)))
    arguments = _seed(sampler) | ({} if dtype is None else {"dtype": dtype})
    tensor = called(K, shape, parameters, keywords=draw(st.booleans()), **arguments)
    values, static = K.eval(tensor).output("values"), K.int_shape(tensor).output("static")
    name = dtype or sampler.default_dtype
    K.conventions = unsettled_of(shape, name, sampler.documented)
    at, demands = sampler.shape, f"shape {shape}"
    K.expect("the shape is as asked for", values, has_shape(shape), demands, at=at)
    settled = dtype or sampler.default_settled
    K.expect(
        "the dtype is as asked for",
        values,
        has_dtype(name),
        name,
        aspect=Aspect.DTYPE,
        at=sampler.dtype,
        conventions=() if settled else (ConventionName.DEFAULT_DTYPE,),
    )
    test, aspect = is_static_shape(shape), Aspect.STATIC_SHAPE
    K.expect("int_shape is the shape", static, test, str(shape), aspect=aspect, at=at)
    expect_possible(K, values, parameters)
    hide_figures(K)


def _seed(sampler: Sampler, seed: int = SEED) -> dict[str, Any]:
    """The seed of a sample; none for a variable."""
    return {"seed": seed} if sampler.draws_again else {}


def hide_figures(K: Recorder) -> None:
    """Show no figures in the checks of variables, which have other numbers in each run."""
    if not BY_NAME[K.tested].draws_again:
        K.checks = [replace(c, test=chance.without_figures(c.test)) for c in K.checks]


def called(
    K: Recorder, shape: Any, parameters: Parameters, *, keywords: bool = False, **others: Any
) -> Result:
    """A call of the function with the parameters of its law, by position or as keywords."""
    function = K[K.tested]
    if keywords:
        named = dict(zip(BY_NAME[K.tested].parameters, parameters, strict=True))
        return function(shape, **named, **others)
    return function(shape, *parameters, **others)


def expect_possible(K: Recorder, values: Result, parameters: Parameters) -> None:
    """Every number is possible."""
    sampler = BY_NAME[K.tested]
    bounds = sampler.bounds(parameters)
    if sampler.law is None:
        test, demands = chance.takes_only(*_outcomes(parameters)), "0 or 1 in every place"
    elif bounds is not None:
        test, demands = _within(sampler, *bounds)
    else:
        test, demands = chance.within(-1e4, 1e4), "finite numbers"
    at, others = sampler.values, _trials(sampler, parameters)
    K.expect("values are possible", values, test, demands, at=at, alternatives=others)


def _within(sampler: Sampler, low: float, high: float) -> tuple[Test, str]:
    test = chance.within(low, high, below=sampler.half_open)
    kind = "integers" if sampler.whole else "numbers"
    ends = f"to {high:g}" + (", which is not among them" if sampler.half_open else "")
    demands = f"{kind} from {low:g} {ends}"
    return (chance.first_of(test, chance.are_whole) if sampler.whole else test), demands


def _trials(sampler: Sampler, parameters: Parameters) -> tuple[Alternative, ...]:
    """No document says how many trials there are; if p is 0 the number does not matter."""
    if sampler.law is not None or not parameters[0]:
        return ()
    test = chance.counts_successes(parameters[0])
    return (Alternative(ConventionName.ONE_TRIAL, "several trials", test),)


def _outcomes(parameters: Parameters) -> tuple[float, ...]:
    """The values of a binomial number: with the probability 0 or 1, one value only."""
    return (parameters[0],) if parameters[0] in (0, 1) else (0.0, 1.0)


def kinds_of_samples(function: str) -> Sequence[str]:
    """Positional arguments, keywords in float64, and the defaults, where there are any."""
    kinds = "a large sample", "a large float64 sample", "a large sample with default parameters"
    return kinds if BY_NAME[function].default is not None else kinds[:2]


@BOOK.scenario(NAMES, *LARGE, editions=KERAS_2, what=kinds_of_samples)
def samples(K: Recorder, what: str) -> None:
    """Large samples."""
    sampler = BY_NAME[K.tested]
    first, default = sampler.examples[0], sampler.default
    if what == "a large sample":
        tensor = called(K, SAMPLE, first, **_seed(sampler, OTHER_SEED))
    elif default is None or what == "a large float64 sample":
        tensor = called(K, SAMPLE, first, keywords=True, dtype="float64", **_seed(sampler))
    else:
        first, tensor = default, K[K.tested](SAMPLE, seed=OTHER_SEED)
    expect_sample(K, tensor, first)


def expect_sample(K: Recorder, tensor: Result, parameters: Parameters) -> None:
    """Many numbers have the law with these parameters, and are independent."""
    sample, sampler = K.eval(tensor).output("sample"), BY_NAME[K.tested]
    expect_possible(K, sample, parameters)
    name, aspect = "the distribution", Aspect.DISTRIBUTION
    if sampler.law is None:
        p, others = parameters[0], _trials(sampler, parameters)
        test, demands = chance.occurs(lambda got: got == 1, p, "ones"), f"1 with probability {p:g}"
        K.expect(name, sample, test, demands, aspect=aspect, alternatives=others)
        return
    law = sampler.law(*parameters)
    # mean and spread first: a sample in which they are wrong fails the other tests too
    test = chance.first_of(chance.has_mean(law), chance.has_variance(law), chance.follows(law))
    K.expect(name, sample, test, f"numbers of {law.says}", aspect=aspect)
    test, name = chance.neighbours_are_independent(law.distribution), "neighbours are independent"
    K.expect(name, sample, test, "independent numbers", aspect=aspect)
    hide_figures(K)


@BOOK.scenario(NAMES, "tensors with seeds", Aspect.SEED, editions=KERAS_2)
def seeds(K: Recorder) -> None:
    """Tensors with one seed and with another, in this session and at the start of new ones."""
    parameters = usual_parameters(BY_NAME[K.tested])

    def sample(seed: int) -> Result:
        return K.eval(called(K, SMALLER, parameters, keywords=True, seed=seed))

    expect_seeds(K, sample, samples_are_independent(BY_NAME[K.tested], parameters), restarts=True)


def usual_parameters(sampler: Sampler) -> Parameters:
    """Parameters with which samples differ."""
    return (0.5,) if sampler.law is None else sampler.examples[0]


def samples_are_independent(sampler: Sampler, parameters: Parameters) -> Test:
    """The test that two samples are not correlated."""
    if sampler.law is None:
        return chance.are_independent(lambda got: got == 1)
    return chance.are_independent(sampler.law(*parameters).distribution)


def expect_seeds(
    K: Recorder,
    sample: Callable[[int], Result],
    independence: Test | None,
    *,
    restarts: bool,
    seeds: tuple[int, int] = (SEED, OTHER_SEED),
) -> None:
    """The same seed, and another one; `sample` draws numbers with a seed.

    `restarts` says whether the edition has `clear_session`. On a target that lacks it the numbers
    are those of the same session.
    """
    own, another = seeds
    for output, seed in (("first", own), ("second", own), ("other", another)):
        sample(seed).output(output)
    if restarts:
        for output, seed in (("anew", own), ("other_anew", another)):
            K.clear_session().output(f"session_of_{output}")
            sample(seed).output(output)
    _expect_same(K, restarts=restarts)
    name, demands = "another seed gives other numbers", "other numbers for another seed"
    for other in ("other", "other_anew") if restarts else ("other",):
        K.expect(name, ("first", other), of_arrays(chance.other_samples), demands)
    if independence is not None:
        K.expect(
            "samples with different seeds are independent",
            ("first", "other"),
            chance.unless_equal(independence),
            "independent numbers for another seed",
            conventions=(ConventionName.INDEPENDENT,),
        )


def _expect_same(K: Recorder, *, restarts: bool) -> None:
    """The same numbers at once; or, where there can be a new session, in that one."""
    name, demands = "the same seed gives the same numbers", "the same numbers for the same seed"
    if not restarts:
        K.expect(name, ("first", "second"), of_arrays(chance.equal_samples), demands)
        return
    at_once = of_arrays(lambda first, second, anew: chance.equal_samples(first, second))  # noqa: ARG005
    stream = Alternative(ConventionName.SEED, "stream", of_arrays(chance.starts_again))
    K.expect(name, ("first", "second", "anew"), at_once, demands, alternatives=(stream,))


TENSORS = [sampler.function for sampler in SAMPLERS if sampler.draws_again]
VARIABLES = [sampler.function for sampler in SAMPLERS if not sampler.draws_again]
TWICE = ("once", "again")


@BOOK.scenario(TENSORS, "a tensor evaluated twice", Aspect.DISTRIBUTION, editions=KERAS_2)
def drawn_again(K: Recorder) -> None:
    """One tensor evaluated twice: other numbers."""
    _evaluate_twice(K)
    other, same = (of_arrays(t) for t in (chance.other_samples, chance.equal_samples))
    name, demands = "each evaluation draws new numbers", "new numbers at each evaluation"
    others = (Alternative(ConventionName.NEW_NUMBERS, "drawn once", same),)
    K.expect(name, TWICE, other, demands, alternatives=others)


@BOOK.scenario(VARIABLES, "a variable read twice", editions=KERAS_2)
def kept(K: Recorder) -> None:
    """One variable read twice: the same numbers."""
    _evaluate_twice(K)
    test, at = of_arrays(chance.equal_samples), BY_NAME[K.tested].values
    demands = "the same numbers as long as the variable is not changed"
    K.expect("the variable keeps its numbers", TWICE, test, demands, at=at)


def _evaluate_twice(K: Recorder) -> None:
    tensor = called(K, SMALLER, usual_parameters(BY_NAME[K.tested]))
    for output in TWICE:
        K.eval(tensor).output(output)


@BOOK.scenario(("random_uniform", "random_binomial"), "a sample of integers", editions=KERAS_2)
def integers(K: Recorder) -> None:
    """Numbers in int32: the upper bound of the uniform ones is not among them."""
    sampler, binomial = BY_NAME[K.tested], K.tested == "random_binomial"
    parameters: Parameters = (0.5,) if binomial else (0, 4)
    expected = (0, 1) if binomial else (0, 1, 2, 3)
    tensor = called(K, SMALLER, parameters, keywords=True, dtype="int32", seed=SEED)
    included = Alternative(ConventionName.EXCLUSIVE_MAXVAL, "included", _takes(0, 1, 2, 3, 4))
    K.expect(
        "every integer below the bound, and no other",
        K.eval(tensor).output("values"),
        _takes(*expected),
        f"each of {expected} and nothing else",
        at=sampler.values,
        alternatives=_trials(sampler, parameters) if binomial else (included,),
    )
    K.conventions = (ConventionName.INPUT_DTYPE,)


def _takes(*values: float) -> Test:
    return chance.first_of(chance.takes_only(*values), chance.takes_all(*values))


@BOOK.scenario("random_binomial", "p={p}", Aspect.ERROR, editions=KERAS_2, p=(1.5, -0.5))
def improbable(K: Recorder, p: float) -> None:
    """Probabilities outside the documented interval: a call or its evaluation may refuse."""
    evaluated = K.body("draw", lambda: K.eval(K.random_binomial((4,), p)))
    K.expect(
        "a probability outside 0 to 1 is refused",
        K.attempt(K.operator.call, evaluated).output("answer"),
        raises(),
        "an exception",
        at={"ja-2.0": 3233, "ko-2.2": 3470},
        conventions=(ConventionName.INVALID_INPUT,),
    )


FAMILIES = BOOK.families
