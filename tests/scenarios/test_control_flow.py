"""Scenarios of control flow: wrong implementations are found, and the reference is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from types import ModuleType
from typing import Any

import pytest

import conformance.reference as K  # noqa: N812
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.results import Aspect, Verdict
from conformance.scenarios.control_flow import conditions, higher_order, recurrent
from conformance.scenarios.model import Family, Scenario
from tests.editions import OF_K
from tests.scenarios.control_flow_fakes import (
    Masking,
    condition_on_last_axes,
    condition_with_new_meaning,
    constants_as_zeros,
    constants_before_states,
    outputs_in_time,
    outputs_of_other_samples,
    without_callables,
)
from tests.scenarios.in_process import drawn, findings, module, recorded

FAMILIES = (*recurrent.FAMILIES, *conditions.FAMILIES, *higher_order.FAMILIES)
EDITION: Edition = "keras-2.2"


def _scenarios(family: Family, count: int) -> list[Scenario]:
    scenarios = family.make(EDITION)
    return (
        list(islice(scenarios, count))
        if isinstance(scenarios, Sequence)
        else list(drawn(scenarios, count))
    )


def _findings_of(function: str, wrong: Callable[..., Any], count: int = 40) -> list[Finding]:
    target = module(**{function: wrong})
    families = [f for f in FAMILIES if f.function == function]
    return [
        finding
        for family in families
        for scenario in _scenarios(family, count)
        for finding in findings(scenario, target)
    ]


def _backwards_in_time(*args: Any, go_backwards: bool = False, **kwargs: Any) -> Any:
    """Outputs turned round, as for layers that return sequences in the order of time."""
    last, outputs, states = K.rnn(*args, go_backwards=go_backwards, **kwargs)
    return last, K.reverse(outputs, 1) if go_backwards else outputs, states


def _forwards(*args: Any, go_backwards: bool = False, **kwargs: Any) -> Any:
    del go_backwards
    return K.rnn(*args, **kwargs)


def _first_output(*args: Any, **kwargs: Any) -> Any:
    _, outputs, states = K.rnn(*args, **kwargs)
    return outputs[:, 0], outputs, states


def _opposite_mask(*args: Any, mask: Any = None, **kwargs: Any) -> Any:
    if mask is not None:
        mask = K.equal(mask, K.zeros_like(mask))
    return K.rnn(*args, mask=mask, **kwargs)


def _no_mask(*args: Any, mask: Any = None, **kwargs: Any) -> Any:
    del mask
    return K.rnn(*args, **kwargs)


def _states_in_reverse(*args: Any, **kwargs: Any) -> Any:
    last, outputs, states = K.rnn(*args, **kwargs)
    return last, outputs, states[::-1]


def _constant_outputs(*args: Any, **kwargs: Any) -> Any:
    last, outputs, states = K.rnn(*args, **kwargs)
    return last, K.stop_gradient(outputs), states


def _from_the_left(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    return K.foldl(fn, elems, initializer, name)


def _first_twice(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    return K.foldl(fn, elems, elems[0] if initializer is None else initializer, name)


WRONG: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("rnn", _backwards_in_time),
    ("rnn", _forwards),
    ("rnn", _first_output),
    ("rnn", _opposite_mask),
    ("rnn", _states_in_reverse),
    ("rnn", _constant_outputs),
    ("switch", lambda c, x, y: K.switch(c, y, x)),
    ("switch", lambda c, x, _: x() if callable(x) else x),
    ("in_train_phase", lambda x, alt, training=None: K.in_test_phase(x, alt, training)),
    ("in_train_phase", lambda x, alt, training=None: K.in_train_phase(x, alt)),
    ("in_test_phase", lambda x, alt, training=None: K.in_test_phase(x, alt, training or 0)),
    (
        "map_fn",
        lambda fn, elems, name=None, dtype=None: K.reverse(K.map_fn(fn, elems, name, dtype), 0),
    ),
    ("foldr", _from_the_left),
    ("foldl", _first_twice),
)


@pytest.mark.parametrize(("function", "wrong"), WRONG)
def test_a_wrong_implementation_violates(function: str, wrong: Callable[..., Any]) -> None:
    problems = _findings_of(function, wrong)
    assert any(f.verdict is Verdict.VIOLATES for f in problems)


Make = Callable[[Edition], Any]


def _of(room: ModuleType, name: str) -> Make:
    """What makes the scenarios of a function of a module."""
    families = room.BOOK.families_of(getattr(room, name))

    def make(edition: Edition) -> Any:
        scenarios = [f.make(edition) for f in families if edition in f.editions]
        sequences = [s for s in scenarios if isinstance(s, Sequence)]
        return [scenario for s in sequences for scenario in s] if sequences else scenarios[0]

    return make


MASKS, VALUES, GRADIENTS = (_of(recurrent, n) for n in ("masks", "values", "gradients"))
FORGOTTEN, CONSTANTS = (_of(recurrent, n) for n in ("forgotten_states", "with_constants"))
SELECTIONS, CALLABLES = (_of(conditions, n) for n in ("selections", "with_callables"))


def _judged(
    make: Make, edition: Edition, function: str, fake: Any, count: int = 12
) -> set[tuple[Verdict, tuple[str, ...]]]:
    """The verdicts on a fake, and the readings that they name."""
    target = module(**{function: fake})
    scenarios = make(edition)
    cases = scenarios if isinstance(scenarios, Sequence) else drawn(scenarios, count)
    return {(f.verdict, f.readings) for s in cases for f in findings(s, target)}


def _violates(judged: set[tuple[Verdict, tuple[str, ...]]]) -> bool:
    return any(verdict is Verdict.VIOLATES for verdict, _ in judged)


@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize("reading", ["first state", "computed", "zeros"])
def test_what_a_masked_step_gives_is_a_reading(reading: str, edition: Edition) -> None:
    judged = _judged(MASKS, edition, "rnn", Masking(reading))
    assert judged == {(Verdict.DIVERGES, (f"masked-steps: {reading}",))}


def test_the_fake_of_masks_is_right_where_it_takes_the_suites_reading() -> None:
    assert not _judged(MASKS, "keras-2.2", "rnn", Masking("previous output"))


def _as_known(step: Any, inputs: Any, states: Any, **more: Any) -> Any:
    """rnn with a loop that demands of each state as much of its shape as of the first ones."""

    def checked(x: Any, state: Any) -> Any:
        output, new = step(x, state)
        for before, after in zip(states, new, strict=True):
            if K.int_shape(before) != K.int_shape(after):
                raise ValueError("a shape is not an invariant for the loop")
        return output, new

    return K.rnn(checked, inputs, states, **more)


def test_a_loop_that_wants_to_know_all_of_each_state_violates() -> None:
    assert not _judged(FORGOTTEN, "keras-2.2", "rnn", K.rnn)
    judged = _judged(FORGOTTEN, "keras-2.2", "rnn", _as_known)
    assert judged == {(Verdict.VIOLATES, ())}


WRONG_MASKS: tuple[Callable[..., Any], ...] = (
    _no_mask,
    _opposite_mask,
    Masking("previous output", keep_states=False),
    Masking("first state", inverted=True),
    Masking("negated"),
)


@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize("wrong", WRONG_MASKS)
def test_a_wrong_mask_violates(wrong: Callable[..., Any], edition: Edition) -> None:
    assert _violates(_judged(MASKS, edition, "rnn", wrong))


@pytest.mark.parametrize("edition", OF_K)
def test_gradients_through_masks_are_settled(edition: Edition) -> None:
    def masked(make: Edition) -> list[Scenario]:
        cases = drawn(GRADIENTS(make), 12)
        return [s for s in cases if "with a mask" in s.title]

    for reading in ("first state", "zeros"):
        assert not _judged(masked, edition, "rnn", Masking(reading))
    assert _violates(_judged(masked, edition, "rnn", Masking("zeros", keep_states=False)))


def _with_constants(edition: Edition) -> list[Scenario]:
    return [s for s in drawn(VALUES(edition), 40) if "constant" in s.title]


@pytest.mark.parametrize("edition", OF_K)
def test_where_the_constants_are_is_a_reading(edition: Edition) -> None:
    judged = _judged(_with_constants, edition, "rnn", constants_before_states)
    assert judged == {(Verdict.DIVERGES, ("constants-after-states: before states",))}


@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize("make", [_with_constants, CONSTANTS])
def test_wrong_constants_violate(make: Callable[[Edition], Any], edition: Edition) -> None:
    assert _violates(_judged(make, edition, "rnn", constants_as_zeros))


@pytest.mark.parametrize("edition", OF_K[:2])
def test_the_order_of_backward_outputs_is_a_reading_before_2_2(edition: Edition) -> None:
    for make in (VALUES, MASKS):
        judged = _judged(make, edition, "rnn", outputs_in_time, 20)
        assert judged == {(Verdict.DIVERGES, ("backwards-order: order of time",))}
        assert _violates(_judged(make, edition, "rnn", outputs_of_other_samples, 20))


@pytest.mark.parametrize("edition", OF_K)
def test_a_mask_of_the_other_rank_may_be_refused(edition: Edition) -> None:
    documented = 2 if edition == "keras-2.2" else 3

    def strict(*args: Any, mask: Any = None, **rest: Any) -> Any:
        if mask is not None and K.ndim(mask) != documented:
            raise ValueError("the rank of the mask")
        return K.rnn(*args, mask=mask, **rest)

    judged = _judged(MASKS, edition, "rnn", strict, 20)
    assert judged == {(Verdict.DIVERGES, ("mask-rank: refused",))}

    def stricter(*args: Any, mask: Any = None, **rest: Any) -> Any:
        if mask is not None:
            raise ValueError("a mask")
        return K.rnn(*args, mask=mask, **rest)

    assert _violates(_judged(MASKS, edition, "rnn", stricter))


SWITCHED = (SELECTIONS, _of(conditions, "selection_gradients"))


@pytest.mark.parametrize("make", SWITCHED)
def test_where_the_axes_of_a_condition_are_is_a_reading(make: Callable[[Edition], Any]) -> None:
    judged = _judged(make, EDITION, "switch", condition_on_last_axes, 60)
    allowed = {"condition-rank: last axes", "condition-rank: refused"}
    # no document says that there is a gradient either
    assert {(v, r[0]) for v, r in judged} == {(Verdict.DIVERGES, reading) for reading in allowed}
    assert {name for _, r in judged for name in r[1:]} <= {"differentiable: refused"}
    assert _violates(_judged(make, EDITION, "switch", condition_with_new_meaning, 60))


def _other_truth(true: Callable[[Any], Any]) -> Callable[..., Any]:
    def switch(condition: Any, x: Any, y: Any) -> Any:
        return K.switch(true(condition) if "int" in K.dtype(condition) else condition, x, y)

    return switch


def _integers(edition: Edition) -> list[Scenario]:
    call = conditions.SwitchCall(
        edition,
        (2,),
        rank=0,
        truth="int32",
        other=True,
        callables=(False, False),
        known=True,
        dtype="float32",
        seed=0,
    )
    return [
        recorded(conditions.selection, "switch", replace(call, seed=seed), edition=edition)
        for seed in range(12)
    ]


@pytest.mark.parametrize("edition", OF_K)
def test_which_integers_are_true_is_a_reading(edition: Edition) -> None:
    ways = {"positive": lambda x: K.greater(x, 0), "one": lambda x: K.equal(x, 1)}
    for name, way in ways.items():
        judged = _judged(_integers, edition, "switch", _other_truth(way))
        # where -1 is the only other integer both readings are the same
        both = {(Verdict.DIVERGES, (f"nonzero-condition: {n}",)) for n in ways}
        assert (Verdict.DIVERGES, (f"nonzero-condition: {name}",)) in judged <= both
    two = _other_truth(lambda x: K.equal(x, 2))
    assert _violates(_judged(_integers, edition, "switch", two))


@pytest.mark.parametrize("edition", OF_K[1:])
def test_a_switch_without_callables_violates(edition: Edition) -> None:
    for make in (CALLABLES, SELECTIONS):
        judged = _judged(make, edition, "switch", without_callables, 30)
        assert judged == {(Verdict.VIOLATES, ())}


@pytest.mark.parametrize("edition", OF_K[1:])
def test_callables_are_tried_with_both_truths(edition: Edition) -> None:
    for only in (0, 1):
        ignoring = module(switch=lambda _, *branches: _called(branches[only]))  # noqa: B023
        scenarios = CALLABLES(edition)
        titles = {s.title for s in scenarios}
        assert {s.title for s in scenarios if findings(s, ignoring)} == titles


def _called(branch: Any) -> Any:
    return branch() if callable(branch) else branch


def test_map_fn_may_leave_the_dtype_to_its_function() -> None:
    assert not _findings_of("map_fn", lambda fn, elems, name=None, dtype=None: K.map_fn(fn, elems))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.function}-{min(f.aspects)}")
def test_the_reference_is_right(family: Family) -> None:
    for scenario in _scenarios(family, 25):
        assert not findings(scenario, module())


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.function}-{min(f.aspects)}")
@pytest.mark.parametrize("edition", OF_K)
def test_aspects_are_as_told(family: Family, edition: Edition) -> None:
    if edition not in family.editions:
        return
    draws = family.make(edition)
    scenarios = draws if isinstance(draws, Sequence) else list(drawn(draws, 10))
    aspects = {check.aspect for scenario in scenarios for check in scenario.checks}
    assert aspects == family.aspects


def _of_gradients(function: str, wrong: Callable[..., Any]) -> list[Finding]:
    """What violates in the scenarios of the function's gradients."""
    families = [f for f in FAMILIES if f.function == function and Aspect.GRADIENT in f.aspects]
    cases = [scenario for family in families for scenario in _scenarios(family, 12)]
    target = module(**{function: wrong})
    problems = [finding for scenario in cases for finding in findings(scenario, target)]
    return [finding for finding in problems if finding.verdict is Verdict.VIOLATES]


def _other_sample(*args: Any, **kwargs: Any) -> Any:
    last, outputs, states = K.rnn(*args, **kwargs)
    return K.reverse(last, 0), outputs, states


WRONG_RESULTS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("rnn", _other_sample),
    ("switch", lambda c, x, y: K.switch(c, y, x)),
    ("foldr", _from_the_left),
)


@pytest.mark.parametrize(("function", "wrong"), WRONG_RESULTS)
def test_the_gradient_of_a_wrong_result_is_no_failure_of_its_own(
    function: str, wrong: Callable[..., Any]
) -> None:
    problems = _of_gradients(function, wrong)
    assert {f.aspect for f in problems} == {Aspect.VALUE}
    assert all("sum of the results" in f.demands for f in problems)


def test_the_gradient_of_a_right_result_is_one() -> None:
    assert {f.aspect for f in _of_gradients("rnn", _constant_outputs)} == {Aspect.GRADIENT}


def _last_without_samples(*args: Any, **kwargs: Any) -> Any:
    last, outputs, states = K.rnn(*args, **kwargs)
    return last[0], outputs, states


def test_a_result_of_another_shape_fails_by_its_shape_alone() -> None:
    problems = [
        f for f in _findings_of("rnn", _last_without_samples, 12) if f.aspect is Aspect.VALUE
    ]
    alone = [f for f in problems if f.kind == "shape of the last output"]
    assert {f.at.get("ko-2.2") for f in alone} == {2631}
    # what all results at once are, and their sums, fails too
    others = {str(f.kind) for f in problems} - {"shape of the last output"}
    assert others <= {"all results at once", "results, each times a factor, in sum"}
