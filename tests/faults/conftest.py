from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.runs import Run


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results file of a run that nothing happens to."""
    run = Run(tmp_path_factory.mktemp("undisturbed") / "run", "")
    assert run.to_the_end() == 0, run.console.read_text()
    return run.output / "staged.json"
