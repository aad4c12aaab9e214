"""One call drawn from its spec, with results of earlier calls as its tensors where these fit.

The generators draw the parameters of a call one after the other, dependencies first. Each later
parameter fits the earlier ones. Here a tensor with a free shape takes the shape of an existing
tensor, and the generators draw the rest to fit it. A drawer begins with the shape of an existing
tensor in the same way. No list says which function fits which: the rules of the spec decide.

`Offered` is a tensor that later calls may take. `drawn` makes numbers for the inputs that a call
adds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import Edition
from conformance.fuzz.bounds import admissible
from conformance.fuzz.bounds.tensors import Known, Typed
from conformance.generators import orders, probabilities
from conformance.generators.calls import CallDraft
from conformance.generators.drawing import Chooser
from conformance.generators.kinds import draw_parameter
from conformance.generators.orders import NAMES_OF_INDICES
from conformance.generators.values import fill, indices
from conformance.program import Binding, Input, Step
from conformance.specs import Spec, kinds
from conformance.specs.expansion import ITEM
from conformance.specs.kinds import ParameterRule
from conformance.specs.load import signature
from conformance.specs.rules import evaluate


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """A tensor that later calls may take: its type, its numbers in each draw, and how many calls it
    is away from the inputs."""

    name: str
    type: Typed
    draws: Sequence[Known]
    depth: int

    def within(self, domain: str) -> bool:
        """Whether all that it may hold belongs to the domain of a parameter."""
        return all(admissible.within(known, domain) for known in self.draws)

    def below(self, bound: int) -> bool:
        """Whether its elements are known integers from 0 to less than `bound`."""
        return all(
            k.exact
            and k.value.dtype.kind in "iu"
            and bool(((k.value >= 0) & (k.value < bound)).all())
            for k in self.draws
        )

    def sums_to_one(self, axis: int) -> bool:
        """Whether its elements are probabilities that sum to one along an axis."""
        return all(admissible.sums_to_one(known, axis) for known in self.draws)


_FREE = (kinds.TensorKind, kinds.Images, kinds.Distribution, kinds.ScoresKind)
"""Kinds of tensors whose shape depends on no other tensor, unless the rule names one."""
_TAKEN = (True,) * 9 + (False,)
"""How often a tensor whose shape is free is an existing one."""
_ALSO_TAKEN = (True, True, False)
"""How often one whose shape must fit another's is."""


def is_free(rule: ParameterRule) -> bool:
    """Whether the shape of a tensor depends on no other tensor."""
    return isinstance(rule, _FREE) and getattr(rule, "of", None) is None


class WiredDraft(CallDraft):
    """A call under construction; `wires` has the earlier tensor that each of its inputs is."""

    def __init__(
        self,
        chooser: Chooser,
        spec: Spec,
        edition: Edition,
        pool: Sequence[Offered],
        *,
        dtype: str,
        elements: int,
    ) -> None:
        self.pool = pool
        self.wires: dict[str, Offered] = {}
        self.begins = False
        """Whether a drawer is about to draw its first shape."""
        super().__init__(
            chooser,
            spec,
            signature(spec, edition),
            edition,
            None,
            dtype=dtype,
            binding=Binding.VARIABLE,
            elements=elements,
        )

    def make(self) -> tuple[Step, ...]:
        """Draw all parameters and the way of passing them; the steps of the call.

        UnsatisfiedAssumption: nothing fits.
        """
        for names in self.turns:
            self.begins = isinstance(self.rules[names[0]], kinds.FromDrawer)
            draw_parameter(self, names[0])
        steps = self._steps()
        for item in self.inputs:
            self._wire(item)
        return steps

    def existing_shape(self, ranks: tuple[int, int], room: int) -> tuple[int, ...] | None:
        """Mostly, the first shape of a drawer is that of an earlier tensor."""
        if not self.begins:
            return None
        self.begins = False
        fitting = [t for t in self.pool if t.type.dtypes == (self.dtype,)]
        fitting = [t for t in fitting if is_within(t.type.shape, ranks, room)]
        return self._recent(fitting).type.shape if fitting and self.pick(_TAKEN) else None

    def _member(self) -> int:
        """The place of a member counts from the beginning of a list: the oracle knows it so."""
        place = super()._member()
        return int(self.values.get(ITEM, place))

    def add_tensor(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: str,
        domain: str,
        binding: Binding | None = None,
    ) -> None:
        """Pass an input, of the shape of an earlier tensor if the shape is free."""
        rule = self.rules[name]
        if is_free(rule) and self.pick(_TAKEN):
            ranks = getattr(rule, "ranks", (len(shape), len(shape)))
            needed = "logit" if isinstance(rule, kinds.Distribution) else domain
            fitting = [t for t in self.pool if ranks[0] <= len(t.type.shape) <= ranks[1]]
            fitting = [t for t in fitting if t.within(needed)]
            shape = self._taken(name, fitting, dtype, shape)
        elif isinstance(rule, kinds.Indices) and self.pick(_ALSO_TAKEN):
            shape = self._indices_taken(name, rule, shape)
        super().add_tensor(name, shape, dtype, domain, binding)

    def add_tensors(self, name: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
        """Pass a list of inputs, mostly of the shape of an earlier tensor of that rank."""
        rank = len(shapes[0])
        fitting = [t for t in self.pool if len(t.type.shape) == rank and 0 not in t.type.shape]
        fitting = [t for t in fitting if t.type.dtypes == (dtype,)]
        if fitting and self.pick(_TAKEN):
            shapes = [self._recent(fitting).type.shape] * len(shapes)
        super().add_tensors(name, shapes, dtype)

    def _taken(
        self, name: str, fitting: Sequence[Offered], dtype: str, shape: tuple[int, ...]
    ) -> tuple[int, ...]:
        fitting = [t for t in fitting if t.type.dtypes == (dtype,) and 0 not in t.type.shape]
        if not fitting:
            return shape
        chosen = self._recent(fitting)
        self.wires[name] = chosen
        return chosen.type.shape

    def _indices_taken(
        self, name: str, rule: kinds.Indices, shape: tuple[int, ...]
    ) -> tuple[int, ...]:
        below = evaluate(rule.below, self.scope(static=False))
        low, high = rule.ranks
        allowed = set(rule.dtypes or self.spec.dtypes.documented)
        fitting = [
            t
            for t in self.pool
            if low <= len(t.type.shape) <= high and set(t.type.dtypes) <= allowed and t.below(below)
        ]
        if not fitting:
            return shape
        chosen = self._recent(fitting)
        self.wires[name] = chosen
        return chosen.type.shape

    def _recent(self, fitting: Sequence[Offered]) -> Offered:
        """One of them, the last ones more often than the others."""
        last = tuple(fitting[-3:])
        chosen: Offered = self.pick((*fitting, *last, *last))
        return chosen

    def _wire(self, item: Input) -> None:
        """Settle which tensor an input is; an existing tensor may have got another shape."""
        chosen = self.wires.pop(item.name, None)
        if chosen is None and self.pick(_ALSO_TAKEN):
            fitting = [t for t in self.pool if self.fits(t, item)]
            chosen = self._recent(fitting) if fitting else None
        elif chosen is not None and not self.fits(chosen, item):
            raise UnsatisfiedAssumption("the taken tensor does not fit any more")
        if chosen is not None:
            self.wires[item.name] = chosen

    def fits(self, tensor: Offered, item: Input) -> bool:
        """Whether a tensor can take the place of the input, by its type and its numbers."""
        below = self.below.get(item.name)
        if tensor.type.shape != item.shape:
            return False
        if below is not None:
            own = self.domains[item.name] in NAMES_OF_INDICES
            allowed = set(tensor.type.dtypes) <= self._indices_of(item)
            return not own and allowed and tensor.below(below)
        if tensor.type.dtypes != (item.dtype,):
            return False
        along = self.along.get(item.name)
        if along is None or (along.logits is not None and self.values.get(along.logits)):
            domain = "logit" if along is not None else self.domains[item.name]
            return tensor.within(domain)
        if along.axis is None:
            return tensor.within("probability")
        return tensor.sums_to_one(self.values[along.axis])

    def _indices_of(self, item: Input) -> set[str]:
        """The dtypes that the documents allow for a tensor of indices."""
        rule = self.rules.get(item.name)
        return set(getattr(rule, "dtypes", None) or self.spec.dtypes.documented)


Array = npt.NDArray[Any]
PROFILE = "ordinary"


def is_within(shape: tuple[int, ...], ranks: tuple[int, int], room: int) -> bool:
    """Whether a shape has such a rank, and elements, but not more than there is room for."""
    return ranks[0] <= len(shape) <= ranks[1] and 0 < math.prod(shape) <= room


def drawn(
    draft: WiredDraft, fresh: Sequence[Input], names: Mapping[str, str], rng: np.random.Generator
) -> dict[str, Array]:
    """An array for each new input of a call, by its name in the program."""
    return {names[item.name]: _array(draft, item, rng) for item in fresh}


def _places(draft: WiredDraft, item: Input, below: int, rng: np.random.Generator) -> Array:
    """Indices, or rows of coordinates, as their domain has them."""
    domain = draft.domains[item.name]
    if item.name in draft.columns:
        sizes = draft.columns[item.name]
        return orders.rows(rng, item.shape[0], sizes, distinct=domain == "distinct")
    places = indices(rng, item.shape, item.dtype, below, PROFILE)
    fit = orders.OF_INDICES.get(domain)
    return places if fit is None else fit(rng, places, below)


def _array(draft: WiredDraft, item: Input, rng: np.random.Generator) -> Array:
    below, along = draft.below.get(item.name), draft.along.get(item.name)
    if below is not None:
        return _places(draft, item, below, rng).astype(item.dtype)
    if along is None:
        return fill(rng, item.shape, item.dtype, draft.domains[item.name], PROFILE)
    if along.logits is not None and draft.values.get(along.logits):
        return fill(rng, item.shape, item.dtype, "logit", PROFILE)
    if along.axis is None:
        return fill(rng, item.shape, item.dtype, "probability", PROFILE)
    fill_along = probabilities.targets if along.target else probabilities.distribution
    return fill_along(rng, item.shape, item.dtype, draft.values[along.axis], PROFILE)
