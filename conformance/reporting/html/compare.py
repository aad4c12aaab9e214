"""The data of the comparison page: one letter for each function, aspect and results file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.reporting.html.environment import SIGNS
from conformance.reporting.html.overview import numbered, reading_numbers
from conformance.reporting.names import slug
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.results import ASPECTS
from conformance.results.scores import TakenReading


def comparison_data(listed: Sequence[TargetHistory], order: Mapping[str, Sequence[str]]) -> bytes:
    """A script that sets `conformanceData`; nothing in it can end a string or a script."""
    functions = [(name, theme) for theme, names in order.items() for name in names]
    numbers = reading_numbers([view for one in listed for view in (one.newest, *one.older)])
    data = {
        "aspects": [str(a) for a in ASPECTS],
        "verdicts": {m.letter: [str(v), m.symbol] for v, m in SIGNS.items()},
        "functions": [[clean(name), clean(theme), slug(name)] for name, theme in functions],
        "readings": [clean(str(reading)) for reading in numbers],
        "targets": list(_targets(listed, [name for name, _ in functions], numbers)),
    }
    return f"window.conformanceData = {script_safe(data)};\n".encode("ascii")


def script_safe(value: Any) -> str:
    """JSON in ASCII that is safe wherever a script may stand."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _targets(
    listed: Sequence[TargetHistory], names: Sequence[str], numbers: Mapping[TakenReading, int]
) -> Iterator[dict[str, Any]]:
    for one in listed:
        yield _target(one.newest, names, numbers, newest=True)
        for older in one.older:
            yield _target(older, names, numbers, newest=False)


def _target(
    target: TargetView, names: Sequence[str], numbers: Mapping[TakenReading, int], *, newest: bool
) -> dict[str, Any]:
    return {
        "key": target.key,
        "label": clean(target.label),
        "edition": clean(target.edition),
        "started": clean(target.results.run.started),
        "newest": newest,
        "cells": [target.letters(name) for name in names],
        "taken": [numbered(target, name, numbers) for name in names],
    }
