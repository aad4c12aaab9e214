"""`conformance spec check`: draws from the specs, and a comparison with the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from conformance.cli.errors import USAGE, UsageProblem
from conformance.engine.planning.family_faults import family_faults
from conformance.engine.planning.spec_faults import spec_faults
from conformance.reporting.paint import Paint, make_console
from conformance.scenarios.cited import cited_exceptions, evidence
from conformance.scenarios.families import FAMILIES
from conformance.specs import SpecError, Specs, load
from conformance.specs.attachment import unattached
from conformance.specs.claims.table import (
    ClaimCounts,
    ClaimTable,
    claim_table,
    counts,
    table_differences,
)
from conformance.specs.comparison import (
    Sources,
    SpecComparison,
    SpecDifference,
    differences,
    settle,
)
from conformance.specs.errata import Conflicts, load_conflicts
from conformance.specs.extraction import (
    Explanation,
    Extraction,
    load_explanations,
    load_extraction,
)
from conformance.specs.load import spec_texts
from conformance.specs.reading import places

Item = TypeVar("Item")


def check_specs(*, explained: bool, unchecked: bool) -> int:
    """Print the mistakes in specs, or their differences from the documents; the exit status.

    Raises:
        UsageProblem: a file cannot be read.
    """
    console = make_console()
    try:
        if wrong := wrong_parts(load()):
            return _print_wrong(wrong, console)
        sources, table, outcome = _compared()
    except SpecError as error:
        raise UsageProblem(str(error), "correct the file; docs/specs.md describes it") from error
    for part in (
        *_report(sources, outcome, Paint(console), explained=explained),
        *_claims(table),
        *(_unchecked(table, Paint(console)) if unchecked else ()),
        Text(),
        _summary(outcome, Paint(console)),
    ):
        console.print(part, soft_wrap=isinstance(part, Text) and not console.is_terminal)
    return 1 if outcome.differences else 0


def wrong_parts(specs: Specs) -> list[str]:
    """The mistakes in the specs and the families of scenarios: `FILE:LINE: FUNCTION: ...`."""
    faults = [f for spec in _watched(list(specs.values()), "specs") for f in spec_faults(spec)]
    families = [family for family in FAMILIES if family.function in specs]
    failing = [f for family in _watched(families, "scenarios") for f in family_faults(family)]
    at = places(spec_texts(), [(fault.function, fault.path) for fault in faults])
    of_specs = [f"{fault.function}: {fault.path}: {fault.says}" for fault in faults]
    in_order = sorted(zip(at, of_specs, strict=True), key=lambda pair: _in_file(pair[0]))
    return [
        *(f"{place}: {says}" for place, says in in_order),
        *(f"{fault.place}: {fault.function}: {fault.says}" for fault in failing),
    ]


def _in_file(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line)


def _watched(work: Sequence[Item], description: str) -> Iterable[Item]:
    """The work, with a bar on a terminal that says how much of it is done."""
    console = make_console(stderr=True)
    return track(
        work, description, console=console, transient=True, disable=not console.is_terminal
    )


def _print_wrong(wrong: Sequence[str], console: Console) -> int:
    paint = Paint(console)
    for line in wrong:
        console.print(Text(paint.block(line), "red"), soft_wrap=True)
    words = f"specs and scenarios have {len(wrong)} wrong {'part' if len(wrong) == 1 else 'parts'}"
    console.print(paint.text(f"{words}; docs/specs.md describes the format", "bold red"))
    return USAGE


def _compared() -> tuple[Sources, ClaimTable, SpecComparison]:
    """The specs with the documents, the table of their claims, and the differences of both."""
    extraction = load_extraction()
    specs = load().printed_in(extraction)
    sources = Sources(specs, extraction, load_conflicts(), cited_exceptions())
    table = claim_table(sources, evidence())
    problems = [*differences(sources), *unattached(sources), *table_differences(table)]
    return sources, table, settle(problems, load_explanations())


def _report(
    sources: Sources, outcome: SpecComparison, paint: Paint, *, explained: bool
) -> Iterator[Table | Text]:
    yield _documents(sources.extraction)
    yield Text()
    yield paint.text(_conflicts(sources.conflicts))
    if explained and outcome.explained:
        yield Text("\nExplained", "bold")
        yield from (Text(paint.block(_reason(*pair))) for pair in outcome.explained)
    if outcome.differences:
        yield Text("\nDifferences", "bold")
        yield from (
            Text(paint.block(_line(difference)), "red") for difference in outcome.differences
        )


def _claims(table: ClaimTable) -> Iterator[Table | Text]:
    """The number of claims in each document, and their checks."""
    shown = Table(box=None, pad_edge=False)
    shown.add_column("document")
    for name in ("claims", "checked", "can end in a violation", "unchecked"):
        shown.add_column(name, justify="right")
    for document in table.lines:
        shown.add_row(document, *_numbers(counts(table.of(document))))
    shown.add_row("together", *_numbers(counts(table.claims)))
    yield Text()
    yield shown


def _numbers(counts: ClaimCounts) -> tuple[str, ...]:
    return str(counts.total), str(counts.checked), str(counts.violable), str(counts.unchecked)


def _unchecked(table: ClaimTable, paint: Paint) -> Iterator[Text]:
    """The claims that nothing checks, with the reason."""
    claims = [claim for claim in table.claims if not claim.checked]
    if claims:
        yield Text("\nUnchecked", "bold")
    for claim in claims:
        part = f" ({claim.part})" if claim.part else ""
        about = f"{claim.function or 'introduction'}, {claim.what}{part}"
        yield Text(paint.block(f"  {claim.document}:{claim.line:<6}{about}: {claim.reason}"))


def _documents(extraction: Extraction) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("document")
    for name in ("entries", "parameters", "exceptions", "examples"):
        table.add_column(name, justify="right")
    counts = {document: _counts(extraction, document) for document in extraction}
    for document, row in counts.items():
        table.add_row(document, *map(str, row))
    table.add_row("together", *(str(sum(column)) for column in zip(*counts.values(), strict=True)))
    return table


def _counts(extraction: Extraction, document: str) -> tuple[int, ...]:
    """Entries, described parameters, named exceptions and examples of a document."""
    entries = extraction[document].entries
    sizes = [(len(e.parameters), len(e.raises), len(e.examples)) for e in entries]
    return (len(entries), *(sum(column) for column in zip(*sizes, strict=True)))


def _conflicts(conflicts: Conflicts) -> str:
    prose = sum(conflict.prose for conflict in conflicts.values())
    functions = {name for conflict in conflicts.values() for name in conflict.functions}
    attached = len(conflicts) - prose
    return (
        f"{len(conflicts)} conflicts: {attached} are errata of {len(functions)} functions, "
        f"{prose} concern prose only"
    )


def _line(difference: SpecDifference) -> str:
    return f"  {difference.kind:<11}{difference.place or '-':<16}{difference.says}"


def _reason(difference: SpecDifference, explanation: Explanation) -> str:
    return f"{_line(difference)} ({explanation.erratum or explanation.because})"


def _summary(outcome: SpecComparison, paint: Paint) -> Text:
    unexplained, explained = len(outcome.differences), len(outcome.explained)
    words = (
        f"{unexplained or 'no'} unexplained {'difference' if unexplained == 1 else 'differences'}"
    )
    return paint.text(
        f"{words}, {explained} explained", "bold red" if unexplained else "bold green"
    )
