"""What planning costs: CPU seconds of all plans of an edition, as a multiple of a simple loop.

    python -m benchmarks.planning [PROFILE] [--anew]

With `--anew` the covering arrays that come with the suite are found instead.

The loop, measured in the same run, tells the machine (docs/benchmarks.md).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from unittest.mock import patch

from conformance.engine import PROFILES
from conformance.engine.planning.plan import plan
from conformance.generators import collect
from conformance.specs import load

LOOP = "s = 0\nfor i in range(20_000_000): s += i"


def loop() -> float:
    """The unit: CPU seconds of a process that runs the loop at module level."""
    before = os.times()
    subprocess.run([sys.executable, "-c", LOOP], check=True)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def planned(profile: str) -> int:
    """How many trials the plans of the newest edition have."""
    tasks = plan(load(), "keras-2.2", PROFILES[profile], 0)
    return sum(len(task.trials()) for task in tasks)


def seconds(act: Callable[[], int]) -> tuple[float, int]:
    """The CPU seconds that it takes, and what it gives."""
    start = time.process_time()
    result = act()
    return time.process_time() - start, result


def main() -> None:
    """Measure, and print a line."""
    names = [argument for argument in sys.argv[1:] if argument != "--anew"]
    profile = names[0] if names else "default"
    if "--anew" in sys.argv:
        patch.object(collect, "stored_array", return_value=None).start()
    load()
    unit = loop()
    spent, trials = seconds(lambda: planned(profile))
    print(f"{profile}: {trials} trials, {spent:.1f} s, {spent / unit:.1f} loops of {unit:.2f} s")


if __name__ == "__main__":
    main()
