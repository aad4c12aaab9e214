"""CTC of keras.ops: losses of logits, the likeliest path, the likeliest labels.

Any class may be the blank (`mask_index`); it moves behind the others first, where `ctc_paths` has
it. Blanks may stand anywhere in a decoded row: the evidence has the labels in front of them.

Labels are open where two are about as likely (`MARGIN`), and where the largest logits of a time
step differ by no more than `TIE` roundings. Those of a beam are open where one has a class twice
in a row: whether `merge_repeated` makes one of two that a blank stands between, no docstring says.

The recursion adds a logarithm at each time step, to a sum that is never larger than the result. A
logarithm of a softmax of n classes is off by gamma_(n + 8) (1 + max|x|) at each of them.

Source: the docstrings of `keras.ops.ctc_loss` and `keras.ops.ctc_decode`; `ctc_paths` names the
paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from conformance.oracle import ctc_paths
from conformance.oracle.ctc_paths import Label
from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
MARGIN = 1e-2
"""The least difference of the log probabilities of labels whose order matters."""
TIE = 64
BLANK = -1
"""The number that stands for the blank in a decoded row."""


def _logs(x: Array) -> Array:
    """The logarithms of the softmax along the last axis."""
    shifted = x - x.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def _blank_last(x: Array, blank: int) -> Array:
    return np.concatenate([np.delete(x, blank, -1), x[..., blank, None]], axis=-1)


def _place_of(k: int, blank: int) -> int:
    """The place of a class once the blank is behind the others."""
    return k - (k > blank)


def _class_at(place: int, blank: int) -> int:
    return place + (place >= blank)


def ctc_loss(
    target: Array, output: Array, target_length: Array, output_length: Array, mask_index: int = 0
) -> Array:
    """-log of the probability of each sample's label, for logits.

    Shapes: target (samples, longest label), output (samples, time_steps, classes), lengths
    (samples,); the result is (samples,).
    """
    losses = []
    logs = _logs(_blank_last(output, mask_index))
    for row, label, steps, length in zip(logs, target, output_length, target_length, strict=True):
        places = tuple(_place_of(int(k), mask_index) for k in label[: int(length)])
        losses.append(-ctc_paths.log_probability_of_logs(row[: int(steps)], places))
    return np.stack(losses)


def _of_steps(value: Array, model: Arithmetic, x: Array) -> Array:
    """A bound of the roundings of all time steps."""
    steps, classes = x.shape[1:]
    each = allowance(classes + 8, model) * (1 + np.abs(x).max())
    return np.asarray(allowance(steps, model) * (np.abs(value) + 1) + steps * each)


def roundings_of_loss(value: Array, model: Arithmetic, output: Array, **_: Any) -> Array:
    """The part of the bound that a conditioned loss has besides.

    Shapes: value (samples,), output (samples, time_steps, classes); the result is (samples,).
    """
    return _of_steps(value, model, output)


# Decoding


def _best(x: Array, blank: int, *, merges: bool) -> Label:
    """The label of the likeliest path."""
    path = x.argmax(axis=-1).tolist()
    return ctc_paths.collapsed(path, blank) if merges else tuple(k for k in path if k != blank)


def _rows(inputs: Array, lengths: Array) -> list[Array]:
    return [row[: int(n)] for row, n in zip(inputs, lengths, strict=True)]


def _ranking(x: Array, blank: int) -> list[tuple[Label, float]]:
    """Every label, by its own classes, with log of its probability, the likeliest first."""
    ranking = ctc_paths.ranked(np.exp(_logs(_blank_last(x, blank))))
    return [(tuple(_class_at(k, blank) for k in label), value) for label, value in ranking]


def _is_certain(ranking: Sequence[tuple[Label, float]], top: int) -> bool:
    """Whether the order of the likeliest labels is beyond doubt, and none repeats a class."""
    labels, values = zip(*ranking[: top + 1], strict=True)
    if len(labels) < top or any(a == b for label in labels[:top] for a, b in pairwise(label)):
        return False
    return all(a - b > MARGIN for a, b in pairwise(values))


def _padded(label: Label, steps: int) -> list[int]:
    return [*label, *[BLANK] * (steps - len(label))]


def decoded(  # noqa: PLR0917 - as documented
    inputs: Array,
    sequence_lengths: Array,
    strategy: str = "greedy",
    beam_width: int = 100,  # noqa: ARG001 - a beam as wide as there are paths
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int = 0,
) -> Array:
    """The evidence of right labels: (paths, samples, steps)."""
    rows, steps = _rows(inputs, sequence_lengths), inputs.shape[1]
    if strategy == "greedy":
        labels = [_best(row, mask_index, merges=merge_repeated) for row in rows]
        return np.array([[_padded(label, steps) for label in labels]], np.float64)
    samples = [_labels(row, mask_index, top_paths) for row in rows]
    paths = zip(*samples, strict=True)
    return np.array([[_padded(label, steps) for label in path] for path in paths], np.float64)


def _labels(x: Array, blank: int, top: int) -> list[Label]:
    labels = [label for label, _ in _ranking(x, blank)[:top]]
    return labels + [()] * (top - len(labels))


def evidence_of_labels(answer: Any, **_: Any) -> Any:
    """The classes of each row, and then its blanks."""
    labels = np.asarray(answer[0]).astype(np.float64)
    order = np.argsort(labels == -1, axis=-1, kind="stable")
    return np.take_along_axis(labels, order, axis=-1)


def bounded_labels(
    model: Arithmetic, inputs: Array, sequence_lengths: Array, **how: Any
) -> Bounded:
    """The same; infinite bounds where labels are open.

    Shapes: inputs (samples, time_steps, classes), lengths (samples,); value and bound are (paths,
    samples, time_steps).
    """
    value, rows = decoded(inputs, sequence_lengths, **how), _rows(inputs, sequence_lengths)
    if how.get("strategy", "greedy") == "greedy":
        known = [_has_no_tie(row, model) for row in rows]
    else:
        known = _certain(rows, **how)
    return value, np.where(np.array(known)[:, None], 0.0, np.inf) + np.zeros(value.shape)


def _has_no_tie(x: Array, model: Arithmetic) -> bool:
    ordered = np.sort(x, axis=-1)
    gap = ordered[:, -1] - ordered[:, -2]
    least = TIE * (model.unit * (1 + np.abs(x).max()) + model.underflow)
    return bool((gap > least).all())


def _certain(
    rows: Sequence[Array], mask_index: int = 0, top_paths: int = 1, **_: Any
) -> list[bool]:
    return [
        bool(np.isfinite(row).all()) and _is_certain(_ranking(row, mask_index), top_paths)
        for row in rows
    ]


def scores(
    inputs: Array,
    sequence_lengths: Array,
    strategy: str = "greedy",
    top_paths: int = 1,
    mask_index: int = 0,
    **_: Any,
) -> Array:
    """Minus the sum of the logits of the likeliest path, or log of the labels' probabilities.

    Shapes: inputs (samples, time_steps, classes), lengths (samples,); the result is (samples, 1)
    for `greedy`, else (samples, top_paths).
    """
    rows = _rows(inputs, sequence_lengths)
    if strategy == "greedy":
        return -np.stack([[row.max(axis=-1).sum()] for row in rows])
    return np.stack([_logs_of_labels(row, mask_index, top_paths) for row in rows])


def _logs_of_labels(x: Array, blank: int, top: int) -> Array:
    logs = _logs(_blank_last(x, blank))
    labels = [tuple(_place_of(k, blank) for k in label) for label in _labels(x, blank, top)]
    return np.stack([ctc_paths.log_probability_of_logs(logs, label) for label in labels])


def roundings_of_scores(
    value: Array, model: Arithmetic, inputs: Array, sequence_lengths: Array, **how: Any
) -> Array:
    """The part of the bound that conditioned scores have besides; infinite for open labels.

    Shapes: value and result have the shape of `scores`.
    """
    bound = _of_steps(value, model, inputs)
    if how.get("strategy", "greedy") == "greedy":
        return bound
    known = np.array(_certain(_rows(inputs, sequence_lengths), **how))
    return np.where(known[:, None], bound, np.inf)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "ctc_loss": ctc_loss,
    "ctc_decode.labels": decoded,
    "ctc_decode.scores": scores,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"ctc_decode.labels": bounded_labels}
SUMMATIONS: Mapping[str, Callable[..., Array]] = {
    "ctc_loss": roundings_of_loss,
    "ctc_decode.scores": roundings_of_scores,
}
EVIDENCE: Mapping[str, Evidence] = {
    "ctc_decode.labels": Evidence(
        evidence_of_labels, "the labels in front of the blanks", like="inputs"
    ),
}
