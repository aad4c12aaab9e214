"""Scripts of programs with several steps: callables, operators, attempts, a home of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from conformance.program import (
    Binding,
    Case,
    Function,
    Input,
    Program,
    Ref,
    Step,
    from_json,
    to_json,
)
from conformance.scripts import Home, Prelude
from tests.scripts.support import print_script

REFERENCE = Prelude(("from conformance import reference as K",), package="conformance")


def ran(script: str, tmp_path: Path) -> list[str]:
    """The lines that the script prints, in a process of its own."""
    file = tmp_path / "script.py"
    file.write_text(script, "utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def doubling() -> Program:
    """map_fn over a callable that uses an operator, and a step that is refused."""
    body = (Step("twice", "operator.add", (Ref("row"), Ref("row"))),)
    steps = (
        Step("x", "variable", (Ref("rows"),)),
        Step("y", "map_fn", (Function("double", ("row",), body, Ref("twice")), Ref("x"))),
        Step("values", "eval", (Ref("y"),)),
        Step("first", "operator.getitem", (Ref("values"), 0)),
        Step("phase", "set_learning_phase", (2,), attempt=True),
        Step("kept", "learning_phase", (), attempt=True),
    )
    rows = Input("rows", (2, 2), "float32", Binding.ARRAY)
    return Program((rows,), steps, ("first", "phase", "kept"))


ROWS = {"rows": np.array([[1, 2], [3, 4]], np.float32)}


def test_a_script_reads_dtype_and_shape_in_short_words() -> None:
    steps = (
        Step("y", "keras.ops.exp", (Ref("x"),)),
        Step("dtype", "dtype", (Ref("y"),)),
        Step("shape", "int_shape", (Ref("y"),), attempt=True),
    )
    program = Program((Input("x", (2,), "float32", Binding.CONSTANT),), steps, ("dtype",))
    short = {"dtype": "str({tensor}.dtype)", "int_shape": "{tensor}.shape"}
    prelude = Prelude(("import keras",), short=short)
    script = print_script(Case(program, {"x": np.ones(2, np.float32)}), prelude, outputs="values")
    assert "dtype = str(y.dtype)" in script.split("\n")
    assert "y.shape" not in script, "an attempt is a call of the function"


def test_a_program_of_several_steps_survives_json() -> None:
    assert from_json(to_json(doubling())) == doubling()


def test_callables_operators_and_attempts_run(tmp_path: Path) -> None:
    script = print_script(Case(doubling(), ROWS), REFERENCE, outputs="values")
    assert ran(script, tmp_path) == [
        "first array([2., 4.], dtype=float32)",
        "phase 'raises ValueError Exception BaseException object'",
        "kept 'returns'",
    ]


def test_types_parts_iterables_and_imports_are_written(tmp_path: Path) -> None:
    steps = (
        Step("x", "variable", (Ref("rows"),)),
        Step("axes", "operator.iter", ([0],)),
        Step("turned", "reverse", (Ref("x"), Ref("axes"))),
        Step("value", "eval", (Ref("turned"),)),
        Step("classes", "operator.classes", (Ref("value"),)),
        Step("shape", "operator.attribute", (Ref("value"), "shape")),
        Step("first", "operator.range", (0, 2)),
        Step("second", "operator.set", ([1, 0, 1],)),
        Step("said", "printed.import", ()),
    )
    rows = Input("rows", (2, 2), "float32", Binding.ARRAY)
    shown = ("value", "classes", "shape", "first", "second", "said")
    script = print_script(Case(Program((rows,), steps, shown), ROWS), REFERENCE, outputs="values")
    assert ran(script, tmp_path) == [
        "value array([[3., 4.],",
        "       [1., 2.]], dtype=float32)",
        "classes 'ndarray object'",
        "shape (2, 2)",
        "first range(0, 2)",
        "second {0, 1}",
        "said ''",
    ]


def test_lists_of_tensors_are_evaluated_together(tmp_path: Path) -> None:
    x = Input("x", (2,), "float32", Binding.PLACEHOLDER)
    steps = (
        Step("squares", "square", (Ref("x"),)),
        Step("loss", "sum", (Ref("squares"),)),
        Step("slopes", "gradients", (Ref("loss"), [Ref("x")])),
    )
    case = Case(Program((x,), steps, ("slopes",)), {"x": np.array([1, 3], np.float32)})
    (line,) = ran(print_script(case, REFERENCE, outputs="lists"), tmp_path)
    assert line == "[array([2., 6.], dtype=float32)]"


def test_a_home_of_its_own(tmp_path: Path) -> None:
    steps = (
        Step("floatx", "floatx", ()),
        Step("same", "operator.eq", ("{backend}", "mine")),
    )
    home = Home('{"floatx": "float64"}', {"KERAS_BACKEND": None})
    prelude = Prelude(REFERENCE.imports, {"KERAS_BACKEND": "other"}, "conformance", "mine", home)
    script = print_script(
        Case(Program((), steps, ("floatx", "same")), {}), prelude, outputs="values"
    )
    assert ran(script, tmp_path) == ["floatx 'float64'", "same True"]
