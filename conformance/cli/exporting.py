"""`conformance export --pytest FILE`: the failures of results as a test module."""

from __future__ import annotations

from collections.abc import Sequence

import click

import conformance
from conformance.cli.errors import UsageProblem
from conformance.cli.options.given import ExportOptions
from conformance.cli.outputs import write_file
from conformance.cli.results_files import stored
from conformance.cli.stored_failures import StoredFailure, chosen_failures, failures
from conformance.near_names import proposal
from conformance.reporting.pytest_module import ExportedTest, judges, module
from conformance.reporting.safe_text import clean
from conformance.results.scores import FAULTS


def export(options: ExportOptions) -> int:
    """Write the module and say what is in it; the exit status."""
    found = _chosen(options)
    tests = [_test(one) for one in found if judges(one.failure.script)]
    if not tests:
        hint = "make results with `conformance run --output DIR`; -k, --target and --all choose"
        raise UsageProblem("no failure with a script that judges itself is chosen", hint)
    write_file(options.file, module(tests, conformance.__version__).encode())
    click.echo(clean(f"{options.file}: {len(tests)} tests{_left_out(len(found) - len(tests))}"))
    return 0


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"; {count} failures have no script that judges itself: run their targets again"


def _chosen(options: ExportOptions) -> Sequence[StoredFailure]:
    there = failures(stored(options.places).values())
    names = list(dict.fromkeys(one.target.name for one in there))
    for name in options.targets:
        if name not in names:
            raise UsageProblem(f"no failures of target {name!r}", proposal(name, names))
    found = chosen_failures(there, options.targets, options.select)
    return [one for one in found if options.everything or one.failure.verdict in FAULTS]


def _test(one: StoredFailure) -> ExportedTest:
    return ExportedTest(
        target=one.target.name,
        function=one.function,
        aspect=one.aspect.aspect,
        identity=one.failure.id,
        script=str(one.failure.script),
    )
