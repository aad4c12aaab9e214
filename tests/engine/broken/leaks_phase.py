# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but nothing makes it forget a learning phase that was fixed."""

from conformance.reference import *  # noqa: F403
from conformance.reference import reset_uids


def clear_session():
    reset_uids()
