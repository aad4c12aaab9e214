"""Scenarios of the configuration file: the reference passes them, what ignores it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis.strategies import SearchStrategy

from conformance.adapters.configured import Configurable
from conformance.adapters.session import WorkerStartError
from conformance.adapters.target_records import Target
from conformance.editions import EDITIONS, Edition
from conformance.observations import Batch, Returned
from conformance.scenarios import Problem, Scenario
from conformance.scenarios.configuration import keras_json
from conformance.scenarios.configuration.keras_json import (
    DEFAULT,
    FAMILIES,
    FIELD,
    VARIABLE,
)
from conformance.specs import load, load_conventions
from tests.editions import OF_K
from tests.scenarios.running import value

ROOT = Path(__file__).parents[2]

DEAF = """
import conformance.reference as K
for name in K.__all__:
    globals()[name] = getattr(K, name)
def epsilon(): return 1e-07
def floatx(): return "float32"
def image_data_format(): return "channels_last"
def image_dim_ordering(): return "tf"
def cast_to_floatx(x): return x.astype("float32")
def backend():
    import os
    file = os.path.exists(os.path.expanduser("~/.keras/keras.json"))
    return os.environ.get("KERAS_BACKEND", "other") + "!" * file
"""
"""Reads the file, and does not keep to it."""

MISNAMED = """
import sys
import conformance.reference as K
for name in K.__all__:
    globals()[name] = getattr(K, name)
sys.stderr.write("Using Theano backend.\\n")
def backend(): return "tensorflow"
"""
"""Prints the name of another backend when it is imported."""


def scenarios(edition: Edition) -> list[Scenario]:
    """All of an edition."""
    parts = [f.make(edition) for f in FAMILIES if edition in f.editions]
    return [s for m in parts if not isinstance(m, SearchStrategy) for s in m]


def target(path: Path, module: str, edition: Edition) -> Configurable:
    """The reference, or a module beside it, in an edition."""
    environment = {"PYTHONPATH": f"{path}:{ROOT}", "CONFORMANCE_REFERENCE_EDITION": edition}
    fake = Target(name="fake", module=module, edition="keras-2.2", environment=environment)
    return Configurable(fake)


def problems_of(configurable: Configurable, scenario: Scenario) -> Iterator[tuple[str, Problem]]:
    """What the checks find; nothing if the import fails where it may."""
    setup = scenario.setup
    assert setup is not None
    arrays = {name: array[None] for name, array in scenario.arrays.items()}
    with configurable.open(setup.configuration, setup.environment) as session:
        try:
            (draw,) = session.run_batch(Batch(scenario.program, arrays, 1)).draws
        except WorkerStartError:
            assert setup.may_refuse, scenario.title
            return
    assert isinstance(draw.outcome, Returned), draw.outcome
    for check in scenario.checks:
        problem = check.test(*(draw.outcome.values[name] for name in check.outputs))
        if problem is not None:
            yield f"{scenario.function}: {check.name}", problem


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("edition", OF_K)
def test_the_reference_reads_the_file(tmp_path: Path, edition: Edition) -> None:
    reference = target(tmp_path, "conformance.reference", edition)
    for scenario in scenarios(edition):
        assert dict(problems_of(reference, scenario)) == {}, scenario.title


def test_what_ignores_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(DEAF)
    deaf = target(tmp_path, "deaf", "keras-2.2")
    names = {name for s in scenarios("keras-2.2") for name, _ in problems_of(deaf, s)}
    assert names == {
        "backend: KERAS_BACKEND",
        "backend: what the file says",
        "epsilon: what the file says",
        "floatx: what the file says",
        "image_data_format: what the file says",
    }


def test_an_import_that_tells_another_backend_is_told(tmp_path: Path) -> None:
    (tmp_path / "misnamed.py").write_text(MISNAMED)
    misnamed = target(tmp_path, "misnamed", "keras-2.2")
    asked = [s for s in scenarios("keras-2.2") if s.title == "what an import prints"]
    messages = [problem.gives for s in asked for _, problem in problems_of(misnamed, s)]
    assert messages == ["prints 'Using Theano backend', and backend() gives 'tensorflow'"]


@pytest.mark.parametrize("edition", OF_K)
def test_every_field_is_given_left_out_and_wrong(edition: Edition) -> None:
    layout = "image_dim_ordering" if edition == "keras-1" else "image_data_format"
    for setting in ("epsilon", "floatx", layout):
        own = [s for s in scenarios(edition) if s.function == setting]
        texts = [s.setup.configuration for s in own if s.setup]
        written = [f'"{setting}"' in text for text in texts if text is not None]
        assert True in written
        assert (False in written) == ((edition, setting) != ("keras-1", "image_dim_ordering"))
        assert any(s.setup and s.setup.may_refuse for s in own)


def test_lines_and_conventions_exist() -> None:
    specs = load()
    for setting, lines in (*FIELD.items(), *DEFAULT.items(), ("backend", VARIABLE)):
        assert set(lines) <= set(specs[setting].signatures)
    named = {c for e in EDITIONS for s in scenarios(e) for c in s.conventions}
    assert named == {"invalid-setting"}
    assert named <= set(load_conventions())


def test_only_keras_1_leaves_the_defaults_open() -> None:
    for edition in EDITIONS:
        settled = [s for s in scenarios(edition) if not s.conventions]
        defaults = [c for s in settled for c in s.checks if c.name == "the default"]
        assert defaults
        assert {bool(c.alternatives) for c in defaults} == {edition == "keras-1"}


@pytest.mark.parametrize(
    ("setting", "allowed", "wrong"),
    [("floatx", "float64", "float128"), ("floatx", "float16", "int32"), ("epsilon", 0.5, -1.0)],
)
def test_another_default_is_a_documented_value(setting: str, allowed: Any, wrong: Any) -> None:
    (other,) = keras_json._other_defaults(setting)
    assert (other.convention, other.reading) == ("default-setting", "another default")
    assert other.test((value(allowed),)) is None
    assert other.test((value(wrong),)) is not None
