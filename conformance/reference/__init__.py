"""An implementation of the Keras backend API on NumPy alone.

    import conformance.reference as K

The documented functions are in the modules of this folder, by theme. They make a graph
(`symbolic`), on which NumPy computes (`numpy_library`). `edition` says which edition of the API the
module offers, and how to choose another. A function that is not implemented, or not in the edition,
is absent.
"""

from __future__ import annotations

from typing import Any

from conformance.reference import (  # noqa: F401 - importing them registers their functions
    activations,
    configuration,
    control_flow,
    convolution,
    creation,
    ctc,
    edition,
    elementwise,
    introspection,
    keras_arguments,
    linear_algebra,
    losses,
    normalisation,
    padding,
    pooling,
    random,
    reductions,
    separable_convolution,
    shape_ops,
    variables,
)
from conformance.reference import edition as _edition
from conformance.reference import keras_support as _keras_support
from conformance.reference import numpy_library as _numpy_library  # noqa: F401
from conformance.reference.numpy_library.library import NumpyOperations as _NumpyOperations
from conformance.reference.symbolic import gradients as _gradient_rules  # noqa: F401
from conformance.reference.symbolic import shapes as _shape_rules  # noqa: F401
from conformance.reference.symbolic.backend import SymbolicBackend as _Backend

BACKEND = _Backend(__name__, _NumpyOperations(), configuration.settings_from_file())
"""The state of this implementation, such as its library, settings and learning phase."""

globals().update(_keras_support.exported(BACKEND))

__all__ = sorted(_edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    raise _keras_support.missing_function(__name__, name)
