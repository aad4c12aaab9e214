"""The results of a run as lines of text: a score for each target, and its failures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from msgspec import UNSET
from rich.text import Text

from conformance.reporting.causes import (
    cause,
    cause_title,
    in_front_end,
    is_one_cause,
    named,
    shared,
)
from conformance.reporting.failures import Quote, cited, nothing
from conformance.reporting.listing import ListedFailure, listed_failures, takers
from conformance.reporting.marks import GRAVEST_FIRST, MARKS
from conformance.reporting.matrix import MatrixColumn
from conformance.reporting.paint import Paint
from conformance.reporting.progress import roughly
from conformance.reporting.safe_text import counted, shortened
from conformance.results import FunctionResult, Results, RunInfo, TargetInfo, Verdict
from conformance.results.events import RunStarted
from conformance.results.scores import (
    DEVIATIONS,
    LACKS,
    count_diverging,
    count_standings,
    is_absent,
    of_contract,
    score,
    suite_errors,
)

LONGEST_SELECTION = 76
"""In characters; a report that shows a longer `-k` expression becomes as wide as the expression."""


def score_line(functions: Sequence[FunctionResult], paint: Paint) -> Text:
    """`412 of 455 aspects follow the documents (90.5 %), ✗ 12 violate, 31 missing (6.8 %): ...`.

    The lacks follow the faults and changes, and then how many aspects take another reading. The
    figures are those of the functions that are there; absent ones follow, with the whole score.
    """
    line = Text(_kept_text(functions))
    counts = dict(shown_counts(_there(functions)))
    lacks = [verdict for verdict in LACKS if verdict in counts]
    for verdict in sorted(counts, key=lambda v: (v is Verdict.DIVERGES, v in lacks)):
        text = paint.mark(verdict, f"{counts[verdict]} {MARKS[verdict].verb}")
        first = f"{_missing_text(functions)}: " if verdict in lacks[:1] else ", "
        line = Text.assemble(line, "; " if verdict is Verdict.DIVERGES else first, text)
    return Text.assemble(line, absent_text(functions))


def score_text(functions: Sequence[FunctionResult]) -> str:
    """`412 of 455 aspects follow the documents (90.5 %), 31 missing (6.8 %)`; of the functions that
    are there, if some are absent."""
    return _kept_text(functions) + _missing_text(functions)


def _kept_text(functions: Sequence[FunctionResult]) -> str:
    there = _there(functions)
    points = score(there)
    of = "" if len(there) == len(functions) else f" of {counted(len(there), 'function')}"
    keep = f"follow the documents ({points.percent})"
    return f"{points.keeping} of {points.demanded} aspects{of} {keep}"


def _missing_text(functions: Sequence[FunctionResult]) -> str:
    points = score(_there(functions))
    return f", {points.missing} missing ({points.percent_missing})" if points.missing else ""


def _there(functions: Sequence[FunctionResult]) -> Sequence[FunctionResult]:
    """The functions that the implementation has; all of them, if it has none."""
    return [function for function in functions if not is_absent(function)] or functions


def absent_text(functions: Sequence[FunctionResult]) -> str:
    """`; counting 148 absent functions: 13 of 953 aspects (1.3 %)`; empty if none is absent."""
    absent = sum(map(is_absent, functions))
    if absent in (0, len(functions)):
        return ""
    points = score(functions)
    whole = f"{points.keeping} of {points.demanded} aspects ({points.percent})"
    return f"; counting {counted(absent, 'absent function')}: {whole}"


def shown_counts(functions: Sequence[FunctionResult]) -> Iterator[tuple[Verdict, int]]:
    """The counts of faults, changes, lacks and errors; last how many aspects take a reading."""
    counts = count_standings(functions)
    counts[Verdict.DIVERGES] = count_diverging(functions)
    verdicts = (*DEVIATIONS, *LACKS, Verdict.ERROR, Verdict.DIVERGES)
    yield from ((v, counts[v]) for v in verdicts if counts[v])


def drift_text(info: TargetInfo) -> str | None:
    """`Keras 3.16.0 is newer than 3.15.1 of the edition keras-3: 23 functions drifted, which
    `conformance spec drift NAME` lists`; None unless the target has a newer release.
    """
    if info.drift is UNSET:
        return None
    package, _, release = info.drift.document.rpartition("-")
    release = f"{release} of the edition {info.edition}"
    newer = f"{package.title()} {info.drift.installed} is newer than {release}"
    if info.drift.functions is UNSET:
        return newer
    number = counted(info.drift.functions, "function")
    command = f"conformance spec drift {shlex.quote(info.name)}"
    return f"{newer}: {number} drifted, which `{command}` lists"


def rate(cases: int, seconds: float) -> str:
    """Cases for each second, or nothing if no time was measured."""
    return f"{cases / seconds:.0f} cases/s" if seconds > 0 else "no time measured"


def plan_line(event: RunStarted) -> str:
    """`2 targets: a, b; 10 functions in all`, or `600 programs, at most 3 minutes`."""
    targets = f"{len(event.planned)} targets: {', '.join(event.planned)}"
    if functions := sum(event.functions.values()):
        return f"{targets}; {counted(functions, 'function')} in all"
    programs = sum(event.planned.values())
    parts = [counted(programs, "program")] if programs else []
    if event.seconds is not None:
        parts.append(f"at most {roughly(event.seconds)}")
    return f"{targets}; {', '.join(parts)}"


def time_line(run: RunInfo) -> str:
    """Cases, rate, the share of the workers' time inside the implementation, restarts."""
    parts = [f"{run.cases} cases in {run.seconds:.1f} s ({rate(run.cases, run.seconds)})"]
    if run.seconds > 0:
        share = run.seconds_in_target / run.seconds / run.workers
        parts.append(f"{share:.0%} of the time in the implementation")
    if run.restarts:
        parts.append(f"worker restarted {run.restarts} time{'s' * (run.restarts != 1)}")
    parts += [f"partial run: {limit}" for limit in limits(run)]
    if not run.complete:
        parts.append(unfinished_line(run))
    parts += run.shortened or ()
    return ", ".join(parts)


def limits(run: RunInfo) -> list[str]:
    """The options that limit a run to a part of its edition: `shard 1/2`, `-k 'relu'`."""
    texts = [f"shard {run.shard}"] if isinstance(run.shard, str) else []
    texts += [selection_text(run.selection)] if run.selection is not None else []
    texts += [f"--aspect {', '.join(run.aspects)}"] if run.aspects is not UNSET else []
    return texts


def selection_text(selection: str) -> str:
    """`-k 'relu'`; a long expression, such as that of merged runs, is cut."""
    return f"-k {shortened(selection, LONGEST_SELECTION)!r}"


def unfinished_line(run: RunInfo) -> str:
    """`ended by Ctrl-C: 12 functions did not run, or only in part`."""
    by = ending(run)
    if run.unfinished is UNSET:
        return by
    count = len(run.unfinished)
    return f"{by}: {count} function{'s' * (count != 1)} did not run, or only in part"


def ending(run: RunInfo) -> str:
    """The cause that ended a run before its plan was done, in words."""
    return "not finished" if run.ended_by is UNSET else f"ended by {run.ended_by}"


RESUME = "the same command with --resume runs the rest"
"""How to complete a run that has --output."""
NOT_KEPT = "add --output DIR to a run that may end early; --resume then runs the rest"
"""The same for a run without --output, which nothing can complete."""


def unreached(results: Results, resume: str = RESUME) -> str | None:
    """The part of the plan that a run did not reach, and how to complete it, in words; None if it
    reached everything."""
    run, cells = results.run, [a.verdict for f in results.functions for a in f.aspects]
    if run.unfinished is UNSET:
        return None
    missing = [f.function for f in results.functions if _has_gap(f)]
    erring = suite_errors(results.functions)
    brief = len(run.unfinished) - len({*missing, *erring})
    parts = [f"{results.target.name}: {ending(run)}"]
    if erring:
        functions = f"{len(erring)} function{'s' * (len(erring) != 1)}"
        parts.append(f"the suite itself failed in {functions}: {shared(erring, 12)}")
    if missing:
        share = f"{cells.count(Verdict.NOT_RUN)} of {len(cells)} cells were not run"
        parts.append(f"{share}, of {len(missing)} functions: {shared(missing, 12)}")
    if brief:
        parts.append(f"{brief} function{'s' * (brief != 1)} ran only some of their cases")
    return "; ".join([*parts, resume])


def _has_gap(function: FunctionResult) -> bool:
    return any(aspect.verdict is Verdict.NOT_RUN for aspect in function.aspects)


def target_lines(label: str, results: Results, paint: Paint) -> Iterator[Text]:
    """Two lines on one target."""
    yield Text.assemble(paint.text(label, "bold"), ": ", score_line(results.functions, paint))
    contract = of_contract(results.functions)
    if not all(map(is_absent, contract)):
        yield Text.assemble("    contract: ", score_line(contract, paint))
    yield Text.assemble("    ", paint.text(time_line(results.run)))


class SharedFailure:
    """One failure and the targets that show it."""

    def __init__(self, failure: ListedFailure) -> None:
        self.failure = failure
        self.targets: list[str] = []

    def line(self, paint: Paint, *, with_id: bool = False) -> Text:
        """`✗ batch_dot  value  gives (2,); expected (2, 1) (ko-2.2:1053)  [tensorflow]`."""
        entry = self.failure
        identity = entry.failure.id if with_id and entry.failure else ""
        return Text.assemble(
            paint.mark(entry.verdict, entry.function),
            "  ",
            paint.text(entry.aspect.aspect, "bold"),
            "  ",
            paint.text(entry.message),
            "  ",
            paint.text(f"[{', '.join(self.targets)}] {identity}".rstrip(), "dim"),
        )

    def quotation(self, paint: Paint, quote: Quote) -> Iterator[Text]:
        """The line that it cites, where the document is at hand."""
        failure = self.failure.failure
        if failure is not None and (text := cited(failure, quote)) != str(failure.citation or ""):
            yield paint.text(text, "dim", indent=4)


def shared_failures(
    columns: Sequence[MatrixColumn], short: Sequence[str], *, divergences: bool = False
) -> list[SharedFailure]:
    """Violations, crashes, time-outs, then changes; a failure that several targets share appears
    once.

    With `divergences` those too, last.
    """
    verdicts = (*DEVIATIONS, Verdict.DIVERGES) if divergences else DEVIATIONS
    merged: dict[tuple[str, ...], SharedFailure] = {}
    for entry, label in zip(columns, short, strict=True):
        for failure in listed_failures(entry.functions.values(), *verdicts):
            key = (failure.verdict, failure.function, failure.aspect.aspect, failure.message)
            shared_failure = merged.setdefault(key, SharedFailure(failure))
            if label not in shared_failure.targets:
                shared_failure.targets.append(label)
    return sorted(merged.values(), key=lambda p: GRAVEST_FIRST.index(p.failure.verdict))


SEE = "`conformance show FUNCTION` shows the cases and prints scripts"
"""How to see the cases of results in the folder where they are looked for."""


def shared_failure_lines(
    failures: Sequence[SharedFailure],
    paint: Paint,
    limit: int | None,
    quote: Quote = nothing,
    see: str = SEE,
) -> Iterator[Text]:
    """Every one; with a limit one of each cause, of so many causes, and how to see the rest.

    `see` says how to see the cases of FUNCTION, of which there is the name if it is one.
    """
    if limit is None:
        for failure in failures:
            yield failure.line(paint, with_id=True)
            yield from failure.quotation(paint, quote)
    else:
        groups = by_cause(failures)
        if len(failures) > limit:
            yield paint.text(counted_causes(groups), "bold")
        yield from _cause_lines(groups, paint, limit, quote)
    if functions := {failure.failure.function for failure in failures}:
        name = functions.pop() if len(functions) == 1 else "FUNCTION"
        yield paint.text(see.replace("FUNCTION", name, 1))


def by_cause(failures: Sequence[SharedFailure]) -> list[list[SharedFailure]]:
    """The failures of one cause together: the gravest first, then the most frequent."""
    grouped: dict[tuple[Verdict, str], list[SharedFailure]] = {}
    for failure in failures:
        key = (failure.failure.verdict, cause(failure.failure))
        grouped.setdefault(key, []).append(failure)
    order = GRAVEST_FIRST.index
    return sorted(grouped.values(), key=lambda g: (order(g[0].failure.verdict), -len(g)))


def counted_causes(groups: Sequence[Sequence[SharedFailure]]) -> str:
    """`443 failures of 89 causes, 12 of them in Keras's front end`."""
    failures = sum(map(len, groups))
    front = sum(in_front_end(group[0].failure) for group in groups)
    where = f", {front} of them in Keras's front end" if front else ""
    return f"{counted(failures, 'failure')} of {counted(len(groups), 'cause')}{where}"


def _cause_lines(
    groups: Sequence[Sequence[SharedFailure]], paint: Paint, limit: int, quote: Quote
) -> Iterator[Text]:
    for first, *others in groups[:limit]:
        yield first.line(paint)
        yield from first.quotation(paint, quote)
        if others:
            alike = "with this cause" if is_one_cause(first.failure) else "of this kind"
            text = f"{len(others)} more {alike} ({cause_title(first.failure)}): "
            names = named(failure.failure for failure in others)
            yield paint.text(f"{text}{names}", "dim", indent=4)
    if left := [failure.failure for group in groups[limit:] for failure in group]:
        causes = len(groups) - limit
        more = f"{len(left)} more of {causes} other cause{'s' * (causes != 1)}: {named(left)}"
        yield paint.text(f"and {more}; --verbose lists all")


def reading_lines(
    columns: Sequence[MatrixColumn], short: Sequence[str], paint: Paint, limit: int | None = None
) -> Iterator[Text]:
    """In how many functions each target takes which reading, the commonest reading first."""
    pairs = zip(columns, short, strict=True)
    grouped = takers((label, entry.functions.values()) for entry, label in pairs)
    order = {reading: -sum(map(len, of.values())) for reading, of in grouped.items()}
    ordered = sorted(grouped.items(), key=lambda item: order[item[0]])
    for reading, of in ordered[:limit]:
        counts = ", ".join(f"{label} {len(functions)}" for label, functions in of.items())
        yield Text.assemble(paint.mark(Verdict.DIVERGES, str(reading)), ": ", paint.text(counts))
    if limit is not None and len(ordered) > limit:
        yield Text(f"and {len(ordered) - limit} rarer; --verbose lists all")
