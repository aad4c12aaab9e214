"""The README as a package index shows it: each link leads to a file of the released version."""

from __future__ import annotations

import re
import tomllib

import pytest

from conformance.adapters.process import Launch
from conformance.adapters.start_errors import not_started
from tools.docs.links import links
from tools.release import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HOOK = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
PROJECT_NAME = PROJECT["project"]["name"]
REPOSITORY = PROJECT["project"]["urls"]["Repository"]
RELEASE = "v$HFPR_VERSION"
PAGES = f"{REPOSITORY}/blob/{RELEASE}/"
RAW = f"{REPOSITORY}/{RELEASE}/".replace("github.com", "raw.githubusercontent.com")


def on_index(text: str) -> str:
    """The text with the substitutions that the build makes."""
    for substitution in HOOK["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)
    return text


def readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")


def test_the_page_is_the_readme() -> None:
    assert "readme" in PROJECT["project"]["dynamic"]
    assert HOOK["fragments"] == [{"path": "README.md"}]


def test_no_link_of_the_page_is_relative() -> None:
    assert len(list(links(readme(), "README.md"))) > 20
    assert list(links(on_index(readme()), "README.md")) == []


def test_each_link_leads_to_a_file_of_the_repository() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", on_index(readme()))
    own = [t for t in targets if t.startswith((PAGES, RAW))]
    assert len(own) > 20
    for target in own:
        place = target.removeprefix(PAGES).removeprefix(RAW).partition("#")[0]
        assert (ROOT / place).exists(), target


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](docs/a.md#b)", f"[a]({PAGES}docs/a.md#b)"),
        ("![a](docs/a.png)", f"![a]({RAW}docs/a.png)"),
        ("[![a](docs/a.svg)](docs/a.md)", f"[![a]({RAW}docs/a.svg)]({PAGES}docs/a.md)"),
        ("[a](#here) [b](https://example.org/x)", "[a](#here) [b](https://example.org/x)"),
    ],
)
def test_pages_and_pictures_get_their_addresses(written: str, shown: str) -> None:
    assert on_index(written) == shown


def test_the_source_distribution_lacks_results_and_nothing_else() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"] == {
        "exclude": ["/reports/**/*.json.gz"]
    }


PLACES = ("README.md", "action.yml", "docs", "examples", "conformance/adapters", "conformance/cli")
_OTHERS = re.compile(r"(?:install|add|uvx|pipx run)\s+(?:-\S+\s+)*['\"]?conformance\b(?![-/])")


def test_no_hint_names_the_package_of_somebody_else() -> None:
    """The index has another `conformance`; commands of the suite follow `install` in no page."""
    places = [
        (str(file), match[0])
        for place in PLACES
        for file in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
        if file.suffix in {".py", ".md", ".toml", ".yml", ".j2"}
        for match in _OTHERS.finditer(file.read_text("utf-8"))
    ]
    assert places == []
    assert _OTHERS.search("run `pip install -U conformance` there")


def test_a_backend_that_lacks_the_suite_is_told_its_package() -> None:
    launch = Launch("/usr/bin/python3", "mine", "eager")
    line = "ModuleNotFoundError: No module named 'conformance.reference'"
    assert str(not_started(launch, "ended", line).hint).endswith(f" install {PROJECT_NAME}")
