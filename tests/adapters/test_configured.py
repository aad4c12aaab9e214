"""Processes with a configuration file and variables of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.adapters import configured
from conformance.adapters.configured import Configurable
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.observations import Batch, Returned
from conformance.program import Program, Step

SOURCE = """
import os, pathlib
import heavy
print("hello from the import")
assert os.environ.get("REFUSE") is None
_floatx = "untouched"
def backend(): return "an_own_one"
def variable(name): return os.environ.get(name, "none")
def file():
    path = pathlib.Path.home() / ".keras" / "keras.json"
    return path.read_text() if path.exists() else "none"
def leave(): (pathlib.Path.home() / "left").write_text("behind"); return "done"
def importer(): return heavy.IMPORTED_BY
def process(): return str(os.getpid())
def same(text): return text
def floatx(): return _floatx
def set_floatx(name): globals().update(_floatx=name)
"""

HEAVY = "import os; IMPORTED_BY = str(os.getpid())"


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    (tmp_path / "configurable.py").write_text(SOURCE)
    (tmp_path / "heavy.py").write_text(HEAVY)
    environment = {"PYTHONPATH": str(tmp_path), "GIVEN": "as it is"}
    return Target(name="fake", module="configurable", edition="keras-2.2", environment=environment)


@pytest.fixture
def target(described: Target) -> Configurable:
    return Configurable(described)


@pytest.fixture
def forking(described: Target) -> Iterator[Configurable]:
    """A target whose configured processes are forks of one that has imported `heavy`."""
    configurable = Configurable(msgspec.structs.replace(described, preload=("heavy",)))
    with configurable.plain((), 0):
        yield configurable


def ask(session: Session, function: str, *args: str) -> Any:
    """What a function of the module returns."""
    program = Program((), (Step("answer", function, args),), ("answer",))
    (draw,) = session.run_batch(Batch(program, {}, 1)).draws
    assert isinstance(draw.outcome, Returned), draw.outcome
    return draw.outcome.value("answer").text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [None, "{}", '{"backend": "theano"}', "not JSON", ""])
def test_the_file_is_in_the_home_of_the_process(target: Configurable, text: str | None) -> None:
    with target.open(text, {}) as session:
        assert ask(session, "file") == ("none" if text is None else text)
        home, keras = (ask(session, "variable", name) for name in ("HOME", "KERAS_HOME"))
    assert keras == f"{home}/.keras"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "as it is"),
        ({"GIVEN": "anew"}, "anew"),
        ({"GIVEN": None}, "none"),
        ({"GIVEN": ""}, ""),
        ({"OTHER": None}, "as it is"),
    ],
)
def test_variables_are_changed_and_removed(
    target: Configurable, changes: Mapping[str, str | None], expected: str
) -> None:
    with target.open(None, changes) as session:
        assert ask(session, "variable", "GIVEN") == expected


def test_the_name_of_the_backend_is_filled_in_everywhere(target: Configurable) -> None:
    with target.open('{"backend": "{backend}"}', {"GIVEN": "{backend}"}) as session:
        assert ask(session, "file") == '{"backend": "an_own_one"}'
        assert ask(session, "variable", "GIVEN") == "an_own_one"
        assert ask(session, "same", "{backend}") == "an_own_one"


def test_a_worker_that_has_started_tells_the_name(
    target: Configurable, monkeypatch: pytest.MonkeyPatch
) -> None:
    with target.plain((), 0) as session:
        assert session.known_identity is None
        assert ask(session, "floatx") == "float32"
    assert session.known_identity is not None
    monkeypatch.delattr(configured, "open_session")
    with target.open(None, {"GIVEN": "{backend}"}) as session:
        assert ask(session, "variable", "GIVEN") == "an_own_one"


def test_the_folder_is_new_each_time_and_removed(target: Configurable) -> None:
    homes = []
    for _ in range(2):
        with target.open(None, {}) as session:
            homes.append(Path(ask(session, "variable", "HOME")))
            ask(session, "leave")
            assert (homes[-1] / "left").exists()
    assert homes[0] != homes[1]
    assert not any(home.exists() for home in homes)


def test_the_settings_stay_as_the_import_made_them(target: Configurable) -> None:
    with target.open(None, {}) as session:
        assert ask(session, "floatx") == "untouched"


def test_an_import_that_fails_tells_why(target: Configurable) -> None:
    with (
        target.open(None, {"REFUSE": "1"}) as session,
        pytest.raises(WorkerStartError, match="AssertionError"),
    ):
        ask(session, "floatx")


# Processes that are forks of one that has imported the library


def test_a_fork_has_a_library_that_was_imported_once_and_a_home_of_its_own(
    forking: Configurable,
) -> None:
    importers, homes = set(), []
    for text in ('{"floatx": "float16"}', None):
        with forking.open(text, {"KERAS_BACKEND": "{backend}"}) as session:
            importers.add(ask(session, "importer"))
            assert ask(session, "process") not in importers
            homes.append(ask(session, "variable", "HOME"))
            assert ask(session, "variable", "KERAS_HOME") == f"{homes[-1]}/.keras"
            assert ask(session, "variable", "KERAS_BACKEND") == "an_own_one"
            assert ask(session, "variable", "GIVEN") == "as it is"
            assert ask(session, "file") == (text or "none")
            assert ask(session, "leave") == "done"
            assert ask(session, "floatx") == "untouched"
    assert len(importers) == 1
    assert homes[0] != homes[1]
    assert not any(Path(home).exists() for home in homes)


def test_a_variable_that_is_removed_is_missing_in_one_fork_alone(forking: Configurable) -> None:
    with forking.open(None, {"KERAS_BACKEND": "mine"}) as session:
        assert ask(session, "variable", "KERAS_BACKEND") == "mine"
    with forking.open(None, {"KERAS_BACKEND": None}) as session:
        assert ask(session, "variable", "KERAS_BACKEND") == "none"


def test_variables_that_others_read_have_a_new_process(forking: Configurable) -> None:
    with forking.open(None, {"GIVEN": "anew"}) as session:
        assert ask(session, "importer") == ask(session, "process")


def test_a_fork_whose_import_fails_tells_why_and_the_next_is_forked(
    forking: Configurable, tmp_path: Path
) -> None:
    module = tmp_path / "configurable.py"
    module.write_text(SOURCE.replace('"REFUSE"', '"KERAS_REFUSE"'))
    with (
        forking.open(None, {"KERAS_REFUSE": "1"}) as session,
        pytest.raises(WorkerStartError, match="AssertionError") as raised,
    ):
        ask(session, "floatx")
    assert str(raised.value).count("hello from the import") == 1
    with forking.open(None, {}) as session:
        assert ask(session, "importer") != ask(session, "process")


def test_what_an_import_prints_is_told_of_each_fork(forking: Configurable) -> None:
    program = Program((), (Step("said", "printed.import", ()),), ("said",))
    for _ in range(2):
        with forking.open(None, {}) as session:
            (draw,) = session.run_batch(Batch(program, {}, 1)).draws
        assert isinstance(draw.outcome, Returned)
        assert draw.outcome.value("said").text == "hello from the import\n"


@pytest.mark.parametrize(
    "heavy", ["import nowhere", "import threading as t; t.Timer(60, print).start()"]
)
def test_a_library_that_cannot_be_shared_is_imported_by_each(
    forking: Configurable, tmp_path: Path, heavy: str
) -> None:
    (tmp_path / "heavy.py").write_text(
        f"import os, sys\nif '--zygote-fd' in sys.argv:\n    {heavy}\n{HEAVY}"
    )
    for _ in range(2):
        with forking.open(None, {}) as session:
            assert ask(session, "importer") == ask(session, "process")


def test_forks_end_with_the_session_in_the_own_environment(described: Target) -> None:
    configurable = Configurable(msgspec.structs.replace(described, preload=()))
    with configurable.plain((), 0):
        forks = configurable._forks
        assert forks is not None
        with configurable.open(None, {}) as session:
            ask(session, "floatx")
        assert Path(forks.homes).is_dir()
    assert not Path(forks.homes).exists()
    assert forks._source.zygote is None
    with configurable.open(None, {}) as session:
        assert ask(session, "floatx") == "untouched"


def test_the_host_writes_nothing_where_workers_can_write(
    forking: Configurable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker could put a link there, by which the host would write anywhere."""
    written: list[Path] = []
    write = configured._write

    def noted(home: Path, text: str) -> None:
        written.append(home)
        write(home, text)

    monkeypatch.setattr(configured, "_write", noted)
    with forking.open("{}", {}) as session:
        home = Path(ask(session, "variable", "HOME"))
        assert ask(session, "file") == "{}"
        assert forking._forks is not None
        assert home.parent == Path(forking._forks.homes)
    assert [place.parent == home.parent for place in written] == [False]
    assert not home.exists()
    assert not written[0].exists()


@pytest.mark.parametrize(("name", "stored"), [("a\0b", "ab"), ("a\ud800b", "ab"), (None, "")])
def test_a_name_of_a_backend_is_one_that_a_variable_can_have(name: str | None, stored: str) -> None:
    assert configured._storable(name) == stored
