"""Where the suite keeps its environments, and the record that says one is complete.

    HOME/environments/VENV/           a virtual environment
        ready.json                    `Marker`: written when all packages are in
        requirements.txt              the pins that were installed
        targets/TARGET/links          system libraries under the names that are asked for
        targets/TARGET/home           a folder of each target's own
        targets/TARGET/cache, cache-1 and of each of its workers
        targets/TARGET/compiled       of all of its workers, if its variables name it
        targets/TARGET/outside/...    the same three, for what runs outside of the sandbox
        targets/TARGET/check.json     `ImportCheck`: what importing it after the installation gave
    HOME/targets/TARGET/...           the same, for a target without a virtual environment

HOME is CONFORMANCE_HOME, by default the user's data folder. VENV and TARGET are the names of those
that ship with the suite. Two projects may give one name to their own: these have a digest behind
it, a virtual environment that of its file, a target that of its description.

A library runs the code that it finds in its folders. Nothing outside of the sandbox therefore reads
what a worker in the sandbox wrote, and no target reads what another one wrote. The folders go with
the virtual environment when that is made again: no code outlives the packages it was compiled for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import platformdirs
from msgspec import Struct

from conformance.adapters import registry
from conformance.adapters.target_records import Target, Venv
from conformance.files import write_atomically

S = TypeVar("S", bound=Struct)

WORKER = Path(__file__).parent / "worker"
"""The folder that a target's interpreter runs."""


HOME = "CONFORMANCE_HOME"
_CURE = f"set {HOME} to a folder that can be written"


class HomeError(Exception):
    """HOME cannot be used; the message says why, and what to do."""

    for_users = True
    """The command line prints the message alone."""


class Marker(Struct, frozen=True, kw_only=True):
    """The source of a virtual environment."""

    digest: str
    python: str


class ImportCheck(Struct, frozen=True, kw_only=True):
    """The result of importing a target: its versions, or the problem."""

    versions: dict[str, str] = msgspec.field(default_factory=dict)
    problem: str | None = None


def suite_home() -> Path:
    """The folder that holds all that the suite installs.

    Raises:
        HomeError: the variable names an unknown user.
    """
    chosen = os.environ.get(HOME)
    if not chosen:
        return platformdirs.user_data_path("keras-backend-conformance", appauthor=False)
    try:
        return Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise HomeError(f"{HOME} is {chosen!r}, and there is no such user; {_CURE}") from error


@contextmanager
def in_home() -> Iterator[None]:
    """A block that makes files and folders in HOME.

    Raises:
        HomeError: the block cannot make one of them.
    """
    try:
        yield
    except OSError as error:
        home = suite_home()
        places = [Path(os.fsdecode(error.filename))] if error.filename else []
        if not any(p.is_relative_to(home) or home.is_relative_to(p) for p in places):
            raise
        raise HomeError(f"{error.filename}: {error.strerror}; {_CURE}") from error


def venv_folder(venv: Venv) -> Path:
    """The folder of a virtual environment."""
    return suite_home() / "environments" / _own_venv_name(venv)


def _own_venv_name(venv: Venv) -> str:
    if venv.described_in is None:
        return venv.name
    return _with_digest(venv.name, str(venv.described_in))


def venv_python(folder: Path) -> Path:
    """The interpreter of the virtual environment in this folder."""
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def target_folder(target: Target) -> Path:
    """The folder of a target's own, inside its virtual environment if it has one."""
    base = venv_folder(target.venv) if target.venv else suite_home()
    return base / "targets" / _own_name(target)


def _own_name(target: Target) -> str:
    if target.name in registry.shipped():
        return target.name
    places = (target.described_in, target.module, target.python, *target.script_paths)
    return _with_digest(target.name, "\0".join(map(str, places)))


def _with_digest(name: str, described: str) -> str:
    digest = hashlib.sha256(described.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{name}-{digest[:12]}"


@dataclass(frozen=True, slots=True)
class OwnFolders:
    """The folders that the processes of a target may write to, and that no other target reads.

    Workers with different numbers may run at the same time. A process outside the sandbox has
    folders of its own: it would run, with all the rights of the user, code that a worker left.
    """

    target: Target
    number: int = 0
    sandboxed: bool = True

    @property
    def base(self) -> Path:
        """The folder that holds the others."""
        own = target_folder(self.target)
        return own if self.sandboxed else own / "outside"

    @property
    def home(self) -> Path:
        """The folder that a process takes for the home of its user."""
        return self.base / "home"

    @property
    def cache(self) -> Path:
        """For code that one worker compiles, because some libraries lock the folder."""
        return self.base / (f"cache-{self.number}" if self.number else "cache")

    @property
    def compiled(self) -> Path:
        """For compiled code that all workers of the target share."""
        return self.base / "compiled"


def links_folder(target: Target) -> Path:
    """The folder for links to the system libraries that a target needs."""
    return target_folder(target) / "links"


def check_file(target: Target) -> Path:
    """The file that holds the target's `ImportCheck`."""
    return target_folder(target) / "check.json"


def marker_file(folder: Path) -> Path:
    """The file that holds the `Marker` of the virtual environment in this folder."""
    return folder / "ready.json"


def pins_file(folder: Path) -> Path:
    """The file that holds the pins from which the virtual environment in this folder was made."""
    return folder / "requirements.txt"


def digest(venv: Venv) -> str:
    """A digest of the interpreters and pins of a virtual environment, for all platforms."""
    text = "\n".join([*venv.python, venv.pins(), *venv.provides])
    return hashlib.sha256(text.encode()).hexdigest()


def read(path: Path, kind: type[S]) -> S | None:
    """The record in a file; None if there is none, or none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def write(path: Path, record: Struct) -> None:
    """Write a record whole or not at all."""
    write_atomically(path, msgspec.json.encode(record) + b"\n")
