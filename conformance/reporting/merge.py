"""Results of composed programs of one target that were run in parts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from conformance.reporting.summary import selection_text
from conformance.results import (
    ASPECTS,
    Aspect,
    AspectResult,
    Composed,
    Failure,
    FunctionResult,
    Results,
    RunInfo,
    Spent,
    Verdict,
    summarise,
)
from conformance.results.composed import packed, precedence, unpacked, verdict_of

_COUNTS = ("programs", "calls", "compared", "unjudged", "cut", "failed", "unrepeated", "alike")


def counts_together(parts: Sequence[Results]) -> Composed:
    """The sums of the counts of all parts."""
    counts = [part.composed for part in parts if part.composed is not UNSET]
    sums = {name: sum(getattr(count, name) for count in counts) for name in _COUNTS}
    covered = {place for count in counts for place in unpacked(count.covered)}
    left = counts[0].pairs - len(covered)
    return replace(
        counts[0],
        **sums,
        covered=packed(covered),
        missed=min(left, sum(count.missed for count in counts)),
        digits=_columns([count.digits for count in counts]),
        blamed=_programs_together([count.blamed for count in counts]),
        themes=_programs_together([count.themes for count in counts]),
        depths={
            name: _columns([count.depths.get(name, []) for count in counts])
            for name in sorted({name for count in counts for name in count.depths})
        },
    )


def _columns(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip_longest(*rows, fillvalue=0)]


def _programs_together(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for counter in counts:
        total.update(counter)
    return dict(sorted(total.items()))


def functions_together(parts: Sequence[Results]) -> list[FunctionResult]:
    """One result for each function: programs and failures of all parts.

    Failures with one id, of whatever functions, are filed where the one is that is shown.
    """
    aspects: dict[str, list[AspectResult]] = {}
    themes: dict[str, str] = {}
    for function in (function for part in parts for function in part.functions):
        aspects.setdefault(function.function, []).extend(function.aspects)
        themes[function.function] = function.theme
    filed = _filed(aspects)
    return [
        FunctionResult(name, theme, [_aspect(aspects[name], filed.get(name, []))])
        for name, theme in themes.items()
    ]


def _filed(aspects: Mapping[str, Sequence[AspectResult]]) -> dict[str, list[Failure]]:
    """The failures that are shown, by the functions that they are filed under."""
    by_id: dict[str, list[tuple[str, Failure]]] = {}
    for name, failures in aspects.items():
        for failure in (failure for aspect in failures for failure in aspect.failures):
            by_id.setdefault(failure.id, []).append((name, failure))
    filed: dict[str, list[Failure]] = {}
    for _, alike in sorted(by_id.items()):
        name, shown = min(alike, key=lambda pair: precedence(pair[1]))
        count = sum(failure.count for _, failure in alike)
        filed.setdefault(name, []).append(replace(shown, count=count))
    return filed


def _aspect(parts: Sequence[AspectResult], failures: list[Failure]) -> AspectResult:
    cases = sum(part.cases for part in parts)
    notes = [part.note for part in parts if isinstance(part.note, str)]
    return replace(
        parts[0],
        verdict=verdict_of(failures, cases),
        cases=cases,
        failures=failures,
        note="; ".join(notes) or UNSET,
    )


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


@dataclass(frozen=True, slots=True)
class _Cell:
    """An aspect of a function, and the part that it is taken from."""

    aspect: AspectResult
    part: Results
    finished: bool


_Cells = dict[str, dict[Aspect, _Cell]]
"""The results that are taken of each function, by aspect."""


def difference(a: Results, b: Results) -> str | None:
    """The setting that keeps the results of two runs of a target apart: `seed: 0 and 1`; None if
    nothing."""
    for what, of in _SAME.items():
        if of(a) != of(b):
            return f"{what}: {of(a)} and {of(b)}"
    return None


def finished_cells(results: Results) -> set[tuple[str, Aspect]]:
    """The functions and aspects that a run judged to the end."""
    return {
        (function.function, aspect.aspect)
        for function in results.functions
        for aspect in function.aspects
        if _weight(results, function, aspect) == 0
    }


def taken(parts: Sequence[Results]) -> list[int]:
    """How many functions `merge` takes from each of the parts, at least in one aspect."""
    cells = _cells(parts)
    return [
        sum(any(cell.part is part for cell in aspects.values()) for aspects in cells.values())
        for part in parts
    ]


def merge(parts: Sequence[Results], order: Sequence[str]) -> Results:
    """One target's results from those of its parts, in any order.

    Functions are put in `order`, unknown ones last. Seconds, cases and restarts are added up: all
    shards of a run make the results of a run without shards, times aside.

    Raises:
        MergeError: parts differ in more than their functions, or shards were cut differently.
    """
    first, *others = sorted(parts, key=lambda part: (_cuts(part.run), part.run.started))
    if not others:
        return first
    _check(first, others)
    composed = first.composed is not UNSET
    place = {name: index for index, name in enumerate(order)}
    cells = _cells(parts)
    joined = functions_together([first, *others]) if composed else list(_functions(cells))
    functions = sorted(joined, key=lambda f: place.get(f.function, len(place)))
    names = [f.function for f in functions]
    run = _added([p.run for p in (first, *others)], names) if composed else _run(cells, names)
    return Results(
        target=first.target,
        run=replace(run, **_extent([part.run for part in (first, *others)])),
        summary=summarise(functions),
        functions=functions,
        composed=counts_together([first, *others]) if composed else UNSET,
    )


def _check(first: Results, others: Sequence[Results]) -> None:
    name = first.target.name
    for other in others:
        if (what := difference(first, other)) is not None:
            raise MergeError(f"two runs of {name} that differ in {what}")
    runs = [part.run for part in (first, *others)]
    if not any(map(_everything, runs)):
        _check_shards(name, [run for run in runs if isinstance(run.shard, str)])
    cuts = [cut for run in runs for cut in _cuts(run)]
    twice = [cut for cut in cuts if cuts.count(cut) > 1]
    if first.composed is not UNSET and twice:
        raise MergeError(f"{name} was judged twice: shard {twice[0][0]}/{twice[0][1]}")


def _check_shards(name: str, runs: Sequence[RunInfo]) -> None:
    """MergeError unless the shards are parts of one plan, cut in one way."""
    cuts = [cut for run in runs for cut in _cuts(run)]
    for number, parts in cuts:
        if parts != cuts[0][1]:
            ways = f"{cuts[0][0]}/{cuts[0][1]} and {number}/{parts}"
            raise MergeError(f"shards of two runs of {name}, cut in other ways: {ways}")
    selections = list(
        dict.fromkeys(selection_text(r.selection) if r.selection else "all" for r in runs)
    )
    if len(selections) > 1:
        what = " and ".join(selections)
        raise MergeError(f"shards of two runs of {name}, of other functions: {what}")


def _weight(part: Results, function: FunctionResult, aspect: AspectResult) -> int:
    """0 for an aspect that was judged to the end, 1 for an aspect that was judged, 2 for `not
    run`."""
    left = part.run.unfinished
    if left is UNSET and not part.run.complete:
        left = [function.function]
    if aspect.verdict is Verdict.NOT_RUN:
        return 2
    return int(function.function in (left or ()))


def _cells(parts: Sequence[Results]) -> _Cells:
    """The newest result of each aspect; a result that was judged to the end is first."""
    cells: _Cells = {}
    newest = sorted(parts, key=lambda part: (part.run.started, part.run.cases), reverse=True)
    for weight in range(3):
        for part in newest:
            for function in part.functions:
                aspects = cells.setdefault(function.function, {})
                for aspect in function.aspects:
                    if _weight(part, function, aspect) == weight:
                        aspects.setdefault(aspect.aspect, _Cell(aspect, part, weight == 0))
    return cells


def _functions(cells: _Cells) -> Iterator[FunctionResult]:
    for name, aspects in cells.items():
        newest = max((c.part for c in aspects.values()), key=lambda part: part.run.started)
        (own,) = (f for f in newest.functions if f.function == name)
        yield replace(own, aspects=[aspects[a].aspect for a in ASPECTS if a in aspects])


def _run(cells: _Cells, functions: Sequence[str]) -> RunInfo:
    """The run's record on the functions that are taken of each part."""
    names: dict[int, set[str]] = {}
    parts: dict[int, Results] = {}
    for name, aspects in cells.items():
        for cell in aspects.values():
            parts[id(cell.part)] = cell.part
            names.setdefault(id(cell.part), set()).add(name)
    oldest = sorted(parts.values(), key=lambda part: part.run.started)
    unfinished = [f for f in functions if not all(c.finished for c in cells[f].values())]
    whole = {f for f in functions if len({id(c.part) for c in cells[f].values()}) == 1}
    run = _added([_of(part.run, names[id(part)]) for part in oldest], functions)
    return replace(
        run,
        started=oldest[-1].run.started,
        fingerprints={f: m for f, m in (run.fingerprints or {}).items() if f in whole} or UNSET,
        unfinished=unfinished or UNSET,
        complete=not unfinished,
        ended_by=run.ended_by if unfinished else UNSET,
    )


def _of(run: RunInfo, functions: set[str]) -> RunInfo:
    """The run without what it spent on other functions than these."""
    spent = run.spent or {}
    besides = [cost for name, cost in spent.items() if name not in functions]
    inside = run.seconds_in_target - sum(cost.seconds_in_target for cost in besides)
    return replace(
        run,
        cases=run.cases - sum(cost.cases for cost in besides),
        restarts=run.restarts - sum(cost.restarts for cost in besides),
        seconds_in_target=max(0.0, inside),
        milliseconds={name: n for name, n in run.milliseconds.items() if name in functions},
        spent={name: cost for name, cost in spent.items() if name in functions} or UNSET,
        fingerprints={n: m for n, m in (run.fingerprints or {}).items() if n in functions} or UNSET,
    )


def _added(runs: Sequence[RunInfo], functions: Sequence[str]) -> RunInfo:
    """The records of the runs, added up; for one function the last run that has one."""
    unfinished = {f for run in runs for f in run.unfinished or ()}
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        seconds=round(sum(run.seconds for run in runs), 3),
        seconds_in_target=round(sum(run.seconds_in_target for run in runs), 3),
        cases=sum(run.cases for run in runs),
        restarts=sum(run.restarts for run in runs),
        milliseconds=_together([run.milliseconds for run in runs], functions),
        spent=_costs([run.spent or {} for run in runs], functions) or UNSET,
        fingerprints=_together([run.fingerprints or {} for run in runs], functions) or UNSET,
        unfinished=[f for f in functions if f in unfinished] or UNSET,
        shortened=sorted({text for run in runs for text in run.shortened or ()}) or UNSET,
        ended_by=", ".join(dict.fromkeys(r.ended_by for r in runs if r.ended_by)) or UNSET,
        machine=_machines(runs),
        complete=all(run.complete for run in runs),
    )


def _everything(run: RunInfo) -> bool:
    """Whether a run was of all functions in all aspects, finished or not."""
    return run.selection is None and run.shard is UNSET and run.aspects is UNSET


def _extent(runs: Sequence[RunInfo]) -> dict[str, object]:
    """Which part of the functions and aspects the runs are of."""
    if any(map(_everything, runs)):
        return {"selection": None, "shard": UNSET, "aspects": UNSET}
    cuts = sorted({cut for run in runs for cut in _cuts(run)})
    whole = all(map(_cuts, runs)) and cuts == [(i + 1, len(cuts)) for i in range(len(cuts))]
    shards = ", ".join(f"{number}/{parts}" for number, parts in cuts)
    selections = list(dict.fromkeys(run.selection for run in runs))
    several = " or ".join(f"({s})" for s in selections if s)
    limited = [run.aspects for run in runs if run.aspects is not UNSET]
    chosen = {aspect for aspects in limited for aspect in aspects}
    all_limited = len(limited) == len(runs)
    return {
        "selection": selections[0] if len(selections) == 1 else several,
        "shard": UNSET if whole or not shards else shards,
        "aspects": [a for a in ASPECTS if a in chosen] if all_limited else UNSET,
    }


def _machines(runs: Sequence[RunInfo]) -> str | UnsetType:
    machines = sorted({run.machine for run in runs if isinstance(run.machine, str)})
    return "; ".join(machines) or UNSET


def _together(parts: Sequence[Mapping[str, V]], functions: Sequence[str]) -> dict[str, V]:
    """The records of several runs on single functions."""
    every = {function: text for part in parts for function, text in part.items()}
    return {function: every[function] for function in functions if function in every}


def _costs(parts: Sequence[Mapping[str, Spent]], functions: Sequence[str]) -> dict[str, Spent]:
    """The cost of each function in all of its runs."""
    every: dict[str, Spent] = {}
    for name, cost in (pair for part in parts for pair in part.items()):
        before = every.get(name, Spent())
        every[name] = Spent(
            cases=before.cases + cost.cases,
            seconds=round(before.seconds + cost.seconds, 3),
            seconds_in_target=round(before.seconds_in_target + cost.seconds_in_target, 6),
            restarts=before.restarts + cost.restarts,
        )
    return {function: every[function] for function in functions if function in every}


def _cuts(run: RunInfo) -> list[tuple[int, int]]:
    """(I, N) of `--shard I/N`; several after an earlier merge, none of a run without."""
    texts = run.shard.split(", ") if isinstance(run.shard, str) else []
    pairs = (text.partition("/") for text in texts)
    return [(int(number), int(parts)) for number, _, parts in pairs]
