"""State machines over variables: created, set, read, evaluated, and updated by functions.

The documents say what is read after a value was set or a function with updates was called. They do
not say when updates take effect relative to each other and to the outputs. A value that depends on
that rests on a convention, which the model carries along with the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios.model import KERAS_2, Array
from conformance.scenarios.recorder import Book, Recorder
from conformance.scenarios.recorder import Result as Recorded
from conformance.scenarios.state.machine import (
    DTYPES,
    OUTPUT,
    PROBED,
    SHAPES,
    TENSOR,
    GuardedRule,
    Kind,
    Machine,
    run,
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

BOOK = Book()
OF_K: tuple[Edition, ...] = ("keras-1", *KERAS_2)
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
    machine.make(kind)


def _make_alike(machine: Machine) -> None:
    """Make up to two more variables of the shape and dtype of the first."""
    kind = machine.variables[0].kind
    for _ in range(machine.draw(st.integers(0, MOST_VARIABLES - 1))):
        machine.make(kind)


def set_one(machine: Machine) -> None:
    """`set_value` with a new array, an array used before, or an array that was read."""
    variable = machine.a_variable()
    argument, value, conventions = _new_value(machine, variable)
    machine.K.set_value(variable.ref, argument)
    machine.assign(variable, argument, value, conventions)


def set_several(machine: Machine) -> None:
    """`batch_set_value` of different variables."""
    drawn = [(v, *_new_value(machine, v)) for v in machine.some_variables(distinct=True)]
    for variable, argument, value, conventions in drawn:
        machine.assign(variable, argument, value, conventions)
    machine.K.batch_set_value([(variable.ref, argument) for variable, argument, *_ in drawn])


def _new_value(machine: Machine, variable: ModelVariable) -> tuple[Recorded, Array, Conventions]:
    """An array of the variable's shape, its numbers, and the conventions that they rest on."""
    known = [
        held
        for held in machine.arrays.values()
        if (held.value.shape, held.value.dtype.name) == variable.kind and held.unchanged
    ]
    if known and machine.perhaps():
        held = known[machine.choose(known)]
        return held.ref, held.value, held.conventions
    value = machine.numbers(variable.kind)
    if machine.rarely():
        value = value.astype("float64" if value.dtype != np.float64 else "float32")
        machine.conventions.add(ConventionName.VALUE_DTYPE)
        return machine.array(value), value, frozenset({ConventionName.VALUE_DTYPE})
    return machine.array(value), value, NONE


def get(machine: Machine) -> None:
    """`get_value` of a variable."""
    machine.read_back(machine.a_variable())


def get_several(machine: Machine) -> None:
    """`batch_get_value` of variables, one of them perhaps twice."""
    chosen = machine.some_variables(distinct=False)
    values = machine.K.batch_get_value([v.ref for v in chosen]).output(machine.name("batch"))
    for place, variable in enumerate(chosen):
        machine.note_variable("the values of variables", values.name, variable, place)


def evaluate(machine: Machine) -> None:
    """`eval` of a variable, a constant, a sum or a difference."""
    expression = machine.expression(machine.a_variable().kind)
    tensor = machine.written(expression)
    output = machine.K.eval(tensor).output(machine.name("evaluated")).name
    variable, resting = expression.variable, expression.conventions()
    history = variable.history if variable else []
    others = [(w.taken, w.possible(expression, {}, {})[0]) for w in machine.worlds]
    value = expression.value({})
    machine.note(TENSOR, output, value, conventions=resting, history=history, others=others)
    if variable and machine.perhaps():
        _evaluate_again(machine, variable, tensor)


def _evaluate_again(machine: Machine, variable: ModelVariable, tensor: Recorded) -> None:
    """`eval` of the same variable with another value."""
    value = machine.numbers(variable.kind)
    output, array = machine.name("evaluated"), machine.array(value)
    machine.K.set_value(variable.ref, array)
    machine.assign(variable, array, value)
    machine.K.eval(tensor).output(output)
    machine.note(TENSOR, output, value, conventions=NONE, history=variable.history)


def compile_one(machine: Machine) -> None:
    """`function` of one or two placeholders, with outputs and perhaps updates."""
    kind, K = machine.a_variable().kind, machine.K
    shape, dtype = kind
    count = machine.draw(st.integers(1, 2))
    inputs = [K.placeholder(shape=shape, dtype=dtype) for _ in range(count)]
    names = [x.name for x in inputs]
    outputs = _outputs(machine, kind, names)
    tensors = [machine.written(output) for output in outputs]
    ranks = [_rank(machine, tensor) for tensor in tensors]
    updates = _updates(machine, kind, names)
    keywords = {"updates": [_written(machine, update) for update in updates]} if updates else {}
    ref, fed = K.function(inputs, tensors, **keywords), [(name, kind) for name in names]
    function = ModelFunction(ref, fed, outputs=outputs, updates=updates, ranks=ranks)
    machine.compiled.append(function)


def _rank(machine: Machine, tensor: Recorded) -> str | None:
    """Where `function` is tested: the number of dimensions that an output has beforehand."""
    if machine.K.tested != "function":
        return None
    return machine.K.ndim(tensor).output(machine.name("rank")).name


def _outputs(machine: Machine, kind: Kind, fed: Sequence[str]) -> list[Expression]:
    """One or two tensors that depend on a fed one; now and then none, or an independent one."""
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
    if machine.K.edition != "keras-1" and len(machine.updates) > 1 and machine.rarely():
        machine.conventions.add(ConventionName.UPDATE_PAIRS)
        kind = "pair"
    momentum = machine.draw(st.sampled_from((0.5, 0.75, 0.25)))
    operand = machine.expression(variable.kind, fed)
    return ModelUpdate(kind, variable, operand=operand, momentum=momentum)


def _written(machine: Machine, update: ModelUpdate) -> Any:
    """The step that makes an update, or the pair that stands for it."""
    variable, operand = update.variable.ref, machine.written(update.operand)
    if update.kind == "pair":
        return (variable, operand)
    if update.kind == "moving_average_update":
        return machine.K.moving_average_update(variable, operand, update.momentum)
    return machine.K[update.kind](variable, operand)


def call(machine: Machine) -> None:
    """A call of a function, which is made first if there is none."""
    if not machine.compiled:
        compile_one(machine)
    call_of(machine, machine.compiled[machine.choose(machine.compiled)])


def call_of(machine: Machine, compiled: ModelFunction) -> None:
    """A call of this function, with new numbers."""
    fed = {name: machine.numbers(kind) for name, kind in compiled.inputs}
    arrays = [machine.array(value) for value in fed.values()]
    output = compiled.ref(arrays).output(machine.name("results")).name
    others = _call_otherwise(machine, compiled, fed)
    for place, (value, resting) in enumerate(compiled.call(fed)):
        if machine.K.tested == "function":  # where others are tested, outputs are not their fault
            machine.note(
                OUTPUT,
                output,
                value,
                conventions=resting,
                history=compiled.history[place],
                others=others[place],
                place=place,
                rank=compiled.ranks[place],
            )


def _call_otherwise(
    machine: Machine, compiled: ModelFunction, fed: Mapping[str, Array]
) -> list[list[Result]]:
    """Call under other readings; the possible results of each output."""
    led = [pair for world in machine.worlds for pair in world.called(compiled, fed)]
    machine.worlds = merged(world for world, _ in led)
    places = range(len(compiled.outputs))
    return [[result for _, outputs in led for result in outputs[i]] for i in places]


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


def programs(
    book: Book,
    function: str,
    title: str,
    aspect: Aspect,
    main: str,
    *others: str,
    editions: Sequence[Edition] = OF_K,
    share: float = 2.0,
    updates: tuple[UpdateKind, ...] = (),
    probed: bool = False,
) -> None:
    """Register programs that use some rules; in the end all variables are read.

    `updates` are the kinds that a function may have; keras-1 has pairs in their place.
    """
    rules = {name: RULES[name] for name in (main, "make", *others)}

    @book.scenario(function, title, aspect, editions=editions, share=share)
    def program(K: Recorder, draw: st.DrawFn) -> None:
        older = K.edition == "keras-1" and updates
        machine = Machine(K, draw, updates=("pair",) if older else updates, probed=probed)
        make(machine)
        _make_alike(machine)
        run(machine, rules, main, STEPS)
        if main == "call":  # the function again
            call_of(machine, machine.compiled[0])
        for variable in machine.variables:
            machine.read_back(variable)
        machine.finish()


VALUE, STATE, READ = Aspect.VALUE, Aspect.STATE, "variables that are set and read"
programs(BOOK, "get_value", READ, VALUE, "get", "set", probed=True)
programs(BOOK, "batch_get_value", READ, VALUE, "batch_get", "set", "get", probed=True)
programs(BOOK, "set_value", READ, STATE, "set", "get", probed=True, share=4.0)
programs(BOOK, "batch_set_value", READ, STATE, "batch_set", "set", "get", "batch_get", probed=True)
programs(BOOK, "eval", "tensors made of variables that are set", VALUE, "eval", "set")
COMPILED = ("call", "set", "get", "compile", "eval")
programs(BOOK, "function", "functions of variables that are set", VALUE, *COMPILED, share=3.0)
programs(
    BOOK,
    "function",
    "functions that update variables",
    STATE,
    *("call", "set", "batch_set", "get", "compile", "eval"),
    updates=("update", "update_add"),
    share=4.0,
)
KINDS: tuple[UpdateKind, ...] = ("update", "update_add", "update_sub")
for _kind in KINDS:
    programs(
        BOOK,
        _kind,
        "a function that updates variables",
        STATE,
        *("call", "set", "get", "compile"),
        updates=(_kind,),
        editions=KERAS_2,
        share=1.5,
    )

FAMILIES = BOOK.families
