"""A release that came after the document of its edition may follow the document of a later one.

Keras 1.2.2 has the signatures that ja-2.0 prints, and Keras 2.0.8 refuses what ko-2.2 says is
refused. Where such a release differs from its own document as the later one has it, it diverges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.editions import EDITIONS, Edition
from conformance.engine.judging import signatures
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.metadata import with_promised_shapes
from conformance.engine.judging.trials import Trial
from conformance.observations import FunctionIdentity
from conformance.program import Step
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import Signature, Spec
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.load import signature
from conformance.specs.parsing import literal
from conformance.specs.releases import load_changes

_MISSING = FindingKind.MISSING_PARAMETER


@dataclass(frozen=True, slots=True)
class Release:
    """One function of a target that may follow the documents of later editions."""

    spec: Spec
    edition: Edition
    follows: Sequence[Edition]
    identity: FunctionIdentity
    """What the target offers."""

    def held(self, findings: Iterable[Finding], trial: Trial | None = None) -> list[Finding]:
        """The findings as the function's document counts them; a violation that is as the document
        of a followed edition has it diverges.

        `trial` is what was run; None for a signature.
        """
        newer = [e for e in self.follows if EDITIONS.index(e) > EDITIONS.index(self.edition)]
        later = [e for e in newer if e in self.spec.editions]
        counted = with_promised_shapes(findings, self.spec.editions[self.edition])
        return [self._held(finding, later, trial) for finding in counted]

    def _held(self, finding: Finding, later: Sequence[Edition], trial: Trial | None) -> Finding:
        if finding.verdict is not Verdict.VIOLATES:
            return finding
        followed = (e for e in later if self._follows(finding, e, trial))
        edition = next(followed, None)
        return finding if edition is None else _divergence(finding, edition)

    def _follows(self, finding: Finding, later: Edition, trial: Trial | None) -> bool:
        if finding.aspect is Aspect.SIGNATURE:
            return self._is_printed(finding, later)
        told = _is_told(finding, self.spec, later)
        return told or (trial is not None and self._means_otherwise(finding, trial, later))

    def _is_printed(self, finding: Finding, later: Edition) -> bool:
        """Whether the later document prints what the target has."""
        documented = signature(self.spec, later)
        names = [p.name for p in documented.parameters]
        if finding.kind != _MISSING and finding.detail and finding.detail not in names:
            return False
        printed = self.spec.signatures[self.spec.editions[later]].text
        left = signatures.signature(self.identity, documented, printed)
        return (finding.kind, finding.detail) not in {(f.kind, f.detail) for f in left}

    def _means_otherwise(self, finding: Finding, trial: Trial, later: Edition) -> bool:
        """Whether a call means something else to the target, and to the later document.

        It passes an argument that is another parameter there, or none, or it leaves one out whose
        default is another number. That the document's own call is answered is seen in other cases.
        Neither such a number nor arguments of one shape that change places change the shape.
        """
        if finding.kind == FindingKind.SHAPE and _are_alike(trial):
            return False
        mine, other = signature(self.spec, self.edition), signature(self.spec, later)
        steps = [s for s in trial.batch.program.steps if s.function == mine.name]
        return any(self._differs(step, mine, other) for step in steps)

    def _differs(self, step: Step, mine: Signature, other: Signature) -> bool:
        names, offered = [p.name for p in other.parameters], self._offered
        gone = any(n not in offered and n not in names for n, _ in step.kwargs)
        places = zip(step.args, mine.parameters, names, offered, strict=False)
        moved = any(wanted.name != own == name for _, wanted, name, own in places)
        return gone or moved or any(self._defaults(step, mine, other))

    def _defaults(self, step: Step, mine: Signature, other: Signature) -> Iterator[bool]:
        """For each parameter that is left out, whether its default is the later number."""
        passed = {p.name for p in mine.parameters[: len(step.args)]} | {n for n, _ in step.kwargs}
        later = {p.name: _number(p.default) for p in other.parameters}
        for parameter in mine.parameters:
            default = later.get(parameter.name)
            if default is not None and parameter.name not in passed:
                own = _number(self._offered.get(parameter.name))
                yield own == default != _number(parameter.default)

    @property
    def _offered(self) -> dict[str, str | None]:
        """The target's own parameters, and their defaults."""
        return {p.name: p.default for p in self.identity.signature or ()}


def _divergence(finding: Finding, later: Edition) -> Finding:
    name = ConventionName.LATER_RELEASE
    return replace(
        finding,
        verdict=Verdict.DIVERGES,
        conventions=(name,),
        readings=(taken(name, f"as in {later}"),),
        open_points=(),
    )


def _is_told(finding: Finding, spec: Spec, later: Edition) -> bool:
    """Whether the later document says of the function what was found."""
    return any(
        finding.detail == change.gives and finding.aspect in change.aspects
        for change in load_changes()
        if (change.function, change.edition) == (spec.name, later)
    )


def _are_alike(trial: Trial) -> bool:
    """Whether all inputs have one shape."""
    return len({i.shape for i in trial.batch.program.inputs}) < 2


def _number(default: str | None) -> float | None:
    """The default as a number; None if it is none, or if there is no default."""
    try:
        value = literal(default or "")
    except (ValueError, SyntaxError):
        return None
    return float(value) if isinstance(value, int | float) else None
