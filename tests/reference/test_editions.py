"""Names, signatures, defaults and behaviour of the three editions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import conformance.reference as K  # noqa: N812
from tests.reference.signatures import EDITIONS, documented

LIST = """
import inspect, json
import conformance.reference as K  # noqa: N812
print(json.dumps({name: str(inspect.signature(getattr(K, name))) for name in K.__all__}))
"""


def run(edition: str | None, source: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CONFORMANCE_REFERENCE_EDITION"}
    if edition is not None:
        environment["CONFORMANCE_REFERENCE_EDITION"] = edition
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=environment, check=False
    )


def output(edition: str | None, expression: str) -> str:
    prelude = "import numpy as np\nimport conformance.reference as K\n"
    done = run(edition, f"{prelude}{expression}")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("edition", EDITIONS)
def test_names_and_signatures_are_those_documented(edition: str) -> None:
    done = run(edition, LIST)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == documented()[edition]


def test_default_edition_is_the_newest() -> None:
    assert json.loads(run(None, LIST).stdout) == documented()["keras-2.2"]


def test_invalid_edition_names_the_variable_and_the_choices() -> None:
    done = run("keras-3", "import conformance.reference")
    assert done.returncode != 0
    assert "ValueError: environment variable CONFORMANCE_REFERENCE_EDITION" in done.stderr
    assert "keras-1, keras-2.0, keras-2.2" in done.stderr


def test_function_of_a_later_edition_is_absent_and_the_error_says_where_it_is() -> None:
    source = """
print(hasattr(K, 'cumsum'), hasattr(K, 'nonsense'))
try:
    K.cumsum
except AttributeError as error:
    print(error)
"""
    first, second = output("keras-1", source).splitlines()
    assert first == "False False"
    assert "ja-2.0:2016" in second
    assert "CONFORMANCE_REFERENCE_EDITION" in second


def test_older_names_and_parameters_work() -> None:
    source = """
x = K.variable([[1., 2.]])
print(K.eval(K.lesser(x, 1.5)).tolist(), K.int_shape(K.expand_dims(x, dim=0)))
print(K.eval(K.one_hot(K.variable([1], dtype='int32'), nb_classes=2)).tolist())
print(K.dtype(K.zeros_like(x, 'name')), K.batch_get_value(xs=[x])[0].tolist())
try:
    K.expand_dims(x, axis=0)
except TypeError as error:
    print(error)
"""
    lines = output("keras-1", source).splitlines()
    assert lines[0] == "[[True, False]] (1, 1, 2)"
    assert lines[1] == "[[0.0, 1.0]]"
    assert lines[2] == "float32 [[1.0, 2.0]]"
    assert "expand_dims(x, dim=-1)" in lines[3]


def test_unknown_length_is_refused_by_repeat_elements_of_keras_2_0_only() -> None:
    source = """
x = K.placeholder((None, 2))
try:
    y = K.repeat_elements(x, 2, axis=0)
    print(K.function([x], [y])([np.ones((1, 2))])[0].shape)
except ValueError as error:
    print('ValueError', error)
"""
    assert output("keras-1", source) == "(2, 2)"
    assert output("keras-2.2", source) == "(2, 2)"
    assert output("keras-2.0", source).startswith(
        "ValueError repeat_elements: the length of axis 0"
    )


def test_a_warning_of_function_points_at_the_line_that_calls_it(tmp_path: Path) -> None:
    program = tmp_path / "calling.py"
    program.write_text(
        "import conformance.reference as K\n\nK.function([], [], name='f')\n",
        encoding="utf-8",
    )
    done = run("keras-2.0", f"import runpy; runpy.run_path({str(program)!r})")
    assert done.returncode == 0
    assert done.stderr.startswith(f"{program}:3: UserWarning: function: keywords ['name']")


def test_keywords_of_function() -> None:
    source = """
import warnings
warnings.simplefilter('error')
try:
    K.function([], [K.variable(1.0)], options=1)
except Exception as error:
    print(type(error).__name__)
"""
    assert output("keras-1", source) == "TypeError"
    assert output("keras-2.0", source) == "UserWarning"
    assert output("keras-2.2", source) == "ValueError"


def test_variables_are_inputs_in_keras_1_only() -> None:
    source = """
v = K.variable([1., 2.])
try:
    print(K.function([v], [v * 2.])([[3., 4.]])[0].tolist(), K.get_value(v).tolist())
except ValueError as error:
    print('ValueError')
"""
    assert output("keras-1", source) == "[6.0, 8.0] [1.0, 2.0]"
    assert output("keras-2.2", source) == "ValueError"


def test_layout_has_two_words() -> None:
    source = """
K.set_image_dim_ordering('th')
print(K.image_data_format(), K.image_dim_ordering())
"""
    assert output("keras-2.0", source) == "channels_first th"


def test_every_public_function_is_described_with_its_lines() -> None:
    for name in K.__all__:
        text = getattr(K, name).__doc__
        assert "Documented:" in text, name
        assert "ko-2.2:" in text, name
        assert text.split("Documented:")[0].strip(), name
