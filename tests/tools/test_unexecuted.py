"""The lines of a backend that nothing executes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.mutation.code.scoring import FOLDER
from conformance.mutation.code.units import parsed
from tools.unexecuted import statements

SOURCE = """def choose(x):
    if x:
        return 1
    return 2

class Holder:
    size = 3

    def held(self):
        return self.size
"""


def test_only_lines_inside_functions_count() -> None:
    module = parsed("module", "module.py", SOURCE.encode())
    assert statements(module) == {2, 3, 4, 10}


def test_the_tracer_notes_the_lines_that_run(tmp_path: Path) -> None:
    folder, output = tmp_path / "own", tmp_path / "lines"
    folder.mkdir()
    (folder / "traced.py").write_text(SOURCE, "utf-8")
    code = (
        f"import sys; sys.path[:0] = [{str(FOLDER)!r}, {str(folder)!r}]\n"
        "import conformance_executed\n"
        f"conformance_executed.install(({str(folder)!r},), {str(output)!r})\n"
        "import traced, json; json.dumps([traced.choose(1), traced.choose(2)])"
    )
    subprocess.run([sys.executable, "-B", "-c", code], check=True)
    lines = [int(line.rpartition(":")[2]) for line in output.read_text("utf-8").split()]
    assert {2, 3} <= {*lines}
    assert {4, 10}.isdisjoint(lines)
