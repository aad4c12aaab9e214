"""How cost grows with cases, sizes, targets, workers and shards.

    python -m benchmarks.growth [--chart FILE] [ROW...]

Each row of the table is a run of the suite, or an expectation of the oracle, in processes of its
own: CPU seconds of all processes, also as multiples of a loop of 20 million additions in Python,
and seconds of wall time. ROW is one of `cases`, `sizes`, `targets`, `workers`, `shards`; without
any, all are measured (a quarter of an hour). The chart needs Matplotlib
(`uv run --with matplotlib python -m benchmarks.growth --chart docs/growth.svg`).
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import msgspec
import numpy as np
from rich.table import Column, Table

from benchmarks.planning import loop
from benchmarks.printing import printed
from conformance.oracle import expect
from conformance.reporting.json_results import read_results
from conformance.specs import load

RUN = (sys.executable, "-m", "conformance", "run", "--no-database", "--quiet")
PARTS = (8, 4, 2, 1)
ENOUGH = 0.2
"""CPU seconds that an expectation is repeated for, at least."""
SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class GrowthTime:
    """What one measurement took, and how much it did (cases, or elements)."""

    what: str
    amount: int
    cpu: float
    wall: float


def ran(what: str, *options: str) -> GrowthTime:
    """A run of the suite with these options."""
    with tempfile.TemporaryDirectory() as folder:
        before, start = _children(), time.monotonic()
        subprocess.run((*RUN, *options, "--output", folder), check=True, stdout=subprocess.DEVNULL)
        spent, wall = _children() - before, time.monotonic() - start
        cases = sum(read_results(file).run.cases for file in Path(folder).glob("*.json"))
    return GrowthTime(what, cases, spent, wall)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cases() -> Iterator[GrowthTime]:
    """An eighth of the default plan, a quarter, half, and the whole."""
    for parts in PARTS:
        yield ran(f"1/{parts} of the plan", "reference", "--jobs", "1", "--shard", f"1/{parts}")


def shards() -> Iterator[GrowthTime]:
    """The whole plan in 1, 2 and 4 shards, one after the other."""
    for parts in reversed(PARTS[1:]):
        every = [
            ran("", "reference", "--jobs", "1", "--shard", f"{part}/{parts}")
            for part in range(1, parts + 1)
        ]
        cases_, cpu, wall = (sum(column) for column in zip(*map(_numbers, every), strict=True))
        yield GrowthTime(f"{parts} shards", int(cases_), cpu, wall)


def _numbers(spent: GrowthTime) -> tuple[float, float, float]:
    return spent.amount, spent.cpu, spent.wall


def targets() -> Iterator[GrowthTime]:
    """One target, and two of one edition, which share the plan and its expectations."""
    for names in (("reference",), ("reference", "torch")):
        yield ran(" and ".join(names), *names, "--jobs", "1", "--fail-on", "never")


def workers() -> Iterator[GrowthTime]:
    """One worker, and two, for one target."""
    for jobs in ("1", "2"):
        yield ran(f"{jobs} workers", "reference", "--jobs", jobs)


def sizes() -> Iterator[GrowthTime]:
    """What an expectation costs by the number of elements of the result."""
    for function, arguments in _CALLS.items():
        accuracy = load()[function].accuracy
        assert accuracy is not None
        for size in SIZES:
            keywords = arguments(size)
            cpu = _repeated(partial(expect, function, keywords, "float32", accuracy))
            yield GrowthTime(f"{function} of {size:,} elements", size, cpu, cpu)


_CALLS: Mapping[str, Callable[[int], dict[str, object]]] = {
    "exp": lambda size: {"x": np.linspace(-5, 5, size, dtype="float32")},
    "sum": lambda size: {"x": np.linspace(-5, 5, size, dtype="float32"), "axis": 0},
    "softmax": lambda size: {"x": np.linspace(-5, 5, size, dtype="float32").reshape(-1, 10)},
}


def _repeated(act: Callable[[], object]) -> float:
    """CPU seconds of one call, as the mean of many."""
    count, start = 0, time.process_time()
    while time.process_time() - start < ENOUGH:
        act()
        count += 1
    return (time.process_time() - start) / count


ROWS: Mapping[str, Callable[[], Iterator[GrowthTime]]] = {
    "cases": cases,
    "sizes": sizes,
    "targets": targets,
    "workers": workers,
    "shards": shards,
}


def table(measured: Mapping[str, Sequence[GrowthTime]], unit: float) -> Table:
    """The table, in which a row that grows linearly has the same last number in each line."""
    shown = Table("", Column(no_wrap=True), "amount", "CPU s", "loops", "wall s", "µs for each")
    for name, rows in measured.items():
        for spent in rows:
            each = spent.cpu / max(1, spent.amount) * 1e6
            numbers = (spent.cpu, spent.cpu / unit, spent.wall)
            shown.add_row(
                name,
                spent.what,
                f"{spent.amount:,}",
                *(f"{n:.3g}" for n in numbers),
                f"{each:.3g}",
            )
    return shown


def chart(measured: Mapping[str, Sequence[GrowthTime]], file: Path) -> None:
    """CPU seconds against cases and against elements, on logarithmic axes."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - for charts alone

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, name in zip(axes, ("cases", "sizes"), strict=True):
        for family, line in _families(measured.get(name, ())).items():
            axis.plot([s.amount for s in line], [s.cpu for s in line], marker="o", label=family)
        label = {"cases": "cases", "sizes": "elements"}[name]
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel="CPU seconds")
        axis.legend()
    figure.savefig(file)


def _families(rows: Sequence[GrowthTime]) -> dict[str, list[GrowthTime]]:
    """What belongs to one line: the sizes of one function, the parts of one plan."""
    families: dict[str, list[GrowthTime]] = {}
    for spent in rows:
        first, _, rest = spent.what.partition(" of ")
        family = first if rest.endswith("elements") else "a run of the reference"
        families.setdefault(family, []).append(spent)
    return families


@click.command(help=__doc__)
@click.argument("rows", nargs=-1, type=click.Choice(list(ROWS)))
@click.option("--chart", "file", type=click.Path(path_type=Path), help="Write an SVG.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the numbers as JSON.")
def main(rows: tuple[str, ...], file: Path | None, save: Path | None) -> None:
    """Measure, and print the table."""
    unit = loop()
    measured = {name: list(ROWS[name]()) for name in rows or ROWS}
    printed(table(measured, unit))
    if save is not None:
        save.write_bytes(msgspec.json.encode({"loop": unit, "rows": measured}))
    if file is not None:
        chart(measured, file)


if __name__ == "__main__":
    main()
