"""The files of the site, and where each of them lies:

* `index.html`: the matrix of functions and targets
* `compare.html`: two results side by side
* `accuracy.html`: the largest error / its bound, by function and target
* `about.html`: the meaning of marks, scores and words
* `functions/FUNCTION.html`: the documents on a function, and the verdicts on each target
* `functions/FUNCTION.records.js`: cases and scripts of its failures, if they are long
* `targets/TARGET.html`: versions, scores, causes of failures, accuracy
* `documents/DOCUMENT.html`: the text, the lines of its functions, its known faults
* `assets/`: style sheet, scripts, and the data of comparison and search
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from markupsafe import Markup

from conformance.reporting.contrasts import contrasts, notes_on_failures
from conformance.reporting.documented import Documented
from conformance.reporting.html.arrays import accuracy_view
from conformance.reporting.html.environment import SIGNS, STATIC, environment, static
from conformance.reporting.html.function_page import FailureGroup, failure_groups, function_view
from conformance.reporting.html.overview import (
    function_order,
    matrix_data,
    numbered,
    overview,
    reading_numbers,
)
from conformance.reporting.html.releases import Past
from conformance.reporting.html.target_page import target_view
from conformance.reporting.safe_text import clean, slug
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.results import ASPECTS
from conformance.results.scores import TakenReading


def comparison_data(
    histories: Sequence[TargetHistory], order: Mapping[str, Sequence[str]]
) -> bytes:
    """A script that sets `conformanceData`; nothing in it can end a string or a script."""
    functions = [(name, theme) for theme, names in order.items() for name in names]
    numbers = reading_numbers(
        [view for history in histories for view in (history.newest, *history.older)]
    )
    data = {
        "aspects": [str(a) for a in ASPECTS],
        "verdicts": {m.letter: [str(v), m.symbol] for v, m in SIGNS.items()},
        "functions": [[clean(name), clean(theme), slug(name)] for name, theme in functions],
        "readings": [clean(str(reading)) for reading in numbers],
        "targets": list(_targets(histories, [name for name, _ in functions], numbers)),
    }
    return f"window.conformanceData = {script_safe(data)};\n".encode("ascii")


def script_safe(value: Any) -> str:
    """JSON in ASCII that is safe wherever a script may stand."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _targets(
    histories: Sequence[TargetHistory], names: Sequence[str], numbers: Mapping[TakenReading, int]
) -> Iterator[dict[str, Any]]:
    for history in histories:
        yield _target(history.newest, names, numbers, newest=True)
        for older in history.older:
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


def site(
    histories: Sequence[TargetHistory], documented: Documented, past: Past
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, by its path; `past` has older releases of the targets."""
    pages = _SitePages(histories, documented, past)
    yield from ((f"assets/{name}", static(name)) for name in STATIC)
    yield "assets/data.js", comparison_data(histories, pages.order)
    yield "assets/search-data.js", search_data(pages.groups, pages.current, documented)
    first = overview(histories, documented, pages.order)
    if first["as_data"]:
        data = script_safe(matrix_data(first["rows"]))
        yield "assets/matrix-data.js", f"window.conformanceMatrix = {data};\n".encode("ascii")
    yield "index.html", pages.page("index.html", **first)
    yield "compare.html", pages.page("compare.html")
    yield (
        "accuracy.html",
        pages.page("accuracy.html", **accuracy_view(pages.current, pages.order)),
    )
    yield "about.html", pages.page("about.html")
    yield from pages.functions()
    yield from pages.targets()
    yield from pages.documents()


class _SitePages:
    """Pages, made from templates and what all of them show."""

    def __init__(
        self, histories: Sequence[TargetHistory], documented: Documented, past: Past
    ) -> None:
        self.histories, self.documented, self.past = histories, documented, past
        self.current = [history.newest for history in histories]
        self.order = function_order(self.current, documented)
        names = [name for section in self.order.values() for name in section]
        pairs = contrasts((target.label, target.results) for target in self.current)
        notes = notes_on_failures(pairs)
        self.groups = {name: failure_groups(name, self.current, notes) for name in names}
        self.environment = environment()

    def page(self, template: str, root: str = "", **values: Any) -> bytes:
        """One page; `root` leads from it to the site's top."""
        common = {
            "root": root,
            "targets": self.current,
            "current": template,
            "project": project_links(),
            "cited": self.cited,
            "documents": self.documented.documents,
        }
        content = self.environment.get_template(f"{template}.j2").render(common | values)
        return content.encode("utf-8", "backslashreplace")

    def cited(self, place: str) -> str | None:
        """The place of a line such as `ko-2.2:1035` in the site; None for an unknown line."""
        name, _, line = place.rpartition(":")
        text = self.documented.documents.get(name)
        if text is None or not line.isdecimal():
            return None
        return f"documents/{slug(name)}.html#{text.anchor(int(line))}"

    def documents(self) -> Iterator[tuple[str, bytes]]:
        """The pages of the documents."""
        for name, text in self.documented.documents.items():
            yield f"documents/{slug(name)}.html", self.page("document.html", "../", text=text)

    def functions(self) -> Iterator[tuple[str, bytes]]:
        """The pages of functions, each with its neighbours, and the records of the long ones."""
        names = list(self.groups)
        for index, (name, groups) in enumerate(self.groups.items()):
            view = function_view(name, self.current, groups, self.documented, self.past)
            view |= _neighbours(names, index)
            bodies = {
                group.anchor: self.page("record.html", "../", **view, g=group, first=not number)
                for number, group in enumerate(groups)
            }
            late = sum(map(len, bodies.values())) > LONGEST_RECORDS
            shown = list(bodies)[:1] if late else list(bodies)
            view["bodies"] = {a: _escaped(bodies[a]) for a in shown}
            view["records"] = f"{slug(name)}.records.js" if late else ""
            yield f"functions/{slug(name)}.html", self.page("function.html", "../", **view)
            if late:
                yield f"functions/{view['records']}", _records(bodies)

    def targets(self) -> Iterator[tuple[str, bytes]]:
        """The pages of targets."""
        for history in self.histories:
            view = target_view(history, self.groups, self.documented, self.order)
            yield f"targets/{history.newest.key}.html", self.page("target.html", "../", **view)


def _escaped(body: bytes) -> Markup:
    return Markup(body.decode("utf-8"))  # noqa: S704 - a template made it, and escaped every text


LONGEST_RECORDS = 150_000
"""Bytes of a function's records. Beyond them its page loads a record when a reader opens it."""


def _records(bodies: Mapping[str, bytes]) -> bytes:
    """A script that sets `conformanceRecords`: the records after the first, by their anchors."""
    later = {anchor: bodies[anchor].decode("utf-8") for anchor in list(bodies)[1:]}
    return f"window.conformanceRecords = {script_safe(later)};\n".encode("ascii")


def _neighbours(names: Sequence[str], index: int) -> Mapping[str, str | None]:
    before = names[index - 1] if index else None
    after = names[index + 1] if index + 1 < len(names) else None
    return {"previous": before, "following": after}


DISTRIBUTION = "keras-backend-conformance"
SHOWN = ("Documentation", "Repository", "Issues")


def project_links() -> list[tuple[str, str]]:
    """Label and address of documentation, repository and issues; none where it names none."""
    try:
        lines = metadata(DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return []
    pairs = dict(_pair(line) for line in lines)
    return [(label, pairs[label]) for label in SHOWN if _is_web(pairs.get(label, ""))]


def _pair(text: str) -> tuple[str, str]:
    label, _, address = text.partition(",")
    return label.strip(), address.strip()


def _is_web(address: str) -> bool:
    return address.startswith("https://")


LONGEST = 300
"""Characters of a message that can be found."""


def search_data(
    groups: Mapping[str, Sequence[FailureGroup]],
    targets: Sequence[TargetView],
    documented: Documented,
) -> bytes:
    """A script that sets `conformanceSearch`; nothing in it can end a string or a script."""
    numbers = {target.key: number for number, target in enumerate(targets)}
    data = {
        "functions": [[clean(f), slug(f), _summary(f, documented)] for f in groups],
        "targets": [[clean(t.label), t.key] for t in targets],
        "verdicts": {mark.letter: [str(v), mark.symbol] for v, mark in SIGNS.items()},
        "failures": [
            entry
            for number, failures in enumerate(groups.values())
            for group in failures
            for entry in _failures(number, group, numbers)
        ],
    }
    return f"window.conformanceSearch = {script_safe(data)};\n".encode("ascii")


def _summary(function: str, documented: Documented) -> str:
    known = documented.functions.get(function)
    return clean(known.summary) if known else ""


def _failures(number: int, group: FailureGroup, numbers: Mapping[str, int]) -> Iterator[list[Any]]:
    """Function, anchor, id, verdict, aspect, message and targets: one for each message."""
    messages: dict[str, list[int]] = {}
    for failure in group.shown:
        messages.setdefault(failure.failure.message, []).append(numbers[failure.target.key])
    letter = SIGNS[group.verdict].letter
    identity = clean(group.shown[0].failure.id)
    for message, who in messages.items():
        text = clean(message)[:LONGEST]
        yield [number, group.anchor, identity, letter, group.aspect, text, who]
