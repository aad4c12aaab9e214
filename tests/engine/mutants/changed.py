# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""The reference with the mutants that the environment variable MUTANTS names."""

from __future__ import annotations

import os

from conformance.reference import *  # noqa: F403
from tests.engine.mutants.kit import MUTANTS, SEPARATOR, VARIABLE
from tests.engine.mutants.themes import load

load()
for _name in os.environ[VARIABLE].split(SEPARATOR):
    MUTANTS[_name].install(globals())
