"""`conformance migration`: what takes the place of each function of K, and of each use of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from conformance.adapters import mappings
from conformance.adapters.mappings import Table
from conformance.adapters.registry import shipped
from conformance.cli.errors import UsageProblem
from conformance.cli.options.given import MigrationOptions
from conformance.cli.outputs import write_file
from conformance.cli.porting.scan import scan
from conformance.cli.show import read_places
from conformance.reporting.migration import migration_page
from conformance.reporting.migration_claims import Replacement, unproven
from conformance.results import Results
from conformance.specs import load
from conformance.specs.load import signature

MIGRATED = "keras-2.2"
"""The edition whose functions have rows in a mapping: what takes their place."""


def migration(options: MigrationOptions) -> int:
    """Write the page, hold the mapping to the results, or look at old code; the exit status.

    UsageProblem without results that are needed.
    """
    if options.check and options.output is not None:
        raise UsageProblem("--check writes no page", "leave out --output")
    if options.scanned:
        return _scan(options)
    if not options.places:
        hint = "name files that `conformance run keras3 --output DIR` wrote; or --scan PATH"
        raise UsageProblem("there are no results to tell of", hint)
    _tell(options.places, options.output, check=options.check)
    return 0


def _scan(options: MigrationOptions) -> int:
    if options.check:
        raise UsageProblem("--scan and --check", "write one of them")
    found, path = _mapped(read_places(options.places)) if options.places else ([], _shipped_table())
    table = mappings.load(path)
    return scan(options, table, found)


def _shipped_table() -> Path:
    """The table of Keras 3, which comes with the suite."""
    return next(t.mapping for t in shipped().values() if t.mapping is not None)


def _tell(places: Sequence[Path], output: Path | None, *, check: bool) -> None:
    found, path = _mapped(read_places(places))
    named = " ".join(["conformance migration RESULTS", *([f"--output {output}"] if output else [])])
    table = mappings.load(path)
    if check:
        _report(list(unproven(_rows(table), found)), len(found))
        return
    page = migration_page("From keras.backend to Keras 3", table.notes, _rows(table), found, named)
    if output is None:
        click.echo(page, nl=False)
    else:
        write_file(output, page.encode())


def _report(problems: list[str], targets: int) -> None:
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.exceptions.Exit(1)
    click.echo(f"what the mapping says is borne out by the results of {targets} targets")


def _mapped(results: list[Results]) -> tuple[list[Results], Path]:
    """The results of targets with a mapping, in the registry's order, and the mapping of them."""
    order = {
        name: t.mapping
        for name, t in shipped().items()
        if t.mapping is not None and t.edition == MIGRATED
    }
    known = {one.target.name: one for one in results if one.target.name in order}
    tables = {path for name, path in order.items() if name in known}
    if len(tables) != 1:
        raise UsageProblem(
            "no results of a target with a mapping" if not tables else "results of two mappings",
            f"give results of one group, such as {', '.join(order)}",
        )
    return [known[name] for name in order if name in known], tables.pop()


def _rows(table: Table) -> list[Replacement]:
    rows = [
        Replacement(
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
        Replacement(name=name, old=_documented(name), new="", differs=reason)
        for name, reason in table.absent.items()
    ]
    return rows + absent


def _documented(name: str) -> str:
    """The documented signature of a function of the edition that is mapped."""
    return str(signature(load()[name], MIGRATED))
