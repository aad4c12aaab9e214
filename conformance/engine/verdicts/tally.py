"""Group the findings on one function of one target, and derive verdicts from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.editions import Edition
from conformance.engine.judging.findings import Finding, Identity, Judgement
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.forms import is_wrong, rare_forms, right_forms
from conformance.engine.verdicts.shares import Shares
from conformance.engine.verdicts.traits import Trait, traits, whole
from conformance.results import Aspect, Failure, FindingKind, SuspectLine, Verdict
from conformance.specs import Spec

MOST_LISTED = 5
"""How many failures of a kind are listed that differ in their message or arguments only."""

GRAVITY = {verdict: gravity for gravity, verdict in enumerate(Verdict)}


Cause = tuple[Identity, frozenset[str]]
"""An identity, and the rare forms of arguments that a wrong answer may be due to."""


@dataclass(slots=True)
class Group:
    """Findings of one cause: the one on the simplest trial, and how many there are."""

    finding: Finding
    trial: Trial | None
    count: int = 1
    planned: Trial | None = None
    """The trial of the plan that `trial` was made from; None if `trial` is the plan's own."""
    choices: bytes = b""
    """Hypothesis's choices that made `trial`; empty if they are those of the plan."""
    refilled: int | None = None
    """The draw whose numbers were replaced by simpler ones; None if none were."""
    stage: int = 0
    """The place in `Profile.chain` of the smallest profile that shows it."""
    suspects: frozenset[str] = frozenset()
    """The rare forms of arguments that it may be due to: some call without them is right."""
    lines: tuple[SuspectLine, ...] = ()
    """The lines of the implementation that may be the cause, the most suspect first."""
    always: frozenset[Trait] = frozenset()
    """The traits of tensors with which every call is wrong, while others are for another cause."""

    @property
    def cause(self) -> Cause:
        """What the findings have in common."""
        forms = self.suspects & rare_forms(self.finding, self.trial)
        return self.finding.identity, forms | {name for name, _ in self.always}

    def is_of_cause(self, trial: Trial) -> bool:
        """Whether a call may be wrong for this cause, and not for that of other tensors."""
        return not self.always or not self.always.isdisjoint(traits(trial))

    def simpler(self, finding: Finding, trial: Trial | None, stage: int) -> None:
        """Count another finding; keep it if it is graver, or else if its trial rests on fewer
        conventions, or is simpler."""
        self.count += 1
        self.stage = min(self.stage, stage)
        if trial and self.trial and _rank(finding, trial) < _rank(self.finding, self.trial):
            self.finding, self.trial = finding, trial


def _rank(finding: Finding, trial: Trial) -> tuple[int, ...]:
    return (-GRAVITY[finding.verdict], len(trial.unsettled), *trial.size)


@dataclass(slots=True)
class Tally:
    """What is known of one function on one target."""

    spec: Spec
    edition: Edition
    aspects: frozenset[Aspect]
    """The aspects that this run checks."""
    groups: dict[Cause, Group] = field(default_factory=dict)
    parts: dict[Cause, dict[Trait, Group]] = field(default_factory=dict)
    """The groups of wrong answers, by what traits the tensors have."""
    earlier: dict[Cause, tuple[Aspect, Failure]] = field(default_factory=dict)
    """What cases of earlier runs show and no case of this one; no verdict follows from it."""
    wrong: dict[Identity, Counter[Trait]] = field(default_factory=dict)
    """How many calls with each trait are wrong."""
    wrong_calls: Counter[Identity] = field(default_factory=Counter)
    right: set[frozenset[str]] = field(default_factory=set)
    """The rare forms of arguments in settled calls that were answered rightly."""
    answered: Counter[Trait] = field(default_factory=Counter)
    """How many of these have tensors with each trait."""
    cases: dict[Aspect, int] = field(default_factory=dict)
    shares: Shares = field(default_factory=Shares)
    """The cases that the documents settle, and how many of them were judged."""
    readings: Counter[tuple[Aspect, str]] = field(default_factory=Counter)
    """How many cases show which reading of a convention, the suite's own among them."""
    ulp: float | None = None
    limit_ulp: float | None = None
    offered: str | None = None
    """The implementation's own signature."""
    executed: int = 0
    """How many cases were executed."""
    inside: float = 0.0
    """Seconds that the executed cases took inside the target."""
    inside_besides: float = 0.0
    """Seconds inside the target to make failures smaller."""
    seconds: float = 0.0
    """Wall time."""
    skipped: int = 0
    """How many structures were skipped because others like them ended the worker."""
    slow: int = 0
    """How many structures were skipped because a call of about their size is slow."""
    empty: int = 0
    """How many structures were skipped because arrays without elements end the worker."""
    misread: int = 0
    """How many structures were skipped because an array is read as other numbers."""
    hanging: Counter[str] = field(default_factory=Counter)
    """How many structures were skipped because they call another function that hangs, by its
    name."""
    unmet: dict[str, int] = field(default_factory=dict)
    """How many structures were skipped because they need a function that is absent, by its name."""

    lacking: Counter[str] = field(default_factory=Counter)
    """How many structures were left out because they need a dtype that the target does not have, by
    its name."""

    def add(self, judgement: Judgement, trial: Trial, stage: int = 0) -> None:
        """Add what one observation shows; `stage` is that of its trial in the plan."""
        for aspect, count in judgement.cases.items():
            self.count(aspect, count)
        self.shares.add(trial, judgement)
        self.readings.update(judgement.readings)
        if judgement.ulp is not None and judgement.limit_ulp:
            share = judgement.ulp / judgement.limit_ulp
            if self.ulp is None or not self.limit_ulp or share > self.ulp / self.limit_ulp:
                self.ulp, self.limit_ulp = judgement.ulp, judgement.limit_ulp
        if (forms := right_forms(judgement, trial)) is not None:
            self.right.add(forms)
            self.answered.update(traits(trial))
        self.note(judgement.findings, trial, stage)

    def note(self, findings: Iterable[Finding], trial: Trial | None = None, stage: int = 0) -> None:
        """Add findings to their groups."""
        told = set()
        for finding in findings:
            found = _passed(finding, trial)
            group = Group(finding, trial, stage=stage)
            _put(self.groups, found, group)
            if is_wrong(finding):
                told.add(finding.identity)
                for trait in traits(trial):
                    _put(self.parts.setdefault(found, {}), trait, group)
        for identity in told:
            self.wrong.setdefault(identity, Counter()).update(traits(trial))
            self.wrong_calls[identity] += 1

    def add_remembered(self, finding: Finding, trial: Trial, failing: Failure) -> None:
        """Note a failure on a case of an earlier run, if no case of this run has shown it."""
        cause = _passed(finding, trial)
        if not any(_includes(known, cause) for known in (*self.groups, *self.earlier)):
            self.earlier[cause] = finding.aspect, failing

    def count_unmet(self, function: str) -> None:
        """Count a structure that was skipped because it needs `function`, which is absent."""
        self.unmet[function] = self.unmet.get(function, 0) + 1

    def count(self, aspect: Aspect, cases: int = 1) -> None:
        """Add to the number of cases judged."""
        self.cases[aspect] = self.cases.get(aspect, 0) + cases

    def failures(self) -> list[Group]:
        """Every failure once, the gravest first."""
        return folded(
            replace(part, suspects=self._suspects(found[1]))
            for found, group in self.groups.items()
            for part in self._apart(found, group)
        )

    def _apart(self, found: Cause, group: Group) -> Iterator[Group]:
        """The group, or the two of which one has the tensors with which every call is wrong."""
        wrong, parts = self.wrong.get(found[0], Counter()), self.parts.get(found, {})
        always = whole(wrong, self.answered, self.wrong_calls[found[0]])
        if not always or not parts:
            yield group
            return
        named = {name for name, _ in always}
        inside = [part for trait, part in parts.items() if trait in always]
        outside = [p for trait, p in parts.items() if trait[0] in named and trait not in always]
        yield from (replace(merged(inside), always=always) for _ in inside[:1])
        yield from (merged(outside) for _ in outside[:1])

    def _suspects(self, passed: frozenset[str]) -> frozenset[str]:
        """Those of the forms without which some call is right: the others change nothing."""
        return frozenset(f for f in passed if any(f not in forms for forms in self.right))


def _put(groups: dict[Any, Group], key: Cause | Trait, group: Group) -> None:
    if key in groups:
        groups[key].simpler(group.finding, group.trial, group.stage)
    else:
        groups[key] = replace(group)


def merged(groups: Iterable[Group]) -> Group:
    """One group with the simplest of the findings, and with all of them counted."""
    first, *others = groups
    made = replace(first)
    for group in others:
        made.count += group.count - 1
        made.simpler(group.finding, group.trial, group.stage)
    return made


def _passed(finding: Finding, trial: Trial | None) -> Cause:
    return finding.identity, rare_forms(finding, trial)


def folded(groups: Iterable[Group]) -> list[Group]:
    """Every failure once, the gravest first: one that rests on fewer conventions, and on fewer rare
    forms of arguments, replaces those that rest on more and are no graver."""
    kept: list[Group] = []
    for group in sorted(groups, key=lambda g: _weight(g.cause)):
        alike = (k for k in kept if k.always == group.always)
        wider = next((k for k in alike if _replaces(k, group)), None)
        if wider is None:
            kept.append(replace(group))
        else:
            wider.count += group.count
            wider.stage = min(wider.stage, group.stage)
    return sorted(kept, key=_order)


def listed(groups: Iterable[Group]) -> tuple[list[Group], int]:
    """The failures of one aspect that are listed, and how many others there are.

    Of every kind of difference under the same conventions, `MOST_LISTED` causes (messages,
    arguments) are listed, so that a gate sees a new one beside those of other kinds: first those
    that a smaller profile shows. The others count as cases of the first.
    """
    kinds: dict[Identity, list[Group]] = {}
    for group in (replace(g) for g in groups):
        kinds.setdefault(group.finding.plain_identity, []).append(group)
    kept, unlisted = list[Group](), 0
    for found in kinds.values():
        found.sort(key=lambda group: group.stage)
        shown, others = found[:MOST_LISTED], found[MOST_LISTED:]
        shown[0].count += sum(group.count for group in others)
        kept += shown
        unlisted += len(others)
    return sorted(kept, key=_order), unlisted


def _order(group: Group) -> Any:
    return -GRAVITY[group.finding.verdict], group.finding.identity, sorted(group.cause[1])


def _weight(found: Cause) -> tuple[int, int]:
    identity, forms = found
    return len(identity[3]), len(forms)


def _replaces(wide: Group, narrow: Group) -> bool:
    graver = GRAVITY[narrow.finding.verdict] > GRAVITY[wide.finding.verdict]
    return not graver and _includes(wide.cause, narrow.cause)


def _includes(wide: Cause, narrow: Cause) -> bool:
    """Whether failures of the narrow cause may be due to the wide one.

    What rests on conventions is not told apart by the forms of arguments.
    """
    (identity, forms), (wide_identity, wide_forms) = narrow, wide
    same = is_same(identity, wide_identity)
    return same and (bool(identity[3]) or wide_forms <= forms)


def is_same(wanted: Identity, found: Identity) -> bool:
    """Whether `found` is the failure `wanted`, established on no more conventions."""
    return found[:3] == wanted[:3] and {*found[3]} <= {*wanted[3]}


def verdict(tally: Tally, aspect: Aspect, groups: Iterable[Group]) -> Verdict:
    """The gravest verdict of the aspect's failures; without failures, whether enough was checked.

    `unsupported` counts only if the documents demand what is unsupported, or if too few of the
    cases that the documents settle could be judged (`Shares.enough`).
    """
    findings = [g.finding for g in groups if g.finding.aspect is aspect]
    weighed = [f.verdict for f in findings if _weighs(f)]
    passed = tally.cases.get(aspect, 0) - sum(g.count for g in groups if g.finding.aspect is aspect)
    gravest = max(weighed, key=GRAVITY.__getitem__, default=Verdict.CONFORMS)
    if gravest not in (Verdict.CONFORMS, Verdict.DIVERGES):
        return gravest
    # another reading is no fault, but neither does it make up for what is missing
    lacks = Verdict.UNSUPPORTED in weighed or not tally.shares.enough(aspect)
    nothing = gravest is Verdict.CONFORMS and passed <= 0
    return Verdict.UNSUPPORTED if lacks or nothing else gravest


def _weighs(finding: Finding) -> bool:
    """Whether this finding keeps the aspect from conforming.

    An unsupported case that no document demands does not. Nor does an input that the implementation
    could not make: the function that makes it is to blame.
    """
    if finding.verdict is not Verdict.UNSUPPORTED:
        return True
    return not finding.conventions and finding.kind != FindingKind.UNMADE_INPUT
