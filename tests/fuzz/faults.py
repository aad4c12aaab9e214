# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs
# mypy: disable-error-code="attr-defined,method-assign"
"""Faults of composition: none shows in a single call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.reference.symbolic import functions, plans
from conformance.reference.symbolic.gradients import accumulation
from conformance.reference.symbolic.graph import Tensor, apply
from tests.fuzz.kit import (
    ELEMENTWISE,
    MOVES,
    REDUCTIONS,
    SHAPES,
    everywhere,
    like,
    made_by,
    memory,
    operands,
    patched,
    tensors,
    unchanged,
)

VARIABLE = "COMPOSED_FAULT"
Install = Callable[[dict[str, Any]], None]
FAULTS: dict[str, Install] = {}


def fault(name: str, install: Install) -> None:
    """Note a fault."""
    assert name not in FAULTS, name
    FAULTS[name] = install


# Caches and common subexpressions


def _cached(key: Callable[..., Any]):
    """A call is answered by an earlier one of the same graph with the same key."""

    def change(name, right, args, kwargs):
        result = right(*args, **kwargs)
        there = [*tensors([*args, *kwargs.values()])]
        if not there or not isinstance(result, Tensor):
            return result
        place = "cache", key(name, args, kwargs, result)
        cached = memory(there[0]).setdefault(place, result)
        return cached if like(cached, result) else result

    return everywhere(change)


def _settings(args, kwargs):
    return repr([v for v in (*args, *kwargs.values()) if not [*tensors([v])]])


fault(
    "a cache keyed by function and shape",
    _cached(lambda name, args, kwargs, result: (name, result.shape, _settings(args, kwargs))),
)
fault("a cache keyed by the function's name", _cached(lambda name, args, kwargs, result: name))
fault(
    "a cache keyed by shape alone",
    _cached(lambda name, args, kwargs, result: (result.shape, result.dtype, name in ELEMENTWISE)),
)
fault(
    "common subexpressions merged though arguments differ",
    _cached(
        lambda name, args, kwargs, result: (name, *map(id, [*tensors([*args, *kwargs.values()])]))
    ),
)
fault(
    "common subexpressions merged though functions differ",
    _cached(lambda name, args, kwargs, result: (*map(id, [*tensors([*args, *kwargs.values()])]),)),
)
fault(
    "common subexpressions merged though the second operand differs",
    _cached(
        lambda name, args, kwargs, result: (name, id(next(tensors([*args, *kwargs.values()]))))
    ),
)
fault(
    "comparisons of the same tensors merged",
    _cached(
        lambda name, args, kwargs, result: (
            "compare" if result.dtype == "bool" else (name, id(result)),
            result.shape,
        )
    ),
)


# Rewriting of graphs


def _rewritten(change: Callable[..., Any]):
    """`change(name, right, args, kwargs)` gives another tensor, or None."""

    def wrong(name, right, args, kwargs):
        result = right(*args, **kwargs)
        other = change(name, right, args, kwargs) if args else None
        return other if like(other, result) else result

    return everywhere(wrong)


def _twice_is_once(name, right, args, kwargs):
    return args[0] if name in ELEMENTWISE and made_by(args[0]) == name else None


def _in_another_order(name, right, args, kwargs):
    """f(g(x)) fused as g(f(x))."""
    inner = getattr(args[0], "_right", None)
    if name not in ELEMENTWISE or inner is None:
        return None
    return inner(right(operands(args[0])[0], *args[1:], **kwargs))


def _remembering(change):
    """As `_rewritten`; elementwise tensors know how to be made again."""

    def wrong(name, right, args, kwargs):
        result = right(*args, **kwargs)
        other = change(name, right, args, kwargs) if args else None
        chosen = other if like(other, result) else result
        if name in ELEMENTWISE and isinstance(chosen, Tensor):
            chosen._right = lambda x: right(x, *args[1:], **kwargs)
        return chosen

    return everywhere(wrong)


def _moves_dropped(name, right, args, kwargs):
    if name in SHAPES and made_by(args[0]) in MOVES and 0 not in operands(args[0])[0].shape:
        return right(_as(operands(args[0])[0], args[0]), *args[1:], **kwargs)
    return None


def _as(x, like_this):
    """The elements of x in their order, in another shape."""
    known = [-1 if d is None else d for d in like_this.shape]
    return x if known.count(-1) > 1 else apply("reshape", x, shape=tuple(known))


def _moves_cancelled(name, right, args, kwargs):
    return operands(args[0])[0] if name in MOVES and made_by(args[0]) in MOVES else None


def _reduced_first(name, right, args, kwargs):
    """A reduction of f(x) as f of the reduction of x."""
    inner = getattr(args[0], "_right", None)
    if name not in REDUCTIONS or inner is None:
        return None
    return inner(right(operands(args[0])[0], *args[1:], **kwargs))


def _reduction_of_moved(name, right, args, kwargs):
    """A reduction forgets that its axes were moved."""
    moved = name in REDUCTIONS and made_by(args[0]) in {"transpose", "permute_dimensions"}
    return right(operands(args[0])[0], *args[1:], **kwargs) if moved else None


def _clipped_away(name, right, args, kwargs):
    """What follows `relu` or `clip` is given what these were given."""
    dropped = made_by(args[0]) in {"relu", "clip", "abs", "softplus", "round", "sign"}
    return right(operands(args[0])[0], *args[1:], **kwargs) if dropped else None


def _neutral(name, right, args, kwargs):
    """A value that was made of zeros is folded to zeros."""
    zeros = made_by(args[0]) in {"zeros_like", "ones_like"} and name in ELEMENTWISE
    return args[0] if zeros else None


fault("a function of itself taken for idempotent", _rewritten(_twice_is_once))
fault("elementwise functions fused in the wrong order", _remembering(_in_another_order))
fault("a transpose dropped before a reshape", _rewritten(_moves_dropped))
fault("two transposes cancelled whatever their patterns", _rewritten(_moves_cancelled))
fault("a reduction pulled before an elementwise function", _remembering(_reduced_first))
fault("a reduction that forgets a transpose", _rewritten(_reduction_of_moved))
fault("a clipping dropped before another call", _rewritten(_clipped_away))
fault("elementwise calls on constants folded away", _rewritten(_neutral))


# Buffers


def _steals(reads: Callable[[plans.ExecutionPlan, int, int], bool], name_of_result=True):
    """The buffer of a first source is written to although it is still read."""

    def install() -> None:
        def run(self, values):
            for slot, kernel, sources, last in self.steps:
                values[slot] = kernel(*[values[source] for source in sources])
                node = self.nodes[slot]
                for source in sources[:1]:
                    x, y = values[source], values[slot]
                    both = made_by(node) and made_by(self.nodes[source])
                    if (
                        both
                        and source not in last
                        and _same_buffer(x, y)
                        and reads(self, source, slot)
                    ):
                        values[source] = y
                for unused in last:
                    values[unused] = None

        plans.ExecutionPlan.run = run

    return patched(install)


def _same_buffer(x, y):
    return (
        isinstance(x, np.ndarray)
        and isinstance(y, np.ndarray)
        and (x.shape == y.shape and x.dtype == y.dtype and x.dtype.kind == "f")
    )


fault("a buffer reused while it is still read", _steals(lambda plan, source, slot: True))
fault(
    "a buffer of an output reused",
    _steals(lambda plan, source, slot: all(source not in s[2] for s in plan.steps if s[0] > slot)),
)
fault(
    "a buffer reused by elementwise functions",
    _steals(lambda plan, source, slot: made_by(plan.nodes[slot]) in ELEMENTWISE),
)


def _outputs_in_order_of_creation() -> None:
    right = functions.CompiledFunction.__call__

    def call(self, inputs):
        results = right(self, inputs)
        order = sorted(range(len(results)), key=lambda i: _number(self._outputs[i]))
        return [results[i] for i in order]

    functions.CompiledFunction.__call__ = call


def _number(node):
    return int(node.name.rpartition("_")[2]) if node.name.rpartition("_")[2].isdigit() else 0


fault("outputs in the order of their creation", patched(_outputs_in_order_of_creation))


# Gradients


def _overwritten_at_fan_out() -> None:
    def pass_on(node, upstream, parts):
        if parts.keys().isdisjoint(node.inputs):
            return
        parts[node] = [upstream]
        for item, gradient in zip(node.inputs, accumulation._inputs(node, upstream), strict=True):
            if gradient is not None and item in parts:
                if made_by(item):
                    parts[item].clear()
                parts[item].append(gradient)

    accumulation._pass_on = pass_on


fault("gradients overwritten at a fan-out", patched(_overwritten_at_fan_out))


# Gradients of gradients


def _constant_weights() -> None:
    """What comes back to a result from another call is held fixed, as if it were a constant."""
    right = accumulation._inputs

    def inputs(node, upstream):
        later = [t for t in plans.ordered([upstream], []) if node in t.inputs]
        fixed = made_by(node) and any(map(made_by, later))
        return right(node, apply("stop_gradient", upstream) if fixed else upstream)

    accumulation._inputs = inputs


def _kept_from_the_first() -> None:
    """The buffer of a gradient still holds the one that the loss is made of."""
    right = accumulation.passed_back

    def passed_back(upstream, variables):
        gradients = right(upstream, variables)
        between = set(plans.ordered([*upstream], []))
        for place, variable in enumerate(variables):
            first = variable.__dict__.get("_first_gradient")
            if first in between:
                gradients[place] = apply("add", gradients[place], first)
            elif any(map(made_by, (y for loss in upstream for y in operands(loss)))):
                variable._first_gradient = gradients[place]
        return gradients

    accumulation.passed_back = passed_back


fault("a gradient of a gradient without a term", patched(_constant_weights))
fault("a gradient of a gradient in the buffer of the first", patched(_kept_from_the_first))


# Functions, updates and phases


def _sequential_updates() -> None:
    def assign(self, values):
        right(self, values)

    right = functions.CompiledFunction._assign
    call = functions.CompiledFunction.__call__

    def early(self, inputs):
        results = call(self, inputs)
        if self._updates and self._variables:
            plan = self._plan(self._fed(inputs))
            again = [*self._fed(inputs), *plan.constants[len(inputs) :]]
            for variable in self._variables:
                again[plan.slots[variable]] = variable.value
            with self._library.computing():
                plan.run(again)
            return [self._library.export(again[plan.slots[node]]) for node in self._outputs]
        return results

    functions.CompiledFunction._assign = assign
    functions.CompiledFunction.__call__ = early


def _per_function(change):
    """`change(self, right, inputs, number)` in the place of a call; `number` counts from 0."""

    def install() -> None:
        right = functions.CompiledFunction.__call__

        def call(self, inputs):
            number = self.__dict__.setdefault("_count", 0)
            self._count = number + 1
            return change(self, right, inputs, number)

        functions.CompiledFunction.__call__ = call

    return patched(install)


def _several_calls(self):
    """Whether the function computes more than one documented call."""
    return sum(bool(made_by(x)) for x in plans.ordered(self._targets, self._inputs)) > 1


def _updates_once(self, right, inputs, number):
    if number and self._updates:
        held = [u.variable.value for u in self._updates]
        outputs = right(self, inputs)
        for update, value in zip(self._updates, held, strict=True):
            update.variable.value = value
        return outputs
    return right(self, inputs)


def _first_result(self, right, inputs, number):
    """Results are kept by the shapes of what is fed."""
    key = repr([np.shape(x) for x in inputs])
    if not _several_calls(self) or not inputs:
        return right(self, inputs)
    results = self.__dict__.setdefault("_kept_results", {})
    fresh = right(self, inputs)
    return results.setdefault(key, fresh)


def _first_phase(self, right, inputs, number):
    """What a phase was at the first call it is for ever."""
    fed = list(inputs)
    scalars = [i for i, node in enumerate(self._inputs) if "value" in node.attributes]
    first = self.__dict__.setdefault("_phases", {i: fed[i] for i in scalars})
    return right(self, [first.get(i, value) for i, value in enumerate(fed)])


def _first_variables(self, right, inputs, number):
    """Variables are read at the first call alone."""
    if not self._updates:
        return right(self, inputs)
    first = self.__dict__.setdefault("_read", {v: v.value for v in self._variables})
    now = {v: v.value for v in self._variables}
    for variable, value in first.items():
        variable.value = value
    outputs = right(self, inputs)
    touched = {u.variable for u in self._updates}
    for variable, value in now.items():
        if variable not in touched:
            variable.value = value
    return outputs


def _only_first_update(self, right, inputs, number):
    held = [u.variable.value for u in self._updates[1:]]
    outputs = right(self, inputs)
    for update, value in zip(self._updates[1:], held, strict=True):
        update.variable.value = value
    return outputs


fault("an update seen too early", patched(_sequential_updates))
fault("updates made at the first call alone", _per_function(_updates_once))
fault("results kept by the shapes of the fed arrays", _per_function(_first_result))
fault("the phase of the first call kept", _per_function(_first_phase))
fault("variables read at the first call alone", _per_function(_first_variables))
fault("one update of several", _per_function(_only_first_update))


# Calls with other shapes


def _first_shapes(self, right, inputs, number):
    """What is fed later is cut, or repeated, to the shapes of the first call."""
    first = self.__dict__.setdefault("_first_shapes", [np.shape(x) for x in inputs])
    if not _several_calls(self):
        return right(self, inputs)
    return right(self, [_of_shape(x, shape) for x, shape in zip(inputs, first, strict=True)])


def _of_shape(x, shape):
    tensor = np.asarray(x)
    for axis, length in enumerate(shape):
        tensor = np.take(tensor, np.arange(length), axis=axis, mode="wrap")
    return tensor


def _first_buffers() -> None:
    """The results of elementwise functions have no more elements than at the first call."""

    def run(self, values):
        for slot, kernel, sources, last in self.steps:
            result = kernel(*[values[source] for source in sources])
            node = self.nodes[slot]
            if made_by(node) in ELEMENTWISE and isinstance(result, np.ndarray):
                most = node.__dict__.setdefault("_first_size", result.size)
                result = np.where(np.arange(result.size).reshape(result.shape) < most, result, 0)
            values[slot] = result
            for unused in last:
                values[unused] = None

    plans.ExecutionPlan.run = run


def _skipped_where_unknown(name, right, args, kwargs):
    unknown = name in ELEMENTWISE and None in getattr(args[0], "shape", ())
    return args[0] if unknown and made_by(args[0]) else None


fault("a compiled function that keeps the first shape", _per_function(_first_shapes))
fault("buffers of the size of the first call", patched(_first_buffers))
fault("a call skipped where dimensions are not known", _rewritten(_skipped_where_unknown))


# Loops over time, and averages


def _instead(name, change: Callable[..., Any]):
    """`change(right, *args, **kwargs)` in the place of a function that has no single calls."""

    def install(namespace: dict[str, Any]) -> None:
        everywhere(unchanged)(namespace)
        right = namespace[name]
        namespace[name] = lambda *args, **kwargs: change(right, *args, **kwargs)

    return install


def _state_captured(right, step, inputs, states, **kwargs):
    """Each step is given the states of the beginning, if these were computed."""
    if not any(map(made_by, states)):
        return right(step, inputs, states, **kwargs)
    return right(lambda x, _: step(x, list(states)), inputs, states, **kwargs)


def _one_direction(right, step, inputs, states, *, go_backwards=False, **kwargs):
    """What was computed, or begins with what was, is gone over forwards."""
    computed = any(map(made_by, (inputs, *states)))
    return right(step, inputs, states, go_backwards=go_backwards and not computed, **kwargs)


def _twice_averaged(right, x, value, momentum):
    """The momentum counts twice, if the value was computed."""
    return right(x, value, momentum * momentum if made_by(value) else momentum)


fault("the states of the beginning captured by each step", _instead("rnn", _state_captured))
fault("a backward loop over computed elements that runs forward", _instead("rnn", _one_direction))
fault("a momentum that counts twice", _instead("moving_average_update", _twice_averaged))
