"""Targets of one's own in the commands: found, run, and a wrong file told in one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from click.testing import CliRunner, Result

from conformance.adapters import environments, registry
from conformance.adapters.project import known
from conformance.cli import main
from tests.adapters.fake_packages import wheel

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
NUMPY = Path(numpy.__file__).parents[1]
TARGET = f"""
[targets.mine]
module = "fakes.correct"
edition = "keras-2.2"
path = "{FAKES}"
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_five_lines_are_enough(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET, encoding="utf-8")
    targets = json.loads(invoke("targets", "--json", "--config", "conformance.toml").stdout)
    assert targets[0]["name"] == "mine"
    assert targets[0]["ready"]
    early = invoke("show", "softmax", "--all", "--target", "mine")
    assert early.exit_code == 2
    assert "conformance run mine --output reports" in early.output
    options = ("--profile", "smoke", "--output", "reports", "-k", "softmax")
    result = invoke("run", "mine", *options)
    assert result.exit_code == 0, result.output
    shown = invoke("show", "softmax", "--all", "--target", "mine")
    assert shown.exit_code == 0, shown.output
    assert "mine" in shown.output


def _venv_with_numpy(folder: Path) -> None:
    """A virtual environment in which NumPy can be imported only because its link selects it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "numpy.pth").write_text(f"{NUMPY}\n", encoding="utf-8")


def test_an_interpreter_is_named_from_the_folder_that_the_user_is_in(place: Path) -> None:
    _venv_with_numpy(place / ".venv")
    module = ("--module", "fakes.correct", "--path", str(FAKES), "--python", ".venv/bin/python")
    result = invoke("run", *module, "--profile", "smoke", "-k", "softmax", "--no-database")
    assert result.exit_code == 0, result.output


def test_an_interpreter_in_a_file_is_named_from_the_file(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _venv_with_numpy(place / ".venv")
    text = TARGET + 'python = ".venv/bin/python"\n'
    (place / "conformance.toml").write_text(text, encoding="utf-8")
    (place / "src").mkdir()
    monkeypatch.chdir(place / "src")
    result = invoke("run", "mine", "--profile", "smoke", "-k", "softmax", "--no-database")
    assert result.exit_code == 0, result.output


def test_a_file_may_be_named(place: Path) -> None:
    (place / "elsewhere.toml").write_text(TARGET, encoding="utf-8")
    targets = json.loads(invoke("targets", "--json", "--config", "elsewhere.toml").stdout)
    assert targets[0]["name"] == "mine"
    assert "mine" not in invoke("targets").output


def test_a_target_that_needs_nothing_made_is_checked_by_install(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET, encoding="utf-8")
    result = invoke("install", "mine")
    assert result.exit_code == 0, result.output
    assert "ready mine" in result.output


def test_a_module_that_is_not_there_is_status_3(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET.replace("correct", "nowhere"), encoding="utf-8")
    for command in (("install", "mine"), ("run", "mine", "-k", "softmax")):
        result = invoke(*command)
        assert result.exit_code == 3, result.output
        assert "fakes.nowhere" in result.output


BACKEND = "import numpy as np\n\n\ndef exp(x):\n    return np.exp(x)\n"
OWN = '[targets.mine]\nmodule = "own"\nedition = "keras-2.2"\npath = "."\n'


def backend(place: Path, source: str = BACKEND, more: str = "") -> None:
    """Write a module of one function, and the file that describes it."""
    (place / "own.py").write_text(source, encoding="utf-8")
    (place / "conformance.toml").write_text(OWN + more, encoding="utf-8")


def exp() -> Result:
    return invoke("run", "mine", "--profile", "smoke", "-k", "exp and not (expand or sum)", "-q")


def test_a_module_that_is_mended_runs_at_once(place: Path) -> None:
    backend(place, "import os\nraise RuntimeError('no engine')\n")
    failed = invoke("install", "mine")
    assert failed.exit_code == 3
    reason = next(line for line in failed.output.splitlines() if line.startswith("failed mine"))
    file = re.escape(str(place / "own.py"))
    assert re.search(rf"RuntimeError: no engine \(at {file}:\d+\)$", reason)
    command = failed.output.partition("mend it until `")[2].partition("`")[0].replace("\n", "")
    again = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert "RuntimeError: no engine" in again.stderr, "the command shows the same error"
    backend(place)
    assert exp().exit_code == 0


def test_a_module_that_was_mended_in_its_environment_runs_at_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    requirement = wheel(place, "import own_settings\n", name="other")
    more = f'requirements = ["{requirement}"]\nenvironment = {{ PYTHONPATH = "{NUMPY}" }}\n'
    backend(place, "raise RuntimeError('no engine')\n", more)
    assert invoke("install", "mine").exit_code == 3
    backend(place, more=more)
    result = exp()
    assert result.exit_code == 0, result.output
    backend(place, "raise RuntimeError('none again')\n", more)
    assert "none again" in invoke("install", "mine").output


def test_what_another_project_calls_the_same_is_another_target(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = set()
    for name in ("a", "b"):
        (place / name).mkdir()
        monkeypatch.chdir(place / name)
        backend(place / name)
        homes.add(environments.launch_environment(known()["mine"])["HOME"])
    assert len(homes) == 2
    assert all("/targets/mine-" in home for home in homes)
    shipped = environments.launch_environment(known()["reference"])["HOME"]
    assert "/targets/reference/" in shipped


@pytest.mark.parametrize("command", [("targets",), ("install", "mine"), ("run", "mine")])
def test_a_wrong_file_is_status_2_and_names_line_or_field(
    place: Path, command: tuple[str, ...]
) -> None:
    file = place / "conformance.toml"
    file.write_text("[targets.mine]\nmodule = \n", encoding="utf-8")
    result = invoke(*command)
    assert result.exit_code == 2
    assert str(file) in result.output
    assert "line 2" in result.output
    file.write_text(TARGET + 'familly = "eager"\n', encoding="utf-8")
    assert "did you mean family" in invoke(*command).output


@pytest.mark.parametrize(
    ("line", "blamed", "message", "cure"),
    [
        ('adapter = "X"', "its adapter 'X'", "has an entry point 'X'", "docs/adapters.md"),
        ('adapter = "nope:X"', "its adapter 'nope:X'", "'nope'", "write its adapter as module:"),
        ('adapter = "json:X"', "its adapter 'json:X'", "no attribute 'X'", "docs/adapters.md"),
        ('startup = ["imprt os"]', "(startup, prepare)", "invalid syntax", "mend startup"),
        ('startup = ["import nope"]', "(startup, prepare)", "named 'nope'", "mend startup"),
        ('forget = ["json.nope"]', "json.nope (forget)", "attribute 'nope'", "mend forget"),
        ('mapping = "table.toml"', "its mapping", "named 'nope'", "mend the table"),
    ],
)
def test_the_module_is_not_blamed_for_its_description(
    place: Path, line: str, blamed: str, message: str, cure: str
) -> None:
    table = 'imports = ["import nope"]\n[functions.abs]\nold = "x"\nnew = "nope.abs(x)"\n'
    (place / "table.toml").write_text(table, encoding="utf-8")
    (place / "conformance.toml").write_text(f"{TARGET}{line}\n", encoding="utf-8")
    entry = json.loads(invoke("targets", "--json", "--config", "conformance.toml").stdout)[0]
    assert not entry["ready"]
    run = invoke("run", "mine", "-k", "softmax", "--profile", "smoke", "--no-database")
    assert run.exit_code == 3
    for text in (f"{entry['reason']}; {entry['hint']}", run.output):
        assert "cannot be imported" not in text
        assert "pip install" not in text
        assert blamed in text
        assert message in text
        assert cure in text


RUNS = """#!/bin/sh
echo "$0" >> {told}
exec {python} "$@"
"""


@pytest.fixture
def ran(place: Path) -> Path:
    """A file here, whose interpreter and whose module tell in another one that they are run."""
    python, trace = place / "python", place / "told"
    python.write_text(RUNS.format(told=trace, python=sys.executable), encoding="utf-8")
    python.chmod(0o755)
    text = (
        f'{TARGET}python = "{python}"\nsandbox = false\nstartup = ["open({str(trace)!r}, \'a\')"]\n'
    )
    (place / "conformance.toml").write_text(text, encoding="utf-8")
    (place / "inside").mkdir()
    return trace


QUIET = ("--profile", "smoke", "-k", "exp and not (expand or sum)", "--no-database", "-q")


@pytest.mark.parametrize("folder", [".", "inside"])
def test_nothing_of_a_file_is_run_unless_it_is_named(
    folder: str, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here as in a folder above: whoever has cloned the folder need not know what is in it."""
    file = ran.with_name("conformance.toml")
    few = {"reference": registry.shipped()["reference"]}
    monkeypatch.setattr(registry, "shipped", lambda: few)
    monkeypatch.chdir(ran.parent / folder)
    entry = json.loads(invoke("targets", "--json").stdout)[0]
    assert (entry["name"], entry["ready"]) == ("mine", False)
    assert str(file) in entry["reason"]
    assert entry["hint"] == "conformance run mine"
    assert "not tried: " in invoke("targets").output
    for ran_all in (("run", *QUIET), ("try", "K.exp(K.ones((2,)))")):
        assert f"not run unless named: mine, of {file}" in invoke(*ran_all).output
    for reads in (("list",), ("show", "exp"), ("scan", ".")):
        invoke(*reads)
    assert not ran.exists()
    run = invoke("run", "mine", *QUIET)
    assert run.exit_code == 0, run.output
    above = f"mine: as {file} describes it, in a folder above"
    assert (above in run.output) == (folder == "inside")
    assert ran.exists()


def test_the_target_of_results_is_not_run_unless_it_is_named(ran: Path) -> None:
    """A stranger's results name a stranger's target: its user has to."""
    file = ran.with_name("conformance.toml")
    text = file.read_text("utf-8").replace("fakes.correct", "fakes.always_wrong")
    file.write_text(text, encoding="utf-8")
    violating = invoke("run", "mine", *QUIET, "--output", "out")
    assert violating.exit_code == 1, violating.output
    ran.unlink()
    for unnamed in (("--all",), ("--all", "-k", "exp")):
        result = invoke("replay", *unnamed, "--results", "out")
        assert result.exit_code == 3, result.output
        assert f"{file} describes it, and nothing of that file runs until you name it" in (
            " ".join(result.output.split())
        )
        assert "add --target mine" in result.output
    assert not ran.exists()
    assert invoke("replay", "--all", "--target", "mine", "--results", "out").exit_code in (0, 1)
    assert ran.exists()


@pytest.mark.parametrize(
    "options", [("--config", "conformance.toml"), ("--json", "--config", "conformance.toml")]
)
def test_a_file_that_is_named_is_tried(ran: Path, options: tuple[str, ...]) -> None:
    assert "ready" in invoke("targets", *options).output
    assert ran.exists()


def test_a_file_that_is_found_adds_nothing_to_a_library(ran: Path) -> None:
    file = ran.with_name("conformance.toml")
    file.write_text(file.read_text("utf-8") + 'library = "theano"\n', encoding="utf-8")
    invoke("run", "theano", *QUIET)
    assert not ran.exists()


@pytest.mark.parametrize("field", ["found_in", "described_in"])
def test_no_file_says_itself_where_it_was_found(place: Path, field: str) -> None:
    (place / "conformance.toml").write_text(f'{TARGET}{field} = "/x"\n', encoding="utf-8")
    result = invoke("targets")
    assert result.exit_code == 2
    assert f"unknown field `{field}`" in result.output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('environment = { A = "{home:d}" }', "write {home} alone, without a format"),
        ('environment = { A = "{edition:>1900000000}" }', "write {edition} alone"),
        ('environment = { A = "{edition!r}" }', "write {edition} alone"),
        ('environment = { A = "{home:{edition}}" }', "write {home} alone"),
        ('environment = { A = "{home.parent}" }', "unknown placeholder {home.parent}"),
        ('environment = { A = "a\\u0000b" }', "environment: a NUL character"),
        ('environment = { "A\\u0000" = "b" }', "environment: a NUL character"),
        ('environment = { "A=B" = "b" }', "'A=B' cannot be the name of a variable"),
        ('environment = { "" = "b" }', "'' cannot be the name of a variable"),
        ('python = "/x\\u0000"', "python: a NUL character"),
        ('startup = ["a\\u0000"]', "startup: a NUL character"),
        ('programs = [{ name = "a\\u0000", cure = "b" }]', "programs: a NUL character"),
    ],
)
def test_texts_that_cannot_be_used_are_status_2(place: Path, line: str, message: str) -> None:
    (place / "conformance.toml").write_text(f"{TARGET}{line}\n", encoding="utf-8")
    result = invoke("targets")
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_the_home_of_nobody_is_no_interpreter(place: Path) -> None:
    file = place / "conformance.toml"
    file.write_text(f'{TARGET}python = "~nosuchuser/python"\n', encoding="utf-8")
    entry = json.loads(invoke("targets", "--json", "--config", "conformance.toml").stdout)[0]
    assert not entry["ready"]
    assert "~nosuchuser/python is not a CPython interpreter" in entry["reason"]
