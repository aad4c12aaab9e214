"""The distribution: one version, addresses of one repository, and what stands against a release."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from packaging.version import Version

import conformance
from tools.release import ROOT, main, to_do

PYPROJECT = '[project.urls]\nRepository = "https://github.com/{}/suite"\n'
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n{}## [0.2.0] - 2026-11-23\n\n### Added\n\n- All.\n"
SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
"""Those of Keep a Changelog."""


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_version_stands_in_one_place(described: dict[str, Any]) -> None:
    assert "version" in described["project"]["dynamic"]
    assert "version" not in described["project"]
    file = ROOT / described["tool"]["hatch"]["version"]["path"]
    assert file == Path(conformance.__file__)
    assert re.findall(r'__version__ = "(.+)"', file.read_text("utf-8")) == [conformance.__version__]


def test_the_addresses_are_those_of_the_repository_that_the_docs_name(
    described: dict[str, Any],
) -> None:
    name = re.escape(described["project"]["name"])
    used = re.findall(rf"uses: (\w+/{name})@", (ROOT / "docs" / "ci.md").read_text("utf-8"))
    assert described["project"]["urls"]["Repository"] == f"https://github.com/{used[0]}"
    addresses = described["project"]["urls"].values()
    assert all(re.search(name, address) for address in addresses)
    assert f'"{described["project"]["urls"]["Repository"]}"' in (ROOT / "mkdocs.yml").read_text(
        "utf-8"
    )


def test_the_changelog_has_the_usual_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= SECTIONS
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d\S*\] - \d{4}-\d\d-\d\d", head) for head in heads[1:])


def test_a_tree_that_is_ready_has_nothing_to_do() -> None:
    assert (
        list(to_do(Version("0.2.0"), "0.2.0", CHANGELOG.format(""), PYPROJECT.format("me"))) == []
    )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"current": "0.1.0"}, '__version__ is "0.1.0"; write "0.2.0"'),
        ({"changelog": "## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n"}, "no heading `## [0.2.0] -"),
        ({"fragments": 2}, "changelog.d: 2 changes are not in CHANGELOG.md; run `uvx towncrier"),
        (
            {"pyproject": PYPROJECT.format("OWNER")},
            "pyproject.toml:2: https://github.com/OWNER/suite leads nowhere",
        ),
    ],
)
def test_what_stands_against_a_release_is_named(changed: dict[str, Any], expected: str) -> None:
    ready: dict[str, Any] = {
        "current": "0.2.0",
        "changelog": CHANGELOG.format(""),
        "pyproject": PYPROJECT.format("me"),
    }
    (line,) = to_do(Version("0.2.0"), **(ready | changed))
    assert expected in line


def test_the_command_ends_with_1_while_there_is_something_to_do() -> None:
    ended = CliRunner().invoke(main, ["9.9"])
    assert ended.exit_code == 1
    assert "conformance/__init__.py" in ended.output


def test_what_is_no_version_is_refused() -> None:
    ended = CliRunner().invoke(main, ["new"])
    assert ended.exit_code == 2
    assert "'new' is not a version; write one such as 0.1.0" in ended.output
