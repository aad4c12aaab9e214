"""What each kind of parameter may be given, as Hypothesis strategies on a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from conformance.generators import fitting, images
from conformance.generators.calls import CallDraft
from conformance.program import Binding, Ref
from conformance.specs import kinds
from conformance.specs.rules import evaluate

Dims = tuple[int, ...]

RANKS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 0, 0, 5, 5)
SIZES = (1,) * 4 + (2,) * 10 + (3,) * 8 + (4,) * 3 + (5,) + (0,) * 2
SMALL_SIZES = (1,) * 10 + (2,) * 14 + (3,) * 4 + (0,) * 2
"""Each as often as it is to be drawn; the simplest first, towards which Hypothesis shrinks."""


def draw_parameter(call: CallDraft, name: str) -> None:
    """Draw one parameter, or leave it to its default."""
    if not (call.may_omit(name) and call.pick((True, False, False))):
        _draw(call, name)


def _draw(call: CallDraft, name: str) -> None:
    rule = call.rules[name]
    if type(rule) in _VALUES:
        call.add_value(name, _VALUES[type(rule)](call, rule))
    else:
        _KINDS[type(rule)](call, name, rule)


def dims(call: CallDraft, ranks: tuple[int, int]) -> Dims:
    """A shape with a rank from `ranks` and few elements; now and then an axis of length 0."""
    rank = call.pick_as("rank", tuple(r for r in RANKS if ranks[0] <= r <= ranks[1]), str)
    sizes = SMALL_SIZES if rank > 3 else SIZES
    return tuple(call.pick_as("length", sizes, str) for _ in range(rank))


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
    stretched = tuple(call.pick((1, 2, 3)) if d == 1 else call.pick((d, 1)) for d in shape)
    return stretched[call.integer((0, len(stretched))) :]


def _contraction(call: CallDraft, rule: kinds.Companion) -> Dims:
    length = call.shapes[rule.of][-1]
    free = dims(call, (rule.ranks[0] - 1, rule.ranks[1] - 1))
    return (*free[:-1], length, *free[-1:])


def _batch_contraction(call: CallDraft, rule: kinds.Companion) -> Dims:
    shape: Dims = call.shapes[rule.of]
    axes = call.values[rule.axes or ""]
    low, high = rule.ranks
    needed = _needed_rank(axes)
    free = list(dims(call, (max(low, needed) - 2, high - 2)))
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
    shape = dims(call, rule.ranks)
    shapes = [shape] * count
    if rule.vary is not None:
        axis = _some_axis(call, len(shape))
        shapes = [_with(shape, axis, call.pick((2, 1, 3))) for _ in range(count)]
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
    shape = dims(call, rule.ranks)
    if below == 0:
        shape = (0, *shape[1:])
    dtype = call.pick(tuple(rule.dtypes)) if rule.dtypes else call.dtype
    call.add_tensor(name, shape, dtype, "real")
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
    call.add_value(name, call.pick(tuple(sorted(choices, key=lambda a: (a < 0, abs(a))))))


def _shape_of(call: CallDraft, tensor: str) -> Dims:
    shapes = call.shapes[tensor]
    shape: Dims = shapes[0] if isinstance(shapes, list) else shapes
    return shape


def _replace_dim(call: CallDraft, tensor: str, axis: int, dim: int) -> None:
    """Change a shape that is already drawn, so that `axis` has the length `dim`."""
    index = next(i for i, item in enumerate(call.inputs) if item.name == tensor)
    old = call.inputs[index]
    item = type(old)(old.name, _with(old.shape, axis, dim), old.dtype, old.binding)
    call.inputs[index] = item
    call.shapes[tensor], call.static_shapes[tensor] = item.shape, item.static_shape


def _axes(call: CallDraft, name: str, rule: kinds.Axes) -> None:
    rank = len(call.shapes[rule.of])
    if rank == 0:
        call.add_value(name, None if rule.optional else [])
        return
    form = call.pick(("one", "one", "one", "list", "tuple"))
    if form == "one":
        call.add_value(name, call.pick(_signed(rank)))
        return
    chosen = _some(call, rank, call.integer((1, rank)))
    signed = [a - rank if call.pick((False, True)) else a for a in chosen]
    call.add_value(name, signed if form == "list" else tuple(signed))


def _some(call: CallDraft, below: int, count: int) -> list[int]:
    """So many different numbers from 0, in any order."""
    left = [*range(below)]
    return [left.pop(call.integer((0, len(left) - 1))) for _ in range(count)]


def _signed(rank: int) -> tuple[int, ...]:
    return (*range(rank), *range(rank), *range(-1, -rank - 1, -1))


def _batch_axes(call: CallDraft, name: str, rule: kinds.BatchAxes) -> None:
    rank = len(call.shapes[rule.of])
    mine = call.integer((1, rank - 1))
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
        divisors = [d for d in range(1, left + 1) if left % d == 0] or [1]
        listed.append(call.pick(tuple(divisors)))
        left //= listed[-1]
    return [*listed, left] if left != 1 or total != math.prod(listed) else listed


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


_VALUES: dict[type, Callable[[CallDraft, Any], Any]] = {
    kinds.Permutation: lambda call, rule: tuple(
        _some(call, len(call.shapes[rule.of]), len(call.shapes[rule.of]))
    ),
    kinds.Counts: lambda call, rule: [
        call.integer(rule.range) for _ in range(len(call.shapes[rule.of]) + rule.extra)
    ],
    kinds.Starts: lambda call, rule: [
        call.integer((0, max(d - 1, 0))) for d in call.shapes[rule.of]
    ],
    kinds.Sizes: lambda call, rule: [
        call.integer((min(1, d - start), d - start))
        for d, start in zip(call.shapes[rule.of], call.values[rule.starts], strict=True)
    ],
    kinds.Shape: lambda call, rule: dims(call, rule.ranks),
    kinds.Integer: lambda call, rule: call.integer(rule.range),
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
