"""The failing cases of results that bear on a use, by the arguments of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.adapters.mappings import Row
from conformance.cli.porting.arguments import Given, concerned, literal
from conformance.program import Step, from_json
from conformance.program.codec import ProgramError
from conformance.reporting.migration_claims import tried
from conformance.results import Failure, Results, Verdict
from conformance.results.scores import DEVIATIONS
from conformance.specs.signature import Signature


@dataclass(frozen=True, slots=True)
class Shown:
    """A case in which the new call is not as documented, and on which targets."""

    failure: Failure
    targets: Sequence[str]


def bearing(
    name: str,
    row: Row,
    documented: Signature,
    given: Given | None,
    results: Sequence[Results],
) -> Iterator[tuple[Shown, str]]:
    """The cases that such arguments have, with the targets that they concern, and whether the
    arguments are those of the case."""
    for shown in _shown(name, results):
        call = _call(shown.failure, name, documented)
        applies = _applies(call, documented, given)
        on = concerned(shown.targets, row, documented, given, call or {})
        if applies is not None and on:
            yield replace(shown, targets=on), applies


def told(cases: Iterable[tuple[Shown, str]]) -> Iterator[str]:
    """The failing cases that such arguments have, each once with its targets."""
    for one, applies in cases:
        if one.failure.verdict in DEVIATIONS:
            where = ", ".join(one.targets)
            yield f"{applies} on {where}: {one.failure.message} ({one.failure.id})"


_SHOWING = (*DEVIATIONS, Verdict.DIVERGES, Verdict.UNSUPPORTED)
"""The verdicts by which a case shows that something differs."""


def _shown(name: str, results: Sequence[Results]) -> list[Shown]:
    found: dict[str, Shown] = {}
    for one in results:
        for listed in tried([f for f in one.functions if f.function == name], _SHOWING):
            failure = listed.failure
            if failure is not None:
                known = found.get(failure.id)
                targets = [*(known.targets if known else ()), one.target.name]
                shown = known.failure if known else failure
                found[failure.id] = Shown(shown, targets)
    return list(found.values())


def _applies(call: dict[str, Any] | None, documented: Signature, given: Given | None) -> str | None:
    """How a failing case bears on a use; None if it needs an argument that the use does not pass.

    A case is made as small as it goes: an argument that it passes, and that is not the default,
    belongs to what fails.
    """
    if call is None or given is None:
        return "may differ"
    needed = _needed(call, documented)
    if not needed.keys() <= given.keys():
        return None
    literals = {parameter: literal(given[parameter]) for parameter in needed}
    if all(_equal(literals[parameter], value) for parameter, value in needed.items()):
        return "differs"
    return "may differ"


def _equal(a: Any, b: Any) -> bool:
    """Whether two arguments are the same; a list and a tuple of the same items are."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and bool(a == b)


def _call(failure: Failure, name: str, documented: Signature) -> dict[str, Any] | None:
    """The arguments of the failing call; None if no single call fails."""
    try:
        steps = from_json(failure.program).steps
    except ProgramError:
        return None
    calls = [step for step in steps if step.function == name]
    return _arguments(calls[0], documented) if len(calls) == 1 else None


def _needed(call: dict[str, Any], documented: Signature) -> dict[str, Any]:
    """The arguments but tensors and defaults."""
    defaults = {p.name: p.value for p in documented.parameters if not p.required}
    plain = {p: v for p, v in call.items() if _is_plain(v)}
    return {p: v for p, v in plain.items() if p not in defaults or not _equal(defaults[p], v)}


def _arguments(step: Step, documented: Signature) -> dict[str, Any]:
    names = [parameter.name for parameter in documented.parameters]
    return {**dict(zip(names, step.args, strict=False)), **dict(step.kwargs)}


def _is_plain(value: Any) -> bool:
    """Whether it is no tensor and holds none."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
