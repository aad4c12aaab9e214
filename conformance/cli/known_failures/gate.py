"""The gate: --fail-on, known failures and a baseline decide whether a run fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import msgspec

from conformance.adapters.target_records import Target
from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.files.outputs import check_file_writable
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.cli.known_failures.baseline import Baseline, compare
from conformance.cli.options.gate import DEFAULT, GateOptions, Mark
from conformance.reporting.judgement import AspectJudgement, AspectKey, GateJudgement, StaleEntry
from conformance.reporting.safe_text import clean, counted
from conformance.results import Failure, Results, Verdict
from conformance.results.scores import CHANGES, FAULTS
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken

NEVER = "never"

FAIL_ON: dict[str, tuple[str, ...]] = {
    DEFAULT: FAULTS,
    "accuracy": (*FAULTS, taken(ConventionName.ACCURACY, "inaccurate")),
    "change": (*FAULTS, *CHANGES),
    "divergence": (*FAULTS, Verdict.DIVERGES),
    "unsupported": (*FAULTS, Verdict.UNSUPPORTED),
    NEVER: (),
}
"""The verdicts, and the readings of divergences, with which each word of `--fail-on` makes the exit
status 1."""


def failing_outcomes(text: str, option: str = "--fail-on") -> tuple[str, ...]:
    """The verdicts and readings that words with commas between them stand for.

    Raises:
        UsageProblem: a word is unknown, or `never` is not alone.
    """
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in FAIL_ON:
            raise UsageProblem(
                f"{option}: unknown word {word!r}",
                f"write one of {', '.join(FAIL_ON)}, or several with commas between them",
            )
    if NEVER in words and len(set(words)) > 1:
        raise UsageProblem(
            f"{option} {text}: {NEVER} excludes other words", f"write {option} {NEVER}"
        )
    return tuple(dict.fromkeys(outcome for word in words for outcome in FAIL_ON[word]))


MOST = 15
"""Unexpected failures that are named."""
MOST_IDS = 4
"""Failures that are named beside a stale entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The known failures of a run, read before it, and where to write them afterwards."""

    worse: tuple[str, ...]
    """The verdicts and readings that fail the run."""
    file: Path | None = None
    known: Sequence[KnownFailure] = ()
    written: Path | None = None
    mark: Mark = "failure"
    """The subject of a new entry."""
    text: str = ""
    """The present text of the file to write, which holds `base`."""
    base: Sequence[KnownFailure] = field(default=())

    def passes(self, results: Sequence[Results]) -> bool:
        """Whether nothing is unexpected and nothing stale; writes the requested file."""
        cells = known_failures.settled(results, self.worse)
        bad = known_failures.failing(cells, self.worse)
        stale = known_failures.stale(results, self.known)
        unexpected = known_failures.uncovered(bad, self.known)
        if self.written is not None:
            gone = known_failures.stale(results, self.base)
            known_failures.write(self.written, self.text, self.base, gone, bad, mark=self.mark)
            click.echo(clean(self._written(self.written)), err=True)
        if self.file is not None and not self._rewritten:
            for line in self._lines(cells, unexpected, stale):
                click.echo(clean(line), err=True)
        elif self.written is None:  # the report names failures, but not what is missing
            for line in _unexpected_lines(
                [c for c in unexpected if c.verdict is Verdict.UNSUPPORTED]
            ):
                click.echo(clean(line), err=True)
        return not (unexpected or stale)

    def _lines(
        self,
        cells: Sequence[JudgedCell],
        unexpected: Sequence[JudgedCell],
        stale: Sequence[KnownFailure],
    ) -> Iterator[str]:
        judged = known_failures.by_aspect(cells)
        for entry in stale:
            yield stale_message(entry, known_failures.about(entry, judged))
        yield from _unexpected_lines(unexpected, self.known)
        unexplained = [e for e in self.known if not e.explained]
        for entry in unexplained:
            yield f"{entry.place}: the reason is missing: {entry}"
        if beyond := known_failures.not_sought(cells, self.known):
            yield _beyond_message(self.file, beyond, cells)
        met = sum(any(map(e.covers, known_failures.about(e, judged))) for e in self.known)
        yield (
            f"{self.file}: {met} of {len(self.known)} entries met, {len(stale)} stale, "
            f"{len(unexplained)} without a reason; {len(_single(unexpected))} unexpected"
        )

    @property
    def _rewritten(self) -> bool:
        """Whether the run rewrote the file of known failures that it read."""
        return None not in (self.file, self.written) and self.file == self.written

    def _written(self, path: Path) -> str:
        entries = known_failures.read(path)
        before, after = {e.key for e in self.base}, {e.key for e in entries}
        lacking = sum(not e.explained for e in entries)
        return (
            f"{path}: {counted(len(entries), 'entry', 'entries')}, {len(after - before)} added, "
            f"{len(before - after)} deleted, {lacking} without a reason"
        )


def stale_message(entry: KnownFailure, cells: Iterable[JudgedCell]) -> str:
    """The message on a stale entry: the run's verdict instead, and the cure."""
    about = [cell for cell in cells if entry.matches(cell)]
    verdicts = ", ".join(dict.fromkeys(str(cell.verdict) for cell in about))
    instead = (
        f"the run says {verdicts}" if about else "matches nothing: its targets lack the function"
    )
    if entry.narrow and (ids := _ids(about, entry.verdict)):
        instead = f"no failure fits; there {ids}"
    if _is_changed(entry, about):
        instead = (
            "it is changed now, which fails with --fail-on change alone: the target replaces the "
            f'documented API; to keep the entry, write verdict = "{Verdict.CHANGED}"'
        )
    issue = f"; see {entry.issue}" if entry.issue else ""
    return f"{entry.place}: stale, delete these lines: {entry}; {instead}{issue}"


def _is_changed(entry: KnownFailure, about: Iterable[JudgedCell]) -> bool:
    """Whether the violation of the entry is now a change."""
    now = msgspec.structs.replace(entry, verdict=Verdict.CHANGED)
    return entry.verdict is Verdict.VIOLATES and any(now.covers(cell) for cell in about)


def _beyond_message(
    file: Path | None, beyond: Sequence[KnownFailure], cells: Sequence[JudgedCell]
) -> str:
    """The message on entries of a larger profile, which this run cannot judge."""
    theirs = " and ".join(dict.fromkeys(str(entry.found_by) for entry in beyond))
    ours = " and ".join(dict.fromkeys(c.profile for c in cells if beyond[0].matches(c)))
    entries = counted(len(beyond), "entry", "entries")
    return f"{file}: {ours} tries less than {theirs} and did not show {entries}; not stale"


def _ids(cells: Iterable[JudgedCell], verdict: Verdict) -> str:
    """The failures that the run has instead: `is 0123456789ab`, `are 01…, 12… and 3 more`."""
    ids = list(dict.fromkeys(f.id for c in cells for f in c.failures if f.verdict is verdict))
    more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    text = ", ".join(ids[:MOST_IDS]) + more
    return f"{'is' if len(ids) == 1 else 'are'} {text}" if ids else ""


def _unexpected_lines(
    unexpected: Sequence[JudgedCell], known: Sequence[KnownFailure] = ()
) -> Iterator[str]:
    single = _single(unexpected)
    for cell in single[:MOST]:
        messages = "".join(f": {failure.id}: {failure.message}" for failure in cell.failures)
        often = _more_frequent(cell, known)
        which = f"{cell.function} {cell.aspect} {cell.verdict} on {cell.target}"
        yield f"unexpected: {which}{often}{messages}"
    if len(single) > MOST:
        yield f"unexpected: and {len(single) - MOST} more"


def _single(cells: Iterable[JudgedCell]) -> list[JudgedCell]:
    """The cells with one failure each, as an entry is about one; one without failures is itself."""
    return [
        single
        for cell in cells
        for single in (
            [replace(cell, failures=[f], verdict=f.verdict) for f in cell.failures] or [cell]
        )
    ]


def _more_frequent(cell: JudgedCell, known: Sequence[KnownFailure]) -> str:
    """The change in frequency of a known failure, and the place of its entry."""
    entry = known_failures.more_frequent(cell, known)
    if entry is None or entry.cases is None:
        return ""
    now = f"in {cell.failures[0].count} of {cell.cases} cases"
    return f", {now}, in {entry.cases.most} when it was marked ({entry.place})"


def gate(options: GateOptions, known: Mapping[str, Target], own: Iterable[Target] = ()) -> Gate:
    """The gate that the options describe.

    `known` are the targets with names here, `own` those of the options alone.

    Raises:
        UsageProblem: a file is broken, or options contradict each other.
    """
    worse = failing_outcomes(options.fail_on)
    libraries = _libraries([*known.values(), *own])
    file, written = options.expectations, options.write_expectations
    read: dict[Path | None, list[KnownFailure]] = {
        p: known_failures.read(p, libraries) for p in (file, written) if p and p.is_file()
    }
    if file is not None and file != written:
        _check_filled(file)
    if options.strict:
        _check_reasons(read.get(file, []))
    if written is not None:
        check_file_writable(written, "--write-expectations")
    elif options.expectations_by is not None:
        raise UsageProblem(
            "--expectations-by needs a file to write", "add --write-expectations FILE"
        )
    base = next((p for p in (written, file) if p in read), None) if written else None
    return Gate(
        worse=worse,
        file=file,
        known=read.get(file, []),
        written=written,
        mark=options.expectations_by or "failure",
        text=known_failures.text_of(base) if base else "",
        base=read[base] if base else (),
    )


def _libraries(targets: Sequence[Target]) -> dict[str, list[str]]:
    """The targets that each name stands for: a target's own, or a library's for all of its."""
    named: dict[str, list[str]] = {}
    for target in targets:
        named.setdefault(target.library, []).append(target.name)
    return {**named, **{target.name: [target.name] for target in targets}}


def _check_filled(file: Path) -> None:
    """UsageProblem for an empty file; a file with a comment alone means that nothing fails."""
    if not known_failures.text_of(file).strip():
        hint = "name a file that --write-expectations FILE wrote, or leave --expectations out"
        raise UsageProblem(clean(f"{file}: the file of known failures is empty"), hint)


def _check_reasons(known: Iterable[KnownFailure]) -> None:
    lacking = [e for e in known if not e.explained]
    if lacking:
        problems = "\n".join(clean(f"{e.place}: the reason is missing: {e}") for e in lacking)
        raise UsageProblem(problems, "write the cause into `reason`, or leave out --strict")


def judgement(
    checked: Gate, earlier: Baseline | None, results: Sequence[Results]
) -> GateJudgement | None:
    """The known and the unexpected failures; None without known failures and a baseline.

    A fault without an entry stays a failure whatever --fail-on says, as without a file.
    """
    if checked.file is None and earlier is None:
        return None
    worse = tuple(dict.fromkeys([*checked.worse, *FAULTS]))
    cells = known_failures.settled(results, worse)
    bad = known_failures.uncovered(known_failures.failing(cells, worse), checked.known)
    lost, judged = _lost(earlier, results, checked.known), known_failures.by_aspect(cells)
    return GateJudgement(
        aspects=dict(_aspects(cells, bad, lost, checked.known)),
        stale=[
            _stale(e, known_failures.about(e, judged))
            for e in known_failures.stale(results, checked.known)
        ],
    )


_Lost = Mapping[AspectKey, tuple[Verdict, JudgedCell]]


def _lost(
    earlier: Baseline | None, results: Iterable[Results], known: Sequence[KnownFailure]
) -> _Lost:
    """The regressions that no entry covers: the earlier verdict and the present aspect."""
    if earlier is None:
        return {}
    return {
        cell.key: (was, cell)
        for now in results
        for was, cell in compare(earlier.results[now.target.name], now, known).regressions
    }


def _aspects(
    cells: Iterable[JudgedCell],
    bad: Iterable[JudgedCell],
    lost: _Lost,
    known: Sequence[KnownFailure],
) -> Iterator[tuple[AspectKey, AspectJudgement]]:
    left, entries_by_aspect = {cell.key: cell for cell in bad}, known_failures.by_aspect(known)
    for cell in cells:
        was, regressed = lost.get(cell.key, (None, None))
        entries = [
            e for e in entries_by_aspect.get((cell.function, cell.aspect), ()) if e.covers(cell)
        ]
        failing = left.get(cell.key) or _unknown(regressed, known)
        if entries or failing:
            yield (
                cell.key,
                AspectJudgement(
                    known=[f for f in cell.failures if _is_known(f, cell, entries)],
                    reason="; ".join(dict.fromkeys(e.reason for e in entries)),
                    unexpected=failing.failures if failing else (),
                    fails=failing is not None,
                    was=was,
                ),
            )


def _unknown(regressed: JudgedCell | None, known: Sequence[KnownFailure]) -> JudgedCell | None:
    """The part of a regression that no entry covers."""
    return next(iter(known_failures.uncovered([regressed] if regressed else [], known)), None)


def _is_known(failure: Failure, cell: JudgedCell, entries: Iterable[KnownFailure]) -> bool:
    return any(e.covers_failure(failure, cell) and not e.exceeded(failure, cell) for e in entries)


def _stale(entry: KnownFailure, cells: Sequence[JudgedCell]) -> StaleEntry:
    return StaleEntry(
        file=str(entry.place.file),
        line=entry.place.first,
        entry=str(entry),
        says=stale_message(entry, cells),
    )
