"""The documents' own examples: each printed result is one check of its own program.

The program holds the lines before the result, without those whose results are other checks. What a
document prints as the text of a TensorFlow tensor is compared in shape and dtype, random numbers in
shape, dtype and range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, singledispatch

import numpy as np

from conformance.program import Program
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.chance import first_of, of_array
from conformance.scenarios.checks import Array, Test
from conformance.scenarios.example_programs import ExampleProgram
from conformance.scenarios.model import Check, Family, Problem, Scenario, Setup, Values
from conformance.scenarios.randomness import is_static_shape
from conformance.specs.examples import (
    Configuration,
    Elements,
    Example,
    Filled,
    InDtype,
    Name,
    OfShape,
    Outcome,
    Prose,
    Raises,
    Same,
    Sample,
    Shown,
    TensorOf,
    Value,
    load_examples,
)

DOCUMENT = {"keras-1": "ja-1", "keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}
"""The document whose examples an edition is held to; zh-TW prints none that these do not."""
OWN = "{backend}"

Tested = tuple[tuple[str, ...], Test, str]
"""Outputs, the test of what they gave, and what it demands in words."""


def scenarios(function: str, edition: str) -> list[Scenario]:
    """One scenario for each printed result of a function in an edition."""
    return [_scenario(example, shown) for example, shown in _of(function, edition)]


def _of(function: str, edition: str) -> Iterator[tuple[Example, Shown]]:
    for example in load_examples():
        for shown in example.shown:
            if tested_function(example, shown) == function and DOCUMENT[edition] in shown.at:
                yield example, shown


def tested_function(example: Example, shown: Shown) -> str | None:
    """The function whose example a result is; None if nothing can be checked."""
    return None if isinstance(shown.gives, Prose) else shown.function or example.function


def _scenario(example: Example, shown: Shown) -> Scenario:
    written, check = translated(example, shown)
    program, arrays = written
    function = tested_function(example, shown) or ""
    title = f"example {example.id}"
    return Scenario(function, title, program, arrays, (check,), setup=_setup(example.configuration))


def translated(example: Example, shown: Shown) -> tuple[tuple[Program, dict[str, Array]], Check]:
    """The program of a printed result with its arrays, and its check; ExampleError with a line."""
    p = ExampleProgram()
    for statement in example.before(shown):
        p.run(statement.code, statement.line)
    outputs, test, demands = tested(shown.gives, p, shown)
    at = {str(document): line for document, line in shown.at.items()}
    name = f"{shown.id}: {shown.show}"
    check = Check(name, Aspect.EXAMPLE, outputs, test, demands, at)
    return (p.program(*outputs), p.arrays), check


def _setup(configuration: Configuration | None) -> Setup | None:
    if configuration is None:
        return None
    return Setup(configuration.file, {"KERAS_BACKEND": OWN} if configuration.backend else {})


@singledispatch
def tested(gives: Outcome, p: ExampleProgram, shown: Shown) -> Tested:
    """Add the expression to the program, with a test of what it gives."""
    raise TypeError(f"{type(gives).__name__} is no outcome that can be tested")


@tested.register
def _(gives: Value, p: ExampleProgram, shown: Shown) -> Tested:
    wanted = [tuple(v) if isinstance(v, list) else v for v in gives.any_of]
    said = " or ".join(map(repr, wanted))
    return (p.observed(shown.show, shown.line),), checks.is_one_of(*wanted), said


@tested.register
def _(gives: Name, p: ExampleProgram, shown: Shown) -> Tested:
    return (p.observed(shown.show, shown.line),), _is_name, "a name"


@tested.register
def _(gives: Elements, p: ExampleProgram, shown: Shown) -> Tested:
    return _array(np.array(gives.elements), gives.dtypes, p, shown)


@tested.register
def _(gives: Filled, p: ExampleProgram, shown: Shown) -> Tested:
    return _array(np.full(gives.shape, gives.element), gives.dtypes, p, shown)


def _array(wanted: Array, dtypes: Sequence[str], p: ExampleProgram, shown: Shown) -> Tested:
    test = first_of(checks.is_array(wanted), *_of_dtype(dtypes))
    return (p.observed(shown.show, shown.line),), test, checks.shown(wanted) + _said(dtypes)


def _of_dtype(dtypes: Sequence[str]) -> list[Test]:
    """The test of a dtype, where the documents print one."""
    return [checks.has_dtype(*dtypes)] if dtypes else []


def _said(dtypes: Sequence[str]) -> str:
    return f" in {' or '.join(dtypes)}" if dtypes else ""


@tested.register
def _(gives: Same, p: ExampleProgram, shown: Shown) -> Tested:
    outputs = (p.observed(shown.show, shown.line),)
    return outputs, checks.is_array(p.array(gives.array)), f"the numbers of {gives.array}"


@tested.register
def _(gives: InDtype, p: ExampleProgram, shown: Shown) -> Tested:
    test = checks.has_dtype(*gives.dtypes)
    return (p.observed(shown.show, shown.line),), test, " or ".join(gives.dtypes)


@tested.register
def _(gives: OfShape, p: ExampleProgram, shown: Shown) -> Tested:
    test = checks.has_shape(gives.shape)
    return (p.observed(shown.show, shown.line),), test, f"shape {gives.shape}"


@tested.register
def _(gives: Sample, p: ExampleProgram, shown: Shown) -> Tested:
    within = partial(_within, gives.low, gives.high)
    test = first_of(checks.has_shape(gives.shape), *_of_dtype(gives.dtypes), of_array(within))
    bounds = "" if gives.low is None else f" from {gives.low:g} to {gives.high:g}"
    said = f"finite numbers{bounds}{_said(gives.dtypes)}, shape {gives.shape}"
    return (p.observed(shown.show, shown.line),), test, said


@tested.register
def _(gives: TensorOf, p: ExampleProgram, shown: Shown) -> Tested:
    name = p.observed(shown.show, shown.line)
    said = f"a tensor of shape {gives.shape}"
    shape = p.asked("int_shape", name)
    if not gives.dtypes:
        return (shape,), is_static_shape(gives.shape), said
    test = partial(_is_tensor, is_static_shape(gives.shape), checks.is_one_of(*gives.dtypes))
    return (shape, p.asked("dtype", name)), test, said + _said(gives.dtypes)


@tested.register
def _(gives: Raises, p: ExampleProgram, shown: Shown) -> Tested:
    test = checks.raises(gives.exception)
    return (p.attempted(shown.show, shown.line),), test, gives.exception


def _is_name(values: Values) -> Problem | None:
    found = checks.plain(values)
    named = isinstance(found, str) and found != ""
    return None if named else Problem(f"gives {found!r}", "no name", got=repr(found))


def _within(low: float | None, high: float | None, got: Array) -> Problem | None:
    """The message has no numbers: those of a sample differ from run to run."""
    if got.dtype.kind not in "f" or not np.isfinite(got).all():
        return Problem("gives numbers that are not all finite", "not finite")
    above, below = low is None or (got >= low).all(), high is None or (got <= high).all()
    return None if above and below else Problem("gives numbers out of range", "out of range")


def _is_tensor(has_shape: Test, has_dtype: Test, shape: Values, dtype: Values) -> Problem | None:
    """The dtype first: that a static shape says too little is no contradiction."""
    return has_dtype(dtype) or has_shape(shape)


def _families() -> Iterator[Family]:
    printed: dict[str, list[str]] = {}
    for edition in DOCUMENT:
        for example in load_examples():
            for shown in example.shown:
                function = tested_function(example, shown)
                if function and DOCUMENT[edition] in shown.at:
                    known = printed.setdefault(function, [])
                    known.extend([edition] * (edition not in known))
    for function, editions in printed.items():
        make = partial(scenarios, function)
        yield Family(function, frozenset({Aspect.EXAMPLE}), make, tuple(editions))


FAMILIES: tuple[Family, ...] = tuple(_families())
