"""Structures: one call of one function with its shapes, dtypes, attributes and bindings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from conformance.dtypes import is_floating
from conformance.editions import Edition, promotes
from conformance.generators import tensors
from conformance.generators.calls import CallDraft
from conformance.generators.classes import Classes
from conformance.generators.drawing import ByHypothesis, Chooser
from conformance.generators.forms import open_forms
from conformance.generators.open_inputs import left_open, left_open_numbers
from conformance.generators.sizes import ELEMENTS
from conformance.generators.steering import Steering
from conformance.generators.tensors import ODD
from conformance.program import Argument, Binding, Program
from conformance.specs import Spec
from conformance.specs.convention_names import ConventionName
from conformance.specs.load import signature
from conformance.specs.model import Accuracy, DtypeRule, ErrorCase, Part
from conformance.specs.rules import Scope, evaluate

CONVENTION_OF_PROFILE = {
    "extremes": ConventionName.EXTREMES,
    "subnormal": ConventionName.SUBNORMAL,
    "special": ConventionName.SPECIAL_VALUES,
}
"""The value profiles that no document settles for any function, with their conventions."""
_REPEATING = ("sparse", "large", "offset")
"""Profiles with zeros or equal elements."""
_LARGE = ("large", "offset")
"""Profiles whose squares and sums may leave the range of float16."""


_FREE: Classes = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Distributed:
    """Probabilities along an axis; `target` is what they are compared with."""

    axis: int
    target: bool


CLOSED_DOMAINS = ("probability", "fraction", "inside", "logit", "mirrored", "mirrored_last", "even")
"""Domains that zeros and other simple numbers need not belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """A program with what the oracle and the values need to know of it.

    `runtime` and `static` are the scopes in which the spec's rules give the shape that must come
    out and the one that can be known when the graph is built. `unsettled` names the conventions
    without which the documents do not cover the case; it is empty where they do.
    """

    spec: Spec
    program: Program
    _: KW_ONLY
    arguments: Mapping[str, Argument]
    """What each parameter was given, by its newest name; `Ref` for inputs; defaults included."""
    passed: frozenset[str]
    """The parameters that were not left to their defaults."""
    runtime: Scope
    static: Scope
    unsettled: tuple[str, ...]
    domains: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, int] = field(default_factory=dict)
    columns: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Inputs with the coordinates of a place in each row: how many there are along each axis."""
    joint: Mapping[str, str] = field(default_factory=dict)
    """Parameters whose tensors belong together: a name of `joint.FITS` for each."""
    distributions: Mapping[str, Distributed] = field(default_factory=dict)
    """Inputs whose elements sum to one along an axis."""
    part: Part | None = None
    """The member of the tuple that the function returns, if it returns one."""
    error: ErrorCase | None = None
    """The invalid input that this structure is, if it is meant to be refused."""
    edition: Edition
    claimed: str = "result"
    """The input or result whose claimed dtype and static shape are judged."""

    @property
    def settled(self) -> bool:
        """Whether the documents cover the case and name its dtypes, so that errors violate them."""
        return not self.unsettled and not refusable(self)

    @property
    def size(self) -> tuple[int, ...]:
        """A measure of complexity: the smaller of two failing structures is shown.

        A call with half of the elements is smaller, whatever else it has, down to 31 elements.
        """
        shapes = [item.shape for item in self.program.inputs]
        elements = sum(math.prod(shape) for shape in shapes)
        axes, total = sum(max(1, len(shape)) for shape in shapes), sum(map(sum, shapes))
        doublings = max(0, elements.bit_length() - 5)
        return (doublings, len(shapes), axes, total, len(self.unsettled))

    @property
    def oracle(self) -> str:
        """The name under which the oracle knows what is observed."""
        whole = self.spec.oracle or self.spec.name
        return whole if self.part is None else f"{whole}.{self.part.name}"

    @property
    def accuracy(self) -> Accuracy:
        """How far the observed values may be from the right ones."""
        found = (self.part and self.part.accuracy) or self.spec.accuracy
        assert found is not None, "functions without single calls are tested by scenarios"
        return found

    @property
    def dtype_rule(self) -> DtypeRule | None:
        """The dtypes of what is observed."""
        return (self.part and self.part.dtype) or self.spec.dtype

    @property
    def shape_rule(self) -> Any:
        """The rule for the shape of what is observed."""
        if self.part is None:
            return self.spec.shape
        rule = self.spec.shape if self.part.shape is None else self.part.shape
        return ["list", ["product", rule]] if self.part.flat else rule

    @property
    def fixed(self) -> Mapping[str, int]:
        """Inputs whose numbers must not change in shrinking: indices and probabilities."""
        closed = {n for n, domain in self.domains.items() if domain in CLOSED_DOMAINS}
        closed |= {ref for name in self.joint for ref in tensors.references(self.arguments[name])}
        return {**self.below, **dict.fromkeys(closed, 0)}

    @property
    def _has_integers(self) -> bool:
        """Whether a tensor of numbers, not of indices, has integers or truth values."""
        inputs = self.program.inputs
        return any(not is_floating(i.dtype) for i in inputs if i.name not in self.below)

    def conventions(self, profile: str) -> tuple[str, ...]:
        """The conventions that the case rests on when its numbers come from `profile`."""
        own = {**self.spec.silent.get(self.edition, {}), **self.spec.profiles}
        named = CONVENTION_OF_PROFILE.get(profile)
        found = {own[profile]} if profile in own else set()
        if named is not None or profile in _REPEATING or self._has_integers:
            # such numbers have zeros, halves and equal elements among them, too
            found |= {own[p] for p in ("integers", "halves", "zeros") if p in own}
        half = any(i.dtype == "float16" for i in self.program.inputs)
        if half and ConventionName.CLIPPING in own.values():
            found.add(ConventionName.CLIPPING)  # what is close to 1 is rounded to 1
        if named is not None:
            found.add(named)
        elif profile in _LARGE and half:
            found.add(ConventionName.EXTREMES)
        return tuple(sorted({*self.unsettled, *found}))


@st.composite
def structures(
    draw: st.DrawFn,
    spec: Spec,
    edition: Edition,
    error: ErrorCase | None = None,
    *,
    dtype: str | None = None,
    binding: Binding | None = None,
    elements: int = ELEMENTS,
) -> Structure:
    """Structures for one function in one edition; invalid ones if `error` is given.

    `dtype` and `binding` are those of its tensors, if they are not to be drawn. A tensor has at
    most `elements` elements, about.
    """
    return made(
        ByHypothesis(draw), spec, edition, error, dtype=dtype, binding=binding, elements=elements
    )


def made(
    chooser: Chooser,
    spec: Spec,
    edition: Edition,
    error: ErrorCase | None = None,
    *,
    dtype: str | None = None,
    binding: Binding | None = None,
    wanted: Classes = _FREE,
    demanded: Classes = _FREE,
    elements: int = ELEMENTS,
) -> Structure:
    """A structure of these choices.

    Features have the classes in `wanted` where that can be had soon, and those in `demanded`
    always. The choices of a seed make the same structure if nothing is wanted.
    """
    steering = Steering(wanted, demanded)
    call = CallDraft(
        chooser,
        spec,
        signature(spec, edition),
        edition,
        error,
        dtype=dtype,
        binding=binding,
        elements=elements,
    )
    steering.dtype(call)
    for names in call.turns:
        steering.turn(call, names)
    program = steering.program(call)
    runtime, static = call.scope(static=False), call.scope(static=True)
    return Structure(
        spec=spec,
        program=program,
        arguments=call.complete_arguments(),
        passed=frozenset(call.passed),
        runtime=runtime,
        static=static,
        unsettled=() if error else _unsettled(call, runtime),
        domains=call.domains,
        below=call.below,
        columns=call.columns,
        joint=call.joint,
        distributions=_distributions(call),
        part=call.part,
        error=error,
        edition=edition,
        claimed=call.claimed,
    )


def _distributions(call: CallDraft) -> dict[str, Distributed]:
    """The inputs with probabilities along an axis, without those that turn out to be logits."""
    found = {}
    for name, along in call.along.items():
        if along.logits is not None and call.values.get(along.logits):
            call.domains[name] = "logit"
        elif along.axis is not None:
            axis, rank = call.values[along.axis], len(call.shapes[name])
            found[name] = Distributed(axis if -rank <= axis < rank else -1, along.target)
    return found


def _unsettled(call: CallDraft, runtime: Scope) -> tuple[str, ...]:
    cases = (u for u in call.spec.unsettled if u.holds_in(call.edition))
    named = {u.convention for u in cases if evaluate(u.when, runtime)}
    if any(dtype not in call.documented_dtypes(name) for name, dtype in runtime.dtypes.items()):
        named.add(ConventionName.INPUT_DTYPE)
    if call.part is not None and call.part.convention is not None:
        named.add(call.part.convention)
    if call.mixed:
        named.add(ConventionName.MIXED_DTYPES)
    named.update(open_forms(call.passed.values()))
    if any(item.layout in ODD for item in call.inputs):
        named.add(ConventionName.MEMORY_LAYOUT)
    named |= left_open(call.inputs, call.spec, call.edition)
    named |= left_open_numbers(call.passed.values(), call.edition)
    return tuple(sorted(named))


def refusable(structure: Structure) -> bool:
    """Whether a tensor has a dtype that no document names for this function."""
    first, rules = structure.spec.dtypes.documented[0], structure.spec.parameters
    return any(
        dtype != first
        for name, dtype in structure.runtime.dtypes.items()
        if not getattr(rules.get(name), "dtypes", None)
    )


def expected_shape(structure: Structure) -> tuple[int, ...]:
    """The shape of the result; it is known, because all shapes at run time are."""
    return tuple(evaluate(structure.shape_rule, structure.runtime))


def expected_static_shape(structure: Structure) -> tuple[Any, ...]:
    """The shape that follows from what is known when the graph is built; None where nothing is."""
    return tuple(evaluate(structure.shape_rule, structure.static))


def accepted_dtypes(structure: Structure, dtypes: Mapping[str, str] | None = None) -> list[str]:
    """The dtypes that the result may have, given the inputs' own (or `dtypes` in their place)."""
    scope = structure.runtime
    if ConventionName.MIXED_DTYPES in structure.unsettled and promotes(structure.edition):
        widest = tensors.widest(item.dtype for item in structure.program.inputs)
        dtypes = {**dict.fromkeys(scope.dtypes, widest), **(dtypes or {})}
    if dtypes:
        scope = replace(scope, dtypes={**scope.dtypes, **dtypes})
    rule = structure.dtype_rule
    assert rule is not None, "functions without single calls are tested by scenarios"
    return [evaluate(accepted, scope) for accepted in rule.accept]
