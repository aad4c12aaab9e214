"""The compatibility matrix as a Markdown page: `OUT/matrix.md`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from conformance.reporting.columns import MatrixColumn, by_theme, column, marks_of
from conformance.reporting.counting import count_verdicts, score
from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.marks import BROKEN, GRAVEST_FIRST, MARKS
from conformance.reporting.safe_text import clean, clean_block
from conformance.reporting.summary import convention, time_line
from conformance.reporting.writer import ResultsCollector, write_atomically
from conformance.results import Results, Verdict
from conformance.results.events import Event, RunFinished, TargetUnavailable

MATRIX = "matrix.md"


class MarkdownWriter:
    """Writes `FOLDER/matrix.md` at the end of a run, for the targets that finished."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / MATRIX
        self._collected = ResultsCollector()
        self.unavailable: list[TargetUnavailable] = []

    def handle(self, event: Event) -> None:
        """Collect results; write at RunFinished. OSError if the folder cannot be written."""
        self._collected.handle(event)
        results = self._collected.results
        if isinstance(event, TargetUnavailable):
            self.unavailable.append(event)
        elif isinstance(event, RunFinished) and (results or self.unavailable):
            page = render(results, self.unavailable)
            write_atomically(self.path, page.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Nothing is held open."""


def render(results: Sequence[Results], unavailable: Sequence[TargetUnavailable] = ()) -> str:
    """The page: targets, matrix, then each target's violations and divergences."""
    lines = ["# Compatibility matrix of the Keras backend API", ""]
    lines += _header(results)
    lines += [
        f"* {code(gone.name)} could not be run: {escape(gone.reason)}; {escape(gone.hint)}"
        for gone in unavailable
    ]
    if results:
        lines += ["", *_matrix([column(r) for r in results])]
    for one in results:
        lines += ["", *_target(one)]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """The text on one line, meaning nothing to Markdown, HTML or a table.

    Character references are text wherever they stand, so they are safe in a table cell too, where
    a backslash before a pipe is read in two ways.
    """
    return _MEANT.sub(_references, clean(text))


# an underscore between letters is no emphasis, and names are easier to read with theirs
_MEANT = re.compile(r"^(?:[-+=]|\d+[.)])|(?<!\w)_|_(?!\w)|(?<=_)_|[^\w\s.,;:()=+/%'\"?-]")


def _references(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(c)};" if c.isascii() else c for c in match[0])


def code(text: str) -> str:
    """A name in code style if it is an ordinary name, else as text."""
    shown = clean(text)
    return f"`{shown}`" if re.fullmatch(r"[\w.+-]+", shown, re.ASCII) else escape(shown)


def fenced(text: str, language: str = "python") -> list[str]:
    """A code block that the text cannot leave, whatever backticks are in it."""
    body = clean_block(text).rstrip("\n")
    longest = max(map(len, re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *body.split("\n"), fence]


def _header(results: Sequence[Results]) -> Iterator[str]:
    head = ["target", "edition", "implementation", "versions", "run", "date", "cases", "seconds"]
    yield from _table_head(head)
    for one in results:
        info, run = one.target, one.run
        versions = ", ".join(f"{k} {v}" for k, v in sorted(info.versions.items()))
        part = "" if run.whole else " (a part only)"
        cells = [
            code(info.name),
            escape(info.edition),
            escape(info.implementation),
            escape(f"{versions}; Python {info.python}".removeprefix("; ")),
            escape(f"suite {run.suite_version}, profile {run.profile}, seed {run.seed}{part}"),
            escape(run.started),
            str(run.cases),
            f"{run.seconds:.1f}",
        ]
        yield _row(cells)
    yield ""
    yield from _machines(results)


def _machines(results: Sequence[Results]) -> Iterator[str]:
    """The machines on which the targets were run, a line for each."""
    found: dict[str, list[str]] = {}
    for one in results:
        if isinstance(one.run.machine, str):
            found.setdefault(one.run.machine, []).append(code(one.target.name))
    for machine, names in found.items():
        which = f": {', '.join(names)}" if len(found) > 1 else ""
        yield f"Run on {escape(machine)}{which}."
        yield ""


def _table_head(head: Sequence[str]) -> list[str]:
    return [_row(head), _row(["---"] * len(head))]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _matrix(columns: Sequence[MatrixColumn]) -> Iterator[str]:
    yield "## Matrix"
    yield ""
    yield from _table_head(["function", *(code(c.name) for c in columns)])
    yield _row(["**score**", *(f"**{_score(c)}**" for c in columns)])
    for theme, names in by_theme(columns).items():
        yield _row([f"**{escape(theme)}**", *("" for _ in columns)])
        for name in names:
            yield _row([code(name), *(_cell(c, name) for c in columns)])
    yield ""
    yield from _legend(columns)


def _score(entry: MatrixColumn) -> str:
    points = score(entry.functions.values())
    return f"{points} ({points.percent})" if points.demanded else str(points)


def _cell(entry: MatrixColumn, function: str) -> str:
    mark = MARKS[entry.verdict(function)]
    return f"{mark.symbol} {mark.letter} {entry.cell(function)}".rstrip()


def _legend(columns: Sequence[MatrixColumn]) -> Iterator[str]:
    yield (
        "A cell shows the worst verdict over the function's aspects, and how many aspects conform "
        "of those that the target's edition demands."
    )
    yield ""
    for verdict, mark in marks_of(columns).items():
        name = mark.verb if verdict is Verdict.NOT_APPLICABLE else str(verdict)
        yield f"* {mark.symbol} {mark.letter}: {name}"


def _target(results: Results) -> Iterator[str]:
    counts = count_verdicts(results.functions)
    points = score(results.functions)
    yield f"## {escape(results.target.name)}"
    yield ""
    yield f"{points} aspects conform ({points.percent}). {escape(time_line(results.run))}."
    yield ""
    for verdict in GRAVEST_FIRST:
        if counts[verdict]:
            yield f"* {MARKS[verdict].symbol} {verdict}: {counts[verdict]}"
    yield from _broken(results)
    yield from _unsupported(results)
    yield from _divergences(results)
    yield from _unexecuted(results)


def _unexecuted(results: Results) -> Iterator[str]:
    """How many cells have an executed case, and which have none."""
    cells = [(f, a) for f in results.functions for a in f.aspects]
    none = [(f, a) for f, a in cells if not a.cases and a.verdict is not Verdict.NOT_APPLICABLE]
    executed = f"Cells with at least one executed case: {len(cells) - len(none)} of {len(cells)}"
    yield from ("", f"{executed}." if not none else f"{executed}. Without one:", "")
    aspects: dict[str, list[str]] = {}
    for function, aspect in none:
        aspects.setdefault(str(aspect.aspect), []).append(code(function.function))
    yield from (f"* {aspect}: {', '.join(names)}" for aspect, names in aspects.items())


def _broken(results: Results) -> Iterator[str]:
    titles = {
        Verdict.VIOLATES: "Violations",
        Verdict.CRASHED: "Crashes",
        Verdict.TIMED_OUT: "Time-outs",
    }
    for verdict in BROKEN:
        found = listed_failures(results.functions, verdict)
        if found:
            yield from ("", f"### {titles[verdict]} of {escape(results.target.name)}", "")
        for one in found:
            yield from _finding(one)


def _finding(found: ListedFailure) -> Iterator[str]:
    yield f"* {code(found.function)}, {found.aspect.aspect}: {escape(found.message)}"
    failure = found.failure
    if failure is None:
        return
    cited = f", {escape(str(failure.citation))}" if failure.citation else ""
    yield f"  ({code(failure.id)}{cited}, {failure.count} of {found.aspect.cases} cases)"
    if failure.script:
        block = [
            "<details><summary>script</summary>",
            "",
            *fenced(failure.script),
            "",
            "</details>",
        ]
        yield ""
        yield from (f"  {line}".rstrip() for line in block)
        yield ""


def _unsupported(results: Results) -> Iterator[str]:
    found = listed_failures(results.functions, Verdict.UNSUPPORTED)
    names = dict.fromkeys(f.function for f in found)
    if names:
        yield from ("", f"### Unsupported by {escape(results.target.name)}", "")
        yield f"Absent, or refused by itself: {', '.join(code(name) for name in names)}"


def _divergences(results: Results) -> Iterator[str]:
    found = listed_failures(results.functions, Verdict.DIVERGES)
    if not found:
        return
    yield from ("", f"### Divergences of {escape(results.target.name)}", "")
    yield "Here the documents are silent, and the answer differs from the convention."
    yield ""
    yield from _table_head(["convention", "divergences", "functions"])
    for name, count in Counter(convention(f) for f in found).most_common():
        functions = dict.fromkeys(f.function for f in found if convention(f) == name)
        yield _row([code(name), str(count), ", ".join(code(f) for f in functions)])
