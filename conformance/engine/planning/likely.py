"""Likely calls: the kinds of calls that convict most functions for their cost.

The published results of `keras.ops` show which calls convict. Most failing functions fail with
symbolic tensors of float64, whose claimed dtype is wrong, or with a list beside symbolic tensors.
Every profile has a call of each kind right after its first calls.

`default` also has a *bare* call of each dtype that a docstring does not name: symbolic tensors of
that dtype, and no argument that asks for another. Rules for dtypes, such as the sum of small
integers, show there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from hypothesis.strategies import SearchStrategy

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

LIKELY_VALUES = ("ordinary", "special")
"""The value profiles of a likely call."""
TRIES, BARE_TRIES = 4, 12
"""How many calls are drawn; the call that rests on the fewest conventions is taken. Few draws of a
function with a parameter `dtype` are bare."""
ASKS = "dtype"
"""The parameter that asks for the dtype of a result."""


@dataclass(frozen=True, slots=True)
class LikelyKind:
    """A kind of calls with symbolic tensors of one dtype."""

    dtype: str | None = None
    """None for the first documented one."""
    lists: bool = False
    """Whether the first argument has a list in place of each tensor."""
    bare: bool = False
    """Whether no argument asks for a dtype."""

    def of(self, spec: Spec) -> str:
        """The dtype of the tensors of a function."""
        return self.dtype or spec.dtypes.documented[0]

    def is_offered(self, spec: Spec, edition: Edition) -> bool:
        """Whether the function takes such tensors."""
        bindings = {Binding.PLACEHOLDER, *([Binding.PYTHON] if self.lists else [])}
        tried = (*spec.dtypes.documented, *spec.dtypes.probed)
        return self.of(spec) in tried and bindings.issubset(offered_bindings(spec, edition))

    def strategy(self, spec: Spec, edition: Edition) -> SearchStrategy[Structure]:
        """All calls of the kind."""
        dtype, binding = self.of(spec), Binding.PLACEHOLDER
        calls = structures(spec, edition, dtype=dtype, binding=binding, elements=SMALL)
        return calls.map(_with_lists) if self.lists else calls

    def draw(self, spec: Spec, edition: Edition, seed: int) -> Drawn[Structure] | None:
        """One call of the kind that rests on few conventions; None if none is drawn."""
        random = Random(seed)  # noqa: S311
        dtype, binding = self.of(spec), Binding.PLACEHOLDER

        def make(chooser: Chooser) -> Structure:
            call = made(chooser, spec, edition, dtype=dtype, binding=binding, elements=SMALL)
            return _with_lists(call) if self.lists else call

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
        binding = Binding.PYTHON if self.lists else Binding.PLACEHOLDER
        return not empty and any(item.binding is binding for item in inputs)


def _with_lists(call: Structure) -> Structure:
    """The call with lists in place of the tensors of its first argument."""
    first = next((item.name for item in call.program.inputs), "")
    arguments = (set(references(value)) for value in call.arguments.values())
    names = next((names for names in arguments if first in names), set())
    inputs = tuple(_list(i) if i.name in names else i for i in call.program.inputs)
    other = with_program(call, replace(call.program, inputs=inputs), {})
    opened = left_open(inputs, call.spec, call.edition)
    return replace(other, unsettled=tuple(sorted({*other.unsettled, *opened})))


def _list(item: Input) -> Input:
    bare = replace(item, binding=Binding.PYTHON, arguments=None, layout=Layout.C)
    return as_python_has_it(bare)


KINDS = (LikelyKind(lists=True), LikelyKind("float64"))
"""Those that convict most functions of one half of the published results (docs/plan.md)."""


def likely_kinds(spec: Spec, edition: Edition, bare: bool = False) -> list[LikelyKind]:
    """The kinds of a function; none where the edition promises nothing of symbolic tensors.

    With `bare` also those of each dtype that its docstring does not name.
    """
    if not symbols_of(edition):
        return []
    dtypes = spec.dtypes.probed if bare else []
    kinds = (*KINDS, *(LikelyKind(dtype, bare=True) for dtype in dtypes))
    return [kind for kind in kinds if kind.is_offered(spec, edition)]


def likely_calls(
    spec: Spec, edition: Edition, seed: int, bare: bool = False
) -> Iterator[tuple[LikelyKind, Drawn[Structure]]]:
    """The likely calls of a function, each with its kind."""
    for kind in likely_kinds(spec, edition, bare):
        draw = kind.draw(spec, edition, seed)
        if draw is not None:
            yield kind, draw
