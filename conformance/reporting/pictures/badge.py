"""Badges with a target's score: as a picture, and as what shields.io asks an endpoint for."""

from __future__ import annotations

import json

from conformance.reporting.pictures.svg import Element, add, label, picture, standalone
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import TargetView
from conformance.results.scores import Score

_COLOURS = (
    (100, "brightgreen", "#277a19"),
    (90, "green", "#4d7600"),
    (75, "yellowgreen", "#666f12"),
    (60, "yellow", "#80660d"),
    (40, "orange", "#b5541a"),
    (0, "red", "#b93a2b"),
)
"""From which percentage on: the name that shields.io knows, and a colour dark enough for white."""
_HEIGHT, _LETTER, _GAP = 20, 6.2, 6


def endpoint(target: TargetView) -> bytes:
    """JSON for https://img.shields.io/endpoint?url=…"""
    name, _ = _colour(target.score)
    content = {
        "schemaVersion": 1,
        "label": clean(target.label) or "target",
        "message": _message(target),
        "color": name,
    }
    return json.dumps(content, ensure_ascii=True, indent=1).encode() + b"\n"


def badge(target: TargetView) -> bytes:
    """The badge as a picture."""
    return standalone(_badge(clean(target.label)[:60], _message(target), _colour(target.score)[1]))


def _message(target: TargetView) -> str:
    points = target.score
    if not points.demanded:
        return "nothing run"
    errors = f", {points.errors} not judged" if points.errors else ""
    part = ", a part" if target.partial else ""
    return f"{points.percent} of {points.demanded}{points.besides}{errors}{part}"


def _colour(points: Score) -> tuple[str, str]:
    if not points.demanded:
        return "lightgrey", "#6b7280"
    percent = points.keeping * 100 / points.demanded
    return next((name, colour) for least, name, colour in _COLOURS if percent >= least)


def _badge(left: str, right: str, colour: str) -> Element:
    widths = [len(text) * _LETTER + 2 * _GAP for text in (left, right)]
    root = picture(sum(widths), _HEIGHT, f"{left}: {right}")
    clip = add(add(root, "clipPath", id="round"), "rect", rx=3, width=sum(widths), height=_HEIGHT)
    clip.set("fill", "#fff")
    group = add(root, "g", clip_path="url(#round)")
    add(group, "rect", width=widths[0], height=_HEIGHT, fill="#444c56")
    add(group, "rect", x=widths[0], width=widths[1], height=_HEIGHT, fill=colour)
    for text, start, width in ((left, 0.0, widths[0]), (right, widths[0], widths[1])):
        label(
            root,
            start + width / 2,
            14,
            text,
            style="fill:#fff;font-size:11px",
            text_anchor="middle",
            textLength=width - 2 * _GAP,
        )
    return root
