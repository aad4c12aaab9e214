"""Lines of examples become programs; what is not known is refused with file and line."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.program import Ref, Step
from conformance.scenarios.examples.programs import ExampleError, ExampleProgram
from conformance.scenarios.recorder import Recorder


def written(*lines: str) -> ExampleProgram:
    """A program of these lines, numbered from 1."""
    p = ExampleProgram(Recorder("eval", "keras-2.2"))
    for number, line in enumerate(lines, 1):
        p.run(line, number)
    return p


def test_steps_have_the_names_of_the_example() -> None:
    p = written("x = K.placeholder(shape=(2, None))", "y = K.dot(x, K.transpose(x))")
    assert p.K.program().steps == (
        Step("x", "placeholder", (), (("shape", (2, None)),)),
        Step("transpose_result", "transpose", (Ref("x"),)),
        Step("y", "dot", (Ref("x"), Ref("transpose_result"))),
    )


def test_a_name_may_be_given_twice() -> None:
    p = written("x = K.eye(2)", "x = K.transpose(x)", "y = x")
    assert [s.result for s in p.K.program().steps] == ["x", "x_2"]
    assert p.observed("y", 4) == "x_2"


def test_an_alias_leaves_the_names_as_they_are() -> None:
    p = written("x = K.eye(2)", "y = x", "K.eval(y)")
    assert [(s.result, s.args) for s in p.K.program().steps][1] == ("eval_result", (Ref("x"),))


def test_arrays_are_inputs() -> None:
    p = written("a = np.array([1.0, 2.0], dtype='float64')", "v = K.variable(np.zeros((2, 1)))")
    assert [(i.name, i.shape, i.dtype) for i in p.K.program().inputs] == [
        ("a", (2,), "float64"),
        ("array", (2, 1), "float64"),
    ]
    np.testing.assert_array_equal(p.array("a"), [1.0, 2.0])


def test_random_arrays_are_the_same_each_time_and_exact_in_every_float_type() -> None:
    first, other = (written("a = np.random.random((50, 40))").array("a") for _ in range(2))
    np.testing.assert_array_equal(first, other)
    np.testing.assert_array_equal(first, first.astype("float16"))
    assert first.min() >= 0
    assert first.max() < 1
    assert len(np.unique(first)) > 500


def test_operators_and_what_is_made_can_be_called() -> None:
    p = written("a = K.eye(2)", "b = a + a * 2 - 1 / a", "keras.layers.Dense(3)(b)")
    assert [s.function for s in p.K.program().steps][1:] == [
        "operator.mul",
        "operator.add",
        "operator.truediv",
        "operator.sub",
        "keras.layers.Dense",
        "operator.call",
    ]


def test_a_call_may_raise() -> None:
    p = written("a = np.array([1, 2])")
    assert p.attempted("K.is_keras_tensor(a)", 2) == "is_keras_tensor_result"
    assert p.K.program().steps == (
        Step("is_keras_tensor_result", "is_keras_tensor", (Ref("a"),), (), attempt=True),
    )


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x.eval()", r"a call of x\.eval in `x\.eval\(\)`; write a function of K"),
        ("x.dtype", "x.dtype"),
        ("y = K.eval(z)", "z is not defined"),
        ("print(x)", "print is not defined"),
        ("import keras", "no assignment and no call"),
        ("a, b = x", "to several names"),
        ("a = b = x", "no assignment and no call"),
        ("x += 1", "no assignment and no call"),
        ("K.eval(*x)", r"'\*x'"),
        ("K.eval(**x)", "unpacked keyword arguments"),
        ("K.switch(lambda: x)", "lambda"),
        ("x @ x", "the operator MatMult"),
        ("1 < x < 2", "several comparisons"),
        ("K.eval(x[0])", r"x\[0\]"),
        ("np.array(x)", "no literal"),
        ("np.array([1, 'a'])", "holds no numbers"),
        ("np.random.normal((2,))", "a call of np.random.normal"),
        ("tf.placeholder('float32')", "a call of tf.placeholder"),
        ("K.layers.Dense(1)", "a call of K.layers.Dense"),
        ("K.eval(b'x')", "a bytes"),
        ("K.eval(1j)", "a complex"),
        ("x = (", "no Python"),
        ("x; x", "2 statements"),
    ],
)
def test_what_is_not_known_is_refused_with_file_and_line(code: str, says: str) -> None:
    p = written("x = K.eye(2)")
    with pytest.raises(ExampleError, match=rf"^examples\.yaml:17: .*{says}"):
        p.run(code, 17)


@pytest.mark.parametrize("code", ["3", "(x, x)", "x = K.eye(2)"])
def test_only_one_tensor_or_value_is_shown(code: str) -> None:
    with pytest.raises(ExampleError, match=r"^examples\.yaml:5: "):
        written("x = K.eye(2)").observed(code, 5)


def test_an_array_that_is_none() -> None:
    with pytest.raises(ExampleError, match="x is no array"):
        written("x = K.eye(2)").array("x")


def test_only_a_call_may_raise() -> None:
    with pytest.raises(ExampleError, match="no call"):
        written("x = K.eye(2)", "y = K.eye(3)").attempted("x", 3)
