"""Targets of a project: which file is used, what its fields mean, which errors it can have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conformance.adapters import project, registry
from conformance.adapters.access import launch
from conformance.adapters.registry import RegistryError

LINES = 'module = "pkg.backend"\nedition = "keras-2.2"\n'
MINE = "[targets.mine]\n" + LINES
IN_PYPROJECT = "[project]\nname = 'x'\n[tool.conformance.targets.mine]\n" + LINES


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_conformance_toml_comes_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", IN_PYPROJECT)
    assert project.find(tmp_path) == tmp_path / "pyproject.toml"
    write(tmp_path, "conformance.toml", MINE)
    assert project.find(tmp_path) == tmp_path / "conformance.toml"


def test_the_nearest_file_upwards_counts(tmp_path: Path) -> None:
    outer = write(tmp_path, "conformance.toml", MINE)
    write(tmp_path / "a", "pyproject.toml", "[project]\nname = 'no targets'\n")
    (tmp_path / "a" / "b").mkdir()
    assert project.find(tmp_path / "a" / "b") == outer


@pytest.mark.parametrize(
    ("name", "text"), [("conformance.toml", MINE), ("pyproject.toml", IN_PYPROJECT)]
)
def test_a_projects_targets_follow_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    write(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    known = project.known()
    assert list(known) == [*registry.shipped(), "mine"]
    assert known["mine"].script_import == ("from pkg import backend as K",)


def test_folders_are_seen_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    more = 'path = "src"\nenvironment = { PYTHONPATH = "/more" }\nnames = { dot = "la.dot" }\n'
    file = write(tmp_path, "conformance.toml", MINE + more)
    target = project.known(file)["mine"]
    started = launch(target)
    assert started.environment["PYTHONPATH"] == os.pathsep.join((str(tmp_path / "src"), "/more"))
    assert target.script_paths == (str(tmp_path / "src"),)
    assert any('{"dot": "la.dot"}' in word for word in started.command())


def test_requirements_that_are_folders_are_seen_from_the_file(tmp_path: Path) -> None:
    more = 'requirements = [".", "-e ./sub", "numpy>=2"]\n'
    target = registry.load(write(tmp_path, "conformance.toml", MINE + more))["mine"]
    assert target.venv is not None
    assert target.venv.requirements == (str(tmp_path), f"-e {tmp_path / 'sub'}", "numpy>=2")
    assert target.venv.python == ("{}.{}".format(*sys.version_info),)


def test_every_path_of_a_file_may_begin_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    write(home, "prepare.py", "")
    lines = (
        'path = "~"\nprepare = "~/prepare.py"\npython = "~/bin/python"\n'
        'requirements = ["~/backend", "-e ~"]\n'
    )
    target = registry.load(write(tmp_path, "conformance.toml", MINE + lines))["mine"]
    assert target.script_paths == (str(home),)
    assert target.prepare == home / "prepare.py"
    assert target.venv is not None
    assert target.venv.python == (f"{home}/bin/python",)
    assert target.venv.requirements == (f"{home}/backend", f"-e {home}")


WRONG = {
    "a shipped name": (MINE.replace("mine", "tf_keras"), "targets.tf_keras: .*give another"),
    "a library's name": (MINE.replace("mine", "theano"), "targets.theano: .*give another"),
    "a shipped name in other case": (MINE.replace("mine", "TF_Keras"), ".*give another"),
    "two names in other case": (
        MINE + MINE.replace("mine", "Mine"),
        "targets: 'mine' and 'Mine' share their files where case does not count; rename one",
    ),
    "no module": ("[targets.mine]\nedition = 'keras-2.2'\n", "targets.mine: give `module`"),
    "no such folder": (MINE + "path = 'nowhere'\n", "targets.mine: path: there is no folder .*"),
    "a path of another type": (MINE + "path = 3\n", "targets.mine: path: write a folder"),
    "requirements as text": (MINE + "requirements = 'numpy'\n", "requirements: write a list"),
    "names and adapter": (
        MINE + "names = { dot = 'd' }\nadapter = 'm:A'\n",
        "targets.mine: `names` and `adapter` exclude",
    ),
    "no TOML": ("[targets.mine]\nmodule = \n", "line 2"),
    "no table of tables": ("targets = 3\n", r"write \[targets.NAME\]"),
    "an unknown field": (MINE + "pyhton = '3.11'\n", "did you mean python"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, case: str) -> None:
    text, message = WRONG[case]
    file = write(tmp_path, "conformance.toml", text)
    with pytest.raises(RegistryError, match=message) as caught:
        project.known(file)
    assert str(file) in str(caught.value)


def test_a_wrong_pyproject_says_what_to_write(tmp_path: Path) -> None:
    file = write(tmp_path, "pyproject.toml", "[tool.conformance.target.mine]\n" + LINES)
    with pytest.raises(RegistryError, match=r"write \[tool.conformance.targets.NAME\]"):
        project.known(file)
