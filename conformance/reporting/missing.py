"""Why aspects are unsupported: each is put down to one reason, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET
from rich.text import Text

from conformance.reporting.causes import cause, shared
from conformance.reporting.columns import MatrixColumn
from conformance.reporting.counting import counted
from conformance.reporting.listing import ListedFailure
from conformance.reporting.paint import Paint
from conformance.results import Aspect, AspectResult, FunctionResult, Verdict

ABSENT = "the function is absent"
_NAMES = 8
"""So many functions are named for a reason."""


@dataclass(slots=True)
class MissingReason:
    """One reason, and what is missing for it."""

    says: str
    functions: dict[str, None] = field(default_factory=dict)
    aspects: int = 0


def missing_reasons(functions: Iterable[FunctionResult]) -> list[MissingReason]:
    """The reasons of everything that is unsupported, those of most aspects first."""
    listed = list(functions)
    absent = {f.function for f in listed if _is_absent(f)}
    found: dict[str, MissingReason] = {}
    for function in listed:
        for aspect in function.aspects:
            if aspect.verdict is Verdict.UNSUPPORTED:
                says = _reason(function, aspect, absent)
                reason = found.setdefault(says, MissingReason(says))
                reason.functions[function.function] = None
                reason.aspects += 1
    return sorted(found.values(), key=lambda reason: -reason.aspects)


def _is_absent(function: FunctionResult) -> bool:
    of = {aspect.aspect: aspect.verdict for aspect in function.aspects}
    return of.get(Aspect.PRESENCE) is Verdict.UNSUPPORTED


def _reason(function: FunctionResult, aspect: AspectResult, absent: set[str]) -> str:
    if function.function in absent:
        return ABSENT
    for failure in aspect.failures:
        if failure.verdict is Verdict.UNSUPPORTED:
            return cause(ListedFailure(function.function, aspect, failure))
    needed = _OBSERVED_BY.get(aspect.aspect)
    if needed is not None:
        return f"{needed} is absent" if needed in absent else f"{needed} gives none to look at"
    return aspect.note if aspect.note is not UNSET else "no case of it could be run"


_OBSERVED_BY: Mapping[Aspect, str] = {
    Aspect.GRADIENT: "gradients",
    Aspect.STATIC_SHAPE: "int_shape",
}
"""The function without which an aspect of another one cannot be seen."""


def missing_lines(
    columns: Sequence[MatrixColumn], short: Sequence[str], paint: Paint, limit: int | None
) -> Iterator[Text]:
    """For each target the reasons of what is unsupported, with the functions."""
    for entry, label in zip(columns, short, strict=True):
        reasons = missing_reasons(entry.functions.values())
        for reason in reasons[:limit]:
            count = f"{reason.aspects} aspect{'s' * (reason.aspects != 1)}"
            names = shared(list(reason.functions), _NAMES if limit else len(reason.functions))
            told = f"{reason.says}: {count} of {names}  [{label}]"
            yield Text.assemble(paint.mark(Verdict.UNSUPPORTED), " ", paint.text(told))
        if limit is not None and len(reasons) > limit:
            yield paint.text(
                f"  and {counted(len(reasons) - limit, 'rarer reason')}; --verbose lists all"
            )
