"""What each kind of parameter may be given, as Hypothesis strategies on a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from conformance.generators import fitting, images, long_axes, tensors
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import SMALL_SIZES, block, dims
from conformance.generators.drawers import DRAWERS
from conformance.generators.forms import ITERABLES, in_form
from conformance.generators.sizes import length_class, long_axis, size_class
from conformance.program import Binding, Made, Ref
from conformance.specs import kinds
from conformance.specs.rules import evaluate

Dims = tuple[int, ...]

PRODUCTS = 4
"""How many products a contraction may have for each element that a tensor may have."""


def draw_parameter(call: CallDraft, name: str) -> None:
    """Draw one parameter, or leave it to its default; those of a drawer, if it is their first."""
    if isinstance(call.rules[name], kinds.FromDrawer):
        if any(names[0] == name for names in call.turns):
            DRAWERS[call.spec.draw](call)
    elif not call.may_omit(name):
        _draw(call, name)
    else:
        _pass_or_omit(call, name)


def _pass_or_omit(call: CallDraft, name: str) -> None:
    """Leave the parameter to its default, or pass it: what is drawn, or None if that is its
    default."""
    way = call.pick(_WITH_NONE if call.may_be_none(name) else _WAYS)
    if way == "none":
        call.add_value(name, None)
    elif way == "drawn":
        _draw(call, name)


_WAYS = ("omitted", "drawn", "drawn")
_WITH_NONE = ("omitted", "drawn", "drawn", "none", "omitted", "drawn", "drawn")
"""How a parameter with a default is passed, as often as wanted."""


def _draw(call: CallDraft, name: str) -> None:
    rule = call.rules[name]
    if type(rule) in _VALUES:
        call.add_value(name, _VALUES[type(rule)](call, rule))
    else:
        _KINDS[type(rule)](call, name, rule)
    # without tensors the type of a number decides that of the result
    if isinstance(rule, kinds.Axis | kinds.Integer) and call.error is None and call.inputs:
        _as_numpy_has_it(call, name)


def _as_numpy_has_it(call: CallDraft, name: str) -> None:
    """Seldom, pass an integer of NumPy in the place of one of Python."""
    number = call.passed.get(name)
    if isinstance(number, int) and call.pick(_NUMPY):
        call.add_value(name, Made("int64", (number,)))


_NUMPY = (False,) * 24 + (True,)


def _tensor(call: CallDraft, name: str, rule: kinds.TensorKind) -> None:
    dtype = call.pick(tuple(rule.dtypes)) if rule.dtypes else call.dtype
    call.add_tensor(name, dims(call, rule.ranks), dtype, rule.domain)


def _companion(call: CallDraft, name: str, rule: kinds.Companion) -> None:
    shape = _RELATIONS[rule.relation](call, rule)
    call.add_tensor(name, shape, call.dtype, rule.domain)


def _broadcast(call: CallDraft, rule: kinds.Companion) -> Dims:
    shape: Dims = call.shapes[rule.of]
    if call.pick((False, True)):
        return shape
    stretched = _stretched(call, shape)
    most = rule.ranks[1] - len(shape)
    left_out = call.integer((0, len(stretched) + (most > 0)))
    if left_out > len(stretched):  # the first operand is the one of lower rank
        return (*(call.pick(SMALL_SIZES) for _ in range(call.integer((1, most)))), *stretched)
    return stretched[left_out:]


def _stretched(call: CallDraft, shape: Dims) -> Dims:
    """The shape, where axes of length 1 may be longer and others of length 1."""
    room, found = call.room // long_axes.elements([shape]), list[int]()
    for d in shape:
        made = long_axes.longer_axis(call, call.pick((1, 2, 3)), room=room) if d == 1 else d
        room //= made if d == 1 else 1
        found.append(made if d == 1 else call.pick((d, 1)))
    return tuple(found)


def _contraction(call: CallDraft, rule: kinds.Companion) -> Dims:
    shape = _shape_of(call, rule.of)
    if _with_itself(call, rule, len(shape) - 1, max(len(shape) - 2, 0)):
        return _made_square(call, rule.of, len(shape) - 1, max(len(shape) - 2, 0))
    *rows, length = shape
    ranks = (rule.ranks[0] - 1, rule.ranks[1] - 1)
    free = dims(call, ranks, room=_free_room(call, math.prod(rows), length))
    return (*free[:-1], length, *free[-1:])


def _with_itself(call: CallDraft, rule: kinds.Companion, contracted: int, other: int) -> bool:
    """Whether the second tensor is to be the first one, if that has a rank that it may have, there
    is room for the products of all pairs of its rows, and no class of its changes by being cut."""
    shape: Dims = call.shapes[rule.of]
    if not rule.ranks[0] <= len(shape) <= rule.ranks[1]:
        return False
    rows = math.prod(d for axis, d in enumerate(shape) if axis != contracted)
    if rows * rows * shape[contracted] > PRODUCTS * call.room:
        return False
    if _lengths(_squared(shape, contracted, other)) != _lengths(shape):
        return False
    call.one_tensor = call.pick_as("aliases", _RARELY, tensors.yes_or_no)
    return call.one_tensor


_RARELY = (False,) * 9 + (True,)


def _made_square(call: CallDraft, tensor: str, mine: int, other: int) -> Dims:
    """The shape of the tensor, after its longer axis of the two was cut to the other's length."""
    squared = _squared(_shape_of(call, tensor), mine, other)
    for axis in (mine, other):
        _replace_dim(call, tensor, axis, squared[axis])
    return _shape_of(call, tensor)


def _squared(shape: Dims, mine: int, other: int) -> Dims:
    shorter = min(shape[mine], shape[other])
    return tuple(shorter if axis in (mine, other) else d for axis, d in enumerate(shape))


def _lengths(shape: Dims) -> tuple[str, str, str]:
    """The classes of how long a shape's axes are."""
    return size_class(shape), length_class(max(shape, default=1)), long_axis(shape)


def _free_room(call: CallDraft, rows: int, length: int) -> int:
    """How many elements the axes of a second tensor may have beside the contracted one, so that
    this tensor, the result and the products are not too many."""
    rows, length = max(rows, 1), max(length, 1)
    return max(1, min(call.room // max(rows, length), PRODUCTS * call.room // (rows * length)))


def _batch_contraction(call: CallDraft, rule: kinds.Companion) -> Dims:
    shape: Dims = call.shapes[rule.of]
    axes = call.values[rule.axes or ""]
    low, high = rule.ranks
    needed = _needed_rank(axes)
    axes_of = ["batch_axes", "axes", len(shape), len(shape)]
    mine, its = evaluate(axes_of, call.scope(static=False)) if needed <= len(shape) else (0, 0)
    if mine and _with_itself(call, rule, mine, its):
        return _made_square(call, rule.of, mine, its)
    # each sample has its own products, so that the others' are no part of the rows of one
    ranks, room = (max(low, needed) - 2, high - 2), _free_room(call, math.prod(shape), 1)
    free = list(dims(call, ranks, room=room))
    rank = len(free) + 2
    mine, other = evaluate(["batch_axes", "axes", len(shape), rank], call.scope(static=False))
    free.insert(other - 1, shape[mine])
    return (shape[0], *free)


def _needed_rank(axes: Any) -> int:
    """The smallest rank of the second tensor in which its contracted axis is no batch axis."""
    axis = axes if isinstance(axes, int) or axes is None else axes[1]
    if axis is None:
        return 2
    return axis + 1 if axis > 0 else 1 - axis


def _batch_mismatch(call: CallDraft, rule: kinds.Companion) -> Dims:
    batch, length, *_ = call.shapes[rule.of]
    return (batch, length + 1, *dims(call, (0, rule.ranks[1] - 2)))


_RELATIONS: dict[str, Callable[[CallDraft, kinds.Companion], Dims]] = {
    "broadcast": _broadcast,
    "contraction": _contraction,
    "batch_contraction": _batch_contraction,
    "batch_mismatch": _batch_mismatch,
}


def _tensors(call: CallDraft, name: str, rule: kinds.Tensors) -> None:
    count = call.integer(rule.count)
    room = call.room // count
    shape = dims(call, rule.ranks, room=room)
    shapes = [shape] * count
    if rule.vary is not None:
        axis = _some_axis(call, len(shape))
        room //= long_axes.elements([_with(shape, axis, 1)])
        shapes = [
            _with(shape, axis, long_axes.longer_axis(call, call.pick((2, 1, 3)), room=room))
            for _ in range(count)
        ]
        if axis % len(shape) != call.values[rule.vary] % len(shape):
            call.must_pass.add(rule.vary)
            call.values[rule.vary] = axis
    call.add_tensors(name, shapes, call.dtype)


def _with(shape: Dims, axis: int, dim: int) -> Dims:
    axis %= len(shape)
    return (*shape[:axis], dim, *shape[axis + 1 :])


def _some_axis(call: CallDraft, rank: int) -> int:
    return call.integer((-rank, rank - 1)) if rank else 0


def _indices(call: CallDraft, name: str, rule: kinds.Indices) -> None:
    below = evaluate(rule.below, call.scope(static=False))
    each = long_axes.elements([i.shape[1:] for i in call.inputs])
    shape = dims(call, rule.ranks, room=call.room // each)
    if below == 0:
        shape = (0, *shape[1:])
    dtype = call.pick(tuple(rule.dtypes)) if rule.dtypes else call.dtype
    call.add_tensor(name, shape, call.integer_dtype(dtype, below), "real")
    call.below[name] = below


def _axis(call: CallDraft, name: str, rule: kinds.Axis) -> None:
    shape = _shape_of(call, rule.of)
    choices = list(range(-len(shape), len(shape)))
    if rule.position == "new":
        choices = list(range(-len(shape) - 1, len(shape) + 1))
    elif rule.position == "unit":
        axis = call.integer((0, len(shape) - 1))
        _replace_dim(call, rule.of, axis, 1)
        choices = [axis, axis - len(shape)]
    elif isinstance(call.rules[rule.of], kinds.Tensors):
        axis = call.values[name] % len(shape)
        choices = [axis, axis - len(shape)]
    ordered = tuple(sorted(choices, key=lambda a: (a < 0, abs(a))))
    ends = long_axes.favoured(call, shape, ordered)
    call.add_value(name, call.pick((*ends, None) if rule.optional else ends))


def _shape_of(call: CallDraft, tensor: str) -> Dims:
    shapes = call.shapes[tensor]
    shape: Dims = shapes[0] if isinstance(shapes, list) else shapes
    return shape


def _replace_dim(call: CallDraft, tensor: str, axis: int, dim: int) -> None:
    """Change a shape that is already drawn, so that `axis` has the length `dim`."""
    index = next(i for i, item in enumerate(call.inputs) if item.name == tensor)
    old = call.inputs[index]
    item = tensors.reshaped(old, _with(old.shape, axis, dim))
    call.inputs[index] = item
    call.shapes[tensor], call.static_shapes[tensor] = item.shape, item.static_shape


def _axes(call: CallDraft, name: str, rule: kinds.Axes) -> None:
    rank = len(call.shapes[rule.of])
    if rank == 0:
        call.add_value(name, None if rule.optional else [])
        return
    forms = (*_AXES, *(ITERABLES if call.edition in rule.iterable else ()))
    form = call.pick((*(_LISTED if rule.listed else forms), *(("empty",) if rule.empty else ())))
    if form == "empty":
        call.add_value(name, [] if rule.listed else ())
        return
    if form == "one":
        call.add_value(
            name, call.pick(long_axes.favoured(call, call.shapes[rule.of], _signed(rank)))
        )
        return
    chosen = _some(call, rank, call.integer((1, rank)))
    if form != "range":
        chosen = [a - rank if call.pick((False, True)) else a for a in chosen]
    call.add_value(name, in_form(chosen, form))


_LISTED = ("one", "list", "list")
_AXES = ("one", "one", "one", "list", "tuple", "one", "one", "list", "tuple")


def _some(call: CallDraft, below: int, count: int) -> list[int]:
    """So many different numbers from 0, in any order."""
    left = [*range(below)]
    return [left.pop(call.integer((0, len(left) - 1))) for _ in range(count)]


def _signed(rank: int) -> tuple[int, ...]:
    return (*range(rank), *range(rank), *range(-1, -rank - 1, -1))


def _batch_axes(call: CallDraft, name: str, rule: kinds.BatchAxes) -> None:
    rank = len(call.shapes[rule.of])
    mine = call.pick(long_axes.favoured(call, call.shapes[rule.of], tuple(range(1, rank))))
    form = call.pick(("one", "list", "tuple", "one", "list", "negative", "none"))
    other = call.integer((1, 3))
    choices: dict[str, Any] = {
        "one": mine,
        "list": [mine, other],
        "tuple": (mine, other),
        "negative": [mine - rank, other],
        "none": None,
    }
    call.add_value(name, choices[form])


def _target_shape(call: CallDraft, name: str, rule: kinds.TargetShape) -> None:
    total = math.prod(call.shapes[rule.of])
    target = _factors(call, total)
    if total and target and call.pick((False, False, False, True)):
        target[call.integer((0, len(target) - 1))] = -1
    call.add_value(name, tuple(target))


def _factors(call: CallDraft, total: int) -> list[int]:
    """At most five dimensions whose product is `total`."""
    left, listed = total, []
    for _ in range(call.integer((0 if total == 1 else 1, 4))):
        listed.append(call.pick(_divisors(left)))
        left //= listed[-1]
    return [*listed, left] if left != 1 or total != math.prod(listed) else listed


@cache
def _divisors(number: int) -> Dims:
    """In ascending order; 1 of 0."""
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return tuple(sorted({*small, *(number // d for d in small)})) or (1,)


def _value(call: CallDraft, name: str, rule: kinds.ValueKind) -> None:
    made = str(call.values.get("dtype") or "float32")
    # no document says what becomes of -1.5 as an unsigned integer
    whole = not made.startswith("float")
    dtype = "int32" if whole else call.pick(("float32", "float64", "int32"))
    domain = "nonnegative" if whole else "real"
    item = call.new_input(name, dims(call, rule.ranks), dtype, domain, Binding.ARRAY)
    call.shapes[name] = call.static_shapes[name] = item.shape
    call.passed[name] = Ref(name)


def _placeholder_shape(call: CallDraft, name: str, rule: kinds.PlaceholderShape) -> None:
    shape = dims(call, rule.ranks)
    known = tuple(d if call.pick((False, True)) else None for d in shape)
    by_rank = call.pick((False, False, True))
    told: tuple[int | None, ...] = (None,) * len(shape) if by_rank else known
    call.values[name], call.static_values[name] = shape, told
    call.passed[rule.rank if by_rank else name] = len(shape) if by_rank else known


def _fill_shape(call: CallDraft, name: str, rule: kinds.FillShape) -> None:
    if not call.shapes[rule.of]:
        call.add_value(name, dims(call, (1, 3)))


def _sixteenth(call: CallDraft, low: float, high: float) -> float:
    return low + (high - low) * call.integer((0, 16)) / 16


def _integer(call: CallDraft, rule: kinds.Integer) -> int:
    """An integer of the range, now and then a large one if it counts something.

    Without tensors it is the length of a range if it may be left out, or else of two axes.
    """
    if rule.range[0] < 0 and not rule.optional:
        return call.integer(rule.range)
    room = long_axes.growth(call) if call.inputs else math.isqrt(call.room)
    return long_axes.count(call, rule.range, room=call.room // PRODUCTS if rule.optional else room)


_VALUES: dict[type, Callable[[CallDraft, Any], Any]] = {
    kinds.Permutation: lambda call, rule: tuple(
        _some(call, len(call.shapes[rule.of]), len(call.shapes[rule.of]))
    ),
    kinds.Counts: lambda call, rule: [
        long_axes.count(call, rule.range, room=long_axes.growth(call))
        for _ in range(len(call.shapes[rule.of]) + rule.extra)
    ],
    kinds.Starts: lambda call, rule: block(
        call, [call.integer((0, max(d - 1, 0))) for d in call.shapes[rule.of]]
    ),
    kinds.Sizes: lambda call, rule: block(
        call,
        [
            call.integer((min(1, d - start), d - start))
            for d, start in zip(call.shapes[rule.of], call.values[rule.starts], strict=True)
        ],
    ),
    kinds.Shape: lambda call, rule: dims(call, rule.ranks),
    kinds.Integer: _integer,
    kinds.Real: lambda call, rule: _sixteenth(call, *rule.range),
    kinds.Literals: lambda call, rule: rule.values[call.integer((0, len(rule.values) - 1))],
    kinds.Dtype: lambda call, rule: call.pick(tuple(rule.choices)),
    kinds.Boolean: lambda call, _: call.pick((False, True)),
}
"""How to draw parameters that are Python values and do not affect the rest of the call."""

_KINDS: dict[type, Callable[[CallDraft, str, Any], None]] = {
    kinds.TensorKind: _tensor,
    kinds.Companion: _companion,
    kinds.Tensors: _tensors,
    kinds.Indices: _indices,
    kinds.Axis: _axis,
    kinds.Axes: _axes,
    kinds.BatchAxes: _batch_axes,
    kinds.TargetShape: _target_shape,
    kinds.ValueKind: _value,
    kinds.PlaceholderShape: _placeholder_shape,
    kinds.FillShape: _fill_shape,
    **images.KINDS,
    **fitting.KINDS,
}
