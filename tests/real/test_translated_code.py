"""Old code that `conformance migration --write` changed gives the old numbers on Keras 3."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.cli import main
from tests.real.conftest import require

OLD_CODE = Path(__file__).parents[1] / "cli" / "migration" / "old_code"
NAMES = sorted(file.stem for file in OLD_CODE.glob("*.py"))
RUN = """
import json, sys
import numpy as np
if sys.argv[1] == "old":
    import tf_keras
    sys.modules["keras"] = tf_keras
    for name in ("backend", "layers"):
        sys.modules["keras." + name] = getattr(tf_keras, name)
rng = np.random.default_rng(517)
x, y = rng.normal(size=(4, 3)), (rng.random((4, 3)) > 0.5).astype("float32")
results = {}
for name in sys.argv[2:]:
    results[name] = np.asarray(__import__(name).result(x, y), "float64").tolist()
print("RESULTS", json.dumps(results))
"""


def results(target: str, folder: Path, which: str) -> dict[str, object]:
    """What the files give in the target's interpreter."""
    require(target)
    described = shipped()[target]
    done = subprocess.run(
        [environments.interpreter(described), "-c", RUN, which, *NAMES],
        cwd=folder,
        env=environments.launch_environment(described),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULTS")]
    assert lines, done.stderr[-2000:]
    values: dict[str, object] = json.loads(lines[0].removeprefix("RESULTS"))
    return values


@pytest.mark.real
def test_ten_files_give_the_old_numbers(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        shutil.copytree(OLD_CODE, folder)
    done = CliRunner().invoke(
        main, ["migration", "--scan", str(new), "--write", "--fail-on", "never"]
    )
    assert done.exit_code == 0 and len(NAMES) == 10
    assert "0 left" in done.stderr and "1 left" not in done.stderr
    expected = results("tf_keras", old, "old")
    for target in ("keras3-numpy", "keras3-jax", "keras3-torch"):
        got = results(target, new, "new")
        for name in NAMES:
            np.testing.assert_allclose(
                np.asarray(got[name]), np.asarray(expected[name]), rtol=1e-5, atol=1e-6
            )
