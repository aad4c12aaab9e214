"""Theano runs the Python, the pickles and the shared objects that it finds in its cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters import layout
from conformance.adapters.registry import shipped
from conformance.adapters.sandbox.offer import offer
from conformance.adapters.target_records import Target
from tests.adapters.test_planted_code import marks, planted, run_file, work
from tests.real.conftest import require

NAME = "keras-2.0.4-theano"


@pytest.fixture
def theano(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """The target with its packages, and with new folders for what it compiles."""
    require(NAME)
    target = shipped()[NAME]
    assert target.venv is not None
    place = layout.venv_folder(target.venv)
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    own = layout.venv_folder(target.venv)
    own.mkdir(parents=True)
    for name in ("bin", "lib", "pyvenv.cfg", "ready.json"):
        (own / name).symlink_to(place / name)
    return target


@pytest.mark.slow
@pytest.mark.skipif(offer().level != "full", reason="this system offers no whole sandbox")
def test_no_worker_and_no_script_of_theano_runs_what_another_target_left(
    theano: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    work(theano)
    compiled = layout.OwnFolders(theano).cache
    assert list(compiled.rglob("*.so"))
    assert list(compiled.rglob("*.pkl"))
    planted(tmp_path)
    work(theano)
    assert run_file(theano, monkeypatch, project) == 0
    assert marks(tmp_path) == set()
    # a worker of Theano may leave code as well: a script outside of the sandbox runs none of it
    ran = project / "ran"
    for file in compiled.rglob("*.py"):
        file.write_text(f"{file.read_text('utf-8')}\nopen({str(ran)!r}, 'a')\n", "utf-8")
    for cache in compiled.rglob("*.pyc"):
        cache.unlink()
    assert run_file(theano, monkeypatch, project) == 0
    assert not ran.exists()
    shared = property(lambda own: layout.target_folder(own.target))
    monkeypatch.setattr(layout.OwnFolders, "base", shared)
    run_file(theano, monkeypatch, project)
    assert ran.exists(), "with one folder for both it would"
