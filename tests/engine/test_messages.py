"""Messages of exceptions, shortened to one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from conformance.adapters import mappings
from conformance.engine.judging.messages import (
    HELPERS,
    MOST,
    MOST_WORDS,
    gist,
    named_error,
    raising,
    short_message,
    without_stack,
)
from conformance.engine.judging.refusals import LACKED, lacked
from conformance.observations import Raised
from conformance.specs import load
from conformance.specs.load import documented_name

MAPPINGS = Path(str(mappings.__file__)).parent
WRAPPED = """Exception encountered when calling layer "tf.keras.backend.softmax" (type TFOpLambda).

Cannot apply softmax to a tensor that is 1D.
More of it.

Call arguments received by layer "tf.keras.backend.softmax" (type TFOpLambda):
  • x=tf.Tensor(shape=(1,), dtype=float32)
"""

CREATED = "Backtrace when that variable is created:"
FILE = 'File "/home/me/w.py", line 95, in f'
THEANO = (
    '(\'Bad input argument with name "/opt/keras/backend.py:13" at index 0.  '
    f"\\n{CREATED}\\n\\n  {FILE}\\n    f('a', 'b')\\n', 'It is not aligned.')"
)
CLEARED = "('Bad input argument with name \"…/backend.py:13\" at index 0.', 'It is not aligned.')"

OPENVINO = (
    "Exception from src/cpp/core.cpp:117:\nException from src/dev/a.cpp:54:\ndivision by zero"
)

MESSAGES = {
    "": "",
    "\n \n": "",
    "one line": "one line",
    "\n\n  after empty lines  \n": "after empty lines",
    "the cause\nApply node that caused the error: Elemwise\nToposort index: 3": "the cause",
    "the cause\n\t [[node x]]\n\nOriginal stack trace": "the cause",
    "the cause\n\n[CALL STACK]\n[0x1f] > Microsoft::": "the cause",
    "the cause\n\nOriginal stack trace for 'x':\n  File": "the cause",
    "where\n \t\nthe cause": "where the cause",
    "<object at 0x7f00Ab>": "<object at 0x…>",
    "where.\n\n\x1b[1mthe cause\x1b[0m\n\nArguments:": "where. the cause",
    "no [[{{node conv_2d_4/depthwise_1}}]]": "no [[{{node conv_2d/depthwise}}]]",
    "no [[node conv2d_12 (defined at x_3)]]": "no [[node conv2d (defined at x_3)]]",
    "calling layer 'nn.conv2d_3' (type X)": "calling layer 'nn.conv2d' (type X)",
    'layer "math.in_top_k_12" got': 'layer "math.in_top_k" got',
    "layer_1 'x_2'": "layer_1 'x_2'",
    "Node 'Abs1359' (Abs operation)": "Node 'Abs' (Abs operation)",
    "'Output('Reshape92_Output_0', [], [2 x 1])'": "'Output('Reshape_Output_0', [], [2 x 1])'",
    "Times670 Times operation changed": "Times Times operation changed",
    "input Parameter62 LearnableParameter has": "input Parameter LearnableParameter has",
    "DataTypes 'Float' and 'Float16', 'Conv2D'": "DataTypes 'Float' and 'Float16', 'Conv2D'",
    THEANO: CLEARED,
    f"\n{CREATED}\n\n  {FILE}\n    f()": "",
    "in /home/me/a-b/w.py, or and/or.py": "in …/w.py, or and/or.py",
    "no array.\n\nCaused by ValueError: too long\nmore": "no array.; cause: too long",
    f"no array.\n\nCaused by RuntimeError: {OPENVINO}": "no array.; cause: division by zero",
    "no array: it is 0\n\nCaused by ValueError: it is 0": "no array: it is 0",
    WRAPPED: 'Exception encountered when calling layer "tf.keras.backend.softmax" '
    "(type TFOpLambda). Cannot apply softmax to a tensor that is 1D.",
}


@pytest.mark.parametrize("message", MESSAGES)
def test_the_essential_line(message: str) -> None:
    assert short_message(message) == MESSAGES[message]


def test_a_line_has_a_limit() -> None:
    assert short_message("x" * MOST) == "x" * MOST
    cut = short_message("x" * (MOST + 1))
    assert len(cut) == MOST
    assert cut.endswith("x…")


def test_a_message_is_told_without_the_stack() -> None:
    stack = "Caused by op 'x', defined at:\n  File \"/home/me/w.py\", line 193, in f\n    f()"
    message = f"No kernel:\n  device='CPU'\n\n\t [[Node: x]]\n\n{stack}\n\nSaid again at 0x7f00"
    shortened = "No kernel:\n  device='CPU'\n\n\t [[Node: x]]\n\nSaid again at 0x…"
    assert without_stack(message) == shortened
    assert without_stack(f"{stack}, at 0x1f, cut off") == ""
    assert without_stack("one\n\ntwo at 0x1f") == "one\n\ntwo at 0x…"
    assert without_stack("cause\n\n[CALL STACK]\n[0x1f]  + 0x2\n[0x1f] CNTK::  Var") == "cause"


def test_what_lists_the_nodes_of_a_graph_is_left_out() -> None:
    message = """InvalidArgumentError: output dimensions must be positive
\t [[node Resize_3 (defined at tmp/site-packages/backend.py:2018) ]]

Errors may have originated from an input operation.
Input Source operations connected to node Resize_3:
 Variable_1/read (defined at tmp/site-packages/backend.py:402)\t
 mul (defined at tmp/site-packages/backend.py:2013)"""
    shortened = "InvalidArgumentError: output dimensions must be positive\n\t [[node Resize ]]"
    assert without_stack(message) == shortened


GISTS = {
    "raises ValueError: axis 3 is not in [0, 1]": "axis is not in",
    "raises ValueError: axis 17 is not in [0, 1, 2, 3]": "axis is not in",
    "raises ValueError in sum(x, axis=(1, 2)): axis 3 is not in [0]": "axis is not in",
    "raises ValueError: 'axis' entry is out of bounds": "entry is out of bounds",
    "raises RuntimeError: Node 'Abs1359' (Abs operation): 0 elements at 0x7f00": "node elements at",
    "raises TypeError: DataType float16 not in list: float32, <dtype: 'int8'>, int32": (
        "datatype not in list"
    ),
    "raises TypeError: no DataType float64 in list: float32": "no datatype in list",
    "has an int_shape that raises TypeError: a Tensor is no int": "a tensor is no",
    "gets an input that raises ValueError: shape (1, (2, 3)) is bad": "shape is bad",
    "raises E: use of uninitialized value Variable": "use of uninitialized value",
    "raises E: use of uninitialized value Variable_2": "use of uninitialized value",
    "raises ValueError: no dtype of <Variable path=variable, shape=(2,), value=[[0.85 0.6 ]": (
        "no dtype of"
    ),
    "raises ValueError: no dtype of <Variable path=variable_3, value=[0.]>": "no dtype of",
    "raises ValueError: it requires that dim <= input dim": "it requires that dim input dim",
    "gives 3 at [0]": "",
    "ends the process (signal 8)": "",
}


@pytest.mark.parametrize("gives", GISTS)
def test_the_words_of_a_message_are_the_same_for_every_case(gives: str) -> None:
    assert gist(gives) == GISTS[gives]


def test_a_result_of_several_names_is_told_by_none_of_them() -> None:
    message = (
        "raises E: 'Combine(Output('{0}', [#], [1]))': Output('{0}', [#], [1]) is not the shape"
    )
    gist_of_first, other = (
        gist(message.format(name)) for name in ("Block_Output_0", "_static_axes_subop")
    )
    assert gist_of_first == other
    assert "shape" in gist_of_first


def test_a_long_message_is_told_by_its_first_words() -> None:
    assert gist("raises ValueError: " + "no " * 100) == " ".join(["no"] * MOST_WORDS)


def test_an_exception_without_a_message_has_no_colon() -> None:
    assert raising("KeyboardInterrupt", "") == "raises KeyboardInterrupt"
    assert raising("ValueError", "bad", " in f(x)") == "raises ValueError in f(x): bad"
    assert (named_error("E", ""), named_error("E", "bad")) == ("E", "E: bad")


@pytest.mark.parametrize(
    ("name", "where", "words"),
    [
        (
            "docstring_example",
            " in docstring_example('keras.ops.relu')",
            "needs the helper docstring_example, which runs examples of docstrings: docs/keras3.md",
        ),
        (
            "keras.layers.Input",
            " in keras.layers.Input([10])",
            "needs keras.layers.Input, which the target lacks",
        ),
        ("eval", " in f(x)", "needs eval, which the target lacks"),
    ],
)
def test_an_absent_function_is_named_and_not_the_suite_s_exception(
    name: str, where: str, words: str
) -> None:
    assert raising("Absent", f"there is no function {name}", where) == words
    assert name.rpartition(".")[2].lower() in gist(f"f(x) {words}").replace(" ", "_")


def test_every_function_of_the_mapping_that_no_document_has_is_explained() -> None:
    """A user who reads one of these names never wrote it."""
    with (MAPPINGS / "keras3_ops.toml").open("rb") as file:
        names = tomllib.load(file)["functions"]
    documented = {documented_name(s, edition) for s in load().values() for edition in s.editions}
    assert names.keys() - documented == HELPERS.keys()
    page = (Path(__file__).parents[2] / "docs" / "keras3.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in HELPERS)


@pytest.mark.parametrize(
    ("kind", "words"), [("Absent", "1"), ("NotImplementedError", f"1: {LACKED}")]
)
def test_an_absent_function_is_no_word_of_the_library(kind: str, words: str) -> None:
    outcome = Raised(kind, (kind, "NotImplementedError"), "there is no function f", "step", 0)
    assert lacked("1", (), outcome) == words
