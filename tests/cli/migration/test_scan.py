"""`conformance migration --scan`: the uses of K in old code, and what each becomes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.cli.migration.uses import Unreadable, uses
from conformance.program import Binding, Input, Program, Ref, Step, to_json
from conformance.reporting.json_results import JsonWriter
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.events import TargetFinished
from conformance.specs import load
from tests.cli.migration.scanning import put, scan, scanned
from tests.reporting.records import aspect_result, failure, results

IMPORTS = {
    "from keras import backend as K": "K.sum",
    "from keras import backend": "backend.sum",
    "import keras.backend as B": "B.sum",
    "import keras": "keras.backend.sum",
    "import keras.backend": "keras.backend.sum",
    "import tensorflow as tf": "tf.keras.backend.sum",
    "from tensorflow import keras": "keras.backend.sum",
    "from tensorflow.keras import backend as K": "K.sum",
    "from tensorflow.python.keras import backend as K": "K.sum",
    "from tf_keras import backend as K": "K.sum",
    "from keras.backend import sum as s": "s",
    "from keras.backend import *": "sum",
    "import keras; K = keras.backend": "K.sum",
    "import tensorflow as tf; keras = tf.keras; K: object = keras.backend": "K.sum",
    "import tensorflow as tf; K = B = tf.compat.v2.keras.backend": "B.sum",
    "import keras; K, L = keras.backend, keras.layers": "K.sum",
    "import keras, tf_keras; K = keras.backend if new else tf_keras.backend": "K.sum",
    "import importlib; K = importlib.import_module('keras.backend')": "K.sum",
    "import keras; self.K = keras.backend": "self.K.sum",
    "import keras.backend.tensorflow_backend as K": "K.sum",
    "from keras.backend import tensorflow_backend as KTF": "KTF.sum",
    "from keras.backend.tensorflow_backend import sum as s": "s",
    "from keras import backend as K; T = K.tensorflow_backend": "T.sum",
}


def summed(name: str, *steps: Step, dtype: str = "float32") -> Results:
    """Results in which `sum` fails for one call, on one target."""
    item = Input("x", (2,), dtype, Binding.VARIABLE)
    program = to_json(Program((item,), steps, ("result",)))
    aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(id="f1", program=program))
    return results(name, [FunctionResult("sum", "reductions", [aspect])])


# Uses


@pytest.mark.parametrize("line", IMPORTS)
def test_whatever_the_import_calls_it_a_use_is_found(line: str) -> None:
    name = IMPORTS[line]
    places = uses(put("a.py", line, f"y = {name}(x, axis=1)", f"f = [{name}]"), [*load()])
    assert not isinstance(places, Unreadable)
    assert [(u.name, u.line, u.call is not None) for u in places] == [
        ("sum", 2, True),
        ("sum", 3, False),
    ]


def test_what_is_not_k_is_no_use() -> None:
    lines = ("import numpy as K", "K.sum(1)", "sum([1])", "from . import backend", "backend.sum(1)")
    assert uses(put("a.py", *lines), [*load()]) == []


def names_of_uses(*lines: str) -> list[tuple[int, str]]:
    places = uses(put("a.py", "import keras", *lines), [*load()])
    assert not isinstance(places, Unreadable)
    return [(use.line, use.text) for use in places]


def test_an_attribute_may_be_k_above_its_assignment() -> None:
    lines = ("class A:", "  L = keras.backend", "  def f(self): return self.K.sum(self.L.exp(1))")
    assert names_of_uses(*lines, "  def g(self): self.K = keras.backend") == [
        (4, "self.K.sum(self.L.exp(1))"),
        (4, "self.L.exp(1)"),
    ]


def test_a_default_may_be_k() -> None:
    lines = (
        "def f(x, K=keras.backend):",
        "  return K.sum(x)",
        "g = lambda b=keras.backend: b.abs(1)",
    )
    assert names_of_uses(*lines) == [(3, "K.sum(x)"), (4, "b.abs(1)")]


def test_a_name_of_a_function_hides_k() -> None:
    lines = (
        "K = keras.backend",
        "def f(K, x): return K.sum(x)",
        "def g(x):",
        "  K = x.shape[0]",
        "  return K.sum(x)",
        "def h(x):",
        "  try: from keras import backend as K",
        "  except ImportError: K = None",
        "  return [K.sum(i) for i in x]",
        "K.abs(1)",
    )
    assert names_of_uses(*lines) == [(10, "K.sum(i)"), (11, "K.abs(1)")]


def test_an_import_in_a_function_does_not_change_the_file() -> None:
    lines = ("K = keras.backend", "def f():", "  import numpy as K", "  K.sum(1)", "K.abs(1)")
    assert names_of_uses(*lines) == [(6, "K.abs(1)")]


def test_places_count_characters_and_arguments_are_looked_into() -> None:
    put("a.py", "from keras import backend as K", "x = 'é', K.exp(", "    K.abs(1))")
    records = json.loads(scan("--scan", "a.py", "--format", "json").output)
    assert [
        (u["text"], u["line"], u["column"], u["end_line"], u["end_column"]) for u in records
    ] == [
        ("K.exp(K.abs(1))", 2, 10, 3, 14),
        ("K.abs(1)", 3, 5, 3, 13),
    ]


def test_folders_are_searched_but_environments_are_not(folder: Path) -> None:
    line = "from keras import backend as K; K.abs(1)"
    for name in ("src/a.py", "src/deep/b.py", ".git/c.py", "venv/lib/d.py", "src/e.txt"):
        put(name, line)
    (folder / "venv" / "pyvenv.cfg").touch()
    records = json.loads(scan("--scan", ".", "--format", "json").output)
    assert [use["file"] for use in records] == ["src/a.py", "src/deep/b.py"]


# Advice


def test_the_new_call_has_the_arguments_of_the_old_one() -> None:
    clip, softmax, mentioned, spread = scanned(
        "K.clip(a + 1, 0, max_value=m())", "K.softmax(y)", "f = K.softmax", "K.clip(*args)"
    )
    assert clip["replacement"] == "keras.ops.clip(a + 1, 0, m())"
    assert softmax["replacement"] == "keras.ops.softmax(y, axis=-1)"
    assert mentioned["replacement"] == "keras.ops.softmax(x, axis=axis)"
    assert spread["replacement"].startswith("keras.ops.clip(x, ")
    assert [use["outcome"] for use in (clip, softmax)] == ["same", "same"]


def test_older_names_are_followed() -> None:
    (use,) = scanned("K.lesser(a, b)")
    assert use["replacement"] == "keras.ops.less(a, b)"


def test_what_nothing_replaces_and_what_nobody_documents_is_told() -> None:
    absent, unknown = scanned("K.gradients(l, v)", "K.get_session()")
    assert absent["outcome"] == "absent" and "GradientTape" in absent["says"][0]
    assert unknown["outcome"] == "undocumented"


def test_what_keras_has_to_this_day_may_stay() -> None:
    (use,) = scanned("K.standardize_dtype('float32')")
    assert (use["outcome"], use["replacement"]) == ("same", "K.standardize_dtype('float32')")


def test_functions_of_older_releases_have_calls() -> None:
    records = scanned(
        "K.image_dim_ordering() == 'th'",
        "K.asymmetric_temporal_padding(x, 1, right_pad=2)",
        "K.get_variable_shape(w)",
        "K.set_image_dim_ordering('tf')",
        "K.set_image_dim_ordering(word)",
    )
    assert [use["replacement"] for use in records] == [
        "keras.config.image_data_format()",
        "keras.ops.pad(x, ((0, 0), (1, 2), (0, 0)))",
        "tuple(w.shape)",
        "keras.config.set_image_data_format('channels_last')",
        "keras.config.set_image_data_format(word)",
    ]
    outcomes = ["differs", "same", "same", "same", "differs"]
    assert [use["outcome"] for use in records] == outcomes
    assert all("'channels_first' for 'th'" in use["says"][0] for use in (records[0], records[-1]))


def test_the_words_of_keras_1_for_a_layout_are_those_of_today() -> None:
    named, placed, open_ = scanned(
        "K.spatial_2d_padding(x, (1, 1), dim_ordering='th')",
        "K.resize_images(x, 2, 3, 'tf')",
        "K.spatial_2d_padding(x, (1, 1), dim_ordering=word)",
    )
    assert "(1, 1), 'channels_first'" in named["replacement"]
    assert "(2, 3), 'channels_last'" in placed["replacement"]
    assert (named["outcome"], placed["outcome"], open_["outcome"]) == ("same", "same", "differs")


def test_arguments_that_no_parameter_takes_are_told() -> None:
    use, spread, mixed, session = scanned(
        "K.softmax(x, name='s')",
        "K.softmax(*given)",
        "K.softmax(*given, name='s')",
        "K.function([x], [y], session=s)",
    )
    assert use["says"] == ["its arguments are not those of softmax(x, axis=-1)"]
    assert spread["says"] == []
    assert [use["outcome"], mixed["outcome"]] == ["unfinished", "unfinished"]
    assert session["outcome"] != "unfinished"


def test_a_refusal_is_certain_where_the_arguments_are_literal() -> None:
    certain, perhaps, fine = scanned(
        "K.pool2d(x, (2, 2), pool_mode='sum')",
        "K.pool2d(x, (2, 2), pool_mode=mode)",
        "K.pool2d(x, (2, 2), pool_mode='avg')",
    )
    assert certain["outcome"] == "refused"
    assert any(
        sentence.startswith("may refuse (where pool_mode not in") for sentence in perhaps["says"]
    )
    assert not any("refuse" in sentence and "pool_mode" in sentence for sentence in fine["says"])


def test_a_case_counts_for_the_arguments_that_it_needs(folder: Path) -> None:
    step = Step("result", "sum", (Ref("x"),), (("keepdims", True), ("axis", None)))
    for name in ("keras3-torch", "keras3-jax"):
        JsonWriter(folder / "results").handle(TargetFinished(summed(name, step)))
    records = scanned(
        "K.sum(x)",
        "K.sum(x, keepdims=True)",
        "K.sum(x, keepdims=k)",
        "K.sum(*args)",
        "K.sum",
        places=("results",),
    )
    cases = [[s for s in use["says"] if s.endswith("(f1)")] for use in records]
    assert cases[0] == [] and records[0]["outcome"] == "same"
    assert cases[1][0].startswith("differs on keras3-jax, keras3-torch: ")
    assert all(case[0].startswith("may differ on") for case in cases[2:])
    assert all(use["outcome"] == "differs" for use in records[1:])


def test_a_case_without_special_arguments_counts_for_every_use(folder: Path) -> None:
    step = Step("result", "sum", (Ref("x"),))
    JsonWriter(folder / "results").handle(TargetFinished(summed("keras3-torch", step)))
    for use in scanned("K.sum(x)", "K.sum(x, axis=3)", places=("results",)):
        assert use["says"][-1].startswith("differs on keras3-torch: ")


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_a_case_of_64_bits_is_no_difference_for_layers(folder: Path, dtype: str) -> None:
    step = Step("result", "sum", (Ref("x"),))
    JsonWriter(folder / "results").handle(TargetFinished(summed("keras3-torch", step, dtype=dtype)))
    (use,) = scanned("K.sum(x)", places=("results",))
    assert use["outcome"] == "same in 32 bits"
    assert use["says"][-1].startswith("differs on keras3-torch: ")


def test_a_statement_on_64_bits_is_no_difference_for_layers() -> None:
    (use,) = scanned("K.mean(x)")
    assert (use["outcome"], len(use["says"])) == ("same in 32 bits", 1)
    put("old.py", "from keras import backend as K", "K.mean(x)")
    assert "1 same\n" in scan("--scan", "old.py", "--backend", "jax").stdout


SUMS = ("K.sum(x, axis=1, keepdims=True)", "K.sum(x, keepdims=True)", "K.sum(x, a, keepdims=True)")
"""Of these keepdims is heeded, is not, and may not be where there is no axis."""


def test_what_holds_for_some_arguments_is_said_of_these_alone() -> None:
    heeded, unheeded, perhaps = scanned(*SUMS)
    assert heeded["says"] == []
    assert unheeded["says"] == ["on keras3-torch: ignores keepdims without an axis"]
    assert perhaps["says"][0].startswith("on keras3-torch where axis is None and keepdims: ")


def test_a_case_of_other_arguments_does_not_count_where_the_table_tells_them_apart(
    folder: Path,
) -> None:
    step = Step("result", "sum", (Ref("x"),), (("keepdims", True),))
    JsonWriter(folder / "results").handle(TargetFinished(summed("keras3-torch", step)))
    heeded, unheeded, perhaps = scanned(*SUMS, places=("results",))
    assert heeded["outcome"] == "same"
    assert all(use["says"][-1].endswith("(f1)") for use in (unheeded, perhaps))


def test_a_hint_names_the_option_that_omits_other_backends() -> None:
    put("old.py", "from keras import backend as K", "K.exp(x)", "K.dot(x, y)", "K.square(x)")
    assert "add `--backend jax`" in scan("--scan", "old.py").stderr
    other = scan("--scan", "old.py", "--backend", "jax")
    assert other.stderr == "" and "on keras3-" not in other.stdout
    assert scan("--scan", "old.py", "--format", "json").stderr == ""


@pytest.mark.thorough
def test_every_row_of_the_table_can_be_filled() -> None:
    table = mappings.load(shipped()["keras3-jax"].mapping or Path())
    lines = [f"K.{name}({row.old.partition('=')[0]})" for name, row in table.functions.items()]
    records = scanned(*[re.sub(r",? *\w+\)$", ")", line) for line in lines])
    assert len(records) == len(lines)
    assert all(use["replacement"] for use in records)


# Formats and exit status


def test_text_has_every_use_under_its_file_with_its_line() -> None:
    put("old.py", "from keras import backend as K", "K.gradients(1, 2)", "y = K.exp(x)")
    result = scan("--scan", "old.py")
    assert result.exit_code == 1
    first, absent, reason, same, new, last = result.output.splitlines()
    assert first == "old.py"
    assert absent == "  2:1 K.gradients(1, 2)  [absent]" and "GradientTape" in reason
    assert (same, new) == ("  3:5 K.exp(x)  [same]", "      -> keras.ops.exp(x)")
    assert last == "2 uses of K: 1 same, 1 absent"


@pytest.mark.parametrize(
    ("line", "statuses"),
    [
        ("K.exp(x)", (0, 0, 0)),
        ("K.mean(x)", (0, 0, 0)),
        ("K.dot(x, y)", (1, 0, 0)),
        ("K.gradients(x, y)", (1, 1, 0)),
        ("K.get_session()", (1, 1, 0)),
        ("K.temporal_padding(x, 2)", (1, 1, 0)),
        ("K.pool2d(x, 2, pool_mode='no')", (1, 1, 0)),
    ],
)
def test_the_exit_status_is_for_ci(line: str, statuses: tuple[int, ...]) -> None:
    put("old.py", "from keras import backend as K", line)
    for word, status in zip(("differs", "absent", "never"), statuses, strict=True):
        assert scan("--scan", "old.py", "--fail-on", word).exit_code == status


def test_a_file_that_is_no_python_3_is_told_and_the_others_are_read() -> None:
    put("a.py", "print 'old'")
    put("b.py", "from keras import backend as K; K.exp(1)")
    result = scan("--scan", ".")
    assert result.exit_code == 3
    assert "a.py:1: not Python 3" in result.stderr
    assert "1 use of K: 1 same" in result.stdout


def test_a_notebook_is_refused_with_the_command_that_converts_it() -> None:
    put("n/nb 1.ipynb", "{}")
    put("n/results.json", "{}")
    command = "first run: jupyter nbconvert --to script 'n/nb 1.ipynb'"
    for place, problem in (("n/nb 1.ipynb", "is not a Python file"), ("n", "no Python files in n")):
        refused = scan("--scan", place)
        assert refused.exit_code == 2
        assert problem in refused.stderr and command in refused.stderr
    other = scan("--scan", "n/results.json")
    assert other.exit_code == 2 and "name a .py file" in other.stderr


def test_notebooks_beside_python_files_are_named() -> None:
    put("n/nb.ipynb", "{}")
    put("n/a.py", "")
    result = scan("--scan", "n")
    assert result.exit_code == 0
    assert "omitted 1 notebook; first run: jupyter nbconvert" in result.stderr


def test_wrong_usage_is_2(folder: Path) -> None:
    put("a.py", "")
    for arguments in ((), ("--scan", "a.py", "--check"), ("--scan", "a.py", "--format", "xml")):
        assert scan(*arguments).exit_code == 2
    assert "did you mean" in scan("--scan", "a.py", "--format", "sarfi").output


_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_PLACE = {
    "type": "object",
    "required": ["artifactLocation", "region"],
    "properties": {
        "artifactLocation": {
            "type": "object",
            "required": ["uri"],
            "properties": {"uri": {"type": "string", "pattern": r"^[^\\ ]+$"}},
        },
        "region": {
            "type": "object",
            "required": ["startLine"],
            "additionalProperties": {"type": "integer", "minimum": 1},
        },
    },
}
_LOCATIONS = {
    "type": "array",
    "minItems": 1,
    "items": {"required": ["physicalLocation"], "properties": {"physicalLocation": _PLACE}},
}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_RULE = {
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _TEXT,
        "defaultConfiguration": {"properties": {"level": _LEVEL}, "additionalProperties": False},
    },
    "additionalProperties": False,
}
_RESULT = {
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _TEXT,
        "locations": _LOCATIONS,
    },
    "additionalProperties": False,
}
_DRIVER = {
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "version": {"type": "string"},
        "rules": {"type": "array", "items": _RULE, "uniqueItems": True},
    },
    "additionalProperties": False,
}
_INVOCATION = {
    "required": ["executionSuccessful"],
    "properties": {
        "executionSuccessful": {"type": "boolean"},
        "toolExecutionNotifications": {
            "type": "array",
            "items": {
                "required": ["message"],
                "properties": {"level": _LEVEL, "message": _TEXT, "locations": _LOCATIONS},
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
ESSENTIAL = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {"required": ["driver"], "properties": {"driver": _DRIVER}},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": _RESULT},
                    "invocations": {"type": "array", "items": _INVOCATION},
                },
            },
        },
    },
}
"""What the schema of SARIF 2.1.0 demands of the parts that are written here."""


def test_sarif_keeps_the_essential_rules_of_its_schema() -> None:
    put("src/a b.py", "from keras import backend as K", "K.gradients(1, 2)", "K.dot(1, 2)")
    put("src/c.py", "print 'old'")
    result = scan("--scan", "src", "--format", "sarif", "--output", "out.sarif")
    assert result.exit_code == 1
    log = json.loads(Path("out.sarif").read_text())
    jsonschema.validate(log, ESSENTIAL)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for entry in run["results"]:
        rule = rules[entry["ruleIndex"]]
        assert rule["id"] == entry["ruleId"]
        assert rule["defaultConfiguration"]["level"] == entry["level"]
    assert [entry["level"] for entry in run["results"]] == ["error", "warning"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/a%20b.py"
    assert place["region"] == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 18}
    assert run["invocations"][0]["executionSuccessful"] is False
