"""Scenarios of the functions that draw random numbers.

Small calls show shapes, dtypes and bounds; a few large samples show the distribution, so that an
error of two per cent in a parameter is found; what is drawn again shows the seed. The documents
call `seed` a random seed and promise no more: that the same seed gives the same numbers in another
tensor is a convention, because a seed may also start a stream that goes on with each tensor. A
stream starts again in a new session; numbers that do not come again there have no seed.

Samples have a seed, so that a report says the same again. Those of variables have none but in one
scenario, because an implementation may know no seed there: what is said of them has no figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.program import Argument, Function, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, has_dtype, has_shape, is_static_shape, raises
from conformance.scenarios.composites import composite
from conformance.scenarios.model import Alternative, Check, Family, Scenario
from conformance.scenarios.randomness import chance
from conformance.scenarios.randomness.samplers import SAMPLERS, Parameters, Sampler
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

SAMPLE = (400, 500)
"""The shape of a large sample: enough numbers to see two per cent of a standard deviation."""
SMALLER = (40, 50)
"""The shape of a sample that is compared with another."""
SEED, OTHER_SEED = 20_240, 517

EDITIONS: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")


def small(sampler: Sampler, edition: Edition) -> SearchStrategy[Scenario]:
    """Calls with any shape and dtype."""
    del edition

    @composite
    def drawn(draw: DrawFn) -> Scenario:
        return _small(
            sampler,
            tuple(draw(st.lists(st.integers(0, 4), max_size=4))),
            draw(st.sampled_from(sampler.examples)),
            draw(st.sampled_from((None, *sampler.dtypes))),
            keywords=draw(st.booleans()),
        )

    return drawn()


def _small(
    sampler: Sampler,
    shape: tuple[int, ...],
    parameters: Parameters,
    dtype: str | None,
    *,
    keywords: bool,
) -> Scenario:
    w = ProgramWriter()
    given = _seed(sampler) | ({} if dtype is None else {"dtype": dtype})
    made = called(w, sampler, shape, parameters, keywords=keywords, **given)
    w.observe("values", "eval", made)
    w.observe("static", "int_shape", made)
    checks = _small_checks(sampler, shape, parameters, dtype)
    return Scenario(
        sampler.function,
        "a small call",
        program=w.program(),
        arrays=w.arrays,
        checks=_without_figures(sampler, checks),
        conventions=unsettled_of(shape, dtype or sampler.default_dtype, sampler.documented),
    )


def _small_checks(
    sampler: Sampler, shape: tuple[int, ...], parameters: Parameters, dtype: str | None
) -> tuple[Check, ...]:
    return (
        Check(
            "the shape is as asked for",
            Aspect.VALUE,
            outputs=("values",),
            test=has_shape(shape),
            demands=f"shape {shape}",
            at=sampler.shape,
        ),
        _dtype_check(sampler, dtype),
        Check(
            "int_shape is the shape",
            Aspect.STATIC_SHAPE,
            outputs=("static",),
            test=is_static_shape(shape),
            demands=str(shape),
            at=sampler.shape,
        ),
        *range_checks(sampler, parameters, "values"),
    )


def _seed(sampler: Sampler, seed: int = SEED) -> dict[str, Any]:
    """The seed of a sample; none for a variable."""
    return {"seed": seed} if sampler.draws_again else {}


def _without_figures(sampler: Sampler, checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks. Variables have other numbers in each run, so that theirs show no figures."""
    if sampler.draws_again:
        return tuple(checks)
    return tuple(replace(c, test=chance.without_figures(c.test)) for c in checks)


def called(
    w: ProgramWriter,
    sampler: Sampler,
    shape: Argument,
    parameters: Parameters,
    *,
    keywords: bool = False,
    **others: Argument,
) -> Ref:
    """A call of the function with the parameters of its law, by position or as keywords."""
    if keywords:
        named = dict(zip(sampler.parameters, parameters, strict=True))
        return w.call(sampler.function, shape, **named, **others)
    return w.call(sampler.function, shape, *parameters, **others)


def _dtype_check(sampler: Sampler, dtype: str | None) -> Check:
    wanted = dtype or sampler.default_dtype
    return Check(
        "the dtype is as asked for",
        Aspect.DTYPE,
        outputs=("values",),
        test=has_dtype(wanted),
        demands=wanted,
        at=sampler.dtype,
        conventions=() if dtype or sampler.default_settled else (ConventionName.DEFAULT_DTYPE,),
    )


def range_checks(sampler: Sampler, parameters: Parameters, output: str) -> Iterator[Check]:
    """The check that every number is possible."""
    bounds = sampler.bounds(parameters)
    if sampler.law is None:
        test, demands = chance.takes_only(*_outcomes(parameters)), "0 or 1 in every place"
    elif bounds is not None:
        test, demands = _within(sampler, *bounds)
    else:
        test, demands = chance.within(-1e4, 1e4), "finite numbers"
    yield Check(
        "values are possible",
        Aspect.VALUE,
        outputs=(output,),
        test=test,
        demands=demands,
        at=sampler.values,
        alternatives=_trials(sampler, parameters),
    )


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
    """What a binomial number can be: with the probability 0 or 1, one value only."""
    return (parameters[0],) if parameters[0] in (0, 1) else (0.0, 1.0)


def samples(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """Large samples: positional arguments, keywords in float64, and the defaults."""
    del edition
    first = sampler.examples[0]

    def narrow(w: ProgramWriter) -> Ref:
        return called(w, sampler, SAMPLE, first, **_seed(sampler, OTHER_SEED))

    def wide(w: ProgramWriter) -> Ref:
        return called(w, sampler, SAMPLE, first, keywords=True, dtype="float64", **_seed(sampler))

    listed = [
        large_sample(sampler, first, "a large sample", narrow),
        large_sample(sampler, first, "a large float64 sample", wide),
    ]
    if sampler.default is not None:
        listed.append(
            large_sample(
                sampler,
                sampler.default,
                "a large sample with default parameters",
                lambda w: w.call(sampler.function, SAMPLE, seed=OTHER_SEED),
            )
        )
    return listed


def large_sample(
    sampler: Sampler, parameters: Parameters, title: str, make: Callable[[ProgramWriter], Ref]
) -> Scenario:
    """Many numbers with the parameters of a law, which `make` draws."""
    w = ProgramWriter()
    w.observe("sample", "eval", make(w))
    checks = (*range_checks(sampler, parameters, "sample"), *law_checks(sampler, parameters))
    shown = _without_figures(sampler, checks)
    return Scenario(sampler.function, title, program=w.program(), arrays=w.arrays, checks=shown)


def law_checks(sampler: Sampler, parameters: Parameters) -> Iterator[Check]:
    """The checks that a large sample has the law, and that its numbers are independent."""
    if sampler.law is None:
        p = parameters[0]
        test = chance.occurs(lambda got: got == 1, p, "ones")
        yield _distribution(test, f"1 with probability {p:g}", _trials(sampler, parameters))
        return
    law = sampler.law(*parameters)
    # mean and spread first: a sample in which they are wrong fails the other tests too
    tests = (chance.has_mean(law), chance.has_variance(law), chance.follows(law))
    yield _distribution(chance.first_of(*tests), f"numbers of {law.says}")
    yield Check(
        "neighbours are independent",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=chance.neighbours_are_independent(law.distribution),
        demands="independent numbers",
    )


def _distribution(test: Test, demands: str, alternatives: tuple[Alternative, ...] = ()) -> Check:
    return Check(
        "the distribution",
        Aspect.DISTRIBUTION,
        outputs=("sample",),
        test=test,
        demands=demands,
        alternatives=alternatives,
    )


def seeds(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """Tensors with one seed and with another, in this session and at the start of new ones."""
    del edition
    parameters = (0.5,) if sampler.law is None else sampler.examples[0]
    w = ProgramWriter()

    def draw(output: str, seed: int) -> None:
        made = called(w, sampler, SMALLER, parameters, keywords=True, seed=seed)
        w.observe(output, "eval", made)

    draw_with_seeds(w, draw, restarts=True)
    checks = seed_checks(samples_are_independent(sampler, parameters), restarts=True)
    return [
        Scenario(
            sampler.function,
            "tensors with seeds",
            program=w.program(),
            arrays=w.arrays,
            checks=checks,
        )
    ]


def samples_are_independent(sampler: Sampler, parameters: Parameters) -> Test:
    """The test that two samples are not correlated."""
    if sampler.law is None:
        return chance.are_independent(lambda got: got == 1)
    return chance.are_independent(sampler.law(*parameters).distribution)


def draw_with_seeds(w: ProgramWriter, draw: Callable[[str, int], None], *, restarts: bool) -> None:
    """Write the outputs that `seed_checks` looks at; `draw` writes one of them with a seed.

    `restarts` says whether the edition has `clear_session`. On a target that lacks it the numbers
    are those of the same session.
    """
    for output, seed in (("first", SEED), ("second", SEED), ("other", OTHER_SEED)):
        draw(output, seed)
    if restarts:
        for output, seed in (("anew", SEED), ("other_anew", OTHER_SEED)):
            w.observe(f"session_of_{output}", "clear_session")
            draw(output, seed)


def seed_checks(independence: Test, *, restarts: bool) -> tuple[Check, ...]:
    """Checks of what `draw_with_seeds` has written."""
    others = ("other", "other_anew") if restarts else ("other",)
    return (
        _same_seed(restarts=restarts),
        *(
            Check(
                "another seed gives other numbers",
                Aspect.SEED,
                outputs=("first", other),
                test=chance.of_arrays(chance.other_samples),
                demands="other numbers for another seed",
            )
            for other in others
        ),
        Check(
            "samples with different seeds are independent",
            Aspect.SEED,
            outputs=("first", "other"),
            test=chance.unless_equal(independence),
            demands="independent numbers for another seed",
            conventions=(ConventionName.INDEPENDENT,),
        ),
    )


def _same_seed(*, restarts: bool) -> Check:
    """The same numbers at once; or, where there can be a new session, in that one."""
    name, demands = "the same seed gives the same numbers", "the same numbers for the same seed"
    if not restarts:
        test = chance.of_arrays(chance.equal_samples)
        return Check(name, Aspect.SEED, outputs=("first", "second"), test=test, demands=demands)
    stream = chance.of_arrays(chance.starts_again)
    return Check(
        name,
        Aspect.SEED,
        outputs=("first", "second", "anew"),
        test=chance.of_arrays(lambda first, second, anew: chance.equal_samples(first, second)),  # noqa: ARG005
        demands=demands,
        alternatives=(Alternative(ConventionName.SEED, "stream", stream),),
    )


def evaluations(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """One tensor evaluated twice: other numbers; one variable: the same."""
    del edition
    parameters = (0.5,) if sampler.law is None else sampler.examples[0]
    w = ProgramWriter()
    made = called(w, sampler, SMALLER, parameters)
    w.observe("once", "eval", made)
    w.observe("again", "eval", made)
    check = _drawn_again() if sampler.draws_again else _kept(sampler)
    title = "a tensor evaluated twice" if sampler.draws_again else "a variable read twice"
    return [
        Scenario(sampler.function, title, program=w.program(), arrays=w.arrays, checks=(check,))
    ]


def _drawn_again() -> Check:
    return Check(
        "each evaluation draws new numbers",
        Aspect.DISTRIBUTION,
        outputs=("once", "again"),
        test=chance.of_arrays(chance.other_samples),
        demands="new numbers at each evaluation",
        alternatives=(
            Alternative(
                ConventionName.NEW_NUMBERS, "drawn once", chance.of_arrays(chance.equal_samples)
            ),
        ),
    )


def _kept(sampler: Sampler) -> Check:
    return Check(
        "the variable keeps its numbers",
        Aspect.VALUE,
        outputs=("once", "again"),
        test=chance.of_arrays(chance.equal_samples),
        demands="the same numbers as long as the variable is not changed",
        at=sampler.values,
    )


def integers(sampler: Sampler, edition: Edition) -> Sequence[Scenario]:
    """Numbers in int32: the upper bound of the uniform ones is not among them."""
    del edition
    parameters: Parameters = (0.5,) if sampler.law is None else (0, 4)
    wanted = (0, 1) if sampler.law is None else (0, 1, 2, 3)
    w = ProgramWriter()
    made = called(w, sampler, SMALLER, parameters, keywords=True, dtype="int32", seed=SEED)
    w.observe("values", "eval", made)
    check = Check(
        "every integer below the bound, and no other",
        Aspect.VALUE,
        outputs=("values",),
        test=_takes(*wanted),
        demands=f"each of {wanted} and nothing else",
        at=sampler.values,
        alternatives=_trials(sampler, parameters) if sampler.law is None else (_INCLUDED,),
    )
    title = "a sample of integers"
    return [
        Scenario(
            sampler.function,
            title,
            program=w.program(),
            arrays=w.arrays,
            checks=(check,),
            conventions=(ConventionName.INPUT_DTYPE,),
        )
    ]


def _takes(*wanted: float) -> Test:
    return chance.first_of(chance.takes_only(*wanted), chance.takes_all(*wanted))


_INCLUDED = Alternative(ConventionName.EXCLUSIVE_MAXVAL, "included", _takes(0, 1, 2, 3, 4))


def improbable(edition: Edition) -> Sequence[Scenario]:
    """Probabilities outside the documented interval."""
    del edition
    return [_improbable(p) for p in (1.5, -0.5)]


def _improbable(p: float) -> Scenario:
    w = ProgramWriter()
    w.attempt("answer", "operator.call", _evaluated("draw", "random_binomial", (4,), p))
    check = Check(
        "a probability outside 0 to 1 is refused",
        Aspect.ERROR,
        outputs=("answer",),
        test=raises(),
        demands="an exception",
        at={"ja-2.0": 3233, "ko-2.2": 3470},
        conventions=(ConventionName.INVALID_INPUT,),
    )
    return Scenario(
        "random_binomial", f"p={p}", program=w.program(), arrays=w.arrays, checks=(check,)
    )


def _evaluated(name: str, function: str, *args: Argument) -> Function:
    """A callable that makes a tensor and evaluates it: either may refuse."""
    body = FunctionWriter(name)
    return body.returning(body.call("eval", body.call(function, *args)))


def _families() -> Iterator[Family]:
    small_aspects = frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE})
    for s in SAMPLERS:
        yield _family(s, small_aspects, small)
        yield _family(s, frozenset({Aspect.VALUE, Aspect.DISTRIBUTION}), samples)
        yield _family(s, frozenset({Aspect.SEED}), seeds)
        again = Aspect.DISTRIBUTION if s.draws_again else Aspect.VALUE
        yield _family(s, frozenset({again}), evaluations)
        if s.function in ("random_uniform", "random_binomial"):
            yield _family(s, frozenset({Aspect.VALUE}), integers)
    yield Family("random_binomial", frozenset({Aspect.ERROR}), make=improbable, editions=EDITIONS)


def _family(
    sampler: Sampler,
    aspects: frozenset[Aspect],
    make: Callable[[Sampler, Edition], SearchStrategy[Scenario] | Sequence[Scenario]],
) -> Family:
    return Family(
        sampler.function, aspects, make=lambda edition: make(sampler, edition), editions=EDITIONS
    )


FAMILIES: tuple[Family, ...] = tuple(_families())
