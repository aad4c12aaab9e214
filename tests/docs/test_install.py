"""The documented ways to install the suite, each from an empty folder, from a wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import uv

from tests.docs.published import ROOT

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "install.md"
UV = str(Path(uv.find_uv_bin()))
COMMANDS = [
    command
    for row in re.findall(r"^\| (?:pip|uv|pipx)\b[^|]*\| (.*) \|$", PAGE.read_text("utf-8"), re.M)
    for command in re.findall("`([^`]+)`", row)
]
REFERENCE = "run reference -k softmax --profile smoke --no-database"
OWN = "run --module my_backend -k relu --profile smoke --no-database --fail-on never --python"
SCORE = r"%s: \d+ of \d+ aspects"
_BACKEND = """
import numpy as np
variable = constant = np.asarray
eval = lambda x: x
def relu(x, alpha=0.0, max_value=None):
    return x
"""


def test_the_page_has_each_way() -> None:
    programs = [command.split()[0] for command in COMMANDS]
    assert programs == ["python3", "uv", "uvx", "pipx", "uv", "pipx"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite as it is installed, built once."""
    folder = tmp_path_factory.mktemp("dist")
    command = [UV, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip(f"the wheel cannot be built here: {built.stderr.splitlines()[-1]}")
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's home with uv, uvx and, where an index has it, pipx."""
    folder = tmp_path_factory.mktemp("home")
    programs = folder / ".local" / "bin"
    programs.mkdir(parents=True)
    for name in ("uv", "uvx"):
        (programs / name).symlink_to(Path(UV).with_name(name))
    _run(folder, folder, [UV, "tool", "install", "--quiet", "pipx"])
    return folder


@pytest.fixture(scope="module")
def interpreter(home: Path) -> Path:
    """The Python of a user's environment that has a backend, and nothing of the suite."""
    assert _run(home, home, ["uv", "venv", "--quiet", "own/.venv"]).returncode == 0
    inside = ["uv", "pip", "install", "--quiet", "--python", "own/.venv", "numpy"]
    assert _run(home, home, inside).returncode == 0
    (packages,) = (home / "own" / ".venv" / "lib").glob("python*/site-packages")
    (packages / "my_backend.py").write_text(_BACKEND, "utf-8")
    return home / "own" / ".venv" / "bin" / "python"


def _run(home: Path, folder: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as this user, in a folder; the tests' own environment is not active."""
    programs = home / ".local" / "bin"
    other = [p for p in os.environ["PATH"].split(os.pathsep) if not Path(p, "conformance").exists()]
    changes = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(programs), *other]),
        "UV_PYTHON": sys.executable,
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip")),
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv")),
    }
    hidden = ("VIRTUAL_ENV", "PYTHONPATH", "CONFORMANCE_HOME")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | changes
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_each_documented_way_runs(
    command: str, wheel: Path, home: Path, interpreter: Path, tmp_path: Path
) -> None:
    """It tests a backend in another environment, by a relative path."""
    if command.startswith("pipx") and not (home / ".local" / "bin" / "pipx").exists():
        pytest.skip("no package index here has pipx")
    if command.startswith("uv add"):
        assert _run(home, tmp_path, ["uv", "init", "--quiet", "--bare"]).returncode == 0
    (home / ".local" / "bin" / "conformance").unlink(missing_ok=True)  # of another way
    line = command.replace("python3", sys.executable, 1).replace("SUITE", str(wheel))
    runs = line if line.endswith(" run") else f"{line} && {_program(command)} run"
    python = os.path.relpath(interpreter, tmp_path)
    assert not python.startswith("/")
    script = f"{runs.removesuffix('run')}{OWN} {python}"
    done = _run(home, tmp_path, ["bash", "-euc", script])
    assert done.returncode == 0, done.stderr
    assert re.search(SCORE % "my_backend", done.stdout), done.stdout


def _program(command: str) -> str:
    """The program that a command installs, as the user starts it."""
    if command.startswith("python3"):
        return ".venv/bin/conformance"
    return "uv run conformance" if command.startswith("uv add") else "conformance"


def test_the_example_and_each_kind_of_path_work(
    wheel: Path, home: Path, interpreter: Path, tmp_path: Path
) -> None:
    """The reference; a backend by `~`, and by a path in a file, which counts from its folder."""
    suite = ["uvx", "--from", str(wheel), "conformance"]
    done = _run(home, tmp_path, [*suite, *REFERENCE.split()])
    assert re.search(r"reference: (\d+) of \1 aspects", done.stdout), done.stdout + done.stderr
    done = _run(home, tmp_path, [*suite, *OWN.split(), "~/own/.venv/bin/python"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(SCORE % "my_backend", done.stdout), done.stdout
    (tmp_path / ".venv").symlink_to(interpreter.parents[1])
    (tmp_path / "elsewhere").mkdir()
    described = 'module = "my_backend"\nedition = "keras-2.2"\npython = ".venv/bin/python"\n'
    (tmp_path / "conformance.toml").write_text(f"[targets.mine]\n{described}", "utf-8")
    named = ["run", "mine", *OWN.split()[3:-1]]
    done = _run(home, tmp_path / "elsewhere", [*suite, *named])
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(SCORE % "mine", done.stdout), done.stdout


def test_the_reason_is_in_the_message_if_a_backend_does_not_start(
    wheel: Path, home: Path, interpreter: Path, tmp_path: Path
) -> None:
    """The last line of the import, without -v."""
    python = os.path.relpath(interpreter, tmp_path)
    named = ["run", "--module", "no_backend", "--python", python, "--no-database"]
    done = _run(home, tmp_path, ["uvx", "--from", str(wheel), "conformance", *named])
    assert done.returncode == 3, done.stdout + done.stderr
    assert "ModuleNotFoundError: No module named 'no_backend'" in done.stdout + done.stderr
