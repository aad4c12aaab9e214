"""Two implementations in one process: each has its own settings, state and tensors."""

from __future__ import annotations

import copy
import inspect
import pickle
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference import configuration, edition, keras_support
from conformance.reference.numpy_library.library import NumpyOperations
from conformance.reference.symbolic.backend import SymbolicBackend, active
from conformance.reference.symbolic.graph import constant_of


def other_package() -> Any:
    """A second implementation, as a package of that name would offer it."""
    backend = SymbolicBackend("other", NumpyOperations(), configuration.settings_from_file())
    return SimpleNamespace(**keras_support.exported(backend), BACKEND=backend)


OTHER = other_package()


def test_a_process_has_the_settings_of_each() -> None:
    other = other_package()
    other.set_floatx("float64")
    other.set_epsilon(1e-3)
    other.set_image_data_format("channels_first")
    assert (other.floatx(), other.epsilon()) == ("float64", 1e-3)
    assert other.image_data_format() == "channels_first"
    assert (K.floatx(), K.epsilon(), K.image_data_format()) == ("float32", 1e-07, "channels_last")
    assert other.zeros((1,)).dtype == (other.variable([1]) / 2).dtype == "float64"
    assert K.zeros((1,)).dtype == "float32"


def test_a_process_has_the_state_of_each() -> None:
    other = other_package()
    K.reset_uids()
    assert [other.get_uid("x"), other.get_uid("x"), K.get_uid("x")] == [1, 2, 1]
    other.set_learning_phase(1)
    other.manual_variable_initialization(True)
    assert K.learning_phase() is not other.learning_phase()
    assert K.eval(K.in_train_phase(K.constant(1.0), K.constant(2.0))) == 2
    assert K.eval(K.zeros(())) == 0
    with pytest.raises(ValueError, match="not initialised"):
        other.eval(other.zeros(()))
    other.clear_session()
    assert other.get_uid("x") == 1
    assert K.get_uid("x") == 2


def test_name_scopes_are_of_the_package_that_opened_them() -> None:
    other = other_package()
    with K.name_scope("outer"), other.name_scope("inner") as inner:
        assert inner == "inner"
        with K.name_scope("more") as more:
            assert more == "outer/more"
    with K.name_scope("after") as after:
        assert after == "after"


def test_a_backend_is_called_as_its_package() -> None:
    assert K.backend() == "conformance.reference"
    assert OTHER.backend() == "other"


def test_a_tensor_of_one_is_no_tensor_of_the_other() -> None:
    x = OTHER.placeholder((2,))
    assert OTHER.is_tensor(x)
    assert OTHER.is_placeholder(x)
    assert not K.is_tensor(x)
    assert not K.is_placeholder(x)


MINE, STRANGE = K.variable([1.0, 2.0]), OTHER.variable([3.0, 4.0])
FED, STRANGE_FED = K.placeholder((2,)), OTHER.placeholder((2,))
MIXED: dict[str, Callable[[], Any]] = {
    "x + y": lambda: MINE + STRANGE,
    "y + x": lambda: STRANGE + MINE,
    "x / y": lambda: MINE / STRANGE,
    "x @ y": lambda: MINE @ STRANGE,
    "x ** y": lambda: MINE**STRANGE,
    "x < y": lambda: MINE < STRANGE,
    "x[i:j]": lambda: MINE[OTHER.constant(0, "int32") : K.constant(1, "int32")],
    "exp": lambda: K.exp(STRANGE),
    "dot": lambda: K.dot(K.expand_dims(MINE), STRANGE),
    "concatenate": lambda: K.concatenate([MINE, STRANGE]),
    "maximum": lambda: K.maximum(MINE, STRANGE),
    "greater than a number": lambda: K.greater(STRANGE, 1),
    "equal": lambda: K.equal(STRANGE, STRANGE),
    "reshape": lambda: K.reshape(MINE, OTHER.constant([2, 1], "int32")),
    "reshape to dimensions": lambda: K.reshape(MINE, (OTHER.constant(2, "int32"), 1)),
    "eval": lambda: K.eval(STRANGE),
    "get_value": lambda: K.get_value(STRANGE),
    "set_value": lambda: K.set_value(STRANGE, [0.0, 0.0]),
    "batch_set_value": lambda: K.batch_set_value([(STRANGE, [0.0, 0.0])]),
    "update": lambda: K.update(STRANGE, MINE),
    "update_add": lambda: K.update_add(MINE, STRANGE),
    "function of inputs": lambda: K.function([STRANGE_FED], []),
    "function of outputs": lambda: K.function([FED], [FED, STRANGE]),
    "function of updates": lambda: K.function([], [], [OTHER.update(STRANGE, STRANGE * 2)]),
    "function of pairs": lambda: K.function([], [], [(STRANGE, STRANGE)]),
    "gradients": lambda: K.gradients(K.sum(MINE), [STRANGE]),
    "switch": lambda: K.switch(K.constant(1), lambda: MINE, lambda: STRANGE),
    "training": lambda: K.in_train_phase(MINE, MINE, OTHER.learning_phase()),
    "map_fn": lambda: K.map_fn(lambda x: STRANGE[0], MINE),
    "foldl": lambda: K.foldl(lambda x, y: x + y, MINE, STRANGE[0]),
    "shape": lambda: K.ndim(STRANGE),
    "ones_like": lambda: K.ones_like(STRANGE),
}


@pytest.mark.parametrize("mixed", MIXED.values(), ids=MIXED)
def test_tensors_of_two_do_not_mix(mixed: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"tensor of (other|conformance\.reference), "):
        mixed()
    assert OTHER.get_value(STRANGE).tolist() == [3, 4]


def test_operators_and_compiled_functions_need_no_active_backend() -> None:
    other = other_package()
    other.set_floatx("float64")
    x = other.placeholder((3,), dtype="int32")
    tensor = (abs(-x) / 2)[other.constant(1, "int32") :] ** 2
    assert tensor.dtype == "float64"
    f = other.function([x], [tensor])
    in_the_other = K.BACKEND.call(f, [[2, 4, 6]])
    assert f([[2, 4, 6]])[0].tolist() == in_the_other[0].tolist() == [4, 9]


def test_a_step_function_may_use_the_other_package() -> None:
    def step(x: Any) -> Any:
        inner = OTHER.map_fn(lambda y: y * 2, OTHER.constant([1.0, 2.0]))
        return x * float(OTHER.eval(inner).sum())

    assert K.eval(K.map_fn(step, K.constant([1.0, 2.0]))).tolist() == [6, 12]


def test_what_was_active_is_so_again_after_an_error() -> None:
    def step(x: Any) -> Any:
        with pytest.raises(ValueError, match="not a tensor"):
            OTHER.exp(3)
        assert active() is K.BACKEND
        return K.zeros_like(x)

    K.map_fn(step, K.constant([1.0]))
    with pytest.raises(RuntimeError, match="no backend is active"):
        active()


def test_without_a_backend_nothing_is_made() -> None:
    with pytest.raises(RuntimeError, match=r"conformance\.reference\.BACKEND\.call"):
        constant_of(np.ones(1), "float64")
    assert K.is_tensor(K.BACKEND.call(constant_of, np.ones(1), "float64"))


def test_threads_have_each_their_own_active_backend() -> None:
    meeting, answers = threading.Barrier(2, timeout=30), {}

    def work(module: Any) -> None:
        def step(x: Any) -> Any:
            meeting.wait()  # both are inside of map_fn
            answers[module.backend()] = active()
            return x + module.constant(1.0)

        answers[f"{module.backend()} result"] = module.eval(
            module.map_fn(step, module.constant([1.0]))
        ).tolist()

    threads = [threading.Thread(target=work, args=(module,)) for module in (K, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {
        "conformance.reference": K.BACKEND,
        "other": OTHER.BACKEND,
        "conformance.reference result": [2.0],
        "other result": [2.0],
    }


def test_copies_and_pickles_of_tensors_belong_to_the_same_backend() -> None:
    x = K.variable([1.0, 2.0])
    for twin in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x * 1))):
        assert twin.backend is K.BACKEND
        assert K.eval(twin + x).tolist() == [2, 4]


@pytest.mark.parametrize("name", K.__all__)
def test_offered_functions_look_as_the_documented_ones(name: str) -> None:
    offered, exported = getattr(K, name), edition.EXPORTS[name]
    assert offered is not exported
    assert (offered.__name__, offered.__qualname__) == (exported.__name__, exported.__qualname__)
    assert offered.__doc__ == exported.__doc__
    assert inspect.signature(offered) == inspect.signature(exported)
    assert offered.__module__ == "conformance.reference"
    assert pickle.loads(pickle.dumps(offered)) is offered
