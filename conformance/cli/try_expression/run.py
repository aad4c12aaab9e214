"""`conformance try EXPRESSION`: one expression on many targets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from conformance.adapters import environments
from conformance.adapters.access import open_session
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.documents import documented
from conformance.cli.options.values import TryOptions
from conformance.cli.targets.first_look import settled
from conformance.cli.targets.known import chosen, known_targets, unnamed
from conformance.cli.targets.subjects import module_targets, with_file
from conformance.cli.try_expression.answers import Alike, TargetAnswer, alike, answers
from conformance.cli.try_expression.expected import Expected, expected
from conformance.editions import Edition
from conformance.engine.verdicts.failures import record
from conformance.program import Program
from conformance.program.expressions import ExpressionError, program_of
from conformance.program.marks import OPERATOR
from conformance.reporting.documented import Documented, DocumentedFunction
from conformance.reporting.failures import array_lines, comparison
from conformance.reporting.paint import Paint, make_console
from conformance.results import Verdict
from conformance.results.encoding import as_json
from conformance.specs import Specs, load, load_conventions

_SAYS = {True: "as the oracle", False: "differs from the oracle", None: "nothing to compare with"}
_MARKS = {True: Verdict.CONFORMS, False: Verdict.VIOLATES, None: Verdict.NOT_RUN}


def oracle_lines(expectations: Iterable[Expected], paint: Paint) -> Iterator[Text]:
    """The answers of the oracle, each once, with the editions that it holds in."""
    yield Text("The oracle", "bold")
    groups: dict[str, list[Expected]] = {}
    for expectation in expectations:
        groups.setdefault(_answer_text(expectation), []).append(expectation)
    for members in groups.values():
        first, editions = members[0], ", ".join(expectation.edition for expectation in members)
        if first.answer is None:
            yield paint.text(f"has no answer: {first.untold}  [{editions}]", indent=2)
        else:
            answered = first.answer.value.astype(first.answer.dtype)
            for line in array_lines(editions, record(answered), set(), paint):
                yield Text.assemble("  ", line)


def _answer_text(expectation: Expected) -> str:
    if expectation.answer is None:
        return expectation.untold
    answer = expectation.answer
    return f"{answer.dtype} {answer.value.shape} {answer.value.tobytes().hex()}"


def answer_line(answer: TargetAnswer, width: int, paint: Paint) -> Text:
    """One target: what it gives, and whether that is the oracle's answer."""
    text = (
        answer.gives
        if not answer.ran or not answer.arrays
        else f"{answer.gives}, {_SAYS[answer.agrees]}"
    )
    if answer.agrees and answer.differences:
        text += f", but {'; '.join(answer.differences)}"
    if answer.readings:
        text += f"; it takes {', '.join(answer.readings)}"
    mark = paint.mark(_verdict(answer))
    name = Text(paint.plain(answer.target.name).ljust(width), "bold")
    return Text.assemble("  ", mark, " ", name, "  ", paint.text(text))


def _verdict(answer: TargetAnswer) -> Verdict:
    if answer.lacks:
        return Verdict.UNSUPPORTED
    if not answer.ran:
        return Verdict.NOT_RUN
    changed = answer.agrees is False and answer.target.successor
    return Verdict.CHANGED if changed else _MARKS[answer.agrees]


def agreement_lines(
    all_answers: Sequence[TargetAnswer], expectations: Sequence[Expected], paint: Paint
) -> Iterator[Text]:
    """The groups of agreeing targets, each answer beside the oracle's if they differ."""
    groups = alike([answer for answer in all_answers if answer.ran])
    if not groups:
        return
    yield from (Text(), Text("Who agrees", "bold"))
    answers = {expectation.edition: expectation.answer for expectation in expectations}
    for group in groups:
        names = ", ".join(answer.target.name for answer in group.members)
        yield paint.text(f"{len(group.members)}: {names}", indent=2)
        yield from _shown(group, answers.get(group.first.target.edition), paint)


def _shown(group: Alike, answer: Any, paint: Paint) -> Iterator[Text]:
    first = group.first
    yield from (paint.text(difference, indent=5) for difference in first.differences)
    if not first.arrays:
        yield paint.text(first.gives, indent=5)
    elif first.agrees is False and first.arrays[0].shape == answer.value.shape:
        demanded = record(answer.value.astype(answer.dtype))
        for line in comparison(demanded, record(first.arrays[0]), paint, answer.terms * 4.0):
            yield Text.assemble("     ", line)
    elif first.agrees is None:
        for number, array in enumerate(first.arrays):
            for line in array_lines(f"result {number + 1}", record(array), set(), paint):
                yield Text.assemble("     ", line)


def document_lines(
    program: Program,
    expectations: Sequence[Expected],
    documents_data: Documented,
    specs: Specs,
    paint: Paint,
) -> Iterator[Text]:
    """The statements of these editions' documents on the last function, and the open points."""
    name = final_function(program, specs)
    if name is None:
        return
    spec = specs[name]
    documents = [str(d) for e, d in spec.editions.items() if e in {x.edition for x in expectations}]
    yield from (Text(), Text(f"The documents on {name}", "bold"))
    yield from (
        paint.text(line, indent=2) for line in _demands(documents_data.functions[name], documents)
    )
    if resting := rests_on(expectations):
        yield from (Text(), Text("Where they are silent", "bold"))
        yield from (paint.text(line, indent=2) for line in _conventions(resting))


def _demands(function: DocumentedFunction, documents: Sequence[str]) -> Iterator[str]:
    for printed in function.signatures:
        if printed.document in documents:
            yield f"{printed.at}  {printed.name}({', '.join(printed.parameters)})"
    for demand in (*function.claims, *function.errors):
        at = [place for document, place in demand.at.items() if document in documents]
        if at:
            yield f"{demand.about}: {demand.says} [{', '.join(at)}]"


def rests_on(expectations: Iterable[Expected]) -> list[str]:
    """The conventions that the call rests on, in any edition."""
    cases = [
        expectation.prepared for expectation in expectations if expectation.prepared is not None
    ]
    return sorted({name for p in cases for name in p.structure.conventions(p.profiles[0])})


def _conventions(names: Iterable[str]) -> Iterator[str]:
    known = load_conventions()
    for name in names:
        convention = known[name]
        yield f"{name}: {convention.says} (source: {convention.source})"
        for reading in convention.readings:
            yield f"  also allowed, {reading.name}: {reading.says}"


def final_function(program: Program, specs: Specs) -> str | None:
    """The newest name of the function that is called last; None for an operator."""
    name = program.steps[-1].function
    return None if "." in name else specs.aliases().get(name, name)


def as_data(
    source: str, expectations: Sequence[Expected], all_answers: Sequence[TargetAnswer]
) -> dict[str, Any]:
    """All answers and comparisons, for `--json`."""
    return {
        "expression": source,
        "oracle": [
            {
                "edition": expectation.edition,
                "answer": _recorded(expectation.answer),
                "reason": expectation.untold or None,
            }
            for expectation in expectations
        ],
        "rests_on": rests_on(expectations),
        "targets": [
            {
                "name": answer.target.name,
                "edition": answer.target.edition,
                "ran": answer.ran,
                "gives": answer.gives,
                "results": [record(array) for array in answer.arrays],
                "as_the_oracle": answer.agrees,
                "lacks": answer.lacks,
                "readings": list(answer.readings),
                "differences": list(answer.differences),
            }
            for answer in all_answers
        ],
        "agreement": [
            [answer.target.name for answer in group.members] for group in alike(all_answers)
        ],
    }


def _recorded(answer: Any) -> Any:
    return None if answer is None else record(answer.value.astype(answer.dtype))


def try_expression(options: TryOptions) -> int:
    """Run the expression and print the answers; the exit status."""
    options, specs = with_file(options), load()
    program = _program(options.expression, specs)
    ready, missing = _targets(options, lambda edition: _documented(program, edition, specs))
    asked = [*ready, *(answer.target for answer in missing)]
    editions = dict.fromkeys(target.edition for target in asked)
    expectations = {edition: expected(program, edition, specs) for edition in editions}
    jobs = options.jobs or os.cpu_count() or 1
    coming = answers(program, ready, expectations, jobs, open_session)
    demanded, everyone = list(expectations.values()), chain(missing, coming)
    if options.as_json:
        collected = list(everyone)
        click.echo(as_json(as_data(options.expression, demanded, collected), 2), nl=False)
    else:
        width = max((len(target.name) for target in asked), default=0)
        collected = _print(program, demanded, everyone, width, specs)
    return _status(collected, demanded)


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
    """The targets that are ready, and an answer for each named target that is not.

    Without names: the targets whose edition `has` the functions, or all if no edition does.
    """
    known = known_targets(options.config)
    named = [*chosen(options.targets, known), *module_targets(options)]
    others = [] if named else unnamed(known.values())
    having = [target for target in others if has(target.edition)]
    ready, missing = [], []
    for target in named or having or others:
        state = environments.status(target)
        if isinstance(state, environments.Ready):
            ready.append(settled(target))
        else:
            problem = f"cannot be run: {state.reason.partition(chr(10))[0]}; {state.hint}"
            missing.append(TargetAnswer(target, problem, ran=False))
    missing = missing if named or not ready else []
    return sorted(ready, key=lambda target: target.venv is not None), missing


def _print(
    program: Program,
    expectations: Sequence[Expected],
    coming: Iterable[TargetAnswer],
    width: int,
    specs: Specs,
) -> list[TargetAnswer]:
    """Print each answer as it arrives; the answers."""
    console = make_console()
    paint = Paint(console)
    _print_lines(console, [*oracle_lines(expectations, paint), Text(), Text("Targets", "bold")])
    collected = []
    for answer in coming:
        _print_lines(console, [answer_line(answer, width, paint)])
        collected.append(answer)
    _print_lines(console, agreement_lines(collected, expectations, paint))
    documents = documented(specs)
    _print_lines(console, document_lines(program, expectations, documents, specs, paint))
    return collected


def _print_lines(console: Console, lines: Iterable[Text]) -> None:
    for line in lines:
        console.print(line, soft_wrap=not console.is_terminal)


def _status(collected: Sequence[TargetAnswer], expectations: Sequence[Expected]) -> int:
    if any(answer.agrees is False for answer in collected):
        return 1
    if expectations and all(expectation.misfit for expectation in expectations):
        return UsageProblem.exit_code
    return CANNOT_RUN if any(not answer.ran for answer in collected) else 0
