"""Pages of the documentation: the site has each of them, and no link of one leads nowhere."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import conformance
from conformance.editions import EDITIONS
from tools.docs.files import FILES, ROOT
from tools.docs.links import anchors, for_site, links

PAGES = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "docs").rglob("*.md"))
READ = [*PAGES, "README.md", *(name for name in FILES.values() if name.endswith(".md"))]
REPOSITORY = "https://example.org/suite/blob/main"
INTERNAL = {"MUTATED", "MUTANT", "CODE_MUTANT", "WORKER", "JAX_CACHE"}
"""Variables that the suite sets for processes of its own."""


class _Settings(yaml.SafeLoader):
    """Reads mkdocs.yml without what its tags stand for."""


_Settings.add_multi_constructor("", lambda *_: None)


@cache
def text(place: str) -> str:
    return (ROOT / place).read_text("utf-8")


@cache
def anchors_of(place: str) -> set[str]:
    return anchors(text(place))


def paths_in(nav: Any) -> list[str]:
    """The paths of a table of contents, in its order."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [path for entry in below for path in paths_in(entry)]


def test_the_table_of_contents_lists_every_page_once() -> None:
    pages_of_contents = paths_in(yaml.load(text("mkdocs.yml"), _Settings)["nav"])
    pages = [page.removeprefix("docs/") for page in PAGES]
    other = [name for name in FILES if name.endswith(".md")]
    assert sorted(pages_of_contents) == sorted([*pages, *other, "matrix/index.html"])


@pytest.mark.parametrize("place", READ)
def test_every_link_leads_to_a_file_and_a_heading(place: str) -> None:
    missing = [
        link.written
        for link in links(text(place), place)
        if not link.exists
        or (link.anchor and link.path.endswith(".md") and link.anchor not in anchors_of(link.path))
    ]
    assert missing == []


def test_a_link_that_leads_nowhere_is_seen() -> None:
    targets = links(
        "[a](missing.md) [b](#nothing) [c](https://example.org) `[d](no.md)`", "docs/x.md"
    )
    assert [(link.path, link.anchor, link.exists) for link in targets] == [
        ("docs/missing.md", "", False),
        ("docs/x.md", "nothing", False),
    ]


def test_anchors_are_those_of_github() -> None:
    page = "# What `run` does\n\n## 4a. GitHub, a (short) name\n\n## Same\n\n## Same\n"
    assert anchors(page) == {"what-run-does", "4a-github-a-short-name", "same", "same-1"}


@pytest.mark.parametrize(
    ("place", "page", "written", "there"),
    [
        ("docs/ci.md", "ci.md", "running.md#exit-statuses", "running.md#exit-statuses"),
        ("docs/ci.md", "ci.md", "../CONTRIBUTING.md#tests", "CONTRIBUTING.md#tests"),
        ("docs/ci.md", "ci.md", "../examples/tinyback", f"{REPOSITORY}/examples/tinyback"),
        (
            "docs/documents/README.md",
            "documents/README.md",
            "../../action.yml",
            f"{REPOSITORY}/action.yml",
        ),
        ("docs/documents/README.md", "documents/README.md", "../results.md", "../results.md"),
        ("CONTRIBUTING.md", "CONTRIBUTING.md", "docs/maps.md", "maps.md"),
        ("docs/README.md", "README.md", "../reports/pictures/matrix.svg", "pictures/matrix.svg"),
        (
            "docs/results.md",
            "results.md",
            "../conformance/results/schema/results-1.schema.json",
            "schema/results-1.schema.json",
        ),
        ("docs/ci.md", "ci.md", "missing.md", "missing.md"),
        ("docs/ci.md", "ci.md", "#4a-github", "#4a-github"),
    ],
)
def test_links_of_the_site_lead_where_those_of_the_repository_do(
    place: str, page: str, written: str, there: str
) -> None:
    assert for_site(f"See [x]({written}).", place, page, REPOSITORY) == f"See [x]({there})."


def test_every_name_of_the_python_api_exists() -> None:
    names = re.findall(r"^::: (\S+)$", text("docs/api.md"), re.MULTILINE)
    worker = "conformance.adapters.worker.conformance_worker"
    assert names
    for name in names:
        module, _, attribute = name.replace("conformance_worker", worker).rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__, name


@pytest.mark.parametrize(
    "place",
    [
        "docs/environments.md",
        "docs/expectations.md",
        "conformance/cli/init/templates/conformance.toml",
    ],
)
def test_what_lists_the_editions_lists_all(place: str) -> None:
    *others, last = EDITIONS
    assert f"{', '.join(others)} or {last}" in text(place).replace("`", "")


def test_every_environment_variable_has_one_row() -> None:
    variables = re.findall(r"^\| `(\w+)` \|", text("docs/configuration.md"), re.MULTILINE)
    assert "CONFORMANCE_HOME" in variables
    assert sorted(set(variables)) == sorted(variables)


def test_every_environment_variable_is_described() -> None:
    files = [*Path(conformance.__file__).parent.rglob("*.py")]
    used = {n for f in files for n in re.findall(r"CONFORMANCE_([A-Z_]+)", f.read_text("utf-8"))}
    page = text("docs/configuration.md")
    assert {"HOME", "CACHE"} <= used
    assert [name for name in used - INTERNAL if f"`CONFORMANCE_{name}`" not in page] == []
