"""The rule language, operator by operator: what each gives, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.specs import rules
from conformance.specs.rules import RuleError, Scope, evaluate, names_in
from tests.program.strategies import REPEATABLE

SCOPE = Scope(
    values={"axis": -1, "axes": (0, -1), "none": None, "flag": True, "n": 3, "size": [2, 2]},
    shapes={"x": (2, 3, 4), "u": (None, 3, None), "s": (), "list": [(2, 1), (2, None)]},
    dtypes={"x": "float64", "list": "int32"},
    domains={"x": "even"},
    below={"x": 5},
)

FIRST, LAST = ["literal", "channels_first"], ["literal", "channels_last"]
SAME, VALID = ["literal", "same"], ["literal", "valid"]

VALUES: dict[str, list[tuple[Any, Any]]] = {
    "literal": [(["literal", "x"], "x"), (["literal", None], None), (["literal", 2], 2)],
    "part": [
        (["part", 7, 3, 0], 3),
        (["part", 7, 3, 2], 2),
        (["part", None, 3, 0], None),
        (["part", 7, "size", 2], 5),
    ],
    "without_ones": [(["without_ones", ["literal", [1, 2, 1]]], (2,))],
    "is_several": [(["is_several", "axes"], True), (["is_several", "axis"], False)],
    "if": [
        (["if", "flag", 1, 2], 1),
        (["if", ["is_none", "axis"], 1, 2], 2),
        # the branch that is not taken is not evaluated
        (["if", True, 1, ["axis", 9, 2]], 1),
        (["if", False, "absent", 2], 2),
    ],
    "and": [
        (["and", True, ["equal", 1, 1]], True),
        (["and", True, False], False),
        (["and", False, "absent"], False),
        (["and"], True),
    ],
    "or": [
        (["or", False, True], True),
        (["or", True, "absent"], True),
        (["or", False, ["equal", 1, 2]], False),
        (["or"], False),
    ],
    "not": [(["not", True], False), (["not", None], True), (["not", ["equal", 1, 2]], True)],
    "shape": [(["shape", "x"], (2, 3, 4)), (["shape", "u"], (None, 3, None)), (["shape", "s"], ())],
    "shapes": [(["shapes", "list"], [(2, 1), (2, None)])],
    "rank": [(["rank", "x"], 3), (["rank", "u"], 3), (["rank", "s"], 0)],
    "dtype": [(["dtype", "x"], "float64"), (["dtype", "list"], "int32")],
    "below": [(["below", "x"], 5), (["below", "u"], None)],
    "floatx": [(["floatx"], "float32")],
    "axes": [
        (["axes", "axes", "x"], (0, 2)),
        (["axes", "axis", "x"], (2,)),
        (["axes", "none", "x"], (0, 1, 2)),
        (["axes", "none", "s"], ()),
        (["axes", ["list", 2, 0], "x"], (0, 2)),
        (["axes", ["list", 1, -2], "x"], (1,)),
    ],
    "axis": [(["axis", "axis", 3], 2), (["axis", -3, 3], 0), (["axis", 2, ["rank", "x"]], 2)],
    "list": [(["list"], ()), (["list", "n", None, ["rank", "x"]], (3, None, 3))],
    "join": [
        (["join", ["shape", "x"], ["shape", "u"]], (2, 3, 4, None, 3, None)),
        (["join", ["shape", "s"], "size"], (2, 2)),
    ],
    "remove": [
        (["remove", ["shape", "x"], 1], (2, 4)),
        (["remove", ["shape", "u"], ["axes", "axes", "u"]], (3,)),
        (["remove", ["shape", "x"], ["list"]], (2, 3, 4)),
    ],
    "set": [
        (["set", ["shape", "x"], 0, 9], (9, 3, 4)),
        (["set", ["shape", "x"], ["list", 0, 2], None], (None, 3, None)),
        (["set", ["shape", "u"], ["list"], 1], (None, 3, None)),
    ],
    "insert": [
        (["insert", ["shape", "x"], 0, 1], (1, 2, 3, 4)),
        (["insert", ["shape", "u"], 3, None], (None, 3, None, None)),
        (["insert", ["shape", "s"], 0, 1], (1,)),
    ],
    "take": [
        (["take", ["shape", "x"], 0, -1], (2, 3)),
        (["take", ["shape", "x"], 1, None], (3, 4)),
        (["take", ["shape", "u"], -1, None], (None,)),
        (["take", ["shape", "s"], 0, 1], ()),
    ],
    "dim": [(["dim", ["shape", "x"], -1], 4), (["dim", ["shape", "u"], 0], None)],
    "dims_along": [
        (["dims_along", ["shapes", "list"], 1], [1, None]),
        (["dims_along", ["shapes", "list"], -2], [2, 2]),
    ],
    "permute": [
        (["permute", ["shape", "x"], ["list", 2, 0, 1]], (4, 2, 3)),
        (["permute", ["shape", "u"], ["list", 1, 0, 2]], (3, None, None)),
    ],
    "move": [
        (["move", ["shape", "x"], 0, -1], (3, 4, 2)),
        (["move", ["shape", "x"], ["list", 1, 2], ["list", 1, 0]], (4, 3, 2)),
    ],
    "reverse": [(["reverse", ["shape", "x"]], (4, 3, 2)), (["reverse", ["shape", "s"]], ())],
    "product": [
        (["product", ["shape", "x"]], 24),
        (["product", ["shape", "s"]], 1),
        (["product", ["shape", "u"]], None),
        # nothing is nothing, whatever the other lengths are
        (["product", ["list", None, 0]], 0),
    ],
    "total": [
        (["total", ["list", 1, 2, 3]], 6),
        (["total", ["list"]], 0),
        (["total", ["list", 1, None]], None),
        (["total", ["list", 0, None]], None),
    ],
    "merge": [
        (["merge", ["shapes", "list"]], (2, 1)),
        (["merge", ["list", ["list", None, 3], ["list", 2, None]]], (2, 3)),
        (["merge", ["list", ["list", None], ["list", None]]], (None,)),
    ],
    "broadcast": [
        (["broadcast", ["shape", "x"], ["list", 4]], (2, 3, 4)),
        (["broadcast", ["shape", "x"], ["list", 3, 1]], (2, 3, 4)),
        (["broadcast", ["list", 1, 1], ["list", 5, 0]], (5, 0)),
        (["broadcast", ["shape", "s"], ["shape", "s"]], ()),
        # what is unknown may be 1, so only a length above 1 decides
        (["broadcast", ["list", None], ["list", 3]], (3,)),
        (["broadcast", ["list", None], ["list", 1]], (None,)),
        (["broadcast", ["list", None], ["list", None]], (None,)),
        (["broadcast", ["list", 2, None], ["list", None]], (2, None)),
    ],
    "broadcast_all": [
        (["broadcast_all", ["list", ["list", 2, 1], ["list", 3]]], (2, 3)),
        (["broadcast_all", ["list", ["list", None]]], (None,)),
    ],
    "differ": [
        (["differ", ["list", ["list", 2], ["list", 2]]], False),
        (["differ", ["list", ["list", 2], ["list", 1]]], True),
    ],
    "reshape": [
        (["reshape", ["shape", "x"], ["list", 6, 4]], (6, 4)),
        (["reshape", ["shape", "x"], ["list", 6, -1]], (6, 4)),
        (["reshape", ["shape", "x"], ["list", -1]], (24,)),
        (["reshape", ["shape", "u"], ["list", 3, -1]], (3, None)),
        (["reshape", ["list", 0, 3], ["list", 3, -1]], (3, 0)),
    ],
    "scale": [
        (["scale", ["shape", "x"], ["list", 1, 2, 3]], (2, 6, 12)),
        (["scale", ["shape", "u"], ["list", 1, 2, 3]], (None, 6, None)),
        (["scale", ["list", 0], ["list", 3]], (0,)),
    ],
    "add": [(["add", "n", 1], 4), (["add", None, 1], None)],
    "subtract": [(["subtract", "n", 1], 2), (["subtract", 1, None], None)],
    "multiply": [(["multiply", "n", 2], 6), (["multiply", None, 2], None)],
    "batch_axes": [
        (["batch_axes", 1, 3, 3], (1, 1)),
        (["batch_axes", ["list", 1, 2], 3, 3], (1, 2)),
        (["batch_axes", ["list", -1, -2], 3, 3], (2, 1)),
        (["batch_axes", None, 3, 3], (2, 1)),
        (["batch_axes", None, 2, 2], (1, 1)),
        (["batch_axes", None, 4, 4], (3, 2)),
    ],
    "steps": [
        (["steps", 0, 5, 2], 3),
        (["steps", 5, 0, -2], 3),
        (["steps", 0, 5, -1], 0),
        (["steps", 3, 3, 1], 0),
    ],
    "length": [(["length", "size"], 2), (["length", ["shape", "s"]], 0)],
    "is_none": [(["is_none", "none"], True), (["is_none", "n"], False), (["is_none", 0], False)],
    "is_integer": [
        (["is_integer", "n"], True),
        (["is_integer", "flag"], False),
        (["is_integer", "none"], False),
        (["is_integer", "size"], False),
        (["is_integer", 1.0], False),
    ],
    "equal": [
        (["equal", "n", 3], True),
        (["equal", ["shape", "x"], ["list", 2, 3, 4]], True),
        (["equal", ["rank", "s"], 1], False),
    ],
    "less": [(["less", 1, 2], True), (["less", 2, 2], False)],
    "greater": [(["greater", 3, 2], True), (["greater", 2, 2], False)],
    "has": [
        (["has", ["shape", "x"], 3], True),
        (["has", ["shape", "x"], 0], False),
        (["has", "none", 0], False),
        (["has", "n", 3], False),
        (["has", ["list", ["literal", "bool"]], ["literal", "bool"]], True),
    ],
    "any_below": [
        (["any_below", "axes", 0], True),
        (["any_below", "axis", 0], True),
        (["any_below", "size", 0], False),
        (["any_below", "none", 0], False),
        (["any_below", "flag", 2], False),
        (["any_below", ["list", None, -1], 0], True),
    ],
    "any_above": [
        (["any_above", "size", 1], True),
        (["any_above", "size", 2], False),
        (["any_above", "n", 2], True),
        (["any_above", ["list", None, 1], 1], False),
    ],
    "any_even": [
        (["any_even", ["list", 1, 2]], True),
        (["any_even", ["list", 1, None, 3]], False),
        (["any_even", ["list"]], False),
        (["any_even", ["list", 0]], True),
    ],
    "domain": [(["domain", "x"], "even")],
    # a batch of 7 images of 5 x 6 with 3 channels
    "images": [
        (["images", 7, ["list", 5, 6], 3, None], (7, 5, 6, 3)),
        (["images", 7, ["list", 5, 6], 3, LAST], (7, 5, 6, 3)),
        (["images", None, ["list", 5, None], 3, FIRST], (None, 3, 5, None)),
        (["images", 7, ["list", 5, 6], 3, ["literal", "th"]], (7, 3, 5, 6)),
        (["images", 7, ["list", 5, 6], 3, ["literal", "tf"]], (7, 5, 6, 3)),
    ],
    "spatial": [
        (["spatial", ["list", 7, 5, 6, 3], None], (5, 6)),
        (["spatial", ["list", 7, 3, 5, None], FIRST], (5, None)),
        (["spatial", ["list", 7, 5, 3], LAST], (5,)),
    ],
    "channels": [
        (["channels", ["list", 7, 5, 6, 3], None], 3),
        (["channels", ["list", 7, 3, 5, 6], FIRST], 3),
        (["channels", ["list", 7, 5, None], LAST], None),
    ],
    "kernel": [
        (["kernel", ["list", 2, 4, 3, 8], FIRST], (2, 4, 3, 8)),
        (["kernel", ["list", 8, 3, 2, 4], ["literal", "th"]], (2, 4, 3, 8)),
        (["kernel", ["list", 2, 4, 3, 8], ["literal", "tf"]], (2, 4, 3, 8)),
    ],
    # elements 0, 2, 4 of a window of three: it spans five
    "dilated": [
        (["dilated", ["list", 3, 1], 2], (5, 1)),
        (["dilated", ["list", 3, None], ["list", 3, 2]], (7, None)),
        (["dilated", ["list", 4], 1], (4,)),
    ],
    "windows": [
        # from 0, 1, 2, 3 of seven elements a window of four fits; from 0 and 2 in steps of two
        (["windows", ["list", 7], ["list", 4], 1, VALID, 1], (4,)),
        (["windows", ["list", 7], ["list", 4], 2, VALID, 1], (2,)),
        (["windows", ["list", 7], ["list", 3], 1, VALID, 2], (3,)),
        (["windows", ["list", 2], ["list", 3], 1, VALID, 1], (0,)),
        (["windows", ["list", 7, 8], ["list", 4, 4], ["list", 2, 3], SAME, 1], (4, 3)),
        (["windows", ["list", None, 8], ["list", 2, 2], 1, VALID, 1], (None, 7)),
        (["windows", ["list", 0], ["list", 2], 2, SAME, 1], (0,)),
    ],
    "spread": [
        (["spread", ["list", 4], ["list", 4], 1], (7,)),
        (["spread", ["list", 2, 3], ["list", 3, 1], ["list", 2, 4]], (5, 9)),
        (["spread", ["list", None], ["list", 3], 2], (None,)),
    ],
    "transposed": [
        # three elements, two apart, each of which becomes a window of three: the last ends at 7
        (["transposed", ["list", 3], ["list", 3], 2, VALID, 1, None], (7,)),
        (["transposed", ["list", 3], ["list", 3], 2, VALID, 1, 1], (8,)),
        (["transposed", ["list", 3], ["list", 3], 2, VALID, 2, None], (9,)),
        # with windows shorter than the stride, a stride for each
        (["transposed", ["list", 3], ["list", 1], 4, VALID, 1, None], (12,)),
        (["transposed", ["list", 3, 2], ["list", 3, 2], ["list", 2, 1], SAME, 1, None], (6, 2)),
        # 7 less one before and one behind, and one more
        (["transposed", ["list", 3], ["list", 3], 2, SAME, 1, ["list", 1]], (6,)),
        (["transposed", ["list", None], ["list", 3], 2, SAME, 1, None], (None,)),
    ],
    "patches": [
        (["patches", ["list", 5, 6], 2, 1, 0, 1], (4, 5)),
        (["patches", ["list", 5, 6], ["list", 2, 3], 2, ["list", 1, 0], 2], (3, 1)),
        (["patches", ["list", None, 6], 2, 1, 1, 2], (None, 4)),
    ],
    "each": [
        (["each", 2, ["list", 5, 6]], (2, 2)),
        (["each", ["list", 2, 3], ["list", 5, 6]], (2, 3)),
    ],
    "padded": [
        (["padded", ["list", 5], ["list", 1, 2]], (8,)),
        (["padded", ["list", 5, 6], ["list", ["list", 1, 2], ["list", 0, 3]]], (8, 9)),
        (["padded", ["list", 5], 2], (9,)),
        (["padded", ["list", 5, None], ["list", 1, 2]], (7, None)),
    ],
    "bordered": [
        (["bordered", ["list", 5, None], 2], (9, None)),
        (["bordered", ["list", 5], ["list", 2]], (9,)),
        (["bordered", ["list", 5, 6], ["list", ["list", 1, 2]]], (8, 9)),
        (["bordered", ["list", 5, 6], ["list", ["list", 1, 2], ["list", 0, 3]]], (8, 9)),
    ],
    "subscripted": [
        (["subscripted", ["literal", "ab, bc"], ["list", ["list", 2, 3], ["list", 3, 4]]], (2, 4)),
        (["subscripted", ["literal", "...a -> ..."], ["list", ["shape", "u"]]], (None, 3)),
        (["subscripted", ["literal", "aa"], ["list", ["list", None, 3]]], ()),
        (["subscripted", ["literal", "ba"], ["list", ["list", 2, 3]]], (3, 2)),
    ],
    "rearranged": [
        (["rearranged", ["literal", "a b c -> c (a b)"], ["shape", "x"], ["list"]], (4, 6)),
        (["rearranged", ["literal", "a b c -> (a b) c"], ["shape", "u"], ["list"]], (None, None)),
        (
            [
                "rearranged",
                ["literal", "(h p) b -> h p b"],
                ["list", 6, 5],
                ["list", ["list", ["literal", "p"], 2]],
            ],
            (3, 2, 5),
        ),
    ],
}  # fmt: skip
CASES = [pytest.param(r, v, id=f"{n}-{i}") for n, c in VALUES.items() for i, (r, v) in enumerate(c)]


@pytest.mark.parametrize(("rule", "value"), CASES)
def test_what_a_rule_gives(rule: Any, value: Any) -> None:
    got = evaluate(rule, SCOPE)
    assert got == value
    assert type(got) is type(value)


def test_every_operator_is_in_the_table() -> None:
    assert sorted(VALUES) == rules.operator_names()


@pytest.mark.parametrize("rule", [3, -1, True, False, None, 0.5])
def test_a_constant_stands_for_itself(rule: Any) -> None:
    assert evaluate(rule, SCOPE) is rule


def test_a_name_stands_for_an_argument() -> None:
    assert evaluate("size", SCOPE) == [2, 2]
    assert evaluate("none", SCOPE) is None


ERRORS: list[tuple[Any, str]] = [
    ("absent", "absent"),
    (["shape", "absent"], "absent"),
    (["shapes", "absent"], "absent"),
    (["rank", "absent"], "absent"),
    (["dtype", "absent"], "absent"),
    (["axes", None, "absent"], "absent"),
    (["nonsense", 1], "nonsense"),
    (["join", ["shape", "x"], ["nonsense"]], "nonsense"),
    ([], ""),
    ([["shape", "x"]], ""),
    ([None, 1], ""),
    (["axis", 3, 3], "axis 3"),
    (["axis", -4, 3], "axis -4"),
    (["axis", 0, 0], "axis 0"),
    (["axes", ["list", 0, 5], "x"], "axis 5"),
    (["axes", ["literal", "0"], "x"], ""),
    (["dim", ["shape", "x"], 3], "dim"),
    (["dim", "n", 0], "dim"),
    (["dims_along", ["shapes", "list"], 2], "dims_along"),
    (["permute", ["shape", "x"], ["list", 3]], "permute"),
    (["broadcast", ["list", 2], ["list", 3]], "2 and 3"),
    (["broadcast", ["list", 0], ["list", 3]], "0 and 3"),
    (["broadcast"], "broadcast"),
    (["scale", ["shape", "x"], ["list", 1]], "scale"),
    (["merge", ["list", ["list", 1], ["list", 1, 2]]], "merge"),
    (["reshape", ["shape", "x"], ["list", 5, -1]], "reshape"),
    (["batch_axes", 3, 3, 3], "axis 3"),
    (["batch_axes", ["list", 1, 2, 3], 3, 4], "batch_axes"),
    (["steps", 0, 1, 0], "steps"),
    (["length", "n"], "length"),
    (["less", 1, None], "less"),
    (["add", 1, ["shape", "x"]], "add"),
    (["remove", "n", 0], "remove"),
    (["shape"], "shape"),
    (["shape", "x", "x"], "shape"),
    (["shape", ["shape", "x"]], "shape"),
    (["rank"], "rank"),
    (["floatx", 1], "floatx"),
    (["literal"], "literal"),
    (["if", True, 1], "if"),
    (["axis", 0], "axis"),
    (["not"], "not"),
    (["is_none", 1, 2], "is_none"),
    (["axis", "none", 3], "axis"),
]


@pytest.mark.parametrize(("rule", "named"), ERRORS, ids=[str(r) for r, _ in ERRORS])
def test_a_rule_without_a_value_is_a_rule_error_that_names_the_cause(rule: Any, named: str) -> None:
    with pytest.raises(RuleError) as caught:
        evaluate(rule, SCOPE)
    assert named in str(caught.value)


RULES = st.recursive(
    st.sampled_from([0, 1, -1, None, True, "axis", "axes", "none", "n", "x", "u", "s", "list"]),
    lambda inner: st.lists(inner, max_size=3).flatmap(
        lambda arguments: st.sampled_from(rules.operator_names()).map(lambda n: [n, *arguments])
    ),
    max_leaves=6,
)


@given(RULES)
@settings(REPEATABLE, max_examples=200)
def test_any_rule_has_a_value_or_is_a_rule_error(rule: Any) -> None:
    try:
        evaluate(rule, SCOPE)
    except RuleError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("x", {"x"}),
        (3, set()),
        (["join", ["shape", "x"], ["list", "n", 2]], {"x", "n"}),
        (["literal", "x"], set()),
        (["has", ["list", ["literal", "int32"]], ["dtype", "y"]], {"y"}),
        ([], set()),
    ],
)
def test_the_names_in_a_rule(rule: Any, names: set[str]) -> None:
    assert names_in(rule) == names


@given(st.data())
@settings(REPEATABLE, max_examples=150)
def test_what_is_known_of_a_broadcast_is_true_of_it(data: st.DataObject) -> None:
    """Forgetting lengths of the operands gives the run-time shape, or a vaguer one."""
    ones = st.sampled_from((1, 2))
    full = data.draw(st.lists(st.just(2), max_size=3))
    operands = [[data.draw(ones) for _ in full] for _ in range(2)]
    vague = [[d if data.draw(st.booleans()) else None for d in o] for o in operands]
    real = evaluate(["broadcast", *(["list", *o] for o in operands)], SCOPE)
    shape = evaluate(["broadcast", *(["list", *o] for o in vague)], SCOPE)
    assert all(s is None or s == r for s, r in zip(shape, real, strict=True))
