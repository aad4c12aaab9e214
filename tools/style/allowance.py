"""The allow-list: how many findings of each rule a file may keep."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

Counts = Mapping[str, Mapping[str, int]]
"""For each file, the number of findings per rule."""

HEADER = """\
# How many findings of each rule a file may still have. Written by `python -m tools.style --shrink`,
# which lowers numbers and removes rows. Do not raise a number: write the sentence another way.
"""


@dataclass(frozen=True, slots=True, order=True)
class StyleFinding:
    """A place where text or code breaks a rule."""

    file: str
    line: int
    rule: str
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text} ({self.advice})"


def count(findings: Iterable[StyleFinding]) -> dict[str, dict[str, int]]:
    """The findings per file and rule."""
    counts: dict[str, Counter[str]] = {}
    for finding in findings:
        counts.setdefault(finding.file, Counter())[finding.rule] += 1
    return {file: dict(counts[file]) for file in sorted(counts)}


def excess(findings: Iterable[StyleFinding], allowed: Counts) -> list[StyleFinding]:
    """Every finding of a rule that a file breaks more often than it may.

    All of them are given, because nobody can say which of them is new.
    """
    findings = sorted(findings)
    counts = count(findings)
    return [f for f in findings if counts[f.file][f.rule] > allowed.get(f.file, {}).get(f.rule, 0)]


def slack(findings: Iterable[StyleFinding], allowed: Counts) -> list[str]:
    """The rows of the allow-list that allow more than there is."""
    counts = count(findings)
    return [
        f"{file}: {rule}: {most} allowed, {counts.get(file, {}).get(rule, 0)} left"
        for file, rules in allowed.items()
        for rule, most in rules.items()
        if most > counts.get(file, {}).get(rule, 0)
    ]


def shrunk(findings: Iterable[StyleFinding], allowed: Counts) -> dict[str, dict[str, int]]:
    """The allow-list with each number lowered to the findings that are left."""
    counts = count(findings)
    rows: dict[str, dict[str, int]] = {}
    for file, rules in allowed.items():
        left = {r: min(n, counts.get(file, {}).get(r, 0)) for r, n in rules.items()}
        if any(left.values()):
            rows[file] = {rule: n for rule, n in left.items() if n}
    return rows


def read(path: Path) -> dict[str, dict[str, int]]:
    """The allow-list of a file."""
    rows: dict[str, dict[str, int]] = tomllib.loads(path.read_text("utf-8"))
    return rows


def write(path: Path, counts: Counts) -> None:
    """Write an allow-list: one line for each file, rules in alphabetical order."""
    lines = [
        f'"{file}" = {{ {", ".join(f"{rule} = {n}" for rule, n in sorted(rules.items()))} }}'
        for file, rules in sorted(counts.items())
    ]
    path.write_text(HEADER + "\n" + "\n".join(lines) + "\n", "utf-8")
