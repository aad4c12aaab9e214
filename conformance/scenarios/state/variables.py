"""State machines over variables: created, set, read, evaluated, and updated by functions.

The documents say what is read after a value was set or a function with updates was called. They do
not say when updates take effect relative to each other and to the outputs: what depends on that
rests on a convention, which the model carries along with the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.composites import composite
from conformance.scenarios.model import Array, Family, Scenario
from conformance.scenarios.state.machine import (
    DTYPES,
    OUTPUT,
    PROBED,
    SHAPES,
    TENSOR,
    ExpectedResult,
    GuardedRule,
    Kind,
    Machine,
    run,
    scenario_of,
)
from conformance.scenarios.state.variable_model import (
    NONE,
    Conventions,
    Expression,
    ModelFunction,
    ModelUpdate,
    ModelVariable,
    UpdateKind,
)
from conformance.scenarios.state.worlds import Result, merged
from conformance.specs.convention_names import ConventionName

NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
STEPS = 8
MOST_VARIABLES = 3
MOST_WORLDS = 40
"""A function is not called again where there are more."""


def make(machine: Machine) -> None:
    """A variable: of a shape and dtype that another has, or of new ones."""
    kinds: list[Kind] = [variable.kind for variable in machine.variables]
    if kinds and machine.perhaps():
        kind = kinds[machine.choose(kinds)]
    else:
        dtype = machine.draw(st.sampled_from(DTYPES))
        if machine.probed and machine.rarely():
            dtype = machine.draw(st.sampled_from(PROBED))
        usual = SHAPES[:4]
        kind = (machine.draw(st.sampled_from(SHAPES if machine.rarely() else usual)), dtype)
    machine.make(kind, machine.numbers(kind))


def _make_alike(machine: Machine) -> None:
    """Make up to two more variables of the shape and dtype of the first."""
    kind = machine.variables[0].kind
    for _ in range(machine.draw(st.integers(0, MOST_VARIABLES - 1))):
        machine.make(kind, machine.numbers(kind))


def set_one(machine: Machine) -> None:
    """`set_value` with a new array, one used before, or one that was read."""
    variable = machine.a_variable()
    argument, value, conventions = _new_value(machine, variable)
    machine.writer.call("set_value", variable.ref, argument)
    machine.assign(variable, argument, value, conventions)


def set_several(machine: Machine) -> None:
    """`batch_set_value` of different variables."""
    pairs: list[Argument] = []
    drawn = [(v, *_new_value(machine, v)) for v in machine.some_variables(distinct=True)]
    for variable, argument, value, conventions in drawn:
        pairs.append((variable.ref, argument))
        machine.assign(variable, argument, value, conventions)
    machine.writer.call("batch_set_value", pairs)


def _new_value(machine: Machine, variable: ModelVariable) -> tuple[Argument, Array, Conventions]:
    """An array of the variable's shape, its numbers, and the conventions that they rest on."""
    known = [
        given
        for given in machine.arrays.values()
        if (given.value.shape, given.value.dtype.name) == variable.kind and given.unchanged
    ]
    if known and machine.perhaps():
        given = known[machine.choose(known)]
        return given.ref, given.value, given.conventions
    value = machine.numbers(variable.kind)
    if machine.rarely():
        value = value.astype("float64" if value.dtype != np.float64 else "float32")
        machine.conventions.add(ConventionName.VALUE_DTYPE)
        return machine.given(value), value, frozenset({ConventionName.VALUE_DTYPE})
    return machine.given(value), value, NONE


def get(machine: Machine) -> None:
    """`get_value` of a variable."""
    read_back(machine, machine.a_variable())


def read_back(machine: Machine, variable: ModelVariable) -> None:
    """`get_value` of this variable."""
    output = machine.name("read")
    ref = machine.writer.observe(output, "get_value", variable.ref)
    value, resting = variable.value, variable.conventions
    machine.note(
        ExpectedResult(
            "the value of a variable",
            output,
            value=value,
            conventions=resting,
            history=variable.history,
            others=machine.held_otherwise(variable),
            made=variable.made,
        )
    )
    machine.hold(output, ref, variable)


def get_several(machine: Machine) -> None:
    """`batch_get_value` of variables, one of them perhaps twice."""
    chosen = machine.some_variables(distinct=False)
    output = machine.name("batch")
    machine.writer.observe(output, "batch_get_value", [v.ref for v in chosen])
    for place, variable in enumerate(chosen):
        value, resting = variable.value, variable.conventions
        history = variable.history
        machine.note(
            ExpectedResult(
                "the values of variables",
                output,
                value=value,
                conventions=resting,
                history=history,
                others=machine.held_otherwise(variable),
                place=place,
                made=variable.made,
            )
        )


def evaluate(machine: Machine) -> None:
    """`eval` of a variable, a constant, a sum or a difference."""
    expression = machine.expression(machine.a_variable().kind)
    tensor = machine.written(expression)
    output = machine.name("evaluated")
    machine.writer.observe(output, "eval", tensor)
    history = expression.variable.history if expression.variable else []
    value, resting = expression.value({}), expression.conventions()
    others = [(w.taken, w.possible(expression, {}, {})[0]) for w in machine.worlds]
    machine.note(
        ExpectedResult(
            TENSOR, output, value=value, conventions=resting, history=history, others=others
        )
    )
    if expression.variable and machine.perhaps():
        _evaluate_anew(machine, expression.variable, tensor)


def _evaluate_anew(machine: Machine, variable: ModelVariable, tensor: Argument) -> None:
    """`eval` of the same variable with another value."""
    value, output = machine.numbers(variable.kind), machine.name("evaluated")
    given = machine.given(value)
    machine.writer.call("set_value", variable.ref, given)
    machine.assign(variable, given, value)
    machine.writer.observe(output, "eval", tensor)
    machine.note(
        ExpectedResult(TENSOR, output, value=value, conventions=NONE, history=variable.history)
    )


def compile_one(machine: Machine) -> None:
    """`function` of one or two placeholders, with outputs and perhaps updates."""
    kind = machine.a_variable().kind
    inputs = _placeholders(machine, kind)
    names = [ref.name for ref in inputs]
    outputs = _outputs(machine, kind, names)
    tensors: list[Argument] = [machine.written(output) for output in outputs]
    ranks = [_rank(machine, tensor) for tensor in tensors]
    updates = _updates(machine, kind, names)
    arguments: list[Argument] = [[*inputs], tensors]
    if updates:
        ref = machine.writer.call(
            "function", *arguments, updates=[_written(machine, update) for update in updates]
        )
    else:
        ref = machine.writer.call("function", *arguments)
    machine.compiled.append(
        ModelFunction(
            ref, [(n, kind) for n in names], outputs=outputs, updates=updates, ranks=ranks
        )
    )


def _rank(machine: Machine, tensor: Argument) -> str | None:
    """Where `function` is tested: the number of dimensions that an output has beforehand."""
    if machine.function != "function":
        return None
    output = machine.name("rank")
    machine.writer.observe(output, "ndim", tensor)
    return output


def _placeholders(machine: Machine, kind: Kind) -> list[Ref]:
    shape, dtype = kind
    count = machine.draw(st.integers(1, 2))
    call = machine.writer.call
    return [call("placeholder", shape=shape, dtype=dtype) for _ in range(count)]


def _outputs(machine: Machine, kind: Kind, fed: Sequence[str]) -> list[Expression]:
    """One or two tensors that depend on a fed one; now and then none, or one that does not."""
    if machine.rarely():
        if machine.updates and machine.perhaps():
            machine.conventions.add(ConventionName.EMPTY_LIST)
            return []
        machine.conventions.add(ConventionName.INDEPENDENT_OUTPUT)
        return [machine.expression(kind)]
    return [_dependent(machine, kind, fed) for _ in range(machine.draw(st.integers(1, 2)))]


def _dependent(machine: Machine, kind: Kind, fed: Sequence[str]) -> Expression:
    leaf = Expression("fed", name=fed[machine.choose(fed)])
    return Expression("add", (leaf, machine.expression(kind, fed)))


def _updates(machine: Machine, kind: Kind, fed: Sequence[str]) -> list[ModelUpdate]:
    """Updates of different variables, at least one; none if the machine has no kinds of updates."""
    if not machine.updates:
        return []
    candidates = [v for v in machine.variables if v.kind == kind]
    places = st.integers(0, len(candidates) - 1)
    drawn = machine.draw(st.lists(places, min_size=1, max_size=3, unique=True))
    return [_update(machine, candidates[place], fed) for place in drawn]


def _update(machine: Machine, variable: ModelVariable, fed: Sequence[str]) -> ModelUpdate:
    kind = machine.draw(st.sampled_from(machine.updates))
    if machine.edition != "keras-1" and len(machine.updates) > 1 and machine.rarely():
        machine.conventions.add(ConventionName.UPDATE_PAIRS)
        kind = "pair"
    momentum = machine.draw(st.sampled_from((0.5, 0.75, 0.25)))
    return ModelUpdate(
        kind, variable, operand=machine.expression(variable.kind, fed), momentum=momentum
    )


def _written(machine: Machine, update: ModelUpdate) -> Argument:
    """The step that makes an update, or the pair that stands for it."""
    operand = machine.written(update.operand)
    if update.kind == "pair":
        return (update.variable.ref, operand)
    if update.kind == "moving_average_update":
        return machine.writer.call(update.kind, update.variable.ref, operand, update.momentum)
    return machine.writer.call(update.kind, update.variable.ref, operand)


def call(machine: Machine) -> None:
    """A call of a function, which is made first if there is none."""
    if not machine.compiled:
        compile_one(machine)
    call_of(machine, machine.compiled[machine.choose(machine.compiled)])


def call_of(machine: Machine, compiled: ModelFunction) -> None:
    """A call of this function, with new numbers."""
    fed = {name: machine.numbers(kind) for name, kind in compiled.inputs}
    passed: list[Argument] = [machine.given(value) for value in fed.values()]
    output = machine.name("results")
    machine.writer.observe(output, "operator.call", compiled.ref, passed)
    others = _call_otherwise(machine, compiled, fed)
    for place, (value, resting) in enumerate(compiled.call(fed)):
        history = compiled.history[place]
        if machine.function == "function":  # where others are tested, outputs are not their fault
            rank = compiled.ranks[place]
            machine.note(
                ExpectedResult(
                    OUTPUT,
                    output,
                    value=value,
                    conventions=resting,
                    history=history,
                    others=others[place],
                    place=place,
                    rank=rank,
                )
            )


def _call_otherwise(
    machine: Machine, compiled: ModelFunction, fed: Mapping[str, Array]
) -> list[list[Result]]:
    """What a call leads to under other readings; the possible results of each output."""
    led = [found for world in machine.worlds for found in world.called(compiled, fed)]
    machine.worlds = merged(world for world, _ in led)
    return [[result for _, outputs in led for result in outputs[i]] for i in _places(compiled)]


def _places(compiled: ModelFunction) -> range:
    return range(len(compiled.outputs))


RULES: Mapping[str, GuardedRule] = {
    "make": GuardedRule(make, lambda machine: len(machine.variables) < MOST_VARIABLES),
    "set": GuardedRule(set_one),
    "batch_set": GuardedRule(set_several),
    "get": GuardedRule(get),
    "batch_get": GuardedRule(get_several),
    "eval": GuardedRule(evaluate),
    "compile": GuardedRule(compile_one, lambda machine: len(machine.compiled) < 2),
    "call": GuardedRule(call, lambda machine: len(machine.worlds) <= MOST_WORLDS),
}


def machine(
    function: str,
    title: str,
    main: str,
    others: Sequence[str],
    *,
    aspect: Aspect = Aspect.STATE,
    updates: Sequence[UpdateKind] = (),
    old_updates: Sequence[UpdateKind] = (),
    probed: bool = False,
) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """Programs that use some rules; in the end all variables are read.

    `updates` are the kinds that a function may have, `old_updates` those of keras-1.
    """
    rules = {name: RULES[name] for name in (main, "make", *others)}

    def programs(edition: Edition) -> st.SearchStrategy[Scenario]:
        kinds = tuple(old_updates if edition == "keras-1" else updates)

        @composite
        def drawn(draw: st.DrawFn) -> Scenario:
            written = Machine(draw, edition, function=function, updates=kinds, probed=probed)
            make(written)
            _make_alike(written)
            run(written, rules, main, STEPS)
            if main == "call":  # what a function does when it is called again
                call_of(written, written.compiled[0])
            for variable in written.variables:
                read_back(written, variable)
            return scenario_of(written, title, aspect)

        return drawn()

    return programs


def _family(
    function: str,
    make_: Callable[[Edition], st.SearchStrategy[Scenario]],
    aspect: Aspect = Aspect.STATE,
    editions: tuple[Edition, ...] = ("keras-1", *NEWER),
    share: float = 2.0,
) -> Family:
    return Family(function, frozenset({aspect}), make=make_, editions=editions, share=share)


def _updating(kind: UpdateKind) -> Family:
    programs = machine(
        kind, "a function that updates variables", "call", ("set", "get", "compile"), updates=[kind]
    )
    return _family(kind, programs, editions=NEWER, share=1.5)


_READ = machine(
    "get_value",
    "variables that are set and read",
    "get",
    ("set",),
    aspect=Aspect.VALUE,
    probed=True,
)
_READ_SEVERAL = machine(
    "batch_get_value",
    "variables that are set and read",
    "batch_get",
    ("set", "get"),
    aspect=Aspect.VALUE,
    probed=True,
)
_SET = machine("set_value", "variables that are set and read", "set", ("get",), probed=True)
_SET_SEVERAL = machine(
    "batch_set_value",
    "variables that are set and read",
    "batch_set",
    ("set", "get", "batch_get"),
    probed=True,
)
_EVALUATE = machine(
    "eval",
    "tensors made of variables that are set",
    "eval",
    ("set",),
    aspect=Aspect.VALUE,
)
_CALL = machine(
    "function",
    "functions of variables that are set",
    "call",
    ("set", "get", "compile", "eval"),
    aspect=Aspect.VALUE,
)
_UPDATE = machine(
    "function",
    "functions that update variables",
    "call",
    ("set", "batch_set", "get", "compile", "eval"),
    updates=["update", "update_add"],
    old_updates=["pair"],
)

FAMILIES: tuple[Family, ...] = (
    _family("get_value", _READ, Aspect.VALUE),
    _family("batch_get_value", _READ_SEVERAL, Aspect.VALUE),
    _family("set_value", _SET, share=4.0),
    _family("batch_set_value", _SET_SEVERAL),
    _family("eval", _EVALUATE, Aspect.VALUE),
    _family("function", _CALL, Aspect.VALUE, share=3.0),
    _family("function", _UPDATE, share=4.0),
    _updating("update"),
    _updating("update_add"),
    _updating("update_sub"),
)
"""Machines for variables and functions. Sessions, phases and errors are in `sessions`."""
