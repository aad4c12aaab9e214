"""Older and newer releases of a package, each in a folder in front of a target's own packages.

A release needs no environment of its own: its folder is first on the path of the target's
environment, whose other packages stay. `uv pip install --no-deps --target FOLDER` fills the folder.
Packages that the release asks for and the environment lacks go into the same folder.

    HOME/releases/VENV/PACKAGE-VERSION/     the packages
        release-complete                    written last: a folder without it is filled again
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

from msgspec import Struct, structs
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from conformance.adapters import interpreters, layout
from conformance.adapters.installation import InstallationError, only_one, run_uv
from conformance.adapters.launching import interpreter
from conformance.adapters.registry import completed, literal
from conformance.adapters.target_records import Target

COMPLETE = "release-complete"
_INDEX_SECONDS = 120
_ABSENT = "No matching distribution found"
"""Words of pip for a package that the index lacks, or for an index that does not answer."""
_RETRYING = "Retrying"
"""A word of pip that only an index without an answer causes."""
_TAIL = 3


class PackageRelease(Struct, frozen=True, order=True):
    """One release of a package on the package index."""

    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


def released_versions(package: str, *, previews: bool = False) -> list[str]:
    """The versions of a package on the index, the oldest first; with `previews` all of them.

    Raises:
        InstallationError: the index does not answer, or does not have the package.
    """
    options = ["--pre"] if previews else []
    command = [interpreters.uv_program(), "tool", "run", "pip", "index", "versions", package]
    try:
        answer = subprocess.run(
            [*command, *options],
            check=False,
            capture_output=True,
            text=True,
            timeout=_INDEX_SECONDS,
            cwd=layout.suite_home(),  # in a stranger's project uv would follow its settings
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallationError(f"the releases of {package} are unknown: {error}") from error
    versions = re.search(r"^Available versions: (.+)$", answer.stdout, re.MULTILINE)
    if versions is None:
        raise InstallationError(
            _without_releases(package, answer.stderr.strip()),
            "check the name, and the index that pip uses; or write versions, such as 3.4.1,3.5.0",
        )
    return sorted(filter(is_version, versions[1].split(", ")), key=Version)


def _without_releases(package: str, messages: str) -> str:
    """The cause if pip lists no releases of a package: the index lacks it, or does not answer."""
    if _ABSENT in messages and _RETRYING not in messages:
        return f"no package {package} in the index"
    tail = "\n".join(messages.splitlines()[-_TAIL:])
    return f"the index lists no releases of {package}:\n{tail}"


def is_version(text: str) -> bool:
    """Whether a text is the version of a Python package."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def release_folder(target: Target, release: PackageRelease) -> Path:
    """The folder of a release for the targets that share an environment."""
    place = layout.venv_folder(target.venv).name if target.venv else target.python or "python"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", place)
    return layout.suite_home() / "releases" / name / f"{release.package}-{release.version}"


@layout.in_home()
def install_release(target: Target, release: PackageRelease) -> Path:
    """The folder of the release, which is filled if it is not complete.

    Raises:
        InstallationError: the index lacks the release, or it does not install.
    """
    folder = release_folder(target, release)
    with only_one(folder):
        if not (folder / COMPLETE).is_file():
            remove_release(target, release)
            folder.mkdir(parents=True)
            _install(target, folder, [f"{release.package}=={release.version}"])
            if missing := list(_missing(target, folder, release.package)):
                _install(target, folder, missing)
            (folder / COMPLETE).touch()
    return folder


def remove_release(target: Target, release: PackageRelease) -> None:
    """Remove the folder of the release, if there is one."""
    folder = release_folder(target, release)
    if folder.exists():
        shutil.rmtree(folder)


def _install(target: Target, folder: Path, requirements: list[str]) -> None:
    inside = ["--python", str(interpreter(target)), "--target", str(folder)]
    # no worker in the sandbox can save bytecode, and each would compile the package again
    options = ["--no-deps", "--compile-bytecode"]
    run_uv(["pip", "install", *options, *inside, *requirements], lambda _: None)


def _missing(target: Target, folder: Path, package: str) -> Iterator[str]:
    """The requirements of the package that neither the environment nor the folder has."""
    environment = layout.venv_folder(target.venv) if target.venv else Path("/nonexistent")
    places = [folder, *environment.glob("lib/python*/site-packages")]
    present = {_plain(info.name.split("-")[0]) for p in places for info in p.glob("*.dist-info")}
    for text in _requirements(folder, package):
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if (marker is None or marker.evaluate({"extra": ""})) and (
            _plain(requirement.name) not in present
        ):
            yield f"{requirement.name}{requirement.specifier}"


def _requirements(folder: Path, package: str) -> list[str]:
    for info in folder.glob("*.dist-info"):
        if _plain(info.name.split("-")[0]) == _plain(package):
            text = (info / "METADATA").read_text(encoding="utf-8", errors="replace")
            return [str(line) for line in Parser().parsestr(text).get_all("Requires-Dist", [])]
    return []


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def with_release(target: Target, folder: Path, release: PackageRelease) -> Target:
    """The target with the release in front of its environment's own packages."""
    own = target.environment.get("PYTHONPATH")
    paths = ":".join([literal(str(folder)), *([own] if own else [])])
    return completed(
        structs.replace(
            target,
            implementation=f"{target.module} of {release} in the environment of {target.name}",
            environment=target.environment | {"PYTHONPATH": paths},
            script_paths=(str(folder), *target.script_paths),
        )
    )
