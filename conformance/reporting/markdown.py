"""The compatibility matrix as a Markdown page: `OUT/matrix.md`."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from conformance.files import write_atomically
from conformance.reporting.causes import causes
from conformance.reporting.contrasts import Contrast, contrasts, notes_on_failures
from conformance.reporting.failures import place_text
from conformance.reporting.listing import (
    ListedFailure,
    listed_failures,
    reading_name,
    suite_failures,
    takers,
)
from conformance.reporting.markdown_text import code, escape, fenced, joined
from conformance.reporting.marks import MARKS, READING
from conformance.reporting.matrix import MatrixColumn, by_theme, column, legend_name, marks_of
from conformance.reporting.summary import (
    absent_text,
    drift_text,
    score_text,
    shown_counts,
    time_line,
)
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.reporting.writer import ResultsCollector
from conformance.results import FunctionResult, Results, Verdict
from conformance.results.composed import how_often
from conformance.results.events import Event, RunFinished, TargetUnavailable
from conformance.results.scores import DEVIATIONS, Score, TakenReading, of_contract, score

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
        """Collect results; write at RunFinished.

        Raises:
            OSError: the folder cannot be written.
        """
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
    beside = contrasts((target.target.name, target) for target in results)
    for target in results:
        lines += ["", *target_lines(target, scripted, beside)]
    lines += taker_lines(results, LARGEST - sum(len(line) + 1 for line in lines))
    return joined(lines)


def scripted_failures(results: Sequence[Results], room: int) -> set[int]:
    """The failures whose scripts are shown in at most `room` characters, by identity in memory.

    One of each cause of each target, none twice, the first causes of all targets before the others.
    """
    ranked = [
        (rank, cause.failures[0])
        for target in results
        for rank, cause in enumerate(causes(listed_failures(target.functions, *DEVIATIONS)))
    ]
    chosen: dict[tuple[str, Verdict, str], int] = {}
    left = room
    for _, entry in sorted(ranked, key=lambda pair: pair[0]):
        failure = entry.failure
        key = (entry.function, entry.verdict, failure.id if failure else "")
        if failure is None or key in chosen:
            continue
        left -= len(failure.script or "")
        if left < 0:
            break
        chosen[key] = id(failure)
    return set(chosen.values())


def header_lines(results: Sequence[Results]) -> Iterator[str]:
    """The title, and the runs."""
    yield from ("# Compatibility matrix of the Keras backend API", "")
    head = ["target", "edition", "implementation", "versions", "run", "date", "cases", "seconds"]
    yield from _table_head(head)
    for target in results:
        info, run = target.target, target.run
        versions = ", ".join(f"{k} {v}" for k, v in sorted(info.versions.items()))
        part = "" if run.whole else " (partial run)"
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
    for target in results:
        if (drift := drift_text(target.target)) is not None:
            yield f"{code(target.target.name)}: {escape(drift)}."
            yield ""


def _machines(results: Sequence[Results]) -> Iterator[str]:
    """The machines on which the targets were run, a line for each."""
    machines: dict[str, list[str]] = {}
    for target in results:
        if isinstance(target.run.machine, str):
            machines.setdefault(target.run.machine, []).append(code(target.target.name))
    for machine, names in machines.items():
        which = f": {', '.join(names)}" if len(machines) > 1 else ""
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
    shares = (f"**{_share(p.keeping, p.percent, p)}**" for p in points)
    yield _row(["**follows the documents**", *shares])
    yield _row(["**missing**", *(_share(p.missing, p.percent_missing, p) for p in points)])
    if any(p.changed for p in points):
        yield _row(["**changed**", *(f"{p.changed}/{p.demanded}" for p in points)])
    apart = [of_contract(c.functions.values()) for c in columns]
    if any(apart):
        shares = (str(score(functions)) for functions in apart)
        yield _row(["**contract, which is not in these scores**", *shares])
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
        "A cell shows the worst verdict over the function's aspects, and how many of the demanded "
        "aspects follow the documents."
    )
    yield ""
    for verdict, mark in marks_of(columns).items():
        letter = "" if verdict is Verdict.DIVERGES else f" {mark.letter}"
        yield f"* {mark.symbol}{letter}: {legend_name(verdict, mark)}"


def target_lines(
    results: Results, scripted: Collection[int], beside: Sequence[Contrast]
) -> Iterator[str]:
    """The failures, gaps and other readings of one target; `beside` are the contrasts to others."""
    yield f"## {escape(results.target.name)}"
    yield ""
    counts = f"{score_text(results.functions)}{absent_text(results.functions)}"
    yield f"{counts}. {escape(time_line(results.run))}."
    yield ""
    for verdict, count in shown_counts(results.functions):
        mark = MARKS[verdict]
        yield f"* {mark.symbol} {mark.verb}: {count}"
    notes = notes_on_failures(beside)
    yield from _broken(results, scripted, notes)
    yield from _suite_failures(results)
    yield from _unsupported(results)
    yield from _refusals(results, notes)
    yield from _readings(results)
    yield from _unexecuted(results)


def _unexecuted(results: Results) -> Iterator[str]:
    """How many cells have an executed case, and which have none."""
    cells = [(f, a) for f in results.functions for a in f.aspects]
    none = [(f, a) for f, a in cells if not a.cases and a.verdict is not Verdict.NOT_APPLICABLE]
    executed = f"{len(cells) - len(none)} of {len(cells)} cells have an executed case"
    yield from ("", f"{executed}." if not none else f"{executed}. The others:", "")
    aspects: dict[str, list[str]] = {}
    for function, aspect in none:
        aspects.setdefault(str(aspect.aspect), []).append(code(function.function))
    yield from (f"* {aspect}: {', '.join(names)}" for aspect, names in aspects.items())


def _broken(
    results: Results, scripted: Collection[int], notes: Mapping[int, Sequence[str]]
) -> Iterator[str]:
    titles = {
        Verdict.VIOLATES: "Violations",
        Verdict.CRASHED: "Crashes",
        Verdict.TIMED_OUT: "Time-outs",
        Verdict.CHANGED: "Changes",
    }
    for verdict in DEVIATIONS:
        failures = listed_failures(results.functions, verdict)
        if failures:
            yield from ("", f"### {titles[verdict]} of {escape(results.target.name)}", "")
            yield "This page has one script for each cause; `conformance show` prints all scripts."
            yield ""
        for failure in failures:
            shown = id(failure.failure) in scripted
            yield from _finding(failure, notes, with_script=shown)


def _finding(
    entry: ListedFailure, notes: Mapping[int, Sequence[str]], *, with_script: bool
) -> Iterator[str]:
    yield f"* {code(entry.function)}, {entry.aspect.aspect}: {escape(entry.message)}"
    failure = entry.failure
    if failure is None:
        return
    cited = f", {escape(failure.cited)}" if failure.cited else ""
    text = place_text(failure, 1)
    place = f", {escape(text)}" if text else ""
    yield f"  ({code(failure.id)}{cited}, {how_often(failure, entry.aspect.cases)}{place})"
    yield from (f"  {escape(note)}" for note in notes.get(id(failure), ()))
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
    failures = suite_failures(results.functions)
    if failures:
        yield from ("", f"### Errors of the suite on {escape(results.target.name)}", "")
        yield "These functions have no verdicts, and scores leave them out."
        yield ""
        yield from (
            f"* {code(failure.function)}: {escape(failure.message)}" for failure in failures
        )


def _unsupported(results: Results) -> Iterator[str]:
    failures = listed_failures(results.functions, Verdict.UNSUPPORTED)
    names = dict.fromkeys(f.function for f in failures)
    if names:
        yield from ("", f"### Unsupported by {escape(results.target.name)}", "")
        yield f"Absent, or the function refuses calls: {', '.join(code(name) for name in names)}"


def _refusals(results: Results, notes: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """The refusals of calls that another target gets wrong."""
    entries = listed_failures(results.functions, Verdict.UNSUPPORTED, Verdict.DIVERGES)
    refusals = [entry for entry in entries if id(entry.failure) in notes]
    if not refusals:
        return
    yield from ("", f"### Refusals of {escape(results.target.name)}", "")
    yield "Another target accepts these calls and gets them wrong."
    yield ""
    for entry in refusals:
        yield from _finding(entry, notes, with_script=False)


def _readings(results: Results) -> Iterator[str]:
    readings = takers([(results.target.name, results.functions)])
    if not readings:
        return
    yield from ("", f"### Readings of {escape(results.target.name)}", "")
    yield "The documents are silent here. The suite allows these answers, although its own differ."
    yield ""
    yield from _table_head(["convention", "reading", "functions"])
    for reading, of in readings.items():
        functions = ", ".join(map(code, of[results.target.name]))
        yield _row([code(reading.convention), escape(reading_name(reading)), functions])


def taker_lines(results: Sequence[Results], room: int) -> Iterator[str]:
    """The targets that take each reading, in at most `room` characters; then the omitted rows."""
    rows = [_taken(*pair) for pair in takers(_labelled(results)).items()]
    if not rows:
        return
    yield from ("", "## Readings, by target", "")
    yield (
        "Each number counts the functions in which a target takes the reading; the section of the "
        "target names them. Every other target takes the suite's reading, or no case showed one."
    )
    yield ""
    yield from _table_head(["convention", "reading", "targets"])
    lengths = itertools.accumulate(len(row) + 1 for row in rows)
    fitting = sum(length <= room for length in lengths)
    yield from rows[:fitting]
    if fitting < len(rows):
        left = len(rows) - fitting
        yield from ("", f"{left} more readings: see `conformance report --format csv`.")


def _labelled(results: Sequence[Results]) -> Iterator[tuple[str, list[FunctionResult]]]:
    """The functions of each target under its name, with its edition if it was tested in several."""
    names = [target.target.name for target in results]
    for target in results:
        name, edition = target.target.name, target.target.edition
        yield (name if names.count(name) == 1 else f"{name} ({edition})"), target.functions


def _taken(reading: TakenReading, of: Mapping[str, Sequence[str]]) -> str:
    who = ", ".join(f"{code(target)} {len(functions)}" for target, functions in of.items())
    return _row([code(reading.convention), escape(reading_name(reading)), who])


PAGE_SCRIPTS = 50_000
"""Characters of scripts on the page of a target."""
LARGEST_PAGE = 290_000
"""Characters of the matrix's page beyond which its last table is cut."""


def render_pages(histories: Sequence[TargetHistory]) -> Iterator[tuple[str, bytes]]:
    """The pages by their paths, each target's newest results on a page of its own."""
    targets = [history.newest for history in histories]
    yield MATRIX, _encoded(_overview(targets))
    beside = contrasts((target.label, target.results) for target in targets)
    for target in targets:
        yield _place(target), _encoded(_details(target, beside))


def _place(target: TargetView) -> str:
    return f"targets/{target.key}.md"


def _encoded(page: str) -> bytes:
    return page.encode("utf-8", "backslashreplace")


def _overview(targets: Sequence[TargetView]) -> str:
    results = [target.results for target in targets]
    lines = [
        *header_lines(results),
        "",
        *matrix_lines([column(results_of_one) for results_of_one in results]),
    ]
    lines += ["", "## Targets", "", "Each page has failures, scripts and readings:", ""]
    lines += [
        f"* [{escape(target.label)}]({_place(target)}): {target.score.figures}"
        for target in targets
    ]
    bytes_of = sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in lines)
    return joined([*lines, *taker_lines(results, LARGEST_PAGE - bytes_of)])


def _details(target: TargetView, beside: Sequence[Contrast]) -> str:
    scripted = scripted_failures([target.results], PAGE_SCRIPTS)
    lines = ["# Conformance to the Keras backend API", "", f"[Matrix of all targets](../{MATRIX})"]
    return joined([*lines, "", *target_lines(target.results, scripted, beside)])
