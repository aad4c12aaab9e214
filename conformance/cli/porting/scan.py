"""`conformance migration --scan PATH`: read files, say what each use of K becomes."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from conformance.adapters.mappings import Table
from conformance.cli.errors import CANNOT_RUN
from conformance.cli.options.given import MigrationOptions
from conformance.cli.outputs import write_file
from conformance.cli.porting.advice import Advice, Outcome, advice
from conformance.cli.porting.sarif import sarif
from conformance.cli.porting.uses import Unreadable, Use, sources, uses
from conformance.reporting.counting import counted
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import Results
from conformance.specs import load

_FAILING = {
    "differs": (Outcome.DIFFERS, Outcome.REFUSED, Outcome.ABSENT, Outcome.UNKNOWN),
    "absent": (Outcome.REFUSED, Outcome.ABSENT, Outcome.UNKNOWN),
    "never": (),
}
"""What makes the exit status 1, by the word of --fail-on."""


def scan(options: MigrationOptions, table: Table, results: Sequence[Results]) -> int:
    """Look at the files and say what was found; the exit status."""
    specs = load()
    names = [*specs, *specs.aliases()]
    read = [uses(file, names) for place in options.scanned for file in sources(place)]
    unreadable = [one for one in read if isinstance(one, Unreadable)]
    mentions: list[Use] = [use for one in read if not isinstance(one, Unreadable) for use in one]
    found = [advice(use, table, specs, results) for use in mentions]
    _put(_written(options.form, found, unreadable), options.output)
    for one in unreadable:
        click.echo(clean(f"{one.file}:{one.line}: {one.reason}"), err=True)
    _hint(options, found, results)
    if any(one.outcome in _FAILING[options.fail_on] for one in found):
        return 1
    return CANNOT_RUN if unreadable else 0


def _hint(options: MigrationOptions, found: Sequence[Advice], results: Sequence[Results]) -> None:
    """What is said of a backend may hold for other arguments; its results tell."""
    apart = any(says.startswith("on ") for one in found for says in one.says)
    if apart and not results and options.form == "text":
        scanned = " ".join(f"--scan {shlex.quote(str(place))}" for place in options.scanned)
        click.echo(
            "hint: some of what is said of one backend concerns other arguments than these; its"
            f" results leave that out: `conformance migration RESULTS {scanned}`, where RESULTS is"
            " what `conformance run keras3 --output RESULTS` wrote",
            err=True,
        )


def _written(form: str, found: Sequence[Advice], unreadable: Sequence[Unreadable]) -> str:
    if form == "text":
        return "".join(f"{line}\n" for line in _lines(found))
    data: Any = sarif(found, unreadable) if form == "sarif" else [_as_data(one) for one in found]
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n"


def _put(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    write_file(output, text.encode())


def _lines(found: Sequence[Advice]) -> Iterator[str]:
    for file in dict.fromkeys(one.use.file for one in found):
        yield clean(str(file))
        for one in found:
            if one.use.file == file:
                yield from _use_lines(one)
    counts = Counter(one.outcome for one in found)
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
    yield counted(len(found), "use") + " of K" + (f": {told}" if told else "")


def _use_lines(one: Advice) -> Iterator[str]:
    use = one.use
    yield clean(f"{use.line}:{use.column} {use.text}").join(("  ", f"  [{one.outcome}]"))
    if one.replacement:
        first, *others = clean_block(one.replacement).splitlines()
        yield f"      -> {first}"
        yield from (f"         {line}" for line in others)
    for said in one.says:
        yield f"      {clean(said)}"


def _as_data(one: Advice) -> dict[str, Any]:
    use = one.use
    return {
        "file": str(use.file),
        "line": use.line,
        "column": use.column,
        "end_line": use.end_line,
        "end_column": use.end_column,
        "function": use.name,
        "text": use.text,
        "called": use.call is not None,
        "outcome": one.outcome,
        "replacement": one.replacement or None,
        "says": list(one.says),
    }
