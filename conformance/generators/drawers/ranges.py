"""The two ends of a range of numbers, and the step from each to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft

HALVES = 2
WHOLE = ("int32", "int64", "float32")
FRACTIONS = ("float32", "float64")
STEPS = (1, 2, 3, -1, -2)
NUMBERS = (-3, 9)


def _range(call: CallDraft) -> None:
    """Integers, or halves in a dtype of floats; every number is exact.

    Ranges go upwards or downwards, and are empty where the end lies behind the start.
    """
    whole = call.pick((True, True, False))

    def number(n: int) -> int | float:
        return n if whole else n / HALVES

    ended = call.pick((True, True, False))
    step = call.pick(STEPS) if ended and call.pick((True, False)) else None
    bounds = NUMBERS if ended else (0, NUMBERS[1])
    call.add_value("start", number(call.integer(bounds)))
    if ended:
        call.add_value("stop", number(call.integer(bounds)))
    if step is not None:
        call.add_value("step", number(step))
    if call.pick((False, True)):
        call.add_value("dtype", call.pick(WHOLE if whole else FRACTIONS))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {"range": _range}
