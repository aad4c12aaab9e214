"""Scenarios of switch, in_train_phase and in_test_phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import is_array, raises
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import GraphWriter, equals, item, value_check
from conformance.scenarios.control_flow.readings import CONDITION_RANK, NONZERO, OpenPoints
from conformance.scenarios.model import Check, Family, Scenario
from conformance.scenarios.writing import FunctionWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Lines = Mapping[str, int]

SWITCH = {"ja-1": 1212, "ja-1-text": 761, "ja-2.0": 2635, "zh-TW": 1113, "ko-2.2": 2656}
ELEMENTS = {"ko-2.2": 2663}
BRANCHES = {"ja-2.0": 2642, "ko-2.2": 2664}
SHAPES = {"ja-1": 1213, "ja-1-text": 761, "ja-2.0": 2637, "zh-TW": 1113, "ko-2.2": 2658}
RANK = {"ko-2.2": 2673}
PHASES: Mapping[str, Lines] = {
    "in_train_phase": {
        "ja-1": 1231,
        "ja-1-text": 773,
        "ja-2.0": 2657,
        "zh-TW": 1125,
        "ko-2.2": 2685,
    },
    "in_test_phase": {
        "ja-1": 1244,
        "ja-1-text": 780,
        "ja-2.0": 2679,
        "zh-TW": 1131,
        "ko-2.2": 2714,
    },
}
TRAINING: Mapping[str, Lines] = {
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
    """What the condition is: of dtype "bool" or "int32", or "computed" by a comparison, which is
    one of sums in "totals"."""
    other: bool
    """Whether an integer condition also has numbers other than 0 and 1."""
    callables: tuple[bool, bool]
    known: bool
    """Whether the placeholders are given their shapes."""
    dtype: str
    seed: int

    @property
    def title(self) -> str:
        """What the scenario is about."""
        size = {len(self.shape): "a condition for each element", 0: "a scalar condition"}
        words = [size.get(self.rank, "a condition of a lower rank"), self.truth]
        return " ".join([*words, *["with callables"] * any(self.callables)])

    @property
    def between(self) -> bool:
        """Whether the condition is no scalar and has fewer axes than the expressions."""
        return 0 < self.rank < len(self.shape)

    @property
    def conventions(self) -> tuple[str, ...]:
        """Why the call may be refused: a condition between a scalar and one for each element."""
        return (ConventionName.CONDITION_RANK,) if self.between else ()

    @property
    def points(self) -> OpenPoints:
        """What the documents leave open."""
        return OpenPoints((*[CONDITION_RANK] * self.between, *[NONZERO] * self.other))

    @property
    def lines(self) -> Lines:
        """The lines that say which expression is selected."""
        return BRANCHES if any(self.callables) else ELEMENTS if self.rank else SWITCH


class SwitchProgram:
    """The program of a call of switch, up to its result."""

    def __init__(self, choice: SwitchCall) -> None:
        self.choice = choice
        self.writer = w = GraphWriter(choice.seed)
        condition = self._condition()
        self.expressions = [
            self._placeholder(n, w.numbers(choice.shape, choice.dtype)) for n in "xy"
        ]
        pairs = zip(self.expressions, choice.callables, strict=True)
        branches = [_doubled(w, x, called=called) for x, called in pairs]
        self.result = w.call("switch", condition, *branches)

    def _placeholder(self, name: str, value: Array) -> Ref:
        told = value.shape if self.choice.known else (None,) * value.ndim
        return self.writer.placeholder(name, value, told)

    def _condition(self) -> Ref:
        choice, w = self.choice, self.writer
        shape = choice.shape[: choice.rank]
        if choice.truth in ("computed", "totals"):
            shape = (3,) if choice.truth == "totals" else shape
            sides = [
                self._placeholder(n, w.numbers(shape, choice.dtype)) for n in ("left", "right")
            ]
            if choice.truth == "totals":
                sides = [w.call("sum", side) for side in sides]
            return w.call("greater", *sides)
        numbers = (0, 1, 2, -1) if choice.other else (0, 1)
        value = np.asarray(w.random.choice(numbers, size=shape)).astype(choice.truth)
        return self._placeholder("condition", value)

    def scenario(self, checks: Sequence[Check]) -> Scenario:
        """The program as written so far, with these checks."""
        w, choice = self.writer, self.choice
        program, named = w.program(), choice.conventions
        return Scenario(
            "switch",
            choice.title,
            program=program,
            arrays=w.arrays,
            checks=tuple(checks),
            conventions=named,
            at=choice.lines,
        )


def _doubled(w: GraphWriter, x: Ref, *, called: bool) -> Argument:
    """Twice x, or a callable that returns it."""
    if not called:
        return w.call("operator.mul", x, 2.0)
    body = FunctionWriter(f"double_{x.name}")
    return body.returning(body.call("operator.mul", x, 2.0))


def selection(choice: SwitchCall) -> Scenario:
    """What a condition selects."""
    found = SwitchProgram(choice)
    (expect,) = found.writer.evaluate([found.result], [choice.dtype])
    check = value_check(
        "selected",
        Aspect.VALUE,
        "results",
        partial(equals, 0, expect),
        demands="the tensor that the condition selects",
        at=choice.lines,
        points=choice.points,
    )
    return found.scenario([check])


def _switched_shape(choice: SwitchCall) -> Scenario:
    found = SwitchProgram(choice)
    static = choice.shape if choice.known else (None,) * len(choice.shape)
    return found.scenario([found.writer.static_check(found.result, static, choice.shape, SHAPES)])


def _switched_gradient(choice: SwitchCall) -> Scenario:
    found = SwitchProgram(choice)
    w = found.writer
    titles = ("the then expression", "the else expression")
    expressions = list(zip(titles, found.expressions, strict=True))
    loss = w.weighted(found.result, choice.shape, choice.dtype)
    demands = "the derivative of what is selected"
    checks = w.gradient_checks(
        loss, expressions, choice.dtype, demands, choice.lines, points=choice.points
    )
    return found.scenario(checks)


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
    # what else may be wrong with a condition between the ranks is not told from a refusal of it
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


def with_callables(edition: Edition) -> tuple[Scenario, ...]:
    """Callables in either place, with every condition that the document names.

    Totals are scalars where placeholders cannot be.
    """
    told = [(0, "bool", pair, seed) for pair in PAIRS[1:] for seed in BOTH_TRUTHS]
    told += [(0, "totals", PAIRS[1], seed) for seed in BOTH_TRUTHS]
    if edition == "keras-2.2":
        told += [(2, "bool", pair, BOTH_TRUTHS[0]) for pair in PAIRS[1:]]
    calls = (
        SwitchCall(
            edition,
            (2, 3),
            rank=rank,
            truth=truth,
            other=False,
            callables=pair,
            known=True,
            dtype="float32",
            seed=seed,
        )
        for rank, truth, pair, seed in told
    )
    return tuple(selection(call) for call in calls)


def selections(edition: Edition) -> st.SearchStrategy[Scenario]:
    """What conditions of every kind select."""
    return _choices(edition).map(selection)


def selection_gradients(edition: Edition) -> st.SearchStrategy[Scenario]:
    """The gradients of what a condition selects."""
    return _choices(edition).map(_switched_gradient)


def _selection_shapes(edition: Edition) -> st.SearchStrategy[Scenario]:
    return _choices(edition).map(_switched_shape)


def _switch_errors(_edition: Edition) -> tuple[Scenario, ...]:
    return tuple(_rank_error(low) for low in (0, 1, 2))


def _rank_error(rank: int) -> Scenario:
    """A condition with one axis more than the expressions."""
    w = GraphWriter(0)
    condition = w.call("placeholder", shape=(2, 3, 4)[: rank + 1], dtype="bool")
    x, y = (w.call("placeholder", shape=(2, 3, 4)[:rank], dtype="float32") for _ in "xy")
    w.attempt("outcome", "switch", condition, x, y)
    title = f"a condition of rank {rank + 1} and expressions of rank {rank}"
    demands = "ValueError, because the condition has a higher rank"
    test = raises("ValueError")
    name = "condition of a higher rank"
    check = Check(name, Aspect.ERROR, outputs=("outcome",), test=test, demands=demands, at=RANK)
    return Scenario("switch", title, program=w.program(), arrays=w.arrays, checks=(check,))


def _branches(
    w: GraphWriter, *, called: tuple[bool, bool], dtype: str = "float32"
) -> tuple[Ref, list[Argument], list[Array]]:
    """A fed tensor, two branches made of it, and what each is: twice and minus the numbers."""
    numbers = w.numbers((2, 3), dtype)
    x = w.placeholder("x", numbers, (None, 3))
    first = _doubled(w, x, called=called[0])
    if called[1]:
        body = FunctionWriter("negated_x")
        other: Argument = body.returning(body.call("operator.neg", x))
    else:
        other = w.call("operator.neg", x)
    return x, [first, other], [2 * numbers, -numbers]


def _explicit(
    function: str,
    training: object,
    tensor: str | None,
    called: tuple[bool, bool],
    numbers: tuple[int, str],
) -> Scenario:
    """`training` as a Python value, or as a scalar tensor of a dtype.

    `numbers` are the seed and the dtype of the branches.
    """
    seed, dtype = numbers
    w = GraphWriter(seed)
    _, branches, wanted = _branches(w, called=called, dtype=dtype)
    told: Any = training
    if tensor is not None:
        told = w.placeholder("training", np.asarray(training, tensor))
    w.run([w.call(function, *branches, training=told)])
    first = bool(training) == (function == "in_train_phase")
    what = f"training={training}" if tensor is None else f"a tensor training={training}"
    check = Check(
        "a tensor" if tensor else "a Python value",
        Aspect.VALUE,
        outputs=("results",),
        test=item(0, is_array(wanted[0] if first else wanted[1])),
        demands=f"{'x' if first else 'alt'} for {what}",
        at=TRAINING[function],
    )
    return Scenario(function, what, program=w.program(), arrays=w.arrays, checks=(check,))


def _explicit_scenarios(function: str, _edition: Edition) -> st.SearchStrategy[Scenario]:
    return st.builds(
        partial(_explicit, function),
        st.sampled_from([1, 0, True, False]),
        st.sampled_from([None, None, "int32", "bool"]),
        st.sampled_from(PAIRS),
        st.tuples(st.integers(0, 2**16), st.sampled_from(["float32", "float64"])),
    )


def _fixed(function: str, _edition: Edition) -> tuple[Scenario, ...]:
    """The learning phase is set, and `training` is left out or None."""
    found = []
    for phase in (1, 0):
        for called in ((False, False), (True, True)):
            w = GraphWriter(phase)
            w.call("set_learning_phase", phase)
            _, branches, wanted = _branches(w, called=called)
            w.run([w.call(function, *branches, **({"training": None} if called[0] else {}))])
            first = bool(phase) == (function == "in_train_phase")
            demands = f"{'x' if first else 'alt'} after set_learning_phase({phase})"
            test = item(0, is_array(wanted[0] if first else wanted[1]))
            lines = {**PHASES[function], **TRAINING[function]}
            lines = {d: lines[d] for d in ("ja-2.0", "ko-2.2")}
            check = Check(
                "the phase that is set",
                Aspect.STATE,
                outputs=("results",),
                test=test,
                demands=demands,
                at=lines,
            )
            title = f"learning phase {phase}"
            found.append(
                Scenario(function, title, program=w.program(), arrays=w.arrays, checks=(check,))
            )
    return tuple(found)


def _fed(function: str, edition: Edition) -> tuple[Scenario, ...]:
    """The learning phase is among the inputs of the function, first 1 and then 0."""
    return tuple(_fed_phase(function, called) for called in PAIRS[: 1 + (edition != "keras-1")])


def _fed_phase(function: str, called: tuple[bool, bool]) -> Scenario:
    w = GraphWriter(5)
    x, branches, wanted = _branches(w, called=called)
    phase = w.call("learning_phase")
    result = w.call(function, *branches)
    compiled = w.call("function", [x, phase], [result])
    checks = []
    for number, name in ((1, "training"), (0, "testing")):
        w.observe(name, "operator.call", compiled, [Ref("x_value"), number])
        first = bool(number) == (function == "in_train_phase")
        test = item(0, is_array(wanted[0] if first else wanted[1]))
        demands = f"{'x' if first else 'alt'} in {name}"
        checks.append(
            Check(
                f"fed {name}",
                Aspect.STATE,
                outputs=(name,),
                test=test,
                demands=demands,
                at=PHASES[function],
            )
        )
    return Scenario(
        function, "the phase is fed", program=w.program(), arrays=w.arrays, checks=tuple(checks)
    )


_NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")

FAMILIES = (
    Family("switch", frozenset({Aspect.VALUE}), make=selections, share=2),
    Family("switch", frozenset({Aspect.VALUE}), make=with_callables, editions=_NEWER),
    Family("switch", frozenset({Aspect.STATIC_SHAPE}), make=_selection_shapes),
    Family("switch", frozenset({Aspect.GRADIENT}), make=selection_gradients),
    Family("switch", frozenset({Aspect.ERROR}), make=_switch_errors, editions=("keras-2.2",)),
    *(
        family
        for name in ("in_train_phase", "in_test_phase")
        for family in (
            Family(
                name,
                frozenset({Aspect.VALUE}),
                make=partial(_explicit_scenarios, name),
                editions=_NEWER,
            ),
            Family(name, frozenset({Aspect.STATE}), make=partial(_fixed, name), editions=_NEWER),
            Family(name, frozenset({Aspect.STATE}), make=partial(_fed, name)),
        )
    ),
)
