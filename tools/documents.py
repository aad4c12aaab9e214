"""Make `docs/documents`, a page for each of the five documents, and the glosses of their claims.

    python -m tools.documents

A test compares the pages with the data, and fails until you write them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from conformance.cli.files.documents import documents
from conformance.reporting.documented import (
    DocumentedClaim,
    DocumentedEntry,
    DocumentFault,
    DocumentText,
)
from conformance.scenarios.cited import cited_exceptions, evidence
from conformance.specs import Specs, load
from conformance.specs.claims.glosses import gloss
from conformance.specs.claims.records import DocumentClaim
from conformance.specs.claims.table import claim_table
from conformance.specs.comparison import Sources
from conformance.specs.documents import glosses
from conformance.specs.documents.glosses import load_glosses
from conformance.specs.documents.texts import load_texts
from conformance.specs.errata import load_conflicts
from conformance.specs.extraction import load_extraction

GLOSSES = Path(glosses.__file__).with_name(glosses.FILE)
FOLDER = Path(__file__).parents[1] / "docs" / "documents"
OVERVIEW = """# The five documents

Five texts define what the suite demands of `K`: translations of the page on the backend in Keras's
documentation, for several releases. `ko-2.2:1035` is line 1035 of the text `ko-2.2`.

{table}

One document binds each edition. Two documents bind no edition; the errata list where they differ
from the others. The suite does not demand a fault of a document: each fault has a number, and the
specs state the claim that the suite tests in its place.

The project has no copy of the texts. It stores their signatures, names and lines
([document-data.md](../document-data.md)), the class of each line ([claims.md](../claims.md)), and
their SHA-256. You can read three of them in public repositories, at commits with the same bytes:

    git clone https://github.com/{owner}
    git -C {name} show {commit}:{path} | sha256sum

## How lines are counted

Lines count from 1, blank lines included. Each line ends with a line feed (U+000A), except perhaps
the last. `sed -n 1035p FILE` prints line 1035.

## Lines beside failures

If you have some of the texts in a folder, under any names, `conformance show --all`, `conformance
run` and `conformance fuzz` quote the cited lines:

    conformance show batch_dot --all --documents texts
    conformance run mine --documents texts

You can also name the folder in `conformance.toml`, above the tables and relative to the file:
`documents = "texts"`. The suite recognises a text by its SHA-256 and ignores other files. A folder
without any of the five is an error (exit status 2).
"""


def pages() -> Iterator[tuple[str, str]]:
    """Each page, by its name."""
    texts = documents()
    rows = [_row(text) for text in texts.values()]
    head = ("document", "language", "Keras", "binds", "lines")
    yield "README.md", OVERVIEW.format(table=_table(head, rows), **_public_copy())
    for name, text in texts.items():
        yield f"{name}.md", page(text)


def glosses_text() -> str:
    """The glosses of all claims, a line for each."""
    specs = load().printed_in(load_extraction())
    sources = Sources(specs, load_extraction(), load_conflicts(), cited_exceptions())
    table = claim_table(sources, evidence())
    rows = {name: _rows(table.of(name), specs) for name in table.lines}
    sections = (f"{json.dumps(name)}: [\n{text}\n]" for name, text in rows.items())
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _rows(claims: Sequence[DocumentClaim], specs: Specs) -> str:
    rows = ([claim.line, claim.function, gloss(claim, specs)] for claim in claims)
    return ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def _public_copy() -> dict[str, str]:
    """Where one of the texts can be had."""
    record = next(r for r in load_texts().values() if r.repository)
    owner = str(record.repository).removeprefix("https://github.com/")
    name = owner.partition("/")[2]
    return {"owner": owner, "name": name, "commit": str(record.commit), "path": str(record.path)}


def _row(text: DocumentText) -> tuple[str, ...]:
    return (
        f"[{text.name}]({text.name}.md)",
        text.language,
        text.keras,
        _codes(text.editions) or "no edition",
        f"{text.lines:,}",
    )


def page(text: DocumentText) -> str:
    """The page of one document."""
    parts = [
        f"# {text.name}: {text.title}",
        _table(("", ""), list(_facts(text))),
        f"`{text.name}:1` is the first line and `{text.name}:{text.lines}` the last; blank lines "
        "count ([how lines are counted](README.md#how-lines-are-counted)).",
        f"## Functions\n\n{len(text.entries)} entries, in the order of the document.",
        _table(
            ("function", "entry", "signature", "as printed"),
            [_entry(text, entry) for entry in text.entries],
        ),
        f"## Claims\n\n{len(text.claims)} demands of its lines, in the suite's words.",
        _table(("line", "function", "what it says"), [_claim(text, c) for c in text.claims]),
        f"## Known faults\n\n{len(text.faults)} of the {len(load_conflicts())} errata concern "
        "lines of this document. The last column has the tested claim; editions "
        "that it omits lack the point.",
        _table(("", "lines", "what", "kind", "tested"), [_fault(text, f) for f in text.faults]),
        "`python -m tools.documents` writes this page.",
    ]
    return "\n\n".join(parts) + "\n"


def _facts(text: DocumentText) -> Iterator[tuple[str, str]]:
    yield "title", text.title
    yield "language", text.language
    yield "form", text.form
    yield "describes", f"Keras {text.keras}: {text.because}"
    yield "binds", _codes(text.editions) or "no edition; it is compared with the others"
    yield "comes from", text.origin
    if text.public is not None:
        yield "to be read at", f"<{text.public}>"
    yield "length", f"{text.lines:,} lines, {text.bytes:,} bytes in UTF-8"
    yield "SHA-256", f"`{text.sha256}`"


def _entry(text: DocumentText, entry: DocumentedEntry) -> tuple[str, ...]:
    lines = f"{_line(text, entry.first)} to {entry.last}"
    return f"`{entry.function}`", lines, str(entry.signature), f"`{entry.printed}`"


def _claim(text: DocumentText, claim: DocumentedClaim) -> tuple[str, ...]:
    function = f"`{claim.function}`" if claim.function else ""
    return _line(text, claim.line), function, claim.says


def _fault(text: DocumentText, fault: DocumentFault) -> tuple[str, ...]:
    lines = ", ".join(_line(text, line) for line in fault.lines)
    return fault.number, lines, fault.title, ", ".join(fault.kinds), fault.tested


def _line(text: DocumentText, line: int) -> str:
    address = text.address(line)
    return str(line) if address is None else f"[{line}]({address})"


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows)
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines])


@click.command(help=__doc__)
def main() -> None:
    """Write the files that differ, and name them."""
    FOLDER.mkdir(exist_ok=True)
    _write(GLOSSES, glosses_text())
    load_glosses.cache_clear()
    for name, text in pages():
        _write(FOLDER / name, text)


def _write(file: Path, text: str) -> None:
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        click.echo(f"{file}: written")


if __name__ == "__main__":
    main()
