"""A page as tests look at it: its elements, what they link to, and its visible text."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from conformance.cli.files.documents import documents
from conformance.reporting.html.site import project_links

_VOID = {"meta", "link", "input", "br", "rect", "circle", "line", "path", "polyline", "wbr"}


class Page(HTMLParser):
    """Every element with its attributes, and all text outside of the head."""

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        """All text on one line."""
        return " ".join("".join(self.texts).split())

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        """The attributes of the elements of a kind that have these ones."""
        return [
            attributes_of_element
            for name, attributes_of_element in self.elements
            if name == tag and all(attributes_of_element.get(k) == v for k, v in attributes.items())
        ]

    @property
    def ids(self) -> list[str]:
        """Every identifier, in order."""
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


def site_pages(folder: Path) -> dict[str, Page]:
    """Every page of a site by its path."""
    return {
        file.relative_to(folder).as_posix(): Page(file.read_text("utf-8"))
        for file in sorted(folder.rglob("*.html"))
    }


def links(page: Page) -> Iterator[str]:
    """What a page links to or loads."""
    for tag, attributes in page.elements:
        if tag in ("a", "link", "script", "img"):
            yield from (attributes[k] for k in ("href", "src") if k in attributes)


PUBLIC = tuple(text.public for text in documents().values() if text.public)
"""Where documents can be read, the only places outside of a site to which it leads."""


def dead_links(pages: dict[str, Page], folder: Path) -> list[str]:
    """The links that lead out of the site, or to nothing in it."""
    own = {address for _, address in project_links()}
    dead = []
    for place, page in pages.items():
        for link in links(page):
            known = link == "data:," or link in own or link.startswith(PUBLIC)
            if not known and not _lives(place, link, pages, folder):
                dead.append(f"{place}: {link}")
    return dead


def _lives(place: str, link: str, pages: dict[str, Page], folder: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return False
    path = PurePosixPath(place).parent / unquote(parts.path) if parts.path else PurePosixPath(place)
    file = (folder / path).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        return False
    anchor = unquote(parts.fragment)
    if "=" in anchor or not anchor:
        return True
    return anchor in pages[file.relative_to(folder.resolve()).as_posix()].ids
