"""Operators for images, kernels and windows."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.specs.rules import RuleError, Scope, evaluate

SCOPE = Scope(
    values={"first": "channels_first", "th": "th", "tf": "tf", "none": None, "two": 2},
    shapes={"x": (2, 7, 5, 3), "u": (None, None, None, 3), "k": (3, 2, 3, 4), "t": (4, 3, 3, 2)},
)
SPATIAL = ["spatial", ["shape", "x"], "none"]
SIZES = ["take", ["kernel", ["shape", "k"], "none"], 0, -2]
ONES = ["list", 1, 1]
VALID, SAME, CAUSAL = (["literal", word] for word in ("valid", "same", "causal"))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (["images", 2, ["list", 7, 5], 3, "none"], (2, 7, 5, 3)),
        (["images", 2, ["list", 7, 5], 3, "tf"], (2, 7, 5, 3)),
        (["images", 2, ["list", 7, 5], 3, "first"], (2, 3, 7, 5)),
        (["images", None, ["list", 7], None, "th"], (None, None, 7)),
        (SPATIAL, (7, 5)),
        (["spatial", ["shape", "x"], "th"], (5, 3)),
        (["channels", ["shape", "x"], "none"], 3),
        (["channels", ["shape", "x"], "first"], 7),
        (["kernel", ["shape", "k"], "first"], (3, 2, 3, 4)),
        (["kernel", ["shape", "t"], "th"], (3, 2, 3, 4)),
        (["dilated", SIZES, 2], (5, 3)),
        (["dilated", ["list", 3, None], ["list", 1, 2]], (3, None)),
        (["windows", SPATIAL, SIZES, 1, VALID, 1], (5, 4)),
        (["windows", SPATIAL, SIZES, ["list", 2, 3], VALID, 1], (3, 2)),
        (["windows", SPATIAL, SIZES, 1, VALID, ["list", 3, 2]], (1, 3)),
        (["windows", ["list", 1, 1], SIZES, 1, VALID, 1], (0, 0)),
        (["windows", SPATIAL, SIZES, 2, SAME, 1], (4, 3)),
        (["windows", SPATIAL, ["list", None, None], 3, CAUSAL, 2], (3, 2)),
        (["windows", ["list", 7, 0], SIZES, 2, SAME, 1], (4, 0)),
        (["windows", ["spatial", ["shape", "u"], "none"], SIZES, 1, SAME, 1], (None, None)),
        (["windows", SPATIAL, ["list", None, 2], 1, VALID, 1], (None, 4)),
        (["spread", ["list", 3, 2], SIZES, ["list", 2, 3]], (7, 5)),
        (["spread", ["list", None, 2], SIZES, 1], (None, 3)),
        (["any_above", "two", 1], True),
        (["any_above", ONES, 1], False),
        (["any_above", ["list", None, 1], 1], False),
        (["any_even", ["list", 3, 2]], True),
        (["any_even", ["list", None, 3]], False),
    ],
)
def test_what_operators_give(rule: Any, expected: Any) -> None:
    assert evaluate(rule, SCOPE) == expected


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RuleError):
        evaluate(["windows", SPATIAL, SIZES, ["list", 1, 1, 1], VALID, 1], SCOPE)
