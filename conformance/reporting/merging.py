"""Results of one target that was run in parts, put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from conformance.reporting.merging_composed import counts_together, functions_together
from conformance.results import Results, RunInfo, summarise

V = TypeVar("V")
_SAME: dict[str, Callable[[Results], object]] = {
    "edition": lambda r: r.target.edition,
    "implementation": lambda r: r.target.implementation,
    "versions": lambda r: dict(sorted(r.target.versions.items())),
    "python": lambda r: r.target.python,
    "suite version": lambda r: r.run.suite_version,
    "profile": lambda r: r.run.profile,
    "seed": lambda r: r.run.seed,
    "size": lambda r: None if r.composed is UNSET else r.composed.size,
}


class MergeError(ValueError):
    """The parts do not belong together; the message says in what."""


def merge(parts: Sequence[Results], order: Sequence[str]) -> Results:
    """One target's results from those of its parts, in any order.

    Functions are put in `order`, unknown ones last.
    Seconds, cases and restarts are added up: all shards of a run make what the run would have made
    without shards, but for times. Raises `MergeError` for parts of runs that differ in
    more than their functions, and for two that judged one function.
    """
    first, *others = sorted(parts, key=lambda part: (_cuts(part.run), part.run.started))
    if not others:
        return first
    _check(first, others)
    composed = first.composed is not UNSET
    parted = [f for part in (first, *others) for f in part.functions]
    functions = functions_together([first, *others]) if composed else parted
    place = {name: index for index, name in enumerate(order)}
    ordered = sorted(functions, key=lambda f: place.get(f.function, len(place)))
    return Results(
        target=first.target,
        run=_run([part.run for part in (first, *others)], [f.function for f in ordered]),
        summary=summarise(ordered),
        functions=ordered,
        composed=counts_together([first, *others]) if composed else UNSET,
    )


def _check(first: Results, others: Sequence[Results]) -> None:
    name = first.target.name
    for what, of in _SAME.items():
        for other in others:
            if of(first) != of(other):
                raise MergeError(
                    f"two runs of {name} that differ in {what}: {of(first)} and {of(other)}"
                )
    _check_shards(name, [part.run for part in (first, *others) if isinstance(part.run.shard, str)])
    seen: set[str] = set()
    for part in (first, *others) if first.composed is UNSET else ():
        names = {f.function for f in part.functions}
        if twice := sorted(seen & names):
            raise MergeError(f"{name} was judged twice on {twice[0]}")
        seen |= names


def _check_shards(name: str, runs: Sequence[RunInfo]) -> None:
    """MergeError unless the shards are different parts of one plan, cut in one way."""
    cuts = [cut for run in runs for cut in _cuts(run)]
    for number, parts in cuts:
        if parts != cuts[0][1]:
            ways = f"{cuts[0][0]}/{cuts[0][1]} and {number}/{parts}"
            raise MergeError(f"shards of two runs of {name}, cut in other ways: {ways}")
        if cuts.count((number, parts)) > 1:
            raise MergeError(f"{name} was judged twice: shard {number}/{parts}")
    selections = list(dict.fromkeys(f"-k {r.selection!r}" if r.selection else "all" for r in runs))
    if len(selections) > 1:
        what = " and ".join(selections)
        raise MergeError(f"shards of two runs of {name}, of other functions: {what}")


def _run(runs: Sequence[RunInfo], functions: Sequence[str]) -> RunInfo:
    cuts = sorted(cut for run in runs for cut in _cuts(run))
    whole = all(map(_cuts, runs)) and cuts == [(i + 1, len(cuts)) for i in range(len(cuts))]
    selections = list(dict.fromkeys(run.selection for run in runs))
    unfinished = {f for run in runs for f in run.unfinished or ()}
    shards = ", ".join(f"{number}/{parts}" for number, parts in cuts)
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        seconds=round(sum(run.seconds for run in runs), 3),
        seconds_in_target=round(sum(run.seconds_in_target for run in runs), 3),
        cases=sum(run.cases for run in runs),
        restarts=sum(run.restarts for run in runs),
        milliseconds=_together([run.milliseconds for run in runs], functions),
        spent=_together([run.spent or {} for run in runs], functions) or UNSET,
        fingerprints=_together([run.fingerprints or {} for run in runs], functions) or UNSET,
        unfinished=[f for f in functions if f in unfinished] or UNSET,
        ended_by=", ".join(dict.fromkeys(r.ended_by for r in runs if r.ended_by)) or UNSET,
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


def _together(parts: Sequence[Mapping[str, V]], functions: Sequence[str]) -> dict[str, V]:
    """What several runs say of single functions."""
    every = {function: said for part in parts for function, said in part.items()}
    return {function: every[function] for function in functions if function in every}


def _cuts(run: RunInfo) -> list[tuple[int, int]]:
    """(I, N) of `--shard I/N`; several of what was merged before, none of a run without."""
    texts = run.shard.split(", ") if isinstance(run.shard, str) else []
    pairs = (text.partition("/") for text in texts)
    return [(int(number), int(parts)) for number, _, parts in pairs]
