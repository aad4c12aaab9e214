"""What the module of a package that offers the API has in its namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.reference import edition, keras_support
from conformance.reference.symbolic.backend import Backend


def functions(backend: Backend) -> dict[str, Callable[..., Any]]:
    """The documented functions of the edition, and what Keras asks for besides, by name."""
    found = edition.EXPORTS | keras_support.offered(backend)
    return {name: backend.bound(function) for name, function in found.items()}


def missing(package: str, name: str) -> AttributeError:
    """The error for a function that the package does not have in the edition, or not at all."""
    lines = edition.SIGNATURES.get(name)
    if lines is None:
        return AttributeError(f"{package} has no function {name!r}")
    return AttributeError(
        f"{name} is not in edition {edition.EDITION}, only in {', '.join(map(str, lines))}; "
        f"the environment variable {edition.VARIABLE} chooses the edition"
    )
