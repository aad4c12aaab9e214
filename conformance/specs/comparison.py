"""The specs against the documents: every difference that nothing explains is a mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from conformance.editions import LINED_DOCUMENTS, Document, Edition
from conformance.specs.errata import Conflicts
from conformance.specs.extraction import DocumentEntry, Explanation, Extraction, Kind
from conformance.specs.load import Specs
from conformance.specs.model import DocumentedSignature, Spec
from conformance.specs.signature import parse

ENTRIES = {"ja-1": 104, "ja-1-text": 104, "ja-2.0": 144, "zh-TW": 138, "ko-2.2": 149}
"""How many entries each document has."""

FUNCTIONS = 153
"""How many functions the documents have together."""

BOUND: dict[Edition, Document] = {"keras-1": "ja-1", "keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}
"""The document that binds each edition."""

Place = tuple[str, str, int]
"""A function, a document and a line of it."""


@dataclass(frozen=True)
class Sources:
    """Everything that is compared."""

    specs: Specs
    extraction: Extraction
    conflicts: Conflicts
    provoked: Collection[Place] = field(default_factory=frozenset)
    """The lines of exceptions that tests other than the specs' own error cases provoke."""

    @cached_property
    def _signed(self) -> dict[tuple[str, int], str]:
        """The function whose signature a spec places on a line of a document."""
        return {
            (document, signature.line): name
            for name, spec in self.specs.items()
            for document, signature in _signatures(spec).items()
        }

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return self.specs.aliases()

    def owner(self, document: str, entry: DocumentEntry) -> str | None:
        """The function whose entry it is; None if there is no spec of it."""
        printed = parse(entry.text).name
        named = self._aliases.get(printed, printed)
        known = named if named in self.specs else None
        return self._signed.get((document, entry.signature[0]), known)


@dataclass(frozen=True, slots=True, order=True)
class SpecDifference:
    """A place where a spec and a document differ; `document` is empty if it concerns none."""

    document: str
    line: int
    kind: Kind
    name: str
    """What it is about: a parameter, a heading, a function, a conflict."""
    says: str

    @property
    def place(self) -> str:
        """`ja-1:119`, or an empty text."""
        return f"{self.document}:{self.line}" if self.document else ""


@dataclass(frozen=True, slots=True)
class SpecComparison:
    """The differences that are mistakes, and those that are explained."""

    differences: list[SpecDifference]
    explained: list[tuple[SpecDifference, Explanation]]


def settle(
    differences: Iterable[SpecDifference], explanations: Sequence[Explanation]
) -> SpecComparison:
    """The differences with what explains them; an explanation of nothing is a difference itself."""
    outcome = SpecComparison([], [])
    known = {(e.kind, e.document, e.line, name): e for e in explanations for name in e.names}
    used = set()
    for difference in sorted(differences):
        key = (difference.kind, difference.document, difference.line, difference.name)
        if key in known:
            used.add(key)
            outcome.explained.append((difference, known[key]))
        else:
            outcome.differences.append(difference)
    outcome.differences.extend(_stale(*key) for key in known if key not in used)
    return outcome


def _stale(kind: Kind, document: str, line: int, name: str) -> SpecDifference:
    says = f"explained.yaml explains a difference in {kind} that is not there; remove {name!r}"
    return SpecDifference(document, line, "stale", name, says)


def differences(sources: Sources) -> Iterator[SpecDifference]:
    """Every difference of the specs from the entries of the documents, explained or not."""
    for check in (_counts, _entries):
        yield from check(sources)
    for spec in sources.specs.values():
        for look in (_printed, _corrections, _headings, _names, _editions, _parameters):
            yield from look(spec, sources)
        for look in (_exceptions, _undocumented_exceptions, _cited_lines):
            yield from look(spec, sources)


def _signatures(spec: Spec) -> dict[str, DocumentedSignature]:
    return {str(document): signature for document, signature in spec.signatures.items()}


def _pairs(
    spec: Spec, sources: Sources
) -> Iterator[tuple[str, DocumentedSignature, DocumentEntry]]:
    """Each signature of a spec with the entry that prints it."""
    for document, signature in _signatures(spec).items():
        entry = sources.extraction[document].signed(signature.line)
        if entry is not None:
            yield document, signature, entry


def _counts(sources: Sources) -> Iterator[SpecDifference]:
    for document in LINED_DOCUMENTS:
        number = len(sources.extraction[document].entries)
        if number != ENTRIES[document]:
            says = f"{number} entries are extracted, the document has {ENTRIES[document]}"
            yield SpecDifference(document, 1, "count", "entries", says)
    if len(sources.specs) != FUNCTIONS:
        says = f"there are {len(sources.specs)} specs for {FUNCTIONS} functions"
        yield SpecDifference("", 0, "count", "specs", says)


def _entries(sources: Sources) -> Iterator[SpecDifference]:
    """Entries that no spec has."""
    for document, pages in sources.extraction.items():
        lines = {
            signatures[document].line
            for spec in sources.specs.values()
            if document in (signatures := _signatures(spec))
        }
        for entry in pages.entries:
            line, text = entry.signature
            if line not in lines:
                name = parse(entry.text).name
                says = f"no spec has the signature {text}"
                yield SpecDifference(document, line, "entry", name, says)


def _printed(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Signatures that the document prints otherwise, or on another line."""
    for document, signature in _signatures(spec).items():
        entry = sources.extraction[document].signed(signature.line)
        if entry is None:
            says = f"the document prints no signature here, the spec has {signature.text}"
        elif entry.text != signature.text:
            says = f"the document prints {entry.text}, the spec has {signature.text}"
        else:
            continue
        yield SpecDifference(document, signature.line, "signature", spec.name, says)


def _corrections(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:  # noqa: ARG001
    """Corrected signatures whose erratum is not among the spec's own."""
    numbers = {erratum.number for erratum in spec.errata}
    for document, signature in _signatures(spec).items():
        if signature.corrected is None and signature.erratum is None:
            continue
        if signature.erratum in numbers and signature.corrected not in (None, signature.text):
            continue
        says = f"{signature.text} is corrected to {signature.corrected} by {signature.erratum}"
        says += ", which is not among the errata or corrects nothing"
        yield SpecDifference(document, signature.line, "correction", spec.name, says)


def _headings(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Headings that do not name the function of the signature below them."""
    for document, signature, entry in _pairs(spec, sources):
        called = parse(signature.corrected or signature.text).name
        printed = None if entry.heading is None else entry.heading[1].lstrip("# ")
        if printed != called:
            says = f"the heading of {called} is {printed!r}"
            yield SpecDifference(document, entry.start, "heading", printed or called, says)


def _names(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Documents that use another name for the function."""
    for document, signature, _ in _pairs(spec, sources):
        called = parse(signature.corrected or signature.text).name
        if called != spec.name:
            says = f"{spec.name} is called {called}"
            yield SpecDifference(document, signature.line, "name", called, says)


def _editions(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:  # noqa: ARG001
    """Editions that are not bound by their own document."""
    expected = {(e, d) for e, d in BOUND.items() if d in spec.signatures}
    bound = set(spec.editions.items())
    for edition, document in sorted(expected ^ bound):
        verb = "is not" if (edition, document) in expected else "is"
        says = f"{edition} of {spec.name} {verb} bound by {document}"
        yield SpecDifference(document, spec.signatures[document].line, "edition", spec.name, says)


def _parameters(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Parameters that are described and not in the signature, not described, or described twice."""
    for document, signature, entry in _pairs(spec, sources):
        text = signature.corrected or signature.text
        names = [p.name for p in parse(text).parameters]
        names += [n for n, _ in entry.parameters if n.startswith("*") and n in text]
        yield from _strange(document, entry, names)
        described = {name for name, _ in entry.parameters}
        for name in names:
            if described and name not in described:
                says = f"{name} is in the signature of {spec.name} and not described as others are"
                yield SpecDifference(document, signature.line, "parameter", name, says)


def _strange(document: str, entry: DocumentEntry, names: list[str]) -> Iterator[SpecDifference]:
    seen = set()
    for name, line in entry.parameters:
        if name in seen or name not in names:
            fault = "described twice" if name in seen else "not in the signature"
            says = f"{name} of {parse(entry.text).name} is {fault}"
            yield SpecDifference(document, line, "parameter", name, says)
        seen.add(name)


def _exceptions(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Documented exceptions that no test provokes."""
    for document, _, entry in _pairs(spec, sources):
        for exception, line in entry.raises:
            if (spec.name, document, line) not in sources.provoked and not any(
                error.exception == exception and _lines(error.at).get(document) == line
                for error in spec.errors
            ):
                says = f"nothing provokes the {exception} of {spec.name} that is documented here"
                yield SpecDifference(document, line, "exception", exception, says)


def _undocumented_exceptions(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Exceptions that a case names and the line it cites does not; `any` names none."""
    raises = {
        (document, line): exception
        for document, _, entry in _pairs(spec, sources)
        for exception, line in entry.raises
    }
    for error in spec.errors:
        for document, line in _lines(error.at).items():
            if error.exception not in ("any", raises.get((document, line))):
                says = f"{spec.name} ({error.name}) cites it, and it documents no {error.exception}"
                yield SpecDifference(document, line, "exception", error.name, says)


def _cited_lines(spec: Spec, sources: Sources) -> Iterator[SpecDifference]:
    """Lines that are cited from the entry of another function; the introduction is everyone's."""
    cited = [(str(claim.aspect), claim.at) for claim in spec.claims]
    cited += [(error.name, error.at) for error in spec.errors]
    for what, at in cited:
        for document, line in _lines(at).items():
            entry = sources.extraction[document].at(line)
            if entry is not None and sources.owner(document, entry) != spec.name:
                says = f"{spec.name} cites it ({what}), and it is not in its entry"
                yield SpecDifference(document, line, "line", spec.name, says)


def _lines(at: dict[Document, int]) -> dict[str, int]:
    return {str(document): line for document, line in at.items()}
