"""Control flow: rnn, switch, in_train_phase, in_test_phase, map_fn, foldl and foldr.

Callables are Python functions on wide arrays; `programs.py` makes them from programs.

Documented: the arguments and results of the step function (ko-2.2 lines 2605 to 2615); iteration in
reverse, with the outputs in the order of iteration (ko-2.2 line 2618, C098). So are 0 in the mask
for masked elements (C096), and the first value of a fold without an initializer (C134). At a masked
step the states stay as they were: that is what masking means. Conventions: the output of a masked
step is the previous one, zeros before the first. Constants follow the states. The axes of a
condition are the first ones, and any integer except 0 is true. Keywords that no document has stand
for the other readings of these conventions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array

Step = Callable[[Array, list[Array]], tuple[Array, Sequence[Array]]]


def rnn(  # noqa: PLR0917 - as documented
    step_function: Step,
    inputs: Array,
    initial_states: Sequence[Array],
    go_backwards: bool = False,
    mask: Array | None = None,
    constants: Sequence[Array] | None = None,
    unroll: bool = False,  # noqa: ARG001 - how it is computed, not what
    input_length: int | None = None,  # noqa: ARG001 - the number of steps that `inputs` has anyway
    *,
    masked: str = "previous",
    constants_first: bool = False,
    in_time: bool = False,
) -> tuple[Array, Array, list[Array]]:
    """The last output, all outputs (samples, time, ...) and the last states.

    `mask` is (samples, time) or (samples, time, 1). The output of a masked step is the "previous"
    output, the "first state", "zeros", or the step function's "computed" one. `in_time` puts the
    outputs in the order of time, also backwards. IndexError if there is no time step.
    """
    states, held = list(initial_states), list(constants or ())
    outputs: list[Array] = []
    order = range(inputs.shape[1])
    for t in reversed(order) if go_backwards else order:
        passed = [*held, *states] if constants_first else [*states, *held]
        output, new = step_function(inputs[:, t], passed)
        if mask is not None:
            used = mask.reshape(mask.shape[:2])[:, t] != 0
            output = _chosen(used, output, _at_masked(masked, output, outputs, states))
            new = [_chosen(used, a, b) for a, b in zip(new, states, strict=True)]
        states = list(new)
        outputs.append(output)
    turned = outputs[::-1] if in_time and go_backwards else outputs
    return outputs[-1], np.stack(turned, axis=1), states


def _at_masked(
    which: str, output: Array, outputs: Sequence[Array], states: Sequence[Array]
) -> Array:
    """The output of a masked step, from the outputs so far and the states before the step."""
    zeros = np.zeros_like(output)
    return {
        "previous": outputs[-1] if outputs else zeros,
        "first state": states[0] if states else zeros,
        "zeros": zeros,
        "computed": output,
    }[which]


def _chosen(truth: Array, x: Any, y: Any) -> Array:
    """x where it is true, else y; the axes of `truth` are the first ones."""
    shape = truth.shape + (1,) * (np.ndim(x) - truth.ndim)
    result: Array = np.where(truth.reshape(shape), x, y)
    return result


TRUE: Mapping[str, Callable[[Array], Array]] = {
    "but zero": lambda x: x != 0,
    "positive": lambda x: x > 0,
    "one": lambda x: x == 1,
}
"""Which numbers count as true."""


def switch(
    condition: Array,
    then_expression: Any,
    else_expression: Any,
    *,
    trailing: bool = False,
    true: str = "but zero",
) -> Array:
    """One of two arrays of one shape, or elements of both.

    The condition's axes are the first ones, or the last if they are `trailing`: then all three
    broadcast.

    Raises:
        ValueError: the rank of the condition is higher than that of the expressions, or its axes do
            not fit.
    """
    then, other = called(then_expression), called(else_expression)
    if np.ndim(condition) > np.ndim(then):
        raise ValueError("the condition has a higher rank than the expressions")
    truth = TRUE[true](np.asarray(condition))
    if trailing:
        return np.asarray(np.where(truth, then, other))
    return _chosen(truth, then, other)


def called(branch: Any) -> Any:
    """The result of a branch: a callable's result, or the branch itself."""
    return branch() if callable(branch) else branch


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Array:
    """x in training, else alt.

    Raises:
        ValueError: training is None, because the oracle has no learning phase.
    """
    if training is None:
        raise ValueError("the oracle knows no learning phase; pass training")
    return np.asarray(called(x) if np.any(np.asarray(training) != 0) else called(alt))


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Array:
    """alt in training, else x. ValueError: the phase is not told."""
    return in_train_phase(alt, x, training)


def map_fn(
    fn: Callable[[Array], Any],
    elems: Array,
    name: str | None = None,  # noqa: ARG001
    dtype: str | None = None,  # noqa: ARG001 - the dtype that `fn` gives anyway
) -> Array:
    """`fn` of every slice along the first axis. ValueError: there is none.

    Shapes: elems (n, ...); the result is (n, ...) with the axes of a result of `fn` behind the
    first.
    """
    return np.stack([np.asarray(fn(element)) for element in elems])


def foldl(
    fn: Callable[[Any, Array], Any],
    elems: Array,
    initializer: Any = None,
    name: str | None = None,  # noqa: ARG001
) -> Array:
    """fn(...fn(fn(initializer, e0), e1)..., en); without initializer e0 is first.

    Shapes: elems (n, ...); the result has the shape of a result of `fn`.
    """
    first = () if initializer is None else (initializer,)
    return np.asarray(reduce(fn, [*first, *elems]))


def foldr(
    fn: Callable[[Any, Array], Any],
    elems: Array,
    initializer: Any = None,
    name: str | None = None,
) -> Array:
    """As `foldl`, from the last element to the first.

    Shapes: elems (n, ...); the result has the shape of a result of `fn`.
    """
    return foldl(fn, elems[::-1], initializer, name)


ORACLES: Mapping[str, Callable[..., Any]] = {
    "rnn": rnn,
    "switch": switch,
    "in_train_phase": in_train_phase,
    "in_test_phase": in_test_phase,
    "map_fn": map_fn,
    "foldl": foldl,
    "foldr": foldr,
}
