"""Step functions for `rnn`, as programs: what they compute, and the states they carry.

Every step function treats each sample by itself, so a mask on one sample does not affect the
others. Factors are powers of two: they are exact in every dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from conformance.editions import Edition
from conformance.program import Function, Ref
from conformance.scenarios.recorder import Recorder, Result

Dims = tuple[int, ...]


@dataclass(frozen=True)
class StepFunction:
    """A step function on inputs of `dims` (a slice without its samples).

    `states` and `constants` are the numbers of further arguments; `weights` are the shapes of the
    tensors that the function uses from outside, by name.
    """

    name: str
    make: Callable[[Recorder, Result, Result], Any]
    """Its result, from a recorder, the inputs and the states."""
    _: KW_ONLY
    states: int = 1
    constants: int = 0
    weights: Callable[[int], Mapping[str, Dims]] = lambda _: {}
    """From the last dimension of the inputs."""
    units: int | None = None
    """The last dimension of outputs and states; that of the inputs if None."""
    last: Mapping[str, int] = field(default_factory=dict)
    """The last dimension of a state or constant, by its name, if it is not that of the outputs."""
    carries_output: bool = True
    """Whether the first state is the output, as ja-2.0 line 2603 demands."""

    @property
    def any_rank(self) -> bool:
        """Whether it computes element by element, whatever the rank of its inputs."""
        return not self.weights(1)

    def function(self, K: Recorder) -> Function:
        """The step function (x, states) to (output, new_states)."""
        return K.body("step", lambda x, states: self.make(K, x, states))


KERNEL, RECURRENT = Ref("kernel"), Ref("recurrent")
"""Tensors from outside."""


def _sum(_: Recorder, x: Result, states: Result) -> Any:
    total = x + states[0]
    return total, [total]


def _decay(_: Recorder, x: Result, states: Result) -> Any:
    output = states[0] * 0.5 - x
    return output, [output]


def _dense(K: Recorder, x: Result, states: Result) -> Any:
    output = K.tanh(K.dot(x, KERNEL) + K.dot(states[0], RECURRENT))
    return output, [output]


def _gated(K: Recorder, x: Result, states: Result) -> Any:
    gate = K.sigmoid(x + states[0])
    memory = gate * states[1] + x
    output = gate * K.tanh(memory)
    return output, [output, memory]


def _scaled(_: Recorder, x: Result, states: Result) -> Any:
    output = states[0] * states[1] + x
    return output, [output]


def _affine(_: Recorder, x: Result, states: Result) -> Any:
    output = states[0] * states[1] + x - states[2]
    return output, [output]


def _delayed(_: Recorder, x: Result, states: Result) -> Any:
    return x * states[0], [x + states[0]]


def _stateless(_: Recorder, x: Result, __: Result) -> Any:
    return x * x - x, []


def _remembering(K: Recorder, x: Result, states: Result) -> Any:
    memory = states[1] * 0.5 + K.dot(x, KERNEL)
    recalled = K.dot(states[1], RECURRENT)
    output = states[0] * 0.5 - x + recalled
    return output, [output, memory]


def _summing(K: Recorder, x: Result, states: Result) -> Any:
    """Sums of both states by different factors; a constant for a state changes the output."""
    half, shift = (
        K.sum(states[i], axis=-1, keepdims=True) * factor for i, factor in enumerate((0.5, 0.25))
    )
    output = half + shift - x
    return output, [output]


def _forgetful(_: Recorder, x: Result, __: Result) -> Any:
    output = x * 0.5
    return output, [output]


FORGETFUL = StepFunction("forgetful", _forgetful)
"""While a graph is built, its new state has no more known dimensions than the inputs."""

STEP_FUNCTIONS = (
    StepFunction("sum", _sum),
    StepFunction("decay", _decay),
    StepFunction(
        "dense", _dense, weights=lambda dim: {"kernel": (dim, 2), "recurrent": (2, 2)}, units=2
    ),
    StepFunction("gated", _gated, states=2),
    StepFunction("constant", _scaled, constants=1),
    StepFunction("two constants", _affine, constants=2),
    StepFunction(
        "memory of another shape",
        _remembering,
        states=2,
        weights=lambda dim: {"kernel": (dim, 5), "recurrent": (5, dim)},
        last={"state1": 5},
    ),
    StepFunction("constant of another shape", _summing, constants=1, last={"constant0": 4}),
    StepFunction("stateless", _stateless, states=0),
    StepFunction("delayed", _delayed, carries_output=False),
)


def step_functions(edition: Edition) -> tuple[StepFunction, ...]:
    """The step functions whose outputs and states are as the edition's document demands.

    keras-1 and keras-2.0: the first state is the output (C097). keras-2.0: all states have the
    shape of the output (ja-2.0 line 2605).
    """
    if edition == "keras-2.2":
        return STEP_FUNCTIONS
    carrying = tuple(c for c in STEP_FUNCTIONS if c.carries_output)
    if edition == "keras-1":
        return carrying
    return tuple(c for c in carrying if not any(name.startswith("state") for name in c.last))
