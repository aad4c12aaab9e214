"""A printed script, run: every number arrives bit for bit, and the answer is NumPy's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from conformance.program import Argument, Binding, Case, Input, Program, Ref, Step, call_text
from conformance.program.model import AS_THEY_ARE
from conformance.scripts import Prelude
from tests.program.strategies import REPEATABLE
from tests.scripts.support import print_script

Array = npt.NDArray[Any]
REFERENCE = Prelude(("import conformance.reference as K",))
ROOT = Path(__file__).parents[2]

FLOATS = {
    "float16": [np.nan, np.inf, -np.inf, -0.0, 0.0, 6e-8, -6.1e-5, 65504.0, 0.1, 1 / 3],
    "float32": [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1.1754942e-38, 3.4028235e38, 0.1],
    "float64": [np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, -2.2e-308, 1.7976931348623157e308, 0.1],
}
WHOLE = {
    "int32": [0, -1, 2**31 - 1, -(2**31)],
    "int64": [0, -1, 2**63 - 1, -(2**63)],
    "uint8": [0, 1, 255],
    "bool": [True, False],
}
ARRAYS = {
    **{f"{d} values": np.array(v, d) for d, v in {**FLOATS, **WHOLE}.items()},
    "empty": np.zeros((2, 0, 3), "float16"),
    "empty, rank 1": np.zeros((0,), "int32"),
    "rank 0": np.array(-0.0, "float32"),
    "rank 0, nan": np.array(np.nan, "float64"),
    "rank 0, bool": np.array(True),
    "rank 0, whole": np.array(-7, "int64"),
    "rank 4": np.arange(24, dtype="float64").reshape(2, 1, 4, 3) / 7,
    "one element": np.array([[[0.1]]], "float16"),
    "not in C order": np.arange(6, dtype="float32").reshape(2, 3).T,
    "many elements": np.linspace(-1, 1, 2000).astype("float32"),
}
TENSORS = [b for b in Binding if b not in AS_THEY_ARE]


def bits(array: Array) -> bytes:
    """The bits of the array, with one pattern for every NaN: they tell -0.0 from 0.0."""
    plain = np.ascontiguousarray(array).copy()
    if plain.dtype.kind == "f":
        plain[np.isnan(plain)] = np.nan
    return plain.tobytes()


def identity(array: Array, binding: Binding) -> Case:
    """A case whose result is its input."""
    item = Input("x", array.shape, array.dtype.name, binding)
    step = Step("result", "identity", (Ref("x"),))
    return Case(Program((item,), (step,), ("result",)), {"x": array})


def executed(script: str) -> dict[str, Any]:
    """The names that the script has defined."""
    names: dict[str, Any] = {}
    exec(compile(script, "script.py", "exec"), names)
    return names


def evaluated(names: Mapping[str, Any], case: Case) -> Array:
    K = names["K"]  # noqa: N806
    fed = [i.name for i in case.program.inputs if i.binding.startswith("placeholder")]
    if not fed:
        return np.asarray(K.eval(names["result"]))
    function = K.function([names[n] for n in fed], [names["result"]])
    return np.asarray(function([names[f"{n}_value"] for n in fed])[0])


@pytest.mark.parametrize("binding", TENSORS)
@pytest.mark.parametrize("array", ARRAYS.values(), ids=list(ARRAYS))
def test_the_numbers_arrive_bit_for_bit(
    array: Array, binding: Binding, capsys: pytest.CaptureFixture[str]
) -> None:
    case = identity(array, binding)
    names = executed(print_script(case, REFERENCE))
    for got in (names["x_value"], evaluated(names, case)):
        assert got.dtype == array.dtype
        assert got.shape == array.shape
        assert bits(got) == bits(array)
    dtype, _, shape = capsys.readouterr().out.splitlines()[0].partition(" ")
    known = case.program.inputs[0].static_shape
    assert (dtype, shape) == (array.dtype.name, str(known))


@given(
    st.sampled_from(list(FLOATS) + list(WHOLE)).flatmap(
        lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
    )
)
@settings(REPEATABLE, max_examples=100)
def test_any_numbers_arrive_bit_for_bit(array: Array) -> None:
    script = print_script(identity(array, Binding.ARRAY), Prelude(("K = None",)))
    value = executed(script.partition("x = ")[0])["x_value"]
    assert (value.dtype, value.shape, bits(value)) == (array.dtype, array.shape, bits(array))


def call(function: str, arrays: Mapping[str, Array], *args: Argument, **kwargs: Argument) -> Case:
    inputs = tuple(
        Input(n, a.shape, a.dtype.name, TENSORS[i % len(TENSORS)])
        for i, (n, a) in enumerate(arrays.items())
    )
    return Case(
        Program(inputs, (Step("result", function, args, tuple(kwargs.items())),), ("result",)),
        arrays,
    )


X = np.array([[1.5, -2.0, np.nan], [0.25, -0.0, 3.0]], "float32")
Y = np.array([[0.5], [-4.0]], "float32")
AGAINST_NUMPY = {
    "a tuple": (call("sum", {"x": Y}, Ref("x"), axis=(0,), keepdims=True), Y.sum(0, keepdims=True)),
    "two axes": (call("max", {"x": Y}, Ref("x"), (0, -1)), Y.max()),
    "an empty tuple": (call("reshape", {"x": Y[:1]}, Ref("x"), ()), Y[0, 0]),
    "a list of references": (
        call("concatenate", {"a": X, "b": X + 1, "c": X * 2}, [Ref("a"), Ref("b"), Ref("c")], 0),
        np.concatenate([X, X + 1, X * 2]),
    ),
    "None": (call("sum", {"x": Y}, Ref("x"), None), Y.sum()),
    "infinity": (call("clip", {"x": X}, Ref("x"), float("-inf"), max_value=1.0), np.minimum(X, 1)),
    "a text": (call("zeros_like", {"x": X}, Ref("x"), dtype="int32"), np.zeros((2, 3), "int32")),
    "two tensors": (call("maximum", {"x": X, "y": X.T.copy().T + 1}, Ref("x"), y=Ref("y")), X + 1),
    "no tensor": (call("arange", {}, 5, step=2), np.array([0, 2, 4], "int32")),
}  # fmt: skip


@pytest.mark.parametrize(("case", "expected"), AGAINST_NUMPY.values(), ids=list(AGAINST_NUMPY))
def test_the_answer_is_that_of_numpy(case: Case, expected: Array) -> None:
    got = evaluated(executed(print_script(case, REFERENCE)), case)
    assert got.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(got, expected)


def alone(script: str, **environment: str) -> str:
    """What a new Python prints when it runs the script, without the modules of the tests."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("binding", TENSORS)
def test_it_runs_alone_and_prints_the_answer(binding: Binding) -> None:
    case = identity(X, binding)
    # the whole value once more, because a print shows eight digits
    more = "import sys; sys.stdout.flush(); print(x_value.tobytes().hex())\n"
    lines = alone(print_script(case, REFERENCE) + more).splitlines()
    assert lines[0] == f"float32 {case.program.inputs[0].static_shape}"
    printed = executed("from numpy import *; v = " + " ".join(lines[1:-1]))["v"]
    np.testing.assert_array_equal(printed, X)
    assert lines[-1] == X.tobytes().hex()


def test_environment_and_comments_are_in_the_script() -> None:
    prelude = Prelude(REFERENCE.imports, {"CONFORMANCE_REFERENCE_EDITION": "keras-1"})
    case = call("lesser", {"x": Y}, Ref("x"), Ref("x"))
    script = print_script(case, prelude, "first\n\nthird\nx = undefined")
    notes = [line.rstrip() for line in script.splitlines()[:4]]
    assert notes == ["# first", "#", "# third", "# x = undefined"]
    assert "False" in alone(script)


def test_a_placeholder_made_by_the_call_under_test() -> None:
    item = Input("x", (2, 3), "float32", Binding.PLACEHOLDER, (("ndim", 2), ("dtype", "float32")))
    step = Step("result", "maximum", (Ref("x"), Ref("x")))
    case = Case(Program((item,), (step,), ("result",)), {"x": X})
    script = print_script(case, REFERENCE)
    assert "K.placeholder(ndim=2, dtype='float32')" in script
    assert bits(evaluated(executed(script), case)) == bits(X)


def test_an_array_is_passed_as_it_is() -> None:
    item = Input("value", X.shape, "float32", Binding.ARRAY)
    step = Step("result", "variable", (Ref("value"),), (("dtype", "float64"),))
    case = Case(Program((item,), (step,), ("result",)), {"value": X})
    names = executed(print_script(case, REFERENCE))
    assert type(names["value"]) is np.ndarray
    np.testing.assert_array_equal(names["K"].eval(names["result"]), X.astype("float64"))


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Step("y", "sum", (Ref("x"),), (("axis", 1),)), "sum(x, axis=1)"),
        (Step("y", "f", ((1,), (), [], (1, 2))), "f((1,), (), [], (1, 2))"),
        (Step("y", "f", (None, True, "a'b")), 'f(None, True, "a\'b")'),
        (Step("y", "f", (float("nan"), [float("-inf")])), "f(float('nan'), [float('-inf')])"),
        (Step("y", "f", ((Ref("x"),), -0.0, 1e-300)), "f((x,), -0.0, 1e-300)"),
    ],
    ids=str,
)
def test_a_call_as_text(step: Step, text: str) -> None:
    assert call_text(step) == text


def test_several_outputs_are_all_printed(capsys: pytest.CaptureFixture[str]) -> None:
    item = Input("x", Y.shape, "float32", Binding.PLACEHOLDER)
    steps = (Step("a", "square", (Ref("x"),)), Step("b", "sum", (Ref("a"),)))
    executed(print_script(Case(Program((item,), steps, ("a", "b")), {"x": Y}), REFERENCE))
    out = capsys.readouterr().out
    assert out.splitlines()[:2] == ["float32 (2, 1)", "float32 ()"]
    assert "0.25" in out
    assert "16.25" in out


PARTIAL = """
import numpy as np

def constant(value, dtype):
    return np.array(value, dtype)

class nn:
    def twice(x):
        return 2 * x
"""


@pytest.mark.parametrize("binding", TENSORS)
def test_it_keeps_to_what_the_implementation_offers(binding: Binding, tmp_path: Path) -> None:
    (tmp_path / "partial_backend.py").write_text(PARTIAL, encoding="utf-8")
    case = identity(np.array([1.5, 2.0], "float32"), binding)
    prelude = Prelude(
        ("import partial_backend as K",),
        names={"identity": "nn.twice"},
        paths=(str(tmp_path),),
        absent=frozenset({"placeholder", "variable", "eval", "dtype", "int_shape"}),
    )
    assert alone(print_script(case, prelude)) == "array([3., 4.], dtype=float32)\n"


def test_what_no_function_makes_is_given_as_it_is() -> None:
    for way, bound in ((Binding.ARRAY, "x_value"), (Binding.PYTHON, "x_value.tolist()")):
        item = Input("x", (2,), "float32", way)
        program = Program((item,), (Step("y", "square", (Ref("x"),)),), ("y",))
        printed = print_script(Case(program, {"x": np.ones(2, "float32")}), REFERENCE)
        assert f"x = {bound}\n" in printed
