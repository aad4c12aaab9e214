"""Implementations of rnn and switch: each takes one reading of a convention, or is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import conformance.reference as K  # noqa: N812


class Masking:
    """`rnn` whose masks are looked at inside the step function.

    `masked` is what a masked step gives; `keep_states` whether it leaves the states as they were.
    """

    def __init__(self, masked: str, *, keep_states: bool = True, inverted: bool = False) -> None:
        self.masked = masked
        self.keep_states = keep_states
        self.inverted = inverted

    def __call__(
        self,
        step_function: Any,
        inputs: Any,
        initial_states: Sequence[Any],
        *,
        mask: Any = None,
        **rest: Any,
    ) -> Any:
        """As documented, for outputs with the shape of the first state."""
        if mask is None:
            return K.rnn(step_function, inputs, initial_states, **rest)
        column = K.cast(mask, K.dtype(inputs))
        while K.ndim(column) < K.ndim(inputs):
            column = K.expand_dims(column)
        column = column + K.zeros_like(inputs[..., :1])
        both = K.concatenate([inputs, column], axis=-1)
        states = [K.zeros_like(initial_states[0]), *initial_states]

        def step(x: Any, held: Sequence[Any]) -> Any:
            return self._step(step_function, x, held, len(initial_states))

        last, outputs, new = K.rnn(step, both, states, **rest)
        return last, outputs, new[1:]

    def _step(self, step_function: Any, x: Any, held: Sequence[Any], count: int) -> Any:
        before, *states = held
        output, new = step_function(x[..., :-1], states)
        flag = x[..., -1]
        while K.ndim(flag) > 1:
            flag = flag[..., 0]
        masked_outputs = {
            "previous output": before,
            "first state": states[0],
            "computed": output,
            "zeros": K.zeros_like(output),
            "negated": -output,
        }[self.masked]
        output = self._chosen(flag, output, masked_outputs)
        if self.keep_states:
            both = zip(new, states[:count], strict=True)
            new = [self._chosen(flag, a, b) for a, b in both]
        return output, [output, *new]

    def _chosen(self, flag: Any, new: Any, old: Any) -> Any:
        """What is new for the samples whose step counts, else what is old."""
        while K.ndim(flag) < K.ndim(new):
            flag = K.expand_dims(flag)
        compared = K.equal if self.inverted else K.not_equal
        return K.switch(compared(flag + K.zeros_like(new), K.zeros_like(new)), new, old)


def constants_before_states(
    step_function: Any, inputs: Any, initial_states: Any, constants: Any = None, **rest: Any
) -> Any:
    """`rnn` that passes the constants first."""
    count = len(initial_states)

    def step(x: Any, held: Sequence[Any]) -> Any:
        return step_function(x, [*held[count:], *held[:count]])

    return K.rnn(step, inputs, initial_states, constants=constants, **rest)


def constants_as_zeros(*args: Any, constants: Any = None, **rest: Any) -> Any:
    """`rnn` that passes zeros in the place of constants."""
    zeros = None if constants is None else [K.zeros_like(constant) for constant in constants]
    return K.rnn(*args, constants=zeros, **rest)


def outputs_in_time(*args: Any, go_backwards: bool = False, **rest: Any) -> Any:
    """`rnn` whose outputs are in the order of time, also backwards."""
    last, outputs, states = K.rnn(*args, go_backwards=go_backwards, **rest)
    return last, K.reverse(outputs, 1) if go_backwards else outputs, states


def outputs_of_other_samples(*args: Any, go_backwards: bool = False, **rest: Any) -> Any:
    """`rnn` whose outputs are reversed along the samples, backwards."""
    last, outputs, states = K.rnn(*args, go_backwards=go_backwards, **rest)
    return last, K.reverse(outputs, 0) if go_backwards else outputs, states


def _between(condition: Any, x: Any) -> bool:
    """Whether the condition is no scalar and has fewer axes than a tensor."""
    return not callable(x) and 0 < K.ndim(condition) < K.ndim(x)


def _broadcast(condition: Any, x: Any, *, last: bool) -> Any:
    """The condition with the axes of x, of which its own are the last or the first ones."""
    for _ in range(K.ndim(x) - K.ndim(condition)):
        condition = K.expand_dims(condition, 0 if last else -1)
    return K.greater(K.cast(condition, K.dtype(x)) + K.zeros_like(x), K.zeros_like(x))


def condition_on_last_axes(condition: Any, x: Any, y: Any) -> Any:
    """`switch` that broadcasts the condition as NumPy does."""
    if not _between(condition, x):
        return K.switch(condition, x, y)
    return K.switch(_broadcast(condition, x, last=True), x, y)


def condition_with_new_meaning(condition: Any, x: Any, y: Any) -> Any:
    """`switch` that chooses the wrong way where the condition has a rank between."""
    if not _between(condition, x):
        return K.switch(condition, x, y)
    return K.switch(_broadcast(condition, x, last=False), y, x)


def without_callables(condition: Any, x: Any, y: Any) -> Any:
    """`switch` that takes a callable for a tensor."""
    if callable(x) or callable(y):
        raise AttributeError("'function' object has no attribute 'shape'")
    return K.switch(condition, x, y)
