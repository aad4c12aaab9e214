# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in random numbers and dropout."""

from __future__ import annotations

import numpy as np

from conformance.reference.numpy_library import random as numpy_random
from conformance.reference.symbolic.graph import apply
from tests.engine.mutants.kit import arguments, elements, operation, replaced

UNIFORM = {"random_uniform": ("minval", "maxval"), "random_uniform_variable": ("low", "high")}
NORMAL = {
    "random_normal": ("mean", "stddev"),
    "truncated_normal": ("mean", "stddev"),
    "random_normal_variable": ("mean", "scale"),
}
ALL = (*UNIFORM, *NORMAL, "random_binomial", "dropout")


def _set(**values):
    return lambda call: call.update(values)


def _times(name, factor):
    return lambda call: call.update({name: call[name] * factor})


def _more(name, by):
    return lambda call: call.update({name: call[name] + by})


for _name in ALL:
    arguments(_name, "the seed ignored", _set(seed=None), aspect="seed")
    arguments(_name, "one seed for all", _set(seed=1), aspect="seed")
for _name, (_low, _high) in UNIFORM.items():
    arguments(_name, "from 0", _set(**{_low: 0.0}), aspect="distribution")
    arguments(_name, "to 1", _set(**{_high: 1.0}), aspect="distribution")
    arguments(_name, "two per cent wider", _times(_high, 1.02), aspect="distribution")
for _name, (_mean, _spread) in NORMAL.items():
    arguments(_name, "the mean ignored", _set(**{_mean: 0.0}), aspect="distribution")
    arguments(_name, "the variance as the deviation", lambda call, spread=_spread: call.update(
        {spread: call[spread] ** 0.5}), aspect="distribution")  # fmt: skip
    arguments(_name, "two per cent too wide", _times(_spread, 1.02), aspect="distribution",
              profile="default")  # fmt: skip
    arguments(_name, "the mean a little off", _more(_mean, 0.05), aspect="distribution")


def _cut_to(limit):
    """Cut off, not drawn again."""

    def make(kernel):
        def wrong(shape, dtype, mean, stddev, stream):
            numbers = numpy_random._generator(stream).standard_normal(shape)
            return (mean + stddev * np.clip(numbers, -limit, limit)).astype(dtype)

        return wrong

    return make


def _untruncated(kernel):
    return numpy_random.random_normal


def _repeated(kernel):
    """Each number twice in a row."""

    def wrong(*args, **kwargs):
        numbers = kernel(*args, **kwargs)
        flat = np.repeat(numbers.reshape(-1)[::2], 2)[: numbers.size]
        return np.resize(flat, numbers.shape) if numbers.size > 1 else numbers

    return wrong


def _uniform_shape(kernel):
    """Uniform numbers of the same mean and deviation."""

    def wrong(shape, dtype, mean, stddev, stream):
        numbers = numpy_random._generator(stream).random(shape) - 0.5
        return (mean + stddev * 12**0.5 * numbers).astype(dtype)

    return wrong


_TRUNCATED = "truncated_normal"
operation(_TRUNCATED, "cut off instead of drawn again", _TRUNCATED, _cut_to(2.0),
          aspect="distribution")  # fmt: skip
operation(_TRUNCATED, "not truncated", _TRUNCATED, _untruncated)
operation(
    "random_normal", "uniform numbers", "random_normal", _uniform_shape, aspect="distribution"
)
operation("random_normal", "every number twice", "random_normal", _repeated, aspect="distribution",
          verdict="reported")  # fmt: skip
operation("random_uniform", "every number twice", "random_uniform", _repeated,
          aspect="distribution", verdict="reported")  # fmt: skip
operation("random_uniform", "the bound among the integers", "random_uniform", lambda kernel: (
    lambda **how: kernel(**{**how, "high": how["high"] + (not how["dtype"].startswith("float"))})),
    verdict="diverges")  # fmt: skip


def _frozen(kernel):
    """The same numbers at each evaluation."""
    seen: dict[object, object] = {}

    def wrong(*args, stream, **kwargs):
        if stream not in seen:
            seen[stream] = kernel(*args, stream=stream, **kwargs)
        return seen[stream]

    return wrong


for _name in ("random_normal", "random_uniform", "random_binomial", _TRUNCATED):
    operation(_name, "the same numbers at each evaluation", _name, _frozen, aspect="distribution",
              verdict="diverges")  # fmt: skip
operation("dropout", "the same flags at each evaluation", "random_flags", _frozen,
          aspect="distribution")  # fmt: skip

arguments("random_binomial", "the other probability", lambda call: call.update(
    p=1 - call["p"]), aspect="distribution", verdict="reported")  # fmt: skip
arguments("random_binomial", "two per cent more", lambda call: call.update(
    p=min(1.0, call["p"] + 0.02)), aspect="distribution", verdict="reported")  # fmt: skip
arguments("random_binomial", "any probability", lambda call: call.update(
    p=min(1.0, max(0.0, call["p"]))), aspect="error", verdict="reported")  # fmt: skip

operation("dropout", "what is kept is not scaled", "dropout", lambda kernel: (
    lambda x, flags, level: np.where(
        np.broadcast_to(flags, x.shape), x, x.dtype.type(0))))  # fmt: skip
operation("dropout", "what is kept is divided by the level", "dropout", lambda kernel: (
    lambda x, flags, level: (kernel(x, flags, level=1 - level) if level else x)),
    profile="default")  # fmt: skip
operation("dropout", "level is what is kept", "random_flags", lambda kernel: (
    lambda dimensions, p, stream: kernel(dimensions, p=1 - p, stream=stream)),
    aspect="distribution")  # fmt: skip
arguments("dropout", "noise_shape ignored", _set(noise_shape=None))
arguments("dropout", "any level", lambda call: call.update(
    level=min(0.5, max(0.0, call["level"]))), aspect="error", verdict="reported")  # fmt: skip
operation("dropout", "a whole row at once", "random_flags", lambda kernel: (
    lambda dimensions, p, stream: np.broadcast_to(
        kernel(np.r_[dimensions[:-1], 1] if len(dimensions) else dimensions, p=p, stream=stream),
        tuple(dimensions)) if len(dimensions) else kernel(dimensions, p=p, stream=stream)),
    aspect="distribution", verdict="reported")  # fmt: skip
elements("dropout", "1 instead of 0", lambda x: np.where(x == 0, x.dtype.type(1), x),
         aspect="distribution")  # fmt: skip


def _variable_drawn_again(right):
    """A tensor, and not a variable: other numbers at each evaluation."""

    def wrong(shape, first, second, dtype=None, name=None, seed=None):  # noqa: PLR0917
        numbers = right(shape, first, second, dtype, name, seed)
        noise = apply("random_flags", apply("shape", numbers), p=0.5, stream=_stream())
        return numbers + apply("cast", noise, dtype=numbers.dtype) * 0.125

    return wrong


def _stream():
    from conformance.reference.symbolic.shapes.random import Stream  # noqa: PLC0415

    return Stream(None)


for _name in ("random_uniform_variable", "random_normal_variable"):
    replaced(_name, "other numbers at each evaluation", _variable_drawn_again)
