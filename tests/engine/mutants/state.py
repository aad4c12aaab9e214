# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in variables, updates, functions, sessions and gradients.

Programs of other functions use most of these, so that each is alone in its process.
"""

from __future__ import annotations

import numpy as np

from conformance.reference import BACKEND, variables
from conformance.reference.symbolic import functions
from conformance.reference.symbolic.graph import apply
from tests.engine.mutants.kit import (
    arguments,
    elements,
    mutant,
    operation,
    patched,
    replaced,
    result,
)

ALONE = {"alone": True, "aspect": "state"}
VALUE = {"alone": True}


def _added(right):
    return lambda x, value: right(x, x.value + np.asarray(value))


def _any_shape(right):
    """Another shape is taken and broadcast or cut."""
    return lambda x, value: right(x, np.resize(np.asarray(value), x.value.shape))


replaced("set_value", "nothing happens", lambda right: lambda x, value: None, **ALONE)
replaced("set_value", "added instead of set", _added, **ALONE)
replaced("set_value", "another shape is taken", _any_shape, alone=True, aspect="error",
         verdict="reported", profile="default")  # fmt: skip
replaced("set_value", "a scaled value", lambda right: lambda x, value: right(
    x, (np.asarray(value) * 1.001).astype(x.dtype)), **ALONE)  # fmt: skip
replaced("batch_set_value", "only the first", lambda right: lambda tuples: right(tuples[:1]),
         **ALONE)  # fmt: skip
replaced("batch_set_value", "the values in reverse", lambda right: lambda tuples: right(
    [(x, np.resize(v, x.value.shape)) for (x, _), (_, v) in zip(tuples, tuples[::-1], strict=True)]),  # noqa: E501
    **ALONE)  # fmt: skip


def _first_alone(right):
    """The values of later pairs are cut or repeated until they fit."""
    return lambda tuples: right(
        [*tuples[:1], *((x, np.resize(v, x.value.shape)) for x, v in tuples[1:])])  # fmt: skip


replaced("batch_set_value", "another shape is taken in later pairs", _first_alone, alone=True,
         aspect="error", verdict="reported", profile="default")  # fmt: skip
replaced("batch_get_value", "in reverse", lambda right: lambda ops: right(ops)[::-1], **VALUE)
replaced("batch_get_value", "the first for all",
         lambda right: lambda ops: [right(ops)[0]] * len(ops), **VALUE)  # fmt: skip


def _remembered(right):
    """What was read first is read for ever."""
    seen: dict[object, object] = {}

    def wrong(x):
        return seen.setdefault(x, right(x))

    return wrong


replaced("get_value", "the first value for ever", _remembered, **VALUE)
replaced("get_value", "scaled", lambda right: lambda x: (right(x) * 1.001).astype(x.dtype), **VALUE)
replaced("eval", "the first value for ever", _remembered, profile="default", **VALUE)


def _shared(right):
    """Not a copy: what is read changes with the variable."""

    def wrong(x):
        return x.value

    return wrong


def _overwriting(right):
    """`set_value` writes into the array, which `get_value` may have given away."""

    def wrong(x, value):
        np.copyto(x.value, np.asarray(value), casting="unsafe")

    return wrong


def _aliases(namespace):
    """A value that was read changes when the variable is set."""
    namespace["get_value"] = _shared(None)
    namespace["set_value"] = _overwriting(None)


mutant("get_value", "the variable's own array, which is overwritten", _aliases, verdict="reported",
       profile="default", **VALUE)  # fmt: skip

replaced("update", "the old value", lambda right: lambda x, new_x: right(x, x), profile="default",
         **ALONE)  # fmt: skip
replaced(
    "update_add", "subtracted", lambda right: lambda x, increment: right(x, -increment), **ALONE
)
replaced("update_sub", "added", lambda right: lambda x, decrement: right(x, -decrement), **ALONE)
replaced("update_sub", "the other way round", lambda right: lambda x, decrement: (
    functions.new_value(x, decrement - x, "update_sub")), **ALONE)  # fmt: skip
replaced("update", "never assigned", lambda right: lambda x, new_x: apply("identity", new_x),
         profile="default", **ALONE)  # fmt: skip
for _name in ("update", "update_add", "update_sub"):
    result(_name, "half of the value", lambda value: value * 0.5, profile="default", **VALUE)
replaced("moving_average_update", "momentum the other way round", lambda right: (
    lambda x, value, momentum: right(x, value, 1 - momentum)),
    profile="default", **ALONE)  # fmt: skip
replaced("moving_average_update", "added up", lambda right: lambda x, value, momentum: (
    functions.new_value(x, x * momentum + value, "")), **ALONE)  # fmt: skip


class _Ordered(functions.CompiledFunction):
    """Outputs in reverse."""

    def __call__(self, inputs):
        return super().__call__(inputs)[::-1]


class _InOrder(functions.CompiledFunction):
    """Each update is assigned before the next is computed."""

    def __call__(self, inputs):
        updates, self._updates = self._updates, []
        try:
            results = super().__call__(inputs)
        finally:
            self._updates = updates
        for update in updates:
            _InOrder.__base__(self._inputs, [update], [])(inputs)
        return results


class _UpdatesFirst(functions.CompiledFunction):
    """Outputs are computed after the updates."""

    def __call__(self, inputs):
        super().__call__(inputs)
        updates, self._updates = self._updates, []
        try:
            return super().__call__(inputs)
        finally:
            self._updates = updates


class _Once(functions.CompiledFunction):
    """Updates happen at the first call only."""

    def _assign(self, values):
        super()._assign(values)
        self._updates = []


class _Frozen(functions.CompiledFunction):
    """Variables keep the values that they had at the first call."""

    def __call__(self, inputs):
        cache = getattr(self, "_first_values", None)
        if cache is None:
            self._first_values = cache = [v.value for v in self._variables]
        now = [v.value for v in self._variables]
        for v, old in zip(self._variables, cache, strict=True):
            v.value = old
        updated = {update.variable for update in self._updates}
        try:
            return super().__call__(inputs)
        finally:
            for v, new in zip(self._variables, now, strict=True):
                if v not in updated:
                    v.value = new


for _class, _what, _how in (
    (_Ordered, "outputs in reverse", VALUE),
    (_InOrder, "updates one after the other", {**ALONE, "verdict": "diverges",
                                               "profile": "default"}),
    (_UpdatesFirst, "outputs after updates", {**VALUE, "aspect": "state", "verdict": "reported",
                                              "profile": "default"}),
    (_Once, "updates only once", {**ALONE, "profile": "default"}),
    (_Frozen, "variables of the first call", {**VALUE, "verdict": "reported",
                                             "profile": "default"}),
):  # fmt: skip
    patched("function", _what, (variables, "CompiledFunction", _class), **_how)
arguments("function", "updates ignored", lambda call: call.update(updates=None), **ALONE)
replaced("function", "unknown keywords taken", lambda right: lambda inputs, outputs, updates=None,
         **kwargs: right(inputs, outputs, updates), alone=True, aspect="error")  # fmt: skip


# Session

replaced("get_uid", "always 1", lambda right: lambda prefix="": 1, **ALONE)
replaced("get_uid", "from 0", lambda right: lambda prefix="": right(prefix) - 1,
         **{**ALONE, "verdict": "diverges"})  # fmt: skip
replaced("get_uid", "one count for all prefixes", lambda right: lambda prefix="": right(""),
         **{**ALONE, "verdict": "diverges"})  # fmt: skip
replaced("reset_uids", "nothing happens", lambda right: lambda: None, **{**ALONE,
         "verdict": "reported"})  # fmt: skip
replaced("clear_session", "nothing happens", lambda right: lambda: None, **{**ALONE,
         "verdict": "reported"})  # fmt: skip
replaced("manual_variable_initialization", "nothing happens", lambda right: lambda value: None,
         **{**ALONE, "verdict": "reported"})  # fmt: skip
replaced("manual_variable_initialization", "the other way round", lambda right: (
    lambda value: right(not value)), **{**ALONE, "verdict": "reported"})  # fmt: skip
replaced("set_learning_phase", "nothing happens", lambda right: lambda value: right(value) and None
         if value not in (0, 1) else None, profile="default", **ALONE)  # fmt: skip
replaced("set_learning_phase", "the other phase", lambda right: lambda value: right(
    1 - value if value in (0, 1) else value), **ALONE)  # fmt: skip
replaced("set_learning_phase", "any number", lambda right: lambda value: right(int(bool(value))),
         alone=True, aspect="error")  # fmt: skip


def _new_phase(right):
    """Another placeholder each time."""

    def wrong():
        BACKEND.learning_phase = None
        return right()

    return wrong


def _float_phase(right):
    def wrong():
        phase = right()
        return phase if isinstance(phase, int) else apply("cast", phase, dtype="float32")

    return wrong


replaced("learning_phase", "a new one each time", _new_phase, profile="default",
         verdict="reported", **ALONE)  # fmt: skip
replaced("learning_phase", "a float", _float_phase, alone=True, aspect="dtype", verdict="reported")


# Gradients

GRADIENT = {"alone": True, "aspect": "gradient"}
replaced("gradients", "in reverse", lambda right: lambda loss, variables: right(
    loss, variables)[::-1], **GRADIENT)  # fmt: skip
replaced("gradients", "a thousandth too large", lambda right: lambda loss, variables: [
    g * 1.001 for g in right(loss, variables)], verdict="reported", **GRADIENT)  # fmt: skip
replaced("gradients", "the other sign", lambda right: lambda loss, variables: [
    -g for g in right(loss, variables)], **GRADIENT)  # fmt: skip
replaced("gradients", "of the mean", lambda right: lambda loss, variables: right(
    apply("mean", loss, axis=tuple(range(loss.ndim)), keepdims=False), variables),
    **GRADIENT)  # fmt: skip
replaced("gradients", "only the first", lambda right: lambda loss, variables: right(
    loss, variables)[:1], verdict="reported", **GRADIENT)  # fmt: skip
replaced("gradients", "constant in further gradients", lambda right: lambda loss, variables: [
    apply("stop_gradient", g) for g in right(loss, variables)], **GRADIENT)  # fmt: skip
replaced("gradients", "float64", lambda right: lambda loss, variables: [
    apply("cast", g, dtype="float64") for g in right(loss, variables)],
    alone=True, aspect="dtype", verdict="diverges", profile="default")  # fmt: skip
result(
    "stop_gradient",
    "the identity",
    lambda value: (
        [apply("identity", m.inputs[0]) for m in value]
        if isinstance(value, list)
        else apply("identity", value.inputs[0])
    ),
    aspect="gradient",
)
result("stop_gradient", "zeros", lambda value: value * 0 if not isinstance(value, list) else value)
operation("stop_gradient", "half of the gradient", "stop_gradient",
          gradient=lambda right: lambda node, upstream: (upstream * 0.5,))  # fmt: skip


# What tensors are made of

replaced("variable", "scaled", lambda right: lambda value, dtype=None, name=None, constraint=None: (
    right(np.asarray(value) * 1.001 if np.asarray(value).dtype.kind == "f" else value, dtype, name,
          constraint)), verdict="reported", **VALUE)  # fmt: skip
elements("print_tensor", "zeros", lambda x: x * 0)
