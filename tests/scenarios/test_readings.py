"""Readings: an answer that one allows diverges by its name; a wrong answer beside it violates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis.strategies import SearchStrategy

import conformance.reference as K  # noqa: N812
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.reference.symbolic.graph import Tensor
from conformance.results import Aspect, Verdict
from conformance.scenarios import Scenario, families_of
from conformance.scenarios.checks import OTHER_DTYPES
from conformance.scenarios.model import Alternative
from conformance.scenarios.randomness import dropout
from conformance.specs import load_conventions
from tests.editions import OF_K
from tests.scenarios.in_process import findings, module, recorded

Make = Callable[[], SimpleNamespace]
Numbers = Callable[..., Any]


def fixed(function: str, edition: Edition) -> Iterator[Scenario]:
    """The scenarios of a function that are always the same and need no layers."""
    for family in families_of(function, edition):
        scenarios = family.make(edition)
        for scenario in () if isinstance(scenarios, SearchStrategy) else scenarios:
            needs_layers = any("keras." in step.function for step in scenario.program.steps)
            example = any(check.aspect is Aspect.EXAMPLE for check in scenario.checks)
            if scenario.setup is None and not needs_layers and not example:
                yield scenario


def findings_of(function: str, make: Make, edition: Edition = "keras-2.2") -> list[Finding]:
    """What the fixed scenarios find."""
    seen = []
    for scenario in fixed(function, edition):
        _reset()
        seen += findings(scenario, make())
    _reset()  # other tests share the process
    return seen


def _reset() -> None:
    K.set_floatx("float32")
    K.set_epsilon(1e-07)
    K.set_image_data_format("channels_last")


class Streams:
    """Random numbers of a stream for each seed."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.streams: dict[Any, np.random.Generator] = {}

    def draw(
        self, shape: Any, *args: Any, seed: Any = None, dtype: Any = None, **others: Any
    ) -> Any:
        """A tensor with the next numbers."""
        stream = self.streams.setdefault(seed, np.random.default_rng(seed))
        numbers = np.asarray(
            self.numbers(stream, tuple(shape), *args, **others), dtype or "float32"
        )
        return K.variable(numbers, numbers.dtype.name)

    def clear(self) -> None:
        """A new session."""
        K.clear_session()
        self.streams.clear()


def streaming(function: str, numbers: Numbers, *, clears: bool = True, alike: bool = False) -> Make:
    """A module with a function that draws from streams."""

    def make() -> SimpleNamespace:
        streams = Streams(numbers)

        def draw(*args: Any, seed: Any = None, **others: Any) -> Any:
            return streams.draw(*args, seed=1 if alike else seed, **others)

        changed = {"clear_session": streams.clear} if clears else {}
        return module(**{function: draw}, **changed)

    return make


def successes(trials: int, weight: float = 1.0) -> Callable[..., Any]:
    """Numbers of successes, times a factor."""

    def draw(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
        if not 0 <= p <= 1:
            raise ValueError("p")
        numbers = np.random.default_rng(seed).binomial(trials, p, shape) * weight
        return K.variable(numbers.astype(dtype or "float32"), dtype or "float32")

    return draw


def integers(low_more: int, high_more: int) -> Callable[..., Any]:
    """Uniform integers with other bounds."""

    def draw(
        shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
    ) -> Any:
        if dtype != "int32":
            return K.random_uniform(shape, minval, maxval, dtype, seed)
        generator = np.random.default_rng(seed)
        numbers = generator.integers(minval + low_more, maxval + high_more, shape)
        return K.variable(numbers.astype("int32"), "int32")

    return draw


def loss_of(small: float, large: float) -> Callable[..., Any]:
    """A loss that has one of two values: for the default epsilons up to 1e-3, and above."""
    return lambda target, output: K.variable([small if K.epsilon() < 1e-3 else large] * 2)


def ones_in(dtype: str) -> Callable[..., Any]:
    return lambda shape: K.variable(np.zeros(shape), dtype)


def is_tensor_but(excluded: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, Tensor) and not excluded(x)


def gradients_if(allowed: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def gradients(loss: Any, variables: Any) -> Any:
        if not allowed(loss, variables):
            raise TypeError("no such gradients")
        return K.gradients(loss, variables)

    return gradients


def all_variables(_: Any, variables: Any) -> bool:
    return all(type(v).__name__ == "Variable" for v in variables)


def printed_twice(x: Any, message: str = "") -> Any:
    return K.print_tensor(K.print_tensor(x, message), message)


def uncast(x: Any, dtype: str) -> Any:
    return x if dtype not in ("float16", "float32", "float64") else K.cast(x, dtype)


def normal(
    generator: np.random.Generator, shape: tuple[int, ...], mean: float = 0.0, stddev: float = 1.0
) -> Any:
    return generator.normal(mean, stddev, shape)


ALLOWED: dict[str, tuple[str, Make]] = {
    "seed: stream": ("random_normal", streaming("random_normal", normal)),
    "new-numbers: drawn once": ("random_normal", streaming("random_normal", normal)),
    "one-trial: several trials": (
        "random_binomial",
        lambda: module(random_binomial=successes(3)),
    ),
    "exclusive-maxval: included": (
        "random_uniform",
        lambda: module(random_uniform=integers(0, 1)),
    ),
    "epsilon-in-losses: a constant": (
        "set_epsilon",
        lambda: module(binary_crossentropy=loss_of(16.0, 16.0)),
    ),
    "default-dtype: float32": ("set_floatx", lambda: module(zeros=ones_in("float32"))),
    "kinds-of-tensors: constants are not": (
        "is_tensor",
        lambda: module(is_tensor=is_tensor_but(lambda x: x.operation == "constant")),
    ),
    "kinds-of-tensors: variables are not": (
        "is_tensor",
        lambda: module(is_tensor=is_tensor_but(lambda x: type(x).__name__ == "Variable")),
    ),
    "cast-to-others: not cast": ("cast", lambda: module(cast=uncast)),
    "gradient-of-sum: refused": (
        "gradients",
        lambda: module(gradients=gradients_if(lambda loss, _: loss.shape == ())),
    ),
    "gradient-of-tensors: refused": (
        "gradients",
        lambda: module(gradients=gradients_if(all_variables)),
    ),
}
"""An answer for each reading: the function, and a module that takes the reading."""

WRONG: dict[str, tuple[str, Make]] = {
    "a seed that is ignored": (
        "random_normal",
        streaming("random_normal", normal, clears=False),
    ),
    "one seed for all": ("random_normal", streaming("random_normal", normal, alike=True)),
    "successes that count double": (
        "random_binomial",
        lambda: module(random_binomial=successes(1, 2.0)),
    ),
    "halves": ("random_binomial", lambda: module(random_binomial=successes(2, 0.5))),
    "the lower bound excluded": (
        "random_uniform",
        lambda: module(random_uniform=integers(1, 1)),
    ),
    "an infinite loss": ("set_epsilon", lambda: module(binary_crossentropy=loss_of(np.inf, 5.0))),
    "a loss that grows": ("set_epsilon", lambda: module(binary_crossentropy=loss_of(5.0, 16.0))),
    "float16 for float64": ("set_floatx", lambda: module(zeros=ones_in("float16"))),
    "another format": (
        "set_image_data_format",
        lambda: module(
            bias_add=lambda x, b, data_format="channels_last": K.bias_add(x, b, data_format)
        ),
    ),
    "nothing is a tensor": ("is_tensor", lambda: module(is_tensor=lambda _: False)),
    "a cast that rounds": (
        "cast",
        lambda: module(cast=lambda x, dtype: K.cast(K.round(x), dtype)),
    ),
    "the gradient of a mean": (
        "gradients",
        lambda: module(gradients=lambda loss, variables: K.gradients(K.mean(loss), variables)),
    ),
}
"""Answers that no reading allows: the function, and a module that has it wrong."""


@pytest.mark.parametrize("reading", ALLOWED)
def test_an_answer_of_another_reading_diverges_by_its_name(reading: str) -> None:
    function, make = ALLOWED[reading]
    seen = findings_of(function, make)
    assert reading in {taken for f in seen for taken in f.readings}
    assert not [f for f in seen if f.verdict is Verdict.VIOLATES]


@pytest.mark.parametrize("wrong", WRONG)
def test_an_answer_of_no_reading_violates(wrong: str) -> None:
    function, make = WRONG[wrong]
    assert Verdict.VIOLATES in {f.verdict for f in findings_of(function, make)}


@pytest.mark.parametrize("edition", OF_K)
def test_dropout_that_ignores_its_seed_or_its_scale_violates(edition: Edition) -> None:
    def seedless(x: Any, level: float, *_: Any, **__: Any) -> Any:
        return K.dropout(x, level)

    seen = findings_of("dropout", lambda: module(dropout=seedless), edition)
    assert "the same seed gives the same numbers" in {
        f.kind for f in seen if f.verdict is Verdict.VIOLATES
    }


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_dropout_with_another_factor_violates(factor: float) -> None:
    def scaled(x: Any, level: float, *_: Any, seed: Any = None, **__: Any) -> Any:
        return K.dropout(x, level, seed=seed) * (factor * (1 - level))

    scenario = recorded(dropout.small, "dropout", (4, 5), 0.5, "float32", 1)
    assert not findings(scenario, module())
    (finding,) = findings(scenario, module(dropout=scaled))
    assert finding.verdict is Verdict.VIOLATES
    assert finding.open_points == ("dropout-scale",)


@pytest.mark.parametrize(
    ("dtype", "readings"), [("float32", ("result-dtype: float32",)), ("int8", ())]
)
def test_another_dtype_is_one_of_the_listed(dtype: str, readings: tuple[str, ...]) -> None:
    def cast(x: Any, *args: Any, **others: Any) -> Any:
        return K.cast(K.dropout(x, *args, **others), dtype)

    scenario = recorded(dropout.small, "dropout", (4, 5), 0.0, "float64", 1)
    seen = [f for f in findings(scenario, module(dropout=cast)) if f.aspect is Aspect.DTYPE]
    assert [f.readings for f in seen] == [readings]
    assert {f.verdict for f in seen} == {Verdict.DIVERGES if readings else Verdict.VIOLATES}


def test_a_message_that_is_printed_twice_diverges(capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():
        seen = findings_of("print_tensor", lambda: module(print_tensor=printed_twice))
    assert {f.readings for f in seen} == {("printed-once: repeated",)}
    assert {f.verdict for f in seen} == {Verdict.DIVERGES}


def test_every_alternative_is_a_reading_that_is_listed() -> None:
    variants = {(c.name, r.name) for c in load_conventions().values() for r in c.variants}
    for alternative in alternatives():
        assert (alternative.convention, alternative.reading) in variants


def alternatives() -> Iterator[Alternative]:
    """Those of all fixed scenarios of the functions above."""
    yield from OTHER_DTYPES
    for function in {function for function, _ in ALLOWED.values()}:
        for scenario in fixed(function, "keras-2.2"):
            for check in scenario.checks:
                yield from check.alternatives
