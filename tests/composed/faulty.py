# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""The reference with the fault that the environment variable COMPOSED_FAULT names, or with none."""

from __future__ import annotations

import os

from conformance.reference import *  # noqa: F403
from tests.composed.faults import FAULTS, VARIABLE

if os.environ[VARIABLE]:
    FAULTS[os.environ[VARIABLE]](globals())
