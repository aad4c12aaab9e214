"""Results of composed programs of one target that were run in parts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from msgspec import UNSET
from msgspec.structs import replace

from conformance.results import AspectResult, Composed, Failure, FunctionResult, Results, Verdict

_COUNTS = ("programs", "calls", "compared", "unjudged", "cut", "failed", "unrepeated", "alike")
_GRAVITY = list(Verdict)


def counts_together(parts: Sequence[Results]) -> Composed:
    """The sums of what each part counted."""
    listed = [part.composed for part in parts if part.composed is not UNSET]
    sums = {name: sum(getattr(one, name) for one in listed) for name in _COUNTS}
    return replace(
        listed[0],
        **sums,
        digits=_columns([one.digits for one in listed]),
        blamed=_together([one.blamed for one in listed]),
        themes=_together([one.themes for one in listed]),
        depths={
            name: _columns([one.depths.get(name, []) for one in listed])
            for name in sorted({name for one in listed for name in one.depths})
        },
    )


def _columns(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip_longest(*rows, fillvalue=0)]


def _together(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return dict(sorted(found.items()))


def functions_together(parts: Sequence[Results]) -> list[FunctionResult]:
    """One result for each function: programs and failures of all parts."""
    found: dict[str, FunctionResult] = {}
    for part in parts:
        for function in part.functions:
            known = found.get(function.function)
            found[function.function] = function if known is None else _both(known, function)
    return list(found.values())


def _both(one: FunctionResult, other: FunctionResult) -> FunctionResult:
    pairs = zip(one.aspects, other.aspects, strict=True)
    return replace(one, aspects=[_aspects(a, b) for a, b in pairs])


def _gravest(*verdicts: Verdict) -> Verdict:
    """The gravest verdict of the parts that ran it."""
    ran = [verdict for verdict in verdicts if verdict is not Verdict.NOT_RUN]
    return max(ran, key=_GRAVITY.index, default=Verdict.NOT_RUN)


def _aspects(one: AspectResult, other: AspectResult) -> AspectResult:
    failures: dict[str, Failure] = {}
    for failure in (*one.failures, *other.failures):
        known = failures.get(failure.id)
        count = failure.count + (known.count if known else 0)
        failures[failure.id] = replace(known or failure, count=count)
    notes = [note for note in (one.note, other.note) if isinstance(note, str)]
    return replace(
        one,
        verdict=_gravest(one.verdict, other.verdict),
        cases=one.cases + other.cases,
        failures=sorted(failures.values(), key=lambda failure: failure.id),
        note="; ".join(notes) or UNSET,
    )
