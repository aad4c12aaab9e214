"""`conformance mutate --code`: which changes in the source of a backend the gate notices."""

from __future__ import annotations

import datetime
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

import conformance
from conformance.adapters.registry import Target
from conformance.cli.code_gate import IdentityGate
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.options.given import MutateOptions
from conformance.cli.outputs import writing
from conformance.engine import PROFILES, Run
from conformance.mutation.code.classified import (
    ClassificationError,
    Classified,
    classes,
    load_classified,
)
from conformance.mutation.code.page import kinds
from conformance.mutation.code.population import CodeMutant, code_population, drawn
from conformance.mutation.code.records import (
    CodeMutationReport,
    JudgedCodeMutant,
    code_count,
    code_counts,
    notices,
)
from conformance.mutation.code.scoring import CodeScoring
from conformance.mutation.code.sources import Sources, SourcesError, sources
from conformance.mutation.code.writing import ReportError, read_report, report_file, write_report
from conformance.mutation.score import unminimised

Select = Callable[[str], bool]


@dataclass(slots=True)
class _Record:
    """What was judged until now, and the report on it."""

    options: MutateOptions
    target: Target
    found: Sources
    population: int
    known: list[Classified]
    before: float
    """Seconds that earlier starts took."""
    started: str
    judged: dict[str, JudgedCodeMutant]
    again: list[str]
    """The ids of what survived an earlier start and is judged once more."""
    order: dict[str, int]
    gate: IdentityGate = field(default_factory=IdentityGate)
    _begun: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, one: JudgedCodeMutant) -> None:
        """Keep what came of one mutant, in the file too."""
        with self._lock:
            self.judged[one.id] = one
            self.write(interrupted=len(self.judged) < len(self.order))

    def write(self, *, interrupted: bool) -> None:
        """Write the files, if there is a folder for them."""
        if self.options.output is not None:
            with writing(self.options.output):
                write_report(self.report(interrupted=interrupted), self.options.output, self.known)

    def report(self, *, interrupted: bool) -> CodeMutationReport:
        """The report on what was judged, in the order of the sample."""
        judged = sorted(self.judged.values(), key=lambda one: self.order[one.id])
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
            sources=_digests(self.found),
            intermittent=self.gate.intermittent,
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
    """Judge the code mutants of a target that is ready; the exit status."""
    found = _sources(target)
    every = code_population(found, functions, operators)
    mutants = drawn(every, options.sample, options.seed)
    if not mutants:
        raise UsageProblem("no mutant is selected", "`conformance mutate --code --list` lists them")
    if options.listing:
        click.echo("\n".join(f"{m.id}  {m.name}" for m in mutants))
        return 0
    record = _record(target, options, found, len(every), mutants)
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


def _sources(target: Target) -> Sources:
    try:
        return sources(target)
    except SourcesError as error:
        click.echo(f"error: the source of {target.name} cannot be had: {error}", err=True)
        raise SystemExit(CANNOT_RUN) from error


def _record(
    target: Target,
    options: MutateOptions,
    found: Sources,
    population: int,
    mutants: Sequence[CodeMutant],
) -> _Record:
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = _Record(
        options=options,
        target=target,
        found=found,
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
    kept = [one for one in earlier.mutants if one.id in record.order and one.id not in anew]
    record.judged.update({one.id: one for one in kept})
    record.again = sorted({*earlier.again, *anew} & {*record.order})
    record.before, record.started = earlier.seconds, earlier.started


def _surviving(report: CodeMutationReport, known: Sequence[Classified]) -> set[str]:
    """The ids of what survives, but for what is listed as equivalent."""
    listed = classes(known, report.target)
    alike = {name for name, entry in listed.items() if entry.kind == "equivalent"}
    return {one.id for one in report.survivors} - alike


def _check_same(earlier: CodeMutationReport, now: CodeMutationReport, file: Path) -> None:
    for name in ("sources", "suite_version", "profile", "seed", "minimised"):
        if getattr(earlier, name) != getattr(now, name):
            raise UsageProblem(
                f"{file} was made with another {name.replace('_', ' ')}",
                "leave out --resume to begin again",
            )


def _digests(found: Sources) -> dict[str, str]:
    return {m.name: hashlib.sha256(m.text.source).hexdigest() for m in found.modules}


def _interrupted(record: _Record, mutants: Sequence[CodeMutant]) -> bool:
    """Judge those that are left, with a bar on a terminal; whether Ctrl-C ended it early."""
    options = record.options
    left = [m for m in mutants if m.id not in record.judged]
    profile = PROFILES[options.profile]
    common = Run(
        conformance.__version__,
        profile if options.minimise else unminimised(profile),
        options.seed,
        record.started,
        selection="what reaches the change",
    )
    with _bar(record, len(mutants)) as tell:
        scoring = CodeScoring(record.target, record.found.modules, common, record.gate, tell)
        try:
            scoring.run(left, options.jobs)
        except KeyboardInterrupt:
            return True
    return False


@contextmanager
def _bar(record: _Record, length: int) -> Iterator[Callable[[JudgedCodeMutant], None]]:
    with click.progressbar(length=length, label=record.target.name, show_pos=True) as bar:
        bar.update(len(record.judged))

        def tell(one: JudgedCodeMutant) -> None:
            record.add(one)
            survived = sum(m.outcome == "survived" for m in record.judged.values())
            bar.label = f"{record.target.name}, {survived} survive"
            bar.update(1)

        yield tell


def _tell(report: CodeMutationReport, known: Sequence[Classified]) -> None:
    one = report.summary
    share = "no score" if one.score is None else f"score {100 * one.score:.1f} %"
    equivalent = kinds_of(report, known)
    click.echo(
        f"{report.target}: the gate notices {one.killed} of {one.mutants} changes, {share}; "
        f"{equivalent} of those that survive are equivalent; in {report.seconds:.0f} s"
    )
    for mutant in report.survivors:
        place = f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.operator}"
        click.echo(f"  survived  {mutant.id}  {place}\n    - {mutant.before}\n    + {mutant.after}")
