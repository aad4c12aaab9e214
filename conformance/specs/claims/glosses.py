"""What each claim of the documents says, in our words: a gloss.

A line that is written down, or that a spec cites, has its own words there. What a parameter is
follows from its kind, and what a result is from the function's summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from conformance.specs.claims.records import Checker, DocumentClaim
from conformance.specs.claims.words import named
from conformance.specs.examples import ExampleResult, load_examples
from conformance.specs.load import general_claims
from conformance.specs.model import Claim, Spec

_IS_EXAMPLE = re.compile(r"[EPIS][0-9]+[.]")
"""The names of checks that are results of examples."""


def gloss(claim: DocumentClaim, specs: Mapping[str, Spec]) -> str:
    """A claim in English."""
    if claim.says:
        return f"{claim.says} ({claim.part})" if claim.part else claim.says
    checkers = sorted(claim.checkers, key=lambda c: (c.kind != "parameter", c.kind, c.name))
    texts = dict.fromkeys(text for c in checkers for text in _of(c, claim, specs) if text)
    return "; ".join(texts) or claim.what


def _of(checker: Checker, claim: DocumentClaim, specs: Mapping[str, Spec]) -> Iterator[str]:
    spec = specs.get(checker.function)
    if checker.kind == "claim":
        claims = general_claims() if spec is None else spec.claims
        yield from _claims([c for c in claims if c.aspect == checker.name], claim)
    elif checker.kind == "check":
        yield "" if _IS_EXAMPLE.match(checker.name) else checker.name
    elif checker.kind == "example":
        yield _example(checker.name)
    elif spec is not None:
        yield from _of_spec(checker, claim, spec)


def _claims(claims: Sequence[Claim], claim: DocumentClaim) -> Iterator[str]:
    """Those that cite the line; all, if none does."""
    document = claim.document
    here = [cited for cited in claims if cited.at.get(document) == claim.line]
    yield from (cited.says.rstrip(".") for cited in here or claims)


def _of_spec(checker: Checker, claim: DocumentClaim, spec: Spec) -> Iterator[str]:
    match checker.kind:
        case "parameter":
            yield f"`{checker.name}`: {named(checker.name, spec.parameters[checker.name])}"
        case "error":
            yield from (f"an error unless {e.says}" for e in spec.errors if e.name == checker.name)
        case "signature":
            printed = spec.signatures.get(claim.document)
            yield f"`{printed.corrected or printed.text}`" if printed else ""
        case "result":
            yield f"the result: {spec.summary[:1].lower()}{spec.summary[1:].rstrip('.')}"


def _example(number: str) -> str:
    """`K.shape(x)`, or all lines of an example of which this is the number."""
    example, _, result = number.partition(".")
    record = next(e for e in load_examples() if e.id == example)
    if result:
        return next(f"`{shown.show}`" for shown in record.shown if shown.id == number)
    lines = [i.show if isinstance(i, ExampleResult) else i.code for i in record.program]
    return f"`{'; '.join(lines)}`" if lines else record.prose or ""
