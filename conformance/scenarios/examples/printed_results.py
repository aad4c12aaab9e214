"""The documents' own examples: each printed result is one check of its own program.

The program holds the lines before the result, without those whose results are other checks. If a
document prints the text of a TensorFlow tensor, the check compares shape and dtype; for random
numbers it compares shape, dtype and range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial, singledispatch

import numpy as np

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.checks import Array, Test, of_array
from conformance.scenarios.examples.programs import ExampleProgram
from conformance.scenarios.model import Family, Problem, Scenario, Setup, Values
from conformance.scenarios.randomness.chance import first_of, without_figures
from conformance.scenarios.recorder import Recorder
from conformance.specs import Document
from conformance.specs.examples import (
    Elements,
    Example,
    ExampleOutcome,
    ExampleProcess,
    ExampleResult,
    Filled,
    InDtype,
    Name,
    OfShape,
    Prose,
    Raises,
    Same,
    Sample,
    ShownValue,
    TensorOf,
    load_examples,
)

DOCUMENT: dict[Edition, Document] = {
    "keras-1": "ja-1",
    "keras-2.0": "ja-2.0",
    "keras-2.2": "ko-2.2",
}
"""The document whose examples bind an edition; zh-TW prints no others."""
OWN = "{backend}"


def scenarios(function: str, edition: Edition) -> list[Scenario]:
    """One scenario for each printed result of a function in an edition."""
    return [_scenario(function, edition, *result) for result in _results_of(function, edition)]


def _results_of(function: str, edition: Edition) -> list[tuple[Example, ExampleResult]]:
    results = _results().get(function, ())
    return [(example, shown) for example, shown in results if DOCUMENT[edition] in shown.at]


@cache
def _results() -> dict[str, list[tuple[Example, ExampleResult]]]:
    """The printed results of each function."""
    results: dict[str, list[tuple[Example, ExampleResult]]] = {}
    for example in load_examples():
        for shown in example.shown:
            if (function := function_of(example, shown)) is not None:
                results.setdefault(function, []).append((example, shown))
    return results


def function_of(example: Example, shown: ExampleResult) -> str | None:
    """The function whose example a result is; None if nothing can be checked."""
    return None if isinstance(shown.gives, Prose) else shown.function or example.function


def _scenario(function: str, edition: Edition, example: Example, shown: ExampleResult) -> Scenario:
    K = Recorder(function, edition, f"the documents' example {example.id}", Aspect.EXAMPLE)
    p = ExampleProgram(K)
    for statement in example.before(shown):
        p.run(statement.code, statement.line)
    outputs = _outputs(p, shown)
    test, demands = _demanded(p, shown.gives)
    at = {str(document): line for document, line in shown.at.items()}
    K.expect(f"{shown.id}: {shown.show}", outputs, test, demands, at=at)
    K.conventions, K.setup = example.conventions, _setup(example.configuration)
    return K.scenario()


def _setup(configuration: ExampleProcess | None) -> Setup | None:
    if configuration is None:
        return None
    return Setup(
        configuration.file, environment={"KERAS_BACKEND": OWN} if configuration.backend else {}
    )


def _outputs(p: ExampleProgram, shown: ExampleResult) -> tuple[str, ...]:
    """Add the expression to the program, and return the names of the outputs to compare."""
    if isinstance(shown.gives, Raises):
        return (p.attempted(shown.show, shown.line),)
    name = p.observed(shown.show, shown.line)
    if not isinstance(shown.gives, TensorOf):
        return (name,)
    asked = ("int_shape", "dtype") if shown.gives.dtypes else ("int_shape",)
    return tuple(p.asked(function, name) for function in asked)


def _demanded(p: ExampleProgram, gives: ExampleOutcome) -> tuple[Test, str]:
    if isinstance(gives, Same):
        return checks.is_array(p.array(gives.array)), f"the numbers of {gives.array}"
    return demanded(gives)


@singledispatch
def demanded(gives: ExampleOutcome) -> tuple[Test, str]:
    """The test of an outcome, and its demand in words.

    Raises:
        TypeError: the suite cannot test such an outcome.
    """
    raise TypeError(f"{type(gives).__name__} is no outcome that can be tested")


@demanded.register
def _(gives: ShownValue) -> tuple[Test, str]:
    expected = [tuple(v) if isinstance(v, list) else v for v in gives.any_of]
    return checks.is_one_of(*expected), " or ".join(map(repr, expected))


@demanded.register(Name)
def _(_: Name) -> tuple[Test, str]:
    return _is_name, "a name"


@demanded.register
def _(gives: Elements) -> tuple[Test, str]:
    expected = np.array(gives.elements)
    test = first_of(checks.is_array(expected), *_of_dtype(gives.dtypes))
    return test, checks.shown(expected) + _in_dtypes(gives.dtypes)


@demanded.register
def _(gives: Filled) -> tuple[Test, str]:
    expected = np.full(gives.shape, gives.element)
    test = first_of(checks.is_array(expected), *_of_dtype(gives.dtypes))
    return test, f"{gives.element:g} everywhere, shape {gives.shape}" + _in_dtypes(gives.dtypes)


@demanded.register
def _(gives: InDtype) -> tuple[Test, str]:
    return checks.has_dtype(*gives.dtypes), " or ".join(gives.dtypes)


@demanded.register
def _(gives: OfShape) -> tuple[Test, str]:
    return without_figures(checks.has_shape(gives.shape)), f"shape {gives.shape}"


@demanded.register
def _(gives: Sample) -> tuple[Test, str]:
    within = of_array(partial(_within, gives.low, gives.high))
    test = first_of(checks.has_shape(gives.shape), *_of_dtype(gives.dtypes), within)
    bounds = "" if gives.low is None else f" from {gives.low:g} to {gives.high:g}"
    return without_figures(test), f"finite numbers{bounds}, shape {gives.shape}" + _in_dtypes(
        gives.dtypes
    )


@demanded.register
def _(gives: TensorOf) -> tuple[Test, str]:
    has_shape, demands = checks.is_static_shape(gives.shape), f"a tensor of shape {gives.shape}"
    if not gives.dtypes:
        return has_shape, demands
    test = partial(_is_tensor, has_shape, checks.is_one_of(*gives.dtypes))
    return test, demands + _in_dtypes(gives.dtypes)


@demanded.register
def _(gives: Raises) -> tuple[Test, str]:
    return checks.raises(gives.exception), gives.exception


def _of_dtype(dtypes: Sequence[str]) -> list[Test]:
    """The test of a dtype, where the documents print one."""
    return [checks.has_dtype(*dtypes)] if dtypes else []


def _in_dtypes(dtypes: Sequence[str]) -> str:
    return f" in {' or '.join(dtypes)}" if dtypes else ""


def _is_name(values: Values) -> Problem | None:
    name = checks.plain(values)
    named = isinstance(name, str) and name != ""
    return None if named else Problem(f"gives {name!r}", "no name", got=repr(name))


def _within(low: float | None, high: float | None, got: Array) -> Problem | None:
    """Every number is finite and lies between the bounds, or on them."""
    if got.dtype.kind not in "f" or not np.isfinite(got).all():
        return Problem("gives numbers that are not all finite", "not finite")
    above, below = low is None or (got >= low).all(), high is None or (got <= high).all()
    return None if above and below else Problem("gives numbers out of range", "out of range")


def _is_tensor(has_shape: Test, has_dtype: Test, shape: Values, dtype: Values) -> Problem | None:
    """The problem of the dtype before that of the shape, which may only be imprecise."""
    return checks.of_last(has_dtype(dtype)) or has_shape(shape)


def _families() -> Iterator[Family]:
    for function in _results():
        editions = tuple(edition for edition in DOCUMENT if _results_of(function, edition))
        make = partial(scenarios, function)
        yield Family(function, frozenset({Aspect.EXAMPLE}), make=make, editions=editions)


FAMILIES: tuple[Family, ...] = tuple(_families())
