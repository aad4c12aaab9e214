"""Write the tables of docs/specs.md and docs/inputs.md that follow from the schema of spec files.

    python -m tools.spec_tables

Run it after a change of a record or of the text below a field. A table stands between
`<!-- table: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from conformance.specs.schema import json_schema

DOCS = Path(__file__).parents[1] / "docs"
PAGES = tuple(DOCS / name for name in ("specs.md", "inputs.md"))
_PLACE = re.compile(r"(<!-- table: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PARTS = {
    "claims": "ClaimEntry",
    "errors": "ErrorEntry",
    "unsettled": "Unsettled",
    "results": "Part",
    "dtypes": "Dtypes",
    "dtype": "DtypeRule",
    "signatures": "DocumentedSignature",
    "errata": "Erratum",
}
"""The record of each field of a spec that holds records."""


def fields_of_specs() -> Iterator[str]:
    """A row for each field of a spec."""
    yield from ("| field | meaning |", "|---|---|")
    record = _records()["WrittenSpec"]
    first = ("name", "like", "summary", "says", "section", "rules_out", "signatures", "editions")
    for name in dict.fromkeys([*first, *record["properties"]]):
        needed = " (required)" if name in record["required"] else ""
        yield f"| `{name}`{needed} | {_text(record['properties'][name])} |"


def fields_of_parts() -> Iterator[str]:
    """A row for each field of the records in a spec."""
    yield from ("| in | field | meaning |", "|---|---|---|")
    for part, record in _PARTS.items():
        for name, field in _records()[record]["properties"].items():
            yield f"| `{part}` | `{name}`{_default(field)} | {_text(field)} |"


def accuracies() -> Iterator[str]:
    """A row for each kind of error bound."""
    yield from ("| kind | a result may differ from the exact one by | fields |", "|---|---|---|")
    yield from _by_tag("accuracy")


def fields_of_rules() -> Iterator[str]:
    """A row for each field of a named rule."""
    yield from ("| field of a rule | meaning |", "|---|---|")
    for name, field in _records()["NamedRule"]["properties"].items():
        yield f"| `{name}` | {_text(field)} |"


def kinds() -> Iterator[str]:
    """A row for each kind of parameter."""
    yield from ("| kind | takes | fields |", "|---|---|---|")
    yield from _by_tag("parameters")


TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "spec": fields_of_specs,
    "parts": fields_of_parts,
    "accuracy": accuracies,
    "rule": fields_of_rules,
    "kinds": kinds,
}


def _by_tag(field: str) -> Iterator[str]:
    """A row for each record that a field of a spec may hold, by its tag."""
    union = _records()["WrittenSpec"]["properties"][field]
    for tag, reference in _mapping(union).items():
        record = _records()[reference.rpartition("/")[2]]
        inside = [(n, f) for n, f in record["properties"].items() if n != "kind"]
        fields = "; ".join(f"`{n}`{_default(f)}{_note(f)}" for n, f in inside)
        yield f"| `{tag}` | {_one_line(record['description'])} | {fields} |"


def _mapping(node: Any) -> dict[str, str]:
    """The tags of a union, wherever it stands below a node."""
    if isinstance(node, dict):
        if "discriminator" in node:
            return dict(node["discriminator"]["mapping"])
        return next(filter(None, map(_mapping, node.values())), {})
    return next(filter(None, map(_mapping, node)), {}) if isinstance(node, list) else {}


def _default(field: Mapping[str, Any]) -> str:
    """The default of a field, if it says something."""
    default = field.get("default")
    if isinstance(default, tuple | list) and default:
        return f" [{', '.join(map(str, default))}]"
    return ""


def _note(field: Mapping[str, Any]) -> str:
    """The text of a field in a row of several."""
    text = str(field.get("description", ""))
    return f" ({_one_line(text)})" if text[:1].islower() or text[:1] == "`" else ""


def _text(field: Mapping[str, Any]) -> str:
    return _one_line(str(field.get("description", "")))


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _records() -> Mapping[str, Any]:
    definitions: Mapping[str, Any] = json_schema()["$defs"]
    return definitions


def page(text: str) -> str:
    """The page with its tables written again."""
    return _PLACE.sub(lambda m: f"{m[1]}{chr(10).join(TABLES[m[2]]())}\n{m[3]}", text)


@click.command(help=__doc__)
def main() -> None:
    """Write the pages."""
    for file in PAGES:
        file.write_text(page(file.read_text("utf-8")), "utf-8")
        click.echo(file)


if __name__ == "__main__":
    main()
