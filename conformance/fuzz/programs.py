"""Composed programs as the specs know them: calls, dependencies, and the ways to run a program.

A step of a program is a `ProgramCall` of a function with single calls, or a `Special` call, whose
meaning lies in its arguments: branches, bodies of loops, losses. `documented` has the functions of
the first kind. References lead from a step to the tensors that it takes.

A program of the editions of K runs as it stands, because its inputs say how. A program of
`keras.ops` runs in three ways: eager, symbolic or compiled. The question for a target has the way
(`fuzz.judging`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from conformance.editions import EDITIONS, Edition, compiles
from conformance.program import Argument, Binding, Function, Program, Ref, Step
from conformance.specs import Spec, load
from conformance.specs.expansion import ITEM
from conformance.specs.kinds import Omitted
from conformance.specs.load import documented_name, signature
from conformance.specs.model import Accuracy, Part


def references(step: Step) -> Iterator[str]:
    """The names that a step refers to, also from within callables."""
    for value in (*step.args, *(v for _, v in step.kwargs)):
        yield from _references(value)


def _references(value: Argument) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, Function):
        inside = {*value.parameters, *(step.result for step in value.steps)}
        named = [name for step in value.steps for name in references(step)]
        yield from (n for n in [*named, *_references(value.returns)] if n not in inside)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


def pruned(program: Program) -> Program:
    """The program without the steps and the inputs that its outputs do not need."""
    needed, steps = set(program.outputs), []
    for step in reversed(program.steps):
        if step.result in needed:
            steps.append(step)
            needed |= set(references(step))
    inputs = tuple(item for item in program.inputs if item.name in needed)
    return Program(inputs, tuple(steps[::-1]), program.outputs)


def renamed(step: Step, names: Mapping[str, str]) -> Step:
    """The step with other names in its references."""
    return replace(
        step,
        args=tuple(_renamed(a, names) for a in step.args),
        kwargs=tuple((k, _renamed(a, names)) for k, a in step.kwargs),
    )


def _renamed(value: Argument, names: Mapping[str, str]) -> Argument:
    if isinstance(value, Ref):
        return Ref(names.get(value.name, value.name))
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, tuple):
        return tuple(_renamed(item, names) for item in value)
    return value


def shape_of(program: Program) -> list[str]:
    """The wiring of a program: each step's function and the places that its tensors are from.

    Two programs with the same wiring differ in numbers, shapes and other arguments only.
    """
    places = {item.name: f"input {n}" for n, item in enumerate(program.inputs)}
    lines = []
    for number, step in enumerate(program.steps):
        places[step.result] = f"step {number}"
        lines.append(f"{step.function}({', '.join(places.get(r, r) for r in references(step))})")
    return [*lines, *(places[name] for name in program.outputs)]


def following(program: Program, results: Iterable[str]) -> tuple[Step, ...]:
    """The steps with these results, in order."""
    names = set(results)
    return tuple(step for step in program.steps if step.result in names)


def without(program: Program, dropped: Iterable[str]) -> Program:
    """The program without these results and all that is made of them.

    A function that is compiled of several results loses those, and its updates, alone.
    """
    gone, steps = set(dropped), []
    for step in program.steps:
        left = _function_without(step, gone) if step.function == "function" else step
        if step.result in gone or not gone.isdisjoint(references(left)) or not _gives(left):
            gone.add(step.result)
        else:
            steps.append(left)
    outputs = tuple(name for name in program.outputs if name not in gone)
    return Program(program.inputs, tuple(steps), outputs)


def _function_without(step: Step, gone: set[str]) -> Step:
    inputs, outputs = step.args[:2]
    updates = _left(dict(step.kwargs).get("updates") or [], gone)
    kwargs: tuple[tuple[str, Argument], ...] = (("updates", updates),) if updates else ()
    return replace(step, args=(inputs, _left(outputs, gone)), kwargs=kwargs)


def _left(value: Argument, gone: set[str]) -> list[Argument]:
    assert isinstance(value, list)
    return [v for v in value if not (isinstance(v, Ref) and v.name in gone)]


def _gives(step: Step) -> bool:
    """Whether it is not a function that has lost all its results."""
    return step.function != "function" or bool(step.args[1])


EDITIONS_WITH_PROGRAMS: tuple[Edition, ...] = ("keras-1", "keras-2.0", "keras-2.2", "keras-3")
"""No program calls functions of keras-3: few of them have a rule for the reach of their results
(`bounds.spread`)."""
MEMBER = "operator.getitem"
"""The function of a step that takes a member of a tuple."""


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One call, or the member of a tuple that a call returned.

    `arguments` are those of the call by the newest names of its parameters, defaults included.
    """

    result: str
    spec: Spec
    arguments: Mapping[str, Argument]
    part: Part | None = None

    @property
    def oracle(self) -> str:
        """The name under which the oracle knows what is computed."""
        whole = self.spec.oracle or self.spec.name
        return whole if self.part is None else f"{whole}.{self.part.name}"

    @property
    def answered(self) -> dict[str, Argument]:
        """The arguments that the oracle knows: none that are never passed."""
        rules = self.spec.parameters
        own = self.arguments.items()
        return {name: a for name, a in own if not isinstance(rules.get(name), Omitted)}

    @property
    def accuracy(self) -> Accuracy:
        """How far the value may be from the right one."""
        accuracy = (self.part and self.part.accuracy) or self.spec.accuracy
        assert accuracy is not None, "composed programs have functions with single calls only"
        return accuracy

    @property
    def shape_rule(self) -> Any:
        """The rule for the shape of the value; None if no document settles it."""
        if self.part is None:
            return self.spec.shape
        rule = self.spec.shape if self.part.shape is None else self.part.shape
        return None if self.part.flat else rule

    def references(self) -> list[str]:
        """The tensors among its arguments; a tensor that is passed twice occurs twice."""
        return [name for value in self.arguments.values() for name in _references(value)]


@dataclass(frozen=True, slots=True)
class Special:
    """A call of a function that has no single calls, because its meaning lies in its arguments:
    branches, bodies of loops, losses. `place` is the member that is taken of a list of results."""

    result: str
    step: Step
    spec: Spec
    part: Part | None = None
    place: int = 0

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.spec.name

    @property
    def oracle(self) -> str:
        """The same: the oracle does not know it by another name."""
        return self.spec.name

    def references(self) -> list[str]:
        """The tensors that it refers to, also those that a callable takes from outside."""
        return [*references(self.step)]


SEVERAL = ("gradients", "rnn")
"""Those that return several tensors."""
STATES = 2
"""The place of the list of states in what `rnn` returns; theirs count on from it."""
SPECIAL = (
    *("stop_gradient", "in_train_phase", "in_test_phase", "switch", "map_fn", "foldl"),
    *("gradients", "rnn"),
)
"""The functions that a `Special` can call."""


@cache
def documented(edition: Edition) -> Mapping[str, Spec]:
    """The functions that have single calls, by their names in the edition."""
    specs = load()
    known = (specs[name] for name in specs)
    return {
        documented_name(spec, edition): spec
        for spec in known
        if edition in spec.editions
        and spec.dtype is not None
        and spec.accuracy is not None
        and (not spec.draw or _is_drawn_whole(spec))
    }


def _is_drawn_whole(spec: Spec) -> bool:
    """Whether a program can hold the calls that a drawer gives.

    It cannot hold complex numbers, tensors that are never symbolic, results that an argument asks
    for, and results of which a document allows several.
    """
    rules = spec.parameters.values()
    special = any(getattr(r, "complex", False) or getattr(r, "eager", False) for r in rules)
    asked = any(part.by is not None or part.when is not None for part in spec.results)
    return spec.unique and not special and not asked


def calls_of(program: Program, edition: Edition) -> Iterator[ProgramCall | Special]:
    """The calls of a program whose results are tensors, in order.

    A step that returns a tuple yields calls where its members are taken. KeyError: a function that
    has no single calls in the edition.
    """
    whole: dict[str, tuple[Step, int]] = {}
    for step in program.steps:
        if step.function == MEMBER:
            yield from _member(whole, step, edition)
        elif step.function in SEVERAL:
            whole[step.result] = step, 0
        elif step.function in SPECIAL:
            yield Special(step.result, step, load()[step.function])
        elif (spec := documented(edition)[step.function]).results:
            whole[step.result] = step, 0
        else:
            yield ProgramCall(step.result, spec, passed(step, spec, edition))


def _member(
    whole: dict[str, tuple[Step, int]], step: Step, edition: Edition
) -> Iterator[ProgramCall | Special]:
    """The step that takes a member of `whole`, which has the place from which on members count; a
    list among the members is noted there."""
    of, index = step.args
    assert isinstance(of, Ref)
    maker, begin = whole[of.name]
    place = begin + int(str(index))
    if maker.function == "rnn" and not begin and place == STATES:
        whole[step.result] = maker, STATES
    elif maker.function in SPECIAL:
        yield Special(step.result, maker, load()[maker.function], place=place)
    else:
        spec = documented(edition)[maker.function]
        arguments, part = passed(maker, spec, edition), spec.results[0]
        if part.count is None:
            part = spec.results[place]
        else:  # each member of a list follows the rules of the only part
            arguments[ITEM] = place
        yield ProgramCall(step.result, spec, arguments, part)


def passed(step: Step, spec: Spec, edition: Edition) -> dict[str, Argument]:
    """The value of every parameter, by its newest name, defaults included."""
    own = signature(spec, edition).parameters
    arguments = dict(zip((p.name for p in own), step.args, strict=False)) | dict(step.kwargs)
    renamed = {spec.renamed.get(name, name): value for name, value in arguments.items()}
    return {**defaults(spec, edition), **renamed}


def defaults(spec: Spec, edition: Edition) -> dict[str, Any]:
    """The defaults of the edition; those of the newest for parameters that it lacks."""
    newest = [e for e in EDITIONS if e in spec.editions][-1]
    return {
        spec.renamed.get(p.name, p.name): p.value
        for e in (newest, edition)
        for p in signature(spec, e).parameters
        if not p.required
    }


COMPILED, WHOLE = "compiled", "whole"
"""The function of a mapping that compiles a callable and calls it; the name of its result."""


class Way(StrEnum):
    """How a program is run."""

    EAGER = "eager"
    """Each call returns numbers (eager mode)."""
    SYMBOLIC = "symbolic"
    """`keras.Function` computes what was called of `keras.KerasTensor`s."""
    COMPILED = "compiled"
    """The backend compiles the whole program."""


WAYS = (Way.EAGER, Way.SYMBOLIC) * 4 + (Way.COMPILED,)
"""The ways of one program after the other: to compile one takes up to a hundred times as long."""


def way_of_number(number: int, edition: Edition) -> Way | None:
    """The way of the program with this number; None where programs have none."""
    return WAYS[number % len(WAYS)] if compiles(edition) else None


def in_a_way(program: Program, way: Way | None) -> Program:
    """The program as a target runs it."""
    if way is None:
        return program
    if way is Way.SYMBOLIC and not _has_independent_outputs(program):
        return _bound(program, Binding.PLACEHOLDER)
    eager = _bound(program, Binding.CONSTANT)
    return _compiled(eager) if way is Way.COMPILED else eager


def plain(program: Program, edition: Edition) -> tuple[Program, Way | None]:
    """The program that `in_a_way` made this one of, and its way."""
    if not compiles(edition):
        return program, None
    first = program.steps[0]
    if first.function == COMPILED and isinstance(first.args[0], Function):
        return replace(program, steps=first.args[0].steps), Way.COMPILED
    fed = any(item.binding is Binding.PLACEHOLDER for item in program.inputs)
    return program, Way.SYMBOLIC if fed else Way.EAGER


def _bound(program: Program, binding: Binding) -> Program:
    return replace(program, inputs=tuple(item.bound(binding) for item in program.inputs))


def _compiled(program: Program) -> Program:
    """The program as one call of a compiled function, whose results are taken one by one."""
    names = tuple(item.name for item in program.inputs)
    returns = [Ref(name) for name in program.outputs]
    function = Function("program", names, program.steps, list(returns))
    whole = Step(WHOLE, COMPILED, (function, False, *map(Ref, names)))
    members = (
        Step(name, MEMBER, (Ref(WHOLE), place)) for place, name in enumerate(program.outputs)
    )
    return replace(program, steps=(whole, *members))


def _has_independent_outputs(program: Program) -> bool:
    """Whether an output is made of no input: `keras.Function` gives none such."""
    made_of = {item.name for item in program.inputs}
    for step in program.steps:
        if not made_of.isdisjoint(references(step)):
            made_of.add(step.result)
    return not made_of.issuperset(program.outputs)
