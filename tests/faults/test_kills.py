"""Runs that are killed at any time and resumed are whole.

`python -m tests.faults.test_kills 100` kills and resumes a hundred runs and prints what came of it.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from conformance.adapters import guardian
from conformance.results import Results, timeless
from tests.adapters.support import alive
from tests.faults.runs import Run

MOST_KILLS = 3
_CLEANED = 30.0


def straight(folder: Path) -> tuple[Results, float]:
    """The results of a run that nothing happens to, and its seconds."""
    run, begun = Run(folder, ""), time.monotonic()
    assert run.to_the_end() == 0, run.console.read_text()
    return timeless(run.results), time.monotonic() - begun


def killed_and_resumed(folder: Path, expected: Results, seconds: float, seed: int) -> Counter[str]:
    """Kill a run up to three times, resume it each time and let it come to its end."""
    run, chance, counts = Run(folder, ""), random.Random(seed), Counter[str]()
    for _ in range(chance.randint(1, MOST_KILLS)):
        run.start("--resume")
        assert run.process is not None
        time.sleep(chance.uniform(0.0, seconds))
        family = guardian._below(run.process.pid)
        run.process.kill()
        counts["kills"] += run.process.wait() == -9
        _check_left(run, family)
        counts["kills with results"] += _saved(run, expected)
    assert run.to_the_end("--resume") == 0, run.console.read_text()
    assert timeless(run.results) == expected
    counts["whole"] += 1
    return counts


def _check_left(run: Run, family: set[int]) -> None:
    """Nothing is left of what was killed but its results, and what was about to replace them.

    A run that was killed before it had any other process had none to take its empty folder away.
    """
    deadline = time.monotonic() + _CLEANED
    while time.monotonic() < deadline:
        entries = run.temporary.iterdir()
        left = [e for e in entries if family or not e.is_dir() or any(e.iterdir())]
        if not any(map(alive, family)) and not left:
            return
        time.sleep(0.02)
    raise AssertionError([*filter(alive, family), *left])


def _saved(run: Run, expected: Results) -> bool:
    """Whether results were saved; they are whole, and say what those of a whole run say."""
    if not (run.output / "staged.json").exists():
        return False
    verdicts = {f.function: f.aspects for f in expected.functions}
    for function in run.results.functions:
        for aspect, whole in zip(function.aspects, verdicts[function.function], strict=True):
            assert aspect.verdict in (whole.verdict, "not run")
    return True


@pytest.mark.slow
def test_killed_and_resumed_runs_are_whole(tmp_path: Path) -> None:
    expected, seconds = straight(tmp_path / "straight")
    counts = Counter[str]()
    for seed in range(8):
        counts += killed_and_resumed(tmp_path / str(seed), expected, seconds, seed)
    assert counts["whole"] == 8
    assert counts["kills"]


def main(runs: int) -> None:
    """Kill and resume so many runs, and print the figures."""
    counts, begun = Counter[str](), time.monotonic()
    with TemporaryDirectory() as folder:
        expected, seconds = straight(Path(folder, "straight"))
        for seed in range(runs):
            counts += killed_and_resumed(Path(folder, str(seed)), expected, seconds, seed)
            print(seed, dict(counts), flush=True)
    print(f"{runs} runs: {dict(counts)}, in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]))
