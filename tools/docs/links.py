"""Links of Markdown pages: on the site they lead where they lead in the repository.

A link to a file that the site has becomes one to it; a link to any other file of the repository
leads to the repository's own page. Any other link stays as it is, and building the site fails.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.docs.files import ROOT, on_site

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file of the repository; `written` is how the page has it."""

    written: str
    path: str
    """Seen from the root of the repository."""
    anchor: str

    @property
    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return (ROOT / self.path).exists()


def links(text: str, place: str) -> Iterator[Link]:
    """The links and pictures of a page at `place` in the repository that lead to files of it."""
    for token in _tokens(text):
        written = str(token.attrs.get("href") or token.attrs.get("src") or "")
        if written and not _ELSEWHERE.match(written):
            path, _, anchor = written.partition("#")
            seen = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
            yield Link(written, seen if path else place, anchor)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    tokens = _MARKDOWN.parse(text)
    titles = [_title(after) for t, after in pairwise(tokens) if t.type == "heading_open"]
    seen: Counter[str] = Counter()
    slugs = set()
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-")
        slugs.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def for_site(text: str, place: str, page: str, repository: str) -> str:
    """The text of a page with its links as they are on the site.

    The page is at `place` in the repository and at `page` on the site; `repository` is the address
    of the files of its main branch.
    """
    for link in set(links(text, place)):
        there = on_site(link.path)
        if link.path == place or not (there or link.exists):
            continue
        path = f"{repository}/{link.path}" if there is None else _relative(there, page)
        anchor = f"#{link.anchor}" if link.anchor else ""
        text = text.replace(f"]({link.written})", f"]({path}{anchor})")
    return text


def _tokens(text: str) -> Iterator[Token]:
    for block in _MARKDOWN.parse(text):
        yield from block.children or ()


def _title(inline: Token) -> str:
    return "".join(t.content for t in inline.children or () if t.type in {"text", "code_inline"})


def _relative(path: str, page: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(page) or ".")
