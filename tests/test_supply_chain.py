"""What CI runs that others wrote is named by its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCK = ROOT / ".ci" / "development.txt"
FILES = (
    *(
        f".github/workflows/{place.name}"
        for place in sorted((ROOT / ".github/workflows").iterdir())
    ),
    "action.yml",
    "examples/ci/github-workflow.yml",
    "examples/ci/keras3-workflow.yml",
    "conformance/cli/init/templates/workflow.yml",
)
_OWN = ("./", "OWNER/")
_PIN = re.compile(r"^[a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


@pytest.mark.parametrize("name", FILES)
def test_actions_are_pinned_by_their_hash(name: str) -> None:
    text = (ROOT / name).read_text()
    used = re.findall(r"uses: (.*)", text)
    foreign = [action for action in used if not action.startswith(_OWN)]
    assert foreign
    assert [action for action in foreign if not _PIN.fullmatch(action)] == []


def test_what_looks_for_faults_in_the_gate_runs_for_each_change() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    ran = re.findall(r"run: nox -s (.*)", text)
    assert {"audit", "hostile", "browser", "dask", "tfjs"} <= {
        name for names in ran for name in names.split()
    }


def _locked() -> dict[str, str]:
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;]+)", LOCK.read_text(), re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in pins}


def test_every_package_of_the_lock_has_hashes() -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", LOCK.read_text())[1:]
    assert len(entries) > 30
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_lock_is_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    asked = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["test"],
        *groups["lint"],
        *(group for group in groups["dev"] if isinstance(group, str)),
    ]
    locked, wrong = _locked(), []
    for requirement in map(Requirement, asked):
        version = locked.get(requirement.name.lower().replace("_", "-"))
        if version is None or not requirement.specifier.contains(version):
            wrong.append((str(requirement), version))
    assert wrong == [], "run `nox -s lock`"


def test_the_rules_for_security_are_on() -> None:
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert "S" in ruff["select"]
    # an assertion narrows a type; everything else is allowed in the files that do it
    assert [code for code in ruff["ignore"] if code.startswith("S")] == ["S101"]
    assert all("S" not in codes for codes in ruff["per-file-ignores"].values())


def test_no_hint_installs_a_package_of_the_command_s_name() -> None:
    """`conformance` on the package index is somebody else's."""
    installs = re.compile(r"(?:pip|pipx|tool) install (?:-\S+ )*['\"]?conformance\b")
    others = re.compile(r"(?:uv add|uvx|pipx run) ['\"]?conformance\b")
    assert installs.search("pip install -U conformance")
    assert others.search("uvx conformance run")
    places = [
        *ROOT.glob("*.md"),
        *(p for f in ("conformance", "docs", "examples") for p in _texts(f)),
    ]
    assert len(places) > 500
    for place in places:
        text = place.read_text("utf-8")
        assert not installs.search(text), place
        assert not others.search(text), place


def _texts(folder: str) -> list[Path]:
    kinds = (".md", ".py", ".toml", ".yml", ".yaml", ".j2")
    return [place for place in (ROOT / folder).rglob("*") if place.suffix in kinds]
