"""Measure what functions cost and how often they fail, by which runs are planned.

    nox -s reports
    python -m tools.estimates reports

FOLDER holds the results of whole runs, best of a machine with nothing else to do. The seconds of a
function on a library are the mean over the library's targets. Targets of a library in `APART` are
measured separately, because one takes many times as long as another. A run of another profile than
the default one counts in proportion to its cases. The share of each theme that fails is the mean
over the implementations in `OTHERS`. Estimates without results in FOLDER stay.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from conformance.adapters.registry import shipped
from conformance.engine.planning.estimates import TABLE, Estimates, encoded, estimates
from conformance.engine.planning.plan import plan
from conformance.engine.planning.portions import MEASURED
from conformance.engine.planning.profiles import PROFILES
from conformance.reporting.containers import json_files
from conformance.reporting.json_results import read_results
from conformance.results import FunctionResult, Results, Verdict
from conformance.specs import load

OTHERS = (
    "keras-2.2.4-tensorflow",
    "keras-2.2.4-theano",
    "keras-2.2.4-cntk",
    "tf_keras",
    "tf_keras-graph",
)
"""Implementations by other people that are not like each other."""
USUAL = "tensorflow"
"""The library that stands for those that were not measured."""
APART = ("keras3", "keras3-ops")
"""Libraries that compute with others."""
_FAILING = {Verdict.VIOLATES, Verdict.CHANGED, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.DIVERGES}
_LEAST = 0.001
"""Seconds: no function is free."""


def seconds(measured: Sequence[Results]) -> dict[str, float]:
    """For each function the mean wall time in seconds.

    Raises:
        ValueError: a run is not whole, or of another version of the suite.
    """
    times = defaultdict(list)
    for run in measured:
        if not run.run.spent or not run.run.whole:
            raise ValueError(
                f"{run.target.name}: measure with a whole run of this version of the suite"
            )
        more = scale(run)
        for name, spent in run.run.spent.items():
            times[name].append(spent.seconds * more[name])
    return {name: max(_LEAST, round(statistics.mean(all_), 3)) for name, all_ in times.items()}


def scale(measured: Results) -> dict[str, float]:
    """For each function how many times as many cases the default profile has as that of the run."""
    tasks = plan(load(), measured.target.edition, PROFILES[measured.run.profile], measured.run.seed)
    return {
        task.spec.name: task.with_profile(PROFILES[MEASURED]).planned / max(1, task.planned)
        for task in tasks
    }


def failing(published: Sequence[Results]) -> dict[str, float]:
    """For each theme the share of the aspects that fail, as a mean over the targets."""
    themes = list(dict.fromkeys(f.theme for run in published for f in run.functions))
    return {theme: round(statistics.mean(_shares(published, theme)), 4) for theme in themes}


def _shares(published: Sequence[Results], theme: str) -> list[float]:
    return [_share([f for f in run.functions if f.theme == theme]) for run in published]


def _share(functions: Sequence[FunctionResult]) -> float:
    verdicts = [aspect.verdict for function in functions for aspect in function.aspects]
    return sum(verdict in _FAILING for verdict in verdicts) / max(1, len(verdicts))


def libraries(published: Mapping[str, Results]) -> dict[str, list[Results]]:
    """The results of each library's targets, and of each target of one in `APART`."""
    runs = defaultdict(list)
    for name, target in shipped().items():
        if name in published:
            runs[name if target.library in APART else target.library].append(published[name])
    return dict(runs)


def table(published: Mapping[str, Results], before: Estimates) -> Estimates:
    """The table, with earlier estimates of other functions. ValueError if results are missing."""
    measured = libraries(published)
    names = {key: [run.target.name for run in runs] for key, runs in measured.items()}
    costs = {key: seconds(runs) for key, runs in measured.items()}
    others = [published[name] for name in OTHERS if name in published]
    return Estimates(
        usual=USUAL,
        measured=before.measured | names,
        published=list(OTHERS),
        failing=failing(others) if len(others) == len(OTHERS) else before.failing,
        seconds=before.seconds | costs,
    )


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", default=TABLE, show_default=True, type=click.Path(path_type=Path))
def main(folder: Path, output: Path) -> None:
    """Write the table."""
    read = [read_results(file) for file in json_files(folder)]
    try:
        estimates_table = table({run.target.name: run for run in read}, estimates())
    except ValueError as error:
        raise click.UsageError(f"{folder}: {error}") from error
    output.write_bytes(encoded(estimates_table))
    click.echo(output)


if __name__ == "__main__":
    main()
