"""The files of the site, and where each of them lies.

index.html                 the matrix of functions and targets
compare.html               two results side by side
accuracy.html              the largest error / its bound, by function and target
about.html                 what the marks, scores and words mean
functions/FUNCTION.html    what is documented of a function, and how each target fares
targets/TARGET.html        versions, scores, causes of failures, accuracy
documents/DOCUMENT.html    which text a document is, the lines of its functions, its known faults
assets/                    style sheet, scripts, and the data of comparison and search
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.reporting.documented import Documented
from conformance.reporting.html.accuracy import accuracy_view
from conformance.reporting.html.compare import comparison_data
from conformance.reporting.html.environment import STATIC, environment, static
from conformance.reporting.html.function_page import failure_groups, function_view
from conformance.reporting.html.overview import function_order, overview
from conformance.reporting.html.project import project_links
from conformance.reporting.html.search import search_data
from conformance.reporting.html.target_page import target_view
from conformance.reporting.names import slug
from conformance.reporting.targets import TargetHistory


def site(listed: Sequence[TargetHistory], documented: Documented) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, by its path."""
    pages = _SitePages(listed, documented)
    yield from ((f"assets/{name}", static(name)) for name in STATIC)
    yield "assets/data.js", comparison_data(listed, pages.order)
    yield "assets/search-data.js", search_data(pages.groups, pages.current, documented)
    yield (
        "index.html",
        pages.page("index.html", **overview(listed, documented, pages.order, pages.anchors)),
    )
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

    def __init__(self, listed: Sequence[TargetHistory], documented: Documented) -> None:
        self.listed, self.documented = listed, documented
        self.current = [one.newest for one in listed]
        self.order = function_order(self.current, documented)
        names = [name for section in self.order.values() for name in section]
        self.groups = {name: failure_groups(name, self.current) for name in names}
        self.environment = environment()

    @property
    def anchors(self) -> dict[tuple[str, str], str]:
        """Where the gravest failure of a function on a target stands on the function's page."""
        return {
            (name, shown.target.key): group.anchor
            for name, groups in self.groups.items()
            for group in reversed(groups)
            for shown in group.shown
        }

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
        made = self.environment.get_template(f"{template}.j2").render(common | values)
        return made.encode("utf-8", "backslashreplace")

    def cited(self, place: str) -> str | None:
        """Where the site tells of a line such as `ko-2.2:1035`; None if it is no line it knows."""
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
        """The pages of functions, each with its neighbours."""
        names = list(self.groups)
        for index, (name, groups) in enumerate(self.groups.items()):
            view = function_view(name, self.current, groups, self.documented)
            near = _neighbours(names, index)
            yield f"functions/{slug(name)}.html", self.page("function.html", "../", **view, **near)

    def targets(self) -> Iterator[tuple[str, bytes]]:
        """The pages of targets."""
        for one in self.listed:
            view = target_view(one, self.groups, self.documented, self.order)
            yield f"targets/{one.newest.key}.html", self.page("target.html", "../", **view)


def _neighbours(names: Sequence[str], index: int) -> Mapping[str, str | None]:
    before = names[index - 1] if index else None
    after = names[index + 1] if index + 1 < len(names) else None
    return {"previous": before, "following": after}
