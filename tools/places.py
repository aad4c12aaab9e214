"""How often the suspect lines of a wrong answer hold its cause: `python -m tools.places TARGET`.

The cause of a wrong answer is known where the tool itself makes a small change in the code of a
backend. It draws changes, as `conformance mutate --code` does, and runs the function nearest to
each with the profile `smoke`. If a change shows as a wrong answer, the tool looks at the first
failure that the backend has only with the change.

The tool counts how often the first line is in the changed function, and how often one of the
listed lines is the changed statement. It prints both halves of the changes apart: the ranking was
chosen on the first half (docs/mutation.md).
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from conformance.adapters.session import SessionAbortedError, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN
from conformance.cli.options.selection import expression
from conformance.engine import PROFILES, Run, Stop, Task, plan
from conformance.engine.running.examination import Examination
from conformance.mutation.code.population import CodeMutant, code_population, drawn, sources
from conformance.mutation.score import unminimised
from conformance.results import Failure, SuspectLine, Verdict
from conformance.specs import load
from tools.shown_cases import Planted, of_code

PROFILE = PROFILES["smoke"]


class Span(NamedTuple):
    """The first and the last line of a part of a file."""

    file: str
    first: int
    last: int

    def holds(self, suspect: SuspectLine) -> bool:
        """Whether a suspect line is in the part."""
        file, _, rest = suspect.place.rpartition(", in ")[0].rpartition(":")
        return self.file.endswith(f"/{file}") and self.first <= int(rest) <= self.last


class Change(NamedTuple):
    """Where a change is: the function or class at the top of the module, and the statement."""

    id: str
    name: str
    function: Span
    statement: Span


def change(mutant: CodeMutant) -> Change:
    """The place of a code mutant."""
    file, line = mutant.module.file, mutant.line
    (unit,) = (n for n in parsed(file).body if _holds(n, line))
    spans = [_header(node) for node in ast.walk(unit) if isinstance(node, ast.stmt)]
    around = [span for span in spans if span[0] <= line <= span[1]]
    first, last = min(around, key=lambda span: span[1] - span[0], default=(line, line))
    function = Span(file, _start(unit), unit.end_lineno or unit.lineno)
    return Change(mutant.id, mutant.name, function, Span(file, first, last))


@cache
def parsed(file: str) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(Path(file).read_bytes())


def _holds(node: ast.stmt, line: int) -> bool:
    definition = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    return definition and _start(node) <= line <= (node.end_lineno or node.lineno)


def _start(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _header(node: ast.stmt) -> tuple[int, int]:
    """The lines of a statement without those of the statements in it."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return node.lineno, max(node.lineno, body[0].lineno - 1)
    return node.lineno, node.end_lineno or node.lineno


class Outcome(NamedTuple):
    """Whether the lines of a failure hold the change."""

    function_first: bool
    statement_listed: bool


def outcome(of: Change, lines: Sequence[SuspectLine]) -> Outcome:
    """The outcome of the lines, the most suspect first."""
    first = bool(lines) and of.function.holds(lines[0])
    return Outcome(first, any(map(of.statement.holds, lines)))


def half(of: Change) -> int:
    """The half of the changes to which one belongs, 0 or 1, by its id."""
    return int(of.id, 16) % 2


@dataclass(slots=True)
class Measurement:
    """Changes of one target, with the failures that it has without any."""

    target: Target
    seed: int
    _tasks: dict[str, Task] = field(default_factory=dict)
    _known: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tasks = plan(load(), self.target.edition, PROFILE, self.seed)
        self._tasks = {task.spec.name: task for task in tasks}

    def learn(self, without: Planted, functions: Sequence[str]) -> None:
        """Note the failures of the functions without a change."""
        for name, failures in self._run(without, functions, locate=False):
            self._known[name] = {failure.id for failure in failures}

    def lines(self, planted: Planted) -> list[SuspectLine] | None:
        """The lines of the first new wrong answer; None if there is none."""
        try:
            ((name, failures),) = self._run(planted, [planted.function], locate=True)
        except (WorkerStartError, SessionAbortedError, OSError):
            return None
        for failure in failures:
            new = failure.id not in self._known[name] and failure.verdict is Verdict.VIOLATES
            if new and isinstance(failure.suspect_lines, list):
                return failure.suspect_lines
        return None

    def _run(
        self, planted: Planted, functions: Sequence[str], *, locate: bool
    ) -> Iterator[tuple[str, list[Failure]]]:
        profile = PROFILE if locate else unminimised(PROFILE)
        common = Run("places", profile, self.seed, "2000-01-01T00:00:00+00:00", locate=locate)
        tasks = [self._tasks[name] for name in functions]
        with planted.mutated() as (tested, session):
            examination = Examination(tested, session, tasks, common, lambda _: None, Stop())
            for examined in examination.all(lambda _: None):
                failures = [f for a in examined.result.aspects for f in a.failures]
                yield examined.result.function, failures


def measured(
    target: Target, sample: int, seed: int, select: Callable[[str], bool]
) -> Iterator[tuple[Change, Outcome]]:
    """The changes that show as a wrong answer, with their outcomes."""
    mutants = drawn(code_population(sources(target), select), sample, seed)
    planted, without = of_code(target, sample, seed, select)
    measurement = Measurement(target, seed)
    measurement.learn(without, sorted({error.function for error in planted}))
    for mutant, error in zip(mutants, planted, strict=True):
        if (lines := measurement.lines(error)) is not None:
            place = change(mutant)
            yield place, outcome(place, lines)


def shares(outcomes: Sequence[Outcome]) -> str:
    """`40 changes, the right function first: 37 (92 %), the right statement listed: 31 (78 %)`."""
    count = len(outcomes)
    if not count:
        return "no change"
    first = sum(o.function_first for o in outcomes)
    statements = sum(o.statement_listed for o in outcomes)
    return (
        f"{count} changes, the right function first: {first} ({first / count:.0%}), "
        f"the right statement listed: {statements} ({statements / count:.0%})"
    )


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("name", metavar="TARGET")
@click.option("--sample", default=100, show_default=True, help="How many changes.")
@click.option("--seed", default=0, show_default=True)
@click.option("-k", "matching", help="Change only code of the functions that match.")
def main(name: str, sample: int, seed: int, matching: str | None) -> None:
    """Measure the places of one target, and print the scores."""
    begun = time.monotonic()
    if name not in shipped():
        raise click.UsageError(f"{name} is not a target: `conformance targets` lists them")
    target = shipped()[name]
    state = environments.status(target)
    if not isinstance(state, environments.Ready):
        click.echo(f"error: {name}: {state.reason}\nhint: {state.hint}", err=True)
        raise SystemExit(CANNOT_RUN)
    select = expression(matching) if matching else lambda _: True
    halves: list[list[Outcome]] = [[], []]
    for place, result in measured(target, sample, seed, select):
        halves[half(place)].append(result)
        function, statement = ("yes" if right else "no" for right in result)
        click.echo(f"function {function}, statement {statement}: {place.name}")
    click.echo(f"first half: {shares(halves[0])}\nsecond half: {shares(halves[1])}")
    click.echo(f"{name}: {shares([*halves[0], *halves[1]])}; in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
