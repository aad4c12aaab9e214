"""`conformance spec drift`: lists, statuses and refusals."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from conformance.adapters import environments
from conformance.adapters.docstrings import DocstringsError
from conformance.adapters.environments import Ready
from conformance.cli.show import drift as module
from conformance.cli.show import spec_command
from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.specs.docstrings import Docstring, load_docstrings

TARGET = "keras3-ops-numpy"


def drift(*arguments: str) -> Result:
    return CliRunner().invoke(spec_command, ["drift", *arguments])


def described() -> dict[str, Docstring]:
    return dict(load_docstrings(KERAS_3_DOCUMENT) or {})


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the worker report these docstrings."""
    monkeypatch.setattr(environments, "status", lambda _: Ready("3.11", {}))

    def reports(functions: dict[str, Docstring]) -> None:
        facts = {"release": "9.9\x1b[31m", "functions": list(functions.values())}
        monkeypatch.setattr(module, "docstring_facts", lambda _: msgspec.json.encode(facts))

    return reports


def test_equal_docstrings_have_no_drift(install: Any) -> None:
    install(described())
    result = drift(TARGET)
    assert result.exit_code == 0
    assert result.output == f"Keras 9.9 has no drift from {KERAS_3_DOCUMENT}\n"


def test_changes_are_listed_by_kind_and_counted(install: Any) -> None:
    functions = described()
    del functions["keras.ops.abs"]
    relu = functions["keras.ops.relu"]
    functions["keras.ops.relu"] = replace(relu, signature="(x, slope=0)")
    install(functions)
    result = drift(TARGET)
    assert result.exit_code == 1
    assert "removed functions: 1\n  keras.ops.abs is gone\n" in result.output
    assert "  keras.ops.relu adds the parameter slope=0\n" in result.output
    last = result.output.splitlines()[-1]
    assert last.endswith("in 2 functions: 1 removed functions, 1 changed parameters")


def test_json_has_the_same_changes(install: Any) -> None:
    functions = described()
    del functions["keras.ops.abs"]
    install(functions)
    result = drift(TARGET, "--format", "json")
    outcome = json.loads(result.output)
    assert outcome["document"] == KERAS_3_DOCUMENT
    assert [c["function"] for c in outcome["changes"]] == ["keras.ops.abs"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("reference",), "not the docstrings of a package"),
        (("keras3-ops",), "name one: "),
        (("keras3-ops-nump",), "unknown target"),
    ],
)
def test_a_wrong_name_is_2(arguments: tuple[str, ...], words: str) -> None:
    result = drift(*arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_a_worker_that_lies_is_3_without_a_traceback(
    install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(described())
    monkeypatch.setattr(module, "docstring_facts", lambda _: b'{"release": 3}')
    result = drift(TARGET)
    assert result.exit_code == 3
    assert "list of docstrings is wrong" in result.output


def test_a_target_that_does_not_start_is_3(install: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install(described())

    def fails(_: object) -> bytes:
        raise DocstringsError("no module keras")

    monkeypatch.setattr(module, "docstring_facts", fails)
    result = drift(TARGET)
    assert result.exit_code == 3
    assert "no module keras" in result.output
