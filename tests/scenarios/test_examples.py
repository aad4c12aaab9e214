"""The documents' examples: all of them, each able to fail, passed by the reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.adapters.access import open_session
from conformance.adapters.configured import Configurable
from conformance.adapters.target_records import Target
from conformance.editions import Edition
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.observations import Batch, Value
from conformance.scenarios import Scenario, families_of
from conformance.scenarios.examples.printed_results import DOCUMENT, FAMILIES, demanded, function_of
from conformance.specs import load
from conformance.specs.errata import load_conflicts
from conformance.specs.examples import (
    Example,
    ExampleOutcome,
    ExampleProcess,
    ExampleResult,
    Prose,
    Same,
    examples_in,
    load_examples,
)
from conformance.specs.load import documented_name
from conformance.specs.source import SpecError
from tests.scenarios.in_process import findings, module

ROOT = Path(__file__).parents[2]
RESULTS = [(e, s) for e in load_examples() for s in e.shown]
NOT_PRINTED = "E36.1"
"""The one check in the section of a function that the documents print no result of."""


def scenarios(edition: Edition) -> list[Scenario]:
    """All of an edition."""
    return [s for f in FAMILIES if edition in f.editions for s in f.make(edition)]  # type: ignore[union-attr]


# All of them.


def test_no_example_is_missing() -> None:
    kinds = {kind: [e.id for e in load_examples() if e.id[0] == kind] for kind in Example.kinds}
    for kind, number in {"E": 36, "P": 5, "I": 9, "S": 1}.items():
        width = 2 if kind == "E" else 1
        assert kinds[kind] == [f"{kind}{n:0{width}}" for n in range(1, number + 1)]
    assert len(load_examples()) == 51


def test_no_check_is_missing() -> None:
    printed = [s.id for _, s in RESULTS if s.id[0] == "E" and s.id != NOT_PRINTED]
    assert len(printed) == len(set(printed)) == 74
    # two examples print is_keras_tensor of a variable: 73 different checks
    assert len([i for i in printed if i not in ("E09.2", "E35.3")]) + 1 == 73


def test_each_runs_or_says_why_not() -> None:
    for example in load_examples():
        assert bool(example.shown) != bool(example.prose), example.id
        assert bool(example.function) == bool(example.shown), example.id
    assert [e.id for e in load_examples() if e.prose] == ["I5"]
    assert [s.id for _, s in RESULTS if isinstance(s.gives, Prose)] == ["E06.2", "E34.2", "E35.2"]


def test_each_result_is_checked_in_every_edition_whose_document_prints_it() -> None:
    for edition, document in DOCUMENT.items():
        expected = [s.id for e, s in RESULTS if document in s.at and function_of(e, s)]
        checks = [c.name.split(":")[0] for s in scenarios(edition) for c in s.checks]
        assert sorted(checks) == sorted(expected)


def test_what_is_printed_otherwise_is_explained() -> None:
    conflicts = load_conflicts()
    for example, shown in RESULTS:
        assert set(shown.at) <= set(example.at), shown.id
        for number in (*example.errata, *shown.errata):
            assert number in conflicts, shown.id
        if shown.printed is not None and not shown.printed.startswith("<tf.Tensor"):
            assert shown.errata or example.errata or shown.remark, shown.id


def test_the_functions_are_those_of_the_edition() -> None:
    specs = load()
    for edition in DOCUMENT:
        for scenario in scenarios(edition):
            assert edition in specs[scenario.function].editions, scenario.checks[0].name
            known = {documented_name(s, edition) for s in specs.values() if edition in s.editions}
            called = {s.function for s in scenario.program.steps if "." not in s.function}
            assert called <= known, scenario.checks[0].name


def test_zh_tw_prints_no_example_of_its_own() -> None:
    """So that each of its examples is checked in an edition that prints it too."""
    for example in load_examples():
        assert set(example.at) & set(DOCUMENT.values()), example.id


def test_the_families_are_registered() -> None:
    for family in FAMILIES:
        for edition in family.editions:
            assert family in families_of(family.function, edition)


# The reference passes.


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    settings = {n: getattr(K, n)() for n in ("epsilon", "floatx", "image_data_format")}
    yield
    for name, setting in settings.items():
        getattr(K, f"set_{name}")(setting)


LAYERS = {"E35.5", "E35.6"}
"""Checks that need layers, which the reference has none of."""


@pytest.mark.parametrize("edition", DOCUMENT)
def test_the_reference_passes(edition: Edition) -> None:
    environment = {"PYTHONPATH": str(ROOT), "CONFORMANCE_REFERENCE_EDITION": edition}
    target = Target(
        name="fake", module="conformance.reference", edition=edition, environment=environment
    )
    plain = [s for s in scenarios(edition) if s.setup is None]
    with open_session(target) as session:
        results = {s.checks[0].name: problems_of(session, s, edition) for s in plain}
    results |= dict(configured(Configurable(target), edition))
    failing = {name.split(":")[0]: problems for name, problems in results.items() if problems}
    assert set(failing) == (LAYERS if edition == "keras-2.2" else set())
    assert len(results) == len(scenarios(edition))


def configured(target: Configurable, edition: Edition) -> Iterator[tuple[str, list[str]]]:
    """The scenarios with a configuration of their own, and what is wrong."""
    for scenario in scenarios(edition):
        if scenario.setup is not None:
            with target.open(scenario.setup.configuration, scenario.setup.environment) as session:
                yield scenario.checks[0].name, problems_of(session, scenario, edition)


def problems_of(session: Any, scenario: Scenario, edition: Edition) -> list[str]:
    """What is wrong with a scenario in a session."""
    arrays = {name: array[None] for name, array in scenario.arrays.items()}
    observed = session.run_batch(Batch(scenario.program, arrays, 1, fresh=True))
    scene = ScenarioTrial(scenario, documented_name(load()[scenario.function], edition))
    return [finding.gives for finding in scene.judge(observed).findings]


# Each check is able to fail.


NONSENSE = (Value(np.zeros((9, 9), "uint8"), "uint8", "ndarray"),)


@pytest.mark.parametrize("edition", DOCUMENT)
def test_no_check_takes_nonsense(edition: Edition) -> None:
    for scenario in scenarios(edition):
        (check,) = scenario.checks
        assert check.test(*(NONSENSE for _ in check.outputs)) is not None, check.name


def test_what_is_said_of_random_numbers_has_no_figures() -> None:
    wrong = [(Value(np.full((9, 9), x), "float64", "ndarray"),) for x in (7.0, 8.0)]
    for scenario in scenarios("keras-2.2"):
        (check,) = scenario.checks
        if any(s.function.startswith("random_") for s in scenario.program.steps):
            first, other = (check.test(*(values for _ in check.outputs)) for values in wrong)
            assert first is not None
            assert other is not None
            if "int_shape" not in check.name:
                assert (first.gives, first.got) == (other.gives, other.got), check.name


def test_every_outcome_has_its_own_test() -> None:
    for _, shown in RESULTS:
        if isinstance(shown.gives, Prose | Same):
            with pytest.raises(TypeError):
                demanded(shown.gives)
        else:
            assert demanded(shown.gives)[1]


WRONG: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a result of rank 1": (
        {"batch_dot": lambda x, y, axes: K.sum(x * y, axis=1)},
        {"E29.1", "P2.2", "P5.1"},
    ),
    "a scalar product": (
        {"dot": lambda x, y: K.sum(x)},
        {"E26.1", "E27.1", "E28.1", "P1.1", "I9.5"},
    ),
    "another dtype": ({"cast": lambda x, dtype: K.identity(x)}, {"E25.2", "E25.4"}),
    "float64 for a NumPy array": ({"cast_to_floatx": lambda x: x}, {"E06.3", "E06.4"}),
    "a deaf setter": ({"set_image_data_format": lambda f: None}, {"E07.1", "E08.1"}),
    "no exception": ({"is_keras_tensor": lambda x: False}, {"E35.1"}),
    "everything a Keras tensor": (
        {"is_keras_tensor": lambda x: True},
        {"E35.1", "E35.3", "E35.4"},
    ),
    "numbers above the bound": (
        {"random_uniform_variable": lambda shape, low, high: K.variable(np.full(shape, high + 1))},
        {"E22.2", "I9.1"},
    ),
    "zeros for ones": ({"ones_like": K.zeros_like}, {"E21.1"}),
    "no transposition": ({"transpose": K.identity}, {"E30.2", "E31.2"}),
    "one axis less": ({"ndim": lambda x: len(K.int_shape(x)) - 1}, {"E14.1", "E14.2"}),
    "the other phase": ({"repeat_elements": lambda x, rep, axis: K.tile(x, [1, rep, 1])}, {"P3.1"}),
    "a slice by its ends": ({"slice": lambda x, start, size: K.identity(x)}, {"S1.1"}),
    "halves": ({"eval": lambda x: np.asarray(K.eval(x)) / 2}, {"E16.1"}),
}
"""Implementations with one wrong function, and the checks of that function that find it."""


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_implementation_is_told(what: str) -> None:
    changed, expected = WRONG[what]
    target = module(**changed)
    told_by = set()
    for scenario in concerned(expected):
        number = scenario.checks[0].name.split(":")[0]
        if findings(scenario, target):
            told_by.add(number)
        K.set_floatx("float32")
        K.set_image_data_format("channels_last")
    assert told_by == expected


def concerned(numbers: set[str]) -> list[Scenario]:
    """All of the functions whose checks these are, but for those that need something else."""
    numbered = {s.checks[0].name.split(":")[0]: s for s in scenarios("keras-2.2")}
    functions = {numbered[number].function for number in numbers}
    return [
        s
        for number, s in numbered.items()
        if s.function in functions and s.setup is None and number not in LAYERS
    ]


# The file.


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- id: E01\n  at: {}\n  programme: []\n", "examples.yaml:1: "),
        ("- id: E01\n  at: {ja-3: 1}\n", "examples.yaml:2: "),
        ("- id: E01\n  at: {}\n  program:\n  - 7\n", "examples.yaml:4: "),
        (
            "- id: E01\n  at: {}\n  program:\n  - x = K.eye(2)\n  - {show: x, id: E01.1, at: {}}\n",
            "examples.yaml:5: ",
        ),
        ("- id: E01\n  id: E02\n", "examples.yaml:2: "),
    ],
)
def test_what_is_wrong_in_the_file_is_told_with_its_line(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        examples_in(text)


def test_a_line_of_code_knows_where_it_stands() -> None:
    text = "- id: E01\n  at: {}\n  given:\n  - a\n  program:\n  - b\n"
    ((printed,), (statement,)) = ((e.given, e.program) for e in examples_in(text)).__next__()
    assert (printed.line, statement.line) == (4, 6)


def test_the_page_describes_every_field_and_kind() -> None:
    page = (ROOT / "docs" / "document-data.md").read_text("utf-8").partition("## Examples")[2]
    for record in (Example, ExampleResult, ExampleProcess, *get_args(ExampleOutcome)):
        for name in record.__struct_fields__:
            assert name == "line" or f"`{name}`" in page, name
    for kind in get_args(ExampleOutcome):
        assert f"| `{kind.__struct_config__.tag}` |" in page
