"""A file of known failures, read and checked: every mistake is reported with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import conditions
from conformance.cli.known_failures.conditions import ConditionError
from conformance.cli.known_failures.model import UNEXPLAINED, KnownFailure, KnownFailureTable, Place
from conformance.editions import EDITIONS
from conformance.engine import PROFILES
from conformance.engine.planning.demands import demanded_aspects
from conformance.files import read_toml
from conformance.near_names import did_you_mean, misspelt, question
from conformance.results import ASPECTS, Verdict
from conformance.specs import load

_NO_FAILURES = (Verdict.NOT_APPLICABLE, Verdict.CONFORMS, Verdict.ERROR)
FAILING = tuple(v for v in Verdict if v not in _NO_FAILURES)
_HEAD = re.compile(r"\s*\[\[\s*expect\s*\]\]\s*(#.*)?$")
_FIELDS = KnownFailureTable.__struct_fields__
_FORM = "[[expect]] with function, aspect, verdict and reason, as --write-expectations writes it"
_NEAR = 0.8
"""How similar a name must be to that of a target to count as a misspelling of it."""


class Block(msgspec.Struct, frozen=True):
    """The text of one entry, with the comment above it, from line `first` on (counted from 1)."""

    first: int
    text: str

    @property
    def last(self) -> int:
        """Its last line that is not empty."""
        return self.first + len(self.text.rstrip().splitlines()) - 1

    def line(self, key: str | None) -> int:
        """The line that gives a field, or where the table begins."""
        lines = self.text.splitlines()
        pattern = _HEAD if key is None else re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]")
        matches = (i for i, line in enumerate(lines) if pattern.match(line))
        return (
            self.first + next(matches, 0)
            if key is None
            else next((self.first + i for i in matches), self.line(None))
        )


def split(text: str) -> tuple[str, list[Block]]:
    """The text before the first entry, and the entries."""
    lines = text.splitlines(keepends=True)
    heads = [i for i, line in enumerate(lines) if _HEAD.match(line)]
    starts = [_with_comment(lines, head) for head in heads]
    ends = [*starts, len(lines)][1:]
    blocks = [Block(a + 1, "".join(lines[a:b])) for a, b in zip(starts, ends, strict=True)]
    return "".join(lines[: starts[0] if starts else len(lines)]), blocks


def _with_comment(lines: Sequence[str], head: int) -> int:
    """Where the comment right above a line begins; that at the top of the file is the file's."""
    start = head
    while start and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def read(path: Path, libraries: Mapping[str, Iterable[str]] | None = None) -> list[KnownFailure]:
    """The known failures in a file.

    `libraries` has the targets of each library, and each target under its own name.

    Raises:
        UsageProblem: the file has a mistake; the message names file and line.
    """
    text = text_of(path)
    _, blocks = split(text)
    entries = _entries(path, text, blocks)
    known = {name: frozenset(names) for name, names in (libraries or {}).items()}
    known_failures = [
        _known_failure(path, b, e, known) for b, e in zip(blocks, entries, strict=True)
    ]
    for entry, block in zip(known_failures, blocks, strict=True):
        _check(path, block, entry, known)
    _check_twice(known_failures)
    return known_failures


def text_of(path: Path) -> str:
    """The text of a file of known failures.

    Raises:
        UsageProblem: the file cannot be read.
    """
    try:
        return read_toml(path).decode("utf-8")
    except OSError as error:
        raise UsageProblem(f"{path}: {error.strerror}", "name a file that can be read") from error
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{path}: {error}", "write it in UTF-8") from error
    except ValueError as error:
        raise UsageProblem(f"{path}: {error}", f"write {_FORM}") from error


def _entries(path: Path, text: str, blocks: Sequence[Block]) -> list[dict[str, Any]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, at = str(error).partition(" (at ")
        line = re.search(r"line (\d+)", at)
        place = line[1] if line else str(len(text.splitlines()) or 1)
        raise UsageProblem(
            f"{path}:{place}: this is not TOML: {message}", f"write {_FORM}"
        ) from error
    except (ValueError, RecursionError) as error:  # an integer of too many digits; too many levels
        raise UsageProblem(f"{path}: this cannot be read: {error}", f"write {_FORM}") from error
    for key in data:
        if key != "expect":
            place = _line_of(text, key)
            raise UsageProblem(f"{path}:{place}: unknown key {key!r}", f"write {_FORM}")
    tables = data.get("expect", [])
    if not isinstance(tables, list) or len(tables) != len(blocks):
        raise UsageProblem(
            f"{path}:{_line_of(text, 'expect')}: no table [[expect]]", f"write {_FORM}"
        )
    return tables


def _line_of(text: str, key: str) -> int:
    pattern = re.compile(rf"\s*(\[+\s*)?[\"']?{re.escape(key)}\b")
    return next((i for i, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)


def _known_failure(
    path: Path, block: Block, data: Any, known: Mapping[str, frozenset[str]]
) -> KnownFailure:
    try:
        entry = msgspec.convert(data, KnownFailureTable)
    except msgspec.ValidationError as error:
        raise _wrong_field(path, block, str(error)) from None
    named = entry.target
    return KnownFailure(
        **msgspec.structs.asdict(entry),
        place=Place(path, block.first, block.last),
        targets=None if named is None else known.get(named, frozenset({named})),
    )


def _wrong_field(path: Path, block: Block, problem: str) -> UsageProblem:
    """The message of msgspec on a table, with the line and the cure."""
    inside = " - at " in problem
    if not inside and (unknown := re.search(r"unknown field `(.+?)`", problem)):
        hint = did_you_mean(unknown[1], _FIELDS) or f"an entry has {', '.join(_FIELDS)}"
        return UsageProblem(f"{path}:{block.line(unknown[1])}: unknown field {unknown[1]!r}", hint)
    if not inside and (missing := re.search(r"missing required field `(.+?)`", problem)):
        example = {"reason": UNEXPLAINED, "verdict": "violates", "aspect": "value"}
        shown = example.get(missing[1], "batch_dot")
        hint = f'add a line such as {missing[1]} = "{shown}"'
        return UsageProblem(f"{path}:{block.line(None)}: the entry has no {missing[1]}", hint)
    what, _, where = problem.partition(" - at ")
    key = (re.findall(r"\w+", where) or [""])[0]
    allowed = {
        "aspect": ASPECTS,
        "verdict": FAILING,
        "edition": EDITIONS,
    }
    quoted = re.search(r"value '(.*)'", what)
    hint = _one_of(quoted[1] if quoted else "", allowed[key]) if key in allowed else "write text"
    hint = _TABLES.get(key, hint)
    return UsageProblem(f"{path}:{block.line(key)}: {key}: {what}", hint)


_TABLES = {
    "versions": 'write a table of texts, such as versions = { tensorflow = "<2.0" }',
    "cases": 'such as cases = { most = 11, of = 24, profile = "default", seed = 0 }, '
    "or delete the line",
}


def _one_of(name: str, known: Iterable[str]) -> str:
    names = [str(k) for k in known]
    return did_you_mean(name, names) or f"write one of {', '.join(names)}"


def _check(
    path: Path, block: Block, entry: KnownFailure, known: Mapping[str, frozenset[str]]
) -> None:
    """UsageProblem if a field has an impossible value."""
    for key, problems in _CHECKS.items():
        for problem, hint in problems(entry, known):
            raise UsageProblem(f"{path}:{block.line(key)}: {key}: {problem}", hint)


Problems = Iterator[tuple[str, str]]
Known = Mapping[str, frozenset[str]]


def _function(entry: KnownFailure, _: Known) -> Problems:
    specs = load()
    if entry.function in specs:
        return
    newest = specs.aliases().get(entry.function)
    meant = did_you_mean(entry.function, specs) or "`conformance run` lists the functions"
    hint = f"its newest name is {newest}" if newest else meant
    yield f"no document has a function {entry.function!r}", hint


def _aspect(entry: KnownFailure, _: Known) -> Problems:
    spec = load()[entry.function]
    editions = [entry.edition] if entry.edition in spec.editions else list(spec.editions)
    demanded = {aspect for edition in editions for aspect in demanded_aspects(spec, edition)}
    if entry.aspect not in demanded:
        aspects = ", ".join(a for a in ASPECTS if a in demanded)
        yield (
            f"{entry.function} is not checked for this aspect",
            f"write one of {aspects}, or delete the entry",
        )


def _verdict(entry: KnownFailure, _: Known) -> Problems:
    if entry.verdict not in FAILING:
        yield f"{str(entry.verdict)!r} is not a failure", f"write one of {', '.join(FAILING)}"


def _reason(entry: KnownFailure, _: Known) -> Problems:
    if not entry.reason.strip():
        yield "it is empty", f'write why the failure is known, or "{UNEXPLAINED}"'


def _target(entry: KnownFailure, known: Known) -> Problems:
    strange = entry.target is not None and entry.target not in known
    if strange and (meant := question(misspelt(str(entry.target), known, alike=_NEAR))):
        yield f"no target is called {entry.target!r}", meant


def _edition(entry: KnownFailure, _: Known) -> Problems:
    spec = load()[entry.function]
    if entry.edition is not None and entry.edition not in spec.editions:
        yield f"{entry.edition} has no {entry.function}", f"it is in {', '.join(spec.editions)}"


def _versions(entry: KnownFailure, known: Known) -> Problems:
    packages = {*known, "keras", "numpy", "python"}
    for name, text in entry.versions.items():
        if name.lower() not in packages and (
            meant := question(misspelt(name, packages, alike=_NEAR))
        ):
            yield f"no package is called {name!r}", meant
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            yield f"{text!r} is not a version specifier", f'such as {{ {name} = ">=1.4,<2.0" }}'


def _when(entry: KnownFailure, _: Known) -> Problems:
    try:
        if entry.when is not None:
            conditions.check(entry.when, entry.function)
    except ConditionError as error:
        yield str(error), conditions.HINT


def _failure(entry: KnownFailure, _: Known) -> Problems:
    if entry.failure is not None and not re.fullmatch(r"[0-9a-f]{4,12}", entry.failure):
        yield (
            f"{entry.failure!r} is not an id",
            "write the id of a failure, or at least 4 of its digits",
        )


def _cases(entry: KnownFailure, _: Known) -> Problems:
    if entry.cases is not None and entry.failure is None:
        yield "it counts the cases of one failure", "add its id as failure, or delete the line"


def _profile(entry: KnownFailure, _: Known) -> Problems:
    if entry.profile is not None and entry.profile not in PROFILES:
        yield f"there is no {entry.profile!r}", _one_of(entry.profile, PROFILES)
    if entry.profile is not None and entry.cases is not None:
        yield "cases also names a profile", "delete the line"


def _issue(entry: KnownFailure, _: Known) -> Problems:
    if entry.issue is not None and not entry.issue.strip():
        yield "it is empty", "write a link, or delete the line"


_CHECKS: dict[str, Callable[[KnownFailure, Known], Problems]] = {
    "function": _function,
    "edition": _edition,
    "aspect": _aspect,
    "verdict": _verdict,
    "reason": _reason,
    "target": _target,
    "versions": _versions,
    "when": _when,
    "failure": _failure,
    "issue": _issue,
    "cases": _cases,
    "profile": _profile,
}


def _check_twice(entries: Sequence[KnownFailure]) -> None:
    seen: dict[Any, KnownFailure] = {}
    for entry in entries:
        key = (*entry.key, tuple(sorted(entry.versions.items())))
        if (first := seen.setdefault(key, entry)) is not entry:
            raise UsageProblem(f"{entry.place}: repeats {first.place}", "delete one of them")
