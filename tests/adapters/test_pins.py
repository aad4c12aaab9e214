"""Which pins of a lock count on this machine, and when an environment is made again for a lock."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.adapters import installation, layout
from conformance.adapters.pins import applicable
from conformance.adapters.target_records import Venv

PYTHON = "{}.{}.{}".format(*sys.version_info)
HASH, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64
HERE = f"sys_platform == '{sys.platform}'"
ELSEWHERE = f"sys_platform != '{sys.platform}'"
LOCK = f"""# made by hand
alpha==1.0 \\
    --hash={HASH}
beta==2.0 ; python_full_version >= '3.0' \\
    --hash={HASH} \\
    --hash={OTHER}
    # via alpha
"""


def test_a_pin_is_a_requirement_with_its_hashes() -> None:
    assert applicable(LOCK, PYTHON) == {
        ("alpha==1.0", frozenset({HASH})),
        ("beta==2.0", frozenset({HASH, OTHER})),
    }


@pytest.mark.parametrize(("python", "version"), [("3.11.9", "1.0"), ("3.12.1", "2.0")])
def test_markers_are_those_of_the_environments_python(python: str, version: str) -> None:
    lock = "gamma==1.0 ; python_version < '3.12'\ngamma==2.0 ; python_full_version >= '3.12'\n"
    assert applicable(lock, python) == {(f"gamma=={version}", frozenset())}


SAME = {
    "another platform": LOCK + f"gamma==3.0 ; {ELSEWHERE} --hash={HASH}\n",
    "a comment": "# made by a machine\n" + LOCK,
    "a marker that holds": LOCK.replace("alpha==1.0", f"alpha==1.0 ; {HERE}"),
}
DIFFERENT = {
    "a version": LOCK.replace("alpha==1.0", "alpha==1.1"),
    "a hash": LOCK.replace(OTHER, HASH),
    "a package more": LOCK + f"gamma==3.0 ; {HERE} --hash={HASH}\n",
    "a package less": LOCK.partition("beta")[0],
    "a marker that does not hold": LOCK.replace("alpha==1.0", f"alpha==1.0 ; {ELSEWHERE}"),
    "an index": "--index-url https://example.org/simple\n" + LOCK,
}


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Venv:
    """An environment that was made from LOCK."""
    monkeypatch.setenv(layout.HOME, str(tmp_path / "home"))
    lock = tmp_path / "lock.txt"
    lock.write_text(LOCK)
    minor = PYTHON.rpartition(".")[0]
    environment = Venv(name="mine", python=(minor,), requirements=("alpha==1.0",), lock=lock)
    folder = layout.venv_folder(environment)
    folder.mkdir(parents=True)
    layout.pins_file(folder).write_text(LOCK)
    layout.write(
        layout.marker_file(folder), layout.Marker(digest=layout.digest(environment), python=PYTHON)
    )
    return environment


@pytest.mark.parametrize("change", SAME)
def test_an_environment_stays_current_when_nothing_changes_for_it(venv: Venv, change: str) -> None:
    assert venv.lock is not None
    venv.lock.write_text(SAME[change])
    assert installation.is_current(venv)


@pytest.mark.parametrize("change", DIFFERENT)
def test_what_changes_for_it_makes_it_out_of_date(venv: Venv, change: str) -> None:
    assert venv.lock is not None
    assert installation.is_current(venv)
    venv.lock.write_text(DIFFERENT[change])
    assert not installation.is_current(venv)


def test_another_python_makes_it_out_of_date(venv: Venv) -> None:
    assert not installation.is_current(replace(venv, python=("3.6",)))
    assert installation.is_current(replace(venv, python=("3.6", *venv.python)))


def test_without_the_pins_that_were_installed_the_lock_decides(venv: Venv) -> None:
    assert venv.lock is not None
    layout.pins_file(layout.venv_folder(venv)).unlink()
    assert installation.is_current(venv)
    venv.lock.write_text(SAME["a comment"])
    assert not installation.is_current(venv)
