"""Programs with branches, and with loops whose bodies have several calls."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.fuzz.bounds.gradients import contributions
from conformance.fuzz.bounds.tensors import Share, Typed
from conformance.fuzz.making.growth import OUTSIDE, Growth
from conformance.fuzz.making.loops import BodyGrowth, elements, recurrence
from conformance.fuzz.making.wiring import Offered
from conformance.fuzz.programs import MEMBER, references
from conformance.program import Argument, Binding, Input, Ref, Step

Array = np.ndarray[Any, Any]

GRADIENTS = 0.16
"""How often a program has gradients."""
MOST_WEIGHTS = 16
"""The most elements of the tensor whose sum is the loss."""
MOST_RANKS, MOST_CLASSES = 4, 6
"""How many axes, and classes, what is made of classes has at most."""
MOST_ELEMENTS = 4
"""The most elements that a loop goes over."""


class SpecialGrowth(Growth):
    """A program that may have branches and loops."""

    phased = False
    """Whether a learning phase is fed."""

    def special(self) -> bool:
        """Add one, of any sort."""
        makers = (
            *(self._stopped, self._phased, self._switched, self._mapped, self._folded),
            *(self._rearranged, self._recurred, self._classified),
        )
        return self.random.choice(makers)()

    def last(self) -> None:
        """Add, now and then, the gradient of a sum by the tensors that it depends on."""
        if self.random.random() < GRADIENTS:
            self._differentiated()

    def _differentiated(self) -> bool:
        there = [t for t in self._floats() if t.depth and math.prod(t.type.shape) <= MOST_WEIGHTS]
        if not there:
            return False
        return self.differentiated_from(self.random.choice(there[-4:]).name)

    def differentiated_from(self, name: str) -> bool:
        """Add the sum of a tensor, and its gradient; False if it has none."""
        loss = self.name()
        if not self._added([Step(loss, "sum", (Ref(name),))]):
            return False
        with np.errstate(all="ignore"):
            sources = self._sources(loss)
        self.random.shuffle(sources)
        used = Counter(n for step in self.steps for n in set(references(step)))
        sources.sort(key=lambda n: used[n] < 2)  # used in several ways first
        return bool(sources) and self._added(self._gradients(loss, sources[:3]))

    def _sources(self, loss: str) -> list[str]:
        """The tensors by which the gradient of the loss is known in every draw."""
        swept = [contributions(course, loss) for course in self.courses]
        return [
            name
            for name in swept[0]
            if name != loss and all(_is_known(shares, name) for shares in swept)
        ]

    def _gradients(self, loss: str, names: Sequence[str]) -> list[Step]:
        name = self.name()
        asked = Step(f"{name}_g", "gradients", (Ref(loss), [Ref(n) for n in names]))
        members = [
            Step(name if not i else f"{name}_{i}", MEMBER, (Ref(asked.result), i))
            for i in range(len(names))
        ]
        return [asked, *members]

    def answered_safely(
        self,
        inputs: Sequence[Input],
        arrays: Sequence[Mapping[str, Array]],
        steps: Sequence[Step],
    ) -> bool:
        """Add the steps if they have an answer."""
        try:
            return self.answered(inputs, arrays, steps)
        except OUTSIDE:
            return False

    def _added(self, steps: Sequence[Step]) -> bool:
        return self.answered_safely([], [{} for _ in self.arrays], steps)

    def _special(self, function: str, *arguments: Argument, **named: Argument) -> bool:
        return self._added([Step(self.name(), function, arguments, tuple(named.items()))])

    def _rearranged(self) -> bool:
        """Axes moved twice in a row, which may be fused into one move, or into none."""
        there = [t for t in self._floats() if len(t.type.shape) > 1]
        if not there:
            return False
        chosen = self.random.choice(there)
        return self._moved(chosen) and self._moved(self.pool[-1])

    def _classified(self) -> bool:
        """The tensors that hold classes: integers, and rows with a one for each."""
        there = [t for t in self._floats() if t.depth and 1 <= len(t.type.shape) < MOST_RANKS]
        if not there:
            return False
        tensor = self.random.choice(there)
        if not self._special("abs", Ref(tensor.name)):
            return False
        if not self._special("cast", Ref(self.pool[-1].name), "int32"):
            return True
        classes = 1 + max(int(known.value.max()) for known in self.pool[-1].draws)
        if classes <= MOST_CLASSES:
            self._special("one_hot", Ref(self.pool[-1].name), classes)
        return True

    def _moved(self, tensor: Offered) -> bool:
        axes = [*range(len(tensor.type.shape))]
        if self.random.random() < 0.3:
            return self._special("transpose", Ref(tensor.name))
        self.random.shuffle(axes)
        return self._special("permute_dimensions", Ref(tensor.name), tuple(axes))

    def _floats(self) -> list[Offered]:
        return [t for t in self.pool if t.type.dtypes == (self.dtype,)]

    def _stopped(self) -> bool:
        there = self._floats()
        return bool(there) and self._special("stop_gradient", Ref(self.random.choice(there).name))

    def _pair(self) -> tuple[Offered, Offered] | None:
        """Two tensors of one type."""
        there = self._floats()
        pairs = [(a, b) for a in there for b in there if a is not b and a.type == b.type]
        return self.random.choice(pairs) if pairs else None

    def _phased(self) -> bool:
        pair = self._pair()
        if pair is None:
            return False
        x, alt = (Ref(t.name) for t in pair)
        name = self.random.choice(("in_train_phase", "in_test_phase"))
        if self.plan.edition == "keras-1":  # which has no `training`
            return False
        if self.phased and self.random.random() < 0.7:
            return self._special(name, x, alt)
        return self._special(name, x, alt, training=self.random.choice((0, 1)))

    def _switched(self) -> bool:
        """A choice by a scalar that was computed, or is fed."""
        flags = [t.name for t in self.pool if "bool" in t.type.dtypes and t.type.shape == ()]
        pair = self._pair()
        if pair is None:
            return self._flagged()
        branches = [Ref(t.name) for t in pair]
        if flags and self.random.random() < 0.7:
            return self._special("switch", Ref(self.random.choice(flags)), *branches)
        item = Input(f"x{len(self.inputs)}", (), "bool", Binding.PLACEHOLDER)
        arrays = [{item.name: np.array(self.random.random() < 0.5)} for _ in self.arrays]
        step = Step(self.name(), "switch", (Ref(item.name), *branches))
        return self.answered_safely([item], arrays, [step])

    def _flagged(self) -> bool:
        """A scalar by which a later call can choose."""
        flags = [t for t in self.pool if t.type.dtypes == ("bool",)]
        return bool(flags) and self._special("any", Ref(self.random.choice(flags).name))

    def _mapped(self) -> bool:
        tensor = self._elements()
        if tensor is None or self.plan.edition == "keras-1":
            return False
        inner = BodyGrowth(self, {"e": elements(tensor)})
        body = inner.body()
        return body is not None and self._special("map_fn", body, Ref(tensor.name))

    def _folded(self) -> bool:
        tensor = self._elements()
        if tensor is None or self.plan.edition == "keras-1":
            return False
        inner = BodyGrowth(self, {"a": elements(tensor), "e": elements(tensor)})
        body = inner.body(like=Typed(tensor.type.shape[1:], tensor.type.dtypes))
        return body is not None and self._special("foldl", body, Ref(tensor.name))

    def _recurred(self) -> bool:
        """A loop over time."""
        if self.plan.edition != "keras-2.2":  # before it the first state is the output
            return False
        calls = recurrence(self)
        return calls is not None and self.answered_safely(*calls)

    def _elements(self) -> Offered | None:
        """A tensor to go over."""
        there = [t for t in self._floats() if t.type.shape and 0 < t.type.shape[0] <= MOST_ELEMENTS]
        return self.random.choice(there) if there else None


def _is_known(swept: Mapping[str, Share], name: str) -> bool:
    """Whether a tensor has a gradient that is known: it has none by a branch that is not taken."""
    return name in swept and bool(np.isfinite(swept[name][1]).all())
