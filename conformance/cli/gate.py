"""Whether a run passes: what failed, held against the known failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import msgspec

from conformance.adapters.registry import Target
from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.fail_on import failing_verdicts
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.cli.options.gate import GateOptions, Mark
from conformance.cli.outputs import check_file_writable
from conformance.reporting.counting import counted
from conformance.reporting.safe_text import clean
from conformance.results import Results, Verdict

MOST = 15
"""Unexpected failures that are named."""
MOST_IDS = 4
"""Failures that are named beside a stale entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The known failures of a run, read before it, and where to write them afterwards."""

    worse: tuple[Verdict, ...]
    file: Path | None = None
    known: Sequence[KnownFailure] = ()
    written: Path | None = None
    mark: Mark = "failure"
    """What a new entry is about."""
    text: str = ""
    """What the written file begins as, which holds `base`."""
    base: Sequence[KnownFailure] = field(default=())

    def passes(self, results: Sequence[Results]) -> bool:
        """Whether nothing is unexpected and nothing stale; writes the file that was asked for."""
        found = known_failures.settled(results, self.worse)
        bad = known_failures.failing(found, self.worse)
        stale = known_failures.stale(results, self.known)
        unexpected = known_failures.uncovered(bad, self.known)
        if self.written is not None:
            gone = known_failures.stale(results, self.base)
            known_failures.write(self.written, self.text, self.base, gone, bad, mark=self.mark)
            click.echo(clean(self._written(self.written)), err=True)
        if self.file is not None and not self._rewritten:
            for line in self._said(found, unexpected, stale):
                click.echo(clean(line), err=True)
        elif self.written is None:  # the report names failures, but not what is missing
            for line in _listed([c for c in unexpected if c.verdict is Verdict.UNSUPPORTED]):
                click.echo(clean(line), err=True)
        return not (unexpected or stale)

    def _said(
        self,
        found: Sequence[JudgedCell],
        unexpected: Sequence[JudgedCell],
        stale: Sequence[KnownFailure],
    ) -> Iterator[str]:
        for entry in stale:
            yield told_stale(entry, found)
        yield from _listed(unexpected, self.known)
        unexplained = [e for e in self.known if not e.explained]
        for entry in unexplained:
            yield f"{entry.place}: no reason is given yet: {entry}"
        if beyond := known_failures.not_sought(found, self.known):
            yield _told_beyond(self.file, beyond, found)
        met = sum(any(e.covers(cell) for cell in found) for e in self.known)
        yield (
            f"{self.file}: {met} of {len(self.known)} entries met, {len(stale)} stale, "
            f"{len(unexplained)} without a reason; {len(_single(unexpected))} unexpected"
        )

    @property
    def _rewritten(self) -> bool:
        """Whether what is stale and what is unexpected has been put right in the file."""
        return None not in (self.file, self.written) and self.file == self.written

    def _written(self, path: Path) -> str:
        entries = known_failures.read(path)
        before, after = {e.key for e in self.base}, {e.key for e in entries}
        lacking = sum(not e.explained for e in entries)
        return (
            f"{path}: {counted(len(entries), 'entry', 'entries')}, {len(after - before)} added, "
            f"{len(before - after)} deleted, {lacking} with a reason to fill in"
        )


def told_stale(entry: KnownFailure, found: Iterable[JudgedCell]) -> str:
    """Say that an entry is stale, what the run says instead, and what to do."""
    about = [cell for cell in found if entry.matches(cell)]
    verdicts = ", ".join(dict.fromkeys(str(cell.verdict) for cell in about))
    instead = (
        f"the run says {verdicts}" if about else "matches nothing: its targets lack the function"
    )
    if entry.narrow and (ids := _ids(about, entry.verdict)):
        instead = f"no failure is such a one; there {ids}"
    if _is_changed(entry, about):
        instead = (
            "it is changed now, which fails with --fail-on change alone: the target replaces the "
            f'documented API; to keep the entry, write verdict = "{Verdict.CHANGED}"'
        )
    issue = f"; see {entry.issue}" if entry.issue else ""
    return f"{entry.place}: stale, delete these lines: {entry}; {instead}{issue}"


def _is_changed(entry: KnownFailure, about: Iterable[JudgedCell]) -> bool:
    """Whether what the entry lists as a violation is there as a change."""
    now = msgspec.structs.replace(entry, verdict=Verdict.CHANGED)
    return entry.verdict is Verdict.VIOLATES and any(now.covers(cell) for cell in about)


def _told_beyond(
    file: Path | None, beyond: Sequence[KnownFailure], found: Sequence[JudgedCell]
) -> str:
    """Say of entries of a profile that tries more that this run cannot judge them."""
    theirs = " and ".join(dict.fromkeys(str(entry.found_by) for entry in beyond))
    ours = " and ".join(dict.fromkeys(c.profile for c in found if beyond[0].matches(c)))
    entries = counted(len(beyond), "entry", "entries")
    return f"{file}: {entries} of {theirs} not found by {ours}, which tries less; not stale"


def _ids(cells: Iterable[JudgedCell], verdict: Verdict) -> str:
    """The failures that the run has instead: `is 0123456789ab`, `are 01…, 12… and 3 more`."""
    found = list(dict.fromkeys(f.id for c in cells for f in c.failures if f.verdict is verdict))
    more = f" and {len(found) - MOST_IDS} more" if len(found) > MOST_IDS else ""
    listed = ", ".join(found[:MOST_IDS]) + more
    return f"{'is' if len(found) == 1 else 'are'} {listed}" if found else ""


def _listed(unexpected: Sequence[JudgedCell], known: Sequence[KnownFailure] = ()) -> Iterator[str]:
    single = _single(unexpected)
    for cell in single[:MOST]:
        told = "".join(f": {failure.id}: {failure.message}" for failure in cell.failures)
        often = _more_frequent(cell, known)
        which = f"{cell.function} {cell.aspect} {cell.verdict} on {cell.target}"
        yield f"unexpected: {which}{often}{told}"
    if len(single) > MOST:
        yield f"unexpected: and {len(single) - MOST} more"


def _single(cells: Iterable[JudgedCell]) -> list[JudgedCell]:
    """The cells with one failure each, as an entry is about one; one without failures is itself."""
    return [
        one
        for cell in cells
        for one in (
            [replace(cell, failures=[f], verdict=f.verdict) for f in cell.failures] or [cell]
        )
    ]


def _more_frequent(cell: JudgedCell, known: Sequence[KnownFailure]) -> str:
    """Of a known failure that has become more frequent: how much, and where it stands."""
    entry = known_failures.more_frequent(cell, known)
    if entry is None or entry.cases is None:
        return ""
    now = f"in {cell.failures[0].count} of {cell.cases} cases"
    return f", {now}, in {entry.cases.most} when it was marked ({entry.place})"


def gate(options: GateOptions, known: Mapping[str, Target], own: Iterable[Target] = ()) -> Gate:
    """The gate that options ask for; UsageProblem if a file of theirs is broken.

    `known` are the targets that have names here, `own` those that stand in the options alone.
    """
    worse = failing_verdicts(options.fail_on)
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
            "--expectations-by says what is written", "add --write-expectations FILE"
        )
    base = next((p for p in (written, file) if p in read), None) if written else None
    return Gate(
        worse=worse,
        file=file,
        known=read.get(file, []),
        written=written,
        mark=options.expectations_by or "failure",
        text=base.read_text("utf-8") if base else "",
        base=read[base] if base else (),
    )


def _libraries(targets: Sequence[Target]) -> dict[str, list[str]]:
    """The targets that each name stands for: a target's own, or a library's for all of its."""
    named: dict[str, list[str]] = {}
    for target in targets:
        named.setdefault(target.library, []).append(target.name)
    return {**named, **{target.name: [target.name] for target in targets}}


def _check_filled(file: Path) -> None:
    """UsageProblem for an empty file; one with a comment alone is what nothing fails with."""
    if not file.read_text("utf-8").strip():
        hint = "name a file that --write-expectations FILE wrote, or leave --expectations out"
        raise UsageProblem(clean(f"{file}: the file of known failures is empty"), hint)


def _check_reasons(known: Iterable[KnownFailure]) -> None:
    lacking = [e for e in known if not e.explained]
    if lacking:
        listed = "\n".join(clean(f"{e.place}: no reason is given yet: {e}") for e in lacking)
        raise UsageProblem(listed, "say why in `reason`, or leave out --strict")
