"""The limits of texts that come from a worker; the host cuts them, whatever the worker did."""

from __future__ import annotations

from conformance.adapters.worker.conformance_worker.limits import (
    MOST_MESSAGE,
    MOST_NAME,
    cut,
)

__all__ = ["message", "name", "optional_message", "optional_name"]


def name(text: str) -> str:
    """A name of a class, a dtype, a parameter or a version."""
    return cut(text, MOST_NAME)


def message(text: str) -> str:
    """A text of an implementation, cut: the message of an exception, a text that it returned."""
    return cut(text, MOST_MESSAGE)


def optional_name(text: str | None) -> str | None:
    """The name, if there is one."""
    return None if text is None else name(text)


def optional_message(text: str | None) -> str | None:
    """The cut text, if there is one."""
    return None if text is None else message(text)
