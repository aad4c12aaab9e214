"""Environments are made whole or not at all, and `status` tells the truth about them."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.adapters import access, environments, installation, layout, project, registry
from conformance.adapters.environments import InstallationError, Missing, Ready
from conformance.adapters.target_records import RequiredProgram, SharedLibrary, Target, Venv
from tests.adapters.fake_packages import BREAKS, WORKS, WRONG, fake_target, wheel, with_requirements


def quiet(stage: str, detail: str) -> None:
    """Ignore progress."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home of mine"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    return tmp_path / "home of mine"


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return fake_target(tmp_path / "wheels")


def install(target: Target, *, force: bool = False) -> bool:
    assert target.venv is not None
    return environments.install(target.venv, on_progress=quiet, force=force)


def shipped(monkeypatch: pytest.MonkeyPatch, *targets: Target) -> None:
    """Let the suite bring these targets, and no others."""
    monkeypatch.setattr(registry, "shipped", lambda: {target.name: target for target in targets})


def standing(home: Path) -> list[str]:
    """The names in the folder of environments, without the locks."""
    return sorted(p.name for p in (home / "environments").iterdir() if p.suffix != ".lock")


def test_from_nothing_to_ready(target: Target) -> None:
    assert environments.status(target) == Missing(
        "its environment is not made yet", "conformance install fake"
    )
    assert install(target)
    versions = environments.check(target, on_progress=quiet)
    state = environments.status(target)
    assert isinstance(state, Ready)
    assert state.versions == versions
    assert versions["fake_backend"] == "1.0"


def test_the_packages_of_an_environment_have_bytecode(target: Target) -> None:
    install(target)
    assert target.venv is not None
    assert [*layout.venv_folder(target.venv).glob("lib/**/__pycache__/fake_backend*.pyc")]


def test_a_ready_environment_is_left_alone_unless_forced(target: Target) -> None:
    assert install(target)
    assert target.venv is not None
    (layout.venv_folder(target.venv) / "mine").touch()
    assert not install(target)
    assert (layout.venv_folder(target.venv) / "mine").exists()
    assert install(target, force=True)
    assert not (layout.venv_folder(target.venv) / "mine").exists()


def test_other_pins_make_it_out_of_date(tmp_path: Path, target: Target) -> None:
    install(target)
    assert target.venv is not None
    changed = with_requirements(
        target, *target.venv.requirements, wheel(tmp_path, "", name="another")
    )
    assert environments.status(changed) == Missing(
        "its environment is out of date", "conformance install fake"
    )
    assert install(changed)
    assert isinstance(environments.status(changed), Ready)


@pytest.mark.parametrize(("machine", "cannot"), [("riscv64", True), ("x86_64", False)])
def test_a_platform_without_wheels_is_named_before_anything_is_installed(
    target: Target, monkeypatch: pytest.MonkeyPatch, machine: str, cannot: bool
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert target.venv is not None
    venv = replace(target.venv, platforms=(f"{sys.platform}-x86_64", "elsewhere-x86_64"))
    lacking = replace(
        target, venv=venv, programs=(RequiredProgram(name="no-such-program", cure="get it"),)
    )
    problem = environments.system_problem(lacking)
    assert problem is not None
    assert (f"cannot be had for {sys.platform}-riscv64; it is for" in problem.reason) is cannot
    assert ("in a container" in problem.hint) is cannot


def test_a_folder_without_its_marker_is_not_ready(target: Target) -> None:
    install(target)
    assert target.venv is not None
    layout.marker_file(layout.venv_folder(target.venv)).unlink()
    assert isinstance(environments.status(target), Missing)


def test_a_failed_installation_names_the_package_and_leaves_nothing(
    home: Path, target: Target
) -> None:
    absent = with_requirements(target, "no-such-package-anywhere==7")
    with pytest.raises(InstallationError, match="no-such-package-anywhere"):
        install(absent)
    assert standing(home) == []


def test_a_failed_installation_leaves_the_old_environment(home: Path, target: Target) -> None:
    install(target)
    with pytest.raises(InstallationError):
        install(with_requirements(target, "no-such-package-anywhere==7"))
    assert standing(home) == ["fake"]
    assert isinstance(environments.status(target), Ready)


def test_an_interrupted_installation_leaves_nothing(home: Path, target: Target) -> None:
    def interrupt(stage: str, detail: str) -> None:
        if "fake-backend" in detail:  # uv is at work on the packages
            raise KeyboardInterrupt

    assert target.venv is not None
    with pytest.raises(KeyboardInterrupt):
        environments.install(target.venv, on_progress=interrupt)
    assert standing(home) == []
    assert isinstance(environments.status(target), Missing)


def test_what_a_killed_installation_left_is_cleared(home: Path, target: Target) -> None:
    (home / "environments" / ".fake.partial" / "bin").mkdir(parents=True)
    assert install(target)
    assert standing(home) == ["fake"]


@pytest.mark.parametrize(
    ("source", "message"), [(BREAKS, "no engine underneath"), (WRONG, "softmax of two zeros gave")]
)
def test_a_target_that_does_not_work_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    broken = fake_target(tmp_path / "wheels", source)
    shipped(monkeypatch, broken)
    install(broken)
    with pytest.raises(InstallationError, match=message):
        environments.check(broken, on_progress=quiet)
    state = environments.status(broken)
    assert isinstance(state, Missing)
    assert message in state.reason


@pytest.mark.parametrize("lacking", ["def softmax", "def variable", "def eval"])
def test_a_backend_of_the_user_s_own_may_lack_anything(tmp_path: Path, lacking: str) -> None:
    source = WORKS.replace(lacking, "def other")
    own = fake_target(tmp_path / "wheels", source)
    install(own)
    assert environments.check(own, on_progress=quiet)["fake_backend"] == "1.0"
    assert isinstance(environments.status(own), Ready)


def test_what_a_backend_of_the_user_s_own_computes_is_for_the_run_to_judge(tmp_path: Path) -> None:
    own = fake_target(tmp_path / "wheels", WRONG)
    install(own)
    assert environments.check(own, on_progress=quiet)["fake_backend"] == "1.0"


def test_an_absent_interpreter_is_named_with_its_cure(target: Target) -> None:
    assert target.venv is not None
    old = replace(target, venv=replace(target.venv, python=("3.1",)))
    assert environments.status(old) == Missing("CPython 3.1 is not installed", "pyenv install 3.1")


def test_an_absent_system_library_stops_only_the_target_that_needs_it(target: Target) -> None:
    install(target)
    library = SharedLibrary(name="liba.so.1", found_as="libnone.so.9", cure="apt-get install none")
    needing = replace(target, libraries=(library,))
    state = environments.status(needing)
    assert isinstance(state, Missing)
    assert state.hint == "apt-get install none"
    assert isinstance(environments.status(target), Ready)


def test_cntk_without_open_mpi_has_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.adapters.libraries.find", lambda name: None)
    state = environments.status(registry.shipped()["keras-2.2.4-cntk"])
    assert isinstance(state, Missing)
    assert state.hint == "apt-get install libopenmpi3"


def test_theano_without_a_compiler_has_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    state = environments.status(registry.shipped()["keras-2.2.4-theano"])
    assert state == Missing("the program g++ is not on PATH", "apt-get install g++")


def test_an_absent_program_is_named(target: Target) -> None:
    needing = replace(target, programs=(RequiredProgram(name="no-such-program", cure="get it"),))
    assert environments.status(needing) == Missing(
        "the program no-such-program is not on PATH", "get it"
    )


def test_a_system_library_is_linked_under_the_name_asked_for(
    target: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "libreal.so.40"
    source.touch()
    monkeypatch.setattr("conformance.adapters.libraries.find", lambda name: source)
    library = SharedLibrary(name="libasked.so.12", found_as=source.name, cure="")
    needing = replace(target, libraries=(library,), environment={"LD_LIBRARY_PATH": "{links}"})
    for _ in range(2):  # the second time the link exists already
        folder = environments.launch_environment(needing)["LD_LIBRARY_PATH"]
        assert Path(folder, "libasked.so.12").resolve() == source


def test_a_worker_sees_a_home_of_its_own_and_nothing_of_the_host(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("KERAS_BACKEND", "host")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/host")
    variables = environments.launch_environment(
        replace(target, environment={"KERAS_HOME": "{home}/.keras", "BOTH": "{cache}{{}}"})
    )
    home = Path(variables["HOME"])
    assert home.is_dir()
    assert variables["KERAS_HOME"] == f"{home}/.keras"
    assert variables["BOTH"] == f"{home.with_name('cache')}{{}}"
    assert variables["PYTHONHASHSEED"] == "0"
    assert not {"SECRET", "KERAS_BACKEND", "LD_LIBRARY_PATH"} & variables.keys()


def test_targets_that_share_an_environment_share_no_home(target: Target) -> None:
    homes = {
        environments.launch_environment(replace(target, name=name))["HOME"] for name in ("a", "b")
    }
    assert len(homes) == 2


def test_the_workers_of_one_target_share_what_they_compile(target: Target) -> None:
    sharing = [replace(target, name=n, environment={"X": "{compiled}/c"}) for n in ("a", "b")]
    folders = [
        environments.launch_environment(sharer, number)["X"]
        for number in (0, 1)
        for sharer in sharing
    ]
    assert [folders.index(folder) for folder in folders] == [0, 1, 0, 1]


def test_a_worker_may_write_compiled_code_for_its_own_target_alone(target: Target) -> None:
    names = replace(target, name="names", environment={"X": "{compiled}/c"})
    silent = replace(target, name="silent", environment={"X": "{{compiled}}"})
    own = {target.name: layout.OwnFolders(target).compiled for target in (names, silent)}
    for folder in own.values():
        folder.mkdir(parents=True)
    written = {target.name: access.launch(target).writable or () for target in (names, silent)}
    assert [str(own["names"]) in written[name] for name in written] == [True, False]
    assert all(str(own["silent"]) not in places for places in written.values())


def test_an_incomplete_environment_is_told_by_its_placeholders(target: Target) -> None:
    install(target)
    needing = replace(target, environment={"X": "{openblas_lib}"})
    state = environments.status(needing)
    assert isinstance(state, Missing)
    assert "brings no OpenBLAS" in state.reason


def test_the_interpreter_of_the_reference_imports_this_suite() -> None:
    reference = registry.shipped()["reference"]
    answer = subprocess.run(
        [environments.interpreter(reference), "-c", "import conformance; print(conformance)"],
        env=environments.launch_environment(reference),
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "conformance/__init__.py" in answer.stdout


@pytest.mark.real
@pytest.mark.parametrize("name", list(registry.shipped()))
def test_a_shipped_target_computes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the environments that are installed, not the empty home of these tests
    target = registry.shipped()[name]
    state = environments.status(target)
    if isinstance(state, Missing):
        pytest.skip(f"{state.reason}: {state.hint}")
    assert environments.check(target, on_progress=quiet)["numpy"]


def test_no_environment_of_a_project_takes_the_place_of_another(tmp_path: Path) -> None:
    """Neither of one of the suite's own nor of another project's, whatever it is called."""
    name = "keras-2.0.4"
    text = (
        f'[venvs."{name}"]\npython = "3.6"\nrequirements = ["evil==1"]\n'
        f'[targets.mine]\nmodule = "m"\nedition = "keras-2.2"\nvenv = "{name}"\n'
        '[targets."keras-2.2.4"]\nmodule = "m"\nedition = "keras-2.2"\nrequirements = ["evil==1"]\n'
    )
    folders = [t.venv and layout.venv_folder(t.venv) for t in registry.shipped().values()]
    for project_name in ("a", "b"):
        file = tmp_path / project_name / "conformance.toml"
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
        own = [project.known(file)[each] for each in ("mine", "keras-2.2.4")]
        new = [t.venv and layout.venv_folder(t.venv) for t in own]
        assert not {*new} & {*folders}
        assert len({*new}) == 2
        folders += new


def test_an_installation_reads_nothing_of_the_folder_it_is_asked_in(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stranger").mkdir()
    (tmp_path / "stranger" / "uv.toml").write_text('index-url = "http://127.0.0.1:9"\nwrong = 1\n')
    for name in ("compileall", "runpy", "sitecustomize", "py_compile", "argparse"):
        source = f"open({str(tmp_path / 'ran')!r}, 'a')\n"
        (tmp_path / "stranger" / f"{name}.py").write_text(source)
    monkeypatch.chdir(tmp_path / "stranger")
    assert install(target)
    assert not (tmp_path / "ran").exists()


def test_packages_are_built_with_what_is_pinned(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(installation, "run_uv", lambda command, _: commands.append(command))
    assert target.venv is not None
    for venv in (target.venv, replace(target.venv, described_in=tmp_path / "conformance.toml")):
        (tmp_path / "v").mkdir(exist_ok=True)
        installation._fill(venv, tmp_path / "v", Path("python"), quiet)
    pinned = [str(installation.BUILDING) in command for command in commands if "pip" in command]
    assert pinned == [True, False]
    requirements = installation.BUILDING.read_text("utf-8").replace("\\\n", "").splitlines()
    pins = [line for line in requirements if not line.startswith("#")]
    assert {line.partition("==")[0] for line in pins} == {"setuptools", "wheel"}
    assert all(line.count("--hash=sha256:") == 2 for line in pins)


@pytest.mark.parametrize("provides", [("keras",), ()])
def test_a_provided_package_is_not_installed(tmp_path: Path, provides: tuple[str, ...]) -> None:
    """The index is out of reach here, so the plug-in cannot be installed with what it needs."""
    nightly = wheel(tmp_path, WORKS, "keras_nightly")
    plugin = wheel(tmp_path, WORKS, "keras_plugin", needs=("keras",))
    venv = Venv(
        name="plugin",
        python=(sys.executable,),
        requirements=(nightly, plugin),
        provides=provides,
    )
    if not provides:
        with pytest.raises(InstallationError, match="keras"):
            environments.install(venv, on_progress=quiet)
        return
    assert environments.install(venv, on_progress=quiet)
    installed = layout.venv_folder(venv).glob("lib/**/keras*.py")
    assert {file.name for file in installed} == {"keras_nightly.py", "keras_plugin.py"}
