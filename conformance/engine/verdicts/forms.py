"""Which arguments of a call have rare forms: what tells the causes of a wrong answer apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.trials import Trial
from conformance.generators.forms import form
from conformance.generators.structure import Structure
from conformance.program import Ref
from conformance.results import Aspect, FindingKind
from conformance.specs.load import signature
from conformance.specs.parsing import literal

_WRONG = (FindingKind.VALUE, FindingKind.SHAPE)
_RARE = ("negative", "zero", "nothing")
"""In the form of an argument that cannot be left out."""


def rare_forms(finding: Finding, trial: Trial | None) -> frozenset[str]:
    """The arguments of rare forms that were passed, with their forms; a wrong answer may be due to
    them. Empty for anything but a call that contradicts a document."""
    if not isinstance(trial, CallTrial) or not is_wrong(finding):
        return frozenset()
    return frozenset(_forms(trial.prepared.structure))


def is_wrong(finding: Finding) -> bool:
    """Whether the finding is a wrong answer that no reading allows."""
    return finding.kind in _WRONG and finding.contradicts


def right_forms(judgement: Judgement, trial: Trial) -> frozenset[str] | None:
    """The rare forms of a settled call that was answered rightly; None for any other trial."""
    if not isinstance(trial, CallTrial) or not trial.prepared.structure.settled:
        return None
    wrong = any(f.aspect is Aspect.VALUE for f in judgement.findings)
    if wrong or not judgement.cases.get(Aspect.VALUE):
        return None
    return frozenset(_forms(trial.prepared.structure))


def _forms(structure: Structure) -> Iterator[str]:
    """An argument that may be left out has a rare form if it is not what is documented for it; one
    that may not, if it is 0, negative or empty."""
    documented = signature(structure.spec, structure.edition).parameters
    defaults = {p.name: p.default for p in documented}
    for name in sorted(structure.passed & {*structure.spec.parameters}):
        value = structure.arguments.get(name)
        if _has_tensor(value):
            continue
        told = form(structure.spec.parameters[name], value)
        default = defaults.get(name)
        if default is None and not any(part in told for part in _RARE):
            continue
        if default is None or not _is(value, default):
            yield f"{name} {told}"


def _has_tensor(value: Any) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(part, Ref) for part in parts)


def _is(value: Any, default: str) -> bool:
    try:
        return bool(literal(default) == value)
    except (ValueError, SyntaxError):
        return False
