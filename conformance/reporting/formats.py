"""Every format of a report by its name: which files it has, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from conformance.files import write_atomically
from conformance.reporting import (
    csv_table,
    github,
    job_summary,
    junit,
    markdown,
    markdown_pages,
    scores,
)
from conformance.reporting.containers import COMPRESSED, PLAIN, compressed
from conformance.reporting.documented import Documented
from conformance.reporting.json_results import encode, file_name
from conformance.reporting.judgement import Judgement
from conformance.reporting.pictures.files import badges, pictures
from conformance.reporting.targets import target_histories
from conformance.reporting.writer import ResultsCollector
from conformance.results import Results
from conformance.results.events import Event, RunFinished

File = tuple[str, bytes]
"""A path below the output folder, with `/`, and the content."""


Judge = Callable[[Sequence[Results]], Judgement | None]
"""Holds results against known failures and a baseline; None if there are none."""


class Format(NamedTuple):
    """How a format is made."""

    files: Callable[[Sequence[Results], Documented, Judgement | None], Iterable[File]]
    single: bool = False
    """Whether it is one file of text, which can also be printed."""
    history: bool = False
    """Whether it shows older results of a target beside the newest."""


def _single(name: str, render: Callable[[Sequence[Results]], bytes]) -> Format:
    return Format(lambda results, _, __: [(name, render(results))], single=True)


def _judged(name: str, render: Callable[[Sequence[Results], Judgement | None], bytes]) -> Format:
    """A format that shows known failures as such, and what is unexpected."""
    return Format(lambda results, _, judged: [(name, render(results, judged))], single=True)


def _matrix(results: Sequence[Results]) -> bytes:
    return markdown.render(results).encode("utf-8", "backslashreplace")


def _results(one: Results) -> File:
    return file_name(one.target.name), encode(one)


def _compressed(one: Results) -> File:
    name, content = _results(one)
    return name.removesuffix(PLAIN) + COMPRESSED, compressed(content)


def _site(results: Sequence[Results], documented: Documented) -> Iterable[File]:
    from conformance.reporting.html.site import site  # noqa: PLC0415 - few runs make pages

    return site(target_histories(results), documented)


FORMATS: dict[str, Format] = {
    "html": Format(lambda r, d, _: _site(r, d), history=True),
    "results": Format(lambda r, _, __: map(_results, r)),
    "compressed": Format(lambda r, _, __: map(_compressed, r)),
    "markdown": _single(markdown.MATRIX, _matrix),
    "pages": Format(lambda r, _, __: markdown_pages.render(target_histories(r))),
    "summary": _single("summary.md", job_summary.render),
    "junit": _judged("junit.xml", junit.render),
    "csv": _judged("results.csv", csv_table.render),
    "json": _single("scores.json", scores.render),
    "annotations": _judged("annotations.txt", github.render),
    "pictures": Format(lambda r, _, __: pictures(r), history=True),
    "badges": Format(lambda r, _, __: badges(r)),
}
"""The formats of `FORMAT_NAMES`."""


def made(
    name: str,
    results: Sequence[Results],
    documented: Documented,
    judgement: Judgement | None = None,
) -> Iterable[File]:
    """The files of a format; of each target the newest results, or all if it shows history.

    `judgement` is what known failures make of the results, where there are some.
    """
    chosen = FORMATS[name]
    if not chosen.history:
        results = [one.newest.results for one in target_histories(results)]
    return chosen.files(results, documented, judgement)


def write(folder: Path, files: Iterable[File]) -> list[Path]:
    """Write the files, each whole or not at all; OSError if the folder cannot be written."""
    written = []
    for name, content in files:
        path = folder.joinpath(*name.split("/"))
        write_atomically(path, content)
        written.append(path)
    return written


class FormatWriter:
    """Writes a run's report in one format when the run is over, as `judge` judges it."""

    def __init__(
        self, name: str, folder: Path, documented: Documented, judge: Judge = lambda _: None
    ) -> None:
        self.name, self.folder, self.documented, self._judge = name, folder, documented, judge
        self._collected = ResultsCollector()

    def handle(self, event: Event) -> None:
        """Collect results; write at RunFinished. OSError if the folder cannot be written."""
        self._collected.handle(event)
        results = self._collected.results
        if isinstance(event, RunFinished) and results:
            judged = self._judge(results)
            write(self.folder, made(self.name, results, self.documented, judged))

    def close(self) -> None:
        """Nothing is held open."""
