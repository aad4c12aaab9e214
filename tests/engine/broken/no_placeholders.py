# mypy: disable-error-code="name-defined"
"""The reference without placeholders."""

from conformance.reference import *  # noqa: F403

del placeholder  # noqa: F821
