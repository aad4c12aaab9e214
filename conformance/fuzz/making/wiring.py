"""One call drawn from its spec, whose tensors are results of earlier calls where these fit.

The generators draw a call's parameters one after the other, dependencies first, so that what is
drawn later fits what was drawn before: here a tensor whose shape is free takes that of a tensor
that is there, and all that follows is drawn to fit it. Nothing says which function fits which; the
rules of the spec do.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import Edition
from conformance.fuzz.making.pool import Offered
from conformance.generators.calls import CallDraft
from conformance.generators.drawing import Chooser
from conformance.generators.kinds import draw_parameter
from conformance.program import Binding, Input, Step
from conformance.specs import Spec, kinds
from conformance.specs.load import signature
from conformance.specs.rules import evaluate

_FREE = (kinds.TensorKind, kinds.Images, kinds.Distribution, kinds.ScoresKind)
"""Kinds of tensors whose shape depends on no other tensor, unless they say so."""
_TAKEN = (True,) * 9 + (False,)
"""How often a tensor whose shape is free is one that is there."""
_ALSO_TAKEN = (True, True, False)
"""How often one whose shape must fit another's is."""


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
        for name in self.order:
            draw_parameter(self, name)
        steps = self._steps()
        for item in self.inputs:
            self._wire(item)
        return steps

    def add_tensor(self, name: str, shape: tuple[int, ...], dtype: str, domain: str) -> None:
        """Pass an input, of the shape of an earlier tensor if the shape is free."""
        rule = self.rules[name]
        if isinstance(rule, _FREE) and getattr(rule, "of", None) is None and self.pick(_TAKEN):
            ranks = getattr(rule, "ranks", (len(shape), len(shape)))
            wanted = "logit" if isinstance(rule, kinds.Distribution) else domain
            fitting = [t for t in self.pool if ranks[0] <= len(t.type.shape) <= ranks[1]]
            fitting = [t for t in fitting if t.within(wanted)]
            shape = self._taken(name, fitting, dtype, shape)
        elif isinstance(rule, kinds.Indices) and self.pick(_ALSO_TAKEN):
            shape = self._indices_taken(name, rule, shape)
        super().add_tensor(name, shape, dtype, domain)

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
        """Settle which tensor an input is; one that was taken may have got another shape."""
        chosen = self.wires.pop(item.name, None)
        if chosen is None and self.pick(_ALSO_TAKEN):
            fitting = [t for t in self.pool if self._fits(t, item)]
            chosen = self._recent(fitting) if fitting else None
        elif chosen is not None and not self._fits(chosen, item):
            raise UnsatisfiedAssumption("what was taken does not fit any more")
        if chosen is not None:
            self.wires[item.name] = chosen

    def _fits(self, tensor: Offered, item: Input) -> bool:
        """Whether a tensor can take the place of the input, by its type and its numbers."""
        below = self.below.get(item.name)
        if tensor.type.shape != item.shape:
            return False
        if below is not None:
            return set(tensor.type.dtypes) <= self._indices_of(item) and tensor.below(below)
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
