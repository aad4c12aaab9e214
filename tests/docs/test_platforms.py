"""Every page says the same of Linux, macOS and Windows, and the command line agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.platforms import WITHOUT_WORKERS, NoWorkersError
from tests.docs.published import ROOT

PAGES = ("README.md", "docs/install.md", "docs/safety.md")
_LINE = re.compile(r"^\* \*\*(?:Linux|macOS|Windows)\*\*: .*$", re.MULTILINE)
_LINK = re.compile(r"\]\([^)]*\)")


def lines(page: str) -> list[str]:
    """The lines of a page on systems, without the addresses of links."""
    text = Path(ROOT, page).read_text("utf-8")
    return [_LINK.sub("]", line) for line in _LINE.findall(text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_the_same_three_lines(page: str) -> None:
    assert len(lines(page)) == 3
    assert lines(page) == lines(PAGES[0])


def test_the_line_on_windows_names_the_commands_that_work_there() -> None:
    (line,) = (line for line in lines(PAGES[0]) if "Windows" in line)
    commands = re.findall("`([^`]+)`", line)
    assert commands == [*WITHOUT_WORKERS] == re.findall("`([^`]+)`", str(NoWorkersError()))


def test_the_line_on_linux_names_the_oldest_and_the_newest_python() -> None:
    project = Path(ROOT, "pyproject.toml").read_text("utf-8")
    minors = [int(minor) for minor in re.findall(r"Python :: 3\.(\d+)", project)]
    assert f"Python 3.{min(minors)} to 3.{max(minors)}" in lines(PAGES[0])[0]
    for file, form in {"tox.ini": "py3{}", ".github/workflows/ci.yml": '"3.{}"'}.items():
        text = Path(ROOT, file).read_text("utf-8")
        assert all(form.format(minor) in text for minor in minors), file
