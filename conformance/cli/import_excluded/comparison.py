"""Compare a list of excluded tests with the results of a target, function by function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

import click
from msgspec import UNSET, Struct
from rich.text import Text

from conformance.cli.errors import UsageProblem
from conformance.cli.files.results import newest
from conformance.cli.import_excluded.entries import Entry, read_entries
from conformance.cli.import_excluded.functions import TestNames
from conformance.editions import known_edition
from conformance.reporting.paint import make_console
from conformance.reporting.safe_text import clean, counted
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.encoding import as_json
from conformance.results.scores import FAULTS
from conformance.specs import load
from conformance.specs.docstrings import described_release

State = Literal["fails", "unsupported", "passes", "unknown"]
"""The state of a function in the results; `unknown`: no case of it was run."""
_TESTED_BY_KERAS = frozenset(
    {Aspect.PRESENCE, Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE, Aspect.DISTRIBUTION}
)
"""The aspects whose absence makes a function unsupported: Keras's tests of functions need them."""
_TITLES: Mapping[tuple[bool, State], str] = {
    (True, "fails"): "excluded and failing here",
    (True, "unsupported"): "excluded and unsupported here",
    (True, "passes"): "excluded but passing here: perhaps stale, run these tests again",
    (True, "unknown"): "excluded, without results here",
    (False, "fails"): "failing here and not excluded",
    (False, "unsupported"): "unsupported here and not excluded",
}
_MOST_UNMAPPED = 10
"""How many lines without a function the text prints."""


class ComparedFunction(Struct, frozen=True, kw_only=True):
    """A function that a list excludes, or that does not pass."""

    function: str
    excluded: bool
    state: State
    aspects: dict[Verdict, list[Aspect]]
    """The aspects that do not pass, by verdict."""
    lines: list[int]
    """The lines of the list that exclude it."""


class ExcludedComparison(Struct, frozen=True, kw_only=True):
    """A list of excluded tests beside the results of a target."""

    file: str
    target: str
    entries: int
    """The lines of the list, without comments."""
    functions: list[ComparedFunction]
    """The functions that the list excludes, and others that do not pass."""
    unmapped: list[Entry]
    """The lines that name no function of the edition."""

    @property
    def agrees(self) -> bool:
        """Whether exactly the functions that do not pass are excluded."""
        return all(f.excluded and f.state in ("fails", "unsupported") for f in self.functions)


def print_comparison(file: Path, place: Path | None, form: str) -> int:
    """Print the comparison; the exit status.

    Raises:
        UsageProblem: the list or the results cannot be read, or are of several targets.
    """
    entries = read_entries(file)
    comparison = compare(str(file), entries, _results(place))
    if form == "json":
        click.echo(as_json(comparison).decode(), nl=False)
    else:
        console = make_console()
        for line in _lines(comparison):
            console.print(line, soft_wrap=not console.is_terminal)
    return 0 if comparison.agrees else 1


def _results(place: Path | None) -> Results:
    """The results of the only target for keras.ops in a file or folder."""
    runs = [run for run in newest([place] if place else []) if _describes_docstrings(run)]
    if len(runs) == 1:
        return runs[0]
    where = clean(str(place or "reports"))
    if not runs:
        hint = "run the backend with `conformance run TARGET --output results` first"
        raise UsageProblem(f"{where} has no results for keras.ops", hint)
    names = ", ".join(clean(run.target.name) for run in runs)
    problem = f"{where} has results of {len(runs)} targets: {names}"
    raise UsageProblem(problem, "name the results file of one, such as results/TARGET.json")


def _describes_docstrings(results: Results) -> bool:
    """Whether a run called each function, of an edition that judges by docstrings."""
    edition = known_edition(results.target.edition)
    described = None if edition is None else described_release(edition)
    return described is not None and results.composed is UNSET


def compare(file: str, entries: Sequence[Entry], results: Results) -> ExcludedComparison:
    """The comparison of a list with the results of one target."""
    specs, edition = load(), results.target.edition
    names = TestNames({n: specs.theme(n) for n, spec in specs.items() if edition in spec.editions})
    excluded = [(entry, names.functions(entry.text)) for entry in entries]
    lines: dict[str, list[int]] = {}
    for entry, functions in excluded:
        for function in functions:
            lines.setdefault(function, []).append(entry.line)
    tested = {function.function: function for function in results.functions}
    compared = [
        _compared(name, tested.get(name), lines.get(name, [])) for name in sorted({*lines, *tested})
    ]
    return ExcludedComparison(
        file=file,
        target=results.target.name,
        entries=len(entries),
        functions=[f for f in compared if f.excluded or f.state in ("fails", "unsupported")],
        unmapped=[entry for entry, functions in excluded if not functions],
    )


def _compared(name: str, result: FunctionResult | None, lines: list[int]) -> ComparedFunction:
    aspects: dict[Verdict, list[Aspect]] = {}
    for aspect in result.aspects if result else ():
        aspects.setdefault(aspect.verdict, []).append(aspect.aspect)
    lacking = [a for a in aspects.get(Verdict.UNSUPPORTED, ()) if a in _TESTED_BY_KERAS]
    shown = {v: aspects[v] for v in FAULTS if v in aspects}
    shown |= {Verdict.UNSUPPORTED: lacking} if lacking else {}
    return ComparedFunction(
        function=name,
        excluded=bool(lines),
        state=_state(aspects, shown),
        aspects=shown,
        lines=lines,
    )


def _state(aspects: Mapping[Verdict, list[Aspect]], shown: Mapping[Verdict, list[Aspect]]) -> State:
    if any(verdict in shown for verdict in FAULTS):
        return "fails"
    if Verdict.UNSUPPORTED in shown:
        return "unsupported"
    judged = Verdict.CONFORMS in aspects or Verdict.DIVERGES in aspects
    unfinished = Verdict.NOT_RUN in aspects or Verdict.ERROR in aspects
    return "passes" if judged and not unfinished else "unknown"


def _lines(comparison: ExcludedComparison) -> Iterator[Text]:
    groups = {
        title: [f for f in comparison.functions if (f.excluded, f.state) == key]
        for key, title in _TITLES.items()
    }
    for title, functions in groups.items():
        if functions:
            yield Text(f"{title}: {len(functions)}", style="bold")
            yield from (Text(f"  {clean(_row(function))}") for function in functions)
    if unmapped := comparison.unmapped:
        yield Text(f"lines that name no function of keras.ops: {len(unmapped)}", style="bold")
        yield from (Text(f"  {e.line}: {clean(e.text)}") for e in unmapped[:_MOST_UNMAPPED])
        if len(unmapped) > _MOST_UNMAPPED:
            more = len(unmapped) - _MOST_UNMAPPED
            yield Text(f"  and {counted(more, 'other line')}; --format json lists all")
    yield Text(_summary(comparison))


def _row(function: ComparedFunction) -> str:
    aspects = "; ".join(f"{v} {', '.join(a)}" for v, a in function.aspects.items())
    lines = f"({'line' if len(function.lines) == 1 else 'lines'} {_ranges(function.lines)})"
    return " ".join([function.function, *filter(None, [aspects]), *([lines] * function.excluded)])


def _ranges(numbers: Sequence[int]) -> str:
    """`3, 7-9` for 3, 7, 8, 9."""
    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    ends = ([number for _, number in run] for _, run in runs)
    return ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in ends)


def _summary(comparison: ExcludedComparison) -> str:
    excluded = [f.state for f in comparison.functions if f.excluded]
    others = len(comparison.functions) - len(excluded)
    counts = f"{excluded.count('fails')} fail, {excluded.count('unsupported')} are unsupported, "
    counts += f"{excluded.count('passes')} pass"
    if unknown := excluded.count("unknown"):
        counts += f", {unknown} have no results"
    return (
        f"{clean(comparison.file)}: {counted(comparison.entries, 'line')}, "
        f"{counted(len(excluded), 'excluded function')}; on {clean(comparison.target)} {counts}; "
        f"{counted(others, 'other function')} fail or are unsupported"
    )
