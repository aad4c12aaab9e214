"""A file of known failures, written after a run; what its owner wrote stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures.judging import uncovered
from conformance.cli.known_failures.model import UNEXPLAINED, JudgedCell, KnownFailure
from conformance.cli.known_failures.reading import Block, split
from conformance.reporting.safe_text import clean
from conformance.reporting.writer import write_atomically

HEADER = """\
# Known failures, for `conformance run --expectations FILE`: it passes with them, and fails if one
# of them does not occur. Say in `reason` why each is known. An entry may also have: edition,
# versions, when, failure, intermittent, issue.

"""
_VERDICT = re.compile(r"^(\s*verdict\s*=\s*).*$", re.MULTILINE)
_MESSAGE = 160
"""Characters of a failure's message that a comment holds."""


def write(
    path: Path,
    text: str,
    known: Sequence[KnownFailure],
    gone: Sequence[KnownFailure],
    bad: Sequence[JudgedCell],
) -> None:
    """Write the known failures with which a run passes in which the aspects `bad` fail.

    `text` is the file as it is, which holds `known`, of which `gone` are stale; empty for a new
    one. UsageProblem if it cannot be written.
    """
    try:
        write_atomically(path, updated(text, known, gone, bad).encode("utf-8"))
    except OSError as error:
        hint = "name a file that can be written"
        raise UsageProblem(f"{path}: {error.strerror}", hint) from error


def updated(
    text: str,
    known: Sequence[KnownFailure],
    gone: Sequence[KnownFailure],
    bad: Sequence[JudgedCell],
) -> str:
    """The file's text with entries for what fails and without those that are stale.

    An entry whose verdict has changed keeps its reason; all others stay as they are.
    """
    header, blocks = split(text)
    kept: list[tuple[tuple[str, ...], str]] = []
    missing = {cell.key: cell for cell in uncovered(bad, [e for e in known if e not in gone])}
    for entry, block in zip(known, blocks, strict=True):
        cell = _changed(entry, missing.values()) if entry in gone else None
        if cell is not None:
            del missing[cell.key]
            kept.append((entry.key, _with_verdict(block, cell)))
        elif entry not in gone:
            kept.append((entry.key, block.text))
    for cell in sorted(missing.values(), key=lambda cell: cell.key):
        _insert(kept, cell)
    return _joined(header if text else HEADER, [block for _, block in kept])


def _changed(gone: KnownFailure, missing: Iterable[JudgedCell]) -> JudgedCell | None:
    """The failing aspect that an entry was about with another verdict."""
    if gone.narrow or (gone.targets is not None and len(gone.targets) != 1):
        return None
    return next((cell for cell in missing if gone.matches(cell)), None)


def _with_verdict(block: Block, cell: JudgedCell) -> str:
    return _VERDICT.sub(lambda found: found[1] + json.dumps(cell.verdict), block.text, count=1)


def _insert(kept: list[tuple[tuple[str, ...], str]], cell: JudgedCell) -> None:
    """Add an entry before the first that comes later in order."""
    key = (*cell.key, cell.verdict)
    place = next((i for i, (other, _) in enumerate(kept) if other[:4] > key), len(kept))
    kept.insert(place, (key, _entry(cell)))


def _entry(cell: JudgedCell) -> str:
    fields = {
        "target": cell.target,
        "function": cell.function,
        "aspect": cell.aspect,
        "verdict": cell.verdict,
        "reason": UNEXPLAINED,
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "\n".join([*_comment(cell), "[[expect]]", *lines]) + "\n"


def _comment(cell: JudgedCell) -> list[str]:
    """The gravest failure in a line, so that the reason can be written."""
    if not cell.failures:
        return []
    said = " ".join(clean(cell.failures[0].message).split())
    cut = said if len(said) <= _MESSAGE else said[: _MESSAGE - 1] + "…"
    return [f"# {cell.failures[0].id}: {cut}"]


def _joined(header: str, blocks: Iterable[str]) -> str:
    text = header
    for block in blocks:
        if text and not text.endswith("\n"):
            text += "\n"
        if text and not text.endswith("\n\n") and text != "\n":
            text += "\n"
        text += block
    return text.rstrip("\n") + "\n"
