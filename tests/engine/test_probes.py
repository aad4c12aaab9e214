"""The probes on the reference, and on it with something wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance import reference
from conformance.engine.probes import BINDINGS, gradient_probe, shape_failure, shape_probe, works
from conformance.program import Binding
from tests.scenarios.in_process import module, observed


@pytest.mark.parametrize("binding", BINDINGS)
def test_gradients_of_the_reference_work(binding: Binding) -> None:
    assert works(observed(gradient_probe(binding), module()))


def doubled(loss: Any, variables: Any) -> Any:
    return [2 * g for g in reference.gradients(loss, variables)]


def refused(*_: Any) -> Any:
    raise TypeError("no")


def nothing(loss: Any, variables: Any) -> Any:
    return [None for _ in variables]


def twice(loss: Any, variables: Any) -> Any:
    return reference.gradients(loss, variables) * 2


@pytest.mark.parametrize("gradients", [doubled, refused, nothing, twice, None])
def test_gradients_that_are_wrong_do_not(gradients: Any) -> None:
    target = module(gradients=gradients)
    assert not any(works(observed(gradient_probe(b), target)) for b in BINDINGS)


def test_gradients_may_work_for_variables_alone() -> None:
    def gradients(loss: Any, variables: Any) -> Any:
        if any(reference.is_placeholder(v) for v in variables):
            raise TypeError("no variable")
        return reference.gradients(loss, variables)

    target = module(gradients=gradients)
    answers = {b: works(observed(gradient_probe(b), target)) for b in BINDINGS}
    assert [b for b, answer in answers.items() if answer] == [Binding.VARIABLE]


def test_the_gradient_of_every_element_counts() -> None:
    def square(x: Any) -> Any:
        return reference.square(x) * np.array([[1, 1, 1], [1, 1, 2]], "float32")

    assert not works(observed(gradient_probe(Binding.VARIABLE), module(square=square)))


def test_int_shape_of_the_reference_answers() -> None:
    assert shape_failure(observed(shape_probe(), module())) is None


def test_the_exception_of_int_shape_is_named() -> None:
    assert shape_failure(observed(shape_probe(), module(int_shape=refused))) == "TypeError"


def test_without_a_result_nothing_is_said_of_int_shape() -> None:
    target = module(int_shape=refused, square=None)
    assert shape_failure(observed(shape_probe(), target)) is None
