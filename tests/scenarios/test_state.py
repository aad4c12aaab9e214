"""The state machines find what is wrong, keep quiet where nothing is, and shrink what they find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import conformance.reference as K  # noqa: N812
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.observations import Value
from conformance.program import Ref
from conformance.results import Verdict
from conformance.scenarios import Family, Scenario
from conformance.scenarios.recorder import Recorder, Result
from conformance.scenarios.state import refusals, sessions, updates, variables
from conformance.scenarios.state.machine import Machine, _problem
from conformance.scenarios.state.variable_model import (
    AT_CALL,
    BEFORE,
    NONE,
    TOGETHER,
    Expression,
    ModelFunction,
    ModelUpdate,
    ModelVariable,
)
from conformance.specs import load_conventions
from tests.scenarios.in_process import drawn, findings, module, recorded, smallest

EDITION: Edition = "keras-2.2"
RECORDER = Recorder("function", EDITION)
EVERY = (*variables.FAMILIES, *updates.FAMILIES, *sessions.FAMILIES, *refusals.FAMILIES)
HERE = [f for f in EVERY if EDITION in f.editions]


def scenarios_of(family: Family, examples: int) -> list[Scenario]:
    scenarios = family.make(EDITION)
    if isinstance(scenarios, st.SearchStrategy):
        return list(drawn(scenarios, examples))
    return list(scenarios)


@pytest.mark.parametrize("family", HERE, ids=[f"{f.function}-{i}" for i, f in enumerate(HERE)])
def test_the_reference_conforms_and_the_aspects_are_as_said(family: Family) -> None:
    scenarios = scenarios_of(family, 15)
    assert scenarios
    for scenario in scenarios:
        assert scenario.function == family.function
        assert {check.aspect for check in scenario.checks} <= family.aspects
        assert not findings(scenario, module()), scenario.program


def test_functions_that_mutants_exchange_are_the_references_own() -> None:
    (scenario, *_) = scenarios_of(_families("set_value")[0], 1)
    assert findings(scenario, module(set_value=None))


class _InPlace:
    """Variables that write new values into the array they hold."""

    def __init__(self) -> None:
        self.own: set[Any] = set()

    def set_value(self, x: Any, value: Any) -> None:
        if x in self.own:
            x.value[...] = value
        else:  # the caller's own array
            x.value = np.asarray(value, x.dtype)
            self.own.add(x)

    def module(self) -> SimpleNamespace:
        return module(set_value=self.set_value)


class _Aliased:
    """Values that are read are the memory of the variable, which is written in place."""

    def set_value(self, x: Any, value: Any) -> None:
        x.value[...] = value

    def module(self) -> SimpleNamespace:
        return module(set_value=self.set_value, get_value=lambda x: x.value)


def _in_sequence(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Callable[..., Any]:
    """Every update sees what those before it have done."""
    main = K.function(inputs, outputs, **kwargs)
    steps = [K.function(inputs, [], updates=[update]) for update in updates]
    return lambda values: (main(values), [step(values) for step in steps])[0]


def _updates_first(
    inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any
) -> Callable[..., Any]:
    step, main = K.function(inputs, [], updates=updates), K.function(inputs, outputs, **kwargs)
    return lambda values: (step(values), main(values))[1]


def _without_updates(inputs: Any, outputs: Any, updates: Any = (), **_: Any) -> Any:
    del updates
    return K.function(inputs, outputs)


def _frozen(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Any:
    """Variables are read when what is computed with them is made."""
    ready: dict[Any, Any] = {}

    def copy(node: Any) -> Any:
        if node in inputs:
            return node
        if node not in ready:
            fixed = type(node).__name__ == "Variable"
            ready[node] = K.constant(K.get_value(node), node.dtype) if fixed else again(node)
        return ready[node]

    def again(node: Any) -> Any:
        if not node.inputs:
            return node
        left, right = map(copy, node.inputs)
        return left + right if node.operation == "add" else left - right

    copies = [o if type(o).__name__ == "Variable" else copy(o) for o in outputs]
    return K.function(inputs, copies, updates, **kwargs)


def _swapped(inputs: Any, outputs: Any, updates: Any = None) -> Callable[..., Any]:
    function = K.function(inputs, outputs, updates)
    return lambda values: function(values)[::-1]


def _counting_from(first: int) -> Callable[..., int]:
    return lambda prefix="": K.get_uid(prefix) - 1 + first


def _stale() -> Callable[[Any], Any]:
    """A variable is evaluated once only."""
    known: dict[Any, Any] = {}
    return lambda x: known.setdefault(x, K.eval(x))


def _fed_phase_ignored(inputs: Any, outputs: Any, updates: Any = None) -> Callable[..., Any]:
    function = K.function(inputs, outputs, updates)
    feeds = [place for place, x in enumerate(inputs) if x.name == "learning_phase"]
    return lambda values: function([0 if i in feeds else v for i, v in enumerate(values)])


def _set_all_alike(tuples: Any) -> None:
    for x, _ in tuples:
        fits = [value for _, value in tuples if value.shape == x.shape]
        K.set_value(x, fits[-1].astype(x.dtype))


def _set_in_own_dtype(x: Any, value: Any) -> None:
    K.set_value(x, value.astype(x.dtype))
    x.value = value.copy()


def _lost_after_clearing() -> SimpleNamespace:
    """A session that keeps the first variable made in it only."""
    held: list[Any] = []

    def variable(value: Any, dtype: Any = None) -> Any:
        held.append(K.variable(value, dtype))
        return held[0] if held[0].shape == np.shape(value) else held[-1]

    return module(variable=variable, clear_session=lambda: None)


class _Uninitialised:
    """All variables lose their value while the flag is set."""

    manual = False

    def set_flag(self, value: bool) -> None:
        self.manual = value

    def get_value(self, x: Any) -> Any:
        return K.get_value(x) * (0 if self.manual else 1)

    def module(self) -> SimpleNamespace:
        return module(manual_variable_initialization=self.set_flag, get_value=self.get_value)


def _updated_twice(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
    """Every update is made twice in each call."""
    once = K.function(inputs, outputs, updates, **kwargs)
    more = K.function(inputs, [], updates)
    return lambda values: (once(values), more(values))[0]


def _session_half_kept() -> SimpleNamespace:
    """Every other new session counts its identifiers from two."""
    cleared = [0]

    def clear() -> None:
        K.clear_session()
        cleared[0] += 1
        if cleared[0] % 2:
            for prefix in ("", "dense", "Dense", "conv_1"):
                K.get_uid(prefix)

    return module(clear_session=clear)


def _emptied_when_refused(x: Any, value: Any) -> None:
    if value.shape != x.shape:
        x.value = x.value * 0
        raise ValueError("another shape")
    K.set_value(x, value)


def _set_same_dtype(x: Any, value: Any) -> None:
    if value.dtype != x.dtype:
        raise TypeError("another dtype")
    K.set_value(x, value)


def _counter() -> Callable[..., int]:
    """Identifiers that never come again, unless they are reset."""
    K.reset_uids()
    return lambda prefix="": K.get_uid(prefix)


def _with_outputs(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
    if not outputs:
        raise ValueError("no outputs")
    return K.function(inputs, outputs, updates, **kwargs)


class _WithoutBias:
    """Averages that start at zero and are divided by the weights that they have."""

    def __init__(self) -> None:
        self.beside: dict[int, list[Any]] = {}

    def average(self, x: Any, value: Any, momentum: float) -> Any:
        biased = K.variable(np.zeros(x.shape), x.dtype)
        weights = K.variable(np.zeros(x.shape), x.dtype)
        average = biased * momentum + value * (1 - momentum)
        weight = weights * momentum + (1 - momentum)
        update = K.update(x, average / weight)
        self.beside[id(update)] = [update, K.update(biased, average), K.update(weights, weight)]
        return update

    def function(self, inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
        every = [part for u in updates or () for part in self.beside.get(id(u), [u])]
        return K.function(inputs, outputs, every, **kwargs)

    def module(self) -> SimpleNamespace:
        return module(moving_average_update=self.average, function=self.function)


def _mean(weight: Callable[[float], float]) -> Callable[..., Any]:
    return lambda x, value, momentum: K.moving_average_update(x, value, weight(momentum))


def _sum_of_both(x: Any, value: Any, momentum: Any) -> Any:
    return K.update(x, x * momentum + value)


Make = Callable[[], Any]
VIOLATIONS: dict[str, tuple[str, Make]] = {
    "an array shared by variables": ("set_value", lambda: _InPlace().module()),
    "the last value for all": ("batch_set_value", lambda: module(batch_set_value=_set_all_alike)),
    "values in another order": (
        "batch_get_value",
        lambda: module(batch_get_value=lambda ops: K.batch_get_value(ops)[::-1]),
    ),
    "nothing set": ("set_value", lambda: module(set_value=lambda x, value: None)),
    "another precision": (
        "get_value",
        lambda: module(get_value=lambda x: K.get_value(x).astype("float32")),
    ),
    "an old value": ("eval", lambda: module(eval=_stale())),
    "updates forgotten": ("function", lambda: module(function=_without_updates)),
    "outputs in another order": ("function", lambda: module(function=_swapped)),
    "any keyword taken": (
        "function",
        lambda: module(function=lambda i, o, updates=None, **_: K.function(i, o, updates)),
    ),
    "added": ("update_sub", lambda: module(update_sub=K.update_add)),
    "only what is added": ("update_add", lambda: module(update_add=K.update)),
    "a pair": ("update", lambda: module(update=lambda x, new_x: (x, new_x))),
    "momentum exchanged": (
        "moving_average_update",
        lambda: module(moving_average_update=_mean(lambda momentum: 1 - momentum)),
    ),
    "dtype of the array": ("set_value", lambda: module(set_value=_set_in_own_dtype)),
    "phase not fed": ("learning_phase", lambda: module(function=_fed_phase_ignored)),
    "an update made twice": ("update_add", lambda: module(function=_updated_twice)),
    "half of the last session": ("clear_session", _session_half_kept),
    "changed when refused": ("set_value", lambda: module(set_value=_emptied_when_refused)),
    "no mean": ("moving_average_update", lambda: module(moving_average_update=_sum_of_both)),
    "always one": ("get_uid", lambda: module(get_uid=lambda prefix="": 1)),
    "no reset": ("reset_uids", lambda: module(reset_uids=lambda: None)),
    "an old session": ("clear_session", _lost_after_clearing),
    "values lost": ("manual_variable_initialization", lambda: _Uninitialised().module()),
    "phase ignored": ("set_learning_phase", lambda: module(set_learning_phase=lambda value: None)),
}
"""Where the documents decide: the function, and a module that has it wrong."""

DIVERGENCES: dict[str, tuple[str, str, Make]] = {
    "in sequence": ("function", TOGETHER, lambda: module(function=_in_sequence)),
    "updates first": ("function", BEFORE, lambda: module(function=_updates_first)),
    "read once": ("function", AT_CALL, lambda: module(function=_frozen)),
    "without bias": (
        "moving_average_update",
        "moving-average",
        lambda: _WithoutBias().module(),
    ),
    "from zero": ("get_uid", "uid-count", lambda: module(get_uid=_counting_from(0))),
    "memory returned": ("get_value", "returned-copy", lambda: _Aliased().module()),
    "dtype refused": ("set_value", "value-dtype", lambda: module(set_value=_set_same_dtype)),
    "identifiers go on": (
        "clear_session",
        "new-session",
        lambda: module(clear_session=lambda: None, get_uid=_counter()),
    ),
    "no outputs refused": ("function", "empty-list", lambda: module(function=_with_outputs)),
    "other shapes taken": (
        "set_value",
        "invalid-input",
        lambda: module(set_value=lambda x, value: setattr(x, "value", np.array(value, x.dtype))),
    ),
    "always initialised": (
        "manual_variable_initialization",
        "uninitialised",
        lambda: module(manual_variable_initialization=lambda value: None),
    ),
    "trained unless fed": (
        "learning_phase",
        "unfed-phase",
        lambda: module(learning_phase=lambda: K.constant(1, "int32")),
    ),
}
"""Where a convention decides: the function, the convention, and a module that does otherwise."""


def _families(function: str) -> list[Family]:
    return [family for family in HERE if family.function == function]


def _failing(
    function: str, make: Make, matches: Callable[[Finding], bool], examples: int = 300
) -> list[Scenario]:
    """The smallest scenario of each family that has the finding."""
    failing: list[Scenario | None] = []
    for family in _families(function):
        scenarios = family.make(EDITION)
        if isinstance(scenarios, st.SearchStrategy):
            failing.append(smallest(scenarios, make, matches, examples))
        else:
            failing += [s for s in scenarios if any(map(matches, findings(s, make())))]
    return [scenario for scenario in failing if scenario is not None]


@pytest.mark.parametrize("mutant", VIOLATIONS)
def test_what_contradicts_the_documents_is_found_and_shrunk(mutant: str) -> None:
    function, make = VIOLATIONS[mutant]
    failing = _failing(function, make, lambda finding: finding.verdict is Verdict.VIOLATES)
    assert failing
    assert min(len(scenario.program.steps) for scenario in failing) <= 12
    named = {name for scenario in failing for name in scenario.conventions}
    assert not any(load_conventions()[name].freedom for name in named)


@pytest.mark.parametrize("mutant", DIVERGENCES)
def test_what_no_document_decides_is_a_divergence(mutant: str) -> None:
    function, convention, make = DIVERGENCES[mutant]

    def named(finding: Finding) -> bool:
        return finding.verdict is Verdict.DIVERGES and convention in finding.conventions

    assert _failing(function, make, named)
    assert not _failing(function, make, lambda finding: finding.verdict is Verdict.VIOLATES, 60)


def _variable(*numbers: float) -> ModelVariable:
    return ModelVariable(Result(RECORDER, Ref("v")), np.array(numbers))


def _read(variable: ModelVariable) -> Expression:
    return Expression("variable", variable=variable)


def _compiled(outputs: Sequence[Expression], *changes: ModelUpdate) -> ModelFunction:
    return ModelFunction(Result(RECORDER, Ref("f")), [], outputs=outputs, updates=changes)


def test_the_model_exchanges_two_variables() -> None:
    a, b = _variable(1, 2), _variable(3, 4)
    swap = _compiled(
        [_read(a)],
        ModelUpdate("pair", a, operand=_read(b)),
        ModelUpdate("pair", b, operand=_read(a)),
    )
    ((output, resting),) = swap.call({})
    assert output.tolist() == [1, 2]
    assert resting == {BEFORE}
    assert (a.value.tolist(), b.value.tolist()) == ([3, 4], [1, 2])
    assert a.conventions == {TOGETHER}


def test_the_model_counts_steps_without_a_convention() -> None:
    a = _variable(0)
    number = Expression("fixed", fixed=np.ones(1), name="one")
    count = _compiled([], ModelUpdate("update_add", a, operand=number))
    for _ in range(3):
        count.call({})
    assert a.value.tolist() == [3]
    assert not a.conventions


def test_the_model_knows_what_changed_since_a_function_was_made() -> None:
    a = _variable(1)
    read = _compiled([_read(a)])
    a.set(np.array([2.0]))
    assert read.call({})[0][1] == {AT_CALL}


@pytest.mark.parametrize(("rank", "unmade"), [(2, True), (1, False)])
def test_a_tensor_that_had_another_rank_is_not_the_fault_of_a_function(
    rank: int, unmade: bool
) -> None:
    recorder = Recorder("function", "keras-2.2")
    machine = Machine(recorder, lambda strategy: None)  # type: ignore[arg-type]
    machine.note(
        "an output", "results", np.zeros(2), conventions=NONE, history=[], place=0, rank="rank"
    )
    machine.finish()
    (check,) = recorder.checks
    got = Value(np.zeros((2, 2)), "float64", "ndarray")
    problem = check.test((got,), (Value(np.array(rank), "int64", "int"),))
    assert check.outputs == ("results", "rank")
    assert problem is not None
    assert problem.unmade is unmade


@pytest.mark.parametrize(
    ("dtype", "off", "is_coarse"),
    [
        ("float64", 2.0**-21, True),  # 4 - 5.5, computed in float32
        ("float64", 2.0**-16, False),
        ("float32", 2.0**-21, False),
        ("float16", 2.0**-7, False),
    ],
)
def test_numbers_that_cancel_may_lose_digits_where_float64_is_computed_in_float32(
    dtype: str, off: float, is_coarse: bool
) -> None:
    expected = np.array([-1.5], dtype)
    problem = _problem(expected - np.array([off], dtype), expected)
    assert (problem.conventions == ("accuracy",)) is is_coarse


@pytest.mark.parametrize("edition", ["keras-1", "keras-2.0", "keras-2.2"])
def test_the_phase_is_also_asked_for_where_no_session_was_cleared(edition: Edition) -> None:
    phases = (sessions.type_of_phase, sessions.default_phase, sessions.first_phase)
    scenarios = [recorded(phase, "learning_phase", edition=edition) for phase in phases]
    fresh = {s.setup is None: ScenarioTrial(s, "learning_phase").batch.fresh for s in scenarios}
    assert fresh == {True: True, False: False}
