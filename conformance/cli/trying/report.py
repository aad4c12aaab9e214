"""The answers to an expression, as lines for a terminal and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from conformance.cli.trying.answers import Alike, TargetAnswer, alike
from conformance.cli.trying.expected import Expected
from conformance.engine.verdicts.failures import record
from conformance.program import Program
from conformance.reporting.documented import Documented, DocumentedFunction
from conformance.reporting.failures import array_lines, comparison
from conformance.reporting.paint import Paint
from conformance.results import Verdict
from conformance.specs import Specs, load_conventions

_SAYS = {True: "as the oracle", False: "differs from the oracle", None: "nothing to compare with"}
_MARKS = {True: Verdict.CONFORMS, False: Verdict.VIOLATES, None: Verdict.NOT_RUN}


def oracle_lines(expectations: Iterable[Expected], paint: Paint) -> Iterator[Text]:
    """What the oracle answers; each answer once, with the editions that it holds in."""
    yield Text("The oracle", "bold")
    told: dict[str, list[Expected]] = {}
    for one in expectations:
        told.setdefault(_told(one), []).append(one)
    for members in told.values():
        first, editions = members[0], ", ".join(one.edition for one in members)
        if first.answer is None:
            yield paint.text(f"has no answer: {first.untold}  [{editions}]", indent=2)
        else:
            answered = first.answer.value.astype(first.answer.dtype)
            for line in array_lines(editions, record(answered), set(), paint):
                yield Text.assemble("  ", line)


def _told(one: Expected) -> str:
    if one.answer is None:
        return one.untold
    return f"{one.answer.dtype} {one.answer.value.shape} {one.answer.value.tobytes().hex()}"


def answer_line(one: TargetAnswer, width: int, paint: Paint) -> Text:
    """One target: what it gives, and whether that is the oracle's answer."""
    said = one.gives if not one.ran or not one.arrays else f"{one.gives}, {_SAYS[one.agrees]}"
    if one.agrees and one.differences:
        said += f", but {'; '.join(one.differences)}"
    if one.readings:
        said += f"; it takes {', '.join(one.readings)}"
    mark = paint.mark(_verdict(one))
    name = Text(paint.plain(one.target.name).ljust(width), "bold")
    return Text.assemble("  ", mark, " ", name, "  ", paint.text(said))


def _verdict(one: TargetAnswer) -> Verdict:
    if one.lacks:
        return Verdict.UNSUPPORTED
    if not one.ran:
        return Verdict.NOT_RUN
    changed = one.agrees is False and one.target.successor
    return Verdict.CHANGED if changed else _MARKS[one.agrees]


def agreement_lines(
    found: Sequence[TargetAnswer], expectations: Sequence[Expected], paint: Paint
) -> Iterator[Text]:
    """Who agrees with whom, and each answer that is not the oracle's beside it."""
    groups = alike([one for one in found if one.ran])
    if not groups:
        return
    yield from (Text(), Text("Who agrees", "bold"))
    answers = {one.edition: one.answer for one in expectations}
    for group in groups:
        names = ", ".join(one.target.name for one in group.members)
        yield paint.text(f"{len(group.members)}: {names}", indent=2)
        yield from _shown(group, answers.get(group.first.target.edition), paint)


def _shown(group: Alike, answer: Any, paint: Paint) -> Iterator[Text]:
    first = group.first
    yield from (paint.text(difference, indent=5) for difference in first.differences)
    if not first.arrays:
        yield paint.text(first.gives, indent=5)
    elif first.agrees is False and first.arrays[0].shape == answer.value.shape:
        wanted = record(answer.value.astype(answer.dtype))
        for line in comparison(wanted, record(first.arrays[0]), paint, answer.terms * 4.0):
            yield Text.assemble("     ", line)
    elif first.agrees is None:
        for number, array in enumerate(first.arrays):
            for line in array_lines(f"result {number + 1}", record(array), set(), paint):
                yield Text.assemble("     ", line)


def document_lines(
    program: Program, expectations: Sequence[Expected], said: Documented, specs: Specs, paint: Paint
) -> Iterator[Text]:
    """What the documents of these editions say of the last function, and what they leave open."""
    name = final_function(program, specs)
    if name is None:
        return
    spec = specs[name]
    documents = [str(d) for e, d in spec.editions.items() if e in {x.edition for x in expectations}]
    yield from (Text(), Text(f"What the documents say of {name}", "bold"))
    yield from (paint.text(line, indent=2) for line in _demands(said.functions[name], documents))
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
    cases = [one.prepared for one in expectations if one.prepared is not None]
    return sorted({name for p in cases for name in p.structure.conventions(p.profiles[0])})


def _conventions(names: Iterable[str]) -> Iterator[str]:
    known = load_conventions()
    for name in names:
        one = known[name]
        yield f"{name}: {one.says} (source: {one.source})"
        for reading in one.readings:
            yield f"  also allowed, {reading.name}: {reading.says}"


def final_function(program: Program, specs: Specs) -> str | None:
    """The newest name of the function that is called last; None for an operator."""
    name = program.steps[-1].function
    return None if "." in name else specs.aliases().get(name, name)


def as_data(
    source: str, expectations: Sequence[Expected], found: Sequence[TargetAnswer]
) -> dict[str, Any]:
    """Everything that was found out, for `--json`."""
    return {
        "expression": source,
        "oracle": [
            {
                "edition": one.edition,
                "answer": _recorded(one.answer),
                "reason": one.untold or None,
            }
            for one in expectations
        ],
        "rests_on": rests_on(expectations),
        "targets": [
            {
                "name": one.target.name,
                "edition": one.target.edition,
                "ran": one.ran,
                "gives": one.gives,
                "results": [record(array) for array in one.arrays],
                "as_the_oracle": one.agrees,
                "lacks": one.lacks,
                "readings": list(one.readings),
                "differences": list(one.differences),
            }
            for one in found
        ],
        "agreement": [[one.target.name for one in group.members] for group in alike(found)],
    }


def _recorded(answer: Any) -> Any:
    return None if answer is None else record(answer.value.astype(answer.dtype))
