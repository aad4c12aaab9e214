"""The functions that a line of a list of excluded tests names."""

from __future__ import annotations

import re

import pytest

from conformance.cli.import_excluded.functions import TestNames as Names
from conformance.specs import load

SPECS = load()
EVERY = {name: SPECS.theme(name) for name, spec in SPECS.items() if "keras-3" in spec.editions}
THEMES = {name: theme for name, theme in EVERY.items() if theme != "contract"}
NAMES = Names(EVERY)


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("NumpyOneInputOpsCorrectnessTest::test_mean", ["keras.ops.mean"]),
        ("NumpyDtypeTest::test_add_", ["keras.ops.add"]),
        ("MathOpsCorrectnessTest::test_irfft0", ["keras.ops.irfft"]),
        ("MathOpsCorrectnessTest::test_fft2", ["keras.ops.fft2"]),
        ("ImageOpsCorrectnessTest::test_resize_with_pad_1.0", ["keras.ops.image.resize"]),
        ("RandomDTypeTest::test_gamma_bfloat16", ["keras.random.gamma"]),
        ("TestMathErrors::test_stft_invalid_window", ["keras.ops.stft"]),
        # a part of an id excludes every test whose id contains it
        ("NumpyDtypeTest::test_array", ["keras.ops.array", "keras.ops.array_split"]),
        ("NumpyDtypeTest::test_dot_", ["keras.ops.dot"]),
        ("test_logaddexp", ["keras.ops.logaddexp", "keras.ops.logaddexp2"]),
        # a whole id excludes one test
        ("keras/src/ops/numpy_test.py::NumpyDtypeTest::test_array", ["keras.ops.array"]),
        (
            "keras/src/ops/math_test.py::MathDtypeTest::test_erf_('float16', 'int8')",
            ["keras.ops.erf"],
        ),
        ("my_backend/ops/nn_test.py::test_relu[float32]", ["keras.ops.relu"]),
        # a class
        ("HistogramTest", ["keras.ops.histogram"]),
        ("InTopKTest::test_in_top_k_call", ["keras.ops.in_top_k"]),
        ("ExtractPatches3DTest", ["keras.ops.image.extract_patches_3d"]),
        ("keras/src/ops/math_test.py::SegmentSumTest", ["keras.ops.segment_sum"]),
        ("CoreOpsCorrectnessTest::test_convert_to_tensor", ["keras.ops.convert_to_tensor"]),
        # no function of the edition, or no test of functions
        ("MathOpsCorrectnessTest::test_no_such_function", []),
        ("HashingTest::test_one_hot_output", []),
        ("RandomCropTest::test_random_crop", []),
        ("keras/src/layers/core/dense_test.py::DenseTest::test_sum", []),
        ("keras/src/losses", []),
        ("float8", []),
        ("test_", []),
        ("::", []),
    ],
)
def test_a_line_excludes_the_functions_that_its_names_say(text: str, functions: list[str]) -> None:
    assert NAMES.functions(text) == functions


@pytest.mark.parametrize(
    ("text", "theme"),
    [
        ("keras/src/ops/linalg_test.py", "linalg"),
        ("LinalgOpsStaticShapeTest", "linalg"),
        ("keras/src/random/random_test.py", "random"),
        ("keras/src/random", "random"),
        ("NNOpsDtypeTest", "nn"),
    ],
)
def test_a_file_a_folder_and_a_class_exclude_all_functions_of_a_theme(
    text: str, theme: str
) -> None:
    expected = sorted(name for name, shown in THEMES.items() if shown.endswith(f"({theme})"))
    assert len(expected) > 5
    assert NAMES.functions(text) == expected


def test_the_folder_of_keras_ops_excludes_all_its_functions() -> None:
    expected = sorted(name for name in THEMES if name.startswith("keras.ops."))
    assert NAMES.functions("keras/src/ops") == expected


def test_every_theme_names_the_file_of_keras_that_has_its_functions() -> None:
    files = {match[1] for t in THEMES.values() if (match := re.search(r"\((\w+)\)$", t))}
    assert files == {"core", "einops", "image", "linalg", "math", "nn", "numpy", "random"}
    assert all(theme.endswith(")") for theme in THEMES.values())


def test_names_without_their_modules_are_unique() -> None:
    assert len({name.rpartition(".")[2] for name in THEMES}) == len(THEMES)
