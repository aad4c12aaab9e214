"""`conformance migration`: the replacement of each function of K, and of each use of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from conformance.adapters import mappings
from conformance.adapters.mappings import MappingTable
from conformance.adapters.registry import shipped
from conformance.cli.errors import UsageProblem
from conformance.cli.files.outputs import write_file
from conformance.cli.migration.scan import scan
from conformance.cli.options.values import MigrationOptions
from conformance.cli.show.show import read_places
from conformance.reporting.migration import MigrationRow, migration_page, unproven
from conformance.results import Results
from conformance.specs import load
from conformance.specs.load import signature

MIGRATED = "keras-2.2"
"""The edition whose functions have rows in a mapping: their replacements."""


def migration(options: MigrationOptions) -> int:
    """Write the page, check the mapping against the results, or scan old code; the exit status.

    Raises:
        UsageProblem: options contradict each other, or needed results are missing.
    """
    if options.check and options.output is not None:
        raise UsageProblem("--check writes no page", "leave out --output")
    _refuse_lone_options(options)
    if options.scanned:
        return _scan(options)
    if not options.places:
        hint = "name files that `conformance run keras3 --output DIR` wrote; or --scan PATH"
        raise UsageProblem("there are no results to report", hint)
    _tell(options.places, options.output, check=options.check)
    return 0


def _refuse_lone_options(options: MigrationOptions) -> None:
    """Refuse options that mean nothing beside the others."""
    chosen = {"--backend": options.backend, "--diff": options.diff, "--write": options.write}
    lone = [name for name, value in chosen.items() if value]
    if lone and not options.scanned:
        raise UsageProblem(f"{lone[0]} without --scan", "name old code: --scan PATH")
    if (options.diff or options.write) and options.form != "text":
        raise UsageProblem(f"{lone[-1]} with --format {options.form}", "leave out --format")
    if options.write and (options.diff or options.output):
        other = "--diff" if options.diff else "--output"
        raise UsageProblem(f"--write and {other}", "write one of them")


def _scan(options: MigrationOptions) -> int:
    if options.check:
        raise UsageProblem("--scan and --check", "write one of them")
    results, path = (
        _mapped(read_places(options.places)) if options.places else ([], _shipped_table())
    )
    table = mappings.load(path)
    return scan(options, table, results)


def _shipped_table() -> Path:
    """The table of Keras 3, which the suite ships."""
    return next(t.mapping for t in shipped().values() if t.mapping is not None)


def _tell(places: Sequence[Path], output: Path | None, *, check: bool) -> None:
    results, path = _mapped(read_places(places))
    named = " ".join(["conformance migration RESULTS", *([f"--output {output}"] if output else [])])
    table = mappings.load(path)
    if check:
        _report(list(unproven(_rows(table), results)), len(results))
        return
    page = migration_page(
        "From keras.backend to Keras 3", table.notes, _rows(table), results, named
    )
    if output is None:
        click.echo(page, nl=False)
    else:
        write_file(output, page.encode())


def _report(problems: list[str], targets: int) -> None:
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.exceptions.Exit(1)
    results = "result confirms" if targets == 1 else "results confirm"
    click.echo(f"{targets} {results} the mapping")


def _mapped(results: list[Results]) -> tuple[list[Results], Path]:
    """The results of targets with a mapping, in the registry's order, and the mapping of them."""
    order = {
        name: t.mapping
        for name, t in shipped().items()
        if t.mapping is not None and t.edition == MIGRATED
    }
    known = {run.target.name: run for run in results if run.target.name in order}
    tables = {path for name, path in order.items() if name in known}
    if len(tables) != 1:
        raise UsageProblem(
            "no results of a target with a mapping" if not tables else "results of two mappings",
            f"give results of one group, such as {', '.join(order)}",
        )
    return [known[name] for name in order if name in known], tables.pop()


def _rows(table: MappingTable) -> list[MigrationRow]:
    rows = [
        MigrationRow(
            name=name,
            old=f"{name}({row.old})",
            new=row.new.strip(),
            differs=row.differs,
            remark=row.remark,
            on=row.on,
            left_out=row.untaken(name),
            refuses=tuple(row.refuses.values()),
        )
        for name, row in table.functions.items()
    ]
    absent = [
        MigrationRow(name=name, old=_documented(name), new="", differs=reason)
        for name, reason in table.absent.items()
    ]
    return rows + absent


def _documented(name: str) -> str:
    """The documented signature of a function of the edition that is mapped."""
    return str(signature(load()[name], MIGRATED))
