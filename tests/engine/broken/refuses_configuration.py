# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but it cannot be imported where there is a configuration file."""

from conformance.reference import *  # noqa: F403
from conformance.reference import configuration

if configuration.settings_file().exists():
    raise RuntimeError(f"{configuration.settings_file()} is in the way")
