"""Programs that call rnn: arguments, results, and the conventions that concern them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.scenarios.control_flow.graphs import Graph
from conformance.scenarios.control_flow.readings import CONSTANTS, ORDER, Chosen, Point
from conformance.scenarios.control_flow.step_functions import StepFunction
from conformance.scenarios.recorder import Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

Places = npt.NDArray[np.bool_]
"""Some elements of a result, by its first axes: samples, and steps in the order of iteration."""

OUTPUTS: Lines = {"ja-1": 1198, "ja-1-text": 754, "ja-2.0": 2617, "zh-TW": 1106, "ko-2.2": 2632}
TUPLE: Lines = {"ja-1": 1195, "ja-1-text": 751, "ja-2.0": 2614, "zh-TW": 1103, "ko-2.2": 2629}
LAST_OUTPUT: Lines = {"ja-1": 1197, "ja-1-text": 753, "ja-2.0": 2616, "zh-TW": 1105, "ko-2.2": 2631}
NEW_STATES: Lines = {"ja-1": 1200, "ja-1-text": 755, "ja-2.0": 2618, "zh-TW": 1107, "ko-2.2": 2635}
BACKWARDS: Lines = {"ja-1": 1184, "ja-1-text": 743, "ja-2.0": 2606, "zh-TW": 1097, "ko-2.2": 2618}
MASK: Lines = {"ja-1": 1185, "ja-1-text": 744, "ja-2.0": 2607, "ko-2.2": 2621}
NOT_3D: Lines = {"ja-2.0": 2622, "ko-2.2": 2640}
NOT_FIXED: Lines = {"ja-2.0": 2623, "ko-2.2": 2641}
NO_STATES: Lines = {"ja-2.0": 2624, "ko-2.2": 2643}


@dataclass(frozen=True)
class RnnCall:
    """One call of rnn."""

    edition: Edition
    step: StepFunction
    _: KW_ONLY
    samples: int = 2
    time: int = 3
    dims: tuple[int, ...] = (2,)
    known: tuple[bool, bool] = (True, True)
    """Whether the placeholders are given the number of samples, and that of time steps."""
    dtype: str = "float32"
    seed: int = 0
    go_backwards: bool = False
    unroll: bool = False
    passes_length: bool = False
    """Whether `input_length` is given."""
    mask: str | None = None
    """The dtype of the mask, if there is one."""
    columns: bool = False
    """Whether the mask has the shape (samples, time, 1)."""
    fed: bool = True
    """Whether states are placeholders; if not, they are variables."""

    @property
    def title(self) -> str:
        """The subject of the scenario."""
        words = [f"the cell {self.step.name}"]
        words += ["backwards"] * self.go_backwards + ["unrolled"] * self.unroll
        words += ["with a mask"] if self.mask else []
        return " ".join(words)

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of a sample's output at one time step."""
        return (*self.dims[:-1], self.step.units or self.dims[-1])

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of a sample's state or constant."""
        return (*self.result[:-1], self.step.last.get(name, self.result[-1]))

    def static(self, shape: Sequence[int], *, timed: bool = False) -> tuple[int | None, ...]:
        """A shape with samples (and time) as far as the placeholders know them."""
        known = [*self.known[: 1 + timed], *[True] * len(shape)]
        return tuple(d if k else None for d, k in zip(shape, known, strict=False))

    @property
    def conventions(self) -> tuple[str, ...]:
        """Why the call may be refused: a mask of the other rank."""
        other_rank = self.mask and self.columns == (self.edition == "keras-2.2")
        return (ConventionName.MASK_RANK,) if other_rank else ()

    @property
    def order(self) -> tuple[Point, ...]:
        """Only ko-2.2 says in which order the outputs of a backward iteration are."""
        return (ORDER,) if self.go_backwards and self.edition != "keras-2.2" else ()

    @property
    def constants(self) -> tuple[Point, ...]:
        """No document says where the step function finds the constants."""
        return (CONSTANTS,) if self.step.constants else ()


class RnnPart(NamedTuple):
    """One of the results of rnn."""

    what: str
    ref: Result
    at: Lines
    """The lines that describe it."""
    steps: bool = False
    """Whether it has a number for each time step."""
    emitted: bool = True
    """Whether it is what time steps gave; if not, it is a state."""
    state: str = ""
    """The name of the state."""


class RnnProgram:
    """The program of a call of rnn, up to its results."""

    def __init__(self, K: Recorder, call: RnnCall) -> None:
        self.call, self.graph = call, Graph(K, call.seed)
        for name, shape in call.step.weights(call.dims[-1]).items():
            self.graph.variable(name, self.graph.numbers(shape, call.dtype))
        shape = (call.samples, call.time, *call.dims)
        numbers = self.graph.numbers(shape, call.dtype)
        self.inputs = self.graph.placeholder("inputs", numbers, call.static(shape, timed=True))
        states = [self._state(f"state{i}", fed=call.fed) for i in range(call.step.states)]
        step, keywords = call.step.function(K), self._keywords()
        results = K.rnn(step, self.inputs, states, **keywords)
        self.last, self.outputs = results[0], results[1]
        new = results[2] if states else results
        self.states = [new[i] for i in range(len(states))]
        K.title, K.conventions = call.title, call.conventions

    @property
    def parts(self) -> list[RnnPart]:
        """What rnn returned."""
        states = [
            RnnPart(f"new state {i}", ref, NEW_STATES, emitted=False, state=f"state{i}")
            for i, ref in enumerate(self.states)
        ]
        at = dict(OUTPUTS)
        if self.call.go_backwards and not self.call.order:
            at["ko-2.2"] = BACKWARDS["ko-2.2"]
        return [
            RnnPart("last output", self.last, LAST_OUTPUT),
            RnnPart("outputs", self.outputs, at, steps=True),
            *states,
        ]

    def shape(self, part: RnnPart) -> tuple[int, ...]:
        """The shape of a result, with samples and time."""
        call = self.call
        return (call.samples, *[call.time] * part.steps, *call.shape_of(part.state))

    def _state(self, name: str, *, fed: bool) -> Result:
        call, graph = self.call, self.graph
        numbers = graph.numbers((call.samples, *call.shape_of(name)), call.dtype)
        if fed:
            return graph.placeholder(name, numbers, call.static(numbers.shape))
        return graph.variable(name, numbers)

    def _keywords(self) -> dict[str, Any]:
        call = self.call
        keywords: dict[str, Any] = {"go_backwards": True} if call.go_backwards else {}
        if call.mask:
            keywords["mask"] = self._mask(call.mask)
        if call.step.constants:
            # a step combines them with fed tensors, which some backends cannot do with variables:
            # the tests of the operators show that
            count = range(call.step.constants)
            keywords["constants"] = [self._state(f"constant{i}", fed=True) for i in count]
        if call.unroll:
            keywords["unroll"] = True
        if call.passes_length:
            keywords["input_length"] = call.time
        return keywords

    def _mask(self, dtype: str) -> Result:
        """A mask of some steps, but none of the first sample."""
        call, graph = self.call, self.graph
        used = graph.random.random((call.samples, call.time)) < 0.6
        used[0] = True
        mask = used.reshape(used.shape + (1,) * call.columns).astype(dtype)
        return graph.placeholder("mask", mask, call.static(mask.shape, timed=True))

    def used(self, part: RnnPart, chosen: Chosen = ()) -> Places:
        """The elements of a result that no masked step gave: conventions concern the others."""
        call, mask = self.call, self.graph.values.get("mask")
        every = np.ones((call.samples, call.time), bool)
        steps = every if mask is None else mask.reshape(every.shape) != 0
        if call.go_backwards:
            steps = steps[:, ::-1]
        if not part.emitted:
            return every[:, 0]
        in_time = call.go_backwards and any(r in ORDER for r in chosen)
        return (steps[:, ::-1] if in_time else steps) if part.steps else steps[:, -1]

    def untouched(self) -> Places:
        """The samples without a masked step."""
        mask = self.graph.values.get("mask")
        if mask is None:
            return np.ones(self.call.samples, bool)
        return np.asarray(mask.reshape(mask.shape[:2]).astype(bool).all(axis=1))
