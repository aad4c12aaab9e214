"""`conformance list`: the documented functions, and what results say of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.cli.errors import UsageProblem
from conformance.cli.options.selection import nothing_selected
from conformance.cli.options.values import ListOptions
from conformance.editions import EDITIONS
from conformance.near_names import proposal
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.safe_text import counted
from conformance.results import Results, Verdict
from conformance.results.encoding import as_json
from conformance.results.scores import worst
from conformance.specs import Spec, Specs, load
from conformance.specs.load import documented_name


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """One function of the list."""

    name: str
    theme: str
    summary: str
    called: dict[str, str]
    """Its name in each edition that has it, oldest first."""
    verdicts: dict[Verdict, int]
    """How many targets have which gravest verdict on it, the gravest first."""


def list_functions(options: ListOptions) -> int:
    """Print the selected functions; the exit status.

    Raises:
        UsageProblem: no function is selected.
    """
    specs = load()
    counts = _counts(_read(options.places))
    chosen = list(_chosen(options, specs, counts))
    if not chosen:
        raise nothing_selected(options.selection, [*specs, *specs.aliases()], options.edition)
    if options.as_json:
        click.echo(
            as_json([_as_data(function, options.places) for function in chosen], 2), nl=False
        )
        return 0
    console = make_console()
    for line in _lines(chosen, Paint(console)):
        console.print(line, soft_wrap=True)
    return 0


def _read(places: Sequence[Path]) -> list[Results]:
    """The results in the places; none of a folder that nobody named, for reading takes long."""
    if not places:
        return []
    from conformance.cli.files.results import newest  # noqa: PLC0415 - NumPy only if it is needed

    return newest(places)


def _counts(results: Sequence[Results]) -> Mapping[str, Counter[Verdict]]:
    counts: dict[str, Counter[Verdict]] = {}
    for run in results:
        for function in run.functions:
            counts.setdefault(function.function, Counter())[worst(function.aspects)] += 1
    return counts


def _chosen(
    options: ListOptions, specs: Specs, counts: Mapping[str, Counter[Verdict]]
) -> Iterator[ListedFunction]:
    themes = list(dict.fromkeys(map(specs.theme, specs)))
    if options.theme is not None and options.theme not in themes:
        raise UsageProblem(f"no theme {options.theme!r}", proposal(options.theme, themes))
    for name, spec in specs.items():
        in_theme = options.theme in (None, specs.theme(name))
        in_edition = options.edition is None or options.edition in spec.editions
        if in_theme and in_edition and any(map(options.select, (name, *_called(spec).values()))):
            tally = counts.get(name, Counter())
            verdicts = {v: tally[v] for v in GRAVEST_FIRST if tally[v]}
            yield ListedFunction(name, specs.theme(name), spec.summary, _called(spec), verdicts)


def _called(spec: Spec) -> dict[str, str]:
    return {e: documented_name(spec, e) for e in EDITIONS if e in spec.editions}


def _lines(chosen: Sequence[ListedFunction], paint: Paint) -> Iterator[Text]:
    width = max(len(function.name) for function in chosen)
    for theme in dict.fromkeys(function.theme for function in chosen):
        members = [function for function in chosen if function.theme == theme]
        yield Text(f"{theme} ({len(members)})", "bold")
        for function in members:
            yield Text.assemble(
                f"  {function.name:<{width}}  {_editions(function):<25}",
                *_verdicts(function, paint),
                paint.text(function.summary),
            )
    yield Text(
        f"{counted(len(chosen), 'function')}, with the editions of Keras's API that have"
        f" {'it' if len(chosen) == 1 else 'them'}"
    )
    yield Text("`conformance show NAME` says what the documents demand of one")


def _editions(function: ListedFunction) -> str:
    """The editions that have it, with the names that it has there if they are others."""
    editions = (
        e.removeprefix("keras-") + _other(function, name) for e, name in function.called.items()
    )
    return " ".join(editions)


def _other(function: ListedFunction, name: str) -> str:
    return "" if name == function.name else f" ({name})"


def _verdicts(function: ListedFunction, paint: Paint) -> Iterator[Text | str]:
    for verdict, count in function.verdicts.items():
        yield paint.mark(verdict, str(count))
        yield "  "


def _as_data(function: ListedFunction, places: Sequence[Path]) -> dict[str, Any]:
    data = {
        "name": function.name,
        "theme": function.theme,
        "summary": function.summary,
        "editions": function.called,
    }
    return {**data, "verdicts": function.verdicts} if places else data
