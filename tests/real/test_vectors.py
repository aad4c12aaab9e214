"""Released implementations get the same results by vectors and by the oracle."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters.registry import shipped
from conformance.cli.targets.subjects import subject
from conformance.editions import Edition
from conformance.vectors.folder import read_index
from conformance.vectors.recorded import recorded_tasks
from tests.real.conftest import require
from tests.vectors.support import small_tasks, write
from tests.vectors.test_recorded import results

CALLS: dict[str, tuple[Edition, tuple[str, ...]]] = {
    "keras-2.2.4-tensorflow": ("keras-2.2", ("softmax", "conv2d", "batch_dot", "cumsum", "log")),
    "keras3-ops-numpy": (
        "keras-3",
        ("keras.ops.softmax", "keras.ops.argsort", "keras.ops.sum", "keras.ops.qr"),
    ),
}


@pytest.mark.parametrize("target", CALLS)
def test_vectors_give_the_results_of_the_oracle(target: str, tmp_path: Path) -> None:
    require(target)
    edition, functions = CALLS[target]
    tested = subject(shipped()[target])
    folder = write(tmp_path, small_tasks(functions, edition))
    own = results(tested, small_tasks(functions, edition))
    recorded = recorded_tasks(folder, read_index(folder), small_tasks(functions, edition))
    assert results(tested, recorded) == own
    assert own.run.cases > 50
