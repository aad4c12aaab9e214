"""A page for those who move old code: what takes the place of each function, and how it fares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.markdown_text import code, escape, fenced
from conformance.reporting.marks import GRAVEST_FIRST, MARKS, READING
from conformance.results import Aspect, AspectResult, Failure, FunctionResult, Results, Verdict
from conformance.results.scores import DEVIATIONS, diverges, standing, worst

NOT_OF_CALLS = frozenset({Aspect.PRESENCE, Aspect.SIGNATURE, Aspect.GRADIENT})
"""Aspects that say nothing of a call: a table has the documented signatures, and gradients are
taken by other means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationRow:
    """One function: its documented signature, and the lines or the expression that replace it."""

    name: str
    old: str
    new: str
    """Empty where nothing takes its place."""
    differs: str = ""
    remark: str = ""
    on: Mapping[str, str] = field(default_factory=dict)
    """Differences on one target alone."""
    left_out: Sequence[str] = ()
    """The parameters that the new call leaves out."""
    refuses: Sequence[str] = ()
    """Its own refusals."""


def unproven(rows: Iterable[MigrationRow], results: Sequence[Results]) -> Iterator[str]:
    """One line for each claim that the results do not bear out.

    A function that no result has is passed over; a claim that something differs has to be shown by
    a case of a whole run.
    """
    for row in rows:
        functions = {target.target.name: f for target in results if (f := _of(target, row.name))}
        if row.new:
            yield from _unnoted(row, functions)
            yield from _unshown(row, functions)
        else:
            yield from _present(row, functions)


def tried(
    functions: Iterable[FunctionResult], verdicts: Iterable[Verdict] = Verdict
) -> list[ListedFailure]:
    """The failures with these verdicts in the aspects that a call is judged by, gravest first."""
    return [f for f in listed_failures(functions, *verdicts) if f.aspect.aspect not in NOT_OF_CALLS]


def _of(results: Results, name: str) -> FunctionResult | None:
    return next((f for f in results.functions if f.function == name), None)


def _unnoted(row: MigrationRow, functions: Mapping[str, FunctionResult]) -> Iterator[str]:
    for target, function in functions.items():
        if row.differs or target in row.on:
            continue
        for failure in tried([function], DEVIATIONS):
            text = (
                f"{failure.failure.id}: {failure.failure.message}" if failure.failure else "no case"
            )
            where = f"{failure.aspect.aspect} {failure.verdict} on {target}"
            yield f"{row.name}: the mapping states no difference, but {where}: {text}"


def _unshown(row: MigrationRow, functions: Mapping[str, FunctionResult]) -> Iterator[str]:
    claims = [(row.differs, list(functions))] if row.differs else []
    claims += [(text, [name]) for name, text in row.on.items() if name in functions]
    for text, targets in claims:
        if targets and not any(_shows(functions[name]) for name in targets):
            where = ", ".join(targets)
            yield f"{row.name}: no case on {where} shows the stated difference: {text}"


def _shows(function: FunctionResult) -> bool:
    other = (*DEVIATIONS, Verdict.DIVERGES, Verdict.UNSUPPORTED)
    return any(a.aspect not in NOT_OF_CALLS and a.verdict in other for a in function.aspects)


def _present(row: MigrationRow, functions: Mapping[str, FunctionResult]) -> Iterator[str]:
    for target, function in functions.items():
        presence = (a for a in function.aspects if a.aspect is Aspect.PRESENCE)
        if any(a.verdict is Verdict.CONFORMS for a in presence):
            yield f"{row.name}: absent in the mapping, but {target} has it"


_NOTHING = Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE

_TABLE = f"""\
The suite ran each row. A mark shows the verdict of the cases on the new call on a backend, names
the aspects and links to the cases.

* ✓ every case follows the documents
* {MARKS[Verdict.CHANGED].symbol} the call differs from a line of the documents of K: a change, and
  not a fault of Keras 3, which its own docstrings judge (keras3.md)
* {READING.symbol} beside another mark: the documents are silent, and the answer is an allowed one,
  not the suite's own; this is not a fault
* {MARKS[Verdict.UNSUPPORTED].symbol} nothing to try: no call takes its place, or it refuses itself
* {MARKS[Verdict.TIMED_OUT].symbol} no answer within the limit of time
* {MARKS[Verdict.CRASHED].symbol} the process ended

The table omits presence, signature and gradient. `conformance migration RESULTS --check` checks it
against the results: it must name each difference from the documents, and a case must show each
difference that it names.
"""

_CASES = """\
## Cases that fail or take another reading

The smallest for each, with its id.
`conformance show FUNCTION --results RESULTS --failure ID --script` prints a script that shows it
with Keras alone; in the pages that `conformance report RESULTS --output site` makes it stands
under `functions/FUNCTION.html#failures`.
"""


def migration_page(
    title: str,
    notes: Sequence[str],
    rows: Sequence[MigrationRow],
    results: Sequence[Results],
    command: str,
) -> str:
    """The page in Markdown; `notes` precede the tables, and `command` is how it was made."""
    by_name = {row.name: row for row in rows}
    lines = [f"# {escape(title)}", "", *_origin(results, command), "", *_TABLE.splitlines(), ""]
    lines += [f"* {note}" for note in notes]
    for theme, names in _themes(by_name, results).items():
        lines += ["", f"## {escape(theme)}", "", *_table([by_name[n] for n in names], results)]
    lines += ["", *_long(rows)]
    lines += ["", *_cases(by_name, results)]
    return "\n".join(lines).rstrip() + "\n"


def _origin(results: Sequence[Results], command: str) -> Iterator[str]:
    yield "Made from the mapping and from results by:"
    yield ""
    for target in results:
        run = target.run
        again = f"conformance run {target.target.name} --profile {run.profile} --seed {run.seed}"
        yield f"    {again} --output RESULTS"
    yield f"    {command}"
    yield ""
    for target in results:
        versions = ", ".join(f"{k} {v}" for k, v in sorted(target.target.versions.items()))
        part = "" if target.run.whole else ", partial run"
        cases = f"{target.run.cases} cases, suite {target.run.suite_version}{part}"
        python = f"Python {target.target.python}"
        yield f"* {code(target.target.name)}: {escape(versions)}; {python}; {cases}"


def _themes(rows: Mapping[str, MigrationRow], results: Sequence[Results]) -> dict[str, list[str]]:
    """The functions by theme, in the order of the results; those without results are last."""
    themes: dict[str, list[str]] = {}
    seen: set[str] = set()
    for function in (f for target in results for f in target.functions):
        if function.function in rows and function.function not in seen:
            seen.add(function.function)
            themes.setdefault(function.theme, []).append(function.function)
    if rest := [name for name in rows if name not in seen]:
        themes["not run"] = rest
    return themes


def _table(rows: Iterable[MigrationRow], results: Sequence[Results]) -> Iterator[str]:
    head = ["old", "new", *(target.target.name for target in results), "differs", "remark"]
    yield _line([escape(part) for part in head])
    yield _line(["---"] * len(head))
    for row in rows:
        marks = [_cell(target, row.name) for target in results]
        new = _new(row)
        yield _line([_code(row.old), new, *marks, _text(_differing(row)), _text(row.remark)])


def _differing(row: MigrationRow) -> str:
    """All differences from the old function, in Markdown."""
    left_out = f"takes no {', '.join(f'`{name}`' for name in row.left_out)}" if row.left_out else ""
    alone = (f"`{target}`: {text}" for target, text in row.on.items())
    refused = f"refuses: {'; '.join(dict.fromkeys(row.refuses))}" if row.refuses else ""
    return ". ".join(filter(None, [row.differs, *alone, left_out, refused]))


def _new(row: MigrationRow) -> str:
    if not row.new:
        return ""
    return f"[code](#{row.name})" if "\n" in row.new else _code(row.new)


def _text(markdown: str) -> str:
    """A table's own words, which may hold code, in one cell."""
    return " ".join(markdown.split()).replace("|", "\\|")


def _code(text: str) -> str:
    """The text in code style, on one line of a table."""
    return f"`{_text(text)}`"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(results: Results, name: str) -> str:
    function = next((f for f in results.functions if f.function == name), None)
    if function is None:
        return MARKS[Verdict.NOT_APPLICABLE].symbol
    judged = [
        a for a in function.aspects if a.aspect not in NOT_OF_CALLS and a.verdict not in _NOTHING
    ]
    if not judged:
        return MARKS[Verdict.UNSUPPORTED].symbol
    text = " ".join(filter(None, [_standing(judged), _diverging(judged)]))
    plain = text == MARKS[Verdict.CONFORMS].symbol or not any(a.failures for a in judged)
    return text if plain else f"[{text}](#{name}-cases)"


def _standing(judged: Sequence[AspectResult]) -> str:
    """The gravest fault, change or lack, and the aspects that show it."""
    gravest = worst(judged)
    symbol = MARKS[gravest].symbol
    if gravest is Verdict.CONFORMS:
        return symbol
    return f"{symbol} {', '.join(str(a.aspect) for a in judged if standing(a) is gravest)}"


def _diverging(judged: Sequence[AspectResult]) -> str:
    """The aspects that take another reading."""
    where = ", ".join(str(a.aspect) for a in judged if diverges(a))
    return f"{READING.symbol} {where}" if where else ""


def _long(rows: Iterable[MigrationRow]) -> Iterator[str]:
    longer = [row for row in rows if "\n" in row.new]
    if longer:
        yield "## Calls of several lines"
    for row in longer:
        body = "\n".join(f"    {line}" for line in row.new.strip().splitlines())
        yield from ("", f"### {row.name}", "")
        yield from fenced(f"def {row.old}:\n{body}")


def _cases(rows: Mapping[str, MigrationRow], results: Sequence[Results]) -> Iterator[str]:
    """Every failure once under its function, with the targets that show it; gravest first."""
    yield from _CASES.splitlines()
    for name in rows:
        seen = _failures(name, results)
        if seen:
            yield from ("", f"### {name}: cases", "")
        for failure, aspect, targets in seen:
            names = ", ".join(code(t) for t in targets)
            mark = MARKS[failure.verdict].symbol
            yield f"* {mark} {aspect} ({code(failure.id)}; {names}): {escape(failure.message)}"


def _failures(name: str, results: Sequence[Results]) -> list[tuple[Failure, Aspect, list[str]]]:
    seen: dict[str, tuple[Failure, Aspect, list[str]]] = {}
    for target in results:
        for item in tried([f for f in target.functions if f.function == name]):
            failure, aspect = item.failure, item.aspect.aspect
            if failure is not None:
                seen.setdefault(failure.id, (failure, aspect, []))[2].append(target.target.name)
    return sorted(seen.values(), key=lambda entry: GRAVEST_FIRST.index(entry[0].verdict))
