"""Programs as JSON, and back; anything that is not a program is refused with a reason."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.program import Binding, Input, Program, Ref, Step, as_text, from_json, to_json
from conformance.program.codec import ProgramError, decode_argument, encode_argument
from tests.program.strategies import ARGUMENTS, JSON, PROGRAMS, REPEATABLE

SUM: dict[str, Any] = {
    "inputs": [{"name": "x", "shape": [2, 3], "dtype": "float32", "binding": "placeholder"}],
    "steps": [
        {
            "result": "y",
            "function": "sum",
            "args": [{"ref": "x"}],
            "kwargs": {"axis": {"tuple": [0, -1]}, "keepdims": True},
        }
    ],
    "outputs": ["y"],
}


def same(a: Any, b: Any) -> bool:
    """Equal in value and type throughout; NaN equals NaN and -0.0 does not equal 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1, a) == math.copysign(1, b)
        )
    return bool(a == b)


def through_json(data: Any) -> Any:
    """The data as a JSON file gives it back; ValueError if JSON cannot hold it."""
    return json.loads(json.dumps(data, allow_nan=False))


@pytest.mark.parametrize(
    "argument",
    [
        None,
        True,
        False,
        0,
        1,
        -(2**70),
        0.0,
        -0.0,
        1.0,
        5e-324,
        math.nan,
        math.inf,
        -math.inf,
        "",
        "nan",
        "ref",
        Ref("x"),
        (),
        [],
        (1,),
        [1],
        (1, [2, (3, None)], Ref("x")),
        [Ref("x"), Ref("y")],
        [(math.nan, -0.0), "inf"],
    ],
    ids=repr,
)
def test_every_sort_of_argument_comes_back(argument: Any) -> None:
    assert same(decode_argument(through_json(encode_argument(argument))), argument)


@given(ARGUMENTS)
@settings(REPEATABLE)
def test_any_argument_comes_back(argument: Any) -> None:
    assert same(decode_argument(through_json(encode_argument(argument))), argument)


@given(PROGRAMS)
@settings(REPEATABLE)
def test_any_program_comes_back(program: Program) -> None:
    back = from_json(through_json(to_json(program)))
    assert back.outputs == program.outputs
    for mine, its in zip(back.inputs, program.inputs, strict=True):
        assert (mine.name, mine.shape, mine.dtype) == (its.name, its.shape, its.dtype)
        assert mine.binding is its.binding
        assert same(mine.arguments, its.arguments)
    for step, other in zip(back.steps, program.steps, strict=True):
        assert (step.result, step.function) == (other.result, other.function)
        assert same(step.args, other.args)
        assert same(step.kwargs, other.kwargs)


def test_the_form_is_the_published_one() -> None:
    program = Program(
        (Input("x", (2, 3), "float32", Binding.PLACEHOLDER),),
        (Step("y", "sum", (Ref("x"),), (("axis", (0, -1)), ("keepdims", True))),),
        ("y",),
    )
    assert to_json(program) == SUM
    assert from_json(SUM) == program


@given(JSON)
@settings(REPEATABLE, max_examples=150)
def test_junk_gives_a_program_error_and_nothing_else(data: Any) -> None:
    with pytest.raises(ProgramError):
        from_json(data)


def nodes(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every node below the root."""
    keys = (
        list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    )
    return [p for k in keys for p in [(*path, k), *nodes(data[k], (*path, k))]]


def replaced(path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(SUM)
    node: Any = changed
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return changed


def well_formed(program: Program) -> bool:
    """Whether every field has the type that the model declares."""
    return (
        all(isinstance(name, str) for name in program.outputs)
        and all(
            isinstance(i.name, str)
            and isinstance(i.dtype, str)
            and all(type(d) is int and d >= 0 for d in i.shape)
            for i in program.inputs
        )
        and all(
            isinstance(s.result, str)
            and isinstance(s.function, str)
            and all(isinstance(k, str) for k, _ in s.kwargs)
            and all(refers_to_names(a) for a in (*s.args, *(v for _, v in s.kwargs)))
            for s in program.steps
        )
    )


def refers_to_names(argument: Any) -> bool:
    if isinstance(argument, (list, tuple)):
        return all(map(refers_to_names, argument))
    return not isinstance(argument, Ref) or isinstance(argument.name, str)


@given(st.sampled_from(nodes(SUM)), JSON)
@settings(REPEATABLE, max_examples=200)
def test_a_program_with_one_wrong_part_is_refused_or_well_formed(
    path: tuple[Any, ...], value: Any
) -> None:
    try:
        program = from_json(replaced(path, value))
    except ProgramError:
        return
    assert well_formed(program)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("inputs",), None),
        (("inputs",), "x"),
        (("inputs", 0, "name"), 3),
        (("inputs", 0, "shape"), 3),
        (("inputs", 0, "shape"), "23"),
        (("inputs", 0, "shape"), [2, -3]),
        (("inputs", 0, "shape"), [2, None]),
        (("inputs", 0, "shape"), [2.5]),
        (("inputs", 0, "dtype"), 32),
        (("inputs", 0, "binding"), "tensor"),
        (("inputs", 0, "arguments"), [1]),
        (("steps", 0, "result"), None),
        (("steps", 0, "function"), ["sum"]),
        (("steps", 0, "args"), {"ref": "x"}),
        (("steps", 0, "args", 0), {"reference": "x"}),
        (("steps", 0, "args", 0), {"ref": "x", "tuple": []}),
        (("steps", 0, "args", 0), {}),
        (("steps", 0, "args", 0), {"ref": 3}),
        (("steps", 0, "args", 0), {"tuple": 3}),
        (("steps", 0, "args", 0), {"tuple": "abc"}),
        (("steps", 0, "args", 0), {"float": "one"}),
        (("steps", 0, "args", 0), {"float": 10**310}),
        (("steps", 0, "kwargs"), []),
        (("outputs",), "y"),
        (("outputs",), [1]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_wrong_is_refused(path: tuple[Any, ...], value: Any) -> None:
    with pytest.raises(ProgramError):
        from_json(replaced(path, value))


@pytest.mark.parametrize("field", ["name", "shape", "dtype", "binding"])
def test_a_missing_field_is_named(field: str) -> None:
    data = copy.deepcopy(SUM)
    del data["inputs"][0][field]
    with pytest.raises(ProgramError, match=field):
        from_json(data)


def test_arguments_nested_too_deep_are_refused() -> None:
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ProgramError):
        from_json(replaced(("steps", 0, "args", 0), deep))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(ProgramError, match="surrogates"):
        from_json("\ud800")


def test_an_unknown_input_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="z"):
        from_json(SUM).input("z")


@given(PROGRAMS)
@settings(max_examples=50)
def test_a_program_as_text_is_the_same_program(program: Program) -> None:
    assert json.loads(as_text(to_json(program))) == to_json(program)


@pytest.mark.parametrize("data", [2**70, "\ud800", {"b": [-(2**63)], "a": "\u00e9"}])
def test_what_few_encoders_write_is_written(data: Any) -> None:
    assert json.loads(as_text(data)) == data


@pytest.mark.parametrize("more", [1, 2**70])
def test_arguments_keep_their_order_in_a_text(more: int) -> None:
    arguments = {"b": more, "a": {"d": 2, "c": 3}}
    assert json.dumps(json.loads(as_text(arguments))) == json.dumps(arguments)
