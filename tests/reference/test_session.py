"""The reference's session: the learning phase, identifiers, waiting variables, and updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    K.clear_session()
    yield
    K.manual_variable_initialization(False)
    K.clear_session()


def test_the_phase_is_one_tensor_that_may_be_fed() -> None:
    phase = K.learning_phase()
    assert phase is K.learning_phase()
    assert (K.dtype(phase), K.int_shape(phase)) == ("bool", ())
    x = K.placeholder((2,))
    f = K.function([x, phase], [x + K.cast(phase, "float32")])
    assert f([[1, 2], 1])[0].tolist() == [2, 3]
    assert f([[1, 2], 0])[0].tolist() == [1, 2]
    assert K.eval(phase).tolist() is False


def test_a_fixed_phase_lasts_until_the_session_is_cleared() -> None:
    K.set_learning_phase(1)
    assert K.learning_phase() == 1
    K.clear_session()
    assert not isinstance(K.learning_phase(), int)


@pytest.mark.parametrize("value", [2, -1, 0.5, "1", None, 1.0])
def test_other_phases_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="write 0 for testing or 1 for training"):
        K.set_learning_phase(value)
    assert not isinstance(K.learning_phase(), int)


def test_identifiers_count_for_each_prefix() -> None:
    assert [K.get_uid(), K.get_uid("a"), K.get_uid(""), K.get_uid("a")] == [1, 1, 2, 2]
    K.reset_uids()
    assert K.get_uid("a") == 1
    with pytest.raises(ValueError, match="prefix"):
        K.get_uid(3)


def test_a_waiting_variable_has_no_value_until_it_is_set() -> None:
    K.manual_variable_initialization(True)
    v = K.variable([1.0, 2.0])
    assert K.int_shape(v) == (2,)
    for read in (K.get_value, K.eval, lambda x: K.batch_get_value([x])):
        with pytest.raises(ValueError, match="give it a value with"):
            read(v)
    K.set_value(v, [3.0, 4.0])
    assert K.get_value(v).tolist() == [3, 4]
    with pytest.raises(ValueError, match="write True or False"):
        K.manual_variable_initialization(1)


def test_an_update_is_the_updated_variable_and_is_made_when_it_is_evaluated() -> None:
    v = K.variable([1.0, 2.0])
    step = K.update_sub(v, K.variable([1.0, 1.0]))
    assert K.get_value(v).tolist() == [1, 2]
    assert K.eval(step).tolist() == [0, 1]
    assert K.get_value(v).tolist() == [0, 1]
    assert K.eval(step * 2.0).tolist() == [-2, 0]
    assert K.get_value(v).tolist() == [-1, 0]


def test_a_variable_has_one_new_value() -> None:
    v = K.variable([1.0])
    with pytest.raises(ValueError, match="updated twice"):
        K.function([], [K.update_add(v, 1.0)], updates=[(v, v)])


@pytest.mark.parametrize("update", [K.update, K.update_add, K.update_sub])
def test_updates_keep_the_shape(update: Any) -> None:
    v = K.variable([1.0, 2.0])
    for wrong in (K.variable([1.0]), K.variable([[1.0, 2.0]]), K.variable([1, 2], dtype="int32")):
        with pytest.raises(ValueError, match="cannot be a value"):
            update(v, wrong)


def test_a_moving_average() -> None:
    v = K.variable([1.0, 2.0])
    x = K.placeholder((2,))
    f = K.function([x], [], updates=[K.moving_average_update(v, x, 0.75)])
    f([[5, -2]])
    assert K.get_value(v).tolist() == [2, 1]
    for momentum in (-0.5, 1.5, "0.5", None):
        with pytest.raises(ValueError, match="momentum"):
            K.moving_average_update(v, x, momentum)
    with pytest.raises(ValueError, match="float type"):
        whole = K.variable([1], dtype="int32")
        K.moving_average_update(whole, whole, 0.5)


def test_a_printed_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    x = K.variable([[1.0, 2.0]])
    printed = K.print_tensor(x, message="x is: ")
    assert not capsys.readouterr().out
    np.testing.assert_array_equal(K.eval(printed), [[1, 2]])
    assert capsys.readouterr().out.startswith("x is: array([[1., 2.]]")
    with pytest.raises(ValueError, match="message"):
        K.print_tensor(x, 3)
