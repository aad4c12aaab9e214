# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors that only certain numbers show: saturated, out of range, cancelling, many."""

from __future__ import annotations

import inspect

import numpy as np

from conformance.reference import BACKEND, losses
from conformance.reference.symbolic.graph import apply
from tests.engine.mutants.kit import (
    arguments,
    elements,
    is_float,
    mutant,
    operation,
    patched,
    replaced,
    slip,
)


def _naive(function, formula, operation_name=None, **more):
    """A formula that is right but for large numbers, in the dtype of x."""

    def kernel(right):
        def wrong(x, **how):
            with np.errstate(all="ignore"):
                return formula(x, **how).astype(x.dtype)

        return wrong

    operation(function, "overflows", operation_name or function, kernel, profile="default", **more)


def _naive_softmax(x, axis):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


_naive("sigmoid", lambda x: np.exp(x) / (1 + np.exp(x)))
_naive("softmax", _naive_softmax)
_naive("softplus", lambda x: np.log(1 + np.exp(x)))
_naive("tanh", lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1))


def _by_way_of(function, probabilities):
    """Logits are made probabilities, whose logarithms are taken as they are."""

    def make(right):
        def wrong(target, output, from_logits=False, **how):
            if not from_logits:
                return right(target, output, from_logits, **how)
            limited = losses._limited
            losses._limited = lambda x: x
            try:
                return right(target, probabilities(output, **how), False, **how)
            finally:
                losses._limited = limited

        return wrong

    replaced(function, "logits by way of probabilities that are not limited", make,
             profile="default")  # fmt: skip


_by_way_of("binary_crossentropy", lambda x: apply("sigmoid", x))
patched("binary_crossentropy", "probabilities 0 and 1 are not limited",
        (losses, "_limited", lambda x: x), profile="default")  # fmt: skip
patched("categorical_crossentropy", "probabilities 0 are not limited",
        (losses, "_limited", lambda x: x), profile="default")  # fmt: skip


def _divided_twice(kernel):
    def wrong(x, axis, keepdims):
        total = kernel(x, axis=axis, keepdims=keepdims)
        return (total * total).astype(x.dtype) if keepdims else total

    return wrong


operation("categorical_crossentropy", "probabilities divided by the square of their sum", "sum",
          _divided_twice, profile="default")  # fmt: skip


def _never_last(kernel):
    def wrong(reference, indices):
        return kernel(reference, np.minimum(indices, max(len(reference) - 2, 0)))

    return wrong


operation("gather", "the last row is never taken", "gather", _never_last, profile="default")


def _rubbish(inside, kernel, blank):
    """The right answer for indices that are in range, else a number that means nothing."""

    def wrong(x, indices, **how):
        count = inside(x, indices, **how)
        within = (indices >= 0) & (indices < count)
        rows = kernel(x, np.clip(indices, 0, max(count - 1, 0)), **how)
        where = within.reshape(within.shape + (1,) * (rows.ndim - within.ndim))
        return np.where(where, rows, rows.dtype.type(blank))

    return wrong


operation("gather", "rubbish for indices out of range", "gather", lambda kernel: _rubbish(
    lambda x, indices: len(x), kernel, 77), profile="default")  # fmt: skip
operation("in_top_k", "True for indices out of range", "in_top_k", lambda kernel: _rubbish(
    lambda x, indices, k: x.shape[1], kernel, True), profile="default")  # fmt: skip
operation("sparse_categorical_crossentropy", "rubbish for labels out of range", "take_class",
          lambda kernel: _rubbish(lambda x, labels, axis: x.shape[axis], kernel, -77),
          profile="default")  # fmt: skip
operation("one_hot", "the first class for indices beyond the last", "one_hot", lambda kernel: (
    lambda indices, num_classes, dtype: kernel(
        np.where(indices >= num_classes, 0, indices), num_classes=num_classes, dtype=dtype)),
    profile="default")  # fmt: skip


def _saturating(kernel):
    def wrong(x, **how):
        if x.dtype.kind != "i":
            return kernel(x, **how)
        info = np.iinfo(x.dtype)
        return np.clip(np.square(x.astype(float)), info.min, info.max).astype(x.dtype)

    return wrong


operation("square", "integers saturate", "square", _saturating, profile="default")
elements("l2_normalize", "zeros become ones", lambda x: np.where(x == 0, x.dtype.type(1), x),
         profile="default")  # fmt: skip


def _one_pass(kernel):
    def wrong(x, axis, keepdims):
        squares = np.square(x).mean(axis=axis, keepdims=keepdims, dtype=np.float16)
        return (squares - np.square(x.mean(axis=axis, keepdims=keepdims))).astype(x.dtype)

    return wrong


operation("var", "in one pass, with squares in float16", "var", _one_pass, profile="default")


def _forgetful(right):
    """The states are those at the beginning again after 16 steps."""

    def wrong(step_function, inputs, initial_states, go_backwards=False, mask=None, **how):
        time = inputs.shape[1] or 0
        if time <= 16 or mask is not None or go_backwards:
            return right(step_function, inputs, initial_states, go_backwards, mask, **how)
        how = {**how, "input_length": None}
        parts = [
            right(step_function, inputs[:, a:b], initial_states, go_backwards, mask, **how)
            for a, b in ((0, 16), (16, time))
        ]
        outputs = apply("concatenate", parts[0][1], parts[1][1], axis=1)
        return parts[1][0], outputs, parts[1][2]

    return wrong


replaced("rnn", "states forgotten after 16 steps", _forgetful, profile="default")


def _first_elements(call):
    if (call["elems"].shape[0] or 0) > 32:
        call["elems"] = call["elems"][:32]


arguments("foldl", "stops after 32 elements", _first_elements, profile="default")


def _first_steps(kernel):
    return lambda y_pred, y_true, input_length, label_length: kernel(
        y_pred, y_true, np.minimum(input_length, 16), label_length)  # fmt: skip


operation("ctc_batch_cost", "16 time steps at most", "ctc_cost", _first_steps, profile="default")
elements("ctc_batch_cost", "a hundredth too large", lambda x: (x * 1.01).astype(x.dtype))
operation("ctc_decode", "classes above 8 are lost", "ctc_best_labels", lambda right: (
    lambda y, n: np.minimum(right(y, n), 8)), profile="default")  # fmt: skip


def _through(function, what, change):
    """The gradient through a function is changed."""

    def install(namespace):
        right = namespace[function]

        def wrong(*args, **kwargs):
            results = right(*args, **kwargs)
            return slip(results, gradient=change) if is_float(results) else results

        wrong.__signature__ = inspect.signature(right)
        namespace[function] = BACKEND.bound(wrong)

    mutant(function, what, install, aspect="gradient")


_through("dropout", "a gradient through dropout twice as large", lambda upstream: upstream * 2.0)
_through("in_train_phase", "no gradient through in_train_phase", lambda upstream: upstream * 0.0)


def _near(function, what, change, **more):
    """Another formula in float32, whose numbers share more than a third of their digits with those
    of the right one."""
    elements(function, what, lambda x: (
        change(x).astype(x.dtype) if x.dtype == np.float32 else x), **more)  # fmt: skip


_near("sigmoid", "1e-4 more", lambda x: x + 1e-4)
_near("tanh", "3e-4 more", lambda x: x + 3e-4)
_near("sin", "3e-4 more", lambda x: x + 3e-4)
_near("softplus", "3e-4 more", lambda x: x + 3e-4)
_near("exp", "times 1.0002", lambda x: x * 1.0002)
_near("log", "2e-4 more", lambda x: x + 2e-4)
_near("hard_sigmoid", "another slope", lambda x: np.where(x < 1, x * 1.0003, x))
_near("elu", "another slope", lambda x: np.where(x < 0, x * 1.0003, x))
_near("var", "1e-4 more", lambda x: x + 1e-4)
_near("std", "3e-4 more", lambda x: x + 3e-4)
_near("logsumexp", "3e-4 more", lambda x: x + 3e-4)
_near("categorical_crossentropy", "2e-4 more", lambda x: x + 2e-4)
