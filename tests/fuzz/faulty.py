# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""The reference with the fault that the environment variable COMPOSED_FAULT names, or with none."""

from __future__ import annotations

import os

from conformance.reference import *  # noqa: F403
from tests.fuzz.faults import FAULTS, VARIABLE
from tests.fuzz.pair_faults import named, plant

FAULT = os.environ[VARIABLE]
if FAULT in FAULTS:
    FAULTS[FAULT](globals())
elif FAULT:
    plant(named(FAULT), globals())
