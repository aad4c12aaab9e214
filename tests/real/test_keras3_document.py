"""What the suite holds of the docstrings of Keras 3, and the installed package."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import conformance
from conformance.adapters.docstrings import docstring_facts
from conformance.adapters.layout import venv_folder, venv_python
from conformance.adapters.registry import shipped
from conformance.scenarios.examples.prints import parts_of
from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.specs.docstrings import examples_of, installed_docstrings, load_docstrings
from conformance.specs.drift import drift
from tests.real.conftest import require

TARGET = "keras3-numpy"
ROOT = Path(__file__).parents[2]
LIST = Path(conformance.__file__).parent / "editions/keras-3/documents/keras-3.15.1.yaml"


EXAMPLES = """
import contextlib, json, sys
sys.path.insert(0, sys.argv[1])
import keras3_document
example = keras3_document.digests_of_examples()
for name, digest in json.loads(sys.argv[2]):
    with contextlib.suppress(Exception):
        print(json.dumps(example(name, digest)[:2]))
"""
"""The line and the print of each example that NumPy runs."""


def output_of(*arguments: str | Path) -> str:
    """What the interpreter of the target prints."""
    require(TARGET)
    venv = shipped()[TARGET].venv
    assert venv is not None
    done = subprocess.run(
        [venv_python(venv_folder(venv)), *arguments],
        env={**os.environ, "KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


def test_the_list_is_what_the_installed_package_holds() -> None:
    assert output_of(ROOT / "tools" / "keras3_document.py") == LIST.read_text("utf-8")


def test_each_print_can_be_read() -> None:
    docstrings = load_docstrings(KERAS_3_DOCUMENT) or {}
    prints = [
        (docstring.name, digest)
        for docstring in docstrings.values()
        for _, digest in examples_of(KERAS_3_DOCUMENT, docstring)
    ]
    lines = output_of("-c", EXAMPLES, ROOT / "tools", json.dumps(prints)).splitlines()
    assert len(lines) > 0.9 * len(prints)
    for line in lines:
        read: Sequence[str] = json.loads(line)
        assert read, "an example of the list that the docstring lacks"
        if read[1] and not read[1].startswith("Traceback"):
            assert parts_of(read[1])


def test_the_described_release_does_not_drift() -> None:
    require(TARGET)
    target = shipped()["keras3-ops-numpy"]
    installed = installed_docstrings(docstring_facts(target))
    assert drift(load_docstrings(KERAS_3_DOCUMENT) or {}, installed.by_name()) == []
