"""How soon composed programs find each planted fault, and how small what is left of the program is.

    python -m benchmarks.planted [SEED...]

Each fault of `tests/fuzz/faults.py` is hunted as its test does: programs of the seed (0), four
at a time, until one fails. Seconds include the start of the target and making the program smaller.
"""

from __future__ import annotations

import sys

from rich.table import Table

from benchmarks.printing import printed
from conformance.cli.options.fuzz import DEFAULT
from tests.fuzz.faults import FAULTS
from tests.fuzz.hunting import calls, hunted


def row(fault: str, seed: int) -> tuple[str, ...]:
    """What the table says of a fault."""
    hunt = hunted(fault, DEFAULT, seed=seed)
    composed = hunt.results.composed
    programs = str(composed.programs) if composed else "?"
    least = str(min(map(calls, hunt.failures))) if hunt.failures else "not found"
    return fault, str(seed), programs, f"{hunt.seconds:.1f}", least


def main() -> None:
    """Hunt, and print the table."""
    table = Table("fault", "seed", "programs", "s", "calls that are left")
    for fault in FAULTS:
        for seed in map(int, sys.argv[1:] or ["0"]):
            table.add_row(*row(fault, seed))
    printed(table)


if __name__ == "__main__":
    main()
