"""The values of the options and arguments of each command that has many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.cli.options.gate import DatabaseOptions, GateOptions
from conformance.cli.options.modules import ModuleOptions
from conformance.cli.options.selection import SelectionOptions
from conformance.editions import Edition


@dataclass(frozen=True, kw_only=True)
class RunOptions(SelectionOptions, GateOptions, DatabaseOptions, ModuleOptions):
    """The options of `conformance run`."""

    targets: tuple[str, ...]
    profile: str
    seed: int
    vectors: Path | None = None
    jobs: int | None
    max_time: float | None
    target_time: float
    call_timeout: float | None = None
    shard: str | None
    resume: bool
    reuse: tuple[Path, ...]
    scheduler: str | None
    output: Path | None
    formats: tuple[str, ...]
    config: Path | None
    documents: Path | None
    verbose: bool
    quiet: bool
    baseline: Path | None
    locate: bool | None = None
    """Whether wrong answers get lines; None: unless the profile is the smallest."""

    @property
    def locates(self) -> bool:
        """Whether wrong answers get the lines that may be the cause."""
        return self.profile != "smoke" if self.locate is None else self.locate


@dataclass(frozen=True, kw_only=True)
class FuzzOptions(GateOptions, ModuleOptions):
    """The options of `conformance fuzz`."""

    scheduler: str | None = None
    """It takes none: there is no plan to share."""
    targets: tuple[str, ...]
    selection: str | None
    programs: int | None
    size: tuple[int, int]
    seed: int
    jobs: int | None
    max_time: float | None
    call_timeout: float | None = None
    shard: str | None
    resume: bool
    again: bool
    output: Path | None
    formats: tuple[str, ...]
    config: Path | None
    documents: Path | None
    verbose: bool
    quiet: bool


@dataclass(frozen=True, kw_only=True)
class VectorsOptions(SelectionOptions):
    """The options of `conformance vectors`."""

    output: Path
    editions: tuple[Edition, ...]
    profile: str
    seed: int
    jobs: int | None


@dataclass(frozen=True, kw_only=True)
class MutateOptions(SelectionOptions):
    """The options of `conformance mutate`."""

    target: str
    alone: bool
    code: bool
    config: Path | None
    operator: str | None
    sample: int | None
    minimise: bool
    resume: bool
    again: bool
    profile: str
    seed: int
    jobs: int
    output: Path | None
    listing: bool


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(SelectionOptions):
    """The options of `conformance history`."""

    targets: tuple[str, ...]
    versions: str | None
    package: str | None
    every: bool
    profile: str
    seed: int
    jobs: int
    output: Path | None
    again: bool
    last: bool
    remove: bool
    config: Path | None


@dataclass(frozen=True, kw_only=True)
class BisectOptions:
    """The options of `conformance bisect`."""

    identity: str
    versions: str | None
    package: str | None
    target: str | None
    places: tuple[Path, ...]
    remove: bool
    config: Path | None


@dataclass(frozen=True, kw_only=True)
class DiffOptions(SelectionOptions):
    """The options of `conformance diff`."""

    a: str
    b: str
    shape: str
    folder: Path | None
    run_again: bool
    profile: str
    verbose: bool
    config: Path | None


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(SelectionOptions, ModuleOptions):
    """The options of `conformance replay`."""

    identities: tuple[str, ...]
    everything: bool
    targets: tuple[str, ...]
    places: tuple[Path, ...]
    script: bool
    config: Path | None


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """The options of `conformance show`."""

    function: str
    documents: Path | None
    places: tuple[Path, ...]
    edition: Edition | None
    targets: tuple[str, ...]
    identity: str | None
    everything: bool
    script: bool
    planned: bool
    seed: int


@dataclass(frozen=True, kw_only=True)
class IssueOptions:
    """The options of `conformance issue`."""

    identity: str
    places: tuple[Path, ...]
    target: str | None
    documents: Path | None
    output: Path | None


@dataclass(frozen=True, kw_only=True)
class TryOptions(ModuleOptions):
    """The options of `conformance try`."""

    expression: str
    targets: tuple[str, ...]
    jobs: int | None
    as_json: bool
    config: Path | None


@dataclass(frozen=True, kw_only=True)
class MigrationOptions:
    """The options of `conformance migration`."""

    places: tuple[Path, ...]
    output: Path | None
    check: bool
    scanned: tuple[Path, ...]
    form: str
    fail_on: str
    backend: str | None
    diff: bool
    write: bool


@dataclass(frozen=True, kw_only=True)
class ExportOptions(SelectionOptions):
    """The options of `conformance export`."""

    places: tuple[Path, ...]
    file: Path
    targets: tuple[str, ...]
    everything: bool


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """The options of `conformance init`."""

    file: Path | None
    name: str | None
    edition: Edition | None
    force: bool


@dataclass(frozen=True, kw_only=True)
class ListOptions(SelectionOptions):
    """The options of `conformance list`."""

    places: tuple[Path, ...]
    theme: str | None
    edition: Edition | None
    as_json: bool
