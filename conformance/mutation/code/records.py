"""The records of code mutants and their outcomes, schema `conformance-code-mutation/1`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import Struct, ValidationError, convert, field

from conformance.reporting.containers import content_of
from conformance.results.encoding import as_json

SCHEMA: Literal["conformance-code-mutation/1"] = "conformance-code-mutation/1"
How = Literal[
    "unexpected",
    "more frequent",
    "stale",
    "refused",
    "not reached",
    "does not start",
    "time over",
]
"""How a gate notices a change: by a failure that is not known, by a known failure in more cases, or
by a known failure that does not occur. Else by a documented call that is refused, by a cell without
a run, by a target that does not start, or only by a time limit."""
HOWS: tuple[How, ...] = get_args(How)


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The observation by which a gate notices a change."""

    how: How
    function: str = ""
    aspect: str = ""
    verdict: str = ""
    failure: str = ""
    """The failure's id."""
    says: str = ""


class JudgedCodeMutant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One code mutant with its outcome."""

    id: str
    file: str
    line: int
    function: str
    """The function or class of the module that holds the change."""
    operator: str
    before: str
    after: str
    outcome: Literal["killed", "survived"]
    notice: Notice | None = None
    run: list[str] = field(default_factory=list)
    """The documented functions that were run."""
    seconds: float = 0.0
    quiet: list[str] = field(default_factory=list)
    """New entries in the results of a survivor that do not make the gate fail."""


class CodeCount(Struct, frozen=True, kw_only=True):
    """The number of code mutants of one kind, and of each outcome."""

    name: str
    mutants: int
    killed: int
    survived: int
    score: float | None


class CodeMutationReport(Struct, frozen=True, kw_only=True):
    """Code mutants of one target, judged by the gate with its known failures."""

    schema: Literal["conformance-code-mutation/1"] = SCHEMA
    target: str
    edition: str
    implementation: str
    suite_version: str
    profile: str
    minimised: bool
    """Whether failures were made smaller, as `conformance run` does."""
    seed: int
    started: str
    """UTC, ISO 8601."""
    seconds: float
    """Wall time of all starts of the command."""
    population: int
    """How many mutants there are to draw from."""
    sample: int | None = None
    selection: str | None = None
    operators_selected: str | None = None
    interrupted: bool = False
    sources: dict[str, str]
    """SHA-256 of each module that mutants were made of."""
    intermittent: list[str] = field(default_factory=list)
    """Failures that only one of two runs without a change had."""
    again: list[str] = field(default_factory=list)
    """The ids of survivors of an earlier start that a later start judged again."""
    summary: CodeCount
    operators: list[CodeCount]
    functions: list[CodeCount]
    noticed: dict[str, int]
    """How many were noticed in which way."""
    mutants: list[JudgedCodeMutant]

    @property
    def survivors(self) -> list[JudgedCodeMutant]:
        """Those that the gate did not notice."""
        return [mutant for mutant in self.mutants if mutant.outcome == "survived"]


def code_count(name: str, judged: Iterable[JudgedCodeMutant]) -> CodeCount:
    """The numbers of some mutants."""
    outcomes = [mutant.outcome for mutant in judged]
    killed = outcomes.count("killed")
    return CodeCount(
        name=name,
        mutants=len(outcomes),
        killed=killed,
        survived=len(outcomes) - killed,
        score=round(killed / len(outcomes), 4) if outcomes else None,
    )


def code_counts(judged: Iterable[JudgedCodeMutant], of: str) -> list[CodeCount]:
    """The numbers for each operator or function (`of`), in the order of their names."""
    groups: dict[str, list[JudgedCodeMutant]] = {}
    for mutant in judged:
        groups.setdefault(getattr(mutant, of), []).append(mutant)
    return [code_count(name, groups[name]) for name in sorted(groups)]


def notices(judged: Iterable[JudgedCodeMutant]) -> dict[str, int]:
    """How many were noticed in which way."""
    ways = [mutant.notice.how for mutant in judged if mutant.notice is not None]
    return {how: ways.count(how) for how in HOWS if how in ways}


Kind = Literal["missing case", "missing reading", "shared identity", "equivalent", "not looked at"]
KINDS: dict[Kind, str] = {
    "missing case": "No case has the inputs, or makes the check, that would show it.",
    "missing reading": "A case shows it, and a convention excuses what it shows.",
    "shared identity": "A case shows it, by a failure that has the id of a known one.",
    "equivalent": "Nothing that the documents promise is different.",
    "not looked at": "Nobody has looked at it yet.",
}
"""The kinds of a survivor."""


class ClassificationError(Exception):
    """The list cannot be read; the message says what to write."""


class Classified(Struct, frozen=True, forbid_unknown_fields=True):
    """Survivors on one target that survive for one reason."""

    target: str
    mutants: list[str]
    """Their ids."""
    kind: Kind
    reason: str


class _List(Struct, frozen=True, forbid_unknown_fields=True):
    survivor: list[Classified] = []


def load_classified(text: str | None = None) -> list[Classified]:
    """The entries of the list that ships with the suite, or of `text`.

    Raises:
        ClassificationError: the text is wrong.
    """
    if text is None:
        text = resources.files(__package__).joinpath("survivors.toml").read_text("utf-8")
    try:
        return convert(tomllib.loads(text), _List).survivor
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        hint = (
            f"write [[survivor]] with target, mutants = [ids], reason and kind: {', '.join(KINDS)}"
        )
        raise ClassificationError(f"survivors.toml: {error}; {hint}") from error


def classes(entries: Iterable[Classified], target: str) -> dict[str, Classified]:
    """The entry of each mutant of a target, by the mutant's id."""
    return {name: e for e in entries if e.target == target for name in e.mutants}


def unclassified(known: Collection[str], survivors: Iterable[JudgedCodeMutant]) -> list[str]:
    """The ids of survivors that no entry names."""
    return [mutant.id for mutant in survivors if mutant.id not in known]


class OtherTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tests that were run with each change of a sample."""

    about: str
    """Their name, in a few words that begin with a capital."""
    passing: list[str] = field(default_factory=list)
    """Those that pass without a change."""
    failing: list[str] = field(default_factory=list)
    """Those that fail without a change, and so say nothing."""
    noticed: dict[str, list[str]] = field(default_factory=dict)
    """For each mutant's id the tests that fail with it, at most `MOST_NAMED`."""


MOST_NAMED = 5


class MutantComparison(Struct, frozen=True, kw_only=True):
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
    return msgspec.json.decode(content_of(file), type=OtherTests) if file.exists() else None


def encode_other_tests(record: OtherTests) -> bytes:
    """The bytes of the record as JSON."""
    return as_json(record)


def compared(report: CodeMutationReport, other: OtherTests) -> MutantComparison:
    """The tests that notice each of the changes."""
    groups: dict[tuple[bool, bool], list[str]] = {}
    for mutant in report.mutants:
        if mutant.id in other.noticed:
            key = (mutant.outcome == "killed", bool(other.noticed[mutant.id]))
            groups.setdefault(key, []).append(mutant.id)
    return MutantComparison(
        both=groups.get((True, True), []),
        gate_only=groups.get((True, False), []),
        tests_only=groups.get((False, True), []),
        neither=groups.get((False, False), []),
    )
