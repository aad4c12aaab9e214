"""`conformance history`: run releases one after the other, and print their changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from conformance.adapters import environments
from conformance.adapters.environments import Missing
from conformance.adapters.installation import InstallationError
from conformance.adapters.releases import PackageRelease
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.outputs import check_writable
from conformance.cli.history.files import DEFAULT, past_file, read_history, read_past, write_past
from conformance.cli.history.page import write_page
from conformance.cli.history.releases import package_of, releases
from conformance.cli.history.running import HistoryScope, run_release, tasks_of
from conformance.cli.options.selection import nothing_selected
from conformance.cli.options.values import HistoryOptions
from conformance.cli.targets.known import chosen, known_targets
from conformance.history import CellChange, PastRun, changes
from conformance.history.spans import counts
from conformance.reporting.safe_text import clean, counted
from conformance.specs import load
from conformance.specs.docstrings import described_release


def history(options: HistoryOptions) -> int:
    """Run the releases without a file, or print the stored ones; the exit status.

    Raises:
        UsageProblem: a target, version or expression is wrong.
    """
    folder = options.output or DEFAULT
    targets = chosen(options.targets, known_targets(options.config))
    if options.versions is None:
        return _print_stored(folder, [target.name for target in targets], last=options.last)
    check_writable(folder)
    ready = True
    for target in targets:
        ready &= _run_target(target, folder, options)
    write_page(folder, read_history(folder))
    return 0 if ready else CANNOT_RUN


def _run_target(target: Target, folder: Path, options: HistoryOptions) -> bool:
    """Whether every release of one target has its verdicts afterwards."""
    state = environments.status(target)
    if isinstance(state, Missing):
        click.echo(clean(f"error: {target.name}: {state.reason}; {state.hint}"), err=True)
        return False
    scope = _scope(target, options)
    ready = True
    for release in _releases(target, options):
        file = past_file(folder, target.name, release.version)
        past = None if options.again or not file.exists() else read_past(file)
        if past is None or not scope.covers(past):
            past = run_release(target, release, scope, remove=options.remove)
            write_past(folder, past)
        click.echo(clean(_line(past, changes(read_history(folder)[target.name]))))
        ready &= not past.problem
    return ready


def _scope(target: Target, options: HistoryOptions) -> HistoryScope:
    scope = HistoryScope(
        profile=options.profile,
        seed=options.seed,
        selection=options.selection,
        select=options.select,
        aspects=options.chosen_aspects,
        jobs=options.jobs,
    )
    if not tasks_of(target, scope):
        raise nothing_selected(options.selection, list(load()), target.edition)
    return scope


def _releases(target: Target, options: HistoryOptions) -> list[PackageRelease]:
    assert options.versions is not None
    package = package_of(target, options.package)
    try:
        return releases(options.versions, package, every=options.every)
    except InstallationError as error:
        raise UsageProblem(error.reason, error.hint or "write the versions: 3.4.1,3.5.0") from error


def _line(past: PastRun, cell_changes: Iterable[CellChange]) -> str:
    """One release in a line."""
    name = f"{past.target.name} with {past.package} {past.version}"
    if past.problem:
        return f"{name}: cannot run: {past.problem}"
    own = [change for change in cell_changes if change.version == past.version]
    fixed = sum(change.fixed for change in own)
    totals = ", ".join(f"{count} {state}" for state, count in counts(past).items())
    seconds = f" ({past.seconds:.0f} s)" if past.seconds else ""
    broken = counted(len(own) - fixed, "regression")
    unread = "; its docstrings could not be read" if _is_unread(past) else ""
    return f"{name}: {totals}; {broken}, {counted(fixed, 'fix', 'fixes')}{unread}{seconds}"


def _is_unread(past: PastRun) -> bool:
    """Whether the edition's text judged all, because the release's own could not be read."""
    return not past.document and described_release(past.target.edition) is not None


def _print_stored(folder: Path, names: Sequence[str], *, last: bool) -> int:
    stored = read_history(folder)
    if not any(name in stored for name in names):
        hint = f"add --versions A..B; {folder} has {', '.join(stored) or 'none'}"
        raise UsageProblem(f"no history of {' or '.join(names)} in {folder}", hint)
    for name in names:
        for indent, line in _stored_lines(name, stored.get(name, []), last=last):
            click.echo(" " * indent + clean(line))
    return 0


def _stored_lines(name: str, runs: Sequence[PastRun], *, last: bool) -> Iterator[tuple[int, str]]:
    """Each line with its indentation."""
    cell_changes = changes(runs)
    yield 0, f"{name}: {counted(len(runs), 'release')}"
    for past in runs[-1:] if last else runs:
        yield 2, _line(past, cell_changes)
        for change in cell_changes:
            if change.version == past.version:
                yield 4, str(change)
