# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but it cannot be imported where there is a configuration file."""

from conformance.reference import *  # noqa: F403
from conformance.reference import keras_json

if keras_json.location().exists():
    raise RuntimeError(f"{keras_json.location()} is in the way")
