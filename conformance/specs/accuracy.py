"""How far beyond its bound a result may be and still be inaccurate, not wrong."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from conformance.specs.data import read_data

MARGIN = 4.0
"""The limit is so many times the worst error that was seen."""


class SeenLoss(Struct, frozen=True, forbid_unknown_fields=True):
    """The digits that released implementations lose in a function: an entry of `accuracy.yaml`."""

    function: str
    dtypes: list[str]
    why: str
    times: float = math.inf
    """The worst error by its bound; infinity where no factor describes it."""
    absolute: float = 0.0
    """The worst error of a result that vanishes."""


class Limit(NamedTuple):
    """The most that an inaccurate element may be off: so many times its bound, or so much."""

    times: float = math.inf
    absolute: float = 0.0


UNLIMITED = Limit()
_LIMITED = ("float32", "float16", "bfloat16")
"""No document names float64, so a result in float64 may have the digits of float32."""


@cache
def load_losses() -> list[SeenLoss]:
    """All entries of `accuracy.yaml`."""
    return read_data("accuracy.yaml", list[SeenLoss])


@cache
def limits_of_accuracy() -> dict[tuple[str, str], Limit]:
    """The limits that differ from the usual one, by function and dtype of the result."""
    losses = load_losses()
    return {(loss.function, dtype): _limit(loss) for loss in losses for dtype in loss.dtypes}


def limit_of_accuracy(function: str, dtype: str) -> Limit:
    """The limit of a function's results in a dtype."""
    if dtype not in _LIMITED:
        return UNLIMITED
    return limits_of_accuracy().get((function, dtype), Limit(MARGIN))


def _limit(loss: SeenLoss) -> Limit:
    times = 1.0 if loss.absolute and math.isinf(loss.times) else loss.times
    return Limit(MARGIN * times, MARGIN * loss.absolute)
