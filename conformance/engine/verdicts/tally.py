"""Group the findings on one function of one target, and derive verdicts from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.editions import Edition
from conformance.engine.judging.findings import Finding, Identity, Judgement
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.shares import Shares
from conformance.results import Aspect, FindingKind, Origin, Verdict
from conformance.specs import Spec

GRAVITY = {verdict: gravity for gravity, verdict in enumerate(Verdict)}


@dataclass(slots=True)
class Group:
    """Findings of one identity: the one on the simplest trial, and how many there are."""

    finding: Finding
    trial: Trial | None
    count: int = 1
    planned: Trial | None = None
    """The trial of the plan that `trial` was made from; None if `trial` is the plan's own."""
    choices: bytes = b""
    """Hypothesis's choices that made `trial`; empty if they are those of the plan."""
    refilled: int | None = None
    """The draw whose numbers were replaced by simpler ones; None if none were."""
    remembered: Origin | None = None
    """The origin of a trial of an earlier run, which has made it smaller already."""

    def simpler(self, finding: Finding, trial: Trial | None) -> None:
        """Count another finding; keep it if its trial is simpler."""
        self.count += 1
        if trial and self.trial and trial.size < self.trial.size:
            self.finding, self.trial = finding, trial


@dataclass(slots=True)
class Tally:
    """What is known of one function on one target."""

    spec: Spec
    edition: Edition
    aspects: frozenset[Aspect]
    """The aspects that this run checks."""
    groups: dict[Identity, Group] = field(default_factory=dict)
    cases: dict[Aspect, int] = field(default_factory=dict)
    shares: Shares = field(default_factory=Shares)
    """The cases that the documents settle, and how many of them were judged."""
    ulp: float | None = None
    limit_ulp: float | None = None
    offered: str | None = None
    """The implementation's own signature."""
    executed: int = 0
    """How many cases were executed."""
    inside: float = 0.0
    """Seconds that the executed cases took inside the target."""
    seconds: float = 0.0
    """Wall time."""
    skipped: int = 0
    """How many structures were skipped because others like them ended the worker."""
    empty: int = 0
    """How many structures were skipped because arrays without elements end the worker."""
    unmet: dict[str, int] = field(default_factory=dict)
    """How many structures were skipped because they need a function that is absent, by its name."""

    def add(self, judgement: Judgement, trial: Trial) -> None:
        """Add what one observation shows."""
        for aspect, count in judgement.cases.items():
            self.count(aspect, count)
        self.shares.add(trial, judgement)
        if judgement.ulp is not None and judgement.limit_ulp:
            share = judgement.ulp / judgement.limit_ulp
            if self.ulp is None or not self.limit_ulp or share > self.ulp / self.limit_ulp:
                self.ulp, self.limit_ulp = judgement.ulp, judgement.limit_ulp
        self.note(judgement.findings, trial)

    def note(self, findings: Iterable[Finding], trial: Trial | None = None) -> None:
        """Add findings to their groups."""
        for finding in findings:
            group = self.groups.get(finding.identity)
            if group is None:
                self.groups[finding.identity] = Group(finding, trial)
            else:
                group.simpler(finding, trial)

    def add_remembered(self, finding: Finding, trial: Trial, source: Origin) -> None:
        """Add a finding on a case of an earlier run, if no case of this run has shown it."""
        if not any(_includes(group.finding, finding) for group in self.groups.values()):
            self.count(finding.aspect)
            self.groups[finding.identity] = Group(finding, trial, remembered=source)

    def count_unmet(self, function: str) -> None:
        """Count a structure that was skipped because it needs `function`, which is absent."""
        self.unmet[function] = self.unmet.get(function, 0) + 1

    def count(self, aspect: Aspect, cases: int = 1) -> None:
        """Add to the number of cases judged."""
        self.cases[aspect] = self.cases.get(aspect, 0) + cases

    def failures(self) -> list[Group]:
        """Every failure once, the gravest first: one that rests on fewer conventions replaces those
        that rest on more."""
        kept: list[Group] = []
        for group in sorted(self.groups.values(), key=lambda g: len(g.finding.conventions)):
            wider = next((k for k in kept if _includes(k.finding, group.finding)), None)
            if wider is None:
                kept.append(group)
            else:
                wider.count += group.count
        return sorted(kept, key=lambda g: (-GRAVITY[g.finding.verdict], g.finding.identity))


def _includes(wide: Finding, narrow: Finding) -> bool:
    same = (wide.aspect, wide.kind, wide.detail) == (narrow.aspect, narrow.kind, narrow.detail)
    return same and set(wide.conventions) <= set(narrow.conventions)


def verdict(tally: Tally, aspect: Aspect, groups: Iterable[Group]) -> Verdict:
    """The gravest verdict of the aspect's failures; without failures, whether enough was checked.

    `unsupported` counts only if the documents demand what is unsupported, or if too few of the
    cases that the documents settle could be judged (`Shares.enough`).
    """
    findings = [g.finding for g in groups if g.finding.aspect is aspect]
    weighed = [f.verdict for f in findings if _weighs(f)]
    passed = tally.cases.get(aspect, 0) - sum(g.count for g in groups if g.finding.aspect is aspect)
    if weighed:
        return max(weighed, key=GRAVITY.__getitem__)
    enough = passed > 0 and tally.shares.enough(aspect)
    return Verdict.CONFORMS if enough else Verdict.UNSUPPORTED


def _weighs(finding: Finding) -> bool:
    """Whether this finding keeps the aspect from conforming.

    An unsupported case that no document demands does not. Nor does an input that the implementation
    could not make: the function that makes it is to blame.
    """
    if finding.verdict is not Verdict.UNSUPPORTED:
        return True
    return not finding.conventions and finding.kind != FindingKind.UNMADE_INPUT
