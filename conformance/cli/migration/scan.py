"""`conformance migration --scan PATH`: read files, say what each use of K becomes."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

import conformance
from conformance.adapters.mappings import MappingTable
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.outputs import write_file
from conformance.cli.migration.advice import Advice, Outcome, advice, outcome_of
from conformance.cli.migration.uses import CONVERT, Unreadable, Use, notebooks, sources, uses
from conformance.cli.options.values import MigrationOptions
from conformance.files import MOST_SOURCE, read_bounded
from conformance.reporting.safe_text import clean, clean_block, counted
from conformance.results import Results
from conformance.results.encoding import as_json
from conformance.specs import load

VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {
    Outcome.SAME: "note",
    Outcome.SAME_IN_32_BITS: "note",
    Outcome.UNKNOWN: "warning",
    Outcome.DIFFERS: "warning",
    Outcome.UNFINISHED: "error",
    Outcome.REFUSED: "error",
    Outcome.ABSENT: "error",
}
_RULES = {
    Outcome.SAME: "The call of Keras 3 that replaces this function of K does the same.",
    Outcome.SAME_IN_32_BITS: "The call of Keras 3 differs only for numbers of 64 bits.",
    Outcome.UNKNOWN: "No document describes this name, and Keras 3 does not have it.",
    Outcome.DIFFERS: "The call of Keras 3 behaves differently with these arguments.",
    Outcome.UNFINISHED: "You must change this use of K by hand.",
    Outcome.REFUSED: "The call of Keras 3 refuses these arguments.",
    Outcome.ABSENT: "Keras 3 has no replacement for this function of K.",
}


def sarif(advices: Sequence[Advice], unreadable: Sequence[Unreadable]) -> dict[str, Any]:
    """The log, with one run."""
    outcomes = list(Outcome)
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": _driver(outcomes)},
                "columnKind": "unicodeCodePoints",
                "results": [_result(advice, outcomes.index(advice.outcome)) for advice in advices],
                "invocations": [
                    {
                        "executionSuccessful": not unreadable,
                        "toolExecutionNotifications": list(map(_notification, unreadable)),
                    }
                ],
            }
        ],
    }


def _driver(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "name": "conformance migration",
        "version": conformance.__version__,
        "rules": [
            {
                "id": f"keras-backend-{outcome}",
                "shortDescription": {"text": _RULES[outcome]},
                "defaultConfiguration": {"level": LEVELS[outcome]},
            }
            for outcome in outcomes
        ],
    }


def _result(advice: Advice, rule: int) -> dict[str, Any]:
    return {
        "ruleId": f"keras-backend-{advice.outcome}",
        "ruleIndex": rule,
        "level": LEVELS[advice.outcome],
        "message": {"text": message(advice)},
        "locations": [{"physicalLocation": _place(advice.use)}],
    }


def message(advice: Advice) -> str:
    """The advice on a use, as one text."""
    becomes = f"becomes {advice.replacement}" if advice.replacement else str(advice.outcome)
    return "; ".join([f"{advice.use.text} {becomes}", *advice.says])


def _place(use: Use) -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": _uri(use.file)},
        "region": {
            "startLine": use.line,
            "startColumn": use.column,
            "endLine": use.end_line,
            "endColumn": use.end_column,
        },
    }


def _uri(file: Path) -> str:
    """The file as a reference that is relative to where the command was given, if it is below."""
    here = Path.cwd()
    inside = file.resolve().is_relative_to(here)
    return quote(file.resolve().relative_to(here).as_posix()) if inside else file.resolve().as_uri()


def _notification(file: Unreadable) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(file.file)}, "region": {"startLine": file.line}}
    return {
        "level": "error",
        "message": {"text": file.reason},
        "locations": [{"physicalLocation": place}],
    }


EXTRA = "pip install libcst"
_GRAVE = (Outcome.UNFINISHED, Outcome.REFUSED, Outcome.ABSENT, Outcome.UNKNOWN)
_FAILING = {
    "differs": (Outcome.DIFFERS, *_GRAVE),
    "absent": _GRAVE,
    "never": (),
}
"""The outcomes with exit status 1, by the word of --fail-on."""


def scan(options: MigrationOptions, table: MappingTable, results: Sequence[Results]) -> int:
    """Look at the files and say what was found; the exit status."""
    specs = load()
    names = [*specs, *specs.aliases()]
    read = [uses(file, names) for place in options.scanned for file in sources(place)]
    unreadable = [file_uses for file_uses in read if isinstance(file_uses, Unreadable)]
    mentions: list[Use] = [
        use for file_uses in read if not isinstance(file_uses, Unreadable) for use in file_uses
    ]
    if options.backend is not None:
        results = [run for run in results if run.target.name == f"keras3-{options.backend}"]
    pieces = [_on(options.backend, advice(use, table, specs, results)) for use in mentions]
    if options.diff or options.write:
        _translate(options, pieces)
    else:
        _put(_written(options.form, pieces, unreadable), options.output)
    for problem in unreadable:
        click.echo(clean(f"{problem.file}:{problem.line}: {problem.reason}"), err=True)
    for line in _notebook_lines([file for place in options.scanned for file in notebooks(place)]):
        click.echo(clean(line), err=True)
    _hint(options, pieces)
    if any(piece.outcome in _FAILING[options.fail_on] for piece in pieces):
        return 1
    return CANNOT_RUN if unreadable else 0


_ON = re.compile(r"on keras3-(\w+)")


def _on(backend: str | None, piece: Advice) -> Advice:
    """The advice without what concerns other backends alone."""
    if backend is None:
        return piece
    says = [text for text in piece.says if not (on := _ON.match(text)) or on[1] == backend]
    open_ = piece.outcome in (Outcome.DIFFERS, Outcome.SAME_IN_32_BITS)
    outcome = outcome_of(says, piece.wide) if open_ else piece.outcome
    return replace(piece, says=says, outcome=outcome)


def _translate(options: MigrationOptions, pieces: Sequence[Advice]) -> None:
    """Print the patch, or write the files; say on stderr what is left.

    Raises:
        UsageProblem: the library that reads Python with its layout is missing.
    """
    try:
        from conformance.cli.migration import translate  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise UsageProblem("--diff and --write need libcst", EXTRA) from error
    translations = []
    for file in dict.fromkeys(piece.use.file for piece in pieces):
        source = read_bounded(file, MOST_SOURCE, "split it").decode()
        own = [piece for piece in pieces if piece.use.file == file]
        translations.append(translate.translate(file, source, own))
    if options.write:
        for changed in translations:
            if changed.after != changed.before:
                write_file(changed.file, changed.after.encode())
    else:
        _put("".join(changed.diff() for changed in translations), options.output)
    for line in translate.summary(translations):
        click.echo(clean(line), err=True)


def _notebook_lines(files: Sequence[Path]) -> Iterator[str]:
    """That the scan omits notebooks."""
    if files:
        example = shlex.quote(str(files[0]))
        yield f"omitted {counted(len(files), 'notebook')}; first run: {CONVERT} {example}"


def _hint(options: MigrationOptions, pieces: Sequence[Advice]) -> None:
    """A hint that some differences may concern other backends than yours."""
    apart = any(says.startswith("on ") for piece in pieces for says in piece.says)
    translated = options.diff or options.write or options.backend is not None
    if apart and options.form == "text" and not translated:
        click.echo(
            "hint: some differences concern one backend alone. To list those of yours,"
            " add `--backend jax` (or numpy, tensorflow, torch)",
            err=True,
        )


def _written(form: str, pieces: Sequence[Advice], unreadable: Sequence[Unreadable]) -> str:
    if form == "text":
        return "".join(f"{line}\n" for line in _lines(pieces))
    data: Any = (
        sarif(pieces, unreadable) if form == "sarif" else [_as_data(piece) for piece in pieces]
    )
    return as_json(data, 2).decode()


def _put(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    write_file(output, text.encode())


def _lines(pieces: Sequence[Advice]) -> Iterator[str]:
    for file in dict.fromkeys(piece.use.file for piece in pieces):
        yield clean(str(file))
        for piece in pieces:
            if piece.use.file == file:
                yield from _use_lines(piece)
    counts = Counter(piece.outcome for piece in pieces)
    tally = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
    yield counted(len(pieces), "use") + " of K" + (f": {tally}" if tally else "")


def _use_lines(piece: Advice) -> Iterator[str]:
    use = piece.use
    yield clean(f"{use.line}:{use.column} {use.text}").join(("  ", f"  [{piece.outcome}]"))
    if piece.replacement:
        first, *others = clean_block(piece.replacement).splitlines()
        yield f"      -> {first}"
        yield from (f"         {line}" for line in others)
    for remark in piece.says:
        yield f"      {clean(remark)}"


def _as_data(piece: Advice) -> dict[str, Any]:
    use = piece.use
    return {
        "file": str(use.file),
        "line": use.line,
        "column": use.column,
        "end_line": use.end_line,
        "end_column": use.end_column,
        "kind": use.kind,
        "function": use.name or None,
        "text": use.text,
        "called": use.call is not None,
        "outcome": piece.outcome,
        "replacement": piece.replacement or None,
        "says": list(piece.says),
    }
