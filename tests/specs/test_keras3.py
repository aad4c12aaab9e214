"""The edition keras-3: its specs against what the docstrings hold, and a package against them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.adapters import registry
from conformance.cli.commands.run import command as run
from conformance.generators.collect import steered
from conformance.oracle import ORACLES
from conformance.specs import Spec, load
from conformance.specs.docstrings import load_docstrings

DOCUMENT = "keras-3.15.1"
SPECS = {name: spec for name, spec in load().items() if "keras-3" in spec.editions}
PACKAGE = """
import numpy as np

def convert_to_numpy(x): return np.asarray(x)
def sum(x, axis=None, keepdims=False):
    return np.sum(x, axis=axis if axis is None or isinstance(axis, int) else tuple(axis), {sum})
def relu(x): return {relu}
"""
RIGHT = {"sum": "keepdims=keepdims", "relu": "np.maximum(x, 0).astype(x.dtype)"}


def test_so_many_functions() -> None:
    assert len(SPECS) == 206


@pytest.mark.parametrize("name", SPECS)
def test_a_signature_is_that_of_the_document(name: str) -> None:
    listed = load_docstrings(DOCUMENT)
    assert listed is not None
    assert SPECS[name].signatures[DOCUMENT].text == name + listed[name].signature


@pytest.mark.parametrize("name", SPECS)
def test_the_oracle_knows_it(name: str) -> None:
    assert SPECS[name].oracle in ORACLES


@pytest.mark.parametrize("name", SPECS)
def test_inputs_are_tensors_and_symbolic_ones(name: str) -> None:
    spec: Spec = SPECS[name]
    made = [draw.value for draw in steered(spec, "keras-3", {}, 5, 0)]
    assert made
    bindings = {i.binding for structure in made for i in structure.program.inputs}
    assert bindings <= {"constant", "placeholder", "placeholder_none"}


@pytest.mark.parametrize(
    ("wrong", "cited"),
    [
        ({}, []),
        ({"sum": "keepdims=False"}, ["keras.ops.sum: Summary"]),
        ({"relu": "np.minimum(x, 0).astype(x.dtype)"}, ["keras.ops.relu: Summary"]),
    ],
)
def test_a_package_is_tested_under_its_own_names(
    tmp_path: Path, wrong: dict[str, str], cited: list[str]
) -> None:
    package = tmp_path / "somekeras"
    package.mkdir()
    (package / "__init__.py").write_text("from somekeras import ops\n")
    (package / "ops.py").write_text(PACKAGE.format(**{**RIGHT, **wrong}))
    given = ["--module", "somekeras.ops", "--edition", "keras-3", "--path", str(tmp_path)]
    chosen = ["-k", "keras.ops.sum or keras.ops.relu and not relu6", "--profile", "smoke"]
    done = CliRunner().invoke(run, [*given, *chosen, "--no-database"])
    assert done.exit_code == (1 if cited else 0), done.output
    for citation in ("keras.ops.sum: Summary", "keras.ops.relu: Summary"):
        assert (citation in done.output) is (citation in cited), done.output


def test_a_target_of_five_lines(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "keras3.md").read_text("utf-8")
    lines = page.partition("```toml\n")[2].partition("```")[0]
    assert len(lines.strip().splitlines()) == 5
    file = tmp_path / "conformance.toml"
    file.write_text(lines)
    (target,) = registry.load(file).values()
    assert target.edition == "keras-3"
    assert target.mapping == registry.shipped()["keras3-ops-numpy"].mapping
