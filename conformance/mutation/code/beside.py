"""What other tests say of the same sample: `TARGET.other-tests.json` beside the report."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, field

from conformance.mutation.code.records import CodeMutationReport


class OtherTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tests that were run with each change of a sample."""

    about: str
    """What they are, in a few words that begin with a capital."""
    passing: list[str] = field(default_factory=list)
    """Those that pass without a change."""
    failing: list[str] = field(default_factory=list)
    """Those that fail without a change, and so say nothing."""
    noticed: dict[str, list[str]] = field(default_factory=dict)
    """For each mutant's id the tests that fail with it, at most `MOST_NAMED`."""


MOST_NAMED = 5


class Comparison(Struct, frozen=True, kw_only=True):
    """The ids of mutants that were given to both, by who notices."""

    both: list[str]
    gate_only: list[str]
    tests_only: list[str]
    neither: list[str]


def other_tests_file(folder: Path, target: str) -> Path:
    """Where the record is."""
    return folder / f"{target}.other-tests.json"


def read_other_tests(file: Path) -> OtherTests | None:
    """The record in a file; None without a file. Raises `msgspec.MsgspecError`."""
    return msgspec.json.decode(file.read_bytes(), type=OtherTests) if file.exists() else None


def encode_other_tests(record: OtherTests) -> bytes:
    """The bytes of the record as JSON."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def compared(report: CodeMutationReport, other: OtherTests) -> Comparison:
    """Who notices which of the changes."""
    groups: dict[tuple[bool, bool], list[str]] = {}
    for one in report.mutants:
        if one.id in other.noticed:
            key = (one.outcome == "killed", bool(other.noticed[one.id]))
            groups.setdefault(key, []).append(one.id)
    return Comparison(
        both=groups.get((True, True), []),
        gate_only=groups.get((True, False), []),
        tests_only=groups.get((False, True), []),
        neither=groups.get((False, False), []),
    )
