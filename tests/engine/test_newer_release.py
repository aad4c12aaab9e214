"""A release newer than the one that the edition describes: the note, with the count of changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import UNSET, UnsetType

from conformance.adapters.access import open_session
from conformance.adapters.registry import completed
from conformance.adapters.target_records import Target
from conformance.engine.running.newer_release import newer_release
from conformance.results import ReleaseDrift
from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.specs.docstrings import load_docstrings

MODULES = ("ops/image", "ops/linalg", "ops/nn", "random", "remat")
"""The modules that the worker reads, besides `keras.ops`, and one with the name of a function of
the contract; here they are empty."""
MAPPING = """
imports = ["import keras.ops"]

[functions.docstring_facts]
old = ""
new = '''
from conformance_worker.docstrings import as_bytes
return as_bytes()
'''
"""


def drift(folder: Path, version: str, mapping: str = MAPPING, edition: str = "keras-3") -> object:
    """What the suite notes on a package `keras` of this version with one function, `shiny`."""
    for module in ("", "ops", *MODULES):
        place = folder / "keras" / module
        place.mkdir(parents=True, exist_ok=True)
        (place / "__init__.py").touch()
    (folder / "keras" / "__init__.py").write_text(
        f"__version__ = {version!r}\nimport keras.remat\n"
    )
    (folder / "keras" / "ops" / "__init__.py").write_text("def shiny(x):\n    return x\n")
    (folder / "calls.toml").write_text(mapping)
    target = Target(
        name="mine",
        module="keras.ops",
        edition=edition,
        family="eager",
        mapping=folder / "calls.toml",
    )
    with open_session(completed(target, [folder])) as session:
        return newer_release(session, edition)


def test_a_newer_release_is_noted_with_the_number_of_functions_that_differ(tmp_path: Path) -> None:
    described = load_docstrings(KERAS_3_DOCUMENT)
    assert described is not None
    assert "keras.ops.shiny" not in described
    noted = drift(tmp_path, "99.0.dev1")
    expected = ReleaseDrift(
        document=KERAS_3_DOCUMENT, installed="99.0.dev1", functions=len(described) + 1
    )
    assert noted == expected


def test_without_a_list_of_functions_the_release_alone_is_noted(tmp_path: Path) -> None:
    noted = drift(tmp_path, "99.0", MAPPING.replace("docstring_facts", "facts_of_examples"))
    assert noted == ReleaseDrift(document=KERAS_3_DOCUMENT, installed="99.0")


@pytest.mark.parametrize(
    ("version", "edition"),
    [("3.15.1", "keras-3"), ("3.2.0", "keras-3"), ("unknown", "keras-3"), ("99.0", "keras-2.2")],
)
def test_no_other_release_is_noted(tmp_path: Path, version: str, edition: str) -> None:
    noted: object | UnsetType = drift(tmp_path, version, edition=edition)
    assert noted is UNSET
