"""Every format of a report by its name: which files it has, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from conformance.files import write_together
from conformance.history import PastRun
from conformance.reporting import csv_table, github, junit, markdown, scores
from conformance.reporting.containers import COMPRESSED, PLAIN, compressed
from conformance.reporting.documented import Documented
from conformance.reporting.json_results import encode, file_name
from conformance.reporting.judgement import GateJudgement
from conformance.reporting.pictures.badge import badge, endpoint
from conformance.reporting.pictures.heatmap import heatmap
from conformance.reporting.pictures.history import history_picture
from conformance.reporting.pictures.rows import accuracy_picture, measured, timed, times_picture
from conformance.reporting.pictures.svg import standalone
from conformance.reporting.targets import target_histories
from conformance.reporting.writer import ResultsCollector
from conformance.results import Results
from conformance.results.events import Event, RunFinished

File = tuple[str, bytes]
"""A path below the output folder, with `/`, and the content."""


def pictures(results: Iterable[Results]) -> Iterator[File]:
    """The matrix, the history if there is any, accuracy and times of each target."""
    histories = target_histories(results)
    yield "pictures/matrix.svg", standalone(heatmap([history.newest for history in histories]))
    if any(history.older for history in histories):
        yield "pictures/history.svg", standalone(history_picture(histories))
    for history in histories:
        if measured(history.newest):
            name = f"pictures/accuracy-{history.newest.key}.svg"
            yield name, standalone(accuracy_picture(history.newest))
        if timed(history.newest):
            name = f"pictures/times-{history.newest.key}.svg"
            yield name, standalone(times_picture(history.newest))


def badges(results: Iterable[Results]) -> Iterator[File]:
    """A badge for each target, as a picture and for shields.io."""
    for history in target_histories(results):
        yield f"badges/{history.newest.key}.svg", badge(history.newest)
        yield f"badges/{history.newest.key}.json", endpoint(history.newest)


Judge = Callable[[Sequence[Results]], GateJudgement | None]
"""Holds results against known failures and a baseline; None if there are none."""


class Format(NamedTuple):
    """How a format is made."""

    files: Callable[[Sequence[Results], Documented, GateJudgement | None], Iterable[File]]
    single: bool = False
    """Whether it is one file of text, which can also be printed."""
    history: bool = False
    """Whether it shows older results of a target beside the newest."""


def _single(name: str, render: Callable[[Sequence[Results]], bytes]) -> Format:
    return Format(lambda results, _, __: [(name, render(results))], single=True)


def _judged(
    name: str, render: Callable[[Sequence[Results], GateJudgement | None], bytes]
) -> Format:
    """A format that shows known failures as such, and unexpected ones."""
    return Format(lambda results, _, judged: [(name, render(results, judged))], single=True)


def _matrix(results: Sequence[Results]) -> bytes:
    return markdown.render(results).encode("utf-8", "backslashreplace")


def _results(target: Results) -> File:
    return file_name(target.target.name), encode(target)


def _compressed(target: Results) -> File:
    name, content = _results(target)
    return name.removesuffix(PLAIN) + COMPRESSED, compressed(content)


def site_files(
    results: Sequence[Results], documented: Documented, past: Mapping[str, Sequence[PastRun]]
) -> Iterable[File]:
    """The files of a site; `past` has older releases of the targets, the oldest first."""
    from conformance.reporting.html.site import site  # noqa: PLC0415 - few runs make pages

    return site(target_histories(results), documented, past)


FORMATS: dict[str, Format] = {
    "html": Format(lambda r, d, _: site_files(r, d, {}), history=True),
    "results": Format(lambda r, _, __: map(_results, r)),
    "compressed": Format(lambda r, _, __: map(_compressed, r)),
    "markdown": _single(markdown.MATRIX, _matrix),
    "pages": Format(lambda r, _, __: markdown.render_pages(target_histories(r))),
    "summary": _single("summary.md", github.render_summary),
    "junit": _judged("junit.xml", junit.render),
    "csv": _judged("results.csv", csv_table.render),
    "json": _single("scores.json", scores.render),
    "annotations": _judged("annotations.txt", github.render_annotations),
    "pictures": Format(lambda r, _, __: pictures(r), history=True),
    "badges": Format(lambda r, _, __: badges(r)),
}
"""The formats of `FORMAT_NAMES`."""


def format_files(
    name: str,
    results: Sequence[Results],
    documented: Documented,
    judgement: GateJudgement | None = None,
) -> Iterable[File]:
    """The files of a format; of each target the newest results, or all if it shows history.

    `judgement` is what known failures make of the results, where there are some.
    """
    chosen = FORMATS[name]
    if not chosen.history:
        results = [history.newest.results for history in target_histories(results)]
    return chosen.files(results, documented, judgement)


def write(folder: Path, files: Iterable[File]) -> list[Path]:
    """Write the files, all or none of them.

    Raises:
        OSError: the folder cannot be written.
    """
    placed = ((folder.joinpath(*name.split("/")), content) for name, content in files)
    return write_together(placed, folder)


class FormatWriter:
    """Writes a run's report in one format when the run is over, as `judge` judges it."""

    def __init__(
        self, name: str, folder: Path, documented: Documented, judge: Judge = lambda _: None
    ) -> None:
        self.name, self.folder, self.documented, self._judge = name, folder, documented, judge
        self._collected = ResultsCollector()

    def handle(self, event: Event) -> None:
        """Collect results; write at RunFinished.

        Raises:
            OSError: the folder cannot be written.
        """
        self._collected.handle(event)
        results = self._collected.results
        if isinstance(event, RunFinished) and results:
            judged = self._judge(results)
            write(self.folder, format_files(self.name, results, self.documented, judged))

    def close(self) -> None:
        """Nothing is held open."""
