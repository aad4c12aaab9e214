"""`conformance mutate --code`: the changes in the source of a backend that the gate notices."""

from __future__ import annotations

import datetime
import hashlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
from msgspec.structs import replace

import conformance
from conformance.adapters.target_records import Target
from conformance.cli import known_failures
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.files.outputs import writing
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.cli.known_failures.gate import failing_outcomes
from conformance.cli.options.gate import DEFAULT
from conformance.cli.options.values import MutateOptions
from conformance.engine import PROFILES, Run
from conformance.mutation.code.page import (
    ReportError,
    kinds,
    read_report,
    report_file,
    write_report,
)
from conformance.mutation.code.population import (
    CodeMutant,
    SourcesError,
    TargetSources,
    code_population,
    drawn,
    sources,
)
from conformance.mutation.code.records import (
    ClassificationError,
    Classified,
    CodeMutationReport,
    How,
    JudgedCodeMutant,
    Notice,
    classes,
    code_count,
    code_counts,
    load_classified,
    notices,
)
from conformance.mutation.code.scoring import CodeScoring, JudgingStage
from conformance.mutation.score import unminimised
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Failure, Results, Verdict

WORSE = failing_outcomes(DEFAULT)


@dataclass(slots=True)
class IdentityGate:
    """The gate of `conformance run --expectations FILE --baseline RESULTS`, which two control runs
    write.

    Each entry is about one failure. A failure of only one of the two runs is intermittent: it may
    be absent.
    """

    known: dict[str, list[KnownFailure]] = field(default_factory=dict)
    """The known failures of each function."""
    _seen: dict[str, set[str]] = field(default_factory=dict)
    """The ids of all failures of each function, also of those that do not fail a run."""
    _not_run: set[tuple[str, str, Aspect]] = field(default_factory=set)
    """The cells that are not run without a change."""

    def learn(self, first: Results, second: Results) -> None:
        """Mark what fails in these two runs."""
        entries = _entries([first, second])
        gone = [e for run in (first, second) for e in known_failures.stale([run], entries)]
        marked = [replace(e, intermittent=True) if e in gone else e for e in entries]
        marked = [replace(e, cases=None) if _varies(e, first, second) else e for e in marked]
        for result in (*first.functions, *second.functions):
            name = result.function
            self.known[name] = [e for e in marked if e.function == name]
            ids = {f.id for a in result.aspects for f in a.failures}
            self._seen.setdefault(name, set()).update(ids)
        cells = known_failures.cells([first, second])
        self._not_run |= {c.key for c in cells if c.verdict is Verdict.NOT_RUN}

    @property
    def intermittent(self) -> list[str]:
        """Failures that only one of two control runs had."""
        every = (e for entries in self.known.values() for e in entries)
        return sorted(f"{e.function} {e.aspect} {e.failure}" for e in every if e.intermittent)

    def noticed(self, results: Results) -> Notice | None:
        """The first thing that makes the gate fail; None if it passes."""
        known = [e for f in results.functions for e in self.known[f.function]]
        bad = known_failures.failing(known_failures.settled([results], WORSE), WORSE)
        notices = [_unexpected(cell, known) for cell in known_failures.uncovered(bad, known)]
        for notice in sorted(notices, key=lambda notice: notice.how == "time over"):
            return notice
        for entry in known_failures.stale([results], known):
            return Notice(
                how="stale",
                function=entry.function,
                aspect=entry.aspect,
                verdict=entry.verdict,
                failure=entry.failure or "",
            )
        for cell in known_failures.cells([results]):
            refusing = known_failures.new_refusals(cell, self._seen[cell.function])
            if refusing is not None:
                return _notice("refused", refusing, refusing.failures[0])
            if cell.verdict is Verdict.NOT_RUN and cell.key not in self._not_run:
                return Notice(how="not reached", function=cell.function, aspect=cell.aspect)
        return None

    def quiet(self, results: Results) -> list[str]:
        """Failures that no control run had."""
        return [
            clean(f"{f.function} {a.aspect} {failure.verdict} {failure.id}: {failure.message}")
            for f in results.functions
            for a in f.aspects
            for failure in a.failures
            if failure.id not in self._seen[f.function]
        ]


def _varies(entry: KnownFailure, first: Results, second: Results) -> bool:
    """Whether the failure of an entry has another number of cases in the second run."""
    return _counts(entry, first) != _counts(entry, second)


def _counts(entry: KnownFailure, results: Results) -> list[int]:
    """In how many cases its failures occur."""
    about = [cell for cell in _failing(results) if entry.matches(cell)]
    return [f.count for cell in about for f in cell.failures if entry.covers_failure(f, cell)]


def _unexpected(cell: JudgedCell, known: Sequence[KnownFailure]) -> Notice:
    """The message of the gate on a cell; a time-out only if there is no other failure."""
    failures = sorted(cell.failures, key=lambda f: f.verdict is Verdict.TIMED_OUT)
    worst: Failure | None = failures[0] if failures else None
    late = (worst.verdict if worst else cell.verdict) is Verdict.TIMED_OUT
    often = known_failures.more_frequent(cell, known) is not None
    how: How = "time over" if late else "more frequent" if often else "unexpected"
    return _notice(how, cell, worst)


def _notice(how: How, cell: JudgedCell, worst: Failure | None) -> Notice:
    return Notice(
        how=how,
        function=cell.function,
        aspect=cell.aspect,
        verdict=worst.verdict if worst else cell.verdict,
        failure=worst.id if worst else "",
        says=clean(worst.message) if worst else "",
    )


def _entries(runs: Sequence[Results]) -> list[KnownFailure]:
    """The entries that `--write-expectations` writes for each of the runs, together."""
    with tempfile.TemporaryDirectory(prefix="conformance-known-") as folder:
        file = Path(folder, "known.toml")
        text, entries = "", list[KnownFailure]()
        for run in runs:
            text = known_failures.updated(text, entries, [], _failing(run), mark="failure")
            file.write_text(text, "utf-8")
            entries = known_failures.read(file, _alone(runs))
    return entries


def _failing(results: Results) -> list[JudgedCell]:
    return known_failures.failing(known_failures.settled([results], WORSE), WORSE)


def _alone(runs: Iterable[Results]) -> dict[str, list[str]]:
    return {results.target.name: [results.target.name] for results in runs}


Select = Callable[[str], bool]
QUICKEST = "smoke"
"""The profile that judges each change first."""


@dataclass(slots=True)
class _Record:
    """The mutants judged so far, and the report on them."""

    options: MutateOptions
    target: Target
    sources: TargetSources
    population: int
    known: list[Classified]
    before: float
    """Seconds that earlier starts took."""
    started: str
    judged: dict[str, JudgedCodeMutant]
    again: list[str]
    """The ids of survivors of an earlier start that this start judges again."""
    order: dict[str, int]
    gates: list[IdentityGate] = field(default_factory=list)
    _begun: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, mutant: JudgedCodeMutant) -> None:
        """Store the outcome of one mutant, also in the file."""
        with self._lock:
            self.judged[mutant.id] = mutant
            self.write(interrupted=len(self.judged) < len(self.order))

    def write(self, *, interrupted: bool) -> None:
        """Write the files, if there is a folder for them."""
        if self.options.output is not None:
            with writing(self.options.output):
                write_report(self.report(interrupted=interrupted), self.options.output, self.known)

    def report(self, *, interrupted: bool) -> CodeMutationReport:
        """The report on the judged mutants, in the order of the sample."""
        judged = sorted(self.judged.values(), key=lambda mutant: self.order[mutant.id])
        return CodeMutationReport(
            target=self.target.name,
            edition=self.target.edition,
            implementation=self.target.implementation,
            suite_version=conformance.__version__,
            profile=self.options.profile,
            minimised=self.options.minimise,
            seed=self.options.seed,
            started=self.started,
            seconds=round(self.before + time.monotonic() - self._begun, 1),
            population=self.population,
            sample=self.options.sample,
            selection=self.options.selection,
            operators_selected=self.options.operator,
            interrupted=interrupted,
            sources=_digests(self.sources),
            intermittent=sorted({text for gate in self.gates for text in gate.intermittent}),
            again=self.again,
            summary=code_count("all", judged),
            operators=code_counts(judged, "operator"),
            functions=code_counts(judged, "function"),
            noticed=notices(judged),
            mutants=judged,
        )


def mutate_code(
    target: Target, options: MutateOptions, functions: Select, operators: Select
) -> int:
    """Judge the code mutants of a target that is ready; the exit status.

    Raises:
        UsageProblem: the options select no mutant, or contradict each other.
    """
    sources = _sources(target)
    every = code_population(sources, functions, operators)
    mutants = drawn(every, options.sample, options.seed)
    if not mutants:
        raise UsageProblem("no mutant is selected", "`conformance mutate --code --list` lists them")
    if options.listing:
        click.echo("\n".join(f"{m.id}  {m.name}" for m in mutants))
        return 0
    record = _record(target, options, sources, len(every), mutants)
    interrupted = _interrupted(record, mutants)
    record.write(interrupted=interrupted)
    report = record.report(interrupted=interrupted)
    _tell(report, record.known)
    if interrupted:
        hint = "the same command with --resume goes on" if options.output else ""
        click.echo(f"interrupted; {hint or 'nothing was written: add --output DIR'}", err=True)
        return INTERRUPTED
    return 1 if report.summary.survived > kinds_of(report, record.known) else 0


def kinds_of(report: CodeMutationReport, known: Sequence[Classified]) -> int:
    """How many survivors are equivalent."""
    return kinds(report, classes(known, report.target))["equivalent"]


def _sources(target: Target) -> TargetSources:
    try:
        return sources(target)
    except SourcesError as error:
        click.echo(f"error: the source of {target.name} cannot be had: {error}", err=True)
        raise SystemExit(CANNOT_RUN) from error


def _record(
    target: Target,
    options: MutateOptions,
    sources: TargetSources,
    population: int,
    mutants: Sequence[CodeMutant],
) -> _Record:
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = _Record(
        options=options,
        target=target,
        sources=sources,
        population=population,
        known=_known(),
        before=0.0,
        started=started,
        judged={},
        again=[],
        order={m.id: place for place, m in enumerate(mutants)},
    )
    if options.resume:
        _go_on(record)
    return record


def _known() -> list[Classified]:
    try:
        return load_classified()
    except ClassificationError as error:
        raise UsageProblem(str(error)) from error


def _go_on(record: _Record) -> None:
    """Take over what an earlier start judged in the same way; UsageProblem if it cannot be had."""
    folder = record.options.output
    if folder is None:
        raise UsageProblem("--resume goes on with a file", "add --output DIR")
    file = report_file(folder, record.target.name)
    if not file.exists():
        return
    try:
        earlier = read_report(file)
    except ReportError as error:
        raise UsageProblem(str(error), "delete the file, or leave out --resume") from error
    _check_same(earlier, record.report(interrupted=True), file)
    anew = _surviving(earlier, record.known) if record.options.again else set[str]()
    reused = [
        mutant for mutant in earlier.mutants if mutant.id in record.order and mutant.id not in anew
    ]
    record.judged.update({mutant.id: mutant for mutant in reused})
    record.again = sorted({*earlier.again, *anew} & {*record.order})
    record.before, record.started = earlier.seconds, earlier.started


def _surviving(report: CodeMutationReport, known: Sequence[Classified]) -> set[str]:
    """The ids of survivors that are not listed as equivalent."""
    entries = classes(known, report.target)
    alike = {name for name, entry in entries.items() if entry.kind == "equivalent"}
    return {mutant.id for mutant in report.survivors} - alike


def _check_same(earlier: CodeMutationReport, now: CodeMutationReport, file: Path) -> None:
    for name in ("sources", "suite_version", "profile", "seed", "minimised"):
        if getattr(earlier, name) != getattr(now, name):
            raise UsageProblem(
                f"{file} was made with another {name.replace('_', ' ')}",
                "leave out --resume to begin again",
            )


def _digests(sources: TargetSources) -> dict[str, str]:
    return {m.name: hashlib.sha256(m.text.source).hexdigest() for m in sources.modules}


def _interrupted(record: _Record, mutants: Sequence[CodeMutant]) -> bool:
    """Judge those that are left, with a bar on a terminal; whether Ctrl-C ended it early."""
    left = [m for m in mutants if m.id not in record.judged]
    stages = list(_stages(record))
    with _bar(record, len(mutants)) as tell:
        scoring = CodeScoring(record.target, record.sources.modules, stages, tell)
        try:
            scoring.run(left, record.options.jobs)
        except KeyboardInterrupt:
            return True
    return False


def _stages(record: _Record) -> Iterator[JudgingStage]:
    """The quickest profile, and after it that of `--profile`."""
    options = record.options
    for name in dict.fromkeys((QUICKEST, options.profile)):
        profile = PROFILES[name]
        common = Run(
            conformance.__version__,
            profile if options.minimise else unminimised(profile),
            options.seed,
            record.started,
            selection="functions that reach the change",
        )
        gate = IdentityGate()
        record.gates.append(gate)
        yield JudgingStage(common, gate)


@contextmanager
def _bar(record: _Record, length: int) -> Iterator[Callable[[JudgedCodeMutant], None]]:
    with click.progressbar(length=length, label=record.target.name, show_pos=True) as bar:
        bar.update(len(record.judged))

        def tell(mutant: JudgedCodeMutant) -> None:
            record.add(mutant)
            survived = sum(m.outcome == "survived" for m in record.judged.values())
            bar.label = f"{record.target.name}, {survived} survive"
            bar.update(1)

        yield tell


def _tell(report: CodeMutationReport, known: Sequence[Classified]) -> None:
    summary = report.summary
    share = "no score" if summary.score is None else f"score {100 * summary.score:.1f} %"
    equivalent = kinds_of(report, known)
    click.echo(
        f"{report.target}: the gate notices {summary.killed} of {summary.mutants} changes, "
        f"{share}; {equivalent} survivors are equivalent; in {report.seconds:.0f} s"
    )
    for mutant in report.survivors:
        place = f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.operator}"
        click.echo(f"  survived  {mutant.id}  {place}\n    - {mutant.before}\n    + {mutant.after}")
