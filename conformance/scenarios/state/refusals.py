"""What functions and variables refuse, variables as inputs in keras-1, and shapes of variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, is_array, of_last, plain, raises, returns, shown
from conformance.scenarios.composites import composite
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.state.machine import DTYPES, SHAPES, Kind, Machine, scenario_of
from conformance.scenarios.state.variables import NEWER, read_back
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

ALL = ("keras-1", *NEWER)
KEYWORDS = {"ja-2.0": 2542, "ko-2.2": 2546}
INPUTS = {"ja-1": 1133, "ja-2.0": 2539, "ko-2.2": 2535}
SAME_SHAPE = {
    "set_value": {"ja-2.0": 1918, "ko-2.2": 2471},
    "batch_set_value": {"ja-1": 1107, "ja-2.0": 1932, "ko-2.2": 2487},
}
SHAPE_OF = {"ja-2.0": 1942}


def _kind(draw: st.DrawFn) -> Kind:
    return draw(st.sampled_from(SHAPES[:4])), draw(st.sampled_from(DTYPES))


def _finished(machine: Machine, title: str, *checks: Check) -> Scenario:
    """A scenario with these checks, and those of the machine's expected results."""
    noted = scenario_of(machine, title, Aspect.STATE)
    return Scenario(
        machine.function,
        title,
        program=noted.program,
        arrays=noted.arrays,
        checks=(*checks, *noted.checks),
    )


def keywords(edition: Edition) -> Sequence[Scenario]:
    """Unknown keyword arguments: keras-2.2 refuses them, keras-2.0 ignores them on TensorFlow."""
    return [_keyword(edition, word) for word in ("no_such_option", "update", "outputz")]


def _keyword(edition: Edition, word: str) -> Scenario:
    writer = ProgramWriter()
    x = writer.call("placeholder", shape=(2,), dtype="float32")
    output = writer.call("operator.add", x, x)
    wrong: dict[str, Argument] = {word: True}
    writer.attempt("made", "function", [x], [output], **wrong)
    refused = edition != "keras-2.0"
    if not refused:
        writer.observe("backend", "backend")
    check = Check(
        "unknown keywords",
        Aspect.ERROR,
        outputs=("made",) if refused else ("made", "backend"),
        test=raises("ValueError") if refused else _unused,
        demands=f"a ValueError, for there is no {word}" if refused else "that it is not used",
        at=KEYWORDS,
    )
    program = writer.program()
    return Scenario(
        "function",
        "a keyword that nobody knows",
        program=program,
        arrays=writer.arrays,
        checks=(check,),
    )


def _unused(made: Values, backend: Values) -> Problem | None:
    """The keyword did no harm. On another backend than TensorFlow no document says so."""
    problem = returns(made)
    if problem is None or plain(backend) == "tensorflow":
        return problem
    return replace(problem, conventions=(ConventionName.UNKNOWN_KEYWORDS,))


@composite
def wrong_inputs(draw: st.DrawFn, edition: Edition) -> Scenario:
    """Too many values, none, or one of another shape."""
    machine = Machine(draw, edition, function="function")
    kind = _kind(draw)
    writer = machine.writer
    x = writer.call("placeholder", shape=kind[0], dtype=kind[1])
    function = writer.call("function", [x], [writer.call("operator.add", x, x)])
    writer.attempt("refused", "operator.call", function, _wrong_values(machine, kind))
    name, demands = "wrong inputs are refused", "an exception: the inputs do not fit"
    check = Check(
        name,
        Aspect.ERROR,
        outputs=("refused",),
        test=raises(),
        demands=demands,
        at=INPUTS,
        conventions=(ConventionName.INVALID_INPUT,),
    )
    return _finished(machine, "a call with inputs that do not fit", check)


def _wrong_values(machine: Machine, kind: Kind) -> list[Argument]:
    shape, dtype = kind
    choice = machine.draw(st.sampled_from(("too many", "none", "another shape")))
    if choice == "none":
        return []
    if choice == "another shape":
        return [machine.given(machine.numbers(((*shape[:-1], shape[-1] + 1), dtype)))]
    given = machine.given(machine.numbers(kind))
    return [given, given]


@composite
def fed_variables(draw: st.DrawFn, edition: Edition) -> Scenario:
    """A variable among the inputs takes the value that is fed, for this call."""
    machine = Machine(draw, edition, function="function")
    kind = _kind(draw)
    variable = machine.make(kind, machine.numbers(kind))
    writer, values = machine.writer, [machine.numbers(kind) for _ in range(2)]
    x = writer.call("placeholder", shape=kind[0], dtype=kind[1])
    total = writer.call("operator.add", variable.ref, x)
    function = writer.call("function", [variable.ref, x], [total])
    writer.observe("total", "operator.call", function, [machine.given(v) for v in values])
    wanted = values[0] + values[1]
    test = is_array(wanted, dtype=True)
    check = Check(
        "a fed variable",
        Aspect.VALUE,
        outputs=("total",),
        test=test,
        demands=shown(wanted),
        at=INPUTS,
    )
    return _finished(machine, "a variable among the inputs", check)


@composite
def other_shapes(draw: st.DrawFn, edition: Edition, function: str) -> Scenario:
    """An array of another shape is no value of a variable, and changes nothing."""
    machine = Machine(draw, edition, function=function)
    kind = _kind(draw)
    variable = machine.make(kind, machine.numbers(kind))
    shape = draw(st.sampled_from(((5,), (2, 4), (3, 1))))
    wrong = machine.given(machine.numbers((shape, kind[1])))
    _set(machine, function, variable.ref, wrong)
    machine.writer.observe("after", "get_value", variable.ref)
    demands = f"an exception, for {shape} is not {kind[0]}"
    at, conventions = SAME_SHAPE[function], (ConventionName.INVALID_INPUT,)
    name, refused = "another shape is refused", raises()
    return _finished(
        machine,
        "an array of another shape",
        Check(
            name,
            Aspect.ERROR,
            outputs=("refused",),
            test=refused,
            demands=demands,
            at=at,
            conventions=conventions,
        ),
        Check(
            "a refused call changes nothing",
            Aspect.STATE,
            outputs=("refused", "after"),
            test=if_refused(is_array(variable.value, dtype=True)),
            demands=f"{shown(variable.value)} as before",
            at=at,
            conventions=(ConventionName.REFUSED_UNCHANGED,),
        ),
    )


def _set(machine: Machine, function: str, variable: Ref, value: Ref) -> None:
    """Set it; among several variables as the last one, half of the time."""
    if function == "set_value":
        machine.writer.attempt("refused", function, variable, value)
        return
    pairs = [(variable, value)]
    if machine.draw(st.booleans()):
        kind = _kind(machine.draw)
        other = machine.make(kind, machine.numbers(kind))
        pairs.insert(0, (other.ref, machine.given(machine.numbers(kind))))
    machine.writer.attempt("refused", function, [*pairs])


def if_refused(test: Test) -> Test:
    """A test of a value that is made only where the attempt before it raised."""

    def after(refused: Values, value: Values) -> Problem | None:
        return None if plain(refused) == "returns" else of_last(test(value))

    return after


@composite
def shapes(draw: st.DrawFn, edition: Edition) -> Scenario:
    """The shape of a variable as integers."""
    machine = Machine(draw, edition, function="get_variable_shape")
    kind = (draw(st.sampled_from(((2, 3), (4, 2, 3), *SHAPES))), draw(st.sampled_from(DTYPES)))
    variable = machine.make(kind, machine.numbers(kind))
    machine.writer.observe("shape", "get_variable_shape", variable.ref)
    read_back(machine, variable)
    demands, test = f"the integers of {kind[0]}", _is_shape(kind[0])
    check = Check(
        "the shape", Aspect.VALUE, outputs=("shape",), test=test, demands=demands, at=SHAPE_OF
    )
    return _finished(machine, "the shape of a variable", check)


def _is_shape(shape: tuple[int, ...]) -> Test:
    def test(values: Values) -> Problem | None:
        found = [value.array for value in values if value.array is not None]
        whole = all(array.dtype.kind in "iu" for array in found)
        if whole and np.array_equal(found, shape):
            return None
        return Problem(f"gives {plain(values)}", "shape", got=repr(plain(values)))

    return test


def _of(function: str) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    return lambda edition: other_shapes(edition, function)


def _refusing(function: str) -> Family:
    aspects = frozenset({Aspect.ERROR, Aspect.STATE})
    editions = ALL if function == "batch_set_value" else NEWER
    return Family(function, aspects, make=_of(function), editions=editions, share=0.25)


FAMILIES: tuple[Family, ...] = (
    Family("function", frozenset({Aspect.ERROR}), make=keywords, editions=NEWER),
    Family("function", frozenset({Aspect.ERROR}), make=wrong_inputs, editions=ALL, share=0.5),
    Family(
        "function", frozenset({Aspect.VALUE}), make=fed_variables, editions=("keras-1",), share=0.5
    ),
    _refusing("set_value"),
    _refusing("batch_set_value"),
    Family(
        "get_variable_shape",
        frozenset({Aspect.VALUE}),
        make=shapes,
        editions=("keras-2.0",),
        share=0.5,
    ),
)
"""Refusals. What functions and variables do is in `variables`."""
