"""A page for those who move old code: what takes the place of each function, and how it fares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.reporting.markdown import code, escape, fenced
from conformance.reporting.marks import GRAVEST_FIRST, MARKS, READING
from conformance.reporting.migration_claims import NOT_OF_CALLS, Replacement, tried
from conformance.results import Aspect, AspectResult, Failure, Results, Verdict
from conformance.results.scores import diverges, standing, worst

_NOTHING = Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE

_TABLE = f"""\
Each row was run: a mark says what the cases of the suite made of the new call on a backend, names
the aspects concerned and leads to the cases.

* ✓ everything that was tried keeps the documents
* {MARKS[Verdict.CHANGED].symbol} the call differs from a line of the documents of K: a change, and
  not a fault of Keras 3, which its own docstrings judge (keras3.md)
* {READING.symbol} beside another mark: the documents are silent, and the answer is an allowed one,
  not the suite's own; this is no fault
* {MARKS[Verdict.UNSUPPORTED].symbol} nothing to try: no call takes its place, or it refuses itself
* {MARKS[Verdict.TIMED_OUT].symbol} no answer within the limit of time
* {MARKS[Verdict.CRASHED].symbol} the process ended

Presence, signature and gradient are left aside. `conformance migration RESULTS --check` holds the
table to the results: what is not as documented must be said to differ, and what is said to differ
must be shown by a case.
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
    rows: Sequence[Replacement],
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
    lines += ["", *_cases(by_name, results)]
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


def _themes(rows: Mapping[str, Replacement], results: Sequence[Results]) -> dict[str, list[str]]:
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


def _table(rows: Iterable[Replacement], results: Sequence[Results]) -> Iterator[str]:
    head = ["old", "new", *(one.target.name for one in results), "differs", "remark"]
    yield _line([escape(part) for part in head])
    yield _line(["---"] * len(head))
    for row in rows:
        marks = [_cell(one, row.name) for one in results]
        new = _new(row)
        yield _line([_code(row.old), new, *marks, _text(_differing(row)), _text(row.remark)])


def _differing(row: Replacement) -> str:
    """All differences from the old function, in Markdown."""
    left_out = f"takes no {', '.join(f'`{name}`' for name in row.left_out)}" if row.left_out else ""
    alone = (f"`{target}`: {text}" for target, text in row.on.items())
    refused = f"refuses: {'; '.join(dict.fromkeys(row.refuses))}" if row.refuses else ""
    return ". ".join(filter(None, [row.differs, *alone, left_out, refused]))


def _new(row: Replacement) -> str:
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


def _long(rows: Iterable[Replacement]) -> Iterator[str]:
    longer = [row for row in rows if "\n" in row.new]
    if longer:
        yield "## Calls of several lines"
    for row in longer:
        body = "\n".join(f"    {line}" for line in row.new.strip().splitlines())
        yield from ("", f"### {row.name}", "")
        yield from fenced(f"def {row.old}:\n{body}")


def _cases(rows: Mapping[str, Replacement], results: Sequence[Results]) -> Iterator[str]:
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
    for one in results:
        for found in tried([f for f in one.functions if f.function == name]):
            failure, aspect = found.failure, found.aspect.aspect
            if failure is not None:
                seen.setdefault(failure.id, (failure, aspect, []))[2].append(one.target.name)
    return sorted(seen.values(), key=lambda entry: GRAVEST_FIRST.index(entry[0].verdict))
