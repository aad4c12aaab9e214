"""A page for those who move old code: what takes the place of each function, and how it fares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.reporting.markdown import code, escape, fenced
from conformance.reporting.plain import MARKS, findings, worst
from conformance.results import Aspect, AspectResult, Failure, FunctionResult, Results, Verdict

ASIDE = frozenset({Aspect.PRESENCE, Aspect.SIGNATURE, Aspect.GRADIENT})
"""What says nothing of a call: a table has the documented signatures, and gradients are taken by
other means."""

_NOTHING = Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE

_TABLE = f"""\
Each row was run: a mark says what the cases of the suite made of the new call on a backend, and
names the aspects that do not conform.

* ✓ everything that was tried is as the documents say
* ✗ something contradicts a line of a document; listed at the end, with an id
* ≠ the documents are silent, and the answer is not the suite's convention
* {MARKS[Verdict.UNSUPPORTED].symbol} nothing to try: no call takes its place, or it refuses itself
* {MARKS[Verdict.TIMED_OUT].symbol} no answer within the limit of time
* {MARKS[Verdict.CRASHED].symbol} the process ended

Presence, signature and gradient are left aside.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One function: its documented signature, and the lines or the expression that replace it."""

    name: str
    old: str
    new: str
    """Empty where nothing takes its place."""
    differs: str = ""
    remark: str = ""


def migration_page(
    title: str,
    notes: Sequence[str],
    rows: Sequence[Row],
    results: Sequence[Results],
    command: str,
) -> str:
    """The page in Markdown; `notes` come before the tables, and `command` is how it was made."""
    by_name = {row.name: row for row in rows}
    lines = [f"# {escape(title)}", "", *_origin(results, command), "", *_TABLE.splitlines(), ""]
    lines += [f"* {note}" for note in notes]
    for theme, names in _themes(by_name, results).items():
        lines += ["", f"## {escape(theme)}", "", *_table([by_name[n] for n in names], results)]
    lines += ["", *_long(rows)]
    lines += ["", *_violations(by_name, results)]
    return "\n".join(lines).rstrip() + "\n"


def _origin(results: Sequence[Results], command: str) -> Iterator[str]:
    yield "Made from the mapping and from results by:"
    yield ""
    for one in results:
        run = one.run
        again = f"conformance run {one.target.name} --profile {run.profile} --seed {run.seed}"
        yield f"    {again} --output RESULTS"
    yield f"    {command}"
    yield ""
    for one in results:
        versions = ", ".join(f"{k} {v}" for k, v in sorted(one.target.versions.items()))
        part = "" if one.run.complete and one.run.selection is None else ", a part only"
        cases = f"{one.run.cases} cases, suite {one.run.suite_version}{part}"
        yield f"* {code(one.target.name)}: {escape(versions)}; Python {one.target.python}; {cases}"


def _themes(rows: Mapping[str, Row], results: Sequence[Results]) -> dict[str, list[str]]:
    """The functions by theme, in the order of the results; those of no result come last."""
    themes: dict[str, list[str]] = {}
    seen: set[str] = set()
    for function in (f for one in results for f in one.functions):
        if function.function in rows and function.function not in seen:
            seen.add(function.function)
            themes.setdefault(function.theme, []).append(function.function)
    if rest := [name for name in rows if name not in seen]:
        themes["not run"] = rest
    return themes


def _table(rows: Iterable[Row], results: Sequence[Results]) -> Iterator[str]:
    head = ["old", "new", *(one.target.name for one in results), "differs", "remark"]
    yield _line([escape(part) for part in head])
    yield _line(["---"] * len(head))
    for row in rows:
        marks = [_cell(one, row.name) for one in results]
        new = _new(row)
        yield _line([_code(row.old), new, *marks, _text(row.differs), _text(row.remark)])


def _new(row: Row) -> str:
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
    tried = [a for a in function.aspects if a.aspect not in ASIDE and a.verdict not in _NOTHING]
    if not tried:
        return MARKS[Verdict.UNSUPPORTED].symbol
    gravest = worst(a.verdict for a in tried)
    where = [str(a.aspect) for a in tried if a.verdict is gravest]
    symbol = MARKS[gravest].symbol
    return symbol if gravest is Verdict.CONFORMS else f"{symbol} {', '.join(where)}"


def _long(rows: Iterable[Row]) -> Iterator[str]:
    longer = [row for row in rows if "\n" in row.new]
    if longer:
        yield "## Calls of several lines"
    for row in longer:
        body = "\n".join(f"    {line}" for line in row.new.strip().splitlines())
        yield from ("", f"### {row.name}", "")
        yield from fenced(f"def {row.old}:\n{body}")


def _violations(rows: Mapping[str, Row], results: Sequence[Results]) -> Iterator[str]:
    """Every violation once, with the targets that show it."""
    seen: dict[tuple[str, str], tuple[Failure, AspectResult, list[str]]] = {}
    for one in results:
        known: list[FunctionResult] = [f for f in one.functions if f.function in rows]
        for found in findings(known, Verdict.VIOLATES):
            if found.failure is None or found.aspect.aspect in ASIDE:
                continue
            key = (found.function, found.failure.id)
            seen.setdefault(key, (found.failure, found.aspect, []))[2].append(one.target.name)
    yield "## Where a case contradicts a document"
    yield ""
    yield "`conformance show FUNCTION --results RESULTS --failure ID --script` prints a script that"
    yield "shows it with Keras alone."
    yield ""
    for (function, identity), (failure, aspect, targets) in seen.items():
        names = ", ".join(code(t) for t in targets)
        message = escape(failure.message)
        yield f"* {code(function)}, {aspect.aspect} ({code(identity)}; {names}): {message}"
