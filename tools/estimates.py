"""Make the table of what functions cost and which fail, by which runs are planned.

    nox -s reports
    python -m tools.estimates reports

The seconds of a function on a library are the mean over the library's targets, of whole runs, best
on a machine that has nothing else to do; those of a library in `APART` are told apart, as one takes
many times as long as another. A run of another profile than the default one counts in proportion to
the cases. How much of each theme fails is the mean over the implementations in `OTHERS`. What the
folder has no results for stays as it was.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import msgspec

from conformance.adapters.registry import shipped
from conformance.engine.planning.estimates import TABLE, Estimates, estimates
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
"""Seconds: nothing is for nothing."""


def seconds(measured: Sequence[Results]) -> dict[str, float]:
    """For each function the mean wall time. ValueError if a run is of a part only."""
    found = defaultdict(list)
    for one in measured:
        if not one.run.spent or not one.run.whole:
            raise ValueError(
                f"{one.target.name}: measure with a whole run of this version of the suite"
            )
        more = scale(one)
        for name, spent in one.run.spent.items():
            found[name].append(spent.seconds * more[name])
    return {name: max(_LEAST, round(statistics.mean(all_), 3)) for name, all_ in found.items()}


def scale(measured: Results) -> dict[str, float]:
    """For each function how many times as many cases the default profile has as that of the run."""
    tasks = plan(load(), measured.target.edition, PROFILES[measured.run.profile], measured.run.seed)
    return {
        task.spec.name: task.with_profile(PROFILES[MEASURED]).planned / max(1, task.planned)
        for task in tasks
    }


def failing(published: Sequence[Results]) -> dict[str, float]:
    """For each theme the share of the aspects that fail, as a mean over the targets."""
    themes = list(dict.fromkeys(f.theme for one in published for f in one.functions))
    return {theme: round(statistics.mean(_shares(published, theme)), 4) for theme in themes}


def _shares(published: Sequence[Results], theme: str) -> list[float]:
    return [_share([f for f in one.functions if f.theme == theme]) for one in published]


def _share(functions: Sequence[FunctionResult]) -> float:
    verdicts = [aspect.verdict for function in functions for aspect in function.aspects]
    return sum(verdict in _FAILING for verdict in verdicts) / max(1, len(verdicts))


def libraries(published: Mapping[str, Results]) -> dict[str, list[Results]]:
    """The results of each library's targets, and of each target of one in `APART`."""
    found = defaultdict(list)
    for name, target in shipped().items():
        if name in published:
            found[name if target.library in APART else target.library].append(published[name])
    return dict(found)


def table(published: Mapping[str, Results], before: Estimates) -> Estimates:
    """The table, with what was known before. ValueError if something is missing in the results."""
    measured = libraries(published)
    names = {key: [one.target.name for one in runs] for key, runs in measured.items()}
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
        made = table({one.target.name: one for one in read}, estimates())
    except ValueError as error:
        raise click.UsageError(f"{folder}: {error}") from error
    output.write_bytes(b"# Made by tools/estimates.py\n" + msgspec.toml.encode(made))
    click.echo(output)


if __name__ == "__main__":
    main()
