"""Which of Keras's own backend tests reach a function, as coverage.py saw it."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.mutation.code.population import CodeMutant

SETTINGS = """
[run]
dynamic_context = test_function
source_pkgs = keras.backend
data_file = {folder}/coverage
[json]
show_contexts = True
output = {folder}/coverage.json
"""
"""For coverage.py 5: the tests that execute a line, by their dotted names."""


@dataclass(frozen=True, slots=True)
class KerasReach:
    """For each file of the backend, by its name, and each line that was executed: who did it."""

    files: Mapping[str, Mapping[int, Sequence[str]]]

    def tests(self, mutant: CodeMutant) -> list[str] | None:
        """The tests that reach the mutant's function or method, as pytest names them.

        None if all do: what stands outside of functions is executed by the import.
        """
        body = _body(mutant)
        if body is None:
            return None
        executed = self.files.get(Path(mutant.module.file).name, {})
        names = {name for line in body for name in executed.get(line, ())}
        return None if "" in names else sorted(map(_node, names))


def read_reach(report: Path) -> KerasReach:
    """The lines in a JSON report of coverage.py, with their contexts."""
    files = json.loads(report.read_text("utf-8"))["files"]
    return KerasReach(
        {Path(name).name: _lines(record["contexts"]) for name, record in files.items()}
    )


def _lines(contexts: Mapping[str, Sequence[str]]) -> dict[int, Sequence[str]]:
    return {int(line): names for line, names in contexts.items()}


def _body(mutant: CodeMutant) -> range | None:
    """The lines below the `def` of the outermost function around the change."""
    unit = mutant.module.units()[mutant.unit]
    inside = unit.body if isinstance(unit, ast.ClassDef) else [unit]
    for node in inside:
        if isinstance(node, ast.FunctionDef):
            start, end = mutant.module.text.span(node)
            if start <= mutant.edit.start < end:
                return range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    return None


def _node(context: str) -> str:
    """`backend_test.py::TestBackend::test_switch` of `backend_test.TestBackend.test_switch`."""
    module, *names = context.split(".")
    return "::".join((f"{module}.py", *names))
