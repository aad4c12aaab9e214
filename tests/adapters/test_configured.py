"""Processes with a configuration file and variables of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters import configured
from conformance.adapters.configured import Configurable
from conformance.adapters.registry import Target
from conformance.adapters.session import Session, WorkerStartError
from conformance.observations import Batch, Returned
from conformance.program import Program, Step

SOURCE = """
import os, pathlib
assert os.environ.get("REFUSE") is None
_floatx = "untouched"
def backend(): return "an_own_one"
def variable(name): return os.environ.get(name, "none")
def file():
    path = pathlib.Path.home() / ".keras" / "keras.json"
    return path.read_text() if path.exists() else "none"
def leave(): (pathlib.Path.home() / "left").write_text("behind"); return "done"
def same(text): return text
def floatx(): return _floatx
def set_floatx(name): globals().update(_floatx=name)
"""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configurable:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    (tmp_path / "configurable.py").write_text(SOURCE)
    environment = {"PYTHONPATH": str(tmp_path), "GIVEN": "as it is"}
    module = "configurable"
    return Configurable(
        Target(name="fake", module=module, edition="keras-2.2", environment=environment)
    )


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
        assert session.told is None
        assert ask(session, "floatx") == "float32"
    assert session.told is not None
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
