"""The table of every claim, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from conformance.specs.claims.checkers import Checkers
from conformance.specs.claims.lines import CLAIMING, LineClasses, load_lines, unclassed
from conformance.specs.claims.records import (
    Checker,
    CheckEvidence,
    DocumentClaim,
    Place,
    WrittenClaim,
)
from conformance.specs.comparison import Sources, SpecDifference
from conformance.specs.data import read_data
from conformance.specs.examples import Example, load_examples
from conformance.specs.model import Spec


@cache
def load_written() -> tuple[WrittenClaim, ...]:
    """The claims that are written down, from `claims/written.yaml`."""
    return tuple(read_data("claims/written.yaml", list[WrittenClaim]))


@dataclass(frozen=True)
class ClaimTable:
    """Every claim of the documents, from what their lines are and from what cites them."""

    sources: Sources
    evidence: CheckEvidence
    lines: Mapping[str, LineClasses]
    written: Sequence[WrittenClaim]
    examples: tuple[Example, ...]

    @cached_property
    def checkers(self) -> Checkers:
        """Everything that checks something."""
        return Checkers(self.sources, self.examples, self.evidence)

    @cached_property
    def claims(self) -> tuple[DocumentClaim, ...]:
        """Every claim, in the order of the documents and their lines."""
        return tuple(
            claim
            for document, classes in self.lines.items()
            for line, what in classes.claiming(self._cited[document])
            for claim in self._at(document, line, what)
        )

    @cached_property
    def _cited(self) -> Mapping[str, set[int]]:
        """The lines of each document that something cites."""
        lines: dict[str, set[int]] = {document: set() for document in self.lines}
        for document, line in (*self.checkers.by_place, *self._by_place):
            lines[document].add(line)
        return lines

    def of(self, document: str) -> list[DocumentClaim]:
        """The claims of one document."""
        return [claim for claim in self.claims if claim.document == document]

    @cached_property
    def _by_place(self) -> Mapping[Place, list[WrittenClaim]]:
        claims: dict[Place, list[WrittenClaim]] = {}
        for claim in self.written:
            for place in claim.places:
                claims.setdefault(place, []).append(claim)
        return claims

    def _at(self, document: str, line: int, what: str) -> Iterator[DocumentClaim]:
        """The claim of a line, and those of its parts."""
        entry = self.sources.extraction[document].at(line)
        function = (self.sources.owner(document, entry) if entry else None) or ""
        spec = self.sources.specs.get(function)
        written = self._by_place.get((document, line), [])
        whole = [claim for claim in written if not claim.part]
        cited = self.derived(document, line, spec, what)
        if whole or cited or not written:
            unchecked = next((w for w in whole if w.unchecked), None)
            yield DocumentClaim(
                document,
                line,
                function or next((w.function for w in whole), ""),
                what,
                checkers=(*cited, *(c for w in whole for c in self._named(w))),
                unchecked=unchecked.unchecked if unchecked else "",
                would_check=unchecked.would_check if unchecked else "",
                says=next((w.says for w in whole), ""),
            )
        for part in written:
            if part.part:
                yield self._part(document, line, what, part)

    def _part(self, document: str, line: int, what: str, written: WrittenClaim) -> DocumentClaim:
        return DocumentClaim(
            document,
            line,
            written.function,
            what,
            written.part,
            tuple(self._named(written)),
            written.unchecked,
            written.would_check,
            written.says,
        )

    def derived(
        self, document: str, line: int, spec: Spec | None, what: str
    ) -> tuple[Checker, ...]:
        """What checks a line without being written down."""
        checkers = list(self.checkers.by_place.get((document, line), ()))
        if spec is not None and what == CLAIMING["p"]:
            checkers += self.checkers.described(spec, document, line)
        if spec is not None and what == CLAIMING["r"] and spec.accuracy is not None:
            checkers.append(self.checkers.result(spec))
        return tuple(checkers)

    def _named(self, written: WrittenClaim) -> Iterator[Checker]:
        """The checkers of a claim that is written down; those that do not exist are differences."""
        spec = self.sources.specs.get(written.function)
        for text in written.checked_by:
            try:
                yield self.checkers.named(spec, text)
            except KeyError:
                continue


def claim_table(sources: Sources, evidence: CheckEvidence) -> ClaimTable:
    """The table of what ships with the suite."""
    return ClaimTable(sources, evidence, load_lines(), load_written(), load_examples())


def table_differences(table: ClaimTable) -> Iterator[SpecDifference]:
    """Lines in no class, claims that nothing is said of, and what is written and does not hold."""
    for document, classes in table.lines.items():
        for says in unclassed(classes):
            yield SpecDifference(document, 0, "claim", "lines", says)
    yield from _unsaid(table.claims)
    for written in table.written:
        yield from _mistakes(table, written)


def _unsaid(claims: Iterable[DocumentClaim]) -> Iterator[SpecDifference]:
    """Claims without a checker and without a reason."""
    for claim in claims:
        if not claim.checked and not claim.reason:
            says = f"nothing checks {claim.what}, and claims/written.yaml does not say why"
            yield SpecDifference(claim.document, claim.line, "claim", claim.function, says)
        elif claim.checked and claim.unchecked:
            says = f"it is called unchecked, and {claim.checkers[0]} checks it"
            yield SpecDifference(claim.document, claim.line, "claim", claim.function, says)


def _mistakes(table: ClaimTable, written: WrittenClaim) -> Iterator[SpecDifference]:
    spec = table.sources.specs.get(written.function)
    for document, line in written.places:
        for says in (*_of_form(written), *_of_place(table, written, (document, line))):
            yield SpecDifference(document, line, "claim", written.function, says)
        for text in written.checked_by:
            try:
                table.checkers.named(spec, text)
            except KeyError:
                says = f"{text!r} of {written.function or 'no function'} does not exist"
                yield SpecDifference(document, line, "claim", written.function, says)


def _of_form(written: WrittenClaim) -> Iterator[str]:
    if bool(written.checked_by) == bool(written.unchecked):
        yield "it needs `checked_by` or `unchecked`, and not both"
    if written.would_check and not written.unchecked:
        yield "`would_check` is for what is unchecked"


def _of_place(table: ClaimTable, written: WrittenClaim, place: Place) -> Iterator[str]:
    """Claims on lines that claim nothing, or in the entry of another function."""
    document, line = place
    if not table.lines[document].claims(line):
        yield "claims/written.yaml cites it, and its class is none of a claim"
    entry = table.sources.extraction[document].at(line)
    owner = table.sources.owner(document, entry) if entry else written.function
    if owner != written.function:
        yield f"{written.function!r} cites it, and it is in the entry of {owner}"


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """How many claims a document makes."""

    total: int
    checked: int
    violable: int
    """How many can end in a violation."""

    @property
    def unchecked(self) -> int:
        """How many nothing checks."""
        return self.total - self.checked


def counts(claims: Sequence[DocumentClaim]) -> ClaimCounts:
    """What there is of some claims."""
    return ClaimCounts(
        total=len(claims),
        checked=sum(claim.checked for claim in claims),
        violable=sum(claim.violable for claim in claims),
    )
