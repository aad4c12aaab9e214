"""The records of a target: an implementation, its environment and the settings of its worker.

`registry` reads them from TOML files and checks them; docs/targets.md explains each field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from conformance.adapters.patience import CALL_RANGE, CALL_SECONDS
from conformance.editions import Edition
from conformance.files import MOST_SOURCE, read_bounded

Family = Literal["graph", "eager"]


class StrictRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of the file: immutable, and an unknown field is an error."""


class RequiredProgram(StrictRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that must be on PATH, and the command that gets it."""

    name: str
    cure: str


class SharedLibrary(StrictRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A system library that the packages look for as `name` and systems have as `found_as`."""

    name: str
    found_as: str
    cure: str
    """The command that gets it."""


class Shortfall(StrictRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that the implementation asks for and its environment does not have."""

    message: str
    """A text in the message of every exception that comes from it."""
    because: str
    """The missing part and the reason, in a clause: "TensorFlow 0.12 has no module ctc"."""


class Venv(StrictRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A virtual environment, which several targets may share."""

    name: str
    python: tuple[str, ...]
    """The CPython versions that can be used ("3.6"), the preferred first; or one path."""
    requirements: tuple[str, ...]
    """The requested packages."""
    lock: Path | None = None
    """A requirements file that pins them and all that they need, with hashes."""
    provides: tuple[str, ...] = ()
    """Packages that one of the requirements contains under another name: they are not installed,
    even where others need them. `keras-nightly` provides `keras`."""
    described_in: Path | None = None
    """The user's file that describes it; None for one of the suite's own. No field of a file."""
    platforms: tuple[str, ...] = ()
    """The platforms for which all packages have wheels, as `linux-aarch64` (`sys.platform` and the
    machine's name); empty if that is not known."""

    def pins(self) -> str:
        """The text of the requirements file that is installed."""
        if self.lock is None:
            return "\n".join(self.requirements) + "\n"
        lock = read_bounded(self.lock, MOST_SOURCE, "name a file of pinned requirements")
        return lock.decode("utf-8")


class Target(StrictRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One implementation at one version in one interpreter, tested against one edition."""

    name: str
    module: str
    """The module to import, which has the functions of `K`."""
    edition: Edition
    library: str = ""
    """The library that computes, whose name stands for all its targets; by default the target's."""
    implementation: str = ""
    """A description for reports; by default the module."""
    family: Family | None = None
    """`graph`: placeholders, and values through `function`; `eager`: values at once; None: nobody
    said which, and `graph` unless a look at the module shows the other."""
    venv: Venv | None = None
    python: str | None = None
    """Version or path of the interpreter where there is no venv; by default the running one."""
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """Environment variables of the worker, with the placeholders of `target_texts`."""
    programs: tuple[RequiredProgram, ...] = ()
    libraries: tuple[SharedLibrary, ...] = ()
    names: dict[str, str] = msgspec.field(default_factory=dict)
    """Documented names to the module's own, where they differ; these may be dotted."""
    adapter: str | None = None
    """A class that reaches the implementation: `module:Class`, or an entry point's name."""
    startup: tuple[str, ...] = ()
    """Lines of Python that the worker runs before it imports the module."""
    prepare: Path | None = None
    """A Python file that the worker runs before `startup`; standalone scripts do not run it."""
    mapping: Path | None = None
    """A table of the calls that replace the functions of `K` in the module (`mappings`)."""
    successor: bool = False
    """Whether `mapping` leads to an API that replaces that of the documents and does not promise
    them: what differs is `changed`, not a violation."""
    script_import: tuple[str, ...] = ()
    """The lines that bind `K` in a standalone script; by default the module's import."""
    script_paths: tuple[str, ...] = ()
    """The folders that such a script adds to `sys.path`."""
    script_environment: dict[str, str] = msgspec.field(default_factory=dict)
    """The environment variables that such a script needs; by default those of `environment` without
    placeholders."""
    lacks: tuple[str, ...] = ()
    """Dtypes that the implementation does not have as it is run here."""
    shortfalls: tuple[Shortfall, ...] = ()
    """Gaps of the environment. An exception that shows a gap is `unsupported`."""
    editions: tuple[Edition, ...] = ()
    """The editions that it can be tested against (`--edition`); empty for all."""
    follows: tuple[Edition, ...] = ()
    """Later editions whose documents it may follow, if it is newer than the document of its own."""
    workers: Annotated[int, msgspec.Meta(ge=1, le=2)] = 2
    """How many workers share the functions of a run; 1 if two must not run at the same time."""
    memory_limit: Annotated[float, msgspec.Meta(ge=0.125, le=65536)] = 4.0
    """GiB of memory that a worker and all that it starts may hold."""
    cpu_limit: Annotated[int, msgspec.Meta(ge=1, le=3600)] | None = None
    """Seconds of CPU time that a worker may take for one structure; None: only the wall time is
    limited."""
    call_timeout: Annotated[float, msgspec.Meta(ge=CALL_RANGE[0], le=CALL_RANGE[1])] = CALL_SECONDS
    """Seconds that a worker may take for one structure, and one more for each draw."""
    sandbox: bool = True
    """Whether its workers are kept from files and network of the machine, where it offers this."""
    forget: tuple[str, ...] = ()
    """Functions without parameters (`module.function`) that the worker calls from time to time to
    empty the library's caches."""
    sources: tuple[str, ...] = ()
    """The packages that hold the implementation, if `module` only leads to it: what `conformance
    mutate --code` changes. By default the modules of the documented functions."""
    fork: bool = False
    """Whether a fork of a process that has imported the module can replace a lost worker."""
    preload: tuple[str, ...] | None = None
    """Modules that the module imports and that no configuration concerns.

    A process with a configuration of its own is then a fork of a process that has run `beginning`
    and imported them, or NumPy alone if the tuple is empty. None: it is a new process.
    """
    draws_together: bool = False
    """Whether one function computes the graphs of all draws of a program that holds numbers.

    This pays where a function costs more to compile and run than a graph costs to build.
    """
    found_in: Path | None = None
    """The file that describes it, if the suite found that file and nobody has named it or the
    target: then nothing is run for it. No field of a file."""
    described_in: Path | None = None
    """The user's file that describes it; None for a shipped target, and if options describe it. Not
    a field of a file."""

    @property
    def beginning(self) -> str:
        """The Python source that runs before the import."""
        return "\n".join([*_runs(self.prepare), *self.startup])


def _runs(file: Path | None) -> list[str]:
    return [] if file is None else ["import runpy", f"runpy.run_path({str(file)!r})"]
