"""Judge presence and signature: compare what a target offers with what an edition documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from conformance.engine.judging.findings import Finding
from conformance.engine.judging.messages import without_addresses
from conformance.observations import FunctionIdentity, OfferedParameter
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import Parameter, Signature
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.parsing import literal
from conformance.specs.signature import misprinted

_NAMED = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")


ParameterDifference = tuple[Verdict, FindingKind, str]
"""A difference of one parameter: verdict, kind, and the words of the message."""


def presence(identity: FunctionIdentity) -> Iterator[Finding]:
    """A finding if the function is missing."""
    if not identity.present:
        known = identity.reason not in (None, "absent")
        yield Finding(
            Aspect.PRESENCE,
            Verdict.UNSUPPORTED,
            FindingKind.ABSENT,
            gives=f"is missing ({identity.reason})" if known else "is missing",
            demands="",
        )


def signature(
    identity: FunctionIdentity, documented: Signature, printed: str = ""
) -> Iterator[Finding]:
    """Findings on names, order, defaults and accepted keywords.

    `printed` is the signature as the document prints it. A parameter that is printed there is not
    an extra parameter, even if an erratum says that the signature is misprinted; and one that has
    the printed name, in the printed place, is the documented one (C042).
    """
    if identity.signature is None:
        gives = f"has no signature ({identity.reason})"
        yield _finding(Verdict.UNSUPPORTED, FindingKind.HIDDEN, gives, documented)
        return
    offered = [p for p in identity.signature if p.kind in _NAMED]
    if not offered and documented.parameters:
        yield _finding(Verdict.UNSUPPORTED, FindingKind.HIDDEN, "takes any arguments", documented)
        return
    offered = _as_documented(offered, documented, printed)
    yield from _missing(offered, documented)
    yield from _order(offered, documented)
    yield from _extra(offered, documented, {*re.findall(r"\w+", printed)})
    by_name = {p.name: p for p in offered}
    for parameter in documented.parameters:
        if parameter.name in by_name:
            yield from _parameter(by_name[parameter.name], parameter, documented)


def _as_documented(
    offered: Sequence[OfferedParameter], documented: Signature, printed: str
) -> list[OfferedParameter]:
    """The offered parameters; one whose name the signature prints where another is documented gets
    the documented name."""
    mine = {p.name for p in offered}
    named = misprinted(documented, printed).items()
    other = {shown: name for shown, name in named if name not in mine}
    return [replace(p, name=other.get(p.name, p.name)) for p in offered]


_PREFIXES = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def shown(identity: FunctionIdentity) -> str | None:
    """The target's own signature as Python source; None if it cannot be inspected."""
    if identity.signature is None:
        return None
    parts = []
    starred = False
    for parameter in identity.signature:
        if parameter.kind == "KEYWORD_ONLY" and not starred:
            parts.append("*")
        starred = starred or parameter.kind in ("KEYWORD_ONLY", "VAR_POSITIONAL")
        default = f"={without_addresses(parameter.default or '')}" if parameter.has_default else ""
        parts.append(f"{_PREFIXES.get(parameter.kind, '')}{parameter.name}{default}")
    return f"({', '.join(parts)})"


def _missing(offered: Sequence[OfferedParameter], documented: Signature) -> Iterator[Finding]:
    names = {p.name for p in offered}
    for parameter in documented.parameters:
        if parameter.name not in names:
            gives = f"has no parameter {parameter.name}"
            finding = _finding(
                Verdict.VIOLATES, FindingKind.MISSING_PARAMETER, gives, documented, parameter.name
            )
            yield replace(finding, parameter=parameter.name)


def _order(offered: Sequence[OfferedParameter], documented: Signature) -> Iterator[Finding]:
    wanted = [p.name for p in documented.parameters]
    mine = [p.name for p in offered if p.name in wanted]
    places = [p.name for p in offered][: len(mine)]
    if mine != [n for n in wanted if n in mine] or (mine == wanted and places != mine):
        gives = f"has its parameters in the order {', '.join(p.name for p in offered)}"
        yield _finding(Verdict.VIOLATES, FindingKind.ORDER, gives, documented)


def _extra(
    offered: Sequence[OfferedParameter], documented: Signature, shown: Collection[str]
) -> Iterator[Finding]:
    wanted = [p.name for p in documented.parameters]
    mine = {p.name for p in offered}
    for place, parameter in enumerate(offered):
        if place < len(wanted) and wanted[place] not in mine:
            continue  # the missing one under another name: one fact, told already
        if parameter.name not in wanted and parameter.name not in shown:
            verdict = Verdict.DIVERGES if parameter.has_default else Verdict.VIOLATES
            gives = f"has an extra parameter {parameter.name}"
            yield _finding(verdict, FindingKind.EXTRA_PARAMETER, gives, documented, parameter.name)


def _parameter(
    mine: OfferedParameter, wanted: Parameter, documented: Signature
) -> Iterator[Finding]:
    for verdict, kind, gives in (*_passing(mine, wanted.name), *_defaults(mine, wanted)):
        yield _finding(verdict, kind, gives, documented, wanted.name)


def _passing(mine: OfferedParameter, name: str) -> Iterator[ParameterDifference]:
    """A documented parameter must be accepted by position and by keyword."""
    if mine.kind == "POSITIONAL_ONLY":
        yield Verdict.VIOLATES, FindingKind.KEYWORD, f"does not take {name} as a keyword"
    if mine.kind == "KEYWORD_ONLY":
        yield Verdict.VIOLATES, FindingKind.KEYWORD, f"takes {name} as a keyword only"


def _defaults(mine: OfferedParameter, wanted: Parameter) -> Iterator[ParameterDifference]:
    has = f"has the default {mine.default} for {wanted.name}"
    if wanted.required and mine.has_default:
        yield Verdict.DIVERGES, FindingKind.EXTRA_DEFAULT, has
    elif not wanted.required and not mine.has_default:
        yield Verdict.VIOLATES, FindingKind.MISSING_DEFAULT, f"has no default for {wanted.name}"
    elif not wanted.required and not _same(mine.default, wanted.default):
        yield Verdict.VIOLATES, FindingKind.DEFAULT, has


def _same(mine: str | None, wanted: str | None) -> bool:
    """Whether two defaults are equal; `...` equals any: there the documents print no default."""
    if wanted == "...":
        return True
    try:
        return literal(mine or "") == literal(wanted or "")
    except (ValueError, SyntaxError):
        return mine == wanted


def _finding(
    verdict: Verdict, kind: FindingKind | str, gives: str, documented: Signature, detail: str = ""
) -> Finding:
    diverges = verdict is Verdict.DIVERGES
    more = "more defaults" if kind == FindingKind.EXTRA_DEFAULT else "more"
    return Finding(
        Aspect.SIGNATURE,
        verdict,
        kind,
        gives=gives,
        demands=str(documented),
        detail=detail,
        conventions=(ConventionName.PARAMETERS,) if diverges else (),
        readings=(taken(ConventionName.PARAMETERS, more),) if diverges else (),
    )
