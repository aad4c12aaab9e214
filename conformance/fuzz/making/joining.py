"""Programs that cover the pairs of a block of the plan, each by two calls of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.tensors import Typed
from conformance.fuzz.making.control_flow import MOST_WEIGHTS, SpecialGrowth
from conformance.fuzz.making.growth import OUTSIDE, SPECIAL
from conformance.fuzz.making.pairs import (
    DTYPES,
    ELEMENTS,
    Beside,
    Drafted,
    FormRecipe,
    Item,
    Pair,
    blocks,
    drafted,
    forms,
    names_in,
)
from conformance.fuzz.making.sessions import SessionGrowth
from conformance.fuzz.making.wiring import Offered, WiredDraft, is_free, is_within
from conformance.fuzz.programs import ProgramCall, Special, documented
from conformance.generators.calls import CallDraft
from conformance.generators.domains import DOMAINS
from conformance.generators.drawing import Seeded
from conformance.program import Binding, Input
from conformance.specs import Spec

Array = np.ndarray[Any, Any]
FEEDERS, TAKERS = 5, 3
"""How often the first call of a pair is made, and after each of these the second."""
DRAFTS = 16
"""How often a call is drawn until documents settle it, and its result fits the second call."""
FEW = 10
"""About the most elements of a tensor that gradients are taken through."""
OTHERS = ("int32", "bool")
"""The dtypes of tensors beside the floating dtype of a program."""
LARGEST = 128
"""The most elements of a tensor that a pair has between its calls."""
DRAWS = (1, 1, 2)
"""How many sets of numbers a program has, by its number."""
FRESH = 0.6
"""How often the first call of a pair has inputs of its own."""
_LENT = (True, False)


class PairDraft(WiredDraft):
    """A call some of whose parameters are tensors that exist already: those of `taken`.

    Other tensors often get one of the shapes that are `lent`. Then they fit these.
    """

    def __init__(
        self,
        chooser: Seeded,
        spec: Spec,
        edition: Edition,
        pool: Sequence[Offered],
        taken: Mapping[str, Offered],
        *,
        dtype: str,
        elements: int,
        lent: Sequence[tuple[int, ...]] = (),
    ) -> None:
        self.taken = taken
        self.lent = (*lent, *(t.type.shape for t in taken.values()))
        super().__init__(chooser, spec, edition, pool, dtype=dtype, elements=elements)

    def existing_shape(self, ranks: tuple[int, int], room: int) -> tuple[int, ...] | None:
        """The shape of a tensor that the call must take, or often a lent shape."""
        begins, taken = self.begins, {t.type.shape for t in self.taken.values()}
        lent = [s for s in self.lent if begins and is_within(s, ranks, room)]
        if not lent or not (taken or self.pick(_LENT)):
            return super().existing_shape(ranks, room)
        self.begins = False
        fitting = tuple(s for s in lent if s in taken)
        chosen: tuple[int, ...] = self.pick(fitting or tuple(lent))
        return chosen

    def add_tensor(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: str,
        domain: str,
        binding: Binding | None = None,
    ) -> None:
        """Pass the tensor that is to be taken; another tensor may get its shape to fit it."""
        tensor = self.taken.get(name)
        free = is_free(self.rules[name])
        if tensor is None and not (free and self.lent and self.pick(_LENT)):
            super().add_tensor(name, shape, dtype, domain, binding)
            return
        lent = self.pick(self.lent) if tensor is None else tensor.type.shape
        ranks = getattr(self.rules[name], "ranks", (len(shape), len(shape)))
        if free and ranks[0] <= len(lent) <= ranks[1]:
            shape = lent
        elif tensor is None:
            mixed = tuple(self.pick((length, *lent)) for length in shape)
            shape = mixed if math.prod(mixed) <= LARGEST else shape
        if tensor is not None:
            self.wires[name] = tensor
        CallDraft.add_tensor(self, name, shape, dtype, domain, binding)

    def add_tensors(self, name: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
        """Pass a list that has the tensor that is to be taken."""
        tensor = self.taken.get(name)
        if tensor is None:
            super().add_tensors(name, shapes, dtype)
            return
        if len(tensor.type.shape) == len(shapes[0]):
            shapes = [tensor.type.shape] * len(shapes)
        self.wires[f"{name}_{self.integer((0, len(shapes) - 1))}"] = tensor
        CallDraft.add_tensors(self, name, shapes, dtype)

    def replace_by(self, item: Input, tensor: Offered) -> bool:
        """Pass an existing tensor in place of an input, if it fits there."""
        fits = self.fits(tensor, item)
        if fits:
            self.wires[item.name] = tensor
        return fits


class JoiningGrowth(SpecialGrowth):
    """A program that covers its block of the plan."""

    profile = "ordinary"
    """How the numbers of new inputs are made: one of `_NUMBERS`."""
    differentiated = False
    """Whether gradients are taken through the pairs."""

    @property
    def draws(self) -> int:
        """Fewer where the plan has pairs for the program, which costs less."""
        planned = self.number < len(blocks(self.plan)) and not isinstance(self, SessionGrowth)
        return min(self.plan.draws, DRAWS[self.number % len(DRAWS)] if planned else self.plan.draws)

    def fill(self) -> bool:
        """Join each pair of the block; without one, add calls at random."""
        planned = blocks(self.plan)
        self.observed: list[str] = []
        if self.number >= len(planned):
            return super().fill()
        low, high = self.plan.size
        self.differentiated = planned[self.number].differentiated
        for item in planned[self.number].items:
            if self.count and self.random.random() < SPECIAL:
                self.special()
            if self.count + 2 <= high:
                results = self._join(item)
                self.observed += results
                if results and self.differentiated:
                    self._differentiate(results[-1])
        while self.count < low:
            if not self.grow(must=False):
                return False
        called = {call.spec.name for call in self.courses[0].calls}
        return not self.plan.functions or not called.isdisjoint(self.plan.functions)

    def numbers(
        self, draft: WiredDraft, fresh: Sequence[Input], names: Mapping[str, str]
    ) -> dict[str, Array]:
        """Numbers of the profile where the function takes such ones."""
        arrays = super().numbers(draft, fresh, names)
        change = _NUMBERS[self.profile]
        for item in fresh:
            array, domain = arrays[names[item.name]], draft.domains[item.name]
            fixed = item.name in draft.below or item.name in draft.along
            if array.dtype.kind == "f" and not fixed:
                other = change(array, self.rng)
                if DOMAINS[domain].admits(other).all():
                    arrays[names[item.name]] = other
        return arrays

    def _outputs(self) -> tuple[str, ...]:
        """Also each result of a pair."""
        outputs = super()._outputs()
        return (*outputs, *(name for name in self.observed if name not in outputs))

    def _join(self, item: Item) -> list[str]:
        """Add the calls of an item; the results that show whether they are right."""
        for attempt in range(FEEDERS):
            forget = self.remembered()
            try:
                results = (
                    self._fed(item, attempt) if isinstance(item, Pair) else self._doubled(item)
                )
            except OUTSIDE:
                results = []
            self.profile = "ordinary"
            if results:
                return results
            forget()
        return []

    def _differentiate(self, name: str) -> None:
        """Add the gradient of the sum of a result, if there is room and it has one."""
        there = {t.name: t.type for t in self.pool}
        if self.count + 2 > self.plan.size[1] or name not in there:
            return
        small = math.prod(there[name].shape) <= MOST_WEIGHTS
        if small and there[name].dtypes == (self.dtype,):
            forget = self.remembered()
            if not self.differentiated_from(name):
                forget()

    def _fed(self, pair: Pair, attempt: int) -> list[str]:
        """Call the feeder, and the taker with its result.

        The taker is drawn first, for its shapes, where its tensors must fit each other."""
        second = documented(self.plan.edition)[pair.taker]
        rule = second.parameters[pair.parameter]
        domain = getattr(rule, "domain", "probability")
        self.profile = self.random.choice(_PROFILES.get(domain, tuple(_NUMBERS)))
        backwards = attempt % 2 == int(is_free(rule))
        return self._backwards(pair) if backwards else self._forwards(pair)

    def _forwards(self, pair: Pair) -> list[str]:
        known = documented(self.plan.edition)
        first, second = known[pair.feeder], known[pair.taker]
        fitting_forms = forms(self.plan.edition)[pair.taker].takes[pair.parameter]
        gives = forms(self.plan.edition)[pair.feeder].gives
        recipes = [r for form in gives if form in fitting_forms for r in gives[form]]
        recipes = [r for r in recipes if r.dtype in (self.dtype, *OTHERS)] or recipes
        drawn = (self._by_recipe(first, self.random.choice(recipes)) for _ in range(DRAFTS))
        fitting = (draft for draft in drawn if draft and not fitting_forms.isdisjoint(draft.gives))
        tensor = self._offer(next(fitting, None))
        for _ in range(TAKERS if tensor else 0):
            assert tensor
            if self._pass(second, {pair.parameter: tensor}):
                return [self.steps[-1].result]
        return []

    def _backwards(self, pair: Pair) -> list[str]:
        known = documented(self.plan.edition)
        second = self._drawn(known[pair.taker])
        item = _input(second, pair.parameter) if second else None
        if second is None or item is None:
            return []
        kind = Typed(item.shape, (item.dtype,))
        drawn = (self._drawn(known[pair.feeder], _before(item.shape)) for _ in range(DRAFTS))
        fitting = (draft for draft in drawn if draft and draft.type in (kind, None))
        tensor = self._offer(next(fitting, None))
        if tensor is None or not second.draft.replace_by(item, tensor):
            return []
        added = self.add(second.draft, second.steps)
        return [self.steps[-1].result] if added else []

    def _offer(self, drawn: Drafted[PairDraft] | None) -> Offered | None:
        """Add a drawn call; its result if later calls may take it."""
        if drawn is None or not self.add(drawn.draft, drawn.steps, apart=True):
            return None
        tensor = self.pool[-1]
        whole = tensor.name == self.steps[-1].result
        return tensor if whole and math.prod(tensor.type.shape) <= LARGEST else None

    def _drawn(self, spec: Spec, lent: Sequence[tuple[int, ...]] = ()) -> Drafted[PairDraft] | None:
        """A call of tensors of the program, or often of none but its own; None if nothing fits."""
        own = [d for d in spec.dtypes.documented if d in DTYPES] or list(spec.dtypes.documented)
        own = [d for d in own if d in (self.dtype, *OTHERS)] or own
        likely = [self.dtype] * 3 if self.dtype in own else []
        pool = [] if self.random.random() < FRESH else self.pool
        return self._drafted(spec, pool, {}, self.random.choice([*own, *likely]), lent)

    def _by_recipe(self, spec: Spec, recipe: FormRecipe) -> Drafted[PairDraft] | None:
        """A call in the dtype of a recipe, and often with tensors of its shapes."""
        pool = [] if self.random.random() < FRESH else self.pool
        return self._drafted(spec, pool, {}, recipe.dtype, recipe.shapes)

    def _drafted(
        self,
        spec: Spec,
        pool: Sequence[Offered],
        tensors: Mapping[str, Offered],
        dtype: str,
        lent: Sequence[tuple[int, ...]] = (),
    ) -> Drafted[PairDraft] | None:
        draft = PairDraft(
            Seeded(self.random),
            spec,
            self.plan.edition,
            pool,
            tensors,
            dtype=dtype,
            elements=FEW if self.differentiated else ELEMENTS,
            lent=lent,
        )
        return drafted(draft)

    def _pass(self, spec: Spec, tensors: Mapping[str, Offered]) -> bool:
        """Call a function with these tensors."""
        (dtype, *others), *_ = (t.type.dtypes for t in tensors.values())
        if others:
            return False
        if dtype not in spec.dtypes.documented:
            dtype = self.random.choice(self.dtypes(spec))
        drawn = (self._drafted(spec, self.pool, tensors, dtype) for _ in range(DRAFTS))
        fitting = next(filter(None, drawn), None)
        try:
            return fitting is not None and self.add(fitting.draft, fitting.steps)
        except OUTSIDE:
            return False

    def _doubled(self, item: Beside) -> list[str]:
        """Call a function twice with the same tensor."""
        spec = documented(self.plan.edition)[item.function]
        draft = self._drawn(spec)
        if draft is None or not draft.draft.inputs:
            return []
        if not self.add(draft.draft, draft.steps, apart=True):
            return []
        first = self.courses[0].calls[-1]
        assert isinstance(first, ProgramCall)
        if item.change == "equal":
            second = replace(self.steps[-1], result=self.name())
            same = not spec.results and self.answered([], [{} for _ in self.arrays], [second])
            return [first.result, second.result] if same else []
        tensors = self._tensors_of(first)
        if item.change == "operands":
            tensors = dict([*tensors.items()][:1])
        for _ in range(TAKERS * 2):
            forget = self.remembered()
            if self._pass(spec, tensors) and _differs(first, self.courses[0].calls[-1]):
                return [first.result, self.steps[-1].result]
            forget()
        return []

    def _tensors_of(self, call: ProgramCall) -> dict[str, Offered]:
        """The tensors that a call is passed, by its parameters; of a list the first one."""
        offered = {t.name: t for t in self.pool}
        names = {p: names_in(value) for p, value in call.arguments.items()}
        return {p: offered[own[0]] for p, own in names.items() if own}


def _input(drawn: Drafted[PairDraft], parameter: str) -> Input | None:
    """The tensor that a call is passed for a parameter; of a list the first one."""
    for name in names_in(drawn.draft.passed.get(parameter)):
        return next(item for item in drawn.draft.inputs if item.name == name)
    return None


def _before(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes from which a call may make this one: itself, one axis more or fewer, reversed."""
    longer = [(*shape[:axis], 2, *shape[axis:]) for axis in range(len(shape) + 1)]
    shorter = [(*shape[:axis], *shape[axis + 1 :]) for axis in range(len(shape))]
    return [shape, *longer, shape, *shorter, shape[::-1], shape]


def _differs(first: ProgramCall, second: ProgramCall | Special) -> bool:
    assert isinstance(second, ProgramCall)
    return first.arguments != second.arguments or first.part != second.part


_NUMBERS: Mapping[str, Callable[[Array, np.random.Generator], Array]] = {
    "ordinary": lambda array, _: array,
    "positive": lambda array, _: (np.abs(array) + 0.5).astype(array.dtype),
    "unit": lambda array, rng: (rng.integers(4, 61, array.shape) / 64).astype(array.dtype),
}
"""Changes of the numbers of a new input. After them a later function may take its results."""
_PROFILES: Mapping[str, tuple[str, ...]] = {
    "real": ("ordinary", "ordinary", "ordinary", "positive"),
    "positive": ("ordinary", "positive", "unit"),
    "nonnegative": ("ordinary", "positive", "unit"),
    "nonzero": ("ordinary", "positive", "unit"),
}
"""The profiles that suit the domain of the argument that a result is passed for; any for others."""
