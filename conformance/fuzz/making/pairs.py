"""Planned pairs: a function that feeds an argument of another function, and their order.

Faults of composition need two functions that meet: an optimiser that rewrites a reshape after a
transpose, a buffer that one function frees and the next one reads. Programs drawn at random repeat
the common pairs and never reach most others. Therefore the suite counts and plans pairs.

A *pair* is an edge of a program: a call of `feeder` returns a tensor that a call of `taker`
receives as `parameter`. The suite draws some calls of each spec and notes the *forms* (dtype and
rank) of their tensors and results. A pair exists if a result of the feeder has a form that the
taker's parameter takes. Numbers play no part: some pairs exist whose numbers never fit, such as the
logarithm of a number below zero. These count as tried.

The *plan* (`blocks`) puts the pairs of an edition in an order:

1. Pairs that graph optimisers rewrite (`is_rewritten`), with gradients, and equal or similar calls
   beside each other (`Beside`).
2. All other pairs.
3. The first part again, with other arguments and numbers and without gradients.
4. The second part again, with gradients.

The seed decides the order within each part. The program with the number n covers the n-th block of
pairs, so the plan needs no memory of earlier programs. Editions whose gradients no function returns
have no fourth part.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from conformance.editions import Edition, compiles
from conformance.fuzz.bounds.admissible import is_settled
from conformance.fuzz.bounds.tensors import Typed, typed
from conformance.fuzz.making.growth import OUTSIDE, Plan, joins
from conformance.fuzz.making.wiring import WiredDraft
from conformance.fuzz.programs import ProgramCall, Special, calls_of, documented
from conformance.generators.drawing import Seeded
from conformance.program import Argument, Program, Ref, Step
from conformance.specs import Spec
from conformance.specs.load import documented_name

SAMPLES, TRIES = 16, 200
"""How many settled calls of a function are drawn in each dtype to see what it takes and gives, and
the most tries."""
ELEMENTS, RANKS = 32, 6
DTYPES = ("float32", "float64", "int32", "bool")
"""The dtypes of these calls, among the documented dtypes."""

Form = tuple[str, int]
"""The dtype and the rank of a tensor."""


Draft = TypeVar("Draft", bound=WiredDraft)


class Pair(NamedTuple):
    """The result of a call of `feeder` is passed to a call of `taker` as `parameter`; functions
    have their names in the edition, parameters their newest ones."""

    feeder: str
    taker: str
    parameter: str

    def __str__(self) -> str:
        return f"{self.taker}({self.parameter}={self.feeder}(...))"


class FormRecipe(NamedTuple):
    """The dtype and the shapes of tensors of a drawn call whose result has some form."""

    dtype: str
    shapes: tuple[tuple[int, ...], ...]


class Forms(NamedTuple):
    """The forms of the tensors that a function gives, with recipes for each, and the forms of those
    that its parameters take."""

    gives: Mapping[Form, tuple[FormRecipe, ...]]
    takes: Mapping[str, frozenset[Form]]


@cache
def forms(edition: Edition) -> Mapping[str, Forms]:
    """The forms that each function of an edition gives and takes."""
    return {name: _forms(edition, name, spec) for name, spec in _joining(edition).items()}


@cache
def existing(edition: Edition) -> tuple[Pair, ...]:
    """All pairs of an edition, in the order of their names."""
    known = forms(edition)
    return tuple(
        Pair(feeder, taker, parameter)
        for feeder in sorted(known)
        for taker in sorted(known)
        for parameter, takes in sorted(known[taker].takes.items())
        if not takes.isdisjoint(known[feeder].gives)
    )


@cache
def places(edition: Edition) -> Mapping[Pair, int]:
    """The place of each pair among those of the edition."""
    return {pair: place for place, pair in enumerate(existing(edition))}


def edges(calls: Sequence[ProgramCall | Special], edition: Edition) -> set[Pair]:
    """The pairs of a program with these calls."""
    known, makers = places(edition), dict[str, str]()
    pairs = set[Pair]()
    for call in calls:
        if isinstance(call, Special):
            continue
        for parameter, value in call.arguments.items():
            feeders = {makers[n] for n in names_in(value) if n in makers}
            pairs |= {Pair(f, documented_name(call.spec, edition), parameter) for f in feeders}
        makers[call.result] = documented_name(call.spec, edition)
    return {pair for pair in pairs if pair in known}


def names_in(value: Argument) -> list[str]:
    """The tensors of an argument: one, or those of a list."""
    items = value if isinstance(value, list | tuple) else [value]
    return [item.name for item in items if isinstance(item, Ref)]


def _joining(edition: Edition) -> dict[str, Spec]:
    return {name: spec for name, spec in documented(edition).items() if joins(spec)}


def _forms(edition: Edition, name: str, spec: Spec) -> Forms:
    chance = random.Random(f"forms/{edition}/{name}")  # noqa: S311
    gives, takes = dict[Form, list[FormRecipe]](), dict[str, set[Form]]()
    for dtype in (d for d in DTYPES if d in spec.dtypes.documented):
        drafts = (
            WiredDraft(Seeded(chance), spec, edition, [], dtype=dtype, elements=ELEMENTS)
            for _ in range(TRIES)
        )
        for drawn in islice(filter(None, map(drafted, drafts)), SAMPLES):
            recipe = FormRecipe(dtype, tuple(kind.shape for kind in drawn.types.values()))
            for form in drawn.gives:
                gives.setdefault(form, []).append(recipe)
            for parameter, value in drawn.call.arguments.items():
                own = {drawn.types[n].form for n in names_in(value)}
                if own:
                    takes.setdefault(parameter, set()).update(own)
    recipes = {form: tuple(known) for form, known in gives.items()}
    return Forms(recipes, {p: frozenset(taken) for p, taken in takes.items()})


class Drafted(NamedTuple, Generic[Draft]):
    """A drawn call that is not a part of a program yet."""

    draft: Draft
    steps: tuple[Step, ...]
    call: ProgramCall

    @property
    def types(self) -> dict[str, Typed]:
        """The types of its tensors."""
        return {item.name: Typed(item.shape, (item.dtype,)) for item in self.draft.inputs}

    @property
    def is_settled(self) -> bool:
        """Whether documents settle it, by its types alone."""
        return is_settled(self.call, self.types, self.draft.edition)

    @property
    def type(self) -> Typed | None:
        """The type of its result; None if a later call may not take it, or no document settles its
        shape."""
        flat = self.call.part is not None and self.call.part.flat
        return None if flat or self.call.shape_rule is None else typed(self.call, self.types, ())

    @property
    def is_typed(self) -> bool:
        """Whether the rules of the spec give its result a dtype and a shape.

        RuleError: they ask for a tensor that this call does not have.
        """
        typed(self.call, self.types, ())
        return True

    @property
    def gives(self) -> list[Form]:
        """The form of its result; of an unsettled shape every form that programs have."""
        if self.call.shape_rule is None and not (self.call.part and self.call.part.flat):
            dtype = typed(self.call, self.types, ()).dtype
            return [(dtype, rank) for rank in range(RANKS)]
        return [] if self.type is None else [self.type.form]


def drafted(draft: Draft) -> Drafted[Draft] | None:
    """The call that a draft gives; None if none can be drawn this time."""
    try:
        steps = draft.make()
        (call,) = calls_of(Program((), steps, ()), draft.edition)
        assert isinstance(call, ProgramCall)
        drawn = Drafted(draft, steps, call)
        return drawn if drawn.is_settled and drawn.is_typed else None
    except OUTSIDE:
        return None


MOST_PAIRS = 8
"""The most pairs of a program."""


class Beside(NamedTuple):
    """Two calls of a function with the same tensor. The calls are `equal`, or have other
    `arguments` or another second tensor (`operands`)."""

    function: str
    change: str


Item = Pair | Beside
CHANGES = ("equal", "arguments", "operands")


class PlannedBlock(NamedTuple):
    """The part of the plan that one program has."""

    items: tuple[Item, ...]
    differentiated: bool = False
    """Whether the program takes the gradient through each pair."""


@cache
def blocks(plan: Plan) -> tuple[PlannedBlock, ...]:
    """The blocks of a plan, by the numbers of their programs."""
    chance = random.Random(f"{plan.seed}/{plan.edition}/pairs")  # noqa: S311
    pairs = selected(plan)
    first = [pair for pair in pairs if is_rewritten(pair)]
    beside = [*_beside(plan)]
    rest = [pair for pair in pairs if not is_rewritten(pair)]
    again: list[Item] = [*first, *beside]
    smooth = [pair for pair in rest if is_smooth(pair, plan.edition)]
    parts: list[tuple[list[Item], bool]] = [
        ([*first, *beside], True),
        ([*rest], False),
        (again, False),
        ([*smooth], True),
    ]
    if compiles(plan.edition):  # whose gradients no function gives
        parts = [(part, False) for part, _ in parts[:3]]
    for part, _ in parts:
        chance.shuffle(part)
    return tuple(
        block for part, smoothly in parts for block in _blocks(part, plan, chance, smoothly)
    )


def due(plan: Plan, numbers: Iterable[int]) -> set[Pair]:
    """The pairs that the programs with these numbers are planned to cover."""
    planned = blocks(plan)
    parts = (planned[number].items for number in numbers if number < len(planned))
    return {item for items in parts for item in items if isinstance(item, Pair)}


@cache
def selected(plan: Plan) -> tuple[Pair, ...]:
    """The pairs with at least one selected function."""
    specs = documented(plan.edition)
    chosen = {name for name, spec in specs.items() if spec.name in plan.functions}
    pairs = existing(plan.edition)
    return tuple(p for p in pairs if not chosen or chosen & {p.feeder, p.taker})


def _beside(plan: Plan) -> Iterator[Beside]:
    takers = {pair.taker: documented(plan.edition)[pair.taker] for pair in selected(plan)}
    for name, spec in sorted(takers.items()):
        if joins(spec) and (not plan.functions or spec.name in plan.functions):
            yield from (Beside(name, change) for change in CHANGES)


def _blocks(
    items: Sequence[Item], plan: Plan, chance: random.Random, smoothly: bool
) -> list[PlannedBlock]:
    """The items in blocks, those with gradients apart; in an order of chance."""
    most = max(1, min(MOST_PAIRS, plan.size[1] // 2))
    fewer = max(1, most // 2)  # a gradient takes two calls more
    smooth = [item for item in items if smoothly and is_smooth(item, plan.edition)]
    others = [item for item in items if not (smoothly and is_smooth(item, plan.edition))]
    drawn = [PlannedBlock(part, differentiated=True) for part in _parts(smooth, fewer)]
    drawn += [PlannedBlock(part) for part in _parts(others, most)]
    chance.shuffle(drawn)
    return drawn


def _parts(items: Sequence[Item], size: int) -> Iterable[tuple[Item, ...]]:
    return (tuple(items[start : start + size]) for start in range(0, len(items), size))


def is_smooth(item: Item, edition: Edition) -> bool:
    """Whether gradients pass through both calls."""
    specs = documented(edition)
    return isinstance(item, Pair) and all(
        bool(specs[name].differentiable) for name in (item.feeder, item.taker)
    )


def is_rewritten(pair: Pair) -> bool:
    """Whether graph optimisers rewrite such pairs."""
    feeder, taker = _word(pair.feeder), _word(pair.taker)
    if feeder == taker or (taker in _CASTS) or (feeder in _CASTS):
        return True
    if feeder in _SHAPES and (taker in _SHAPES or taker in _REDUCTIONS):
        return True
    return any(feeder in group and taker in group for group in _GROUPS)


def _word(function: str) -> str:
    """The name without the modules."""
    return function.rpartition(".")[2]


_CASTS = frozenset({"cast", "saturate_cast"})
_SHAPES = frozenset(
    {"reshape", "flatten", "batch_flatten", "expand_dims", "squeeze", "ravel", "broadcast_to"}
    | {"transpose", "permute_dimensions", "swapaxes", "moveaxis", "reverse", "flip", "roll"}
    | {
        "repeat",
        "repeat_elements",
        "tile",
        "stack",
        "concatenate",
        "slice",
        "pad",
        "gather",
        "take",
    }
    | {"temporal_padding", "spatial_2d_padding", "diagonal", "rot90", "fliplr", "flipud"}
)
_REDUCTIONS = frozenset(
    {"sum", "mean", "max", "min", "prod", "var", "std", "any", "all", "argmax", "argmin"}
    | {"logsumexp", "softmax", "log_softmax", "cumsum", "cumprod", "l2_normalize", "normalize"}
    | {"amax", "amin", "median", "average", "norm", "count_nonzero", "dot", "matmul"}
)
_GROUPS = tuple(
    map(
        frozenset,
        (
            {"exp", "log", "logsumexp", "softmax", "log_softmax", "sigmoid", "log_sigmoid"},
            {"softplus", "sigmoid", "exp", "log", "tanh", "softmax"},
            {"expm1", "log1p", "exp", "log"},
            {"exp2", "log2"},
            {"square", "sqrt", "rsqrt", "pow", "power", "abs", "absolute", "reciprocal", "cbrt"},
            {"sin", "arcsin", "cos", "arccos", "tan", "arctan"},
            {"sinh", "arcsinh", "cosh", "arccosh", "tanh", "arctanh"},
            {"abs", "absolute", "sign", "negative", "relu", "maximum", "minimum", "clip"},
            {"add", "subtract", "multiply", "divide", "true_divide", "negative"},
            {"round", "floor", "ceil", "trunc"},
            {"logical_not", "logical_and", "logical_or", "equal", "not_equal"},
            {"less", "greater_equal", "greater", "less_equal", "logical_not"},
            {"bitwise_not", "bitwise_invert", "bitwise_and", "bitwise_or", "bitwise_xor"},
            {"stack", "unstack", "concatenate", "split", "slice", "gather", "take"},
            {"cumsum", "diff", "cumprod"},
            {"sum", "mean", "max", "min", "prod", "maximum", "minimum"},
            {"argmax", "argmin", "one_hot", "softmax", "sort", "argsort"},
            {"deg2rad", "rad2deg"},
            {"softmax", "sigmoid", "categorical_crossentropy", "binary_crossentropy"}
            | {"sparse_categorical_crossentropy"},
            {"erf", "erfinv", "erfc"},
            {"conj", "conjugate", "real", "imag"},
        ),
    )
)
"""Functions that undo each other, or that have a common function in their place."""
