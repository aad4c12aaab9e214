"""Tensors that go with the features, channels or classes of another tensor, and axes of those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.generators import long_axes
from conformance.generators.calls import Along, CallDraft
from conformance.generators.forms import ITERABLES, in_form
from conformance.specs import image_rules, kinds
from conformance.specs.rules import evaluate

Dims = tuple[int, ...]

RANKS = (2, 2, 2, 3, 3, 4, 4, 5, 1)
LENGTHS = {1: (3, 2, 1), 2: (2, 3, 1, 4, 2, 3, 0), 3: (2, 1, 3, 2), 4: (2, 1, 2, 3), 5: (1, 2, 1)}
"""Lengths of an axis, by the rank: many axes, few elements."""
CLASSES = (2, 3, 2, 4, 3, 1)


def _fitting(call: CallDraft, name: str, rule: kinds.Fitting) -> None:
    shape = evaluate(rule.shape, call.scope(static=False))
    call.add_tensor(name, tuple(shape), call.dtype, rule.domain)


def _features(call: CallDraft, name: str, rule: kinds.Features) -> None:
    shape = call.shapes[rule.of]
    axis = call.values[rule.axis] % len(shape)
    single = tuple(d if i == axis else 1 for i, d in enumerate(shape))
    wide = call.pick((False, False, True))
    call.add_tensor(name, single if wide else (shape[axis],), call.dtype, rule.domain)


def _bias(call: CallDraft, name: str, rule: kinds.Bias) -> None:
    shape, data_format = call.shapes[rule.of], call.values[rule.data_format]
    channels = image_rules.channels(shape, data_format)
    assert channels is not None
    if rule.wrong:
        wrong = [r for r in range(len(shape) + 1) if r not in (1, len(shape) - 1)]
        call.add_tensor(name, (channels,) * call.pick(tuple(wrong)), call.dtype, "real")
        return
    # a tensor as bias is documented in keras-2.2 only (C121)
    whole = call.edition == "keras-2.2" and call.pick((False, False, True))
    rest = tuple(d or 0 for d in (*image_rules.spatial(shape, data_format), channels))
    call.add_tensor(name, rest if whole else (channels,), call.dtype, "real")


def _class_axis(call: CallDraft, name: str, rule: kinds.ClassAxis) -> None:
    rank = len(call.shapes[rule.of])
    if rule.wrong:
        call.add_value(name, call.pick((rank, rank + 2, -rank - 1)))
        return
    inhabited = [
        a for a in (-1, rank - 1, min(1, rank - 1), *range(rank)) if call.shapes[rule.of][a]
    ]
    call.add_value(name, call.pick(tuple(inhabited)))


def _reduction_axes(call: CallDraft, name: str, rule: kinds.ReductionAxes) -> None:
    rank = len(call.shapes[rule.of])
    axes = list(range(rank - 1))
    rest = call.pick(("last", "last", "last", "last", "some", "second"))
    if rest == "some":
        chosen = [a for a in range(rank) if call.pick((True, False))]
        axes = chosen if 0 < len(chosen) < rank else axes
    if rest == "second":  # the channels of images that have them first
        axes = [a for a in range(rank) if a != 1]
    iterables = ITERABLES if call.edition in rule.iterable else ()
    form = call.pick(("list", "tuple") * 4 + iterables)
    if form == "range" and max(axes) - min(axes) == rank - 1:
        form = "set"  # a range of all axes would be another call
    call.add_value(name, in_form(axes, form))


def _distribution(call: CallDraft, name: str, rule: kinds.Distribution) -> None:
    """The axis may be drawn later, so that every axis but the first has at least one class."""
    if rule.of is not None:
        shape = call.shapes[rule.of]
    else:
        rank = call.pick(tuple(r for r in RANKS if rule.ranks[0] <= r <= rule.ranks[1]))
        batch = call.pick(LENGTHS[rank])
        shape = (
            batch,
            *(call.pick(CLASSES if rank < 4 else (2, 1, 2, 3)) for _ in range(rank - 1)),
        )
        shape = long_axes.lengthened(call, shape)
    call.add_tensor(name, shape, call.dtype, "probability")
    call.along[name] = Along(rule.axis, rule.logits, target=rule.of is not None)


def _scores(call: CallDraft, name: str, rule: kinds.ScoresKind) -> None:
    dtype = call.pick(tuple(rule.dtypes)) if rule.dtypes else call.dtype
    shape = (call.pick(LENGTHS[2]), call.pick((3, 4, 2, 5, 1)))
    call.add_tensor(name, long_axes.lengthened(call, shape), dtype, "real")


def _labels(call: CallDraft, name: str, rule: kinds.Labels) -> None:
    scope = call.scope(static=False)
    below = evaluate(rule.below, scope)
    shape = tuple(evaluate(rule.shape, scope))
    dtype = call.integer_dtype(call.pick(tuple(rule.dtypes)), below)
    call.add_tensor(name, shape, dtype, "real")
    call.below[name] = below


def _padding(call: CallDraft, name: str, rule: kinds.Padding) -> None:
    count = rule.spatial + rule.extra
    if call.edition == "keras-1":
        counts = tuple(_zeros(call, rule) for _ in range(count))
        call.add_value(name, counts[0] if count == 1 else counts)
        return
    if rule.spatial == 1:
        call.add_value(name, tuple(_zeros(call, rule) for _ in range(2 + rule.extra)))
        return
    pairs = tuple((_zeros(call, rule), _zeros(call, rule)) for _ in range(count))
    call.add_value(name, pairs)


def _zeros(call: CallDraft, rule: kinds.Padding) -> int:
    return long_axes.count(call, rule.range, room=long_axes.growth(call), adds=True)


KINDS: dict[type, Callable[[CallDraft, str, Any], None]] = {
    kinds.Fitting: _fitting,
    kinds.Features: _features,
    kinds.Bias: _bias,
    kinds.ClassAxis: _class_axis,
    kinds.ReductionAxes: _reduction_axes,
    kinds.Distribution: _distribution,
    kinds.ScoresKind: _scores,
    kinds.Labels: _labels,
    kinds.Padding: _padding,
}
