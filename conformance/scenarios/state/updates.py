"""What an update gives and does by itself, moving averages, and the shapes that updates refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, is_array, of_last, only, plain, raises, shown
from conformance.scenarios.composites import composite
from conformance.scenarios.model import Array, Check, Family, Problem, Scenario, Values
from conformance.scenarios.state.machine import Machine
from conformance.scenarios.state.variables import NEWER, machine
from conformance.specs.convention_names import ConventionName

Kind = Literal["update", "update_add", "update_sub"]
KINDS: tuple[Kind, ...] = ("update", "update_add", "update_sub")
GIVES = {
    "update": {"ja-2.0": 970, "ko-2.2": 905},
    "update_add": {"ja-2.0": 989, "ko-2.2": 926},
    "update_sub": {"ja-2.0": 1008, "ko-2.2": 947},
}
SAME_SHAPE = {
    "update": {"ja-2.0": 966, "ko-2.2": 901},
    "update_add": {"ja-2.0": 985, "ko-2.2": 922},
    "update_sub": {"ja-2.0": 1004, "ko-2.2": 943},
    "moving_average_update": {"ja-2.0": 1023, "ko-2.2": 964},
}
MEAN = {"ja-2.0": 1018, "ko-2.2": 959}


def new_value(kind: Kind, old: Array, operand: Array) -> Array:
    """What an update makes of the old value."""
    made = {"update": operand, "update_add": old + operand, "update_sub": old - operand}
    return made[kind]


@composite
def _start(draw: st.DrawFn, function: str, edition: Edition) -> Machine:
    """A program with one variable."""
    written = Machine(draw, edition, function=function)
    shape = draw(st.sampled_from(((2,), (1,), (2, 3))))
    kind = (shape, draw(st.sampled_from(("float32", "float64"))))
    written.make(kind, written.numbers(kind))
    return written


def _made(written: Machine, kind: Kind) -> tuple[Ref, Array]:
    """The step that makes an update of the variable, and its new value."""
    (variable,) = written.variables
    operand = written.numbers(variable.kind)
    tensor = written.writer.call("variable", written.given(operand), dtype=variable.kind[1])
    ref = written.writer.call(kind, variable.ref, tensor)
    return ref, new_value(kind, variable.value, operand)


def _scenario(written: Machine, title: str, *checks: Check) -> Scenario:
    writer = written.writer
    return Scenario(
        written.function, title, program=writer.program(), arrays=writer.arrays, checks=checks
    )


def gives_the_variable(kind: Kind) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """What the update returns is the updated variable: it has the new value."""

    @composite
    def drawn(draw: st.DrawFn, edition: Edition) -> Scenario:
        written = draw(_start(kind, edition))
        ref, value = _made(written, kind)
        written.writer.observe("updated", "eval", ref)
        check = Check(
            "the updated variable is returned",
            Aspect.VALUE,
            outputs=("updated",),
            test=is_array(value, dtype=True),
            demands=f"the variable with its new value, {shown(value)}",
            at=GIVES[kind],
        )
        return _scenario(written, "the updated variable that is returned", check)

    return drawn


def changes_the_variable(kind: Kind) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """After the update has been evaluated the variable has the new value."""

    @composite
    def drawn(draw: st.DrawFn, edition: Edition) -> Scenario:
        written = draw(_start(kind, edition))
        ref, value = _made(written, kind)
        written.writer.attempt("evaluated", "eval", ref)
        written.writer.observe("after", "get_value", written.variables[0].ref)
        check = Check(
            "an evaluated update changes the variable",
            Aspect.STATE,
            outputs=("evaluated", "after"),
            test=_if_evaluated(is_array(value, dtype=True)),
            demands=f"{shown(value)} after the update",
        )
        return _scenario(written, "a variable after an update was evaluated", check)

    return drawn


def _if_evaluated(test: Test) -> Test:
    def after(evaluated: Values, value: Values) -> Problem | None:
        return of_last(test(value)) if plain(evaluated) == "returns" else None

    return after


def refuses_another_shape(kind: str) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """The new value must have the shape of the variable."""

    @composite
    def drawn(draw: st.DrawFn, edition: Edition) -> Scenario:
        written = draw(_start(kind, edition))
        (variable,) = written.variables
        shape = draw(st.sampled_from(((5,), (3, 1), (2, 4))))
        operand = written.given(written.numbers((shape, variable.kind[1])))
        tensor = written.writer.call("variable", operand, dtype=variable.kind[1])
        momentum: list[Argument] = [0.5] if kind == "moving_average_update" else []
        written.writer.attempt("refused", kind, variable.ref, tensor, *momentum)
        check = Check(
            "another shape is refused",
            Aspect.ERROR,
            outputs=("refused",),
            test=raises(),
            demands=f"an exception, for {shape} is not {variable.value.shape}",
            at=SAME_SHAPE[kind],
            conventions=(ConventionName.INVALID_INPUT,),
        )
        return _scenario(written, "a tensor of another shape", check)

    return drawn


@composite
def averages(draw: st.DrawFn, edition: Edition) -> Scenario:
    """A moving average never leaves the range of the values, whatever its formula."""
    written = draw(_start("moving_average_update", edition))
    (variable,), writer = written.variables, written.writer
    shape, dtype = variable.kind
    values = [variable.value]
    fed = writer.call("placeholder", shape=shape, dtype=dtype)
    momentum = draw(st.sampled_from((0.5, 0.9, 0.25, 0.99)))
    update = writer.call("moving_average_update", variable.ref, fed, momentum)
    output = writer.call("operator.add", fed, fed)
    step = writer.call("function", [fed], [output], updates=[update])
    checks = []
    equal = draw(st.booleans())
    for number in range(draw(st.integers(1, 3))):
        values.append(variable.value if equal else written.numbers(variable.kind))
        writer.call("operator.call", step, [written.given(values[-1])])
        writer.observe(f"after_{number}", "get_value", variable.ref)
        checks.append(_between(f"after_{number}", np.array(values)))
    return _scenario(written, "a moving average after some steps", *checks)


def _between(output: str, values: Array) -> Check:
    """A check that no element leaves the range of the values that are averaged."""
    low, high = values.min(axis=0), values.max(axis=0)

    def test(given: Values) -> Problem | None:
        got = only(given)
        if isinstance(got, Problem):
            return got
        if got.shape != low.shape:
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        scale, eps = np.abs(values).max(), np.finfo(values.dtype).eps
        outside = np.maximum(low - got, got - high).max()
        if outside <= 64 * eps * scale:
            return None
        # no document states an accuracy: what keeps half of the digits, or as many as momentum
        # has as a float32, is inaccurate, not wrong
        kept = max(np.sqrt(eps), 16 * np.finfo("float32").eps)
        inaccurate = (ConventionName.ACCURACY,) if outside <= kept * scale else ()
        return Problem(f"gives {shown(got)}", "outside", conventions=inaccurate, got=got)

    return Check(
        "an average lies between what is averaged",
        Aspect.STATE,
        outputs=(output,),
        test=test,
        demands=f"elements from {shown(low)} to {shown(high)}",
        at=MEAN,
    )


def _families(kind: Kind) -> tuple[Family, ...]:
    return (
        Family(
            kind,
            frozenset({Aspect.VALUE}),
            make=gives_the_variable(kind),
            editions=NEWER,
            share=0.5,
        ),
        Family(
            kind,
            frozenset({Aspect.STATE}),
            make=changes_the_variable(kind),
            editions=NEWER,
            share=0.5,
        ),
        _refusing(kind),
    )


def _refusing(kind: str) -> Family:
    return Family(
        kind,
        frozenset({Aspect.ERROR}),
        make=refuses_another_shape(kind),
        editions=NEWER,
        share=0.25,
    )


_AVERAGING = machine(
    "moving_average_update",
    "a function that updates moving averages",
    "call",
    ("set", "get", "compile"),
    updates=["moving_average_update"],
)


def _averages(edition: Edition) -> st.SearchStrategy[Scenario]:
    return averages(edition)


FAMILIES: tuple[Family, ...] = (
    *(family for kind in KINDS for family in _families(kind)),
    _refusing("moving_average_update"),
    Family("moving_average_update", frozenset({Aspect.STATE}), make=_averages, editions=NEWER),
    Family(
        "moving_average_update",
        frozenset({Aspect.STATE}),
        make=_AVERAGING,
        editions=NEWER,
        share=0.5,
    ),
)
"""Updates alone. Functions with updates are in `variables`."""
