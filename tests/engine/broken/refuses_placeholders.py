# mypy: disable-error-code="no-redef"
"""The reference, but placeholders are refused."""

from typing import Any

from conformance.reference import *  # noqa: F403


def placeholder(*_args: Any, **_kwargs: Any) -> Any:
    """Refuse."""
    raise RuntimeError("there are no placeholders in eager mode")
