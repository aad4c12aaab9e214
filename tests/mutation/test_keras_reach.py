"""Which of other tests can notice a change: those that reach the function that holds it."""

from __future__ import annotations

import json
from pathlib import Path

from conformance.mutation.code.editing import Edit
from conformance.mutation.code.population import CodeMutant
from conformance.mutation.code.units import parsed
from tools.keras_reach import KerasReach, read_reach
from tools.keras_tests import broken

SOURCE = b"""LIMIT = 1

def used(x,
         y=2):
    return x + y

def unused(x):
    return x

class Kept:
    size = 3

    def grow(self):
        return self.size + 4
"""
TESTS = {"backend_test.TestBackend.test_used": "backend_test.py::TestBackend::test_used"}
EXECUTED = {5: [*TESTS], 8: [], 14: ["backend_test.test_grow"], 11: [""]}


def mutant(unit: str, before: bytes) -> CodeMutant:
    start = SOURCE.index(before)
    edit = Edit(operator="constant", start=start, end=start + len(before), after="9")
    module = parsed("backend", "/there/backend.py", SOURCE)
    return CodeMutant(module=module, unit=unit, edit=edit, reached_from=())


def reach(folder: Path) -> KerasReach:
    contexts = {str(line): names for line, names in EXECUTED.items()}
    file = folder / "coverage.json"
    file.write_text(json.dumps({"files": {"/other/backend.py": {"contexts": contexts}}}), "utf-8")
    return read_reach(file)


def test_those_reach_a_change_that_execute_a_line_of_its_function(tmp_path: Path) -> None:
    reached = reach(tmp_path)
    assert reached.tests(mutant("used", b"x + y")) == [*TESTS.values()]
    assert reached.tests(mutant("used", b"2")) == [*TESTS.values()], "a default is of the function"
    assert reached.tests(mutant("unused", b"return x\n\nclass")) == []
    assert reached.tests(mutant("Kept", b"4")) == ["backend_test.py::test_grow"]


def test_what_the_import_executes_is_reached_by_all(tmp_path: Path) -> None:
    assert reach(tmp_path).tests(mutant("Kept", b"3")) is None


def test_tests_that_were_not_asked_say_nothing() -> None:
    outcome, steady = (set[str](), {"test_a[1]"}), ["test_a[1]", "test_a[2]", "test_b"]
    assert broken(outcome, steady, ["backend_test.py::T::test_a"]) == ["test_a[2]"]
    assert broken(outcome, steady) == ["test_a[2]", "test_b"]
