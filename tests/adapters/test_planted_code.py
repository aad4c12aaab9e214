"""No process runs what a worker of another target wrote, nor more freely than the worker did."""

from __future__ import annotations

import os
import re
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import conformance
from conformance.adapters import access, layout
from conformance.adapters.installation import _put_in_place
from conformance.adapters.launching import interpreter, said_by
from conformance.adapters.registry import completed
from conformance.adapters.sandbox.offer import offer
from conformance.adapters.target_records import Target, Venv
from conformance.cli.exec import execute
from tests.adapters.fakes.fakes.loads_code import MARK, WRITTEN
from tests.adapters.support import FAKES, batch, call, x

FULL = offer().level == "full"
whole = pytest.mark.skipif(not FULL, reason="this system offers no whole sandbox")
OWN_FOLDERS = os.pathsep.join(["{home}", "{cache}"])
SHARED_FOLDERS = os.pathsep.join(["{home}", "{cache}", "{compiled}"])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the suite, and a project in which its user works."""
    place, project = tmp_path / "home", tmp_path / "project"
    place.mkdir()
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("CONFORMANCE_HOME", str(place))
    return place


def foreign() -> list[str]:
    """Folders of the machine whose code is run, and those that everybody can write to."""
    packages = sysconfig.get_path("purelib")
    suite = Path(conformance.__file__).parent
    folders = [packages, suite, suite / "adapters" / "worker", Path.home(), tempfile.gettempdir()]
    return [str(place) for place in (*folders, "/dev/shm", "/var/tmp")]  # noqa: S108


def target(name: str, folders: str, tmp_path: Path, **fields: object) -> Target:
    """A target of a project's that runs the code in its folders."""
    environment = {"FAKE_FOLDERS": folders, "PYTHONDONTWRITEBYTECODE": "1"}
    bare = Target(
        name=name,
        module="fakes.loads_code",
        edition="keras-2.2",
        environment=environment,
        described_in=tmp_path / "conformance.toml",
    )
    return completed(replace(bare, **fields), [FAKES])


def work(tested: Target) -> None:
    """Start a worker of the target and let it compute."""
    with access.open_session(tested, ["exp"]) as session:
        session.run_batch(batch(call("exp", x(3))))


def run_file(tested: Target, monkeypatch: pytest.MonkeyPatch, folder: Path) -> int:
    """The exit status of a file that `conformance exec` runs, which imports the module."""
    monkeypatch.setattr("conformance.cli.exec.known_targets", lambda _: {tested.name: tested})
    file = folder / "script.py"
    file.write_text(f"import sys; sys.path.insert(0, {str(FAKES)!r}); import {tested.module}\n")
    return execute(tested.name, file, (), None)


def marks(folder: Path) -> set[str]:
    """The folders below this one in which code of the planter's ran; targets without digests."""
    places = (file.parent.relative_to(folder).as_posix() for file in folder.rglob(MARK))
    return {re.sub(r"-[0-9a-f]{12}(?=/)", "", place) for place in places}


@pytest.fixture
def others(tmp_path: Path) -> list[Target]:
    """One target of each kind."""
    return [
        target("shares", SHARED_FOLDERS, tmp_path),
        target("alone", OWN_FOLDERS, tmp_path),
        target("forks", OWN_FOLDERS, tmp_path, fork=True),
        target("free", SHARED_FOLDERS, tmp_path, sandbox=False),
    ]


def planted(tmp_path: Path) -> Target:
    """A target that has left code wherever it can."""
    planter = target("planter", SHARED_FOLDERS, tmp_path)
    roots = {"FAKE_ROOTS": str(tmp_path), "FAKE_FOREIGN": os.pathsep.join(foreign())}
    work(replace(planter, environment=planter.environment | roots))
    return planter


@pytest.fixture
def unharmed() -> Iterator[None]:
    """No folder of the machine was written to."""
    before = {place: Path(place, WRITTEN).exists() for place in foreign()}
    yield
    after = {place: Path(place, WRITTEN).exists() for place in foreign()}
    for place in foreign():
        Path(place, WRITTEN).unlink(missing_ok=True)
    assert before == after == dict.fromkeys(foreign(), False)


@whole
@pytest.mark.usefixtures("unharmed")
def test_code_that_a_worker_left_runs_in_workers_of_its_own_target_alone(
    tmp_path: Path, others: list[Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in others:
        work(each)
    planter = planted(tmp_path)
    for each in others:
        work(each)
        assert run_file(each, monkeypatch, tmp_path / "project") == 0
    assert marks(tmp_path) == set()
    work(planter)  # the code is there, and does run where it may
    assert marks(tmp_path) == {"home/targets/planter/home"}


@whole
@pytest.mark.thorough
def test_a_worker_writes_to_its_own_folders_alone(tmp_path: Path) -> None:
    """It tries every folder of the machine, and a file in each of them."""
    walker = target("walker", SHARED_FOLDERS, tmp_path, module="fakes.walks")
    work(walker)
    own = layout.OwnFolders(walker)
    places = (own.home / "writable").read_text().splitlines()
    allowed = [own.home, own.cache, own.compiled, Path("/dev/shm")]  # noqa: S108
    others = {p for p in places if not any(Path(p).is_relative_to(each) for each in allowed)}
    assert {str(own.home), str(own.cache), str(own.compiled)} <= {*places}
    assert {Path(place).parent for place in others} == {Path(tempfile.gettempdir())}  # its TMPDIR
    assert not any(map(os.path.exists, others)), "they end with it"


@whole
def test_nothing_outside_the_sandbox_runs_what_a_worker_in_it_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planter = planted(tmp_path)
    assert run_file(planter, monkeypatch, tmp_path / "project") == 0
    output = said_by(planter, [str(interpreter(planter)), "-c", "import numpy; print('numpy')"])
    assert output == "numpy"
    work(replace(planter, sandbox=False))
    monkeypatch.setenv("CONFORMANCE_SANDBOX", "off")
    work(planter)
    assert marks(tmp_path) == set()


@whole
@pytest.mark.parametrize("mechanism", ["one folder for all targets", "one for in and outside"])
def test_without_its_folders_code_would_run_elsewhere(
    mechanism: str,
    tmp_path: Path,
    others: list[Target],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tests above would show nothing if the fakes could not do this in any case."""
    if mechanism == "one folder for all targets":
        monkeypatch.setattr(layout, "target_folder", lambda _: layout.suite_home() / "targets/all")
        planted(tmp_path)
        work(others[0])
        assert marks(tmp_path) == {"home/targets/all/home"}
        return
    base = property(lambda own: layout.target_folder(own.target))
    monkeypatch.setattr(layout.OwnFolders, "base", base)
    assert run_file(planted(tmp_path), monkeypatch, tmp_path / "project") == 0
    assert marks(tmp_path) == {"home/targets/planter/home", "project"}


def test_an_environment_that_is_made_again_has_no_code_of_the_earlier_one(tmp_path: Path) -> None:
    """What is compiled for a lock is not there for another one."""
    venv = Venv(name="mine", python=("3.11",), requirements=())
    tested = replace(target("mine", SHARED_FOLDERS, tmp_path), venv=venv)
    place, finished = layout.venv_folder(venv), tmp_path / "home" / ".venv.partial"
    for number, sandboxed in ((0, True), (1, True), (0, False)):
        own = layout.OwnFolders(tested, number, sandboxed)
        for folder in (own.home, own.cache, own.compiled):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "module.py").touch()
    finished.mkdir()
    _put_in_place(finished, place)
    assert list(tmp_path.rglob("module.py")) == []
