"""An implementation of the Keras backend API on PyTorch, with PyTorch's own gradients.

    import conformance.torch_backend as K

Functions, graph and shapes are those of `conformance.reference`, bound to a backend of this
package; the modules beside this one compute. `CONFORMANCE_REFERENCE_EDITION` chooses the edition
here too. Functions take and return NumPy arrays, and compute on tensors of PyTorch.
"""

from __future__ import annotations

from typing import Any

from conformance.reference import configuration as _configuration
from conformance.reference import edition as _edition
from conformance.reference import package as _package
from conformance.reference.symbolic.backend import Backend as _Backend
from conformance.torch_backend import (  # noqa: F401 - importing them registers their kernels
    autograd,
    ctc,
    ctc_search,
    ctc_words,
    elementwise,
    labels,
    loops,
    products,
    random,
    reductions,
    shapes,
    sparse,
    windows,
)
from conformance.torch_backend.library import TorchOperations as _TorchOperations

BACKEND = _Backend(__name__, _TorchOperations(), _configuration.settings_from_file())
"""The state of this implementation: its library, settings, learning phase and the like."""

globals().update(_package.functions(BACKEND))

__all__ = sorted(_edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    raise _package.missing(__name__, name)
