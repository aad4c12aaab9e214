"""Numbers between two ends, of which one or both may be tensors, along any axis of the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.program import Argument
from conformance.specs.kinds import FromDrawer

NAMES = ("start", "stop")
COUNTS = (5, 2, 3, 4, 9, 16, 50, 1, 0, 129)
FLOATS = (None, "float32", "float64")
ENTIRE = ("int32", "int64")
HALF = ("float16", "bfloat16")
"""Ends of few digits, with which samples of any dtype may be computed."""


@dataclass(frozen=True)
class Ends:
    """Where samples may begin and end: the domain of tensors, and numbers."""

    domain: str
    numbers: tuple[Sequence[float], Sequence[float]]


REAL = Ends("real", ((0.0, 1.0, 0.5, -2.0), (2.0, 5.0, 10.0, -1.5)))
FOURS = Ends("fours", ((0, -4.0, 8), (16, 4.0, -8)))
"""Samples that are whole numbers, if there are as many as `QUARTERS` says."""
QUARTERS = (4, 2, 1)
EXPONENTS = Ends("inside", ((0.0, 1.0, -0.5), (2.0, 3.0, -2.0)))
POSITIVE = Ends("positive", ((1.0, 2.0, 0.5), (1000.0, 8.0, 0.25)))


def _samples(ends: Ends, whole: Ends | None = None) -> Callable[[CallDraft], None]:
    """Two ends, how many samples there are, with the last one or without, along which axis, and
    perhaps their dtype; integers where all samples are whole."""

    def draw(call: CallDraft) -> None:
        asked = None if call.dtype in HALF else call.pick(FLOATS + (ENTIRE if whole else ()))
        entire = asked in ENTIRE
        rank = _pair(call, whole if entire and whole else ends)
        if not isinstance(call.rules["num"], FromDrawer):
            return
        last = call.pick((True, False))
        if not last or call.pick((False, True)):
            call.add_value("endpoint", last)
        counts = tuple(n + last for n in QUARTERS) if entire else COUNTS
        if entire or call.pick((True, True, False)):
            call.add_value("num", call.pick(counts))
        _options(call, rank, asked, steps=call.values["num"] - last)

    return draw


def _options(call: CallDraft, rank: int, asked: str | None, *, steps: int) -> None:
    if asked is not None:
        call.add_value("dtype", asked)
    if rank and call.pick((False, True)):
        call.add_value("axis", call.pick((*range(rank + 1), -1)))
    if "retstep" in call.rules and steps > 0 and call.pick((False, True)):
        call.add_value("retstep", call.pick((True, True, False)))


def _pair(call: CallDraft, ends: Ends) -> int:
    """Pass both ends; the rank of their common shape. A tensor beside a number has several
    elements, because one of a single element might count as a number."""
    call.aim("start")
    shape = dims(call, (1, 3)) if call.pick((True, False)) else ()
    several = len(shape) > 0 and any(d > 1 for d in shape) and 0 not in shape
    alone = call.pick((None, None, *NAMES)) if several else None
    for name, numbers in zip(NAMES, ends.numbers, strict=True):
        if shape and name != alone:
            call.add_tensor(name, shape, call.dtype, ends.domain)
        else:
            _add_number(call, name, call.pick(tuple(numbers)), call.dtype if shape else "float32")
    return len(shape)


def _add_number(call: CallDraft, name: str, number: Argument, dtype: str) -> None:
    """Pass a number, which rules know as a tensor of rank 0."""
    call.add_value(name, number)
    call.shapes[name], call.static_shapes[name], call.dtypes[name] = (), (), dtype


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "ends": _samples(REAL, FOURS),
    "exponents as ends": _samples(EXPONENTS),
    "positive ends": _samples(POSITIVE),
}
