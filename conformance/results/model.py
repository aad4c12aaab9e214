"""The records of a results file (`reports/TARGET.json`), schema `conformance-results/1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

SCHEMA: Literal["conformance-results/1"] = "conformance-results/1"


class Aspect(StrEnum):
    """A property of a function that the suite checks."""

    PRESENCE = "presence"
    SIGNATURE = "signature"
    VALUE = "value"
    DTYPE = "dtype"
    STATIC_SHAPE = "static shape"
    GRADIENT = "gradient"
    ERROR = "error"
    EXAMPLE = "example"
    STATE = "state"
    SEED = "seed"
    DISTRIBUTION = "distribution"
    PURITY = "purity"
    CONFIGURATION = "configuration"


ASPECTS: tuple[Aspect, ...] = tuple(Aspect)


class Verdict(StrEnum):
    """The outcome of one aspect of one function on one target, the gravest last."""

    NOT_APPLICABLE = "not applicable"
    CONFORMS = "conforms"
    NOT_RUN = "not run"
    ERROR = "error"
    UNSUPPORTED = "unsupported"
    DIVERGES = "diverges"
    CHANGED = "changed"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    VIOLATES = "violates"


class Citation(Struct, frozen=True):
    """The place in a document that an implementation contradicts."""

    document: str
    line: int | str
    """A line of a text, or a function and a section of its docstring: `keras.ops.dot: Returns`."""

    def __str__(self) -> str:
        return self.line if isinstance(self.line, str) else f"{self.document}:{self.line}"


class Replacement(Struct, frozen=True):
    """The row of a mapping that says which call replaces a function in another API."""

    mapping: str
    """The name of the file."""
    function: str
    call: str
    """An expression of the function's parameters, or lines of Python."""

    def __str__(self) -> str:
        return f"{self.mapping}: {self.function}"


NON_FINITE = ("nan", "inf", "-inf")
_NON_FINITE = Meta(extra_json_schema={"enum": [*NON_FINITE]})


class Array(Struct, frozen=True):
    """An array in a results file: floats that JSON lacks are the strings nan, inf and -inf."""

    dtype: str
    shape: list[int]
    data: list[int | float | bool | Annotated[str, _NON_FINITE]]
    """Elements in C order; `data` may be shorter than the shape says when `truncated`."""
    truncated: bool = False
    start: int | UnsetType = UNSET
    """Which element `data` begins with, if it is not the first."""


class Origin(Struct, frozen=True, kw_only=True):
    """The data from which a failure's smallest case and its checks are made again."""

    profile: str
    seed: int
    trial: str
    """Which of the trials that this profile and seed give for the function it was made from."""
    choices: str = ""
    """Hypothesis's choices for the smaller one, in base64; empty if it is that trial itself."""
    draw: int = 0
    """Which of the trial's draws it is."""
    arrays: dict[str, str] = field(default_factory=dict)
    """Its numbers, if they are none of the draws': by input, compressed `.npy` in base64."""


class SuspectLine(Struct, frozen=True, kw_only=True):
    """A line of the implementation that may be the cause of a wrong answer."""

    place: str
    """Such as `keras/src/ops/nn.py:12, in relu`; the path begins with the package."""
    score: float
    """From 0 to 1: all failing cases run it and no passing case (Ochiai)."""


class Failure(Struct, frozen=True, kw_only=True):
    """One way in which an aspect fails, with the smallest case that shows it.

    `citation` is set exactly where `verdict` is `violates` or `changed`; `convention` names what
    the suite expects where the documents are silent, and `readings` what else is allowed there and
    was answered.
    """

    id: str
    """Stable over runs and machines: the same failure has the same id."""
    verdict: Verdict
    kind: str
    """The kind of difference: `value`, `accuracy`, `shape`, `dtype`, `exception`, ..."""
    message: str
    """One line, in words."""
    count: int
    """How many of the aspect's cases fail in this way."""
    citation: Citation | None = None
    replacement: Replacement | UnsetType = UNSET
    """The row of the mapping behind a `changed`: the other API's call differs from the citation."""
    convention: str | None = None
    readings: list[str] = field(default_factory=list)
    """The allowed readings that a divergence takes, such as `kernel-layout: th`; left out of a file
    where there are none."""
    program: dict[str, Any] | None = None
    """The program of the smallest case (`conformance.program.to_json`)."""
    inputs: dict[str, Array] = field(default_factory=dict)
    expected: Array | str | None = None
    got: Array | str | None = None
    max_ulp: float | None = None
    script: str | None = None
    """A standalone script that shows the failure without this suite."""
    output: str | None = None
    """The end of the text that the implementation printed meanwhile."""
    place: str | UnsetType = UNSET
    """The innermost line of the implementation that raised, such as `keras/src/ops/nn.py:12, in
    relu`; the path begins with the package. The id does not depend on it, because lines move."""
    suspect_lines: list[SuspectLine] | UnsetType = UNSET
    """The lines that may be the cause of a wrong answer, the most suspect first."""
    origin: Origin | UnsetType = UNSET
    """The source of the case for `conformance replay`; unset without a case."""

    @property
    def cited(self) -> str:
        """The line of the document, and of a change the row: `ko-2.2:1220; keras3.toml: sum`."""
        return "; ".join(str(place) for place in (self.citation, self.replacement) if place)


class AspectResult(Struct, frozen=True, kw_only=True):
    """The verdict on one aspect of one function. Errors are in units in the last place (ULP)."""

    aspect: Aspect
    verdict: Verdict
    cases: int
    max_ulp: float | None = None
    limit_ulp: float | None = None
    failures: list[Failure] = field(default_factory=list)
    """The failures in cases of this run; verdict, cases and score follow from these alone."""
    earlier_failures: list[Failure] = field(default_factory=list)
    """The failures that only cases from earlier runs show; a file omits an empty list."""
    note: str | UnsetType = UNSET
    readings: dict[str, int] | UnsetType = UNSET
    """How many cases show which reading of a convention, the suite's own among them, such as
    `{"kernel-layout: th": 12}`; unset if none does."""


class FunctionResult(Struct, frozen=True):
    """All aspects of one function, in the order of `ASPECTS`."""

    function: str
    theme: str
    aspects: list[AspectResult]
    signature: str | UnsetType = UNSET
    """The implementation's own, such as `(x, axis=-1)`, where it can be inspected."""


class ReleaseDrift(Struct, frozen=True, kw_only=True):
    """A release newer than the one whose docstrings the edition judges by."""

    document: str
    """The document of the edition, such as `keras-3.15.1`."""
    installed: str
    """The installed release."""
    functions: int | UnsetType = UNSET
    """How many functions differ from the document (`conformance spec drift`); unset if the worker
    cannot list its functions."""


class TargetInfo(Struct, frozen=True, kw_only=True):
    """Which implementation was tested, as it described itself."""

    name: str
    edition: str
    implementation: str
    versions: dict[str, str]
    python: str
    drift: ReleaseDrift | UnsetType = UNSET
    """Set if the installed release is newer than the release that the edition describes."""


class Spent(Struct, frozen=True, kw_only=True):
    """The cost of one function: cases, wall time, time in the implementation, lost workers.

    Both times include minimising.
    """

    cases: int = 0
    seconds: float = 0.0
    seconds_in_target: float = 0.0
    restarts: int = 0


class RunInfo(Struct, frozen=True, kw_only=True):
    """How and when; `seconds` is wall time, `seconds_in_target` that of all workers inside the
    implementation."""

    suite_version: str
    profile: str
    seed: int
    started: str
    """UTC, ISO 8601."""
    seconds: float
    cases: int
    seconds_in_target: float
    selection: str | None = None
    """The `-k` expression, if the run was of a part only."""
    complete: bool = True
    """False if the run ended before its plan was done; what it did not reach is `not run`."""
    restarts: int = 0
    """How often a worker had to be started again."""
    workers: int = 1
    """How many workers shared the functions at the same time."""
    milliseconds: dict[str, float] = field(default_factory=dict)
    """For each function the mean time inside the target for one case, building included."""
    shard: str | UnsetType = UNSET
    """`I/N`, if the run was of the I-th of N parts of the functions."""
    aspects: list[Aspect] | UnsetType = UNSET
    """The aspects, if the run was of some only."""
    machine: str | UnsetType = UNSET
    """Processor, cores, memory and system."""
    spent: dict[str, Spent] | UnsetType = UNSET
    """The cost of each function."""
    unfinished: list[str] | UnsetType = UNSET
    """Functions of which some of the cases, or all, were not run."""
    ended_by: str | UnsetType = UNSET
    """The cause that ended the run before its plan was done: `Ctrl-C`, or an option."""
    shortened: list[str] | UnsetType = UNSET
    """The parts that the run omitted because workers hung or died, and why."""
    fingerprints: dict[str, dict[str, str]] | UnsetType = UNSET
    """For each function that was run to its end, digests of what its results depend on."""

    @property
    def whole(self) -> bool:
        """Whether all functions of the edition were run, in all aspects."""
        limited = self.selection is not None or self.shard is not UNSET
        return self.complete and not limited and self.aspects is UNSET


class Composed(Struct, frozen=True, kw_only=True):
    """The counts of a run of composed programs (`conformance fuzz`), besides its failures."""

    version: Literal[1] = 1
    size: list[int] = field(default_factory=list)
    """The fewest and the most calls of a program."""
    programs: int = 0
    """Programs that were run. They are counted from 0, and `shard` says which of them."""
    calls: int = 0
    compared: int = 0
    """Results that were compared with a proved bound, in all draws."""
    unjudged: int = 0
    """Results of which nothing is known, even by the target's own numbers."""
    cut: int = 0
    """Programs that were compared in parts."""
    digits: list[int] = field(default_factory=list)
    """How many results lose how many tenths of their digits to the bound, from none to all."""
    failed: int = 0
    """Programs of which at least one result breaks its proved bound, or is missing."""
    blamed: dict[str, int] = field(default_factory=dict)
    """How many of these programs have a call that fails by itself: by the function of that call."""
    unrepeated: int = 0
    """How many failed once and not again."""
    alike: int = 0
    """How many raise the error of a failure that was filed shortly before, and were counted there
    without being made smaller."""
    themes: dict[str, int] = field(default_factory=dict)
    """How often a call of one theme takes what one of another gives, such as `losses < pooling`."""
    depths: dict[str, list[int]] = field(default_factory=dict)
    """For each function how often it is called one, two, three... calls away from the inputs."""
    pairs: int = 0
    """How many pairs of functions exist: one gives a tensor that the other is passed as one of its
    arguments. With a selection, pairs with a function of it."""
    covered: str = ""
    """The pairs that were judged: a bit for each pair of the edition in the order of their names,
    in base64."""
    missed: int = 0
    """Pairs that were planned and not judged: no numbers fit, or a call fails by itself."""


class Summary(Struct, frozen=True):
    """Counts over all aspects of all functions."""

    functions: int
    verdicts: dict[Verdict, int]


class Results(Struct, frozen=True, kw_only=True):
    """A whole results file."""

    schema: Literal["conformance-results/1"] = SCHEMA
    target: TargetInfo
    run: RunInfo
    summary: Summary
    functions: list[FunctionResult]
    composed: Composed | UnsetType = UNSET
    """Set if the run was of composed programs: `functions` has their failures, each under the
    function whose result is wrong."""


def timeless(results: Results) -> Results:
    """The results without dates, times, machine, number of workers and fingerprints: the same for
    two runs of the same cases. A fingerprint has the paths in the description of a target."""
    spent = results.run.spent
    run = replace(
        results.run,
        started="",
        seconds=0.0,
        seconds_in_target=0.0,
        workers=1,
        machine=UNSET,
        fingerprints=UNSET,
        milliseconds={},
        spent=UNSET if spent is UNSET else {f: _counted(s) for f, s in spent.items()},
    )
    return replace(results, run=run)


def _counted(spent: Spent) -> Spent:
    return replace(spent, seconds=0.0, seconds_in_target=0.0)


def summarise(functions: Iterable[FunctionResult]) -> Summary:
    """The summary of these functions, verdicts in the order of `Verdict`."""
    results = list(functions)
    counts = Counter(a.verdict for f in results for a in f.aspects)
    return Summary(len(results), {v: counts[v] for v in Verdict if counts[v]})
