"""`conformance replay ID`: run failing cases of earlier runs again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import click
from rich.text import Text

from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.outputs import print_script
from conformance.cli.files.results import DEFAULT_FOLDER, default_places, in_folders, stored
from conformance.cli.options.values import ReplayOptions
from conformance.cli.replay.rerun import CANNOT, CHANGED, FIXED, STILL, ReplayOutcome, outcomes
from conformance.cli.replay.stored_failures import StoredFailure, chosen_failures, failures, with_id
from conformance.cli.run.database import default_failures
from conformance.cli.targets.known import known_targets, named
from conformance.cli.targets.subjects import module_targets
from conformance.near_names import LISTED, did_you_mean
from conformance.reporting.failures import comparison
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.safe_text import clean
from conformance.results.scores import DEVIATIONS

_STYLES = {
    FIXED: ("✓", "green"),
    STILL: ("✗", "bold red"),
    CHANGED: ("≠", "yellow"),
    CANNOT: ("?", "yellow"),
}


def replay(options: ReplayOptions) -> int:
    """Run the requested failures again, or print a script; the exit status."""
    known = {**known_targets(options.config)}
    own = {target.name: target for target in module_targets(options)}
    chosen = _chosen(options)
    _check_module(own, chosen)
    known |= {name: named(known[name]) for name in options.targets if name in known} | own
    if options.script:
        _print_script(chosen)
        return 0
    return _replay(chosen, known)


def _chosen(options: ReplayOptions) -> list[StoredFailure]:
    """The requested failures; UsageProblem if there are none."""
    there = _there(options.places)
    if not options.places and not all(_is_among(text, there) for text in options.identities):
        there += failures(run for files in in_folders().values() for run in stored(files).values())
    _check_targets(options.targets, [failure.target.name for failure in there])
    selected = chosen_failures(there, options.targets, options.select)
    if bool(options.everything) == bool(options.identities):
        raise UsageProblem("name the failures to replay", "write their ids, or --all")
    if options.everything:
        faults = [failure for failure in selected if failure.failure.verdict in DEVIATIONS]
        return faults or _nothing(options, there)
    matches = [failure for text in options.identities for failure in with_id(text, selected)]
    return list(
        {
            (failure.target.name, failure.target.edition, failure.failure.id): failure
            for failure in matches
        }.values()
    )


def _is_among(text: str, there: Iterable[StoredFailure]) -> bool:
    return any(failure.failure.id.startswith(text) for failure in there)


def _nothing(options: ReplayOptions, there: Sequence[StoredFailure]) -> NoReturn:
    """UsageProblem: the results hold no failure, or none that -k selects."""
    failing = list(
        dict.fromkeys(
            failure.function
            for failure in chosen_failures(there, options.targets)
            if failure.failure.verdict in DEVIATIONS
        )
    )
    if not failing:
        hint = "name other results by --results; replay a reading by its id"
        raise UsageProblem("these results hold no violation", hint)
    raise UsageProblem(
        f"-k {options.selection!r} selects no failure of these results",
        did_you_mean(str(options.selection), failing) or f"there are failures of {_some(failing)}",
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _check_module(own: Iterable[str], chosen: Sequence[StoredFailure]) -> None:
    """UsageProblem if --module describes a target that no chosen failure is of."""
    there = ", ".join(dict.fromkeys(failure.target.name for failure in chosen))
    for name in own:
        if all(failure.target.name != name for failure in chosen):
            raise UsageProblem(
                f"no failure of {name} in these results",
                f"those that are chosen are of {there}; or name other results by --results",
            )


def _there(places: Sequence[Path]) -> list[StoredFailure]:
    """The failures in the results, and without a place also those that the database keeps."""
    remembered = [] if places else default_failures()
    if places or DEFAULT_FOLDER.is_dir() or default_places():
        return [*failures(stored(places).values()), *remembered]
    if not remembered:
        hint = f"`conformance run TARGET --output {DEFAULT_FOLDER}` writes them; or name --results"
        raise UsageProblem("there are no results here", hint)
    return remembered


def _check_targets(names: Sequence[str], there: Sequence[str]) -> None:
    for name in names:
        if name not in there:
            known = ", ".join(map(clean, dict.fromkeys(there)))
            raise UsageProblem(f"no results of target {clean(name)!r}", f"there are: {known}")


def _print_script(chosen: Sequence[StoredFailure]) -> None:
    scripted = [failure for failure in chosen if failure.failure.script]
    if not scripted:
        hint = "an older version wrote these results; run the target again"
        raise UsageProblem("this failure has no script", hint)
    first, *others = scripted
    if any(failure.failure.id != first.failure.id for failure in others):
        raise UsageProblem("--script prints one script", "write one id")
    print_script(str(first.failure.script))
    click.echo(f"script of {first}", err=True)
    for failure in others:
        click.echo(f"  another: --target {clean(failure.target.name)}", err=True)


def _replay(chosen: Sequence[StoredFailure], known: Mapping[str, Target]) -> int:
    """Run, print and count; the exit status."""
    console = make_console()
    paint = Paint(console)
    counts: Counter[str] = Counter()
    for outcome in outcomes(chosen, known):
        counts[outcome.status] += 1
        for line in _lines(outcome, paint):
            console.print(line, soft_wrap=not console.is_terminal)
    tally = ", ".join(f"{counts[status]} {status}" for status in _STYLES if counts[status])
    console.print(Text(tally, "bold"))
    return 1 if counts[STILL] else CANNOT_RUN if counts[CANNOT] else 0


def _lines(outcome: ReplayOutcome, paint: Paint) -> Iterator[Text]:
    mark, style = _STYLES[outcome.status]
    yield Text.assemble(
        paint.text(f"{mark} {outcome.stored}:"), " ", paint.text(outcome.status, style)
    )
    for note in outcome.notes:
        yield Text.assemble("    ", paint.text(note, "dim"))
    if (failure := outcome.failure) is not None:
        limit = outcome.stored.aspect.limit_ulp or 0.0
        yield Text.assemble("    ", paint.text(failure.message))
        for line in comparison(failure.expected, failure.got, paint, limit):
            yield Text.assemble("    ", line)
