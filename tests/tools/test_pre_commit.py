"""The hooks of pre-commit use the releases that `pyproject.toml` names."""

from __future__ import annotations

import tomllib

import yaml

from tools.style.__main__ import ROOT


def test_hooks_pin_the_releases_of_the_development_group() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    pins = {pin for hook in hooks for pin in hook["additional_dependencies"] if "ruff" in pin}
    assert pins == {pin for pin in project["dependency-groups"]["lint"] if "ruff" in pin}
