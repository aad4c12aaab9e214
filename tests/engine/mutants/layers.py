# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in normalisation, padding, resizing, biases and losses."""

from __future__ import annotations

import numpy as np

from conformance.reference import losses, normalisation, padding
from conformance.reference.symbolic.graph import apply
from tests.engine.mutants.kit import (
    arguments,
    elements,
    gradient,
    operation,
    patched,
    replaced,
    result,
)

BATCH = ("normalize_batch_in_training", "batch_normalization")


def _scale_first(centred, features, epsilon):
    var, beta, gamma = features
    return (centred + beta) / apply("sqrt", var + epsilon) * gamma


def _epsilon_outside(centred, features, epsilon):
    var, beta, gamma = features
    return centred / (apply("sqrt", var) + epsilon) * gamma + beta


def _no_root(centred, features, epsilon):
    var, beta, gamma = features
    return centred / (var + epsilon) * gamma + beta


for _name in BATCH:
    arguments(_name, "epsilon dropped", lambda call: call.update(epsilon=0.0))
    arguments(_name, "epsilon always the default", lambda call: call.update(epsilon=0.001))
    arguments(_name, "beta and gamma exchanged", lambda call: call.update(
        beta=call["gamma"], gamma=call["beta"]))  # fmt: skip
    patched(_name, "beta before the scale", (normalisation, "_scaled", _scale_first))
    patched(_name, "epsilon outside of the root", (normalisation, "_scaled", _epsilon_outside))
    patched(_name, "no root", (normalisation, "_scaled", _no_root))
    for _argument in ("gamma", "beta"):
        gradient(_name, f"no gradient of {_argument}", lambda upstream: upstream * 0, _argument)

arguments("batch_normalization", "mean and var exchanged", lambda call: call.update(
    mean=call["var"], var=call["mean"]))  # fmt: skip
arguments("batch_normalization", "the axis ignored", lambda call: call.update(axis=-1),
          verdict="reported", profile="default")  # fmt: skip
for _argument in ("x", "mean", "var"):
    gradient("batch_normalization", f"no gradient of {_argument}", lambda upstream: upstream * 0,
             _argument)  # fmt: skip

_IN_TRAINING = "normalize_batch_in_training"


def _unbiased(kernel):
    """Divided by one sample less."""
    return lambda x: (kernel(x) * len(x) / max(len(x) - 1, 1)).astype(x.dtype)


operation(_IN_TRAINING, "the variance divided by one less", "square", _unbiased, verdict="reported")
result(_IN_TRAINING, "the deviation instead of the variance",
       lambda value: (value[0], value[1], apply("sqrt", value[2])),
       verdict="reported", profile="default")  # fmt: skip
result(_IN_TRAINING, "the moments exchanged", lambda value: (value[0], value[2], value[1]))
operation(_IN_TRAINING, "the variance constant in gradients", "square",
          gradient=lambda right: lambda node, upstream: (None,))  # fmt: skip
operation(_IN_TRAINING, "the mean constant in gradients", "mean",
          gradient=lambda right: lambda node, upstream: (None,))  # fmt: skip

arguments("l2_normalize", "all axes", lambda call: call.update(axis=None))
operation("l2_normalize", "the L1 norm", "square", lambda kernel: np.abs)
operation("l2_normalize", "not the root", "sqrt", lambda kernel: lambda x: x)
operation("l2_normalize", "the norm constant in gradients", "sqrt",
          gradient=lambda right: lambda node, upstream: (None,))  # fmt: skip


# Padding

PADDINGS = ("temporal_padding", "spatial_2d_padding", "spatial_3d_padding")


def _swapped_widths(x, first, pairs, right=padding._pad):
    return right(x, first, [(b, a) for a, b in pairs])


def _one_less(x, first, pairs, right=padding._pad):
    return right(x, first, [(a, max(b - 1, 0)) for a, b in pairs])


def _turned(x, first, pairs, right=padding._pad):
    return right(x, first, pairs[::-1])


def _later(x, first, pairs, right=padding._pad):
    return right(x, 3 - first if first in (1, 2) else first, pairs)


def _edges(kernel):
    """The border repeated."""
    return lambda x, widths: np.pad(x, widths, mode="edge") if x.size else kernel(x, widths)


for _name in PADDINGS:
    patched(_name, "before and after exchanged", (padding, "_pad", _swapped_widths))
    patched(_name, "one element less behind", (padding, "_pad", _one_less))
    operation(_name, "the border repeated instead of zeros", "pad", _edges)
    operation(
        _name,
        "the gradient from the other side",
        "pad",
        gradient=lambda right: (
            lambda node, upstream: (
                upstream[tuple(slice(b, -a if a else None) for a, b in node.attributes["widths"])],
            )
        ),
        profile="default",
    )
for _name in PADDINGS[1:]:
    patched(_name, "the pairs in reverse", (padding, "_pad", _turned))
    patched(_name, "the other layout", (padding, "_pad", _later), verdict="reported")
    patched(_name, "any data format taken",
            (padding, "first_spatial", lambda value, where, optional=True: 1), aspect="error",
            verdict="reported")  # fmt: skip

_asymmetric = "asymmetric_temporal_padding"
patched(_asymmetric, "left and right exchanged", (padding, "_pad", _swapped_widths),
        edition="keras-1")  # fmt: skip
patched(_asymmetric, "one element less behind", (padding, "_pad", _one_less), edition="keras-1")

RESIZING = ("resize_images", "resize_volumes")


def _tiled(kernel):
    """The whole axis again, not each element."""

    def wrong(x, rep, axis):
        return np.concatenate([x] * rep, axis=axis)

    return wrong


def _exchange(first, second):
    def change(call):
        call[first], call[second] = call[second], call[first]

    return change


for _name in RESIZING:
    operation(_name, "the axis repeated as a whole", "repeat_elements", _tiled, verdict="reported")
    arguments(_name, "the factors exchanged", _exchange("height_factor", "width_factor"),
              verdict="reported")  # fmt: skip
    patched(_name, "always channels last",
            (padding, "first_spatial", lambda value, where, optional=True: 1),
            verdict="reported")  # fmt: skip
    operation(_name, "the mean instead of the sum of gradients", "repeat_elements",
              gradient=lambda right: lambda node, upstream: (
                  right(node, upstream)[0] / float(node.attributes["rep"]),),
              verdict="reported", profile="default")  # fmt: skip

patched("bias_add", "always channels last",
        (padding, "channels_first", lambda value, where: False), verdict="reported")  # fmt: skip
operation("bias_add", "subtracted", "add", lambda kernel: np.subtract)
gradient("bias_add", "no gradient of the bias", lambda upstream: upstream * 0, "bias")
gradient("bias_add", "the mean for the bias, not the sum", lambda upstream: upstream * 0.5, "bias")
patched("bias_add", "any data format taken",
        (padding, "channels_first", lambda value, where: False), aspect="error")  # fmt: skip


# Losses

CROSS = ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy")

for _name in CROSS:
    arguments(_name, "from_logits ignored", lambda call: call.update(from_logits=False))
    arguments(_name, "from_logits always", lambda call: call.update(from_logits=True))
    patched(
        _name,
        "no clipping",
        (losses, "_limited", lambda p: p),
        verdict="reported",
        profile="default",
    )
    elements(_name, "the other sign", lambda x: -x)
    elements(_name, "the logarithm to base 2", lambda x: (x * 1.4427).astype(x.dtype))
for _name in CROSS[:2]:
    arguments(_name, "the axis ignored", lambda call: call.update(axis=-1))
    patched(_name, "probabilities not normalised", (losses, "_log_probabilities", lambda o, logits,
            axis, right=losses._log_probabilities: right(o, logits, axis) if logits
            else apply("log", losses._limited(losses.widened(o)))), verdict="reported")  # fmt: skip


def _exchanged(right):
    def wrong(target, output, *args, **kwargs):
        return right(output, target, *args, **kwargs)

    return wrong


for _name in ("categorical_crossentropy", "binary_crossentropy"):
    replaced(_name, "target and output exchanged", _exchanged)


def _next_class(kernel):
    return lambda x, labels, axis: kernel(x, (labels + 1) % x.shape[axis], axis=axis)


operation("sparse_categorical_crossentropy", "labels from 1", "take_class", _next_class)
operation(
    "sparse_categorical_crossentropy",
    "the gradient at the next class",
    "take_class",
    gradient=lambda right: (
        lambda node, upstream: (
            apply("reverse", right(node, upstream)[0], axes=(node.attributes["axis"],)),
            None,
        )
    ),
)
gradient("categorical_crossentropy", "no gradient of the target", lambda upstream: upstream * 0,
         "target", verdict="reported")  # fmt: skip


def _one_side(target, output, from_logits=False):
    """Without the term of what is not."""
    labels, wide = losses.widened(target), losses.widened(output)
    wide = apply("sigmoid", wide) if from_logits else wide
    return losses.cast(-(labels * apply("log", losses._limited(wide))), output.dtype)


replaced("binary_crossentropy", "without the second term", lambda right: (
    lambda target, output, from_logits=False: _one_side(target, output, from_logits)))  # fmt: skip


def _mean_loss(loss):
    return apply("mean", loss, axis=(loss.ndim - 1,), keepdims=False) if loss.ndim else loss


result("binary_crossentropy", "the mean over the last axis", _mean_loss)

for _name, _kernel in {
    "one more than k": lambda right: lambda p, t, k: right(p, t, k=k + 1),
    "one less than k": lambda right: lambda p, t, k: right(p, t, k=k - 1),
    "the smallest instead": lambda right: lambda p, t, k: right(-p, t, k=k),
    "the next class": lambda right: lambda p, t, k: right(p, (t + 1) % p.shape[1], k=k),
    "ties are out": lambda right: (
        lambda p, t, k: (p >= np.take_along_axis(p, t[:, None], 1)).sum(1) <= k
    ),
}.items():
    _how = {"verdict": "reported"} if "ties" in _name else {}
    operation("in_top_k", _name, "in_top_k", _kernel, **_how)


def _any_width(call):
    call["width_factor"] = max(1, call["width_factor"])


for _name in RESIZING:
    arguments(_name, "any width factor", _any_width, aspect="error", verdict="reported")
