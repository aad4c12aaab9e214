"""The loop over time: the backend's `rnn`, and the layers RNN, LSTM and GRU that call it.

Steps of `rnn` and of RNN are affine functions of small integers, and every result is exact. The
docstrings of keras.layers describe masks, order and unrolling. Only TensorFlow's
function `rnn` has a docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.oracle.control_flow import rnn
from conformance.oracle.keras_ops.recurrent import gru_cell, lstm_cell, recurrence
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, as_second, is_array, shown
from conformance.scenarios.contract.parts import method, section, tensor
from conformance.scenarios.drawn_arrays import small
from conformance.scenarios.model import KERAS_3, Alternative, Array
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
RNN, LAYER = "keras.src.backend.rnn", "keras.layers.RNN"
LSTM, GRU = "keras.layers.LSTM", "keras.layers.GRU"
STATE = Aspect.STATE
ALL_OUTPUTS = "return_all_outputs"
"""The option that is set unless it is passed."""
DESCRIBED = section("keras.src.backend.tensorflow.rnn.rnn: Args")
"""The docstring of the backend's function, which TensorFlow's has."""
ARGS, CALL_ARGUMENTS = (
    section("keras.layers.RNN: Args"),
    section("keras.layers.RNN: Call arguments"),
)
Draw = st.DrawFn
Step = Callable[..., Any]


def a_mask(draw: Draw, samples: int, time: int, kind: str) -> Array | None:
    """Which steps are used: some of each sample, or the first ones; None for no mask."""
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    if kind == "right-padded":
        lengths = generator.integers(1, time + 1, samples)
        return np.arange(time) < lengths[:, None]
    if kind == "any":
        return np.asarray(generator.integers(0, 2, (samples, time)), bool)
    return None


MASKS = ("none", "any", "right-padded")


@dataclass(frozen=True)
class LoopStep:
    """A step as the program has it and as the oracle has it, with so many states."""

    states: int
    program: Callable[[Recorder], Step]
    numpy: Step


def _one_state(K: Recorder) -> Step:
    def step(x: Result, states: Result) -> tuple[Result, list[Result]]:
        output = K["keras.ops.subtract"](x, K["keras.ops.multiply"](states[0], 2.0))
        return output, [output]

    return step


def _two_states(K: Recorder) -> Step:
    def step(x: Result, states: Result) -> tuple[Result, list[Result]]:
        output = K["keras.ops.subtract"](K["keras.ops.add"](x, states[0]), states[1])
        return output, [output, K["keras.ops.add"](states[1], 1.0)]

    return step


def _with_constant(K: Recorder) -> Step:
    def step(x: Result, states: Result) -> tuple[Result, list[Result]]:
        output = K["keras.ops.add"](K["keras.ops.subtract"](x, states[0]), states[1])
        return output, [output]

    return step


def _numpy_one(x: Array, states: Sequence[Array]) -> tuple[Array, list[Array]]:
    output = x - 2 * states[0]
    return output, [output]


def _numpy_two(x: Array, states: Sequence[Array]) -> tuple[Array, list[Array]]:
    output = x + states[0] - states[1]
    return output, [output, states[1] + 1]


def _numpy_constant(x: Array, states: Sequence[Array]) -> tuple[Array, list[Array]]:
    output = x - states[0] + states[1]
    return output, [output]


STEPS = {
    "one state": LoopStep(1, _one_state, _numpy_one),
    "two states": LoopStep(2, _two_states, _numpy_two),
}
CONSTANT = LoopStep(1, _with_constant, _numpy_constant)


@dataclass(frozen=True)
class Loop:
    """The arrays of a call of `rnn`, and its options."""

    function: LoopStep
    inputs: Array
    states: tuple[Array, ...]
    mask: Array | None = None
    constants: tuple[Array, ...] = ()
    options: Mapping[str, Any] | None = None

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        options = (self.options or {}).items()
        return {name: value for name, value in options if value is not (name == ALL_OUTPUTS)}

    def expected(self, masked: str = "previous") -> tuple[Array, Array, list[Array]]:
        """The oracle's answer: the last output, outputs and states."""
        masked = "zeros" if self.chosen.get("zero_output_for_mask") else masked
        last, outputs, states = rnn(
            self.function.numpy,
            self.inputs,
            self.states,
            go_backwards=bool(self.chosen.get("go_backwards")),
            mask=self.mask,
            constants=self.constants or None,
            masked=masked,
        )
        if not self.chosen.get(ALL_OUTPUTS, True):
            outputs = last[:, None]
        return last, self.turned(outputs), states

    def turned(self, array: Array) -> Array:
        """Samples first, or time."""
        return np.swapaxes(array, 0, 1) if self.chosen.get("time_major") else array


def _call(K: Recorder, loop: Loop, prefix: str = "", **options: Any) -> list[Result]:
    """Call the function under test: the last output, outputs and states, as values."""
    keywords = {**loop.chosen, **options}
    if loop.mask is not None:
        mask = loop.turned(loop.mask[:, :, None])
        keywords["mask"] = tensor(K, f"{prefix}mask", mask, "bool")
    if loop.constants:
        keywords["constants"] = [tensor(K, f"{prefix}constant", loop.constants[0])]
    result = K[K.tested](
        K.body("step", loop.function.program(K)),
        tensor(K, f"{prefix}inputs", loop.turned(loop.inputs)),
        [tensor(K, f"{prefix}state_{n}", state) for n, state in enumerate(loop.states)],
        **keywords,
    )
    parts = [result[0], result[1]]
    values = [K.eval(p).output(f"{prefix}{n}") for p, n in zip(parts, ("last", "all"), strict=True)]
    for number in range(loop.function.states):
        values.append(K.eval(result[2][number]).output(f"{prefix}new_{number}"))
    return values


NAMES = ("the last output", "the outputs")


def _expect_loop(K: Recorder, loop: Loop, values: Sequence[Result]) -> None:
    last, outputs, states = loop.expected()
    other = loop.expected("first state")
    for place, (name, expected) in enumerate(zip(NAMES, (last, outputs), strict=True)):
        first = Alternative(ConventionName.MASKED_STEPS, "first state", is_array(other[place]))
        masked = loop.mask is not None
        K.expect(
            name,
            values[place],
            is_array(expected),
            shown(expected),
            at=DESCRIBED,
            alternatives=(first,) if masked else (),
        )
    for number, state in enumerate(states):
        K.expect(f"state {number}", values[2 + number], is_array(state), shown(state), at=DESCRIBED)


def _loop(draw: Draw, function: LoopStep, mask: str, **options: Any) -> Loop:
    samples, time, units = draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    states = tuple(small(draw, (samples, units)) for _ in range(function.states))
    inputs = small(draw, (samples, time, units))
    return Loop(function, inputs, states, a_mask(draw, samples, time, mask), options=options)


@BOOK.scenario(RNN, "{states}, mask: {mask}", editions=KERAS_3, states=STEPS.keys(), mask=MASKS)
def loops(K: Recorder, draw: Draw, states: str, mask: str) -> None:
    """Any options together, with and without a mask."""
    names = ["go_backwards", "unroll", "time_major"]
    if mask != "none":
        names.append("zero_output_for_mask")
    options = {name: draw(st.booleans()) for name in names}
    loop = _loop(draw, STEPS[states], mask, **options)
    K.title = ", ".join([f"mask: {mask}", *loop.chosen])
    _expect_loop(K, loop, _call(K, loop))


@BOOK.scenario(
    RNN,
    "return_all_outputs=False, mask: {mask}",
    editions=KERAS_3,
    mask=MASKS,
    unroll=(False, True),
)
def last_alone(K: Recorder, draw: Draw, mask: str, unroll: bool) -> None:
    """The last output alone, on an axis of time of length 1."""
    loop = _loop(draw, STEPS["one state"], mask, unroll=unroll, return_all_outputs=False)
    _expect_loop(K, loop, _call(K, loop))


@BOOK.scenario(RNN, "constants", editions=KERAS_3, unroll=(False, True))
def with_constants(K: Recorder, draw: Draw, unroll: bool) -> None:
    """Constants are passed at each step, after the states."""
    loop = _loop(draw, CONSTANT, "none", unroll=unroll)
    constant = small(draw, loop.states[0].shape)
    loop = Loop(loop.function, loop.inputs, loop.states, None, (constant,), loop.options)
    K.title = "constants, unrolled" if unroll else "constants, in a loop"
    _expect_loop(K, loop, _call(K, loop))


@BOOK.scenario(RNN, "unrolled and in a loop", editions=KERAS_3, mask=MASKS)
def both_ways(K: Recorder, draw: Draw, mask: str) -> None:
    """Unrolling changes how the result is computed, and not the result."""
    options = {"go_backwards": draw(st.booleans())}
    loop = _loop(draw, STEPS["two states"], mask, **options)
    unrolled, looped = (
        _call(K, loop, prefix, unroll=unroll)
        for prefix, unroll in (("unrolled_", True), ("looped_", False))
    )
    K.title = f"unrolled and in a loop, mask: {mask}"
    names = (*NAMES, "state 0", "state 1")
    for name, pair in zip(names, zip(unrolled, looped, strict=True), strict=True):
        K.expect(f"{name}, unrolled or not", pair, as_second, "that of the loop", at=ARGS)


WEIGHTS = (np.array([[1, -1], [0, 2], [1, 1]], "float32"), np.array([[1, 0], [-1, 1]], "float32"))
"""The kernel and the recurrent kernel of a cell of two units, of three features."""


def _affine(x: Array, states: Sequence[Array]) -> tuple[Array, list[Array]]:
    output = x @ WEIGHTS[0] + states[0] @ WEIGHTS[1]
    return output, [output]


LAYER_OPTIONS = ("go_backwards", "unroll", "zero_output_for_mask")


@BOOK.scenario(LAYER, "mask: {mask}", editions=KERAS_3, mask=MASKS, started=(False, True))
def layers(K: Recorder, draw: Draw, mask: str, started: bool) -> None:
    """A layer with an affine cell, whose sequence and state are returned."""
    options = {name: draw(st.booleans()) for name in LAYER_OPTIONS[: 2 + (mask != "none")]}
    samples, time = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    inputs = small(draw, (samples, time, 3), most=2)
    start = small(draw, (samples, 2)) if started else np.zeros((samples, 2), "float32")
    used = a_mask(draw, samples, time, mask)
    loop = Loop(LoopStep(1, _one_state, _affine), inputs, (start,), used, options=options)
    K.title = ", ".join([f"mask: {mask}", *loop.chosen])
    cell = K.keras.layers.SimpleRNNCell(2, activation=None, use_bias=False)
    layer = K[K.tested](cell, return_sequences=True, return_state=True, **loop.chosen)
    initial = {"initial_state": [tensor(K, "start", start)]} if started else {}
    result = _layered(K, layer, inputs, used, WEIGHTS, **initial)
    _, outputs, states = loop.expected()
    _, others, _ = loop.expected("first state")
    first = Alternative(ConventionName.MASKED_STEPS, "first state", is_array(others))
    K.expect(
        "the sequence",
        K.eval(result[0]).output("sequence"),
        is_array(outputs),
        shown(outputs),
        at=CALL_ARGUMENTS if used is not None else ARGS,
        alternatives=() if used is None else (first,),
    )
    state = K.eval(result[1]).output("state")
    K.expect("the state", state, is_array(states[0]), shown(states[0]), at=ARGS)


def _layered(
    K: Recorder,
    layer: Result,
    inputs: Array,
    mask: Array | None,
    weights: Sequence[Array],
    **keywords: Any,
) -> Result:
    """The result of a layer that has these weights."""
    method(K, layer, "build", inputs.shape)
    arrays = [K.array(f"weights_{number}", array) for number, array in enumerate(weights)]
    method(K, layer, "set_weights", arrays)
    if mask is not None:
        keywords["mask"] = tensor(K, "mask", mask, "bool")
    return layer(tensor(K, "inputs", inputs), **keywords)


@BOOK.scenario(LAYER, "stateful", STATE, editions=KERAS_3, unroll=(False, True))
def stateful(K: Recorder, unroll: bool) -> None:
    """A stateful layer continues where the last batch ended, until its state is reset."""
    inputs = np.arange(12, dtype="float32").reshape(1, 4, 3) % 5 - 2
    _, outputs, _ = rnn(_affine, inputs, [np.zeros((1, 2), "float32")])
    cell = K.keras.layers.SimpleRNNCell(2, activation=None, use_bias=False)
    layer = K[K.tested](cell, return_sequences=True, stateful=True, unroll=unroll)
    first = _layered(K, layer, inputs[:, :2], None, WEIGHTS)
    second = layer(tensor(K, "later", inputs[:, 2:]))
    values = [K.eval(first).output("first"), K.eval(second).output("second")]
    method(K, layer, "reset_state")
    again = K.eval(layer(tensor(K, "again", inputs[:, :2]))).output("repeated")
    for name, value, expected in (
        ("the first batch", values[0], outputs[:, :2]),
        ("the second batch", values[1], outputs[:, 2:]),
        ("the first batch after a reset", again, outputs[:, :2]),
    ):
        K.expect(name, value, is_array(expected), shown(expected), at=ARGS)


@dataclass(frozen=True)
class Gated:
    """A layer with gates: its columns of weights, its states, its bias, and the oracle's cell."""

    gates: int
    states: int
    bias: tuple[int, ...]
    cell: Callable[..., Any]
    keywords: Mapping[str, Any]

    def weights(self, draw: Draw, features: int, units: int) -> list[Array]:
        """Kernel, recurrent kernel and bias."""
        generator = np.random.default_rng(draw(st.integers(0, 2**16)))
        width = self.gates * units
        shapes = ((features, width), (units, width), (*self.bias, width))
        return [np.asarray(generator.uniform(-1, 1, shape), "float32") for shape in shapes]


@BOOK.scenario(LSTM, "mask: {mask}", editions=KERAS_3, mask=MASKS, use_cudnn=("auto", False))
def lstm(K: Recorder, draw: Draw, mask: str, use_cudnn: Any) -> None:
    """Outputs and both states, by the backend's own implementation or by the cell."""
    _gated(K, draw, mask, Gated(4, 2, (), lstm_cell, {"use_cudnn": use_cudnn}))


@BOOK.scenario(GRU, "mask: {mask}", editions=KERAS_3, mask=MASKS, use_cudnn=("auto", False))
def gru(K: Recorder, draw: Draw, mask: str, use_cudnn: Any) -> None:
    """Outputs and the state, with the reset gate before or after the product."""
    after = draw(st.booleans())
    cell = partial(gru_cell, reset_after=after)
    keywords = {"use_cudnn": use_cudnn, "reset_after": after}
    _gated(K, draw, mask, Gated(3, 1, (2,) * after, cell, keywords))


def _gated(K: Recorder, draw: Draw, mask: str, gated: Gated) -> None:
    options = {name: True for name in ("go_backwards", "unroll") if draw(st.booleans())}
    time, features, units = (draw(st.integers(1, most)) for most in (4, 3, 3))
    inputs = small(draw, (2, time, features), most=3) / np.float32(2)
    used = a_mask(draw, 2, time, mask)
    weights = gated.weights(draw, features, units)
    # the output of a first step that is masked is an open point, unless the state is zero
    most = 1 if used is None else 0
    start = [small(draw, (2, units), most=most) for _ in range(gated.states)]
    keywords = {"return_sequences": True, "return_state": True, **options, **gated.keywords}
    initial = [tensor(K, f"start_{number}", array) for number, array in enumerate(start)]
    layer = K[K.tested](units, **keywords)
    result = _layered(K, layer, inputs, used, weights, initial_state=initial)
    wide = (array.astype("float64") for array in weights)
    backwards = bool(options.get("go_backwards"))
    outputs, last = recurrence(gated.cell(*wide), inputs, start, used, go_backwards=backwards)
    K.title = ", ".join([f"mask: {mask}", *options])
    place = section("Summary" if used is None else "Call arguments")
    for number, near in enumerate((outputs, *last)):
        name = f"state {number - 1}" if number else "the sequence"
        value = K.eval(result[number]).output(name.replace(" ", "_"))
        K.expect(name, value, agrees_with(near.expectation), "the recurrence", at=place)


FAMILIES = BOOK.families
