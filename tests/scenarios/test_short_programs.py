"""Loops of one step, a beam of one, gradients of phases, and shapes of updates, on wrong fakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance import reference as ref
from conformance.results import Aspect
from conformance.scenarios.control_flow import higher_order, recurrent
from conformance.scenarios.ctc import decoding
from conformance.scenarios.gradients import through
from conformance.scenarios.state import updates
from tests.scenarios.in_process import findings, module, recorded


def _with_first_twice(fold: Callable[..., Any]) -> Callable[..., Any]:
    """A fold without an initializer that takes the first element twice."""

    def called(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
        start = elems[0] if initializer is None else initializer
        return fold(fn, elems, start, name)

    return called


def _twice(*args: Any, **kwargs: Any) -> Any:
    """The last output of rnn is doubled where there is one step alone."""
    last, outputs, states = ref.rnn(*args, **kwargs)
    return (last * 2 if ref.int_shape(args[1])[1] == 1 else last), outputs, states


def _wide(*args: Any, beam_width: int = 100, **kwargs: Any) -> Any:
    return ref.ctc_decode(*args, **kwargs)


def _still(name: str) -> Callable[..., Any]:
    """The function, through which no gradient goes."""
    function = getattr(ref, name)
    return lambda x, *a, **k: ref.stop_gradient(function(x, *a, **k)) + x * 0.0


def _any_shape(x: Any, value: Any, momentum: float) -> Any:
    return ref.update_add(x, ref.zeros_like(x))


FAULTS: tuple[tuple[Callable[..., None], str, tuple[Any, ...], Aspect, Any], ...] = (
    (higher_order.one_element, "foldl", (False,), Aspect.VALUE, _with_first_twice(ref.foldl)),
    (higher_order.one_element, "foldr", (False,), Aspect.VALUE, _with_first_twice(ref.foldr)),
    (recurrent.one_step, "rnn", ({},), Aspect.VALUE, _twice),
    (recurrent.one_step, "rnn", ({"go_backwards": True},), Aspect.VALUE, _twice),
    (decoding.narrow, "ctc_decode", (), Aspect.VALUE, _wide),
    (through.phase, "in_train_phase", (1,), Aspect.GRADIENT, _still("in_train_phase")),
    (through.phase, "in_test_phase", (0,), Aspect.GRADIENT, _still("in_test_phase")),
    (through.dropped, "dropout", (0.5,), Aspect.GRADIENT, _still("dropout")),
    *(
        (updates.refuses_another_shape, updates.AVERAGE, (shape,), Aspect.ERROR, _any_shape)
        for shape in updates.SHAPES
    ),
)


@pytest.mark.parametrize(("write", "function", "values", "aspect", "fault"), FAULTS)
def test_a_fault_in_a_short_program_is_convicted(
    write: Callable[..., None], function: str, values: tuple[Any, ...], aspect: Aspect, fault: Any
) -> None:
    scenario = recorded(write, function, *values, aspect=aspect)
    assert findings(scenario, module()) == []
    wrong = findings(scenario, module(**{function: fault}))
    assert {finding.aspect for finding in wrong} == {aspect}
