"""What a use of K becomes in Keras 3, and what of that was shown to differ."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.adapters.mappings import Row, Table
from conformance.cli.porting.uses import Use
from conformance.program import Step, from_json
from conformance.program.codec import ProgramError
from conformance.reporting.migration_claims import tried
from conformance.results import Failure, Results, Verdict
from conformance.results.scores import FAULTS
from conformance.specs import Specs
from conformance.specs.signature import Signature, parse


class Outcome(StrEnum):
    """What becomes of a use, the gravest last."""

    SAME = "same"
    """The new call does the same."""
    UNKNOWN = "undocumented"
    """No document of the API has such a function."""
    DIFFERS = "differs"
    """The new call does something else, at least on one backend, for such arguments."""
    REFUSED = "refused"
    """The new call refuses these arguments."""
    ABSENT = "absent"
    """Nothing takes its place."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is said of one use."""

    use: Use
    outcome: Outcome
    replacement: str = ""
    """The new expression, or the lines of a function; empty where nothing takes its place."""
    says: Sequence[str] = field(default_factory=tuple)
    """What differs, in words."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A case in which the new call is not as documented, and on which targets."""

    failure: Failure
    targets: Sequence[str]


def advice(use: Use, table: Table, specs: Specs, results: Sequence[Results]) -> Advice:
    """What becomes of a use; `results` are those of targets that are reached by the table."""
    name = specs.aliases().get(use.name, use.name)
    if name in table.absent:
        return Advice(use, Outcome.ABSENT, "", (table.absent[name],))
    row = table.functions.get(name)
    if row is None:
        known = name in specs
        reason = "no call is known for it" if known else "no document of the API has it"
        return Advice(use, Outcome.UNKNOWN, "", (reason,))
    documented = parse(f"{name}({row.old})")
    given = passed(use.call, documented, specs[name].renamed) if use.call else None
    new = _replacement(row, documented, given)
    refused = tuple(_refusals(row, documented, given))
    cases = [
        (shown, applies)
        for shown in _shown(name, results)
        if (applies := _applies(shown.failure, name, documented, given)) is not None
    ]
    judged = {one.target.name for one in results}
    unshown = judged - {target for shown, _ in cases for target in shown.targets}
    says = (*refused, *_claims(row, given, unshown), *_told(cases))
    if any(said.startswith(_REFUSES) for said in refused):
        return Advice(use, Outcome.REFUSED, new, says)
    return Advice(use, Outcome.DIFFERS if says else Outcome.SAME, new, says)


def passed(
    call: ast.Call, documented: Signature, renamed: Mapping[str, str]
) -> dict[str, ast.expr] | None:
    """The source of what each parameter was given, by its newest name; None where that cannot be
    told: of `*` and `**`, and of what no parameter takes."""
    names = [parameter.name for parameter in documented.parameters]
    plain = not any(isinstance(a, ast.Starred) for a in call.args)
    keywords = {renamed.get(k.arg or "", k.arg): k.value for k in call.keywords}
    if not plain or len(call.args) > len(names) or not keywords.keys() <= {*names}:
        return None
    return {**dict(zip(names, call.args, strict=False)), **keywords}  # type: ignore[dict-item]


def _replacement(row: Row, documented: Signature, given: Mapping[str, ast.expr] | None) -> str:
    """The new call with the arguments of the old one, or as the table has it."""
    new = row.new.strip()
    required = {p.name for p in documented.parameters if p.required}
    if "\n" in new or given is None or not required <= given.keys():
        return new
    defaults = {
        p.name: ast.parse(p.default, mode="eval").body
        for p in documented.parameters
        if p.default is not None
    }
    filled = _Filling({**defaults, **given}).visit(ast.parse(new, mode="eval"))
    return " ".join(ast.unparse(filled).split())


class _Filling(ast.NodeTransformer):
    """Puts arguments in the place of parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The argument, if the name is a parameter."""
        return self._given.get(node.id, node)


_REFUSES = "refuses"
_UNSEEN = object()


def _refusals(
    row: Row, documented: Signature, given: Mapping[str, ast.expr] | None
) -> Iterator[str]:
    """What the new call refuses of these arguments, for certain or perhaps."""
    values = {p.name: p.value for p in documented.parameters if not p.required}
    values |= {name: _literal(node) for name, node in (given or {}).items()}
    for condition, reason in row.refuses.items():
        holds = True if given is None else _holds(condition, values)
        if holds is None or given is None:
            yield f"may refuse (where {condition}): {reason}"
        elif holds:
            yield f"{_REFUSES}: {reason}"


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _UNSEEN


def _holds(condition: str, values: Mapping[str, Any]) -> bool | None:
    """Whether the condition of the table holds; None if it rests on what the source does not say.

    The table is the suite's own; the values are literals.
    """
    used = {n.id for n in ast.walk(ast.parse(condition)) if isinstance(n, ast.Name)}
    if any(values.get(name) is _UNSEEN for name in used):
        return None
    try:
        return bool(eval(condition, {}, dict(values)))  # noqa: S307 - the suite's own table
    except Exception:
        return None


def _claims(
    row: Row, given: Mapping[str, ast.expr] | None, unshown: Collection[str]
) -> Iterator[str]:
    """What the table says, which results have borne out. `unshown` are the targets whose results
    show no case with such arguments: what it says of one of these alone concerns other uses."""
    if row.differs:
        yield row.differs
    for target, says in row.on.items():
        if target not in unshown:
            yield f"on {target}: {says}"
    left_out = [n for n in row.untaken("_") if given is not None and n in given]
    if left_out:
        yield f"takes no {', '.join(left_out)}"


def _told(cases: Iterable[tuple[Shown, str]]) -> Iterator[str]:
    """The failing cases that such arguments have, each once with its targets."""
    for one, applies in cases:
        if one.failure.verdict in FAULTS:
            where = ", ".join(one.targets)
            yield f"{applies} on {where}: {one.failure.message} ({one.failure.id})"


_SHOWING = (*FAULTS, Verdict.DIVERGES, Verdict.UNSUPPORTED)
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


def _applies(
    failure: Failure, name: str, documented: Signature, given: Mapping[str, ast.expr] | None
) -> str | None:
    """How a failing case bears on a use; None if it needs an argument that the use does not pass.

    A case is made as small as it goes: an argument that it passes, and that is not the default,
    belongs to what fails.
    """
    needed = _needed(failure, name, documented)
    if needed is None or given is None:
        return "may differ"
    if not needed.keys() <= given.keys():
        return None
    literals = {parameter: _literal(given[parameter]) for parameter in needed}
    if all(_equal(literals[parameter], value) for parameter, value in needed.items()):
        return "differs"
    return "may differ"


def _equal(a: Any, b: Any) -> bool:
    """Whether two arguments are the same; a list and a tuple of the same items are."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and bool(a == b)


def _needed(failure: Failure, name: str, documented: Signature) -> dict[str, Any] | None:
    """The arguments but tensors and defaults of the failing call; None if no single call fails."""
    try:
        steps = from_json(failure.program).steps
    except ProgramError:
        return None
    calls = [step for step in steps if step.function == name]
    if len(calls) != 1:
        return None
    defaults = {p.name: p.value for p in documented.parameters if not p.required}
    plain = {p: v for p, v in _arguments(calls[0], documented).items() if _is_plain(v)}
    return {p: v for p, v in plain.items() if p not in defaults or not _equal(defaults[p], v)}


def _arguments(step: Step, documented: Signature) -> dict[str, Any]:
    names = [parameter.name for parameter in documented.parameters]
    return {**dict(zip(names, step.args, strict=False)), **dict(step.kwargs)}


def _is_plain(value: Any) -> bool:
    """Whether it is no tensor and holds none."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
