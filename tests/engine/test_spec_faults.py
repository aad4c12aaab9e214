"""What drawn calls show of a wrong spec, and a few scenarios of a wrong family: the part, with its
file and line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import strategies as st

from conformance.engine.planning import spec_faults as module
from conformance.engine.planning.family_faults import family_faults
from conformance.engine.planning.spec_faults import spec_faults
from conformance.results import Aspect
from conformance.scenarios import Family, Scenario
from conformance.scenarios.checks import is_array
from conformance.scenarios.examples import printed_results
from conformance.scenarios.model import Problem, Values
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs import load_conventions
from conformance.specs.conventions import Convention, Reading
from conformance.specs.examples import ExampleLine
from conformance.specs.reading import load_text, places

SHAPE = (
    "shape: [if, keepdims, [set, [shape, x], [axes, axis, x], 1], "
    "[remove, [shape, x], [axes, axis, x]]]"
)
GOOD = """\
theme: examples
functions:
- name: total
  oracle: sum
  summary: "The sum along axes."
  signatures:
    ko-2.2: {line: 10, text: "total(x, axis=None, keepdims=False)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [1, 4]}
    axis: {kind: axes, of: x, optional: true}
    keepdims: {kind: boolean}
  dtypes: {documented: [float32, float64], probed: [int32]}
  SHAPE
  dtype: {accept: [[dtype, x]]}
  accuracy: {kind: contraction}
  differentiable: true
  claims:
  - {aspect: value, says: "The sum.", at: {ko-2.2: 11}}
  errors:
  - name: axis-outside
    says: the axis exists
    editions: [keras-2.2]
    convention: invalid-input
    parameters:
      axis: {kind: literals, values: [9]}
  unsettled:
  - {when: [has, [shape, x], 0], convention: empty}
- name: along
  oracle: cumsum
  summary: "Running sums."
  signatures:
    ko-2.2: {line: 20, text: "along(x, axis=0)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [1, 4]}
    axis: {kind: axis, of: x}
  shape: [shape, x]
  dtype: {accept: [[dtype, x]]}
  accuracy: {kind: contraction}
  differentiable: true
  claims:
  - {aspect: value, says: "The sums.", at: {ko-2.2: 21}}
  unsettled:
  - {when: [equal, [axis, axis, [rank, x]], 9], says: "never", convention: empty}
- name: largest
  oracle: argmax
  summary: "The place of the largest element."
  signatures:
    ko-2.2: {line: 30, text: "largest(x, axis=-1)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [1, 4]}
    axis: {kind: axis, of: x}
  shape: [remove, [shape, x], [axis, axis, [rank, x]]]
  dtype: {accept: [[literal, int64], [literal, int32]]}
  accuracy: {kind: exact}
  differentiable: false
  claims:
  - {aspect: value, says: "The place.", at: {ko-2.2: 31}}
  unsettled:
  - {when: [has, [shape, x], 0], convention: empty}
- name: same
  oracle: equal
  summary: "Whether elements are equal."
  signatures:
    ko-2.2: {line: 40, text: "same(x, y)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [0, 4]}
    y: {kind: companion, of: x, relation: broadcast}
  shape: [broadcast, [shape, x], [shape, y]]
  dtype: {accept: [[literal, bool]]}
  accuracy: {kind: exact}
  differentiable: false
  claims:
  - {aspect: value, says: "Equality.", at: {ko-2.2: 41}}
""".replace("SHAPE", SHAPE)


@dataclass(frozen=True)
class Plant:
    """A mistake: a part of the good text and what stands there in its place."""

    name: str
    function: str
    part: str
    other: str
    words: str
    """What the message has."""
    at: str = ""
    """What the line that is told has; that of the mistake if empty."""


PLANTS = [
    Plant("another shape", "total", SHAPE, "shape: [shape, x]", "and the oracle ("),
    Plant(
        "a shape by a wrong name",
        "total",
        SHAPE,
        "shape: [if, axis, [list], [shape, x]]",
        "and the oracle",
    ),
    Plant(
        "a shape that fails", "total", SHAPE, "shape: [remove, [shape, x], [dim, axis, 0]]", "dim"
    ),
    Plant("no shape", "total", SHAPE, "shape: [rank, x]", "is no shape"),
    Plant("a negative shape", "total", SHAPE, "shape: [list, [subtract, 0, 9]]", "is no shape"),
    Plant(
        "a static shape that contradicts",
        "total",
        SHAPE,
        SHAPE.replace("[if,", "[if, [is_none, [dim, [shape, x], 0]], [list, 7, 7, 7, 7, 7], [if,")
        + "]",
        "of static shapes",
    ),
    Plant(
        "a wrong dtype",
        "largest",
        "[[literal, int64], [literal, int32]]",
        "[[dtype, x]]",
        ", and the oracle integers",
    ),
    Plant(
        "integers for numbers",
        "along",
        "dtype: {accept: [[dtype, x]]}\n  accuracy: {kind: contraction}\n  differentiable: true\n  "
        'claims:\n  - {aspect: value, says: "The sums."',
        "dtype: {accept: [[literal, int32]]}\n  accuracy: {kind: contraction}\n  differentiable: "
        'false\n  claims:\n  - {aspect: value, says: "The sums."',
        "gives int32, and the oracle floating numbers",
        at="[[literal, int32]]}",
    ),
    Plant(
        "numbers for truth values",
        "same",
        "[[literal, bool]]",
        "[[dtype, x]]",
        "and the oracle truth values",
    ),
    Plant("no dtype", "same", "[[literal, bool]]", "[[literal, boolean]]", "is no dtype"),
    Plant("an oracle without a name", "largest", "oracle: argmax", "oracle: argmx", "argmax"),
    Plant(
        "a drawer without a name",
        "along",
        "parameters:\n    x: {kind: tensor, ranks: [1, 4]}\n    axis: {kind: axis, of: x}\n"
        "  shape: [shape, x]",
        "draw: ordr\n  parameters:\n    x: {kind: drawn}\n    axis: {kind: drawn}\n"
        "  shape: [shape, x]",
        "did you mean order",
        at="draw: ordr",
    ),
    Plant(
        "several answers without evidence",
        "largest",
        'differentiable: false\n  claims:\n  - {aspect: value, says: "The place."',
        'unique: false\n  differentiable: false\n  claims:\n  - {aspect: value, says: "The place."',
        "has no evidence",
        at="unique: false",
    ),
    Plant("another oracle", "largest", "oracle: argmax", "oracle: dot", "the oracle fails"),
    Plant(
        "a bound that is none",
        "largest",
        "accuracy: {kind: exact}\n  differentiable: false\n  claims:\n  - {aspect: value, says: "
        '"The place."',
        "accuracy: {kind: contraction}\n  differentiable: false\n  claims:\n  - {aspect: value, "
        'says: "The place."',
        "no bound of the kind contraction",
        at="accuracy: {kind: contraction}",
    ),
    Plant(
        "a default that an axis cannot have",
        "along",
        'text: "along(x, axis=0)"',
        'text: "along(x, axis=None)"',
        "with the defaults axis=None",
        at="when: [equal, [axis, axis",
    ),
    Plant(
        "a default that is no number",
        "largest",
        'text: "largest(x, axis=-1)"',
        "text: \"largest(x, axis='last')\"",
        "with the defaults axis='last'",
        at="shape: [remove, [shape, x], [axis",
    ),
    Plant(
        "a range that is empty",
        "largest",
        "x: {kind: tensor, ranks: [1, 4]}\n    axis: {kind: axis, of: x}\n  shape: [remove",
        "x: {kind: tensor, ranks: [4, 1]}\n    axis: {kind: axis, of: x}\n  shape: [remove",
        "no call can be drawn in keras-2.2",
        at="x: {kind: tensor, ranks: [4, 1]}",
    ),
    Plant(
        "a kind that needs another parameter",
        "same",
        "y: {kind: companion, of: x, relation: broadcast}",
        "y: {kind: kernel, of: x}",
        "no call can be drawn in keras-2.2",
    ),
    Plant(
        "a gradient of integers",
        "largest",
        'differentiable: false\n  claims:\n  - {aspect: value, says: "The place."',
        'differentiable: true\n  claims:\n  - {aspect: value, says: "The place."',
        "has a result with a gradient",
        at="differentiable: true",
    ),
    Plant(
        "a condition that fails",
        "along",
        'when: [equal, [axis, axis, [rank, x]], 9], says: "never"',
        'when: [equal, [dim, [shape, x], 9], 0], says: "never"',
        "index out of range",
    ),
    Plant(
        "an error that cannot be drawn",
        "total",
        "axis: {kind: literals, values: [9]}",
        "axis: {kind: integer, range: [9, 1], optional: false}\n      x: {kind: kernel, of: axis}",
        "no call can be drawn",
        at="x: {kind: kernel, of: axis}",
    ),
]


def shown(text: str) -> list[tuple[str, str, str]]:
    """The function, the text of the line and the message of each fault."""
    file = load_text(text, "mine.yaml")
    faults = [fault for spec in file.functions for fault in spec_faults(spec)]
    lines = text.splitlines()
    at = places({"mine.yaml": text}, [(fault.function, fault.path) for fault in faults])
    assert all(place.startswith("mine.yaml:") for place in at)
    numbers = [int(place.rpartition(":")[2]) for place in at]
    pairs = zip(faults, numbers, strict=True)
    return [(fault.function, lines[number - 1], fault.says) for fault, number in pairs]


def test_the_good_specs_have_no_faults() -> None:
    assert shown(GOOD) == []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_wrong_spec_is_told_with_its_part_and_line(plant: Plant) -> None:
    assert GOOD.count(plant.part) == 1
    faults = shown(GOOD.replace(plant.part, plant.other))
    assert {function for function, _, _ in faults} == {plant.function}
    at = plant.at or plant.other.splitlines()[0]
    assert any(at in line and plant.words in says for _, line, says in faults), faults


def test_a_reading_without_code_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = load_conventions()
    other = Reading("a new one", "Another answer.")
    changed: Convention = replace_reading(known["empty"], other)
    monkeypatch.setattr(module, "load_conventions", lambda: {**known, "empty": changed})
    faults = shown(GOOD)
    assert {function for function, _, _ in faults} == {"total", "along", "largest"}
    assert all("convention: empty" in line for _, line, _ in faults)
    assert all(says == "no code computes the reading empty: a new one" for _, _, says in faults)


def replace_reading(convention: Convention, reading: Reading) -> Convention:
    return msgspec.structs.replace(convention, readings=[*convention.readings, reading])


def scenario(
    test: Callable[[Values], Problem | None], array: Any = None, argument: Any = 0
) -> Scenario:
    """A scenario of one step, with a check."""
    recorder = Recorder("sum", "keras-2.2", "a sum")
    result = recorder.sum(recorder.array("x", np.zeros(2)), argument)
    recorder.expect("is right", result, test, "what is right")
    recorded = recorder.scenario()
    return recorded if array is None else replace(recorded, arrays={"x": array})


def family(*scenarios: Scenario) -> Family:
    return Family(
        "sum", frozenset({Aspect.VALUE}), make=lambda _: scenarios, editions=("keras-2.2",)
    )


RIGHT = is_array(np.zeros(()))
WRONG: list[tuple[Scenario, str]] = [
    (scenario(RIGHT, argument=np.float64(1)), "the program is no data"),
    (scenario(RIGHT, array=np.zeros(3)), "x is float64 (3,), and not float64 (2,)"),
    (scenario(RIGHT, array=np.zeros(2, "float32")), "x is float32 (2,), and not float64 (2,)"),
    (scenario(RIGHT, array=[0.0, 0.0]), "x is a list, and no array"),
    (scenario(lambda values: Problem("gives", expected=np.float64(1))), "expected as a float64"),  # type: ignore[arg-type]
    (scenario(lambda values: Problem("gives", got=np.array([None]))), "got as a ndarray"),
    (scenario(lambda values: Problem("gives", ulp=np.float64(1))), "ULP as a float64"),
    (scenario(lambda values: Problem("gives", conventions=("none",))), "['none'], which are none"),
    (scenario(lambda values: Problem(f"{values[0].dtype}")), "IndexError"),
]


def test_a_right_family_has_no_faults() -> None:
    assert family_faults(family(scenario(RIGHT))) == []


@pytest.mark.parametrize(("wrong", "words"), WRONG, ids=lambda case: str(case)[:40])
def test_a_wrong_scenario_is_told_with_its_line(wrong: Scenario, words: str) -> None:
    (fault,) = family_faults(family(scenario(RIGHT), wrong))
    assert words in fault.says
    assert fault.function == "sum"
    assert fault.place.rpartition(":")[2].isdigit()


def test_a_family_that_raises_is_told() -> None:
    def fails(_: object) -> Sequence[Scenario]:
        raise ZeroDivisionError("of nothing")

    (fault,) = family_faults(replace(family(), make=fails))
    assert fault.says == "ZeroDivisionError: of nothing"
    assert "test_spec_faults.py:" in fault.place


@pytest.mark.parametrize("parameters", [{"x": (0.0, 1.0)}, {"x": st.floats(0, 1)}])
def test_a_recorded_scenario_is_told_with_the_line_of_its_function(
    parameters: dict[str, Any],
) -> None:
    book = Book()

    @book.scenario("sum", "a sum", editions=("keras-2.2",), **parameters)
    def write(K: Recorder, x: float) -> None:  # noqa: N803
        wrong = lambda _: Problem("gives", ulp=np.float64(1))  # noqa: E731
        K.expect("is right", K.sum(K.array("x", [x])), wrong, "what is right")

    (fault,) = family_faults(*book.families)
    assert "ULP as a float64" in fault.says
    assert fault.place == f"{__file__}:{write.__code__.co_firstlineno}"


def test_an_example_that_cannot_be_read_is_told_with_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (example, *others) = printed_results._results()["set_epsilon"]
    line = ExampleLine(code="K.set_epsilon(1e-05 if True else 2)", line=46)
    wrong = msgspec.structs.replace(example[0], given=[line])
    monkeypatch.setattr(
        printed_results, "_results", lambda: {"set_epsilon": [(wrong, example[1]), *others]}
    )
    family = next(f for f in printed_results.FAMILIES if f.function == "set_epsilon")
    (fault,) = family_faults(family)
    assert fault.place == "examples.yaml:46"
    assert fault.says.startswith("the expression '1e-05 if True else 2' in `K.set_epsilon(")
