"""Two libraries that compute in one process, and what the package offers."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed here; `nox -s torch` runs this")

import conformance.reference as R  # noqa: N812
import conformance.torch_backend as K  # noqa: N812

pytestmark = pytest.mark.torch

OF_SYMBOLIC_GRADIENTS = {
    "ctc_cost_gradient",
    "divide_by_count",
    "in_bundle",
    "interpolate_back",
    "loop_gradients",
    "part",
    "place_class",
    "place_item",
    "place_rows",
    "place_slice",
    "recurrence",
    "sum_to",
    "unrepeat",
    "untile",
}


LISTED = """
from conformance.reference.symbolic.rules import RULES
from conformance.torch_backend.kernels import KERNELS
print(*set(RULES) - set(KERNELS))
print(*set(KERNELS) - set(RULES))
"""


def run(source: str, **environment: str) -> list[str]:
    """The lines that a program prints: nothing that other tests add is there."""
    done = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_operation_has_a_kernel_but_those_of_symbolic_gradients() -> None:
    lacking, strange = run(LISTED)
    assert set(lacking.split()) == OF_SYMBOLIC_GRADIENTS
    assert not strange


def test_the_same_functions_with_the_same_signatures() -> None:
    assert K.__all__ == R.__all__
    assert all(getattr(K, name) is not getattr(R, name) for name in K.__all__)


def test_tensors_and_settings_are_of_one_of_them() -> None:
    x, y = K.variable([1.0]), R.variable([1.0])
    assert (K.is_tensor(x), R.is_tensor(x)) == (True, False)
    assert (K.is_tensor(y), R.is_tensor(y)) == (False, True)
    with pytest.raises(ValueError, match=r"tensor of conformance\.reference, not of"):
        K.eval(y)
    with pytest.raises(ValueError, match=r"a tensor of conformance\.torch_backend, and"):
        x + y
    K.set_floatx("float64")
    try:
        assert (K.floatx(), R.floatx()) == ("float64", "float32")
        assert K.eval(K.constant(0.1)) == 0.1
    finally:
        K.set_floatx("float32")


def test_each_is_called_as_its_package() -> None:
    assert K.backend() == "conformance.torch_backend"
    assert R.backend() == "conformance.reference"


@pytest.mark.parametrize("first", ["torch_backend", "reference"])
def test_either_may_be_imported_first(first: str) -> None:
    second = ({"torch_backend", "reference"} - {first}).pop()
    lines = run(
        f"import conformance.{first}, conformance.{second}\n"
        "import conformance as c\n"
        "print(c.reference.eval(c.reference.variable([2.]) * 2))\n"
        "print(c.torch_backend.eval(c.torch_backend.variable([2.]) * 2))\n"
        "print(c.reference.BACKEND, c.torch_backend.BACKEND)\n"
    )
    assert lines == [
        "[4.]",
        "[4.]",
        "<Backend conformance.reference> <Backend conformance.torch_backend>",
    ]


def test_tensors_and_functions_can_be_pickled() -> None:
    x = pickle.loads(pickle.dumps(K.variable([1.0, 2.0])))
    assert K.eval(x + 1).tolist() == [2, 3]
    assert pickle.loads(pickle.dumps(K.dot)) is K.dot


def test_another_edition() -> None:
    lines = run(
        "import conformance.torch_backend as K\n"
        "print(K.eval(K.expand_dims(K.variable([1.]), dim=0)))\n"
        "try: K.is_tensor\n"
        "except AttributeError as error: print(error)",
        CONFORMANCE_REFERENCE_EDITION="keras-1",
    )
    assert lines[0] == "[[1.]]"
    assert lines[1].startswith("is_tensor is not in edition keras-1, only in ko-2.2:")


AS_KERAS = """
import sys, types
import numpy as np

module = types.ModuleType('keras.backend')
module._BACKEND = 'conformance.torch_backend'
module.floatx, module.image_data_format = lambda: 'float16', lambda: 'channels_last'
module.epsilon = lambda: 1e-3
sys.modules['keras.backend'] = module
import conformance.torch_backend as K, conformance.reference as R
print(K.dtype(K.zeros(2)), R.floatx())
for seed in (1, 1, 2):
    np.random.seed(seed)
    print(K.eval(K.random_normal((3,))).tolist())
try: R.zeros(2)
except ValueError as error: print(error)
"""


def test_loaded_by_keras_it_is_lenient_and_follows_its_settings() -> None:
    lines = run(AS_KERAS)
    assert lines[0] == "float16 float32"
    assert lines[1] == lines[2] != lines[3]
    assert "shape must be a tuple" in lines[4]


def test_arrays_are_numpys_and_share_no_memory() -> None:
    array = np.ones(2, "float32")
    x, v = K.placeholder((2,)), K.variable(array)
    first, second = K.function([x], [x, v])([array])
    for result in (first, second):
        assert type(result) is np.ndarray
        np.add(result, 1, out=result)
    assert K.get_value(v).tolist() == array.tolist() == [1, 1]
