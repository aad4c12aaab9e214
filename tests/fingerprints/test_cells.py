"""A change of one thing changes the fingerprints of what depends on it, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from conformance.adapters import layout, mappings, registry
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject
from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.fingerprints import PARTS, UNKNOWN, fingerprints
from conformance.fingerprints import functions as of_functions
from conformance.fingerprints.functions import suite_modules
from conformance.specs import Spec, load
from conformance.specs.load import Specs
from tests.fingerprints.conftest import Change, forget

Marks = dict[str, dict[str, str]]


def marks(target: str = "reference", profile: str = "smoke", seed: int = 0) -> Marks:
    """The fingerprints of all functions of a target."""
    described = registry.shipped()[target]
    examined = subject(described)
    tasks = plan(load(), examined.edition, PROFILES[profile], seed)
    return {name: dict(fingerprint) for name, fingerprint in examined.fingerprints(tasks).items()}


def changed(before: Marks, after: Marks) -> dict[str, set[str]]:
    """The functions whose fingerprints differ, with the parts."""
    assert before.keys() == after.keys()
    own = [part for part in PARTS if part != "shared"]
    parts = {name: {p for p in own if before[name][p] != after[name][p]} for name in before}
    return {name: differing for name, differing in parts.items() if differing}


def test_every_part_has_a_word() -> None:
    assert all(set(mark) == set(PARTS) for mark in marks().values())
    assert marks() == marks()


def test_an_oracle_changes_its_function_and_those_that_use_it(change: Change) -> None:
    before = marks()
    change("conformance.oracle.linear_algebra", "def transpose", "LATER = 1\ndef transpose")
    assert not changed(before, marks())
    change(
        "conformance.oracle.activations", "def softsign", "def softsign(x): return 1\ndef softsign"
    )
    assert changed(before, marks()) == {"softsign": {"oracle"}}


def test_what_an_oracle_calls_counts(change: Change) -> None:
    before = marks()
    change("conformance.oracle.means", "where: Any = True", "where: Any = 1")
    touched = changed(before, marks())
    assert {"var", "std"} <= touched.keys()
    assert {"softmax", "conv2d"}.isdisjoint(touched)
    assert all(parts == {"oracle"} for parts in touched.values())


def test_comments_and_docstrings_change_nothing(change: Change) -> None:
    before = marks()
    future = "from __future__ import annotations"
    for module in ("oracle.evaluate", "engine.judging.judge", "adapters.session"):
        change(f"conformance.{module}", future, f"{future}\n\n# a remark\n")
    change("conformance.generators.values", '"""', '"""Another text. ')
    assert not changed(before, marks())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("module", "part"),
    [
        ("engine.judging.judge", "engine"),
        ("engine.verdicts.minimise", "engine"),
        ("scripts.printing", "engine"),
        ("generators.values", "generators"),
        ("oracle.compare", "oracle"),
        ("adapters.session", "adapters"),
        ("adapters.worker.conformance_worker.running", "adapters"),
    ],
)
def test_what_all_functions_use_changes_all(module: str, part: str, change: Change) -> None:
    before = marks()
    change(f"conformance.{module}", "", "\nprint('changed')\n")
    touched = changed(before, marks())
    assert touched.keys() == before.keys()
    assert all(part in parts for parts in touched.values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "module",
    [
        "fuzz.programs",
        "cli.run",
        "reporting.markdown",
        "oracle.ctc",
        "specs.check",
        "mutation.model",
    ],
)
def test_what_no_function_uses_changes_none(module: str, change: Change) -> None:
    before = marks()
    change(f"conformance.{module}", "", "\ndef another(): ...\n")
    assert not changed(before, marks())


def test_a_scenario_changes_its_functions(change: Change) -> None:
    before = marks("keras3-ops-numpy")
    change(
        "conformance.scenarios.control_flow.keras_derivatives",
        'primals["x"] * 5',
        'primals["x"] * 6',
    )
    touched = changed(before, marks("keras3-ops-numpy"))
    assert touched.keys() == {"keras.ops.jvp"}
    assert all("scenarios" in parts for parts in touched.values())


@pytest.mark.usefixtures("change")
def test_a_spec_changes_its_function_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = marks()
    spec = load()["softsign"]
    other = msgspec.structs.replace(spec, summary=f"{spec.summary} Really.")
    monkeypatch.setitem(load()._specs, "softsign", other)
    forget()
    assert changed(before, marks()) == {"softsign": {"spec"}}


def test_options_change_all() -> None:
    before = marks()
    assert all(parts == {"options"} for parts in changed(before, marks(seed=1)).values())
    assert len(changed(before, marks(seed=1))) == len(before)
    assert len(changed(before, marks(profile="default"))) == len(before)


# Targets


@pytest.mark.usefixtures("change")
def test_another_lock_changes_its_targets_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("torch", "keras3-ops-numpy", "keras3-ops-torch", "reference")
    before = {name: marks(name) for name in names}
    real = layout.digest
    monkeypatch.setattr(
        layout, "digest", lambda venv: real(venv) + ("!" if venv.name == "keras3-torch" else "")
    )
    for name in names:
        touched = changed(before[name], marks(name))
        if name == "keras3-ops-torch":
            assert touched.keys() == before[name].keys()
            assert all(parts == {"environment"} for parts in touched.values())
        else:
            assert not touched


def test_a_row_of_a_mapping_changes_the_functions_that_call_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = marks("keras3-numpy")
    mapping = registry.shipped()["keras3-numpy"].mapping
    assert mapping is not None
    table = mappings.load(mapping)
    row = msgspec.structs.replace(table.functions["softsign"], new="keras.ops.softsign(x) + 0")
    other = msgspec.structs.replace(table, functions={**table.functions, "softsign": row})
    monkeypatch.setattr(mappings, "load", lambda _: other)
    assert changed(before, marks("keras3-numpy")) == {"softsign": {"row"}}


def test_the_suites_own_backend_changes_its_target_alone(change: Change) -> None:
    before, other = marks(), marks("keras3-numpy")
    change("conformance.reference.activations", "", "\nMORE = 1\n")
    touched = changed(before, marks())
    assert touched.keys() == before.keys()
    assert all(parts == {"implementation"} for parts in touched.values())
    assert not changed(other, marks("keras3-numpy"))


def test_of_a_backend_that_no_lock_pins_the_implementation_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def softmax(x, axis=-1): return x\n")
    target = Target(name="mine", module="mine", edition="keras-2.2", script_paths=(str(tmp_path),))
    tasks = plan(load(), "keras-2.2", PROFILES["smoke"], 0, select=["softmax"].__contains__)
    cells = fingerprints(target, subject(registry.shipped()["reference"]), tasks)
    assert cells["softmax"]["implementation"] == UNKNOWN


# Nothing is missed


def test_all_that_reads_data_is_known() -> None:
    """A new loader in `specs` gets a line in DATA, if a run reads what it loads."""
    reading = {
        f"{module}:{name}"
        for module, sources in suite_modules().items()
        for name, definition in sources.definitions.items()
        if module.startswith("conformance.specs.")
        and {"conformance.specs.data:read_data", "conformance.specs.data:data_of"}
        & {*definition.references}
    }
    reached = {place for place in reading if _is_reached(place)}
    by_name = {"conformance.specs.conventions:load_conventions"}
    inner = {"conformance.specs.docstrings:_records", "conformance.specs.data:read_data"}
    assert reached <= of_functions.DATA.keys() | by_name | inner


def _is_reached(place: str) -> bool:
    tasks: Iterator[tuple[Spec, Edition]] = (
        (spec, edition) for spec in Specs.values(load()) for edition in spec.editions
    )
    return any(of_functions._reach(spec.name, edition).has(place) for spec, edition in tasks)
