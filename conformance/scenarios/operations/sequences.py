"""CTC of Keras 3: the losses of labels, and the labels of logits; attention with masks.

Any class may be the blank (`mask_index`); the oracle has the last one. The likeliest labels are
beyond doubt, and have no class twice in a row where a beam is searched: whether `merge_repeated`
makes one of two that a blank stands between is not said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation, ctc, expect
from conformance.program import Argument, Ref
from conformance.scenarios.checks import agrees_with, is_array, only, shown
from conformance.scenarios.ctc import inputs
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import Call, Function, Result, families, many, one
from conformance.specs.model import Contraction

Label = tuple[int, ...]
EIGHTH = 8
"""Logits are eighths: sums of a few are computed without rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Logits (samples, time steps, classes), the lengths of the samples, and the blank class."""

    x: Array
    lengths: Array
    blank: int
    given: dict[str, Argument]

    @property
    def last(self) -> Array:
        """The logits with the blank behind the other classes."""
        return np.concatenate(
            [np.delete(self.x, self.blank, -1), self.x[..., self.blank, None]], axis=-1
        )

    def label(self, classes: Sequence[int]) -> Label:
        """What classes of `last` are in the logits themselves."""
        return tuple(k + (k >= self.blank) for k in classes)


def _samples(draw: DrawFn, steps: int, classes: int) -> Samples:
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    count = draw(st.integers(1, 3))
    numbers = [[rng.permutation(4 * classes)[:classes] for _ in range(steps)] for _ in range(count)]
    x = (np.array(numbers) - 2 * classes) / EIGHTH
    lengths = inputs.lengths_up_to(rng, count, steps, 1)
    blank = draw(st.sampled_from((0, classes - 1, 1)))
    given: dict[str, Argument] = {} if blank == 0 else {"mask_index": blank}
    dtype = draw(st.sampled_from(("float32", "float64")))
    return Samples(x.astype(dtype), lengths, blank, given)


def _ctc_loss(draw: DrawFn) -> Call:
    """Labels that some path stands for, filled up with any classes but the blank, to as many places
    as there are time steps: the docstring calls both lengths by one name."""
    made = _samples(draw, draw(st.integers(1, 8)), draw(st.integers(3, 6)))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    allowed = np.arange(made.x.shape[2] - 1)
    labels = [inputs.label_of(rng, int(n), allowed, int(n)) for n in made.lengths]
    rows = rng.choice(allowed, size=made.x.shape[:2])
    for row, label in zip(rows, labels, strict=True):
        row[: len(label)] = label
    sizes = np.array([len(label) for label in labels], "int32")
    expectation = ctc.expected_loss_of_logits(made.last, rows, made.lengths, sizes)
    losses = Expectation(expectation.value[:, 0], expectation.bound[:, 0], expectation.dtype)
    given = {
        "target": (rows + (rows >= made.blank)).astype("int32"),
        "output": made.x,
        "target_length": sizes,
        "output_length": made.lengths,
    }
    demands = f"{shown(losses.value)}: -log of the probability of each label"
    gives = Result((len(rows),), agrees_with(losses), demands=demands)
    return one(given, *map(Ref, given), gives=gives, **made.given)


def _decoded(labels: Sequence[Sequence[Label]], steps: int) -> Result:
    """The labels of each path and sample; blanks may stand anywhere."""
    shape = (len(labels), len(labels[0]), steps)

    def tested(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem) or got.shape != shape:
            return got if isinstance(got, Problem) else Problem(f"gives {got.shape}", "shape")
        found = _without_blanks(got)
        problem = Problem(f"gives {found}", "labels", got=str(found), expected=str(labels))
        return None if found == [[*path] for path in labels] else problem

    demands = f"{[[*path] for path in labels]}, with -1 for blanks, in the shape {shape}"
    return Result(shape, tested, demands=demands)


def _without_blanks(decoded: Array) -> list[list[Label]]:
    return [[tuple(int(k) for k in row if k != -1) for row in path] for path in decoded]


def _merged(draw: DrawFn) -> Call:
    return _greedy(draw, merges=draw(st.sampled_from((None, True))))


def _unmerged(draw: DrawFn) -> Call:
    return _greedy(draw, merges=False)


def _greedy(draw: DrawFn, *, merges: bool | None) -> Call:
    """The class of the largest logit at each step, half of the time that of the step before, and
    the sum of these logits."""
    steps, classes = draw(st.integers(2, 9)), draw(st.integers(2, 5))
    made = _samples(draw, steps, classes)
    for step in range(1, steps):
        if draw(st.booleans()):
            made.x[:, step] = made.x[:, step - 1]
    given: dict[str, Argument] = {} if merges is None else {"merge_repeated": merges}
    if draw(st.booleans()):
        given["strategy"] = "greedy"
    rows = [row[:n] for row, n in zip(made.x, made.lengths, strict=True)]
    labels = [_label(row.argmax(-1).tolist(), made.blank, merges is not False) for row in rows]
    scores = -np.array([[row.max(-1).sum()] for row in rows])
    score = Result(scores.shape, is_array(scores), demands=f"{shown(scores)} as the sum of logits")
    tensors = {"inputs": made.x, "lengths": made.lengths}
    gives = [_decoded([labels], steps), score]
    return many(tensors, *map(Ref, tensors), gives=gives, **made.given, **given)


def _label(path: Sequence[int], blank: int, merges: bool) -> Label:
    return ctc.collapsed(path, blank) if merges else tuple(k for k in path if k != blank)


def _ranked(x: Array, top: int) -> list[Label] | None:
    """The likeliest labels; None if it is not certain which these are, or one has a repeat."""
    found = ctc.ranked(np.exp(x.astype(float)) / np.exp(x.astype(float)).sum(-1, keepdims=True))
    labels = [label for label, _ in found[:top]]
    repeats = any(a == b for one in labels for a, b in pairwise(one))
    few = len(labels) < top or repeats
    return None if few or not inputs.certain(found, top) else labels


def _beam(draw: DrawFn) -> Call:
    """As many labels as are asked for, the likeliest of all, and log of their probabilities.

    A beam that is given is as wide as there are paths: what a narrow one loses, is not said.
    """
    steps, top = draw(st.integers(2, 4)), draw(st.sampled_from((1, 2, 3)))
    classes = draw(st.integers(3, 4))
    made = _samples(draw, steps, classes)
    rows = [row[:n] for row, n in zip(made.last, made.lengths, strict=True)]
    found = [_ranked(row, top) for row in rows]
    if any(labels is None for labels in found):
        return _merged(draw)
    labels = [[*one] for one in found if one is not None]
    width = draw(st.sampled_from((None, classes**steps, 300)))
    given: dict[str, Argument] = {"strategy": "beam_search"}
    given |= {} if width is None else {"beam_width": width}
    given |= {"top_paths": top} if top > 1 else {}
    paths = [[made.label(label) for label in path] for path in zip(*labels, strict=True)]
    scores = _probabilities(made, labels)
    demands = f"{shown(scores.value)} as log of the probabilities"
    gives = [
        _decoded(paths, steps),
        Result(scores.value.shape, agrees_with(scores), demands=demands),
    ]
    tensors = {"inputs": made.x, "lengths": made.lengths}
    call = many(tensors, *map(Ref, tensors), gives=gives, **made.given, **given)
    wide = "" if width is None else ", of a given width"
    return replace(call, about=f"{top} of a beam{wide}")


def _probabilities(made: Samples, labels: Sequence[Sequence[Label]]) -> Expectation:
    columns = [_column(made, [*column]) for column in zip(*labels, strict=True)]
    value, bound = (np.hstack([getattr(c, part) for c in columns]) for part in ("value", "bound"))
    return Expectation(-value, bound, made.x.dtype.name)


def _column(made: Samples, labels: Sequence[Label]) -> Expectation:
    longest = max(1, *map(len, labels))
    rows = np.array([[*label, *[0] * (longest - len(label))] for label in labels])
    sizes = np.array([len(label) for label in labels])
    return ctc.expected_loss_of_logits(made.last, rows, made.lengths, sizes)


def _attention(draw: DrawFn) -> Call:
    """Heads that share keys, and a mask that lets at least one key through."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    batch, queries, keys, shared, groups, size = (draw(st.integers(1, 3)) for _ in range(6))
    dtype = draw(st.sampled_from(("float32", "float64")))
    query = rng.normal(size=(batch, queries, shared * groups, size)).astype(dtype)
    key, value = (rng.normal(size=(batch, keys, shared, size)).astype(dtype) for _ in range(2))
    mask = rng.random((batch, draw(st.sampled_from((1, shared * groups))), queries, keys)) < 0.5
    mask[..., rng.integers(keys)] = True
    every = [np.repeat(tensor, groups, axis=2) for tensor in (key, value)]
    bias = np.broadcast_to(np.where(mask, 0.0, -np.inf), (batch, shared * groups, queries, keys))
    given = {"query": query, "key": every[0], "value": every[1], "bias": bias.astype(dtype)}
    found = expect("attention", given, dtype, Contraction())
    tensors = {"query": query, "key": key, "value": value, "mask": mask}
    demands = f"{shown(found.value)}: means of the values that the mask lets through"
    gives = Result(query.shape, agrees_with(found), demands=demands)
    return one(tensors, *map(Ref, ("query", "key", "value")), mask=Ref("mask"), gives=gives)


FUNCTIONS: tuple[Function, ...] = (
    Function("keras.ops.ctc_loss", _ctc_loss, section="Args"),
    Function("keras.ops.ctc_decode", _merged),
    Function("keras.ops.ctc_decode", _unmerged),
    Function("keras.ops.ctc_decode", _beam),
    Function("keras.ops.dot_product_attention", _attention, section="Args"),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
