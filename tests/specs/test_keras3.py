"""The edition keras-3: its specs against what the docstrings hold, and a package against them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.adapters import registry
from conformance.cli.run import run_command as run
from conformance.generators.collect import steered
from conformance.oracle import ORACLES
from conformance.results.scores import CONTRACT
from conformance.scenarios import families_of
from conformance.specs import Spec, load
from conformance.specs.docstrings import load_docstrings

DOCUMENT = "keras-3.15.1"
LISTED = {name: spec for name, spec in load().items() if "keras-3" in spec.editions}
SPECS = {name: spec for name, spec in LISTED.items() if load().theme(name) != CONTRACT}
CALLED = [name for name, spec in SPECS.items() if spec.dtype is not None]
"""Those of which single calls are made; scenarios call the others."""
PACKAGE = """
import numpy as np

def convert_to_numpy(x): return np.asarray(x)
def sum(x, axis=None, keepdims=False):
    return np.sum(x, axis=axis if axis is None or not np.ndim(axis) else tuple(axis), {sum})
def relu(x):
    x = np.asarray(x)
    return {relu}
"""
TENSORS = """
import numpy as np
from scipy.special import erf as _erf

class Tensor(object):
    def __init__(self, value): self.value = np.asarray(value)
    def __array__(self, dtype=None, copy=None): return self.value.astype(dtype or self.value.dtype)

def constant(value, dtype=None): return Tensor(np.asarray(value, dtype))
def get_value(x): return x.value
def number(x):
    if isinstance(x, {refused}): raise TypeError("does not accept %s" % type(x))
    wanted = "float32" if isinstance(x, (float, list)) else None
    return x.value if isinstance(x, Tensor) else np.asarray(x, wanted)
def erf(x): return Tensor(_erf(number(x)).astype(number(x).dtype))
def deg2rad(x): return Tensor(np.deg2rad(number(x)))
def isin(x1, x2, assume_unique=False, invert=False):
    return Tensor(np.isin(number(x1), number(x2), invert=invert))
"""
LARGEST = """
import numpy as np

def {name}(x, axis=None, keepdims=False, initial=None):
    axes = axis if axis is None or not np.ndim(axis) else tuple(axis)
    keepdims = {kept} if axis is None else keepdims and "{kept}" in ("False", "keepdims")
    started = {{}} if initial is None else {{"initial": initial}}
    largest = np.asarray(np.max(x, axis=axes, keepdims=keepdims, **started))
    of_list = "float32" if largest.dtype.kind == "f" else "int32"
    return largest.astype(getattr(x, "dtype", of_list))
"""
REFUSED = {"an array": "np.ndarray", "a list": "(list, float)"}
OPEN = {"variable": "variable-input", "array": "array-input", "python": "python-input"}
RIGHT = {"sum": "keepdims=keepdims", "relu": "np.maximum(x, 0).astype(x.dtype)"}


def test_so_many_functions() -> None:
    assert len(SPECS) == 362
    assert len(CALLED) == 335


@pytest.mark.parametrize("name", LISTED)
def test_a_signature_is_that_of_the_document(name: str) -> None:
    docstrings = load_docstrings(DOCUMENT)
    assert docstrings is not None
    assert LISTED[name].signatures[DOCUMENT].text == name + docstrings[name].signature


@pytest.mark.parametrize("name", sorted({*LISTED} - {*CALLED}))
def test_what_no_single_call_shows_has_scenarios(name: str) -> None:
    assert families_of(name, "keras-3")


@pytest.mark.parametrize("name", CALLED)
def test_the_oracle_knows_it(name: str) -> None:
    spec = SPECS[name]
    asked = [f"{spec.oracle}.{part.name}" for part in spec.results] or [spec.oracle]
    assert {*asked} <= {*ORACLES}


@pytest.mark.parametrize("name", CALLED)
def test_inputs_are_tensors_and_symbolic_ones_and_what_people_give_is_told(name: str) -> None:
    spec: Spec = SPECS[name]
    structures = [draw.value for draw in steered(spec, "keras-3", {}, 5, 0)]
    assert structures
    settled = {r.partition(":")[0] for c in spec.claims for r in c.rules_out}
    for structure in structures:
        bindings = {str(i.binding) for i in structure.program.inputs}
        others = bindings - {"constant", "placeholder", "placeholder_none"}
        assert others <= {*OPEN}
        rests = {OPEN[other] for other in others} - settled
        assert {u for u in structure.unsettled if u.endswith("-input")} == rests


@pytest.mark.thorough
@pytest.mark.parametrize("message_key", ["an array", "a list"])
@pytest.mark.parametrize(
    ("function", "promised"),
    [("erf", "an array"), ("deg2rad", "a list"), ("isin", "an array, a list")],
)
def test_what_is_refused_violates_only_if_the_docstring_has_it(
    tmp_path: Path, function: str, promised: str, message_key: str
) -> None:
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    (package / "ops.py").write_text(TENSORS.format(refused=REFUSED[message_key]))
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    chosen = ["-k", f"keras.ops.{function} and not erfc", "--profile", "default", "--no-database"]
    done = CliRunner().invoke(run, [*options, *chosen])
    assert done.exit_code == (1 if message_key in promised else 0), done.output
    section = "Args" if function == "isin" else "Example"
    assert (f"(docstring: {section}" in done.output) is (message_key in promised), done.output


@pytest.mark.parametrize(
    ("wrong", "cited"),
    [
        ({}, []),
        ({"sum": "keepdims=False"}, ["keras.ops.sum"]),
        ({"relu": "np.minimum(x, 0).astype(x.dtype)"}, ["keras.ops.relu"]),
    ],
)
def test_a_package_is_tested_under_its_own_names(
    tmp_path: Path, wrong: dict[str, str], cited: list[str]
) -> None:
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    (package / "ops.py").write_text(PACKAGE.format(**{**RIGHT, **wrong}))
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    chosen = ["-k", "keras.ops.sum or keras.ops.relu and not relu6", "--profile", "smoke"]
    done = CliRunner().invoke(run, [*options, *chosen, "--no-database"])
    assert done.exit_code == (1 if cited else 0), done.output
    failed = [line for line in done.output.splitlines() if line.startswith("✗ ")]
    assert [line.split()[1] for line in failed if "Summary)" in line] == cited


@pytest.mark.parametrize(
    ("expression", "status"),
    [
        ("globals()['relu'](x)", 0),
        ("np.maximum(x, 1).astype(x.dtype)", 1),
        ("(_ for _ in ()).throw(TypeError('not while tracing'))", 0),
    ],
)
def test_a_call_is_compiled_too_and_may_be_refused(
    tmp_path: Path, expression: str, status: int
) -> None:
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    compiled = f"def compiled(name, whole, x): return {expression}\n"
    (package / "ops.py").write_text(PACKAGE.format(**RIGHT) + compiled)
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    chosen = ["-k", "keras.ops.relu and not relu6", "--profile", "smoke", "--no-database"]
    done = CliRunner().invoke(run, [*options, *chosen])
    assert done.exit_code == status, done.output
    assert ("compiled keras.ops.relu(" in done.output) is (status == 1), done.output


@pytest.mark.parametrize(
    ("expression", "status", "message"),
    [
        ("[-weights * np.sin(x)]", 0, "1 of 1 aspects follow"),
        ("[weights * np.sin(x)]", 1, "(docstring: Returns)"),
        ("[np.zeros_like(x)]", 1, "(docstring: Returns)"),
        ("[None]", 3, "the backend computes no gradients"),
        ("{}[name]", 3, "the backend computes no gradients"),
        (None, 3, "the backend computes no gradients"),
        ("[x] if 'square' in name else [None]", 3, "gradient: no array"),
        ("[x] if 'square' in name else {}[name]", 1, "raises KeyError"),
    ],
)
def test_a_gradient_is_right_or_there_is_none(
    tmp_path: Path, expression: str | None, status: int, message: str
) -> None:
    """What is wrong violates, even if it is that of every function; what is refused does not."""
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    defined = (
        f"def differentiated(name, weights, wanted, x): return {expression}" if expression else ""
    )
    (package / "ops.py").write_text(f"import numpy as np\ndef cos(x): return np.cos(x)\n{defined}")
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    chosen = ["-k", "keras.ops.cos and not cosh", "--aspect", "gradient", "--profile", "smoke"]
    done = CliRunner().invoke(run, [*options, *chosen, "--no-database"])
    assert done.exit_code == status, done.output
    assert message in done.output


@pytest.mark.parametrize(
    ("function", "axes", "status"),
    [
        ("amax", "False", 0),
        ("max", "False", 1),
        ("max", "keepdims", 0),
        ("amax", "keepdims and axis is None", 1),
    ],
)
def test_only_a_number_that_the_docstring_calls_a_scalar_may_lose_its_axes(
    tmp_path: Path, function: str, axes: str, status: int
) -> None:
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    (package / "ops.py").write_text(LARGEST.format(name=function, kept=axes))
    options = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    # a smoke run of max does not keep the axes of a number
    profile = "default" if function == "max" else "smoke"
    chosen = ["-k", f"keras.ops.{function} and not maximum and not pool", "--profile", profile]
    done = CliRunner().invoke(run, [*options, *chosen, "--no-database"])
    assert done.exit_code == status, done.output


def test_a_target_of_five_lines(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "keras3.md").read_text("utf-8")
    lines = page.partition("```toml\n")[2].partition("```")[0]
    assert len(lines.strip().splitlines()) == 5
    file = tmp_path / "conformance.toml"
    file.write_text(lines)
    (target,) = registry.load(file).values()
    assert target.edition == "keras-3"
    assert target.mapping == registry.shipped()["keras3-ops-numpy"].mapping
