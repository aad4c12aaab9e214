"""The container image: its steps know what the targets need, and its context has what it copies."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from conformance.adapters import registry

ROOT = Path(__file__).parents[2]
STEPS = ROOT / "tools" / "image.sh"
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
TARGETS = registry.shipped()
NAMES = sorted({*TARGETS, *(target.library for target in TARGETS.values())})


def step(*arguments: str) -> int:
    return subprocess.run(["sh", str(STEPS), *arguments], check=False).returncode


@pytest.mark.parametrize("name", NAMES)
def test_a_target_with_python_36_brings_it(name: str) -> None:
    venvs = [target.venv for target in registry.resolve([name])]
    needs = any(venv is not None and venv.python == ("3.6",) for venv in venvs)
    assert (step("needs_python36", name) == 0) is needs
    assert (step("needs_python36", f"reference {name}") == 0) is needs


def test_what_targets_need_of_debian_is_installed_with_python_36() -> None:
    needing = [t for t in TARGETS.values() if t.programs or t.libraries]
    cures = {program.cure for t in needing for program in t.programs}
    cures |= {library.cure for t in needing for library in t.libraries}
    installed = re.findall(r"^        packages (.*?) #", STEPS.read_text("utf-8"), re.MULTILINE)
    assert {f"apt-get install {name}" for name in installed[0].split()} == cures
    assert all(t.venv is not None and t.venv.python == ("3.6",) for t in needing)


def test_the_context_has_what_is_copied_and_the_steps_are_those_of_the_script() -> None:
    context = (ROOT / ".dockerignore").read_text("utf-8").split()
    for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE):
        for place in line.split():
            assert (ROOT / place).exists()
            assert f"!{place}" in context
    for line in re.findall(r"^RUN (.*)$", DOCKERFILE, re.MULTILINE):
        assert f"\n{shlex.split(line)[2]}() {{\n" in STEPS.read_text("utf-8")


def test_a_workflow_builds_the_image_and_runs_it() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/image.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    scripts = "\n".join(step.get("run", "") for step in job["steps"])
    assert "docker build" in scripts
    assert "docker run" in scripts
    for built in job["strategy"]["matrix"]["include"]:
        assert set(built["tested"].split()) <= TARGETS.keys()
