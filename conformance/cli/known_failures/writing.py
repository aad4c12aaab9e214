"""A file of known failures, written after a run; what its owner wrote stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from conformance.cli.known_failures.frequency import frequency
from conformance.cli.known_failures.judged import JudgedCell
from conformance.cli.known_failures.judging import uncovered
from conformance.cli.known_failures.model import UNEXPLAINED, KnownFailure, tries_less
from conformance.cli.known_failures.reading import Block, split
from conformance.cli.options.gate import Mark
from conformance.cli.outputs import write_file
from conformance.engine import PROFILES
from conformance.reporting.safe_text import clean
from conformance.results import Failure, Verdict

HEADER = """\
# Known failures, for `conformance run --expectations FILE`: it passes with them, and fails if one
# of them does not occur. Say in `reason` why each is known. An entry with `failure` is about the
# failure of that id alone, in at most so many cases as `cases` says. An entry may also have:
# edition, versions, when, intermittent, issue, profile.

"""
_VERDICT = re.compile(r"^(\s*verdict\s*=\s*).*$", re.MULTILINE)
_CASES = re.compile(r"^(\s*cases\s*=\s*)\{[^}]*\}", re.MULTILINE)
_MESSAGE = 160
"""Characters of a failure's message that a comment holds."""


@dataclass(frozen=True, slots=True)
class _Unmarked:
    """What needs an entry: one failure of an aspect, or the aspect as a whole."""

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
    """Write the known failures with which a run passes in which the aspects `bad` fail.

    `text` is the file as it is, which holds `known`, of which `gone` are stale; empty for a new
    one. UsageProblem if it cannot be written.
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
    """The file's text with entries for what fails and without those that are stale.

    An entry whose verdict has changed keeps its reason, one that counts cases has their number in
    this run; all others stay as they are. `mark` says what a new entry is about.
    """
    header, blocks = split(text)
    kept: list[tuple[tuple[str, ...], str]] = []
    lasting = [replace(e, cases=None) for e in known if e not in gone]
    missing = _unmarked(uncovered(bad, lasting), mark)
    for entry, block in zip(known, blocks, strict=True):
        changed = _changed(entry, missing) if entry in gone else []
        if changed:
            missing = [one for one in missing if one not in changed]
            verdict = changed[0].verdict if entry.failure else changed[0].cell.verdict
            kept.append((entry.key, _with_verdict(block, verdict)))
        elif entry not in gone:
            kept.append((entry.key, _counted(block.text, entry, bad)))
    for one in sorted(missing, key=lambda one: one.key):
        _insert(kept, one)
    return _joined(header if text else HEADER, [block for _, block in kept])


def _unmarked(cells: Iterable[JudgedCell], mark: Mark) -> list[_Unmarked]:
    """What entries are needed for; an aspect that fails without a failure has one for itself."""
    return [
        _Unmarked(cell, failure)
        for cell in cells
        for failure in (cell.failures if mark == "failure" and cell.failures else [None])
    ]


def _changed(gone: KnownFailure, missing: Iterable[_Unmarked]) -> list[_Unmarked]:
    """What a stale entry was about with another verdict."""
    if gone.when or (gone.targets is not None and len(gone.targets) != 1):
        return []
    about = [one for one in missing if gone.matches(one.cell)]
    if gone.failure is not None:
        about = [one for one in about if one.failure and one.failure.id.startswith(gone.failure)]
        return about[:1]
    return [one for one in about if one.cell.key == about[0].cell.key]


def _with_verdict(block: Block, verdict: Verdict) -> str:
    return _VERDICT.sub(lambda found: found[1] + json.dumps(verdict), block.text, count=1)


def _counted(text: str, entry: KnownFailure, bad: Iterable[JudgedCell]) -> str:
    """The entry with the number of cases that this run shows, if it counts them."""
    found = [
        frequency(failure, cell)
        for cell in bad
        if entry.cases is not None and entry.matches(cell)
        for failure in cell.failures
        if entry.covers_failure(failure, cell)
    ]
    new = max((f for f in found if f is not None), key=lambda f: f.most, default=None)
    return text if new is None else _CASES.sub(lambda line: f"{line[1]}{new}", text, count=1)


def _insert(kept: list[tuple[tuple[str, ...], str]], one: _Unmarked) -> None:
    """Add an entry before the first that comes later in order."""
    place = next((i for i, (other, _) in enumerate(kept) if other > one.key), len(kept))
    kept.insert(place, (one.key, _entry(one)))


def _entry(one: _Unmarked) -> str:
    fields = {
        "target": one.cell.target,
        "function": one.cell.function,
        "aspect": one.cell.aspect,
        "verdict": one.verdict,
        **({"failure": one.failure.id} if one.failure else {}),
        "reason": UNEXPLAINED,
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    seen = frequency(one.failure, one.cell) if one.failure else None
    if seen:
        lines.append(f"cases = {seen}")
    elif tries_less(next(iter(PROFILES)), one.cell.profile):
        lines.append(f"profile = {json.dumps(one.cell.profile)}")
    return "\n".join([*_comment(one), "[[expect]]", *lines]) + "\n"


def _comment(one: _Unmarked) -> list[str]:
    """The failure in a line, of an aspect the gravest, so that the reason can be written."""
    if one.failure is not None:
        return [f"# {_shortened(one.failure)}"]
    return [f"# {f.id}: {_shortened(f)}" for f in one.cell.failures[:1]]


def _shortened(failure: Failure) -> str:
    said = " ".join(clean(failure.message).split())
    return said if len(said) <= _MESSAGE else said[: _MESSAGE - 1] + "…"


def _joined(header: str, blocks: Iterable[str]) -> str:
    text = header
    for block in blocks:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and not text.endswith("\n\n") and text != "\n":
            text += "\n"
        text += block
    return text.rstrip("\n") + "\n"
