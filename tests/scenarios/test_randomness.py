"""Scenarios of random functions: the reference passes, small errors are found, alarms are rare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.planning.plan import plan
from conformance.engine.planning.profiles import PROFILES
from conformance.reference.numpy_library.kernels import KERNELS
from conformance.results import Aspect
from conformance.scenarios import Check, Family, Problem, Scenario, families_of
from conformance.scenarios.checks import is_static_shape
from conformance.scenarios.randomness import chance, dropout, random_tensors, statistics
from conformance.scenarios.randomness.chance import ByChance
from conformance.scenarios.randomness.samplers import SAMPLERS, Sampler
from conformance.specs import load, load_conventions
from conformance.specs.load import general_claims
from tests.editions import OF_K
from tests.scenarios.in_process import recorded
from tests.scenarios.running import problems, value

"""The editions of K."""

FUNCTIONS = [s.function for s in SAMPLERS] + ["dropout"]
BY_NAME = {s.function: s for s in SAMPLERS}
RIGHT = dict(KERNELS)


def fixed(function: str, edition: Edition = "keras-2.2") -> Iterator[Scenario]:
    """The scenarios that are the same in every run."""
    for family in families_of(function, edition):
        if isinstance(scenarios := family.make(edition), list):
            yield from scenarios


def problems_of(function: str) -> dict[str, Problem]:
    """What all fixed scenarios of a function find in the reference as it is now."""
    return {name: p for scenario in fixed(function) for name, p in problems(scenario).items()}


# The budget.


def rates(edition: Edition) -> list[float]:
    """The rate of every test by chance that one run of the thorough profile makes."""
    tasks = plan(load(), edition, PROFILES["thorough"], 0, select=FUNCTIONS.__contains__)
    scenarios = [
        t.scenario for task in tasks for t in task.trials() if isinstance(t, ScenarioTrial)
    ]
    tests = [check.test for scenario in scenarios for check in scenario.checks]
    return [test.rate for test in tests if isinstance(test, ByChance)]


@pytest.mark.parametrize("edition", OF_K)
def test_all_tests_of_one_run_together_stay_within_the_budget(edition: Edition) -> None:
    chances = rates(edition)
    assert len(chances) >= (6 if edition == "keras-1" else 40)
    assert all(rate >= statistics.RATE for rate in chances)
    assert sum(chances) < statistics.BUDGET / 5  # half of it would do; there is room to grow


def test_no_scenario_that_is_drawn_rests_on_chance() -> None:
    """So the number of tests by chance does not grow with the profile."""
    tests = [c.test for f in FUNCTIONS for s in fixed(f) for c in s.checks]
    assert len(rates("keras-2.2")) == sum(isinstance(test, ByChance) for test in tests)


# Correct implementations.


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_reference_passes(function: str) -> None:
    assert problems_of(function) == {}


CORRECT: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Any]] = {
    "random_uniform": lambda g, n: g.uniform(-2.0, 3.0, n),
    "random_normal": lambda g, n: g.normal(1.0, 2.0, n),
    "random_binomial": lambda g, n: g.binomial(1, 0.3, n).astype("float64"),
    "truncated_normal": lambda g, n: 1 + 2 * rejected(g, n),
}


def rejected(generator: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Standard normal numbers below 2 in magnitude, by rejection of all others."""
    numbers = generator.normal(size=2 * int(np.prod(shape)))
    return numbers[np.abs(numbers) <= 2][: int(np.prod(shape))].reshape(shape)


def sample_checks(function: str) -> tuple[Check, ...]:
    """The checks of the large sample with the first example's parameters."""
    return recorded(random_tensors.samples, function, "a large sample").checks


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", CORRECT)
def test_no_alarm_for_numpy_s_own_generators(function: str, dtype: str) -> None:
    generator = np.random.default_rng(3)
    for _ in range(25):
        sample = CORRECT[function](generator, random_tensors.SAMPLE).astype(dtype)
        assert failures(function, sample) == {}


def failures(function: str, sample: Any) -> dict[str, Problem]:
    """What the checks find in a large sample."""
    tested = {c.name: c.test((value(sample),)) for c in sample_checks(function)}
    return {name: problem for name, problem in tested.items() if problem is not None}


# Wrong samples. Each is found with a margin of more than four standard deviations, measured over
# repetitions: the probability of a miss is far below 0.001.

WRONG: dict[str, tuple[str, Callable[[np.random.Generator, tuple[int, ...]], Any]]] = {
    "stddev 2 % large": ("random_normal", lambda g, n: g.normal(1.0, 2.04, n)),
    "stddev 2 % small": ("random_normal", lambda g, n: g.normal(1.0, 1.96, n)),
    "mean off": ("random_normal", lambda g, n: g.normal(1.06, 2.0, n)),
    "narrow": ("random_uniform", lambda g, n: g.uniform(-1.95, 2.95, n)),
    "cut, narrow": ("truncated_normal", lambda g, n: 1 + 1.96 * rejected(g, n)),
}


@pytest.mark.parametrize("mutant", WRONG)
def test_a_small_error_of_a_parameter_is_found_with_certainty(mutant: str) -> None:
    function, make = WRONG[mutant]
    law = law_of(BY_NAME[function])
    generator = np.random.default_rng(5)
    margins = []
    for _ in range(20):
        sample = make(generator, random_tensors.SAMPLE)
        margins.append(margin(law, sample))
        assert set(failures(function, sample)) == {"the distribution"}
    assert np.mean(margins) - 4 * np.std(margins) > 1


def law_of(sampler: Sampler) -> statistics.Law:
    """The law of the first example."""
    assert sampler.law is not None
    return sampler.law(*sampler.examples[0])


def margin(law: statistics.Law, sample: Any) -> float:
    """How many times the bound of its statistic the most telling statistic reaches."""
    n = sample.size
    square = float(np.mean(np.square(sample - law.mean)))
    return max(
        abs(float(sample.mean()) - law.mean) / statistics.mean_bound(law, n),
        abs(square - law.variance) / statistics.variance_bound(law, n),
        statistics.distance(sample, law) / statistics.distance_bound(n),
    )


@pytest.mark.parametrize("shift", [-0.012, 0.012])
def test_a_probability_that_is_off_is_found_with_certainty(shift: float) -> None:
    """The count of the mutant lies more than four standard deviations outside the limits."""
    n, p = int(np.prod(random_tensors.SAMPLE)), 0.3
    deviation = np.sqrt(n * (p + shift) * (1 - p - shift))
    nearest = int(n * (p + shift) - np.sign(shift) * 4 * deviation)
    assert not statistics.count_is_possible(nearest, n, p)


# Wrong implementations: the reference with other kernels.


def wrong_normal(**changed: float) -> Callable[..., Any]:
    """Normal numbers with other moments."""

    def kernel(shape: Any, dtype: str, mean: float, stddev: float, stream: Any) -> Any:
        mean, stddev = changed.get("mean", mean), stddev * changed.get("factor", 1)
        return RIGHT["random_normal"](shape, dtype, mean, stddev, stream)

    return kernel


def repeated(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Every number twice."""

    def called(shape: Any, dtype: str, **others: Any) -> Any:
        half = kernel(shape=shape, dtype=dtype, **others).ravel()[: int(np.prod(shape)) // 2]
        return (
            np.repeat(half, 2).reshape(shape)
            if half.size
            else kernel(shape=shape, dtype=dtype, **others)
        )

    return called


def unseeded(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The seed is ignored."""

    def called(*args: Any, stream: Any, **others: Any) -> Any:
        stream.seed = None
        return kernel(*args, stream=stream, **others)

    return called


def one_seed(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Every seed is the same seed."""

    def called(*args: Any, stream: Any, **others: Any) -> Any:
        stream.seed = 1
        return kernel(*args, stream=stream, **others)

    return called


def starting_again(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Each evaluation gives the first numbers again."""

    def called(*args: Any, stream: Any, **others: Any) -> Any:
        if stream.seed is None:
            stream.seed = 5
        stream.generator = None
        return kernel(*args, stream=stream, **others)

    return called


def clipped(shape: Any, dtype: str, mean: float, stddev: float, stream: Any) -> Any:
    """Numbers too far out are moved to the bound, not drawn again."""
    numbers = RIGHT["random_normal"](shape, "float64", mean, stddev, stream)
    return np.clip(numbers, mean - 2 * stddev, mean + 2 * stddev).astype(dtype)


def swapped(shape: Any, dtype: str, low: float, high: float, stream: Any) -> Any:
    """The bounds are those of the negated numbers."""
    return RIGHT["random_uniform"](shape, dtype, -high, -low, stream)


def inclusive(shape: Any, dtype: str, low: float, high: float, stream: Any) -> Any:
    """The upper bound of integers is drawn."""
    more = 0 if dtype.startswith("float") else 1
    return RIGHT["random_uniform"](shape, dtype, low, high + more, stream)


def other_p(change: Callable[[float], float]) -> Callable[..., Any]:
    """Another probability."""
    return lambda shape, dtype, p, stream: RIGHT["random_binomial"](shape, dtype, change(p), stream)


def two_trials(shape: Any, dtype: str, p: float, stream: Any) -> Any:
    """The number of successes in two trials."""
    draw = RIGHT["random_binomial"]
    return draw(shape, dtype, p, stream) + draw(shape, dtype, p, stream)


def other_flags(change: Callable[[float], float]) -> Callable[..., Any]:
    """Another proportion is kept."""
    return lambda dimensions, p, stream: RIGHT["random_flags"](dimensions, change(p), stream)


def flags_of_rows(dimensions: Any, p: float, stream: Any) -> Any:
    """Whole rows are kept or dropped."""
    flags = RIGHT["random_flags"](dimensions, p, stream)
    return np.broadcast_to(flags[..., :1], flags.shape) if flags.ndim else flags


def unscaled(x: Any, flags: Any, level: float) -> Any:
    """What is kept is left as it is."""
    del level
    return RIGHT["dropout"](x, flags, 0.0)


DISTRIBUTION, POSSIBLE = "the distribution", "values are possible"
SAME, ANOTHER = "the same seed gives the same numbers", "another seed gives other numbers"
NEIGHBOURS = "neighbours are independent"
AGAIN = "each evaluation draws new numbers"

MUTANTS: tuple[tuple[str, str, str, Callable[..., Any], str], ...] = (
    ("stddev 2 % off", "random_normal", "random_normal", wrong_normal(factor=1.02), DISTRIBUTION),
    ("mean ignored", "random_normal", "random_normal", wrong_normal(mean=0.0), DISTRIBUTION),
    (
        "scale 2 % off",
        "random_normal_variable",
        "random_normal",
        wrong_normal(factor=0.98),
        DISTRIBUTION,
    ),
    ("doubled", "random_normal", "random_normal", repeated(RIGHT["random_normal"]), NEIGHBOURS),
    ("untruncated", "truncated_normal", "truncated_normal", RIGHT["random_normal"], POSSIBLE),
    ("clipped", "truncated_normal", "truncated_normal", clipped, DISTRIBUTION),
    ("swapped", "random_uniform", "random_uniform", swapped, POSSIBLE),
    ("swapped", "random_uniform_variable", "random_uniform", swapped, POSSIBLE),
    (
        "inclusive",
        "random_uniform",
        "random_uniform",
        inclusive,
        "every integer below the bound, and no other",
    ),
    ("1 - p", "random_binomial", "random_binomial", other_p(lambda p: 1 - p), DISTRIBUTION),
    ("p off", "random_binomial", "random_binomial", other_p(lambda p: 0.95 * p), DISTRIBUTION),
    ("two trials", "random_binomial", "random_binomial", two_trials, POSSIBLE),
    *(
        ("seed ignored", f, f, unseeded(RIGHT[f]), SAME)
        for f in ("random_normal", "random_uniform", "random_binomial", "truncated_normal")
    ),
    (
        "seed ignored",
        "random_uniform_variable",
        "random_uniform",
        unseeded(RIGHT["random_uniform"]),
        SAME,
    ),
    ("one seed", "random_uniform", "random_uniform", one_seed(RIGHT["random_uniform"]), ANOTHER),
    (
        "no new numbers",
        "random_normal",
        "random_normal",
        starting_again(RIGHT["random_normal"]),
        AGAIN,
    ),
    (
        "level 1 - level",
        "dropout",
        "random_flags",
        other_flags(lambda p: 1 - p),
        "the proportion of zeros",
    ),
    (
        "level 3 % off",
        "dropout",
        "random_flags",
        other_flags(lambda p: 1 - 1.03 * (1 - p)),
        "the proportion of zeros",
    ),
    ("rows", "dropout", "random_flags", flags_of_rows, "neighbours are dropped independently"),
    ("seed ignored", "dropout", "random_flags", unseeded(RIGHT["random_flags"]), SAME),
    (
        "no new flags",
        "dropout",
        "random_flags",
        starting_again(RIGHT["random_flags"]),
        "each evaluation drops other elements",
    ),
)


@pytest.mark.parametrize(
    ("function", "kernel", "wrong", "check"),
    [m[1:] for m in MUTANTS],
    ids=[f"{m[1]}-{m[0]}" for m in MUTANTS],
)
def test_a_wrong_implementation_is_found(
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    kernel: str,
    wrong: Callable[..., Any],
    check: str,
) -> None:
    monkeypatch.setitem(KERNELS, kernel, wrong)
    for _ in range(3):
        assert check in problems_of(function)


def test_one_cause_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong mean is no dependence, although it moves all numbers to one side."""
    monkeypatch.setitem(KERNELS, "random_normal", wrong_normal(mean=-9.0))
    assert set(problems_of("random_normal")) == {DISTRIBUTION}


# Dropout of given elements.


def scaling(level: float, dtype: str, factor: float, *, both: bool = False) -> Problem | None:
    """What is said of elements of which every third is dropped and the rest multiplied."""
    x = np.linspace(1, 5, 60).astype(dtype)
    got = x * np.asarray(factor, dtype)
    got[::3] = 0
    if both:
        got[1] = x[1]
    return dropout.is_dropped_or_kept(x, level)((value(got.astype(dtype)),))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("level", dropout.LEVELS)
def test_dropout_scales_by_one_factor(level: float, dtype: str) -> None:
    assert scaling(level, dtype, 1 / (1 - level)) is None


def test_another_factor_rests_on_a_convention_and_two_factors_do_not() -> None:
    unscaled_problem = scaling(0.5, "float32", 1.0)
    assert unscaled_problem is not None
    assert unscaled_problem.conventions == ("dropout-scale",)
    coarse = scaling(0.3, "float64", float(np.float32(1 / 0.7)))
    assert coarse is not None
    assert coarse.conventions == ("accuracy",)
    two = scaling(0.5, "float32", 2.0, both=True)
    assert two is not None
    assert two.conventions == ()
    negative = scaling(0.5, "float32", -2.0)
    assert negative is not None
    assert negative.conventions == ()


def test_unscaled_dropout_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KERNELS, "dropout", unscaled)
    scenario = recorded(dropout.small, "dropout", (3, 4), 0.5, "float32", 1)
    assert set(problems(scenario)) <= {"each element is dropped or kept"}
    violations = [
        problems(recorded(dropout.small, "dropout", (4, 4), 0.5, "float32", seed))
        for seed in range(20)
    ]
    assert all(violations)


@pytest.mark.parametrize("noise", [((4, 5), (4, 1)), ((4, 5), (1, 5))])
def test_flags_that_are_not_shared_are_found(noise: tuple[tuple[int, ...], ...]) -> None:
    shape, flags = noise
    axis = flags.index(1)
    test = dropout.are_constant(axis)
    generator = np.random.default_rng(0)
    shared = np.broadcast_to(generator.random(flags) < 0.5, shape).astype("float32")
    assert test((value(shared),)) is None
    assert test((value(1 - np.eye(4, 5, dtype="float32")),)) is not None


# Static shapes.


@pytest.mark.parametrize(
    ("shape", "conventions"),
    [
        ((2, 3), None),
        ((2, None), ("precise-static-shape",)),
        (None, ("precise-static-shape",)),
        ((2, 4), ()),
        ((2,), ()),
        ((2, 3, 1), ()),
    ],
)
def test_a_static_shape_that_is_unknown_diverges(
    shape: Any, conventions: tuple[str, ...] | None
) -> None:
    parts = [None] if shape is None else list(shape)
    problem = is_static_shape((2, 3))(tuple(value(p) for p in parts))
    assert (None if problem is None else problem.conventions) == conventions


# The families.


def all_families() -> list[Family]:
    return [*random_tensors.FAMILIES, *dropout.FAMILIES]


def test_conventions_and_lines_are_known() -> None:
    specs, conventions = load(), set(load_conventions())
    for function in FUNCTIONS:
        documents = set(specs[function].signatures)
        for edition in specs[function].editions:
            for scenario in fixed(function, edition):
                assert set(scenario.conventions) <= conventions
                for check in scenario.checks:
                    assert set(check.conventions) <= conventions
                    assert set(check.at) <= documents


def test_aspects_are_those_of_the_checks() -> None:
    for family in all_families():
        for edition in family.editions:
            scenarios = family.make(edition)
            if isinstance(scenarios, list):
                assert {c.aspect for s in scenarios for c in s.checks} == family.aspects


def test_every_aspect_of_a_check_has_a_claim_or_a_line() -> None:
    for name in FUNCTIONS:
        spec = load()[name]
        claimed = {Aspect(c.aspect) for c in (*spec.claims, *general_claims())}
        for scenario in fixed(name):
            assert all(c.at or c.conventions or c.aspect in claimed for c in scenario.checks)


def test_a_test_of_a_sample_says_what_is_no_sample() -> None:
    test = chance.follows(statistics.normal(0, 1))
    for wrong in (np.zeros(3, "int32"), np.array([np.nan]), np.zeros((0, 2))):
        assert test((value(wrong),)) is not None


def test_the_seed_is_not_to_blame_for_what_is_not_random() -> None:
    ones, mixed = np.ones((4, 5)), np.arange(20.0).reshape(4, 5)
    constant = chance.other_samples(ones, ones)
    assert constant is not None
    assert constant.unmade
    same = chance.other_samples(mixed, mixed)
    assert same is not None
    assert not same.unmade
    assert chance.other_samples(ones, mixed) is None
