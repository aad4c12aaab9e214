# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but clearing the session fails."""

from conformance.reference import *  # noqa: F403


def clear_session():
    raise RuntimeError("there is no session")
