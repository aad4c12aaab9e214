"""Step functions for `rnn`, as programs: what they compute, and the states they carry.

Every step function treats each sample by itself, so that a mask on one sample does not affect the
others. Factors are powers of two: they are exact in every dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field

from conformance.editions import Edition
from conformance.program import Function, Ref
from conformance.scenarios.writing import FunctionWriter

Dims = tuple[int, ...]


@dataclass(frozen=True)
class StepFunction:
    """A step function on inputs of `dims` (a slice without its samples).

    `states` and `constants` are the shapes (without samples) of what comes with them; `weights`
    are the shapes of the tensors that the function uses from outside, by name.
    """

    name: str
    make: Callable[[FunctionWriter], Function]
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

    def function(self) -> Function:
        """The step function (x, states) to (output, new_states)."""
        return self.make(FunctionWriter("step", "x", "states"))


def _state(w: FunctionWriter, index: int) -> Ref:
    return w.call("operator.getitem", Ref("states"), index)


def _sum(w: FunctionWriter) -> Function:
    total = w.call("operator.add", Ref("x"), _state(w, 0))
    return w.returning((total, [total]))


def _decay(w: FunctionWriter) -> Function:
    half = w.call("operator.mul", _state(w, 0), 0.5)
    output = w.call("operator.sub", half, Ref("x"))
    return w.returning((output, [output]))


def _dense(w: FunctionWriter) -> Function:
    fed = w.call("dot", Ref("x"), Ref("kernel"))
    kept = w.call("dot", _state(w, 0), Ref("recurrent"))
    output = w.call("tanh", w.call("operator.add", fed, kept))
    return w.returning((output, [output]))


def _gated(w: FunctionWriter) -> Function:
    gate = w.call("sigmoid", w.call("operator.add", Ref("x"), _state(w, 0)))
    kept = w.call("operator.mul", gate, _state(w, 1))
    memory = w.call("operator.add", kept, Ref("x"))
    output = w.call("operator.mul", gate, w.call("tanh", memory))
    return w.returning((output, [output, memory]))


def _scaled(w: FunctionWriter) -> Function:
    kept = w.call("operator.mul", _state(w, 0), _state(w, 1))
    output = w.call("operator.add", kept, Ref("x"))
    return w.returning((output, [output]))


def _affine(w: FunctionWriter) -> Function:
    kept = w.call("operator.mul", _state(w, 0), _state(w, 1))
    output = w.call("operator.sub", w.call("operator.add", kept, Ref("x")), _state(w, 2))
    return w.returning((output, [output]))


def _delayed(w: FunctionWriter) -> Function:
    output = w.call("operator.mul", Ref("x"), _state(w, 0))
    return w.returning((output, [w.call("operator.add", Ref("x"), _state(w, 0))]))


def _stateless(w: FunctionWriter) -> Function:
    square = w.call("operator.mul", Ref("x"), Ref("x"))
    return w.returning((w.call("operator.sub", square, Ref("x")), []))


def _remembering(w: FunctionWriter) -> Function:
    memory = w.call("operator.mul", _state(w, 1), 0.5)
    memory = w.call("operator.add", memory, w.call("dot", Ref("x"), Ref("kernel")))
    recalled = w.call("dot", _state(w, 1), Ref("recurrent"))
    half = w.call("operator.mul", _state(w, 0), 0.5)
    output = w.call("operator.add", w.call("operator.sub", half, Ref("x")), recalled)
    return w.returning((output, [output, memory]))


def _told(w: FunctionWriter) -> Function:
    """It computes with the constant in the place of the state, too, though not the same."""
    half, shift = (
        w.call("operator.mul", w.call("sum", _state(w, i), axis=-1, keepdims=True), factor)
        for i, factor in enumerate((0.5, 0.25))
    )
    output = w.call("operator.sub", w.call("operator.add", half, shift), Ref("x"))
    return w.returning((output, [output]))


def _forgetful(w: FunctionWriter) -> Function:
    output = w.call("operator.mul", Ref("x"), 0.5)
    return w.returning((output, [output]))


FORGETFUL = StepFunction("forgetful", _forgetful)
"""Of its new state no more is known, while a graph is built, than of the inputs."""

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
    StepFunction(
        "constant of another shape",
        _told,
        constants=1,
        last={"constant0": 4},
    ),
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
    found = tuple(c for c in STEP_FUNCTIONS if c.carries_output)
    if edition == "keras-1":
        return found
    return tuple(c for c in found if not any(name.startswith("state") for name in c.last))
