"""An implementation of the Keras backend API on NumPy alone.

    import conformance.reference as K

The documented functions are in the modules of this folder, by theme. They make a graph
(`symbolic`), on which NumPy computes (`numpy_library`).
`edition` says which edition of the API the module offers, and how to choose another.
What is not implemented, or not in the edition, is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.reference import (  # noqa: F401 - importing them registers their functions
    activations,
    comparison,
    configuration,
    control_flow,
    convolution,
    creation,
    ctc,
    ctc_dictionary,
    edition,
    elementwise,
    higher_order,
    introspection,
    keras_arguments,
    linear_algebra,
    local_convolution,
    losses,
    normalisation,
    padding,
    pooling,
    random,
    recurrent,
    reductions,
    separable_convolution,
    session,
    shape_ops,
    sparse,
    variables,
)
from conformance.reference import edition as _edition
from conformance.reference import gradients as _gradients  # noqa: F401
from conformance.reference import numpy_library as _numpy_library  # noqa: F401
from conformance.reference import package as _package
from conformance.reference.numpy_library.library import NumpyOperations as _NumpyOperations
from conformance.reference.symbolic import gradients as _gradient_rules  # noqa: F401
from conformance.reference.symbolic import interpolation as _interpolation  # noqa: F401
from conformance.reference.symbolic import shapes as _shape_rules  # noqa: F401
from conformance.reference.symbolic.backend import Backend as _Backend

BACKEND = _Backend(__name__, _NumpyOperations(), configuration.settings_from_file())
"""The state of this implementation: its library, settings, learning phase and the like."""

globals().update(_package.functions(BACKEND))
if TYPE_CHECKING:
    gradients: Any  # the function; its module has the same name

__all__ = sorted(_edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    raise _package.missing(__name__, name)
