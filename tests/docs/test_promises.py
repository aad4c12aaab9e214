"""Each promise of SECURITY.md and docs/safety.md has a mechanism and tests that there are."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tools.docs.files import ROOT

PAGES = ("SECURITY.md", "docs/safety.md")
HEAD = "| promise | mechanism | test |"
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows(page: str) -> list[tuple[str, str, str]]:
    """The rows of the page's table of promises."""
    lines = (ROOT / page).read_text("utf-8").splitlines()
    begun = lines.index(HEAD)
    table = lines[begun + 2 : lines.index("", begun)]
    return [(cells[0], cells[1], cells[2]) for cells in map(_cells, table)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


ROWS = [pytest.param(*row, id=row[0][:50]) for page in PAGES for row in rows(page)]


@cache
def functions(file: str) -> dict[str, ast.FunctionDef]:
    """The tests of a file, by name."""
    body = ast.parse((ROOT / file).read_bytes()).body
    return {n.name: n for n in body if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize(("promise", "mechanism", "test"), ROWS)
def test_a_promise_has_a_mechanism_and_a_test(promise: str, mechanism: str, test: str) -> None:
    assert promise
    assert mechanism
    named = _TEST.findall(test)
    assert named, f"{promise}: no test"
    assert _TEST.sub("", test).replace(",", "").strip() == "", f"{promise}: {test}"
    for file, name in named:
        assert (ROOT / file).is_file(), file
        assert name in functions(file), f"{file} has no {name}"


@pytest.mark.parametrize(("promise", "mechanism", "test"), ROWS)
def test_a_promise_has_a_test_that_every_run_has(promise: str, mechanism: str, test: str) -> None:
    """One of a promise's tests may be slow; not all of them, or a change could break it unseen."""
    named = [(file, functions(file)[name]) for file, name in _TEST.findall(test)]
    marks = [(file, {ast.unparse(d) for d in test.decorator_list}) for file, test in named]
    assert any(
        not file.startswith("tests/real/") and not any(".slow" in d or ".thorough" in d for d in ds)
        for file, ds in marks
    ), (promise, mechanism)


def test_names_of_mechanisms_are_of_the_package() -> None:
    sources = {file: file.read_text("utf-8") for file in (ROOT / "conformance").rglob("*.py")}
    places = {part for file in sources for part in (*file.parts, file.stem)}
    every = "".join(sources.values())
    for page in PAGES:
        for _, mechanism, _ in rows(page):
            for words in re.findall(r"`([\w.]+)`", mechanism):
                parts = words.split(".")
                first, last = parts[0], parts[-1]
                assert first in places, words
                assert last in places or re.search(rf"(def|class) {last}\b", every), words


def test_the_short_table_promises_nothing_that_the_long_one_does_not() -> None:
    long = {test for *_, tests in rows("docs/safety.md") for test in _TEST.findall(tests)}
    short = {test for *_, tests in rows("SECURITY.md") for test in _TEST.findall(tests)}
    assert short <= long
    assert Path(ROOT, "docs/safety.md").read_text("utf-8").count(HEAD) == 1
