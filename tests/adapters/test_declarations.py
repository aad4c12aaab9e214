"""Targets of installed packages: read as data, never imported, and only run if named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.adapters import environments, project
from conformance.adapters.declarations import GROUP, declared
from conformance.adapters.environments import Missing
from conformance.adapters.registry import shipped
from conformance.cli import main

POINT = "my-backend = my_package:conformance.toml\n"
TABLE = """
[targets.my-backend]
module = "my_package.backend"
edition = "keras-2.2"
family = "eager"
path = ".."
lacks = ["float64"]
shortfalls = [{ message = "no FFT", because = "the device has no FFT" }]
"""
BACKEND = """
import numpy as np
def variable(value, dtype=None, name=None):
    return np.asarray(value, dtype)
def exp(x):
    return np.exp(x)
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the import path of the suite."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(
    site: Path, table: str = TABLE, point: str = POINT, package: str = "my_package"
) -> Path:
    """Install a package that tells by a file if it is imported; the path of that file."""
    folder, marker = site / package, site / f"{package}-imported"
    folder.mkdir()
    (folder / "__init__.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    (folder / "backend.py").write_text(BACKEND)
    (folder / "conformance.toml").write_text(table)
    metadata = site / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{point}")
    return marker


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_package_declares_a_target_without_an_import(site: Path) -> None:
    marker = install(site)
    target = project.known()["my-backend"]
    file = site / "my_package" / "conformance.toml"
    assert (target.found_in, target.described_in) == (file, file)
    assert (target.lacks, target.shortfalls[0].because) == (("float64",), "the device has no FFT")
    state = environments.status(target)
    assert isinstance(state, Missing)
    assert state.hint == "conformance run my-backend"
    assert "my-backend" in run("targets").output
    assert "my_package" not in sys.modules
    assert not marker.exists()


def test_only_a_user_who_names_it_runs_it(site: Path) -> None:
    marker = install(site)
    selection = ("-k", "exp and not (expand or sum)", "--profile", "smoke", "--no-database")
    (site / "my_package" / "__init__.py").write_text("")
    result = run("run", "my-backend", *selection)
    file = site / "my_package" / "conformance.toml"
    assert result.output.startswith(f"my-backend: as {file} describes it, in an installed package")
    assert " aspects follow the documents" in result.output
    assert result.exit_code == 0, result.output
    assert "my_package" not in sys.modules
    assert not marker.exists()


def test_a_project_may_describe_its_package_again(site: Path) -> None:
    install(site)
    Path("conformance.toml").write_text(
        TABLE.replace('path = ".."\n', "").replace("my_package", "m")
    )
    assert project.known()["my-backend"].module == "m.backend"
    assert run("targets").output.count("my-backend") == 2, "a row, and how to run it"


@pytest.mark.parametrize(
    ("table", "point", "problem"),
    [
        (TABLE, "mine = my_package.backend\n", "found 'my_package.backend'; write \"PACKAGE:FILE"),
        (TABLE, "mine = my_package:../x.toml\n", "found 'my_package:../x.toml'; write"),
        (TABLE, "mine = my_package:no.toml\n", "the package my_package has no file no.toml"),
        (TABLE, "mine = nothing:conformance.toml\n", "the package nothing has no file"),
        ("[targets.mine\n", POINT, "conformance.toml: Expected"),
        (TABLE.replace("lacks", "laks"), POINT, "targets.my-backend: unknown field `laks`"),
        (TABLE.replace("my-backend]", "Keras3-JAX]"), POINT, "targets.Keras3-JAX: another target"),
    ],
)
def test_a_wrong_declaration_costs_its_own_targets_only(
    site: Path, table: str, point: str, problem: str
) -> None:
    marker = install(site, table, point)
    good = TABLE.replace("my-backend", "good").replace("my_package", "good_package")
    install(site, good, "good = good_package:conformance.toml\n", "good_package")
    packages = declared(shipped())
    assert list(packages.targets) == ["good"]
    (line,) = packages.problems
    assert problem in line
    result = run("list", "-k", "softmax")
    assert (result.exit_code, "skipped" in result.output) == (0, False)
    result = run("targets")
    assert result.exit_code == 0
    assert result.output.count("skipped: ") == 1
    assert problem in result.output
    assert not marker.exists()


def test_the_second_package_with_a_name_is_skipped(site: Path) -> None:
    install(site)
    install(site, TABLE, "other = other_package:conformance.toml\n", "other_package")
    packages = declared(shipped())
    assert list(packages.targets) == ["my-backend"]
    (line,) = packages.problems
    assert "other_package: entry point conformance.targets: other: targets.my-backend" in line


def test_the_file_of_an_editable_package_is_elsewhere(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = install(site)
    source = tmp_path / "src"
    source.mkdir()
    (site / "my_package").rename(source / "my_package")
    monkeypatch.syspath_prepend(str(source))
    assert project.known()["my-backend"].found_in == source / "my_package" / "conformance.toml"
    assert not marker.exists()
