"""`conformance show FUNCTION`: what the documents say, and how each target fares."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from msgspec.structs import replace
from rich.text import Text

from conformance.cli.errors import UsageProblem
from conformance.cli.known_targets import known_targets
from conformance.cli.options.given import ShowOptions
from conformance.cli.results_files import DEFAULT_FOLDER, in_folders, newest
from conformance.cli.texts import known_texts
from conformance.editions import Edition
from conformance.near_names import did_you_mean, proposal
from conformance.reporting.detail import function_lines
from conformance.reporting.listing import ListedFailure, earlier_alone, listed_failures
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import FunctionResult, Results, Verdict
from conformance.specs import EDITIONS, Spec, Specs, load, load_conventions
from conformance.specs.documents.texts import Texts
from conformance.specs.kinds import Omitted
from conformance.specs.library import text_of
from conformance.specs.load import general_claims
from conformance.specs.model import DocumentedSignature, ErrorCase
from conformance.specs.places import place_of_signature, places


def show(options: ShowOptions) -> int:
    """Print what is asked for; the exit status."""
    specs = load()
    spec = specs[resolve(options.function, specs)]
    if options.planned:
        return _print_plan(specs, spec, options.edition, options.seed)
    _check_edition(spec, options.edition)
    results = _select(_having(spec, options), options.edition, options.wanted)
    ids = _ids(results, spec.name)
    results = [_only(one, spec.name, options.identity) for one in results]
    if options.identity is not None and not any(one.functions for one in results):
        raise _no_failure(spec.name, options.identity, ids)
    if options.script:
        _print_script(spec.name, results, _namesakes(options, spec.name, results))
        return 0
    texts = known_texts(options.documents)
    console = make_console()
    paint = Paint(console)
    head = paint.block(f" ({specs.theme(spec.name)}): {spec.summary}")
    lines = [
        Text.assemble(paint.text(spec.name, "bold"), head),
        *_documented(spec, options.edition, paint, texts),
    ]
    lines += [Text(), Text("Targets", "bold")]
    lines += function_lines(results, spec.name, paint, console.width, texts.line)
    if not results:
        hint = f"`conformance run --output {DEFAULT_FOLDER} -k {spec.name}` writes them"
        lines.append(Text(f"No results here: {hint}"))
    console.print(Text("\n").join(lines), soft_wrap=not console.is_terminal)
    return 0


def _print_plan(specs: Specs, spec: Spec, edition: Edition | None, seed: int) -> int:
    from conformance.cli.plan_table import plan_lines  # noqa: PLC0415 - it imports the engine

    newest = [e for e in EDITIONS if e in spec.editions][-1]
    _check_edition(spec, edition)
    lines, complete = plan_lines(specs, spec, edition or newest, seed)
    click.echo("\n".join([f"{spec.name} in {edition or newest}", *lines]))
    return 0 if complete else 1


def _check_edition(spec: Spec, edition: Edition | None) -> None:
    """UsageProblem, with those that have the function, if the edition does not."""
    if edition is not None and edition not in spec.editions:
        there = ", ".join(e for e in EDITIONS if e in spec.editions)
        raise UsageProblem(f"{spec.name} is not in {edition}", f"it is in {there}")


def resolve(name: str, specs: Specs) -> str:
    """The newest name of a function; UsageError with suggestions if there is no such function."""
    bare = name.removeprefix("keras.backend.").removeprefix("K.")
    aliases = specs.aliases()
    if bare in specs or bare in aliases:
        return aliases.get(bare, bare)
    hint = proposal(bare, [*specs, *aliases], "`conformance list`")
    raise UsageProblem(f"no document has a function {clean(name)!r}", hint)


def read_places(places: Sequence[Path], only: str | None = None) -> list[Results]:
    """The newest results of each target in the places; with `only` those of one function."""
    if not places and not DEFAULT_FOLDER.is_dir():
        return []
    return newest(places, only)


def _having(spec: Spec, options: ShowOptions) -> list[Results]:
    """The results in the places; without places, those in a folder of `reports` where `reports`
    itself has none of the function. Of editions that lack it, only those that are asked for."""
    found = read_places(options.places, spec.name)
    for files in () if options.places else in_folders().values():
        if any(_has(one, spec.name) for one in found):
            break
        found += read_places(files, spec.name)
    return [one for one in found if _may_have(one, spec) or one.target.name in options.wanted]


def _may_have(results: Results, spec: Spec) -> bool:
    return results.target.edition in spec.editions or _has(results, spec.name)


def _select(
    results: Sequence[Results], edition: Edition | None, wanted: Sequence[str]
) -> list[Results]:
    names = [one.target.name for one in results]
    for name in wanted:
        if name not in names:
            there = ", ".join(map(clean, names)) or "none"
            raise UsageProblem(f"no results of target {clean(name)!r}", _hint(name, there))
    return [
        one
        for one in results
        if (edition is None or one.target.edition == edition)
        and (not wanted or one.target.name in wanted)
    ]


def _hint(name: str, there: str) -> str:
    if name in known_targets(None):
        return f"`conformance run {name} --output {DEFAULT_FOLDER}` writes them"
    return f"there are: {there}"


def _only(results: Results, function: str, identity: str | None) -> Results:
    """The results of one function, and of one failure if `identity` is given."""
    kept = [f for f in results.functions if f.function == function]
    if identity is not None:
        kept = [part for f in kept if (part := _with_failure(f, identity)).aspects]
    return Results(target=results.target, run=results.run, summary=results.summary, functions=kept)


def _ids(results: Sequence[Results], function: str) -> list[str]:
    """The failures of the function in the results."""
    listed = [f for one in results for f in one.functions if f.function == function]
    return [
        failure.id
        for f in listed
        for a in f.aspects
        for failure in (*a.failures, *a.earlier_failures)
    ]


def _namesakes(options: ShowOptions, function: str, results: Sequence[Results]) -> list[str]:
    """Functions of this name in packages, such as `keras.ops.sum`, that the places have, if they
    lack the function itself."""
    if any(one.functions for one in results):
        return []
    named = [name for name in load() if name.endswith(f".{function}")]
    return [n for n in named if any(_has(one, n) for one in read_places(options.places, n))]


def _has(results: Results, function: str) -> bool:
    return any(f.function == function for f in results.functions)


def _no_failure(function: str, identity: str, there: Sequence[str]) -> UsageProblem:
    hint = f"`conformance show {function}` lists its failures" if there else "it has none"
    return UsageProblem(
        f"{function} has no failure {clean(identity)!r} in these results",
        did_you_mean(identity, there) or hint,
    )


def _with_failure(function: FunctionResult, identity: str) -> FunctionResult:
    """The function with those aspects alone that show the failure."""
    aspects = []
    for aspect in function.aspects:
        own, earlier = (
            [f for f in failures if f.id.startswith(identity)]
            for failures in (aspect.failures, aspect.earlier_failures)
        )
        if own or earlier:
            aspects.append(replace(aspect, failures=own, earlier_failures=earlier))
    return FunctionResult(function.function, function.theme, aspects)


def _no_script(function: str, namesakes: Sequence[str]) -> str:
    """What to do: name the function of another edition that the results have, if there is one."""
    if namesakes:
        return f"they have {namesakes[0]}: `conformance show {namesakes[0]} --script`"
    return f"`conformance show {function}` lists its failures; --results names others"


def _print_script(function: str, results: Sequence[Results], namesakes: Sequence[str]) -> None:
    """Print the gravest failure's script; the results may have `namesakes` instead."""
    scripted = [
        (one.target.name, found)
        for one in results
        for function in one.functions
        for shown in (function, earlier_alone(function))
        for found in listed_failures([shown], *Verdict)
        if found.failure is not None and found.failure.script
    ]
    if not scripted:
        raise UsageProblem(
            f"no failure of {function} has a script in these results",
            _no_script(function, namesakes),
        )
    scripted.sort(key=lambda pair: GRAVEST_FIRST.index(pair[1].verdict))
    (target, first), *others = scripted
    # what is piped to an interpreter must be the script to the byte, so click.echo, which takes
    # escape sequences out, will not do; a terminal must not see them
    script = clean_block(_script(first)) if sys.stdout.isatty() else _script(first)
    sys.stdout.buffer.write(script.encode("utf-8", "surrogateescape"))
    click.echo(f"script of {_named(target, first)}", err=True)
    for name, found in others:
        click.echo(f"  another: {_named(name, found)}", err=True)


def _script(found: ListedFailure) -> str:
    script = (found.failure and found.failure.script) or ""
    return script if script.endswith("\n") else script + "\n"


def _named(target: str, found: ListedFailure) -> str:
    identity = found.failure.id if found.failure else ""
    return clean(f"{target}, {found.aspect.aspect} {found.verdict}: --failure {identity}")


def _documented(spec: Spec, edition: Edition | None, paint: Paint, texts: Texts) -> Iterator[Text]:
    documents = _documents(spec, edition)
    sections = {
        "Signatures": list(_signatures(spec, documents)),
        "Renamed parameters": [f"{old} is now {new}" for old, new in spec.renamed.items()],
        "Parameters that single calls do not pass": list(_omitted(spec)),
        "Claims": list(_claims(spec, documents, texts)),
        "Errors": list(_errors(spec, edition, documents, texts)),
        "Errata": [f"{e.number}: tested is: {e.claim}" for e in spec.errata],
        "Conventions, where the documents are silent": _conventions(spec),
    }
    for title, lines in sections.items():
        if lines:
            yield from (Text(), Text(title, "bold"))
            yield from (Text(paint.block(f"  {line}")) for line in lines)


def _documents(spec: Spec, edition: Edition | None) -> set[str]:
    """The documents to quote: all, or the one that binds the edition."""
    if edition is None:
        return set(spec.signatures)
    return {document for e, document in spec.editions.items() if e == edition}


def _signatures(spec: Spec, documents: set[str]) -> Iterator[str]:
    shown = {d: entry for d, entry in spec.signatures.items() if d in documents}
    where = {d: place_of_signature(d, entry) for d, entry in shown.items()}
    width = max(map(len, where.values()), default=0)
    for document, entry in shown.items():
        yield f"{where[document]:<{width}} {_signature(entry)}{_bound(spec, document)}"


def _signature(entry: DocumentedSignature) -> str:
    if entry.corrected is None:
        return entry.text
    why = f" ({entry.erratum})" if entry.erratum else ""
    return f"{entry.corrected}, printed as {entry.text}{why}"


def _bound(spec: Spec, document: str) -> str:
    bound = [e for e, d in spec.editions.items() if d == document]
    return f"  [{', '.join(bound)}]" if bound else ""


def _omitted(spec: Spec) -> Iterator[str]:
    rules = spec.parameters.items()
    reasons = {name: rule.why for name, rule in rules if isinstance(rule, Omitted)}
    if spec.dtype is not None:  # else scenarios make all calls
        yield from (f"{name}: {why}" for name, why in reasons.items())


def _among(found: Mapping[str, str], documents: set[str]) -> str:
    return ", ".join(place for document, place in found.items() if document in documents)


def _claims(spec: Spec, documents: set[str], texts: Texts) -> Iterator[str]:
    for claim in (*spec.claims, *general_claims()):
        if at := _among(places(spec.name, claim), documents):
            yield f"{claim.aspect}: {claim.says} [{at}]"
            yield from _quoted({d: n for d, n in claim.at.items() if d in documents}, texts)


def _quoted(at: Mapping[str, int], texts: Texts) -> Iterator[str]:
    """The lines themselves, of the documents that are at hand."""
    for document, line in at.items():
        text = texts.line(document, line)
        if text is not None:
            yield f"  {document}:{line}  {text.strip()}"


def _errors(
    spec: Spec, edition: Edition | None, documents: set[str], texts: Texts
) -> Iterator[str]:
    for error in spec.errors:
        if edition is None or edition in error.editions:
            yield _error(spec.name, error, documents)
            yield from _quoted({d: n for d, n in error.at.items() if d in documents}, texts)


def _error(function: str, error: ErrorCase, documents: set[str]) -> str:
    kind = "any exception" if error.exception == "any" else error.exception
    at = _among(places(function, error), documents) or f"convention {error.convention}"
    return f"{error.says} ({kind}; {', '.join(error.editions)}) [{at}]"


def _conventions(spec: Spec) -> list[str]:
    known = load_conventions()
    conditions: dict[str, list[str]] = {}
    for case in spec.unsettled:
        only = f" ({', '.join(case.editions)})" if case.editions else ""
        condition = f"  where {case.says or text_of(case.when)}{only}"
        conditions.setdefault(case.convention, []).append(condition)
    return [
        line
        for name, where in conditions.items()
        for line in (f"{name}: {known[name].says} (source: {known[name].source})", *where)
    ]
