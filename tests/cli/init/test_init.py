"""`conformance init`: the files it writes are valid, work, and are never overwritten unasked."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from conformance.adapters import registry
from conformance.cli import main
from conformance.cli.init.project import likeliest
from tests.cli.targets.test_first_minute import BACKEND

WORKFLOW = Path(".github/workflows/conformance.yml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "mybackend.py").write_text(BACKEND, encoding="utf-8")
    return place


def init(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["init", *arguments])


def test_three_files_are_written_and_named() -> None:
    result = init()
    assert result.exit_code == 0, result.output
    for name in ("conformance.toml", str(WORKFLOW), "test_conformance.py"):
        assert f"written: {name}\n" in result.output
        assert Path(name).is_file()
    assert "next: conformance run mybackend" in result.output


def test_the_description_is_one_that_runs() -> None:
    init("mybackend.py")
    (target,) = registry.load(Path("conformance.toml")).values()
    assert (target.name, target.module, target.family) == ("mybackend", "mybackend", "eager")
    assert target.names == {"abs": "absolute"}
    options = ("--profile", "smoke", "-k", "abs", "--no-database", "-q")
    run = CliRunner().invoke(main, ["run", "mybackend", *options])
    assert run.exit_code == 0 and run.output.startswith("mybackend: 6 of 8 aspects")


def test_the_workflow_and_the_test_module_name_the_target() -> None:
    init("--name", "mine", "--edition", "keras-2.0")
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["conformance"]["steps"]
    assert steps[-1]["with"] == {"targets": "mine"}
    call = ast.parse(Path("test_conformance.py").read_text()).body[-1]
    assert "conformance_tests(target='mine'" in ast.unparse(call)
    assert tomllib.loads(Path("conformance.toml").read_text())["targets"]["mine"]["edition"] == (
        "keras-2.0"
    )


def test_nothing_is_overwritten_without_force(folder: Path) -> None:
    (folder / "conformance.toml").write_text("# mine\n")
    result = init()
    assert "unchanged: conformance.toml (--force replaces it)" in result.output
    assert f"written: {WORKFLOW}" in result.output
    assert Path("conformance.toml").read_text() == "# mine\n"
    assert "written anew: conformance.toml" in init("--force").output
    assert "[targets.mybackend]" in Path("conformance.toml").read_text()


def test_a_backend_that_an_earlier_file_does_not_describe_is_told(folder: Path) -> None:
    init("mybackend.py", "--name", "mine")
    before = Path("conformance.toml").read_text()
    (folder / "other.py").write_text(BACKEND)
    result = init("other.py")
    assert "conformance.toml is unchanged and does not describe other" in result.output
    assert "next: conformance run" not in result.output
    added = result.output.split("present lines)\n")[1]
    Path("conformance.toml").write_text(f"{before}\n{added}")
    assert list(registry.load(Path("conformance.toml"))) == ["mine", "other"]
    assert "next: conformance run other" in init("other.py").output


def test_a_backend_that_is_described_already_keeps_its_name() -> None:
    init("mybackend.py", "--name", "mine")
    assert "next: conformance run mine" in init("mybackend.py").output
    assert "next: conformance run mybackend" in init("mybackend.py", "--force").output


def test_tests_go_where_tests_are(folder: Path) -> None:
    (folder / "tests").mkdir()
    assert "written: tests/test_conformance.py" in init().output


def test_the_likeliest_module_is_found_without_an_import(folder: Path) -> None:
    package = folder / "src" / "mine"
    package.mkdir(parents=True)
    (package / "backend.py").write_text(BACKEND + "def relu(x): raise SystemExit\n1 / 0\n")
    (folder / "broken.py").write_text("def (:")
    module = likeliest(folder)
    assert module == package / "backend.py"
    (folder / ".venv" / "lib").mkdir(parents=True)
    (folder / ".venv" / "lib" / "k.py").write_text(BACKEND + "def relu(x): ...\ndef elu(x): ...\n")
    assert likeliest(folder) == module


def test_a_module_that_cannot_be_imported_is_described_all_the_same(folder: Path) -> None:
    (folder / "mybackend.py").write_text("import not_there\n" + BACKEND)
    result = init()
    assert result.exit_code == 0
    assert "not yet: mybackend cannot be imported by " in result.output
    (target,) = registry.load(Path("conformance.toml")).values()
    assert target.family is None


def test_without_a_backend_it_says_what_to_name(folder: Path) -> None:
    (folder / "mybackend.py").unlink()
    result = init()
    assert result.exit_code == 2
    assert "hint: name it: conformance init FILE.py" in result.output
    assert list(folder.iterdir()) == []


def test_a_name_of_the_suite_is_refused(folder: Path) -> None:
    assert init("--name", "theano").exit_code == 2
    (folder / "mybackend.py").rename(folder / "torch.py")
    assert "my-torch is the module torch" in init().output


FORM = "letters from a to z, digits and `._-` only, and no `.` or `-` in front"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a b", FORM),
        ("\u00e4", FORM),
        ('q"]', FORM),
        ("a/b", FORM),
        ("", FORM),
        ("../up", FORM),
        ("-x", FORM),
        ("mine.py", "takes it for a file"),
    ],
)
def test_a_name_that_no_file_of_targets_can_hold_is_refused(
    folder: Path, name: str, message: str
) -> None:
    result = init(f"--name={name}")
    assert result.exit_code == 2
    assert result.output.startswith(f"error: --name {name}: ")
    assert message in result.output
    assert [file.name for file in folder.iterdir()] == ["mybackend.py"]


@pytest.mark.parametrize("name", ["a.b", "0x10", "1e3", "_", "true"])
def test_any_other_name_is_the_same_in_every_file(name: str) -> None:
    assert init("--name", name).exit_code == 0
    assert list(registry.load(Path("conformance.toml"))) == [name]
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["conformance"]["steps"]
    assert steps[-1]["with"] == {"targets": name}
    call = ast.parse(Path("test_conformance.py").read_text()).body[-1]
    assert f"conformance_tests(target={name!r}" in ast.unparse(call)


@pytest.mark.parametrize("file", ['q".py', "\u00e4.py", "-x.py", "a b.py", "\\.py"])
def test_a_file_of_any_name_is_described(folder: Path, file: str) -> None:
    (folder / "mybackend.py").rename(folder / file)
    result = init("--", file)
    assert result.exit_code == 0, result.output
    (target,) = registry.load(Path("conformance.toml")).values()
    assert target.module == Path(file).stem


OPS = """
import numpy as np
def abs(x): return np.abs(x)
def gelu(x): return x
def hard_tanh(x): return x
def logaddexp(x1, x2): return np.logaddexp(x1, x2)
def sum(x): return np.sum(x)
def take(x, indices): return np.take(x, indices)
"""


@pytest.fixture
def package(folder: Path) -> Path:
    """A package of keras.ops functions, two of which K has, too."""
    (folder / "mybackend.py").unlink()
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "mine" / "ops.py").write_text(OPS, encoding="utf-8")
    return folder


@pytest.mark.usefixtures("package")
def test_a_package_of_keras_ops_gets_the_edition_that_it_has_most_of() -> None:
    output = init().output
    assert "mine is the module mine.ops in ., to be tested against keras-3\n" in output
    assert "it also has 2 functions of keras-2.2: --edition keras-2.2\n" in output
    (target,) = registry.load(Path("conformance.toml")).values()
    assert (target.edition, target.family, target.names) == ("keras-3", "eager", {})


@pytest.mark.usefixtures("package")
def test_an_edition_that_is_asked_for_stays_and_the_other_is_told() -> None:
    output = init("--edition", "keras-2.2").output
    assert "to be tested against keras-2.2\n" in output
    assert "it also has 6 functions of keras-3: --edition keras-3\n" in output
