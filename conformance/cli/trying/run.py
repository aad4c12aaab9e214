"""`conformance try EXPRESSION`: one expression, run on many targets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import click
import msgspec
from rich.console import Console
from rich.text import Text

from conformance.adapters import environments
from conformance.adapters.access import open_session
from conformance.adapters.registry import Target
from conformance.cli.documented import documented
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.first_look.files import with_file
from conformance.cli.first_look.settling import settled
from conformance.cli.known_targets import chosen, known_targets
from conformance.cli.options.given import TryOptions
from conformance.cli.subjects import module_targets
from conformance.cli.trying import report
from conformance.cli.trying.answers import TargetAnswer, answers
from conformance.cli.trying.expected import Expected, expected
from conformance.editions import Edition
from conformance.program import Program
from conformance.program.expressions import ExpressionError, program_of
from conformance.program.marks import OPERATOR
from conformance.reporting.paint import Paint, make_console
from conformance.results.encoding import plain_data
from conformance.specs import Specs, load


def try_expression(options: TryOptions) -> int:
    """Run the expression and print what came; the exit status."""
    options, specs = with_file(options), load()
    program = _program(options.expression, specs)
    ready, missing = _targets(options, lambda edition: _documented(program, edition, specs))
    asked = [*ready, *(one.target for one in missing)]
    editions = dict.fromkeys(target.edition for target in asked)
    expectations = {edition: expected(program, edition, specs) for edition in editions}
    jobs = options.jobs or os.cpu_count() or 1
    coming = answers(program, ready, expectations, jobs, open_session)
    listed, everyone = list(expectations.values()), chain(missing, coming)
    if options.as_json:
        found = list(everyone)
        data = msgspec.json.encode(plain_data(report.as_data(options.expression, listed, found)))
        click.echo(msgspec.json.format(data, indent=2))
    else:
        width = max((len(target.name) for target in asked), default=0)
        found = _print(program, listed, everyone, width, specs)
    return _status(found, listed)


def _program(source: str, specs: Specs) -> Program:
    try:
        return program_of(source, [*specs, *specs.aliases()])
    except ExpressionError as error:
        line = (source.strip().splitlines() or [""])[error.line - 1]
        pointer = " " * (error.column - 1) + "^"
        message = f"line {error.line}, column {error.column}: {error}\n  {line}\n  {pointer}"
        raise UsageProblem(message, error.hint) from error


def _documented(program: Program, edition: Edition, specs: Specs) -> bool:
    """Whether the edition has every function that the program calls."""
    called = {s.function for s in program.steps if not s.function.startswith(OPERATOR)}
    names = specs.aliases()
    return all(edition in specs[names.get(name, name)].editions for name in called)


def _targets(
    options: TryOptions, has: Callable[[Edition], bool]
) -> tuple[list[Target], list[TargetAnswer]]:
    """The targets that are ready, and an answer for each one that is named and is not. If none is
    named, those of which the edition `has` the functions, or all if no edition does."""
    known = known_targets(options.config)
    named = [*chosen(options.targets, known), *module_targets(options)]
    having = [target for target in known.values() if has(target.edition)]
    ready, missing = [], []
    for target in named or having or known.values():
        state = environments.status(target)
        if isinstance(state, environments.Ready):
            ready.append(settled(target))
        else:
            said = f"cannot be run: {state.reason.partition(chr(10))[0]}; {state.hint}"
            missing.append(TargetAnswer(target, said, ran=False))
    missing = missing if named or not ready else []
    return sorted(ready, key=lambda target: target.venv is not None), missing


def _print(
    program: Program,
    expectations: Sequence[Expected],
    coming: Iterable[TargetAnswer],
    width: int,
    specs: Specs,
) -> list[TargetAnswer]:
    """Print everything as it comes; the answers."""
    console = make_console()
    paint = Paint(console)
    _show(console, [*report.oracle_lines(expectations, paint), Text(), Text("Targets", "bold")])
    found = []
    for one in coming:
        _show(console, [report.answer_line(one, width, paint)])
        found.append(one)
    _show(console, report.agreement_lines(found, expectations, paint))
    said = documented(specs)
    _show(console, report.document_lines(program, expectations, said, specs, paint))
    return found


def _show(console: Console, lines: Iterable[Text]) -> None:
    for line in lines:
        console.print(line, soft_wrap=not console.is_terminal)


def _status(found: Sequence[TargetAnswer], expectations: Sequence[Expected]) -> int:
    if any(one.agrees is False for one in found):
        return 1
    if expectations and all(one.misfit for one in expectations):
        return UsageProblem.exit_code
    return CANNOT_RUN if any(not one.ran for one in found) else 0
