"""Messages about a wrong field in a file of targets, in the words of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from conformance.files import MOST_TOML, read_bounded
from conformance.near_names import proposal

EXAMPLES: Mapping[str, str] = {
    "module": 'module = "my_package.backend"',
    "edition": 'edition = "keras-2.2"',
    "library": 'library = "tensorflow"',
    "implementation": 'implementation = "my backend 1.0"',
    "family": 'family = "eager", or "graph"',
    "venv": 'venv = "NAME", and a table [venvs.NAME]',
    "python": 'python = "3.11"',
    "requirements": 'requirements = ["my-package==1.4"]',
    "lock": 'lock = "requirements.txt"',
    "provides": 'provides = ["keras"]',
    "platforms": 'platforms = ["linux-x86_64"]',
    "environment": 'environment = { MY_FLAG = "1" }',
    "programs": 'programs = [{ name = "g++", cure = "apt install g++" }]',
    "libraries": 'libraries = [{ name = "libA.so", found_as = "libA.so.1", cure = "apt …" }]',
    "names": 'names = { pow = "power", relu = "nn.relu" }',
    "adapter": 'adapter = "my_package.adapters:Mine"',
    "startup": 'startup = ["import my_package"]',
    "prepare": 'prepare = "prepare.py"',
    "mapping": 'mapping = "calls.toml"',
    "successor": "successor = true, or false",
    "script_import": 'script_import = ["from my_package import backend as K"]',
    "script_paths": 'script_paths = ["src"]',
    "script_environment": 'script_environment = { MY_FLAG = "1" }',
    "lacks": 'lacks = ["float64", "int64"]',
    "shortfalls": 'shortfalls = [{ message = "no module ctc", because = "1.0 has no module ctc" }]',
    "editions": 'editions = ["keras-2.2"]',
    "follows": 'follows = ["keras-2.2"]',
    "workers": "workers = 1, or 2",
    "memory_limit": "memory_limit = 4.0: GiB, from 0.125 to 65536",
    "cpu_limit": "cpu_limit = 30: seconds, from 1 to 3600",
    "call_timeout": "call_timeout = 60: seconds, from 0.1 to 3600",
    "sandbox": "sandbox = false, or true",
    "forget": 'forget = ["jax.clear_caches"]',
    "sources": 'sources = ["my_package"]',
    "fork": "fork = true, or false",
    "preload": 'preload = ["tensorflow"]',
    "draws_together": "draws_together = true, or false",
}
"""An example of each field as a file has it."""
_OF_THE_TABLE = ("path", "requirements")
"""Fields of a target's table that its record does not have."""
_SHOWN = 60
"""Characters of a wrong value that are shown."""


def wrong_field(
    file: Path, table: str, values: Mapping[str, Any], kind: type[Struct], error: str
) -> str:
    """msgspec's error about a table of the file, with the line and the remedy."""
    what, _, place = error.partition(" - at ")
    named = re.search(r"`\$\.(\w+)", place)
    field = named[1] if named else _quoted(what)
    problem = _of_field(field, what, values, kind) if named else _of_table(field, what, kind)
    return f"{file}{line_of(file, table, field)}: {table}: {problem}"


def _of_field(field: str, what: str, values: Mapping[str, Any], kind: type[Struct]) -> str:
    if word := re.match(r"Invalid enum value '(.*)'", what):
        return f"{field}: there is no {word[1]!r}; {proposal(word[1], _choices(kind, field))}"
    inside = re.match(r"Object (?:contains|misses|missing)", what)
    detail = f" ({what.removeprefix('Object ')})" if inside else ""
    return f"{field}: found {shown(values.get(field))}{detail}; {write(field)}"


def _of_table(field: str, what: str, kind: type[Struct]) -> str:
    """The message for a field that is missing or unknown."""
    if "unknown field" not in what:
        return f"`{field}` is missing; {write(field)}"
    own = [name for name in kind.__struct_fields__ if name != "name"]
    own += _OF_THE_TABLE if "module" in own else ()
    return f"unknown field `{field}`; {proposal(field, own)}"


def _quoted(what: str) -> str:
    return what.split("`")[1] if what.count("`") > 1 else ""


def write(field: str) -> str:
    """The remedy: an example of the field, or the page that has one."""
    example = EXAMPLES.get(field)
    return f"write {example}" if example else "docs/targets.md has an example"


def shown(value: object) -> str:
    """A value nearly as a file has it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _choices(kind: type[Struct], field: str) -> list[str]:
    """The words that a field takes."""
    (field_type,) = (f.type for f in msgspec.inspect.type_info(kind).fields if f.name == field)  # type: ignore[attr-defined]
    kinds = (field_type, *getattr(field_type, "types", ()), getattr(field_type, "item_type", None))
    return [str(word) for word_type in kinds for word in getattr(word_type, "values", ())]


def line_of(file: Path, table: str, field: str = "") -> str:
    """`:7` for the line of a field in its table, or else of the table; empty if it is not found.

    Tables that stand in a line, or in dotted keys, are not looked for.
    """
    try:
        text = read_bounded(file, MOST_TOML, "split it").decode("utf-8")
        placed = list(_placed(text.splitlines()))
    except (OSError, UnicodeDecodeError):
        return ""
    lines = chain(
        (n for n, here, line in placed if field and here == table and _is_key(line, field)),
        (n for n, here, _ in placed if field and here == f"{table}.{field}"),
        (n for n, here, line in placed if here == table or (not here and _is_key(line, table))),
    )
    return "".join(f":{n}" for n in islice(lines, 1))


def _placed(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Each line with its number, counted from 1, and the table that it is in."""
    here = ""
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("["):
            head = re.sub(r"[\[\]\"'\s]", "", line.partition("#")[0])
            here = head.removeprefix("tool.conformance.")
        yield number, here, line


def _is_key(line: str, name: str) -> bool:
    return re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[=.]", line) is not None
