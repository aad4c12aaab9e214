"""`conformance show FUNCTION`: what the documents say, and how each target fares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from msgspec.structs import replace
from rich.text import Text

from conformance.cli.errors import UsageProblem
from conformance.cli.files.documents import known_texts
from conformance.cli.files.outputs import print_script
from conformance.cli.files.results import DEFAULT_FOLDER, default_places, in_folders, newest
from conformance.cli.history.files import DEFAULT, read_history
from conformance.cli.options.values import ShowOptions
from conformance.cli.show.brief import brief_lines
from conformance.cli.show.history import history_lines
from conformance.cli.targets.known import known_targets
from conformance.editions import Edition, excludes
from conformance.near_names import did_you_mean, proposal
from conformance.reporting.detail import function_lines
from conformance.reporting.listing import ListedFailure, earlier_alone, listed_failures
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.safe_text import clean
from conformance.results import FunctionResult, Results, Verdict
from conformance.specs import EDITIONS, Spec, Specs, load, load_conventions
from conformance.specs.docstrings import load_docstrings, load_example_errata
from conformance.specs.documents.texts import Texts
from conformance.specs.kinds import Omitted
from conformance.specs.library import text_of
from conformance.specs.load import general_claims
from conformance.specs.model import DocumentedSignature, ErrorCase
from conformance.specs.places import place_of_signature, places


def show(options: ShowOptions) -> int:
    """Print the requested part; the exit status.

    Raises:
        UsageProblem: there is no such function, failure or result.
    """
    specs = load()
    spec = specs[resolve(options.function, specs)]
    if options.planned:
        return _print_plan(specs, spec, options.edition, options.seed)
    _check_edition(spec, options.edition)
    results = _select(_having(spec, options), options.edition, options.targets)
    ids = _ids(results, spec.name)
    results = [_only(run, spec.name, options.identity) for run in results]
    if options.identity is not None and not any(run.functions for run in results):
        raise _no_failure(spec.name, options.identity, ids)
    if options.script:
        _print_script(spec.name, results, _namesakes(options, spec.name, results))
        return 0
    texts = known_texts(options.documents)
    console = make_console()
    paint = Paint(console)
    about = paint.block(f" ({specs.theme(spec.name)}): {spec.summary}")
    head = Text.assemble(paint.text(spec.name, "bold"), about)
    if options.everything or options.identity is not None:
        lines = [head, *_documented(spec, options.edition, paint, texts)]
        lines += [Text(), Text("Targets", "bold")]
        lines += function_lines(
            results,
            spec.name,
            paint,
            console.width,
            texts.line,
            whole=options.identity is None,
        )
    else:
        sections = _brief_sections(spec, options.edition)
        lines = list(
            brief_lines(head, sections, results, spec.name, paint=paint, width=console.width)
        )
    if past := [] if options.places else list(history_lines(read_history(DEFAULT), spec.name)):
        lines += [
            Text(),
            Text("History", "bold"),
            *(Text.assemble("  ", paint.text(p)) for p in past),
        ]
    if not results:
        hint = f"`conformance run --output {DEFAULT_FOLDER} -k {spec.name}` writes them"
        lines.append(Text(f"No results here: {hint}"))
    console.print(Text("\n").join(lines), soft_wrap=not console.is_terminal)
    return 0


def _print_plan(specs: Specs, spec: Spec, edition: Edition | None, seed: int) -> int:
    from conformance.cli.show.plan_table import plan_lines  # noqa: PLC0415 - it imports the engine

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
    """The newest name of a function; `view` and `ops.view` are enough for `keras.ops.view`.

    Raises:
        UsageProblem: no function has this name, or several have it. The message suggests others.
    """
    bare = name.removeprefix("keras.backend.").removeprefix("K.")
    aliases = specs.aliases()
    if bare in specs or bare in aliases:
        return aliases.get(bare, bare)
    whole = [known for known in specs if known.endswith(f".{bare}")]
    if len(whole) == 1:
        return whole[0]
    near = proposal(bare, [*specs, *aliases], "`conformance list`")
    hint = f"did you mean {' or '.join(whole)}?" if whole else near
    raise UsageProblem(f"no document has a function {clean(name)!r}", hint)


def read_places(places: Sequence[Path], only: str | None = None) -> list[Results]:
    """The newest results of each target in the places; with `only` those of one function.

    Without places, those in `reports`, if this is a folder of results, and those of the last runs.
    A project may have other files in a folder of this name.
    """
    if not places and not default_places():
        return []
    return newest(places, only)


def _having(spec: Spec, options: ShowOptions) -> list[Results]:
    """The results in the places; without places, those in a folder of `reports` where `reports`
    itself has none of the function. An edition without it appears only on request."""
    results = read_places(options.places, spec.name)
    for files in () if options.places else in_folders().values():
        if any(_has(run, spec.name) for run in results):
            break
        results += read_places(files, spec.name)
    return [run for run in results if _may_have(run, spec) or run.target.name in options.targets]


def _may_have(results: Results, spec: Spec) -> bool:
    return results.target.edition in spec.editions or _has(results, spec.name)


def _select(
    results: Sequence[Results], edition: Edition | None, targets: Sequence[str]
) -> list[Results]:
    names = [run.target.name for run in results]
    for name in targets:
        if name not in names:
            there = ", ".join(map(clean, names)) or "none"
            raise UsageProblem(f"no results of target {clean(name)!r}", _hint(name, there))
    return [
        run
        for run in results
        if (edition is None or run.target.edition == edition)
        and (not targets or run.target.name in targets)
    ]


def _hint(name: str, there: str) -> str:
    if name in known_targets(None):
        return f"`conformance run {name} --output {DEFAULT_FOLDER}` writes them"
    return f"there are: {there}"


def _only(results: Results, function: str, identity: str | None) -> Results:
    """The results of one function, and of one failure if `identity` is given."""
    functions = [f for f in results.functions if f.function == function]
    if identity is not None:
        functions = [part for f in functions if (part := _with_failure(f, identity)).aspects]
    return Results(
        target=results.target, run=results.run, summary=results.summary, functions=functions
    )


def _ids(results: Sequence[Results], function: str) -> list[str]:
    """The failures of the function in the results."""
    functions = [f for run in results for f in run.functions if f.function == function]
    return [
        failure.id
        for f in functions
        for a in f.aspects
        for failure in (*a.failures, *a.earlier_failures)
    ]


def _namesakes(options: ShowOptions, function: str, results: Sequence[Results]) -> list[str]:
    """Functions of this name in packages, such as `keras.ops.sum`, that the places have, if they
    lack the function itself."""
    if any(run.functions for run in results):
        return []
    named = [name for name in load() if name.endswith(f".{function}")]
    return [n for n in named if any(_has(run, n) for run in read_places(options.places, n))]


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
    """The cure: name the function of another edition in the results, if there is one."""
    if namesakes:
        return f"they have {namesakes[0]}: `conformance show {namesakes[0]} --script`"
    return f"`conformance show {function}` lists its failures; --results names others"


def _print_script(function: str, results: Sequence[Results], namesakes: Sequence[str]) -> None:
    """Print the gravest failure's script; the results may have `namesakes` instead."""
    scripted = [
        (run.target.name, entry)
        for run in results
        for function in run.functions
        for shown in (function, earlier_alone(function))
        for entry in listed_failures([shown], *Verdict)
        if entry.failure is not None and entry.failure.script
    ]
    if not scripted:
        raise UsageProblem(
            f"no failure of {function} has a script in these results",
            _no_script(function, namesakes),
        )
    scripted.sort(key=lambda pair: GRAVEST_FIRST.index(pair[1].verdict))
    (target, first), *others = scripted
    print_script((first.failure and first.failure.script) or "")
    click.echo(f"script of {_named(target, first)}", err=True)
    for name, entry in others:
        click.echo(f"  another: {_named(name, entry)}", err=True)


def _named(target: str, entry: ListedFailure) -> str:
    identity = entry.failure.id if entry.failure else ""
    return clean(f"{target}, {entry.aspect.aspect} {entry.verdict}: --failure {identity}")


def _documented(spec: Spec, edition: Edition | None, paint: Paint, texts: Texts) -> Iterator[Text]:
    documents = _documents(spec, edition)
    sections = {
        "Signatures": list(_signatures(spec, documents)),
        "Renamed parameters": [f"{old} is now {new}" for old, new in spec.renamed.items()],
        "Parameters that single calls do not pass": list(_omitted(spec)),
        "Claims": list(_claims(spec, documents, texts)),
        "Errors": list(dict.fromkeys(_errors(spec, edition, documents, texts))),
        "Errata": [*_errata(spec), *_example_errata(spec, documents)],
        "Conventions, where the documents are silent": _conventions(spec),
    }
    for title, lines in sections.items():
        if lines:
            yield from (Text(), Text(title, "bold"))
            yield from (Text(paint.block(f"  {line}")) for line in lines)


def _brief_sections(spec: Spec, edition: Edition | None) -> dict[str, Sequence[str]]:
    """Signatures, the newest first, and claims without the lines of documents."""
    documents = _documents(spec, edition)
    claims = (
        f"{claim.aspect}: {claim.says} [{at}]"
        for claim in spec.claims
        if (at := _among(places(spec.name, claim), documents))
    )
    return {
        "Signatures": list(_signatures(spec, documents))[::-1],
        "Claims": list(claims),
    }


def _errata(spec: Spec) -> Iterator[str]:
    return (f"{e.number}: tested is: {e.claim}" for e in spec.errata)


def _example_errata(spec: Spec, documents: set[str]) -> Iterator[str]:
    """The examples of docstrings that are wrong, with the reasons."""
    for document in sorted(documents):
        docstring = (load_docstrings(document) or {}).get(spec.name)
        digests = docstring.examples if docstring else []
        for erratum in load_example_errata(document).get(spec.name, ()):
            numbers = ", ".join(str(digests.index(d) + 1) for d in erratum.examples)
            skipped = f" (not run: {numbers})" if numbers else ""
            yield f"examples{skipped}: {erratum.why} [{document}]"


def _documents(spec: Spec, edition: Edition | None) -> set[str]:
    """The documents to quote: all, or the document of the edition."""
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


def _among(places: Mapping[str, str], documents: set[str]) -> str:
    return ", ".join(place for document, place in places.items() if document in documents)


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
    for error in (*spec.errors, *_excluded(spec)):
        if edition is None or edition in error.editions:
            yield _error(spec.name, error, documents)
            yield from _quoted({d: n for d, n in error.at.items() if d in documents}, texts)


def _excluded(spec: Spec) -> Iterator[ErrorCase]:
    """The invalid calls that editions make of values that docstrings exclude."""
    editions = [e for e in spec.editions if excludes(e)]
    if not editions:
        return
    from conformance.generators.exclusions import exclusions  # noqa: PLC0415 - most need no numbers

    for edition in editions:
        yield from (excluded.error(spec, edition) for excluded in exclusions(spec, edition))


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
