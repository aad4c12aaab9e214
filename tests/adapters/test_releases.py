"""Folders of releases: what is installed into them, and how a target imports it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conformance.adapters import releases
from conformance.adapters.installation import InstallationError
from conformance.adapters.launching import launch_environment
from conformance.adapters.releases import (
    COMPLETE,
    PackageRelease,
    install_release,
    released_versions,
    remove_release,
    with_release,
)
from conformance.adapters.target_records import Target

TARGET = Target(name="mine", module="mine", edition="keras-3", environment={"PYTHONPATH": "own"})
RELEASE = PackageRelease("mine", "1.0")
METADATA = """Metadata-Version: 2.1
Name: mine
Requires-Dist: numpy
Requires-Dist: needed-part>=2
Requires-Dist: extra-part ; extra == "more"
Requires-Dist: old-part ; python_version < "3"
"""


@pytest.fixture(autouse=True)
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of uv, which puts `mine` and NumPy into the folder."""
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    ran: list[list[str]] = []

    def uv(arguments: list[str], on_line: object) -> None:
        ran.append(arguments)
        folder = Path(arguments[arguments.index("--target") + 1])
        for name in ("mine-1.0", "numpy-2.0"):
            (folder / f"{name}.dist-info").mkdir(exist_ok=True)
        (folder / "mine-1.0.dist-info" / "METADATA").write_text(METADATA)

    monkeypatch.setattr(releases, "run_uv", uv)
    return ran


def test_the_folder_is_filled_once_with_what_the_release_needs(commands: list[list[str]]) -> None:
    folder = install_release(TARGET, RELEASE)
    assert [command[-1] for command in commands] == ["mine==1.0", "needed-part>=2"]
    assert install_release(TARGET, RELEASE) == folder
    assert len(commands) == 2


def test_an_unfinished_folder_is_filled_again(commands: list[list[str]]) -> None:
    folder = install_release(TARGET, RELEASE)
    (folder / COMPLETE).unlink()
    (folder / "rest").touch()
    install_release(TARGET, RELEASE)
    assert len(commands) == 4
    assert not (folder / "rest").exists()


def test_a_folder_is_removed() -> None:
    folder = install_release(TARGET, RELEASE)
    remove_release(TARGET, RELEASE)
    assert not folder.exists()
    remove_release(TARGET, RELEASE)


def test_the_release_is_first_on_the_path(tmp_path: Path) -> None:
    folder = tmp_path / "{odd}"
    target = with_release(TARGET, folder, RELEASE)
    assert launch_environment(target)["PYTHONPATH"] == f"{folder}:own"
    assert target.script_paths == (str(folder),)
    assert "mine 1.0" in target.implementation


def answer(stdout: str, stderr: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], 0 if stdout else 1, stdout, stderr)


def test_versions_are_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "keras (3.10.0)\nAvailable versions: 3.10.0, 3.9.1, 3.9.0.dev1, odd\n"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer(text))
    assert released_versions("keras") == ["3.9.0.dev1", "3.9.1", "3.10.0"]


def test_a_package_without_releases_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer("", "ERROR: No matching"))
    with pytest.raises(InstallationError, match="lists no releases of keras:\nERROR: No matching"):
        released_versions("keras")


def test_a_package_that_the_index_lacks_differs_from_an_index_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    absent = "ERROR: No matching distribution found for keras"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer("", absent))
    with pytest.raises(InstallationError, match=r"^no package keras in the index$"):
        released_versions("keras")
    offline = f"WARNING: Retrying after connection broken\n{absent}"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer("", offline))
    with pytest.raises(InstallationError, match="lists no releases of keras:\nWARNING: Retrying"):
        released_versions("keras")
