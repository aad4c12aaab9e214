"""An implementation of the Keras backend API on PyTorch, with PyTorch's own gradients.

    import conformance.torch_backend as K

Functions, graph and shapes are those of `conformance.reference`, bound to a backend of this
package; the modules beside this one compute. `CONFORMANCE_REFERENCE_EDITION` also chooses the
edition here. Functions take and return NumPy arrays, and compute on tensors of PyTorch.
"""

from __future__ import annotations

from typing import Any

from conformance.reference import configuration as _configuration
from conformance.reference import edition as _edition
from conformance.reference import keras_support as _keras_support
from conformance.reference.symbolic.backend import SymbolicBackend as _Backend
from conformance.torch_backend import (  # noqa: F401 - importing them registers their kernels
    autograd,
    ctc,
    elementwise,
    loops,
    products,
    random,
    reductions,
    shapes,
)
from conformance.torch_backend.library import TorchOperations as _TorchOperations

BACKEND = _Backend(__name__, _TorchOperations(), _configuration.settings_from_file())
"""The state of this implementation, such as its library, settings and learning phase."""

globals().update(_keras_support.exported(BACKEND))

__all__ = sorted(_edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    raise _keras_support.missing_function(__name__, name)
