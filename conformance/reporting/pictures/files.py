"""Which pictures a report has, and how their files are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.reporting.pictures.accuracy import accuracy_picture, measured
from conformance.reporting.pictures.badge import badge, endpoint
from conformance.reporting.pictures.heatmap import heatmap
from conformance.reporting.pictures.history import history_picture
from conformance.reporting.pictures.svg import standalone
from conformance.reporting.pictures.times import timed, times_picture
from conformance.reporting.targets import target_histories
from conformance.results import Results

File = tuple[str, bytes]


def pictures(results: Iterable[Results]) -> Iterator[File]:
    """The matrix, the history if there is any, accuracy and times of each target."""
    listed = target_histories(results)
    yield "pictures/matrix.svg", standalone(heatmap([one.newest for one in listed]))
    if any(one.older for one in listed):
        yield "pictures/history.svg", standalone(history_picture(listed))
    for one in listed:
        if measured(one.newest):
            name = f"pictures/accuracy-{one.newest.key}.svg"
            yield name, standalone(accuracy_picture(one.newest))
        if timed(one.newest):
            name = f"pictures/times-{one.newest.key}.svg"
            yield name, standalone(times_picture(one.newest))


def badges(results: Iterable[Results]) -> Iterator[File]:
    """A badge for each target, as a picture and for shields.io."""
    for one in target_histories(results):
        yield f"badges/{one.newest.key}.svg", badge(one.newest)
        yield f"badges/{one.newest.key}.json", endpoint(one.newest)
