"""An implementation of the Keras backend API on PyTorch, with PyTorch's own gradients.

    import conformance.torch_backend as K

Functions, graph and shapes are those of `conformance.reference`, in a copy of that package of its
own (`layer`); the modules beside this one compute. `CONFORMANCE_REFERENCE_EDITION` chooses the
edition here too. Arrays go in and come out as NumPy's; what is between are tensors of PyTorch.
"""

from __future__ import annotations

from typing import Any

from conformance.torch_backend import layer

with layer.of_its_own():
    from conformance.reference import beyond, edition, operations
    from conformance.torch_backend import (  # noqa: F401 - importing them registers kernels
        autograd,
        ctc,
        ctc_search,
        ctc_words,
        elementwise,
        labels,
        library,
        loops,
        products,
        random,
        reductions,
        shapes,
        sparse,
        windows,
    )

_edition = edition
operations.use(library.TorchOperations())
globals().update(edition.EXPORTS)
globals().update(beyond.offered(__name__))  # undocumented, and not in __all__

__all__ = sorted(edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    claims = _edition.CLAIMS.get(name)
    if claims is None:
        raise AttributeError(f"{__name__} has no function {name!r}")
    raise AttributeError(
        f"{name} is not in edition {_edition.EDITION}, only in {', '.join(map(str, claims))}; "
        f"the environment variable {_edition.VARIABLE} chooses the edition"
    )
