"""The signatures of documents and targets, each different one once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.reporting.documented import DocumentedFunction, PrintedSignature
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import TargetView


@dataclass(slots=True, kw_only=True)
class SignatureRow:
    """A signature with its parameters, and all that have it."""

    name: str
    parameters: list[tuple[str, bool]]
    """Each with whether it is marked as a difference."""
    sources: list[PrintedSignature] = field(default_factory=list)
    """Where documents print it."""
    targets: list[TargetView] = field(default_factory=list)


def signature_rows(
    name: str, tested: Sequence[TargetView], known: DocumentedFunction
) -> list[SignatureRow]:
    """The signatures of the documents, then those that only targets have.

    Marked are parameters that not every document has; for a target, those that the document of its
    edition lacks. A target that lacks nothing and adds nothing stands beside its document.
    """
    common = _common([s.parameters for s in known.signatures])
    rows: list[SignatureRow] = []
    for source in known.signatures:
        marked = [(p, p not in common) for p in source.parameters]
        _row(rows, source.name, marked).sources.append(source)
    documents = {(row.name, *(p for p, _ in row.parameters)): row for row in rows}
    for target, own in _offered(name, tested, known):
        row = documents.get((name, *(p for p, _ in own)))
        if row is None or any(differs for _, differs in own):
            row = _row(rows, name, own, of_documents=False)
        row.targets.append(target)
    return rows


def _row(
    rows: list[SignatureRow],
    name: str,
    marked: list[tuple[str, bool]],
    *,
    of_documents: bool = True,
) -> SignatureRow:
    """The row of this signature, a new one if there is none."""
    for row in rows:
        if (row.name, row.parameters, bool(row.sources)) == (name, marked, of_documents):
            return row
    rows.append(SignatureRow(name=name, parameters=marked))
    return rows[-1]


def _common(rows: Sequence[Sequence[str]]) -> set[str]:
    return set.intersection(*map(set, rows)) if rows else set()


def _offered(
    name: str, tested: Sequence[TargetView], known: DocumentedFunction
) -> Iterator[tuple[TargetView, list[tuple[str, bool]]]]:
    for target in tested:
        text = target.functions[name].signature
        if isinstance(text, str):
            binding = [s for s in known.signatures if target.edition in s.editions]
            names = binding[0].parameters if binding else []
            yield target, [(p, not _belongs(p, names)) for p in parameters(clean(text))]


def _belongs(parameter: str, documented: Sequence[str]) -> bool:
    """Whether a document has the parameter; a default printed as `...` stands for any."""
    return parameter in documented or f"{parameter.partition('=')[0]}=..." in documented


def parameters(text: str) -> list[str]:
    """The parameters in `(x, axes=(1, 2))`, each with its default."""
    parts, depth = [""], 0
    for character in text.strip().removeprefix("(").removesuffix(")"):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [p.strip() for p in parts if p.strip()]


def wrong_signatures(name: str, tested: Sequence[TargetView]) -> list[tuple[str, list[TargetView]]]:
    """The faults of signatures, in words, and whose they are."""
    grouped: dict[str, list[TargetView]] = {}
    for target in tested:
        aspect = target.aspects(name).get("signature")
        for failure in aspect.failures if aspect else ():
            grouped.setdefault(clean(failure.message), []).append(target)
    return list(grouped.items())
