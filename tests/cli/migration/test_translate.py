"""`conformance migration --diff` and `--write`: old code with the new calls in place."""

from __future__ import annotations

import ast
import builtins
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.adapters import mappings
from conformance.cli import main

HEAD = "from keras import backend as K"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def migration(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["migration", *arguments])


def translated(*lines: str, head: str = HEAD) -> list[str]:
    """The lines of a file after its translation, without its first imports and blank lines."""
    Path("old.py").write_text("\n".join((head, *lines, "")), encoding="utf-8")
    assert migration("--scan", "old.py", "--write", "--fail-on", "never").exit_code == 0
    return Path("old.py").read_text("utf-8").splitlines()


LINES = {
    "K.sum(x)": "keras.ops.sum(x)",
    "K.sum(x, axis=1)": "keras.ops.sum(x, axis=1)",
    "K.sum( x,  # rows\n    axis=1)": "keras.ops.sum(x, axis=1)",
    "K.exp(K.abs(x + 1)) * 2": "keras.ops.exp(keras.ops.abs(x + 1)) * 2",
    "K.hard_sigmoid(x if y else z)": "keras.ops.clip(0.2 * (x if y else z) + 0.5, 0.0, 1.0)",
    "K.conv2d(x, k, data_format='channels_first')": (
        "keras.ops.conv(x, k, (1, 1), data_format='channels_first', dilation_rate=(1, 1))"
    ),
    "map(K.tanh, xs)": "map(keras.ops.tanh, xs)",
    "K.lesser(a, b)": "keras.ops.less(a, b)",
    "K.random_normal((2,), seed=3)": "keras.random.normal((2,), seed=3)",
    "K.shape(x)[0]": "keras.ops.shape(x)[0]",
    "K.standardize_dtype(d)": "K.standardize_dtype(d)",
    "'é', K.exp(x)": "'é', keras.ops.exp(x)",
}


@pytest.mark.parametrize("old", LINES)
def test_a_call_becomes_the_new_one(old: str) -> None:
    assert translated(f"y = {old}")[-1] == f"y = {LINES[old]}"


@pytest.mark.parametrize(
    "head",
    [
        "import tensorflow as tf\nK = tf.keras.backend",
        "import keras\nK = keras.backend",
        "import keras.backend.tensorflow_backend as K",
        "from keras.backend import tensorflow_backend as K",
    ],
)
def test_other_ways_to_name_k_are_translated(head: str) -> None:
    new = translated("y = K.sum(x)", head=head)
    assert new[-1] == "y = keras.ops.sum(x)" and "import keras" in new
    assert not any("tensorflow_backend" in line for line in new)


def test_an_attribute_that_is_k_is_translated() -> None:
    lines = (
        "class A:",
        "    K = keras.backend",
        "    def f(self, x):",
        "        return self.K.exp(x)",
    )
    assert translated(*lines, head="import keras")[-1] == "        return keras.ops.exp(x)"


def test_the_rest_of_the_file_stays_as_it_is() -> None:
    lines = ["", "# a comment", "def f( x ) :", "    return K.exp( x )   # e", "", "z = ( 1,)"]
    new = translated(*lines)
    assert new == ["import keras", *lines[:3], "    return keras.ops.exp(x)   # e", *lines[4:]]


def test_replacements_of_several_lines_become_functions() -> None:
    new = translated("y = K.l2_normalize(x, 1)", "z = K.l2_normalize(axis=0, x=x)")
    assert new[-2:] == ["y = k_l2_normalize(x, 1)", "z = k_l2_normalize(axis=0, x=x)"]
    assert [line for line in new if line.startswith("def")] == ["def k_l2_normalize(x, axis=None):"]


def test_a_new_function_has_every_parameter_that_its_body_names() -> None:
    table = mappings.load(Path(mappings.__file__).parent / "keras3.toml")
    calls = [f"y = K.{name}(*arguments)" for name in table.functions]
    module = ast.parse("\n".join(translated(*calls)))
    definitions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    assert {node.name for node in definitions} >= {"k_function", "k_switch", "k_sum"}
    for definition in definitions:
        nodes = [*ast.walk(definition)]
        bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
        bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        bound |= {*dir(builtins), "keras", "np"}
        assert {node.id for node in names} <= bound, definition.name


def test_two_blank_lines_stand_around_new_functions() -> None:
    Path("old.py").write_text(f"{HEAD}\n\n# how far\ny = K.l2_normalize(x, 1)\n", encoding="utf-8")
    assert migration("--scan", "old.py", "--write").exit_code == 1
    new = Path("old.py").read_text("utf-8")
    assert "1e-12)))\n\n\n# how far\ny = k_l2_normalize(x, 1)\n" in new


def test_a_missing_seed_generator_is_listed() -> None:
    lines = ["class L:", "    def call(self, x):", "        return K.dropout(x, 0.5)"]
    Path("old.py").write_text("\n".join((HEAD, *lines, "y = K.dropout(x, 0.5)", "")), "utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert "old.py: 2 translated, 0 left" in result.stderr
    needs = "write self.seed_generator = keras.random.SeedGenerator(SEED) in __init__"
    assert f"4:16 K.dropout(x, 0.5): {needs}" in result.stderr
    assert result.stderr.count("SeedGenerator") == 1


def test_a_missing_seed_generator_is_listed_by_the_next_scan() -> None:
    translated("class L:", "    def call(self, x):", "        return K.dropout(x, 0.5)")
    again = migration("--scan", "old.py")
    assert "seed=self.seed_generator)  [unfinished]" in again.stdout and again.exit_code == 1
    assert "write self.seed_generator" in migration("--scan", "old.py", "--diff").stderr


def test_the_old_name_of_the_learning_rate_is_listed() -> None:
    Path("old.py").write_text(f"{HEAD}\nK.set_value(opt.lr, 0.1)\n", "utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert "+k_set_value(opt.lr, 0.1)" in result.stdout
    assert "2:1 K.set_value(opt.lr, 0.1): an optimizer of Keras 3 has no lr" in result.stderr


def test_an_augmented_assignment_makes_a_new_tensor() -> None:
    lines = ("def f(x):", "    e = K.exp(x)", "    e /= K.sum(e); e **= -1  # one")
    assert translated(*lines, "    e -= 1 if x else 2")[-2:] == [
        "    e = e / keras.ops.sum(e); e = e ** (-1)  # one",
        "    e = e - (1 if x else 2)",
    ]


@pytest.mark.parametrize(
    "operator", ["+", "-", "*", "@", "/", "%", "&", "|", "^", "<<", ">>", "**", "//"]
)
def test_every_augmented_operator_is_known(operator: str) -> None:
    assert translated(f"x {operator}= K.exp(x)")[-1] == f"x = x {operator} keras.ops.exp(x)"


def test_other_augmented_assignments_stay_and_are_listed() -> None:
    lines = ("def f(self, x):", "    self.total += K.sum(x)", "    x *= 2")
    Path("old.py").write_text("\n".join((HEAD, *lines, "")), "utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert "+    self.total += keras.ops.sum(x)\n     x *= 2" in result.stdout
    assert "old.py: 1 translated, 2 left" in result.stderr
    assert "4:5 x *= 2: on keras3-numpy: *= may change the array in place" in result.stderr


@pytest.mark.parametrize("old", ["K.sum(x, axs=1)", "getattr(K, 'sum')(x)", "f(K)"])
def test_a_use_that_nobody_can_read_stays_and_is_listed(old: str) -> None:
    Path("old.py").write_text(f"{HEAD}\ny = {old}\n", "utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert result.stdout == "" and "old.py: 0 translated, 1 left" in result.stderr


@pytest.mark.parametrize("old", ["K.sum(*args)", "K.sum(**options)"])
def test_arguments_that_are_not_written_out_go_to_a_function(old: str) -> None:
    new = translated(f"y = {old}")
    assert new[-1] == f"y = k_{old[2:]}"
    assert "def k_sum(x, axis=None, keepdims=False):" in new


def test_an_argument_is_never_computed_twice() -> None:
    (call,) = [line for line in translated("y = K.var(f(), axis=1)") if line.startswith("y")]
    assert call.count("f()") == 1


def test_random_numbers_in_a_layer_come_from_a_generator() -> None:
    new = translated("class L:", "    def call(self, x):", "        return K.dropout(x, 0.5)")
    assert new[-1] == "        return keras.random.dropout(x, 0.5, seed=self.seed_generator)"


def test_words_of_keras_1_are_those_of_today() -> None:
    new = translated("y = K.spatial_2d_padding(x, dim_ordering='th')")
    assert "'channels_first'" in new[-1] and "dim_ordering" not in new[-1]


def test_what_nothing_replaces_stays_and_is_listed() -> None:
    Path("old.py").write_text(f"{HEAD}\ny = K.gradients(K.sum(x), x)\n", encoding="utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert "+y = K.gradients(keras.ops.sum(x), x)" in result.stdout
    assert f" {HEAD}" in result.stdout
    assert "old.py: 1 translated, 1 left" in result.stderr and "GradientTape" in result.stderr
    assert result.exit_code == 1


def test_a_patch_changes_no_file_and_an_empty_one_says_so() -> None:
    Path("old.py").write_text("x = 1\n", encoding="utf-8")
    assert migration("--scan", "old.py", "--diff").stdout == ""
    Path("old.py").write_text(f"{HEAD}\ny = K.exp(x)\n", encoding="utf-8")
    assert "+++ b/old.py" in migration("--scan", "old.py", "--diff").stdout
    assert Path("old.py").read_text("utf-8") == f"{HEAD}\ny = K.exp(x)\n"


def test_statements_on_other_backends_are_left_out() -> None:
    Path("old.py").write_text(f"{HEAD}\ny = K.square(x)\n", encoding="utf-8")
    assert "keras3-numpy" in migration("--scan", "old.py").stdout
    other = migration("--scan", "old.py", "--backend", "torch")
    assert "keras3-" not in other.stdout and "[same]" in other.stdout and other.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--diff",), "--diff without --scan"),
        (("--backend", "jax"), "--backend without --scan"),
        (("--scan", ".", "--diff", "--write"), "--write and --diff"),
        (("--scan", ".", "--write", "--output", "x"), "--write and --output"),
        (("--scan", ".", "--diff", "--format", "json"), "--diff with --format json"),
        (("--scan", ".", "--backend", "theano"), "theano"),
    ],
)
def test_options_that_contradict_each_other(arguments: tuple[str, ...], says: str) -> None:
    result = migration(*arguments)
    assert result.exit_code == 2 and says in result.stderr


def test_the_library_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] == "libcst" or name.endswith("migration.translate"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("conformance.cli.migration.translate", raising=False)
    monkeypatch.setitem(sys.modules, "libcst", None)
    Path("old.py").write_text(f"{HEAD}\ny = K.exp(x)\n", encoding="utf-8")
    result = migration("--scan", "old.py", "--diff")
    assert result.exit_code == 2 and "pip install libcst" in result.stderr
