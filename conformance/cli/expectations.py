"""Known failures: a TOML file that says which verdicts a run may have, and why."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from conformance.cli.errors import UsageProblem
from conformance.results import Aspect, Results, Verdict

UNEXPLAINED = "TODO: say why"

Cell = tuple[str, str, Aspect, Verdict]
"""Target, function, aspect and its verdict."""


class Expectation(Struct, frozen=True, forbid_unknown_fields=True):
    """One known failure; without `target` it is known of every target."""

    function: str
    aspect: Aspect
    verdict: Verdict
    reason: str
    target: str | None = None

    def covers(self, cell: Cell) -> bool:
        """Whether this is the cell's failure."""
        return self.matches(cell) and cell[3] is self.verdict

    def matches(self, cell: Cell) -> bool:
        """Whether this is about the cell, whatever its verdict."""
        target, function, aspect, _ = cell
        return (function, aspect) == (self.function, self.aspect) and self.target in (None, target)

    def __str__(self) -> str:
        of = f" on {self.target}" if self.target else ""
        return f"{self.function} {self.aspect} {self.verdict}{of}"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    expect: list[Expectation] = []


def read(path: Path) -> list[Expectation]:
    """The expectations in a file; UsageProblem with the file and the place if it holds none."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File).expect
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageProblem(f"{path}: {error}", "see --write-expectations") from error
    except msgspec.ValidationError as error:
        hint = "an entry has function, aspect, verdict, reason and perhaps target"
        raise UsageProblem(f"{path}: {error}", hint) from error


def cells(results: Iterable[Results]) -> list[Cell]:
    """Every aspect that was judged."""
    return [
        (r.target.name, f.function, a.aspect, a.verdict)
        for r in results
        for f in r.functions
        for a in f.aspects
    ]


def unexpected(found: Iterable[Cell], known: Sequence[Expectation]) -> list[Cell]:
    """The cells that no expectation covers."""
    return [cell for cell in found if not any(e.covers(cell) for e in known)]


def stale(found: Sequence[Cell], known: Iterable[Expectation]) -> Iterator[Expectation]:
    """Expectations that the run looked at and that no longer fail so."""
    for expectation in known:
        about = [cell for cell in found if expectation.matches(cell)]
        if about and not any(expectation.covers(cell) for cell in about):
            yield expectation


def write(path: Path, failing: Iterable[Cell], known: Iterable[Expectation]) -> None:
    """Write what failed, sorted; reasons that were given before are kept. UsageProblem: cannot."""
    reasons = {(e.target, e.function, e.aspect): e.reason for e in known}
    entries = []
    for target, function, aspect, verdict in sorted(failing):
        reason = reasons.get((target, function, aspect), reasons.get((None, function, aspect)))
        fields = {"target": target, "function": function, "aspect": aspect, "verdict": verdict}
        lines = [f"{k} = {json.dumps(v)}" for k, v in fields.items()]
        lines.append(f"reason = {json.dumps(reason or UNEXPLAINED)}")
        entries.append("[[expect]]\n" + "\n".join(lines) + "\n")
    temporary = path.with_name(path.name + ".new")
    try:
        temporary.write_text("\n".join(entries), "utf-8")
        os.replace(temporary, path)  # noqa: PTH105 - one step, so that no half file is left
    except OSError as error:
        raise UsageProblem(
            f"{path}: {error.strerror}", "name a file that can be written"
        ) from error
