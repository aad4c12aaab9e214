"""Scenarios of control flow: wrong implementations are found, and the reference is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import pytest

import conformance.reference as K  # noqa: N812
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.results import Verdict
from conformance.scenarios.control_flow import conditions, higher_order, recurrent
from conformance.scenarios.model import Family, Scenario
from tests.scenarios.in_process import drawn, findings, module

FAMILIES = (*recurrent.FAMILIES, *conditions.FAMILIES, *higher_order.FAMILIES)
EDITION: Edition = "keras-2.2"


def _scenarios(family: Family, count: int) -> list[Scenario]:
    made = family.make(EDITION)
    return list(islice(made, count)) if isinstance(made, Sequence) else list(drawn(made, count))


def _found(function: str, wrong: Callable[..., Any], count: int = 40) -> list[Finding]:
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
    found = _found(function, wrong)
    assert any(f.verdict is Verdict.VIOLATES for f in found)


def test_a_mask_without_effect_diverges() -> None:
    found = _found("rnn", _no_mask)
    assert {f.verdict for f in found if "masked" in f.kind} == {Verdict.DIVERGES}
    assert any("masked-steps" in f.conventions for f in found)


def test_map_fn_may_leave_the_dtype_to_its_function() -> None:
    assert not _found("map_fn", lambda fn, elems, name=None, dtype=None: K.map_fn(fn, elems))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.function}-{min(f.aspects)}")
def test_the_reference_is_right(family: Family) -> None:
    for scenario in _scenarios(family, 25):
        assert not findings(scenario, module())


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.function}-{min(f.aspects)}")
@pytest.mark.parametrize("edition", ["keras-1", "keras-2.0", "keras-2.2"])
def test_aspects_are_as_told(family: Family, edition: Edition) -> None:
    if edition not in family.editions:
        return
    made = family.make(edition)
    scenarios = made if isinstance(made, Sequence) else list(drawn(made, 10))
    aspects = {check.aspect for scenario in scenarios for check in scenario.checks}
    assert aspects == family.aspects
