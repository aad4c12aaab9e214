# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in CTC and sparse tensors."""

from __future__ import annotations

import numpy as np

from conformance.reference.numpy_library import ctc as numpy_ctc
from conformance.reference.symbolic.graph import apply
from tests.engine.mutants.kit import arguments, elements, operation, replaced, result

COST, DECODE, SPARSE = "ctc_batch_cost", "ctc_decode", "ctc_label_dense_to_sparse"


def _with_states(change):
    """The loss over other states."""

    def make(kernel):
        def wrong(*args, **kwargs):
            right = numpy_ctc.states_of
            numpy_ctc.states_of = lambda *a: change(right(*a))
            try:
                return kernel(*args, **kwargs)
            finally:
                numpy_ctc.states_of = right

        return wrong

    return make


def _jumping(states):
    """A path may jump over the blank between equal classes."""
    jumps = np.array(states.jumps)
    jumps[:, 3::2] = True
    return numpy_ctc.LabelStates(states.classes, jumps, states.last, states.steps)


def _never(states):
    return numpy_ctc.LabelStates(states.classes, states.jumps & False, states.last, states.steps)


def _whole(states):
    """Every sample is as long as the longest."""
    steps = np.full_like(states.steps, states.steps.max())
    return numpy_ctc.LabelStates(states.classes, states.jumps, states.last, steps)


def _first_blank(kernel):
    """The blank is the first class."""

    def wrong(y_pred, y_true, *lengths):
        rolled = np.roll(y_pred, -1, axis=2)
        return kernel(rolled, (y_true - 1) % max(y_pred.shape[2] - 1, 1), *lengths)

    return wrong


operation(COST, "equal classes without a blank between", "ctc_cost", _with_states(_jumping))
operation(COST, "a blank between all classes", "ctc_cost", _with_states(_never))
operation(COST, "input_length ignored", "ctc_cost", _with_states(_whole))
operation(COST, "the blank is the first class", "ctc_cost", _first_blank, verdict="diverges")
elements(COST, "the probability, not its logarithm", lambda x: np.exp(-x))
elements(COST, "the other sign", lambda x: -x)
elements(COST, "the mean over the samples", lambda x: np.full_like(x, x.mean()))
result(COST, "a vector", lambda value: apply("squeeze", value, axis=1))
elements(COST, "divided by the number of samples", lambda x: x / np.float32(len(x)))


def _gradient_with(change):
    def make(right):
        def wrong(node, upstream):
            first, *rest = right(node, upstream)
            return change(first), *rest

        return wrong

    return make


operation(COST, "the gradient of the other sign", "ctc_cost", gradient=_gradient_with(lambda g: -g))
operation(COST, "the gradient of the last step lost", "ctc_cost", gradient=_gradient_with(
    lambda g: apply("concatenate", g[:, :-1], g[:, -1:] * 0, axis=1)))  # fmt: skip


def _lengths_ignored(right):
    return lambda y, lengths, **how: right(y, np.full_like(lengths, y.shape[1]), **how)


def _unmerged(_):
    """Repeats stay."""

    def wrong(y_pred, input_length):
        path, blank = y_pred.argmax(axis=2), y_pred.shape[2] - 1
        paths = np.full(path.shape, -1, np.int64)
        for row, (steps, n) in enumerate(zip(path, input_length, strict=True)):
            labels = steps[:n][steps[:n] != blank]
            paths[row, : len(labels)] = labels
        return paths

    return wrong


def _blanks_first(_):
    """Blanks are dropped before repeats are merged."""

    def wrong(y_pred, input_length):
        path, blank = y_pred.argmax(axis=2), y_pred.shape[2] - 1
        paths = np.full(path.shape, -1, np.int64)
        for row, (steps, n) in enumerate(zip(path, input_length, strict=True)):
            labels = steps[:n][steps[:n] != blank]
            labels = labels[np.r_[True, labels[1:] != labels[:-1]]] if len(labels) else labels
            paths[row, : len(labels)] = labels
        return paths

    return wrong


operation(DECODE, "repeats are not merged", "ctc_best_labels", _unmerged)
operation(DECODE, "blanks dropped before repeats are merged", "ctc_best_labels", _blanks_first,
          profile="default")  # fmt: skip
operation(DECODE, "input_length ignored in greedy labels", "ctc_best_labels", _lengths_ignored)
operation(DECODE, "input_length ignored in greedy probabilities", "ctc_best_probability",
          _lengths_ignored, verdict="reported")  # fmt: skip
operation(DECODE, "the other sign of greedy log probabilities", "ctc_best_probability",
          lambda right: lambda y, n: -right(y, n), verdict="reported")  # fmt: skip
operation(DECODE, "probabilities, not logarithms", "ctc_best_probability",
          lambda right: lambda y, n: np.exp(right(y, n)))  # fmt: skip
operation(DECODE, "0 after the end", "ctc_best_labels",
          lambda right: lambda y, n: np.maximum(right(y, n), 0), verdict="reported")  # fmt: skip
operation(DECODE, "the blank is the first class", "ctc_best_labels", lambda right: (
    lambda y, n: _plus_one(right(np.roll(y, -1, 2), n))), verdict="diverges")  # fmt: skip
arguments(DECODE, "greedy ignored", lambda call: call.update(greedy=True))
arguments(DECODE, "top_paths ignored", lambda call: call.update(top_paths=1))
arguments(DECODE, "a beam of the least width", lambda call: call.update(
    beam_width=call["top_paths"]))  # fmt: skip
operation(DECODE, "input_length ignored in the search", "ctc_beam", _lengths_ignored)


def _plus_one(labels):
    return np.where(labels < 0, labels, labels + 1)


def _search_with(**changes):
    def make(kernel):
        def wrong(*args, **kwargs):
            kernels = {name: getattr(numpy_ctc, name) for name in changes}
            for name, value in changes.items():
                setattr(numpy_ctc, name, value)
            try:
                return kernel(*args, **kwargs)
            finally:
                for name, value in kernels.items():
                    setattr(numpy_ctc, name, value)

        return wrong

    return make


operation(DECODE, "prefixes are not merged in the search", "ctc_beam", _search_with(
    _merged=lambda beam, last, other, longer: other), verdict="reported")  # fmt: skip


def _least_first(kernel):
    """The least likely first, of the paths that are asked for."""

    def wrong(y, n, **how):
        results = kernel(y, n, **how)
        results[0], results[1] = results[0][::-1], results[1][:, ::-1]
        return results

    return wrong


def _other_logarithms(kernel):
    def wrong(y, n, **how):
        results = kernel(y, n, **how)
        results[1] = results[1] * results[1].dtype.type(1.001)
        return results

    return wrong


operation(DECODE, "the likeliest last", "ctc_beam", _least_first, verdict="diverges",
          profile="default")  # fmt: skip
operation(DECODE, "log probabilities a thousandth off", "ctc_beam", _other_logarithms,
          verdict="reported")  # fmt: skip

operation(SPARSE, "one class more", "label_to_sparse", lambda right: lambda labels, lengths: right(
    labels, np.minimum(lengths + 1, labels.shape[1])))  # fmt: skip
operation(SPARSE, "one class less", "label_to_sparse", lambda right: lambda labels, lengths: right(
    labels, np.maximum(lengths - 1, 0)))  # fmt: skip
operation(SPARSE, "the length of the first for all", "label_to_sparse", lambda right: (
    lambda labels, lengths: right(labels, np.full_like(lengths, lengths[0]))),
    verdict="reported", profile="default")  # fmt: skip

replaced("is_sparse", "always False", lambda right: lambda tensor: False)
replaced("is_sparse", "always True", lambda right: lambda tensor: True)
operation(
    "to_dense",
    "indices in reverse",
    "to_dense",
    lambda right: lambda x: right(type(x)(np.asarray(x.shape) - 1 - x.indices, x.values, x.shape)),
    profile="default",
)
operation("to_dense", "the first element missing", "to_dense", lambda right: lambda x: right(
    type(x)(x.indices[1:], x.values[1:], x.shape)))  # fmt: skip
operation("to_dense", "ones instead of values", "to_dense", lambda right: lambda x: right(
    type(x)(x.indices, np.ones_like(x.values), x.shape)))  # fmt: skip
