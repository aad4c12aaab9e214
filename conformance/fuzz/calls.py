"""A step of a composed program as the specs know it: its function and its arguments by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.editions import EDITIONS, Edition
from conformance.fuzz.programs import references
from conformance.program import Argument, Program, Ref, Step
from conformance.specs import Spec, load
from conformance.specs.load import documented_name, signature
from conformance.specs.model import Accuracy, Part

EDITIONS_WITH_PROGRAMS: tuple[Edition, ...] = ("keras-1", "keras-2.0", "keras-2.2")
"""Of the functions of keras-3 no program is made: few of them have a rule for the reach of their
results (`bounds.spread`)."""
MEMBER = "operator.getitem"
"""The function of a step that takes a member of a tuple."""


@dataclass(frozen=True, slots=True)
class Call:
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
        return self.spec.name if self.part is None else f"{self.spec.name}.{self.part.name}"

    @property
    def accuracy(self) -> Accuracy:
        """How far the value may be from the right one."""
        found = (self.part and self.part.accuracy) or self.spec.accuracy
        assert found is not None, "composed programs have functions with single calls only"
        return found

    @property
    def shape_rule(self) -> Any:
        """The rule for the shape of the value; None if no document settles it."""
        if self.part is None:
            return self.spec.shape
        rule = self.spec.shape if self.part.shape is None else self.part.shape
        return None if self.part.flat else rule

    def references(self) -> list[str]:
        """The tensors among its arguments, each as often as it is passed."""
        return [name for value in self.arguments.values() for name in _references(value)]


@dataclass(frozen=True, slots=True)
class Special:
    """A call of a function that has no single calls, because its meaning is in what it is given:
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
"""The functions of which a `Special` can be a call."""


def _references(value: Argument) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


@cache
def documented(edition: Edition) -> Mapping[str, Spec]:
    """The functions that have single calls, by their names in the edition."""
    specs = load()
    known = (specs[name] for name in specs)
    return {
        documented_name(spec, edition): spec
        for spec in known
        if edition in spec.editions and spec.dtype is not None and spec.accuracy is not None
    }


def calls_of(program: Program, edition: Edition) -> Iterator[Call | Special]:
    """The calls of a program whose results are tensors, in order.

    A step that returns a tuple is told when its members are taken. KeyError: a function that has no
    single calls in the edition.
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
            yield Call(step.result, spec, passed(step, spec, edition))


def _member(
    whole: dict[str, tuple[Step, int]], step: Step, edition: Edition
) -> Iterator[Call | Special]:
    """What takes a member of `whole`, which has the place from which on members count; a list
    among the members is noted there."""
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
        yield Call(step.result, spec, passed(maker, spec, edition), spec.results[place])


def passed(step: Step, spec: Spec, edition: Edition) -> dict[str, Argument]:
    """What every parameter stands for, by its newest name, defaults included."""
    own = signature(spec, edition).parameters
    given = dict(zip((p.name for p in own), step.args, strict=False)) | dict(step.kwargs)
    told = {spec.renamed.get(name, name): value for name, value in given.items()}
    return {**defaults(spec, edition), **told}


def defaults(spec: Spec, edition: Edition) -> dict[str, Any]:
    """The defaults of the edition; those of the newest for parameters that it lacks."""
    newest = [e for e in EDITIONS if e in spec.editions][-1]
    return {
        spec.renamed.get(p.name, p.name): p.value
        for e in (newest, edition)
        for p in signature(spec, e).parameters
        if not p.required
    }
