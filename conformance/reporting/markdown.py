"""The compatibility matrix as a Markdown page: `OUT/matrix.md`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from conformance.files import write_atomically
from conformance.reporting.causes import causes
from conformance.reporting.columns import MatrixColumn, by_theme, column, marks_of
from conformance.reporting.listing import ListedFailure, listed_failures, suite_failures
from conformance.reporting.marks import MARKS, READING
from conformance.reporting.matrix import legend_name
from conformance.reporting.readings import reading_name, takers
from conformance.reporting.safe_text import clean, clean_block
from conformance.reporting.summary import score_text, time_line, told_counts
from conformance.reporting.writer import ResultsCollector
from conformance.results import FunctionResult, Results, Verdict
from conformance.results.composed import how_often
from conformance.results.events import Event, RunFinished, TargetUnavailable
from conformance.results.scores import DEVIATIONS, Score, TakenReading, score

MATRIX = "matrix.md"
SCRIPTS = 300_000
"""Characters of scripts on the page."""
LARGEST = 800_000
"""Characters of the page beyond which the last table is cut."""


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
    """The page: targets, matrix, each target's violations, and last who takes which reading.

    `SCRIPTS` and `LARGEST` bound what it holds of scripts and of readings.
    """
    lines = [*header_lines(results)]
    lines += [
        f"* {code(gone.name)} could not be run: {escape(gone.reason)}; {escape(gone.hint)}"
        for gone in unavailable
    ]
    if results:
        lines += ["", *matrix_lines([column(r) for r in results])]
    scripted = scripted_failures(results, SCRIPTS)
    for one in results:
        lines += ["", *target_lines(one, scripted)]
    lines += taker_lines(results, LARGEST - sum(len(line) + 1 for line in lines))
    return joined(lines)


def joined(lines: Iterable[str]) -> str:
    """The lines as a page."""
    return "\n".join(lines).rstrip() + "\n"


def scripted_failures(results: Sequence[Results], room: int) -> set[int]:
    """The failures whose scripts are shown in at most `room` characters, by identity in memory.

    One of each cause of each target, none twice, the first causes of all targets before the others.
    """
    ranked = [
        (rank, cause.failures[0])
        for one in results
        for rank, cause in enumerate(causes(listed_failures(one.functions, *DEVIATIONS)))
    ]
    chosen: dict[tuple[str, Verdict, str], int] = {}
    left = room
    for _, found in sorted(ranked, key=lambda pair: pair[0]):
        failure = found.failure
        key = (found.function, found.verdict, failure.id if failure else "")
        if failure is None or key in chosen:
            continue
        left -= len(failure.script or "")
        if left < 0:
            break
        chosen[key] = id(failure)
    return set(chosen.values())


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


def header_lines(results: Sequence[Results]) -> Iterator[str]:
    """The title, and what was run."""
    yield from ("# Compatibility matrix of the Keras backend API", "")
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


def matrix_lines(columns: Sequence[MatrixColumn]) -> Iterator[str]:
    """A row for each function and a cell for each target, with a legend."""
    yield "## Matrix"
    yield ""
    yield from _table_head(["function", *(code(c.name) for c in columns)])
    points = [score(c.functions.values()) for c in columns]
    kept = (f"**{_share(p.kept, p.percent, p)}**" for p in points)
    yield _row(["**keeps the documents**", *kept])
    yield _row(["**missing**", *(_share(p.missing, p.percent_missing, p) for p in points)])
    if any(p.changed for p in points):
        yield _row(["**changed**", *(f"{p.changed}/{p.demanded}" for p in points)])
    for theme, names in by_theme(columns).items():
        yield _row([f"**{escape(theme)}**", *("" for _ in columns)])
        for name in names:
            yield _row([code(name), *(_cell(c, name) for c in columns)])
    yield ""
    yield from _legend(columns)


def _share(number: int, percent: str, points: Score) -> str:
    share = f"{number}/{points.demanded}"
    return f"{share} ({percent})" if points.demanded else share


def _cell(entry: MatrixColumn, function: str) -> str:
    mark = MARKS[entry.verdict(function)]
    reading = READING.symbol if entry.diverges(function) else ""
    return " ".join(filter(None, [mark.symbol, mark.letter, entry.cell(function), reading]))


def _legend(columns: Sequence[MatrixColumn]) -> Iterator[str]:
    yield (
        "A cell shows the worst fault, change or lack over the function's aspects, and how many "
        "aspects keep the documents of those that the target's edition demands."
    )
    yield ""
    for verdict, mark in marks_of(columns).items():
        letter = "" if verdict is Verdict.DIVERGES else f" {mark.letter}"
        yield f"* {mark.symbol}{letter}: {legend_name(verdict, mark)}"


def target_lines(results: Results, scripted: Collection[int]) -> Iterator[str]:
    """What one target fails in, lacks, and takes other readings of."""
    yield f"## {escape(results.target.name)}"
    yield ""
    yield f"{score_text(results.functions)}. {escape(time_line(results.run))}."
    yield ""
    for verdict, count in told_counts(results.functions):
        mark = MARKS[verdict]
        yield f"* {mark.symbol} {mark.verb}: {count}"
    yield from _broken(results, scripted)
    yield from _suite_failures(results)
    yield from _unsupported(results)
    yield from _readings(results)
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


def _broken(results: Results, scripted: Collection[int]) -> Iterator[str]:
    titles = {
        Verdict.VIOLATES: "Violations",
        Verdict.CRASHED: "Crashes",
        Verdict.TIMED_OUT: "Time-outs",
        Verdict.CHANGED: "Changes",
    }
    for verdict in DEVIATIONS:
        found = listed_failures(results.functions, verdict)
        if found:
            yield from ("", f"### {titles[verdict]} of {escape(results.target.name)}", "")
            yield "One script of each cause stands here, none twice; `conformance show` has all."
            yield ""
        for one in found:
            yield from _finding(one, with_script=id(one.failure) in scripted)


def _finding(found: ListedFailure, *, with_script: bool) -> Iterator[str]:
    yield f"* {code(found.function)}, {found.aspect.aspect}: {escape(found.message)}"
    failure = found.failure
    if failure is None:
        return
    cited = f", {escape(failure.cited)}" if failure.cited else ""
    yield f"  ({code(failure.id)}{cited}, {how_often(failure, found.aspect.cases)})"
    if with_script and failure.script:
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


def _suite_failures(results: Results) -> Iterator[str]:
    found = suite_failures(results.functions)
    if found:
        yield from ("", f"### Errors of the suite on {escape(results.target.name)}", "")
        yield "Nothing is known of these functions, and no score counts them."
        yield ""
        yield from (f"* {code(one.function)}: {escape(one.message)}" for one in found)


def _unsupported(results: Results) -> Iterator[str]:
    found = listed_failures(results.functions, Verdict.UNSUPPORTED)
    names = dict.fromkeys(f.function for f in found)
    if names:
        yield from ("", f"### Unsupported by {escape(results.target.name)}", "")
        yield f"Absent, or refused by itself: {', '.join(code(name) for name in names)}"


def _readings(results: Results) -> Iterator[str]:
    found = takers([(results.target.name, results.functions)])
    if not found:
        return
    yield from ("", f"### Readings of {escape(results.target.name)}", "")
    yield "Here the documents are silent, and the answer is an allowed one, not the suite's own."
    yield ""
    yield from _table_head(["convention", "reading", "functions"])
    for reading, of in found.items():
        functions = ", ".join(map(code, of[results.target.name]))
        yield _row([code(reading.convention), escape(reading_name(reading)), functions])


def taker_lines(results: Sequence[Results], room: int) -> Iterator[str]:
    """Who takes which reading, in at most `room` characters, and how many rows were left out."""
    rows = [_taken(*pair) for pair in takers(_labelled(results)).items()]
    if not rows:
        return
    yield from ("", "## Who takes which reading", "")
    yield (
        "The number of functions in which a target takes it; which these are stands under the "
        "target. Who is not named takes the suite's own reading, or was not seen to take another."
    )
    yield ""
    yield from _table_head(["convention", "reading", "targets"])
    lengths = itertools.accumulate(len(row) + 1 for row in rows)
    fitting = sum(length <= room for length in lengths)
    yield from rows[:fitting]
    if fitting < len(rows):
        left = len(rows) - fitting
        yield from ("", f"And {left} more; `conformance report --format csv` has all.")


def _labelled(results: Sequence[Results]) -> Iterator[tuple[str, list[FunctionResult]]]:
    """The functions of each target under its name, with its edition if it was tested in several."""
    names = [one.target.name for one in results]
    for one in results:
        name, edition = one.target.name, one.target.edition
        yield (name if names.count(name) == 1 else f"{name} ({edition})"), one.functions


def _taken(reading: TakenReading, of: Mapping[str, Sequence[str]]) -> str:
    who = ", ".join(f"{code(target)} {len(functions)}" for target, functions in of.items())
    return _row([code(reading.convention), escape(reading_name(reading)), who])
