"""Results of one target that was run in parts, put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from conformance.results import Results, RunInfo, summarise

_SAME: dict[str, Callable[[Results], object]] = {
    "edition": lambda r: r.target.edition,
    "implementation": lambda r: r.target.implementation,
    "versions": lambda r: dict(sorted(r.target.versions.items())),
    "python": lambda r: r.target.python,
    "suite version": lambda r: r.run.suite_version,
    "profile": lambda r: r.run.profile,
    "seed": lambda r: r.run.seed,
}


class MergeError(ValueError):
    """The parts do not belong together; the message says in what."""


def merge(parts: Sequence[Results], order: Sequence[str]) -> Results:
    """One target's results from those of its parts, in any order.

    Functions are put in `order`, unknown ones last.
    Seconds, cases and restarts are added up. Raises `MergeError` for parts of runs that differ in
    more than their functions, and for two that judged one function.
    """
    first, *others = sorted(parts, key=lambda part: (_shard(part.run), part.run.started))
    if not others:
        return first
    _check(first, others)
    functions = [f for part in (first, *others) for f in part.functions]
    place = {name: index for index, name in enumerate(order)}
    ordered = sorted(functions, key=lambda f: place.get(f.function, len(place)))
    return Results(
        target=first.target,
        run=_run([part.run for part in (first, *others)]),
        summary=summarise(ordered),
        functions=ordered,
    )


def _check(first: Results, others: Sequence[Results]) -> None:
    name = first.target.name
    for what, of in _SAME.items():
        for other in others:
            if of(first) != of(other):
                raise MergeError(
                    f"two runs of {name} that differ in {what}: {of(first)} and {of(other)}"
                )
    seen: set[str] = set()
    for part in (first, *others):
        names = {f.function for f in part.functions}
        if twice := sorted(seen & names):
            raise MergeError(f"{name} was judged twice on {twice[0]}")
        seen |= names


def _run(runs: Sequence[RunInfo]) -> RunInfo:
    whole = {_shard(run) for run in runs} == {(i + 1, len(runs)) for i in range(len(runs))}
    selections = list(dict.fromkeys(run.selection for run in runs))
    shards = ", ".join(run.shard for run in runs if isinstance(run.shard, str))
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        seconds=round(sum(run.seconds for run in runs), 3),
        seconds_in_target=round(sum(run.seconds_in_target for run in runs), 3),
        cases=sum(run.cases for run in runs),
        restarts=sum(run.restarts for run in runs),
        milliseconds={f: mean for run in runs for f, mean in run.milliseconds.items()},
        machine=_machines(runs),
        complete=all(run.complete for run in runs),
        selection=selections[0]
        if len(selections) == 1
        else " or ".join(f"({s})" for s in selections if s),
        shard=UNSET if whole or not shards else shards,
    )


def _machines(runs: Sequence[RunInfo]) -> str | UnsetType:
    found = sorted({run.machine for run in runs if isinstance(run.machine, str)})
    return "; ".join(found) or UNSET


def _shard(run: RunInfo) -> tuple[int, int]:
    """(I, N), or (0, 0) for no single part."""
    if not isinstance(run.shard, str) or "," in run.shard:
        return 0, 0
    part, _, parts = run.shard.partition("/")
    return int(part), int(parts)
