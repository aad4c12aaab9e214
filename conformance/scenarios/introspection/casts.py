"""Casts: to dtypes that no document names, and never in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.model import Alternative, Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

CASTS: tuple[tuple[str, list[float]], ...] = (
    ("int32", [-2.75, -1.0, -0.5, 0.0, 0.5, 3.9]),
    ("int64", [-2.75, -1.0, -0.5, 0.0, 0.5, 3.9]),
    ("uint8", [0.0, 0.5, 3.9, 200.0]),
    ("bool", [-2.0, -0.5, 0.0, 0.5, 1.0, 3.0]),
)
"""Dtypes that the documents do not name, and numbers that they can hold without a fraction."""


def _other_casts(_edition: Edition) -> Iterator[Scenario]:
    """Casts to dtypes other than the documented."""
    for dtype, numbers in CASTS:
        w = ProgramWriter()
        x = w.call("variable", w.array("x", numbers, "float32"))
        w.observe("result", "eval", w.call("cast", x, dtype))
        expected = np.array(numbers, "float32").astype(dtype)
        check = Check(
            "other dtypes",
            Aspect.VALUE,
            outputs=("result",),
            test=checks.is_array(expected, dtype=True),
            demands=f"{expected.tolist()} in {dtype}",
        )
        uncast = checks.is_array(np.array(numbers, "float32"), dtype=True)
        other = Alternative(ConventionName.CAST_TO_OTHERS, "not cast", uncast)
        check = replace(check, alternatives=(other,))
        conventions = (ConventionName.CAST_TO_OTHERS,)
        yield Scenario(
            "cast",
            f"a cast to {dtype}",
            program=w.program(),
            arrays=w.arrays,
            checks=(check,),
            conventions=conventions,
        )


KEPT_AT = {"ja-2.0": 940, "ko-2.2": 875}


def _not_in_place(_edition: Edition) -> list[Scenario]:
    """The argument keeps its dtype; only the result has the new one."""
    w = ProgramWriter()
    x = w.call("placeholder", (2, 3), dtype="float32")
    w.observe("cast", "dtype", w.call("cast", x, dtype="float16"))
    w.observe("argument", "dtype", x)
    tests = (
        _says("cast", "float16", {}),
        _says("argument", "float32", KEPT_AT),
    )
    return [
        Scenario(
            "cast", "a cast and its argument", program=w.program(), arrays=w.arrays, checks=tests
        )
    ]


def _says(output: str, dtype: str, at: dict[str, int]) -> Check:
    test = checks.is_one_of(dtype)
    return Check(
        f"the dtype of the {output}",
        Aspect.DTYPE,
        outputs=(output,),
        test=test,
        demands=dtype,
        at=at,
    )


FAMILIES: tuple[Family, ...] = (
    Family("cast", frozenset({Aspect.VALUE}), make=lambda e: [*_other_casts(e)]),
    Family("cast", frozenset({Aspect.DTYPE}), make=_not_in_place, editions=EDITIONS[1:]),
)
