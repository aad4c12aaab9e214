"""The numbered conflicts against the specs: each is attached to the functions that it concerns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.specs.comparison import Sources, SpecDifference
from conformance.specs.errata import Conflict

CONFLICTS = 142
"""How many conflicts there are: C001 to C142."""


def unattached(sources: Sources) -> Iterator[SpecDifference]:
    """Conflicts that a spec lacks or lists without reason, or that say nothing about an edition."""
    yield from _numbers(sources)
    yield from _attached(sources)
    for conflict in sources.conflicts.values():
        yield from _concerns(conflict)
        yield from _claims(conflict, sources)
        yield from _cited(conflict, sources)


def _difference(number: str, says: str, document: str = "", line: int = 0) -> SpecDifference:
    return SpecDifference(document, line, "conflict", number, f"{number}: {says}")


def _numbers(sources: Sources) -> Iterator[SpecDifference]:
    expected = {f"C{index:03d}" for index in range(1, CONFLICTS + 1)}
    for number in sorted(expected ^ sources.conflicts.keys()):
        there = "is not listed" if number in expected else "is none of the documents' conflicts"
        yield _difference(number, there)


def _attached(sources: Sources) -> Iterator[SpecDifference]:
    """Specs whose errata are not the conflicts that name their function."""
    for name, spec in sources.specs.items():
        attached = Counter(erratum.number for erratum in spec.errata)
        expected = {c.number for c in sources.conflicts.values() if name in c.functions}
        for number in sorted(expected - attached.keys()):
            yield _difference(number, f"concerns {name}, whose spec does not have it")
        for number, times in attached.items():
            if number not in expected:
                yield _difference(number, f"is attached to {name}, which it does not name")
            if times > 1:
                yield _difference(number, f"is attached to {name} twice")


def _concerns(conflict: Conflict) -> Iterator[SpecDifference]:
    if bool(conflict.functions) == conflict.prose:
        yield _difference(conflict.number, "must name functions or be prose, and not both")


def _claims(conflict: Conflict, sources: Sources) -> Iterator[SpecDifference]:
    """Functions without a spec, and editions of a function that the conflict says nothing about."""
    for name in conflict.functions:
        spec = sources.specs.get(name)
        if spec is None:
            yield _difference(conflict.number, f"concerns {name}, which has no spec")
            continue
        for edition in spec.editions:
            if conflict.claim(edition) is None:
                yield _difference(conflict.number, f"says nothing about {name} in {edition}")


def _cited(conflict: Conflict, sources: Sources) -> Iterator[SpecDifference]:
    """Lines in the entry of a function that the conflict does not name."""
    if conflict.prose:
        return
    known = {*conflict.functions, *conflict.evidence}
    for document, lines in conflict.at.items():
        for line in lines:
            entry = sources.extraction[document].at(line)
            name = None if entry is None else sources.owner(document, entry)
            if name is not None and name not in known:
                says = f"has a line in the entry of {name} and does not name it"
                yield _difference(conflict.number, says, document, line)
