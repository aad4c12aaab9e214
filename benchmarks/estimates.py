"""Make the table of what functions cost and which fail, by which runs are planned.

    conformance run keras-2.2.4-tensorflow --jobs 1 --output measured
    python benchmarks/estimates.py measured/keras-2.2.4-tensorflow.json reports/keras-*.json ...

The seconds of each function are those of the first file, of a whole run of the default profile with
one worker at a time, on a machine that has nothing else to do. How much of each theme fails is the
mean over the other files, which should be implementations of other people.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from conformance.engine.estimates import TABLE, Estimates
from conformance.reporting import read_results
from conformance.results import FunctionResult, Results, Verdict

_FAILING = {Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.DIVERGES}
_LEAST = 0.001
"""Seconds: nothing is for nothing."""


def seconds(measured: Results) -> dict[str, float]:
    """The wall time of each function. ValueError if the run is of a part only."""
    spent = measured.run.spent
    if not spent or not measured.run.whole:
        raise ValueError("measure with a whole run of this version of the suite")
    return {name: max(_LEAST, round(one.seconds, 3)) for name, one in spent.items()}


def failing(published: Sequence[Results]) -> dict[str, float]:
    """For each theme the share of the aspects that fail, as a mean over the targets."""
    themes = list(dict.fromkeys(f.theme for one in published for f in one.functions))
    return {theme: round(statistics.mean(_shares(published, theme)), 4) for theme in themes}


def _shares(published: Sequence[Results], theme: str) -> list[float]:
    return [_share([f for f in one.functions if f.theme == theme]) for one in published]


def _share(functions: Sequence[FunctionResult]) -> float:
    verdicts = [aspect.verdict for function in functions for aspect in function.aspects]
    return sum(verdict in _FAILING for verdict in verdicts) / max(1, len(verdicts))


def table(measured: Results, published: Sequence[Results]) -> Estimates:
    """The table."""
    info, run = measured.target, measured.run
    versions = ", ".join(f"{name} {version}" for name, version in sorted(info.versions.items()))
    return Estimates(
        measured=f"{info.name} ({versions}), profile {run.profile}, {run.started}",
        published=[one.target.name for one in published],
        failing=failing(published),
        seconds=seconds(measured),
    )


@click.command(help=__doc__)
@click.argument("measured", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("published", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--output", default=TABLE, show_default=True, type=click.Path(path_type=Path))
def main(measured: Path, published: Sequence[Path], output: Path) -> None:
    """Write the table."""
    try:
        made = table(read_results(measured), [read_results(file) for file in published])
    except ValueError as error:
        raise click.UsageError(f"{measured}: {error}") from error
    output.write_bytes(b"# Made by benchmarks/estimates.py\n" + msgspec.toml.encode(made))
    click.echo(output)


if __name__ == "__main__":
    main()
