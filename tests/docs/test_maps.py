"""docs/maps.md adds a function of keras.ops: its steps, on a copy of the suite, give verdicts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import conformance
from conformance.specs.reading import load_text
from tests.adapters.ops_packages import CONVERTS, package

PAGE = (Path(__file__).parents[2] / "docs" / "maps.md").read_text("utf-8")
FUNCTION = "keras.ops.sparse_sigmoid"
SPECS = "editions/keras-3/specs/nn_activations.yaml"
ORACLE = "oracle/keras_ops/elements.py"
TARGET = """
def sparse_sigmoid(x):
    x = np.asarray(x)
    dtype = x.dtype if x.dtype.kind == "f" else "float32"
    return np.clip((x + 1) / 2, 0, {top}).astype(dtype)
"""
VIOLATES, USAGE = 1, 2


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of code in a language below a heading of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    code = re.findall(rf"^ *```{language}\n(.*?)^ *```$", section, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for block in code]


(ENTRY,) = blocks("Add a function of keras.ops", "yaml")
(FORMULA,) = blocks("Add a function of keras.ops", "python")
LINE = re.search(r'`("sparse_sigmoid": sparse_sigmoid,)`', PAGE)[1]  # type: ignore[index]


def test_the_example_of_k_is_a_spec() -> None:
    (entry,) = blocks("Add a function of K", "yaml")
    (spec,) = load_text(f"theme: x\nfunctions:\n{entry}", "maps.md").functions
    assert spec.name == "softplus2"
    assert spec.differentiable


def replace(file: Path, old: str, new: str) -> None:
    """Replace a text that a file holds once."""
    text = file.read_text("utf-8")
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new), "utf-8")


def run(folder: Path) -> tuple[int, str]:
    """The exit status and the output of a run of the function, with the suite in this folder."""
    module = ["--module", "mine.ops", "--edition", "keras-3", "--path", str(folder / "package")]
    options = ["-k", FUNCTION, "--profile", "smoke", "--no-database"]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", *module, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "CONFORMANCE_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.thorough
def test_the_steps_of_the_page_give_a_function_its_verdicts(tmp_path: Path) -> None:
    suite = tmp_path / "conformance"
    ignored = shutil.ignore_patterns("__pycache__", "arrays")
    shutil.copytree(Path(conformance.__file__).parent, suite, ignore=ignored)
    (tmp_path / "package").mkdir()
    package(tmp_path / "package", CONVERTS, TARGET.format(top=1))

    replace(suite / SPECS, ENTRY, "")
    replace(suite / ORACLE, f"{FORMULA}\n\n", "")
    replace(suite / ORACLE, f"    {LINE}\n", "")
    status, output = run(tmp_path)
    assert status == USAGE, output

    specs, oracle = suite / SPECS, suite / ORACLE
    specs.write_text(specs.read_text("utf-8") + ENTRY, "utf-8")
    replace(oracle, "\n\ndef divide_no_nan", f"\n\n{FORMULA}\n\ndef divide_no_nan")
    replace(
        oracle,
        '    "divide_no_nan": divide_no_nan',
        f'    {LINE}\n    "divide_no_nan": divide_no_nan',
    )
    status, output = run(tmp_path)
    assert status not in (VIOLATES, USAGE), output
    assert re.search(rf"{re.escape(FUNCTION)} .*\d/\d", output), output

    package(tmp_path / "package", CONVERTS, TARGET.format(top=2))
    status, output = run(tmp_path)
    assert status == VIOLATES, output
