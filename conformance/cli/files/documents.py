"""The specs as the plain data that reports are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conformance.adapters import project, registry
from conformance.adapters.registry import RegistryError
from conformance.cli.errors import UsageProblem
from conformance.reporting import documented as records
from conformance.specs import Spec, Specs, load, load_conventions
from conformance.specs.documents.glosses import load_glosses
from conformance.specs.documents.texts import TextRecord, Texts, TextsError, find_texts, load_texts
from conformance.specs.errata import Conflict, load_conflicts
from conformance.specs.extraction import load_extraction
from conformance.specs.load import general_claims
from conformance.specs.model import (
    Accuracy,
    Conditioned,
    Contraction,
    DocumentedSignature,
    ErrorCase,
    Exact,
    Ulp,
)
from conformance.specs.places import place_of_signature, places
from conformance.specs.signature import parse

_KINDS = {
    "V": "the API changed",
    "X": "documents disagree",
    "S": "it contradicts itself",
    "E": "an error",
}


def documented(specs: Specs | None = None) -> records.Documented:
    """The statements of the documents on every function."""
    specs = load() if specs is None else specs
    functions = {name: _function(spec, specs.theme(name)) for name, spec in specs.items()}
    return records.Documented(functions, _conventions(), documents())


def documents() -> dict[str, records.DocumentText]:
    """The facts about each of the five documents."""
    return {name: _document(record) for name, record in load_texts().items()}


def _document(record: TextRecord) -> records.DocumentText:
    return records.DocumentText(
        name=record.document,
        title=record.title,
        language=record.language,
        form=record.form,
        keras=record.keras,
        because=record.because,
        editions=[str(edition) for edition in record.editions],
        origin=record.origin,
        lines=record.lines,
        bytes=record.bytes,
        sha256=record.sha256,
        public=record.address(),
        entries=list(_entries(record)),
        claims=[
            records.DocumentedClaim(gloss.line, gloss.function, gloss.says)
            for gloss in load_glosses()[record.document]
        ],
        faults=[_fault(c, lines) for c in _errata_of(record) if (lines := c.at[record.document])],
    )


def _entries(record: TextRecord) -> Iterator[records.DocumentedEntry]:
    entries = load_extraction()[record.document].entries
    ends = [*(following.start - 1 for following in entries[1:]), record.lines]
    for entry, end in zip(entries, ends, strict=True):
        yield records.DocumentedEntry(
            function=entry.text.partition("(")[0],
            first=entry.start,
            last=end,
            signature=entry.signature[0],
            printed=entry.signature[1],
        )


def _errata_of(record: TextRecord) -> list[Conflict]:
    return [c for c in load_conflicts().values() if record.document in c.at]


def _fault(conflict: Conflict, lines: list[int]) -> records.DocumentFault:
    tested = (
        text if edition == "all" else f"{edition}: {text}"
        for edition, text in conflict.says.items()
    )
    return records.DocumentFault(
        number=conflict.number,
        title=conflict.title,
        lines=lines,
        kinds=[_KINDS[kind] for kind in conflict.kinds],
        tested="; ".join(tested),
    )


def _conventions() -> dict[str, records.StatedConvention]:
    known = load_conventions()
    return {
        name: records.StatedConvention(name=name, says=convention.says, source=convention.source)
        for name, convention in known.items()
    }


def _function(spec: Spec, theme: str) -> records.DocumentedFunction:
    known = _conventions()
    silent = dict.fromkeys([*(u.convention for u in spec.unsettled), *spec.profiles.values()])
    return records.DocumentedFunction(
        name=spec.name,
        theme=theme,
        summary=spec.summary,
        editions=[str(e) for e in spec.editions],
        signatures=[_signature(spec, d, s) for d, s in spec.signatures.items()],
        renamed=dict(spec.renamed),
        claims=list(_claims(spec)),
        errors=[_error(spec, error) for error in spec.errors],
        errata=list(_errata(spec)),
        conventions=[known[name] for name in silent if name in known],
        accuracy=None if spec.accuracy is None else _accuracy(spec.accuracy),
    )


def _signature(spec: Spec, document: str, entry: DocumentedSignature) -> records.PrintedSignature:
    holds = parse(entry.corrected or entry.text)
    return records.PrintedSignature(
        document=str(document),
        at=place_of_signature(document, entry),
        name=holds.name,
        parameters=[p.name if p.required else f"{p.name}={p.default}" for p in holds.parameters],
        printed=entry.text if entry.corrected is not None else None,
        erratum=entry.erratum,
        editions=[str(e) for e, d in spec.editions.items() if d == document],
    )


def _claims(spec: Spec) -> Iterator[records.DocumentedDemand]:
    for claim in (*spec.claims, *general_claims()):
        at = {d: place for d, place in places(spec.name, claim).items() if d in spec.signatures}
        if at:
            yield records.DocumentedDemand(about=str(claim.aspect), says=claim.says, at=at)


def _error(spec: Spec, error: ErrorCase) -> records.DocumentedDemand:
    kind = "any exception" if error.exception == "any" else error.exception
    at = places(spec.name, error) or {"": f"convention {error.convention}"}
    return records.DocumentedDemand(about=kind, says=error.says, at=at)


def _errata(spec: Spec) -> Iterator[records.Correction]:
    conflicts = load_conflicts()
    for erratum in spec.errata:
        conflict = conflicts[erratum.number]
        at = [f"{d}:{line}" for d, lines in conflict.at.items() for line in lines]
        yield records.Correction(
            number=erratum.number, title=conflict.title, claim=erratum.claim, at=at
        )


def _accuracy(accuracy: Accuracy) -> str:
    match accuracy:
        case Exact():
            return "exact: every element, to the bit"
        case Ulp(limit=limit, source=source, angle=angle):
            rounded = "; numbers beyond 1e4 may be rounded again" if angle else ""
            return f"at most {limit:g} ULP for each element ({source}){rounded}"
        case Contraction():
            return "the bound of a sum of terms, γₙ·Σ|terms|, for each element"
        case Conditioned(factor=factor):
            return f"{factor:g} times what one rounding of the inputs changes, for each element"


NO_TEXTS = Texts({})
_HINT = "docs/documents/README.md says which texts they are, and where some can be had"


def known_texts(folder: Path | None, config: Path | None = None) -> Texts:
    """The texts in `folder`, or in the folder that `documents` names in `config`.

    The default of `config` is the project's file. Without a folder there are no texts.

    Raises:
        UsageProblem: the folder has none of the texts, or the file is wrong.
    """
    try:
        place = _of_project(config) if folder is None else folder
        return NO_TEXTS if place is None else find_texts(place)
    except TextsError as error:
        raise UsageProblem(str(error), _HINT) from error
    except RegistryError as error:
        raise UsageProblem(str(error), "docs/targets.md explains every field") from error


def _of_project(config: Path | None) -> Path | None:
    file = config or project.find(Path.cwd())
    return None if file is None else registry.documents_folder(file)
