"""What checks a claim: found from the line that it stands on, or by a name in `written.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from conformance.editions import Document
from conformance.specs.claims.records import Checker, CheckEvidence, Ending, Place
from conformance.specs.comparison import BOUND, Sources
from conformance.specs.examples import Example, ExampleResult, Prose
from conformance.specs.kinds import Omitted
from conformance.specs.load import general_claims, signature
from conformance.specs.model import Claim, DocumentedSignature, ErrorCase, Spec
from conformance.specs.signature import parse

CALLED = ("value", "dtype", "static shape", "gradient", "purity")
"""Aspects that single calls and their gradients are judged by."""
BINDING = frozenset(BOUND.values())
"""The documents that bind an edition: a verdict cites no other."""
UNBOUND = "no document that binds an edition says so"
Named = TypeVar("Named", Claim, ErrorCase)


class Checkers:
    """Everything that checks something, by the line that it cites and by its name."""

    def __init__(
        self, sources: Sources, examples: tuple[Example, ...], evidence: CheckEvidence
    ) -> None:
        self.sources = sources
        self.examples = examples
        self.evidence = evidence
        self.shown = {checker.name: checker for e in examples for _, checker in _of_example(e)}
        """Examples and their results, by their numbers."""

    @cached_property
    def by_place(self) -> Mapping[Place, list[Checker]]:
        """What cites each line."""
        places: dict[Place, list[Checker]] = {}
        for place, checker in self._placed():
            checkers = places.setdefault(place, [])
            if checker not in checkers:
                checkers.append(checker)
        return places

    def _placed(self) -> Iterator[tuple[Place, Checker]]:
        for spec in self.sources.specs.values():
            yield from self._of_spec(spec)
        for claim in general_claims():
            yield from _spread(claim.at, Checker("claim", "", claim.aspect))
        for check in self.evidence.checks:
            checker = self._check(check.function, check.name)
            yield from ((place, checker) for place in check.at)
        for example in self.examples:
            yield from _of_example(example)

    def _of_spec(self, spec: Spec) -> Iterator[tuple[Place, Checker]]:
        for document, printed in spec.signatures.items():
            yield (str(document), printed.line), _signature(spec, printed)
        for claim in spec.claims:
            yield from _spread(claim.at, self._claim(spec, claim))
        for error in spec.errors:
            yield from _spread(error.at, _error(spec, error))

    def described(self, spec: Spec, document: str, line: int) -> Iterator[Checker]:
        """The parameters that an entry of the function describes on a line."""
        entry = self.sources.extraction[document].at(line)
        for name, at in entry.parameters if entry else ():
            newest = spec.renamed.get(name, name)
            if at == line and newest in spec.parameters:
                yield self.parameter(spec, newest)

    def parameter(self, spec: Spec, name: str) -> Checker:
        """Calls, or programs of scenarios, that pass a parameter. KeyError if there is none."""
        rule = spec.parameters[name]
        called = spec.accuracy is not None and not isinstance(rule, Omitted)
        if called or (spec.name, name) in self.evidence.passed:
            return Checker("parameter", spec.name, name)
        why = rule.why if isinstance(rule, Omitted) else ""
        return _unseen("parameter", spec.name, name, f"nothing passes it: {why}")

    def result(self, spec: Spec) -> Checker:
        """The calls of a function, whose results the suite judges.

        Raises:
            KeyError: the function has no single calls.
        """
        if spec.accuracy is None:
            raise KeyError(spec.name)
        return Checker("result", spec.name, "")

    def named(self, spec: Spec | None, text: str) -> Checker:
        """The checker of a kind and a name in `written.yaml`.

        Raises:
            KeyError: no checker has this kind and name.
        """
        kind, _, name = text.partition(" ")
        if spec is None:
            raise KeyError(text)
        makers: dict[str, Callable[[], Checker]] = {
            "example": lambda: self.shown[name],
            "claim": lambda: self._claim(spec, _named(spec.claims, name, "aspect")),
            "parameter": lambda: self.parameter(spec, name),
            "error": lambda: _error(spec, _named(spec.errors, name, "name")),
            "result": lambda: self.result(spec),
            "signature": lambda: Checker("signature", spec.name, ""),
            "check": lambda: self._check(spec.name, name),
        }
        return makers[kind]()

    def _claim(self, spec: Spec, claim: Claim) -> Checker:
        tested = (claim.aspect in CALLED and spec.accuracy is not None) or any(
            check.settled
            for check in self.evidence.checks
            if check.function == spec.name and check.aspect == claim.aspect
        )
        tested = tested or (claim.aspect == "error" and any(not e.convention for e in spec.errors))
        if not any(document in BINDING for document in claim.at):
            return _unseen("claim", spec.name, claim.aspect, UNBOUND)
        return Checker("claim", spec.name, claim.aspect, _ending(settled=tested))

    def _check(self, function: str, name: str) -> Checker:
        """All checks of that name: one that is settled ends in a violation."""
        checks = self._checks[function, name]
        return Checker("check", function, name, _ending(settled=any(checks)))

    @cached_property
    def _checks(self) -> Mapping[tuple[str, str], list[bool]]:
        """Whether the checks of a function that have one name are settled."""
        checks: dict[tuple[str, str], list[bool]] = {}
        for check in self.evidence.checks:
            checks.setdefault((check.function, check.name), []).append(check.settled)
        return checks


def _named(items: Iterable[Named], name: str, field: str) -> Named:
    """The first item with that name. KeyError if there is none."""
    for item in items:
        if getattr(item, field) == name:
            return item
    raise KeyError(name)


def _spread(at: Mapping[Document, int], checker: Checker) -> Iterator[tuple[Place, Checker]]:
    """The checker at each of the lines."""
    for document, line in at.items():
        yield (str(document), line), checker


def _signature(spec: Spec, printed: DocumentedSignature) -> Checker:
    """A signature that an edition demands, whichever document prints it."""
    demanded = {signature(spec, edition).parameters for edition in spec.editions}
    if parse(printed.corrected or printed.text).parameters in demanded:
        return Checker("signature", spec.name, "")
    return _unseen("signature", spec.name, "", UNBOUND)


def _error(spec: Spec, error: ErrorCase) -> Checker:
    if not any(document in BINDING for document in error.at):
        return _unseen("error", spec.name, error.name, UNBOUND)
    return Checker("error", spec.name, error.name, _ending(settled=error.convention is None))


def _of_example(example: Example) -> Iterator[tuple[Place, Checker]]:
    """The example at its first lines, and its results at theirs."""
    checker = _example(example)
    for document, lines in example.at.items():
        for line in lines if isinstance(lines, list) else [lines]:
            yield (str(document), line), checker
    for shown in example.shown:
        yield from _spread(shown.at, _result_of(example, shown))


def _example(example: Example) -> Checker:
    function = example.function or ""
    if any(not isinstance(shown.gives, Prose) for shown in example.shown):
        return Checker("example", function, example.id)
    why = example.prose or "no document prints a result that can be compared"
    return _unseen("example", function, example.id, why)


def _result_of(example: Example, shown: ExampleResult) -> Checker:
    function = shown.function or example.function or ""
    if isinstance(shown.gives, Prose):
        return _unseen("example", function, shown.id, shown.gives.why)
    return Checker("example", function, shown.id)


def _ending(*, settled: bool) -> Ending:
    return Ending.VIOLATION if settled else Ending.DIVERGENCE


def _unseen(kind: str, function: str, name: str, why: str) -> Checker:
    """What would check it, if it were done."""
    return Checker(kind, function, name, Ending.NOTHING, why)
