"""A file of known failures, written after a run; what its owner wrote stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from conformance.cli.files.outputs import write_file
from conformance.cli.known_failures.judgement import about, by_aspect, uncovered
from conformance.cli.known_failures.model import (
    UNEXPLAINED,
    JudgedCell,
    KnownFailure,
    frequency,
    tries_less,
)
from conformance.cli.known_failures.reader import Block, split
from conformance.cli.options.gate import Mark
from conformance.engine import PROFILES
from conformance.reporting.safe_text import clean
from conformance.results import Failure, Verdict

HEADER = """\
# Known failures. `conformance run --expectations FILE` passes with these, and fails if one of them
# does not occur. Write in `reason` why each is known. An entry with `failure` covers the failure
# with that id only, in at most as many cases as `cases` says. An entry may also have: edition,
# versions, when, intermittent, issue, profile.

"""
_VERDICT = re.compile(r"^(\s*verdict\s*=\s*).*$", re.MULTILINE)
_CASES = re.compile(r"^(\s*cases\s*=\s*)\{[^}]*\}", re.MULTILINE)
_MESSAGE = 160
"""Characters of a failure's message that a comment holds."""


@dataclass(frozen=True, slots=True)
class _Unmarked:
    """A failure without an entry: one failure of an aspect, or the aspect as a whole."""

    cell: JudgedCell
    failure: Failure | None

    @property
    def verdict(self) -> Verdict:
        return self.cell.verdict if self.failure is None else self.failure.verdict

    @property
    def key(self) -> tuple[str, ...]:
        """Where its entry stands among others, as `KnownFailure.key`."""
        return (*self.cell.key, self.verdict, "", self.failure.id if self.failure else "", "")


def write(
    path: Path,
    text: str,
    known: Sequence[KnownFailure],
    gone: Sequence[KnownFailure],
    bad: Sequence[JudgedCell],
    *,
    mark: Mark = "failure",
) -> None:
    """Write the known failures of a run in which the aspects `bad` fail.

    `text` is the present file, empty for a new file; it holds `known`, of which `gone` are stale.

    Raises:
        UsageProblem: the file cannot be written.
    """
    write_file(path, updated(text, known, gone, bad, mark=mark).encode("utf-8"))


def updated(
    text: str,
    known: Sequence[KnownFailure],
    gone: Sequence[KnownFailure],
    bad: Sequence[JudgedCell],
    *,
    mark: Mark = "failure",
) -> str:
    """The file's text with entries for all failures and without stale entries.

    An entry whose verdict has changed keeps its reason. An entry that counts cases gets their
    number in this run. All others stay as they are. `mark` is the subject of a new entry.
    """
    header, blocks = split(text)
    rows: list[tuple[tuple[str, ...], str]] = []
    stale, failing = {id(e) for e in gone}, by_aspect(bad)
    lasting = [replace(e, cases=None) for e in known if id(e) not in stale]
    missing = _Missing(_unmarked(uncovered(bad, lasting), mark))
    for entry, block in zip(known, blocks, strict=True):
        changed = _changed(entry, missing.about(entry)) if id(entry) in stale else []
        if changed:
            missing.remove(changed)
            verdict = changed[0].verdict if entry.failure else changed[0].cell.verdict
            rows.append((entry.key, _with_verdict(block, verdict)))
        elif id(entry) not in stale:
            rows.append((entry.key, _counted(block.text, entry, about(entry, failing))))
    return _joined(header if text else HEADER, _with_new(rows, missing.left))


class _Missing:
    """The failures without an entry, by their aspect."""

    def __init__(self, every: Iterable[_Unmarked]) -> None:
        self._by_aspect: dict[tuple[str, str], list[_Unmarked]] = {}
        for unmarked in every:
            self._by_aspect.setdefault((unmarked.cell.function, unmarked.cell.aspect), []).append(
                unmarked
            )

    def about(self, entry: KnownFailure) -> Sequence[_Unmarked]:
        """The failures of the aspect of an entry."""
        return self._by_aspect.get((entry.function, entry.aspect), ())

    def remove(self, those: Sequence[_Unmarked]) -> None:
        """Take out what has an entry now; all of it is of one aspect."""
        place = those[0].cell.function, those[0].cell.aspect
        self._by_aspect[place] = [
            unmarked for unmarked in self._by_aspect[place] if unmarked not in those
        ]

    @property
    def left(self) -> list[_Unmarked]:
        """The failures that still need an entry, in the order of entries."""
        every = (unmarked for group in self._by_aspect.values() for unmarked in group)
        return sorted(every, key=lambda unmarked: unmarked.key)


def _unmarked(cells: Iterable[JudgedCell], mark: Mark) -> list[_Unmarked]:
    """The failures that need entries; an aspect that fails without a failure needs one itself."""
    return [
        _Unmarked(cell, failure)
        for cell in cells
        for failure in (cell.failures if mark == "failure" and cell.failures else [None])
    ]


def _changed(gone: KnownFailure, missing: Iterable[_Unmarked]) -> list[_Unmarked]:
    """The failures of a stale entry that have another verdict now."""
    if gone.when or (gone.targets is not None and len(gone.targets) != 1):
        return []
    mine = [unmarked for unmarked in missing if gone.matches(unmarked.cell)]
    if gone.failure is not None:
        mine = [
            unmarked
            for unmarked in mine
            if unmarked.failure and unmarked.failure.id.startswith(gone.failure)
        ]
        return mine[:1]
    return [unmarked for unmarked in mine if unmarked.cell.key == mine[0].cell.key]


def _with_verdict(block: Block, verdict: Verdict) -> str:
    return _VERDICT.sub(lambda match: match[1] + json.dumps(verdict), block.text, count=1)


def _counted(text: str, entry: KnownFailure, bad: Iterable[JudgedCell]) -> str:
    """The entry with the number of cases that this run shows, if it counts them."""
    counts = [
        frequency(failure, cell)
        for cell in bad
        if entry.cases is not None and entry.matches(cell)
        for failure in cell.failures
        if entry.covers_failure(failure, cell)
    ]
    new = max((f for f in counts if f is not None), key=lambda f: f.most, default=None)
    return text if new is None else _CASES.sub(lambda line: f"{line[1]}{new}", text, count=1)


def _with_new(
    rows: Sequence[tuple[tuple[str, ...], str]], new: Iterable[_Unmarked]
) -> Iterator[str]:
    """The blocks with an entry for each of `new`, which are in order, before the first block that
    is later in it."""
    place = 0
    for unmarked in new:
        while place < len(rows) and rows[place][0] <= unmarked.key:
            yield rows[place][1]
            place += 1
        yield _entry(unmarked)
    yield from (block for _, block in rows[place:])


def _entry(unmarked: _Unmarked) -> str:
    fields = {
        "target": unmarked.cell.target,
        "function": unmarked.cell.function,
        "aspect": unmarked.cell.aspect,
        "verdict": unmarked.verdict,
        **({"failure": unmarked.failure.id} if unmarked.failure else {}),
        "reason": UNEXPLAINED,
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    seen = frequency(unmarked.failure, unmarked.cell) if unmarked.failure else None
    if seen:
        lines.append(f"cases = {seen}")
    elif tries_less(next(iter(PROFILES)), unmarked.cell.profile):
        lines.append(f"profile = {json.dumps(unmarked.cell.profile)}")
    return "\n".join([*_comment(unmarked), "[[expect]]", *lines]) + "\n"


def _comment(unmarked: _Unmarked) -> list[str]:
    """The failure in a line (of an aspect the gravest), as help with the reason."""
    if unmarked.failure is not None:
        return [f"# {_shortened(unmarked.failure)}"]
    return [f"# {f.id}: {_shortened(f)}" for f in unmarked.cell.failures[:1]]


def _shortened(failure: Failure) -> str:
    message = " ".join(clean(failure.message).split())
    return message if len(message) <= _MESSAGE else message[: _MESSAGE - 1] + "…"


def _joined(header: str, blocks: Iterable[str]) -> str:
    text = header
    for block in blocks:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and not text.endswith("\n\n") and text != "\n":
            text += "\n"
        text += block
    return text.rstrip("\n") + "\n"
