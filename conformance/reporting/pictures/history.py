"""How scores changed over stored results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from conformance.reporting.pictures.svg import Element, add, label, picture, words
from conformance.reporting.targets import TargetHistory
from conformance.results.scores import Score

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 320, 50, 220, 24, 40
_NOT_DATED = datetime.fromtimestamp(0, UTC)


def history_picture(histories: Sequence[TargetHistory]) -> Element:
    """A line for each target: the share of aspects that follow the documents, by the run's day."""
    series = [(history.newest.label, _points(history)) for history in histories]
    times = sorted({when for _, points in series for when, _ in points})
    root = picture(_WIDTH, _HEIGHT, "Aspects that follow the documents, over time")
    _axes(root, times)
    ends: list[float] = []
    for text, points in series:
        _line(root, text, points, times, ends)
    return root


def _points(history: TargetHistory) -> list[tuple[datetime, Score]]:
    views = [*reversed(history.older), history.newest]
    return [
        (_time(v.results.run.started), v.score) for v in views if v.score.demanded and not v.partial
    ]


def _time(text: str) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return _NOT_DATED
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _x(when: datetime, times: Sequence[datetime]) -> float:
    whole = (times[-1] - times[0]).total_seconds()
    part = (when - times[0]).total_seconds() / whole if whole else 0.5
    return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _TOP + (1 - share) * (_HEIGHT - _TOP - _BOTTOM)


def _axes(root: Element, times: Sequence[datetime]) -> None:
    for percent in range(0, 101, 25):
        y = _y(percent / 100)
        add(root, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="rule")
        label(root, _LEFT - 8, y + 4, f"{percent} %", class_="small faint", text_anchor="end")
    for when in dict.fromkeys((times[0], times[-1])) if times else ():
        x, text = _x(when, times), _date_text(when, times)
        label(root, x, _HEIGHT - 16, text, class_="small faint", text_anchor="middle")


def _date_text(when: datetime, times: Sequence[datetime]) -> str:
    """The day; with the minute where the first and the last result lie close together."""
    near = times[-1] - times[0] < timedelta(days=2)
    return f"{when:%Y-%m-%d %H:%M}" if near else f"{when:%Y-%m-%d}"


def _line(
    root: Element,
    text: str,
    points: Sequence[tuple[datetime, Score]],
    times: Sequence[datetime],
    ends: list[float],
) -> None:
    places = [(_x(when, times), _y(s.keeping / s.demanded)) for when, s in points]
    if not places:
        return
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    add(root, "polyline", points=path, class_="line")
    for (x, y), (when, score) in zip(places, points, strict=True):
        dot = add(root, "circle", cx=x, cy=y, r=4, class_="dot")
        words(add(dot, "title"), f"{_title(text, score)}, {_date_text(when, times)}")
    y = _free(places[-1][1] + 4, ends)
    label(root, _WIDTH - _RIGHT + 10, y, _title(text, points[-1][1]), class_="small")


def _title(text: str, score: Score) -> str:
    return f"{text} {score.figures}"


def _free(y: float, taken: list[float]) -> float:
    """The nearest height, going down, at which no other label stands."""
    while any(abs(y - other) < 12 for other in taken):
        y += 12
    taken.append(y)
    return y
