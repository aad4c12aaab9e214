"""What the default profile tries of every function, in the newest edition.

Each test looks at all functions and lists those of which something is never tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.program import Binding, Made
from conformance.specs import kinds, load
from tests.generators.support import CALLED, NEWEST, allowed_bindings, everything, shapes, tensors

SPECS = {name: load()[name] for name in CALLED}
WITH_TENSORS = [n for n in SPECS if tensors(n)]
LEAST_SETTLED = 10
"""Structures of a function, or half of them if it has few, that the documents settle."""


def missing(functions: Iterable[str], of: Callable[[str], set[Any]]) -> dict[str, list[str]]:
    """What each function lacks, for those that lack something."""
    return {name: sorted(map(str, lacks)) for name in functions if (lacks := of(name))}


@pytest.mark.thorough
def test_every_binding() -> None:
    def of(name: str) -> set[Any]:
        used = {i.binding for s in everything(name) for i in s.program.inputs}
        assert used <= allowed_bindings(name, NEWEST)
        return allowed_bindings(name, NEWEST) - used

    assert missing(WITH_TENSORS, of) == {}


@pytest.mark.thorough
def test_every_documented_and_probed_dtype() -> None:
    def of(name: str) -> set[Any]:
        dtypes = SPECS[name].dtypes
        return {
            (parameter, dtype)
            for parameter, rule in tensors(name).items()
            for dtype in getattr(rule, "dtypes", None) or dtypes.documented + dtypes.probed
            if dtype not in {s.runtime.dtypes[parameter] for s in everything(name)}
        }

    assert missing(WITH_TENSORS, of) == {}


def test_every_rank() -> None:
    def of(name: str) -> set[Any]:
        return {
            (parameter, rank)
            for parameter, rule in tensors(name).items()
            for rank in range(rule.ranks[0], rule.ranks[1] + 1)
            if rank not in {len(shape) for shape in shapes(name, parameter)}
        }

    assert missing(WITH_TENSORS, of) == {}


def test_no_rank_beyond_the_rule() -> None:
    for name in WITH_TENSORS:
        for parameter, rule in tensors(name).items():
            ranks = {len(shape) for shape in shapes(name, parameter)}
            assert min(ranks) >= rule.ranks[0], name
            assert max(ranks) <= rule.ranks[1], name


def test_axes_of_length_nought_and_one() -> None:
    def of(name: str) -> set[Any]:
        return {
            (parameter, length)
            for parameter in tensors(name)
            for length in (0, 1)
            if not any(length in shape for shape in shapes(name, parameter))
        }

    assert missing(WITH_TENSORS, of) == {}


def settled(name: str) -> int:
    """How many structures the documents settle."""
    return sum(not s.unsettled for s in everything(name))


@pytest.mark.thorough
def test_enough_cases_are_settled_by_the_documents() -> None:
    least = {name: min(LEAST_SETTLED, len(everything(name)) // 2) for name in SPECS}
    least["resize_volumes"] = 7  # only copies of it: no document says how values are taken
    assert {n: settled(n) for n in SPECS if settled(n) < least[n]} == {}


def test_every_convention_of_the_spec_is_met() -> None:
    def of(name: str) -> set[Any]:
        met = {c for s in everything(name) for c in s.unsettled}
        open_points = {u.convention for u in SPECS[name].unsettled if u.holds_in(NEWEST)}
        return open_points - met

    assert missing(SPECS, of) == {}


def forms(axis: Any) -> set[str]:
    """What is to be said of an argument `axis`."""
    if axis is None:
        return {"none"}
    axis = axis.value if isinstance(axis, Made) else axis
    if isinstance(axis, int):
        return {"from the end" if axis < 0 else "from the front"}
    return {type(axis).__name__, "several" if len(axis) > 1 else "one of several"}


def test_axes_in_every_form() -> None:
    expected = {"none", "from the end", "from the front", "list", "tuple", "several"}
    functions = [n for n, s in SPECS.items() if isinstance(s.parameters.get("axis"), kinds.Axes)]
    assert len(functions) == 11

    def of(name: str) -> set[Any]:
        return expected - {f for s in everything(name) for f in forms(s.arguments["axis"])}

    assert missing(functions, of) == {}


def test_an_axis_from_either_end() -> None:
    functions = [n for n, s in SPECS.items() if isinstance(s.parameters.get("axis"), kinds.Axis)]

    def of(name: str) -> set[Any]:
        drawn = {f for s in everything(name) for f in forms(s.arguments["axis"])}
        return {"from the end", "from the front"} - drawn

    assert missing(functions, of) == {}


def test_keepdims_both_ways() -> None:
    def of(name: str) -> set[Any]:
        return {True, False} - {s.arguments["keepdims"] for s in everything(name)}

    assert missing([n for n, s in SPECS.items() if "keepdims" in s.parameters], of) == {}


def sorts(x: tuple[int, ...], y: tuple[int, ...]) -> set[str]:
    """How two shapes broadcast."""
    relations = {"equal" if x == y else "different"}
    if len(x) > len(y):
        relations.add("y has fewer axes")
    if any(b == 1 < a for a, b in zip(x[::-1], y[::-1], strict=False)):
        relations.add("an axis of y is stretched")
    if len(x) < len(y) or any(a == 1 < b for a, b in zip(x[::-1], y[::-1], strict=False)):
        relations.add("x is stretched")
    return relations


def test_shapes_broadcast_in_every_way() -> None:
    expected = {"equal", "different", "y has fewer axes", "an axis of y is stretched"}
    expected |= {"x is stretched"}
    relations = {n: getattr(s.parameters.get("y"), "relation", "") for n, s in SPECS.items()}
    functions = [n for n, relation in relations.items() if relation == "broadcast"]
    assert len(functions) == 8

    def of(name: str) -> set[Any]:
        pairs = [(s.runtime.shapes["x"], s.runtime.shapes["y"]) for s in everything(name)]
        return expected - {sort for x, y in pairs for sort in sorts(x, y)}

    assert missing(functions, of) == {}


@pytest.mark.thorough
def test_arguments_by_position_by_name_and_left_out() -> None:
    def of(name: str) -> set[Any]:
        steps = [s.program.steps[0] for s in everything(name)]
        text = next(reversed(SPECS[name].signatures.values())).text
        lacks = set() if any(step.args for step in steps) else {"by position"}
        lacks |= set() if any(step.kwargs for step in steps) else {"by name"}
        passed = {len(step.args) + len(step.kwargs) for step in steps}
        optional = text.count("=") - text.count("name=") - text.count("constraint=")
        return lacks if len(passed) > 1 or not optional else lacks | {"left out"}

    # the arguments of a placeholder are those of the input
    assert missing([n for n in SPECS if n != "placeholder"], of) == {}


def test_every_literal_and_dtype_that_a_parameter_may_take() -> None:
    def of(name: str) -> set[Any]:
        rules = SPECS[name].parameters.items()
        choices = [(p, v) for p, r in rules if isinstance(r, kinds.Literals) for v in r.values]
        choices += [(p, v) for p, r in rules if isinstance(r, kinds.Dtype) for v in r.choices]
        return {(p, v) for p, v in choices if v not in passed(name, p)}

    def passed(name: str, parameter: str) -> list[Any]:
        if name == "placeholder":
            inputs = [dict(s.program.inputs[0].arguments or ()) for s in everything(name)]
            return [i.get(parameter) for i in inputs]
        return [s.arguments.get(parameter) for s in everything(name)]

    assert missing(SPECS, of) == {}


def test_values_are_arrays() -> None:
    for name in ("variable", "constant"):
        bound = {i.binding for s in everything(name) for i in s.program.inputs}
        assert bound == {Binding.ARRAY}
