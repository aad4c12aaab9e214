"""Scenarios of switch, in_train_phase and in_test_phase."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import is_array, raises
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import Graph, equals, expect_static, item
from conformance.scenarios.control_flow.readings import (
    CONDITION_RANK,
    NONZERO,
    OpenPoints,
    accepting,
    alternatives,
)
from conformance.scenarios.model import KERAS_2, Array
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()

SWITCH: Lines = {"ja-1": 1212, "ja-1-text": 761, "ja-2.0": 2635, "zh-TW": 1113, "ko-2.2": 2656}
ELEMENTS: Lines = {"ko-2.2": 2663}
BRANCHES: Lines = {"ja-2.0": 2642, "ko-2.2": 2664}
SHAPES: Lines = {"ja-1": 1213, "ja-1-text": 761, "ja-2.0": 2637, "zh-TW": 1113, "ko-2.2": 2658}
RANK: Lines = {"ko-2.2": 2673}
PHASES: dict[str, Lines] = {
    "in_train_phase": {
        "ja-1": 1231, "ja-1-text": 773, "ja-2.0": 2657, "zh-TW": 1125, "ko-2.2": 2685,
    },
    "in_test_phase": {
        "ja-1": 1244, "ja-1-text": 780, "ja-2.0": 2679, "zh-TW": 1131, "ko-2.2": 2714,
    },
}  # fmt: skip
TRAINING: dict[str, Lines] = {
    "in_train_phase": {"ja-2.0": 2669, "ko-2.2": 2701},
    "in_test_phase": {"ja-2.0": 2687, "ko-2.2": 2724},
}


@dataclass(frozen=True)
class SwitchCall:
    """One call of switch."""

    edition: Edition
    shape: tuple[int, ...]
    """The shape of both expressions."""
    _: KW_ONLY
    rank: int
    """The rank of the condition: 0, or the number of the expressions' first axes that it has."""
    truth: str
    """The kind of the condition: of dtype "bool" or "int32", or "computed" by a comparison, which
    is one of sums in "totals"."""
    other: bool
    """Whether an integer condition also has numbers other than 0 and 1."""
    callables: tuple[bool, bool]
    known: bool
    """Whether the placeholders are given their shapes."""
    dtype: str
    seed: int

    @property
    def title(self) -> str:
        """The subject of the scenario."""
        size = {len(self.shape): "a condition for each element", 0: "a scalar condition"}
        words = [size.get(self.rank, "a condition of a lower rank"), self.truth]
        return " ".join([*words, *["with callables"] * any(self.callables)])

    @property
    def between(self) -> bool:
        """Whether the condition has axes, and fewer than the expressions."""
        return 0 < self.rank < len(self.shape)

    @property
    def conventions(self) -> tuple[str, ...]:
        """Why the call may be refused: a condition between a scalar and one for each element."""
        return (ConventionName.CONDITION_RANK,) if self.between else ()

    @property
    def points(self) -> OpenPoints:
        """The points that the documents leave open."""
        return OpenPoints((*[CONDITION_RANK] * self.between, *[NONZERO] * self.other))

    @property
    def lines(self) -> Lines:
        """The lines that say which expression is selected."""
        return BRANCHES if any(self.callables) else ELEMENTS if self.rank else SWITCH


class SwitchProgram:
    """The program of a call of switch, up to its result."""

    def __init__(self, K: Recorder, choice: SwitchCall) -> None:
        self.choice, self.graph = choice, Graph(K, choice.seed)
        condition = self._condition()
        tensors = [self._placeholder(n, self._numbers(choice.shape)) for n in "xy"]
        pairs = zip(tensors, choice.callables, strict=True)
        branches = [_doubled(K, x, called=called) for x, called in pairs]
        self.result = K.switch(condition, *branches)
        K.title, K.conventions, K.at = choice.title, choice.conventions, choice.lines

    def _numbers(self, shape: tuple[int, ...]) -> Array:
        return self.graph.numbers(shape, self.choice.dtype)

    def _placeholder(self, name: str, value: Array) -> Result:
        static = value.shape if self.choice.known else (None,) * value.ndim
        return self.graph.placeholder(name, value, static)

    def _condition(self) -> Result:
        choice, K = self.choice, self.graph.K
        shape = choice.shape[: choice.rank]
        if choice.truth in ("computed", "totals"):
            shape = (3,) if choice.truth == "totals" else shape
            sides = [self._placeholder(n, self._numbers(shape)) for n in ("left", "right")]
            if choice.truth == "totals":
                sides = [K.sum(side) for side in sides]
            return K.greater(*sides)
        numbers = (0, 1, 2, -1) if choice.other else (0, 1)
        value = np.asarray(self.graph.random.choice(numbers, size=shape)).astype(choice.truth)
        return self._placeholder("condition", value)


def _doubled(K: Recorder, x: Result, *, called: bool) -> Any:
    """Twice x, or a callable that returns it."""
    return K.body(f"double_{x.name}", lambda: x * 2.0) if called else x * 2.0


def selection(K: Recorder, choice: SwitchCall) -> None:
    """The result that a condition selects."""
    program = SwitchProgram(K, choice)
    (expect,) = program.graph.evaluate([program.result], [choice.dtype])
    test, points = partial(equals, 0, expect), choice.points
    K.expect(
        "selected",
        "results",
        accepting(test, points),
        "the tensor that the condition selects",
        at=choice.lines,
        alternatives=alternatives(test, points),
    )


BOTH_TRUTHS = (1, 2)
"""Seeds: with one a scalar condition is true, with the other it is false."""
PAIRS = ((False, False), (True, True), (False, True), (True, False))
"""Which of the two expressions are callables."""


@composite
def _choices(draw: st.DrawFn, edition: Edition) -> SwitchCall:
    shape = tuple(draw(st.lists(st.sampled_from([2, 3, 1]), min_size=0, max_size=3)))
    ranks = [0, 0, len(shape), len(shape), *range(1, len(shape))]
    rank = draw(st.sampled_from(ranks)) if edition == "keras-2.2" else 0
    truth = draw(st.sampled_from(["bool", "int32", "computed"]))
    # for a condition between the ranks, a refusal hides other faults
    plain = edition == "keras-1" or 0 < rank < len(shape)
    return SwitchCall(
        edition,
        shape,
        rank=rank,
        truth=truth,
        other=truth == "int32" and draw(st.sampled_from([False, False, True])),
        callables=draw(st.sampled_from(PAIRS[: 1 if plain else None])),
        known=draw(st.booleans()),
        dtype=draw(st.sampled_from(["float32", "float32", "float64"])),
        seed=draw(st.integers(0, 2**16)),
    )


@BOOK.scenario("switch", share=2)
def selections(K: Recorder, draw: st.DrawFn) -> None:
    """The results that conditions of every kind select."""
    selection(K, draw(_choices(K.edition)))


CALLED = [
    *((0, "bool", pair, seed) for pair in PAIRS[1:] for seed in BOTH_TRUTHS),
    *((0, "totals", PAIRS[1], seed) for seed in BOTH_TRUTHS),
]
"""The rank of a condition, its truth, the callables and a seed."""
CALLED_FOR_EACH = [(2, "bool", pair, BOTH_TRUTHS[0]) for pair in PAIRS[1:]]


@BOOK.scenario("switch", editions=("keras-2.2",), row=CALLED_FOR_EACH)
@BOOK.scenario("switch", editions=KERAS_2, row=CALLED)
def with_callables(K: Recorder, row: tuple[int, str, tuple[bool, bool], int]) -> None:
    """Callables in either place, with every condition that the document names.

    Totals are scalars where placeholders cannot be.
    """
    rank, truth, pair, seed = row
    choice = SwitchCall(
        K.edition,
        (2, 3),
        rank=rank,
        truth=truth,
        other=False,
        callables=pair,
        known=True,
        dtype="float32",
        seed=seed,
    )
    selection(K, choice)


@BOOK.scenario("switch", "", Aspect.STATIC_SHAPE)
def selection_shapes(K: Recorder, draw: st.DrawFn) -> None:
    """The static shape of the result that a condition selects."""
    choice = draw(_choices(K.edition))
    result = SwitchProgram(K, choice).result
    static = choice.shape if choice.known else (None,) * len(choice.shape)
    expect_static(K, result, static, choice.shape, SHAPES)


EXPRESSIONS = {"x": "the then expression", "y": "the else expression"}


@BOOK.scenario("switch", "", Aspect.GRADIENT)
def selection_gradients(K: Recorder, draw: st.DrawFn) -> None:
    """The gradients of the result that a condition selects."""
    choice = draw(_choices(K.edition))
    program = SwitchProgram(K, choice)
    graph, demands = program.graph, "the derivative of what is selected"
    loss = graph.weighted(program.result, choice.shape, choice.dtype)
    graph.expect_gradients(
        loss, EXPRESSIONS, choice.dtype, demands, at=choice.lines, points=choice.points
    )


@BOOK.scenario("switch", "", Aspect.ERROR, editions=("keras-2.2",), rank=(0, 1, 2))
def rank_error(K: Recorder, rank: int) -> None:
    """A condition with one axis more than the expressions."""
    condition = K.placeholder(shape=(2, 3, 4)[: rank + 1], dtype="bool")
    x, y = (K.placeholder(shape=(2, 3, 4)[:rank], dtype="float32") for _ in "xy")
    outcome = K.attempt(K.switch, condition, x, y).output("outcome")
    K.title = f"a condition of rank {rank + 1} and expressions of rank {rank}"
    name, demands = (
        "condition of a higher rank",
        "ValueError, because the condition has a higher rank",
    )
    K.expect(name, outcome, raises("ValueError"), demands, at=RANK)


def _branches(
    graph: Graph, *, called: tuple[bool, bool], dtype: str = "float32"
) -> tuple[list[Any], list[Array]]:
    """Two branches of a fed tensor with their values: twice and minus the numbers."""
    numbers, K = graph.numbers((2, 3), dtype), graph.K
    x = graph.placeholder("x", numbers, (None, 3))
    first = _doubled(K, x, called=called[0])
    other = K.body("negated_x", lambda: -x) if called[1] else -x
    return [first, other], [2 * numbers, -numbers]


def _selected(K: Recorder, training: object, arrays: list[Array]) -> tuple[Array, str]:
    """The array of the branch that a phase selects, and the name of the branch."""
    first = bool(training) == (K.tested == "in_train_phase")
    return (arrays[0], "x") if first else (arrays[1], "alt")


@BOOK.scenario(
    PHASES.keys(),
    editions=KERAS_2,
    training=st.sampled_from([1, 0, True, False]),
    tensor=st.sampled_from([None, None, "int32", "bool"]),
    called=st.sampled_from(PAIRS),
    numbers=st.tuples(st.integers(0, 2**16), st.sampled_from(["float32", "float64"])),
)
def explicit(
    K: Recorder,
    training: object,
    tensor: str | None,
    called: tuple[bool, bool],
    numbers: tuple[int, str],
) -> None:
    """`training` as a Python value, or as a scalar tensor of a dtype.

    `numbers` are the seed and the dtype of the branches.
    """
    seed, dtype = numbers
    graph = Graph(K, seed)
    branches, arrays = _branches(graph, called=called, dtype=dtype)
    flag: Any = training
    if tensor is not None:
        flag = graph.placeholder("training", np.asarray(training, tensor))
    graph.run([K[K.tested](*branches, training=flag)])
    array, branch = _selected(K, training, arrays)
    K.title = f"a tensor training={training}" if tensor else f"training={training}"
    name, demands = "a tensor" if tensor else "a Python value", f"{branch} for {K.title}"
    K.expect(name, "results", item(0, is_array(array)), demands, at=TRAINING[K.tested])


@BOOK.scenario(
    PHASES.keys(),
    "learning phase {phase}",
    Aspect.STATE,
    editions=KERAS_2,
    phase=(1, 0),
    called=PAIRS[:2],
)
def fixed(K: Recorder, phase: int, called: tuple[bool, bool]) -> None:
    """The learning phase is set, and `training` is left out or None."""
    graph = Graph(K, phase)
    K.set_learning_phase(phase)
    branches, arrays = _branches(graph, called=called)
    graph.run([K[K.tested](*branches, **({"training": None} if called[0] else {}))])
    array, branch = _selected(K, phase, arrays)
    test, demands = item(0, is_array(array)), f"{branch} after set_learning_phase({phase})"
    K.expect("the phase that is set", "results", test, demands, at=TRAINING[K.tested])


FED = "the phase is fed"


@BOOK.scenario(PHASES.keys(), FED, Aspect.STATE, editions=KERAS_2, called=PAIRS[:2])
@BOOK.scenario(PHASES.keys(), FED, Aspect.STATE, editions=("keras-1",), called=PAIRS[:1])
def fed(K: Recorder, called: tuple[bool, bool]) -> None:
    """The learning phase is among the inputs of the function, first 1 and then 0."""
    branches, arrays = _branches(Graph(K, 5), called=called)
    phase = K.learning_phase()
    compiled = K.function([Ref("x"), phase], [K[K.tested](*branches)])
    for number, name in ((1, "training"), (0, "testing")):
        output = compiled([Ref("x_value"), number]).output(name)
        array, branch = _selected(K, number, arrays)
        test, demands = item(0, is_array(array)), f"{branch} in {name}"
        K.expect(f"fed {name}", output, test, demands, at=PHASES[K.tested])


FAMILIES = BOOK.families
