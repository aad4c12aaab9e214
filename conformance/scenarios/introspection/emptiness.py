"""A variable without elements, computed and read: what every case with an empty array rests on.

A library that cannot hold such an array fails here, and no other function is blamed for it
(`engine/judging/probes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios.checks import is_array
from conformance.scenarios.model import Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

EMPTY = (ConventionName.EMPTY,)


def empty_variable(_: Edition) -> Sequence[Scenario]:
    """A variable of shape (0,), read back, and its square."""
    w = ProgramWriter()
    nothing = np.zeros((0,), "float32")
    made = w.call("variable", w.array("value", nothing), dtype="float32")
    w.observe("read", "get_value", made)
    w.observe("squares", "eval", w.call("square", made))
    checks = tuple(
        Check(
            name,
            Aspect.VALUE,
            outputs=(output,),
            test=is_array(nothing),
            demands="an array of shape (0,)",
        )
        for name, output in (("it is read back", "read"), ("it can be computed with", "squares"))
    )
    return (
        Scenario(
            "variable",
            "a variable without elements",
            program=w.program(),
            arrays=w.arrays,
            checks=checks,
            conventions=EMPTY,
        ),
    )


FAMILIES: tuple[Family, ...] = (Family("variable", frozenset({Aspect.VALUE}), make=empty_variable),)
