"""The page of platforms says what the package index has for each lock."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from conformance.adapters import interpreters, registry
from tools import platforms

ROOT = Path(__file__).parents[2]
DATA = platforms.load()
LOCKS = {t.venv.name: t.venv.lock for t in registry.shipped().values() if t.venv}
GLIBC = ("2_17", "2_28", "2_31", "2_35", "2_39")
"""Releases of glibc for which uv resolves, from old to new."""
MACOS = ("11.0", "12.0", "13.0", "14.0", "15.0", "26.0")
CELLS = list(product(DATA.environments, DATA.platforms))


def test_the_page_is_current() -> None:
    assert platforms.PAGE.read_text("utf-8") == platforms.page(DATA), "python -m tools.platforms"


def test_each_environment_has_a_cell_for_each_platform() -> None:
    assert list(DATA.environments) == list(platforms.pythons())
    assert list(DATA.suite) == ["python", *DATA.platforms]
    for cells in DATA.environments.values():
        assert list(cells) == list(DATA.platforms)


def test_a_cell_names_a_system_of_its_platform_or_a_package_of_its_lock() -> None:
    for name, platform in CELLS:
        cell, lock = DATA.environments[name][platform], LOCKS[name]
        assert lock is not None
        if cell.startswith(platforms.LACKS):
            package = re.escape(cell.removeprefix(platforms.LACKS))
            assert re.search(rf"^{package}==", lock.read_text(), re.MULTILINE), (name, cell)
        else:
            assert cell in [_cell(platform, system) for system in _systems(platform)]


@pytest.mark.parametrize("name", DATA.environments)
def test_an_environment_names_the_platforms_of_the_page(name: str) -> None:
    (venv, *_) = (t.venv for t in registry.shipped().values() if t.venv and t.venv.name == name)
    cells = DATA.environments[name].items()
    having = {DATA.platforms[p].name for p, cell in cells if not cell.startswith(platforms.LACKS)}
    assert set(venv.platforms) == having


@pytest.mark.slow
@pytest.mark.parametrize(("name", "platform"), CELLS)
def test_a_lock_can_be_installed_where_the_page_says_so(name: str, platform: str) -> None:
    pins = ("--no-deps", "--require-hashes", "--requirements", str(LOCKS[name]))
    first, *others = platforms.pythons()[name]
    _agrees(DATA.environments[name][platform], platform, [first, *others[-1:]], pins)


@pytest.mark.slow
@pytest.mark.parametrize("platform", DATA.platforms)
def test_the_suite_can_be_installed_where_the_page_says_so(platform: str) -> None:
    needs = ("--only-binary", ":all:", "--requirements", str(ROOT / "pyproject.toml"))
    pythons = [DATA.suite["python"][0], DATA.suite["python"][-1]]
    _agrees(str(DATA.suite[platform]), platform, pythons, needs, oldest=False)


def _agrees(
    cell: str, platform: str, pythons: list[str], pins: tuple[str, ...], *, oldest: bool = True
) -> None:
    """Hold a cell to the index; with `oldest`, the system before the one it names must not do."""
    systems = _systems(platform)
    if cell.startswith(platforms.LACKS):
        package = re.escape(cell.removeprefix(platforms.LACKS))
        problem = _resolution(platform, systems[-1], pythons[0], pins)
        assert re.search(rf"Because {package}({{.*?}})?==\S+ has no wheels", problem), problem
        return
    number = [_cell(platform, system) for system in systems].index(cell)
    for python in pythons:
        assert _resolution(platform, systems[number], python, pins) == ""
    if oldest and number > 0:
        assert _resolution(platform, systems[number - 1], pythons[0], pins) != ""


def _systems(platform: str) -> tuple[str, ...]:
    return GLIBC if "{}" in DATA.platforms[platform].uv else MACOS


def _cell(platform: str, system: str) -> str:
    if "{}" in DATA.platforms[platform].uv:
        return f"glibc {system.replace('_', '.')}"
    return f"macOS {system.removesuffix('.0')}"


def _resolution(platform: str, system: str, python: str, pins: tuple[str, ...]) -> str:
    """Why uv cannot install the pins there; empty if it can."""
    _need_index()
    target = DATA.platforms[platform].uv.format(system)
    there = ("--python-platform", target, "--python-version", python)
    return _uv(*there, *pins, MACOSX_DEPLOYMENT_TARGET=system)


@cache
def _need_index() -> None:
    """Skip where no package index can be reached."""
    problem = _uv("--refresh-package", "pip", "--no-deps", "pip")
    if problem and not os.environ.get("CONFORMANCE_REQUIRE_REAL"):
        pytest.skip(f"no package index: {problem[-200:]}")


def _uv(*arguments: str, **variables: str) -> str:
    with tempfile.TemporaryDirectory() as empty:
        command = [interpreters.uv_program(), "pip", "install", "--dry-run", "--target", empty]
        environment = {**os.environ, **variables}
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, env=environment, check=False
        )
    return "" if done.returncode == 0 else " ".join(done.stderr.split())
