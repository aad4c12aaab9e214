"""What a use of K becomes in Keras 3, and what of that was shown to differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.adapters.mappings import Row, Table
from conformance.cli.porting.arguments import (
    REFUSES,
    Given,
    claims,
    misfit,
    old_words,
    passed,
    refusals,
)
from conformance.cli.porting.cases import bearing, told
from conformance.cli.porting.uses import Use
from conformance.results import Results
from conformance.specs import Specs
from conformance.specs.signature import Signature, parse


class Outcome(StrEnum):
    """What becomes of a use, the gravest last."""

    SAME = "same"
    """The new call does the same."""
    UNKNOWN = "undocumented"
    """No document of the API has such a function, and no call is known for it."""
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


def advice(use: Use, table: Table, specs: Specs, results: Sequence[Results]) -> Advice:
    """What becomes of a use; `results` are those of targets that are reached by the table."""
    name = specs.aliases().get(use.name, use.name)
    if name in table.absent:
        return Advice(use, Outcome.ABSENT, "", (table.absent[name],))
    row = table.functions.get(name)
    if row is None:
        return _without_row(use, table, known=name in specs)
    documented = parse(f"{name}({row.old})")
    given = passed(use.call, documented, specs[name].renamed) if use.call else None
    new = _replacement(row, documented, given)
    refused = tuple(refusals(row, documented, given))
    cases = list(bearing(name, row, documented, given, results))
    judged = {one.target.name for one in results}
    unshown = judged - {target for shown, _ in cases for target in shown.targets}
    says = (*refused, *_written(use, documented, given))
    says += (*claims(row, documented, given, unshown), *_left_out(row, given), *told(cases))
    if any(said.startswith(REFUSES) for said in refused):
        return Advice(use, Outcome.REFUSED, new, says)
    return Advice(use, Outcome.DIFFERS if says else Outcome.SAME, new, says)


def _without_row(use: Use, table: Table, *, known: bool) -> Advice:
    """Of a function that the table does not replace: code may go on calling it, or it is gone."""
    if use.name in table.kept:
        return Advice(use, Outcome.SAME, use.text)
    reason = "no call is known for it" if known else "no document of the API has it, nor Keras 3"
    return Advice(use, Outcome.UNKNOWN, "", (reason,))


def _written(use: Use, documented: Signature, given: Given | None) -> Iterator[str]:
    """What is to be changed of the arguments as they are written."""
    if use.call is not None:
        yield from misfit(use.call, documented, given)
        yield from old_words(use.call)


def _left_out(row: Row, given: Given | None) -> Iterator[str]:
    if left_out := [n for n in row.untaken("_") if given is not None and n in given]:
        yield f"takes no {', '.join(left_out)}"


def _replacement(row: Row, documented: Signature, given: Given | None) -> str:
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

    def __init__(self, given: Given) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The argument, if the name is a parameter."""
        return self._given.get(node.id, node)
