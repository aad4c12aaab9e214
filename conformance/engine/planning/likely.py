"""Likely calls: the kinds of calls that convict most functions for their cost.

The published results of `keras.ops` show which calls convict. Most failing functions fail with
symbolic tensors of float64, whose claimed dtype is wrong, or with a list beside tensors.
Every profile has a call of each kind right after its first calls.

`default` also has a *bare* call of each dtype that a docstring does not name: symbolic tensors of
that dtype, and no argument that asks for another. Rules for dtypes, such as the sum of small
integers, show there. And it has calls as users type them: an array or a variable beside tensors of
the backend.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from hypothesis.strategies import SearchStrategy

from conformance.dtypes import is_floating
from conformance.editions import Edition, symbols_of
from conformance.generators import Structure, structures
from conformance.generators.bindings import offered_bindings
from conformance.generators.coverage.effort import SMALL
from conformance.generators.drawing import Chooser, Drawn, seeded
from conformance.generators.open_inputs import left_open
from conformance.generators.structure import made
from conformance.generators.tensors import as_python_has_it, references
from conformance.generators.twins import with_program
from conformance.program import Binding, Input, Layout
from conformance.specs import Spec

LIKELY_VALUES, INTEGER_VALUES = ("ordinary", "special"), ("ordinary", "offset")
"""The value profiles of a likely call; those of one of integers."""
LIKELY_DRAWS = len(LIKELY_VALUES)
"""The draws of a likely call."""
TRIES, BARE_TRIES = 4, 12
"""How many calls are drawn; the call that rests on the fewest conventions is taken. Few draws of a
function with a parameter `dtype` are bare."""
ASKS = "dtype"
"""The parameter that asks for the dtype of a result."""


@dataclass(frozen=True, slots=True)
class LikelyKind:
    """A kind of calls with tensors of one dtype, symbolic ones if they are not `tensors`."""

    dtype: str | None = None
    """None for the first documented one."""
    first: Binding | None = None
    """How the tensors of the first argument are made, if not as the others."""
    tensors: Binding = Binding.PLACEHOLDER
    """How the tensors are made."""
    bare: bool = False
    """Whether no argument asks for a dtype."""

    @property
    def values(self) -> tuple[str, ...]:
        """The value profiles of a call."""
        return INTEGER_VALUES if self.dtype and not is_floating(self.dtype) else LIKELY_VALUES

    def of(self, spec: Spec) -> str:
        """The dtype of the tensors of a function."""
        return self.dtype or spec.dtypes.documented[0]

    def is_offered(self, spec: Spec, edition: Edition) -> bool:
        """Whether the function takes such tensors."""
        bindings = {self.tensors, self.first or self.tensors}
        tried = (*spec.dtypes.documented, *spec.dtypes.probed)
        return self.of(spec) in tried and bindings.issubset(offered_bindings(spec, edition))

    def strategy(self, spec: Spec, edition: Edition) -> SearchStrategy[Structure]:
        """All calls of the kind."""
        dtype = self.of(spec)
        calls = structures(spec, edition, dtype=dtype, binding=self.tensors, elements=SMALL)
        return calls.map(self._adapted)

    def draw(self, spec: Spec, edition: Edition, seed: int) -> Drawn[Structure] | None:
        """One call of the kind that rests on few conventions; None if none is drawn."""
        random = Random(seed)  # noqa: S311
        dtype = self.of(spec)

        def make(chooser: Chooser) -> Structure:
            call = made(chooser, spec, edition, dtype=dtype, binding=self.tensors, elements=SMALL)
            return self._adapted(call)

        tries = BARE_TRIES if self.bare else TRIES
        draws = [d for _ in range(tries) if isinstance(d := seeded(make, random), Drawn)]
        asking = [draw for draw in draws if self._asks(draw.value)]
        return min(asking, key=lambda draw: len(draw.value.unsettled), default=None)

    def _asks(self, call: Structure) -> bool:
        """Whether the call has a tensor made in this way, and none without elements."""
        if self.bare and call.arguments.get(ASKS) is not None:
            return False
        inputs = call.program.inputs
        empty = any(math.prod(item.shape) == 0 for item in inputs)
        binding = self.first or self.tensors
        return not empty and any(item.binding is binding for item in inputs)

    def _adapted(self, call: Structure) -> Structure:
        return call if self.first is None else _with_first(self.first, call)


def _with_first(binding: Binding, call: Structure) -> Structure:
    """The call whose first argument has tensors made in this way."""
    first = next((item.name for item in call.program.inputs), "")
    arguments = (set(references(value)) for value in call.arguments.values())
    names = next((names for names in arguments if first in names), set())
    inputs = tuple(_bound(i, binding) if i.name in names else i for i in call.program.inputs)
    other = with_program(call, replace(call.program, inputs=inputs), {})
    opened = left_open(inputs, call.spec, call.edition)
    return replace(other, unsettled=tuple(sorted({*other.unsettled, *opened})))


def _bound(item: Input, binding: Binding) -> Input:
    bare = replace(item, binding=binding, arguments=None, layout=Layout.C)
    return as_python_has_it(bare) if binding is Binding.PYTHON else bare


KINDS = (LikelyKind(first=Binding.PYTHON, tensors=Binding.CONSTANT), LikelyKind("float64"))
"""Those that convict most functions in the published results (docs/plan.md)."""
TYPED = tuple(
    LikelyKind(first=first, tensors=Binding.CONSTANT) for first in (Binding.ARRAY, Binding.VARIABLE)
)
"""An array or a variable beside tensors of the backend."""


def likely_kinds(spec: Spec, edition: Edition, bare: bool = False) -> list[LikelyKind]:
    """The kinds of a function; none where the edition promises nothing of symbolic tensors.

    With `bare` also those of each dtype that its docstring does not name, and those that users
    type.
    """
    if not symbols_of(edition):
        return []
    dtypes = spec.dtypes.probed if bare else []
    of_dtypes = (LikelyKind(dtype, bare=True) for dtype in dtypes)
    kinds = (*KINDS, *of_dtypes, *(TYPED if bare else ()))
    return [kind for kind in kinds if kind.is_offered(spec, edition)]


def likely_calls(
    spec: Spec, edition: Edition, seed: int, bare: bool = False
) -> Iterator[tuple[LikelyKind, Drawn[Structure]]]:
    """The likely calls of a function, each with its kind. No call occurs twice."""
    programs: set[str] = set()
    for kind in likely_kinds(spec, edition, bare):
        draw = kind.draw(spec, edition, seed)
        if draw is not None and (program := repr(draw.value.program)) not in programs:
            programs.add(program)
            yield kind, draw
