"""What variables may hold under other readings: every order of updates, and no more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from conformance.program import Ref
from conformance.scenarios.recorder import Recorder, Result
from conformance.scenarios.state.variable_model import (
    Expression,
    ModelFunction,
    ModelUpdate,
    ModelVariable,
)
from conformance.scenarios.state.worlds import (
    IN_TURN,
    OUTPUT_IN_TURN,
    WHEN_MADE,
    WITHOUT_BIAS,
    GraphMode,
    World,
    initial,
    merged,
)

RECORDER = Recorder("function", "keras-2.2")


def variable(number: float) -> ModelVariable:
    return ModelVariable(Result(RECORDER, Ref("v")), np.array([number], "float64"))


def read(v: ModelVariable) -> Expression:
    return Expression("variable", variable=v)


def function(outputs: Sequence[Expression], *updates: ModelUpdate) -> ModelFunction:
    return ModelFunction(Result(RECORDER, Ref("f")), [], outputs=outputs, updates=updates)


def world(mode: GraphMode = GraphMode.NONE, **held: ModelVariable) -> World:
    start = World(mode)
    start.values = {v: v.value for v in held.values()}
    return start


def test_an_exchange_in_turn_gives_both_the_same_value() -> None:
    a, b = variable(1), variable(2)
    swap = function(
        [], ModelUpdate("update", a, operand=read(b)), ModelUpdate("update", b, operand=read(a))
    )
    led = {
        (float(w.values[a][0]), float(w.values[b][0])): w.taken
        for w, _ in world(a=a, b=b).called(swap, {})
    }
    in_turn = frozenset({IN_TURN})
    assert led == {(2, 1): frozenset(), (2, 2): in_turn, (1, 1): in_turn}


def test_what_comes_of_the_old_values_takes_no_reading_though_new_ones_give_the_same() -> None:
    a, b, c = variable(0), variable(0), variable(9)
    unit = Expression("fixed", fixed=np.ones(1), name="one")
    apart = Expression("sub", (read(a), read(b)))
    both = function(
        [],
        ModelUpdate("update", a, operand=unit),
        ModelUpdate("update", b, operand=unit),
        ModelUpdate("update", c, operand=apart),
    )
    led = {float(w.values[c][0]): w.taken for w, _ in world(a=a, b=b, c=c).called(both, {})}
    in_turn = frozenset({IN_TURN})
    assert led == {0: frozenset(), 1: in_turn, -1: in_turn}


def test_an_output_reads_a_variable_before_or_after_its_update() -> None:
    a = variable(1)
    unit = Expression("fixed", fixed=np.ones(1), name="one")
    twice = Expression("add", (read(a), read(a)))
    count = function([twice], ModelUpdate("update_add", a, operand=unit))
    ((_, (results,)),) = world(a=a).called(count, {})
    after = frozenset({OUTPUT_IN_TURN})
    assert {(frozenset(taken), float(value[0])) for taken, value in results} == {
        (frozenset(), 2.0),
        (after, 3.0),
        (after, 4.0),
    }


def test_what_is_read_when_made_keeps_its_value() -> None:
    a = variable(1)
    doubled = Expression("add", (read(a), read(a)))
    frozen, usual = world(GraphMode.WHEN_MADE, a=a), world(a=a)
    for each in (frozen, usual):
        each.write(doubled)
        each.values[a] = np.array([5.0])
    assert [w.possible(doubled, {}, {})[0].tolist() for w in (frozen, usual)] == [[2.0], [10.0]]
    assert frozen.possible(read(a), {}, {})[0].tolist() == [5.0]


@pytest.mark.parametrize("momentum", [0.5, 0.75])
def test_an_average_without_bias_begins_with_the_first_value(momentum: float) -> None:
    a = variable(100)
    fed = Expression("fed", name="x")
    step = function([], ModelUpdate("moving_average_update", a, operand=fed, momentum=momentum))
    current, seen = world(GraphMode.WITHOUT_BIAS, a=a), []
    for number in (2.0, 4.0):
        ((current, _),) = current.called(step, {"x": np.array([number])})
        seen.append(float(current.values[a][0]))
    weights = np.array([momentum, 1.0]) * (1 - momentum)
    assert seen[0] == 2.0
    assert seen[1] == pytest.approx(weights @ [2.0, 4.0] / weights.sum(), rel=1e-14)


def test_worlds_begin_with_the_readings_that_can_make_a_difference() -> None:
    assert [w.taken for w in initial(averages=True)] == [
        frozenset(),
        frozenset({WHEN_MADE}),
        frozenset({WITHOUT_BIAS}),
    ]
    assert len(initial(averages=False)) == 2


def test_of_equal_worlds_the_one_with_fewer_readings_is_kept() -> None:
    a = variable(1)
    plain, raced = world(a=a), world(a=a)
    raced.taken = frozenset({IN_TURN})
    assert merged([raced, plain]) == [plain]
    other = world(a=a)
    other.values[a] = np.array([3.0])
    assert len(merged([plain, raced, other])) == 2
