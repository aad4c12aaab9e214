"""The files that `conformance init` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.adapters import registry
from conformance.adapters.looks import LookError, computes_at_once, look
from conformance.adapters.project import OWN
from conformance.adapters.registry import RegistryError, Target, completed
from conformance.cli.errors import UsageProblem
from conformance.cli.first_look.files import importable
from conformance.cli.first_look.offers import (
    DEFAULT,
    another_edition,
    documented,
    looked_for,
)
from conformance.cli.first_look.other_names import proposed
from conformance.cli.options.given import InitOptions
from conformance.cli.starting.finding import LEAST, likeliest
from conformance.editions import Edition

_TEMPLATES = Path(__file__).parent / "templates"
WORKFLOW = Path(".github") / "workflows" / "conformance.yml"


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend as the files describe it."""

    name: str
    module: str
    path: str
    edition: Edition
    family: str | None = None
    """`eager` or `graph`; None if the module could not be imported."""
    names: Mapping[str, str] = field(default_factory=dict)
    besides: str = ""
    """What it has of another edition."""
    problem: str = ""
    """Why it could not be imported."""


def described(options: InitOptions, folder: Path) -> Backend:
    """The backend of the folder, or the one that is named. UsageProblem if there is none."""
    file = options.file or likeliest(folder)
    if file is None:
        raise UsageProblem(
            f"no module here has {LEAST} functions of the API", "name it: conformance init FILE.py"
        )
    module, place = importable(file)
    edition = options.edition or DEFAULT
    target = completed(Target(name=module, module=module, edition=edition), [place])
    name = _name(options, module)
    if options.name is None and not options.force:
        name = _described_as(module, folder) or name
    bare = Backend(name, module, _seen(place, folder), edition)
    try:
        found = look(target, looked_for())
    except LookError as error:
        return replace(bare, problem=str(error))
    return _seen_as(bare, found, chosen=options.edition is not None)


def _seen_as(bare: Backend, found: frozenset[str], *, chosen: bool) -> Backend:
    """The backend with what a look at it shows; of the edition that it has most of, if its user has
    `chosen` none."""
    other = another_edition(found, bare.edition)
    edition, besides = bare.edition, ""
    if other is not None:
        name, there, own = other
        edition = bare.edition if chosen else name
        told = (bare.edition, own) if edition == name else (name, there)
        besides = f"it has {told[1]} functions of {told[0]}, too: --edition {told[0]}"
    names = proposed(documented(edition), found)
    family = "eager" if computes_at_once(found, names) else "graph"
    return replace(bare, edition=edition, family=family, names=names, besides=besides)


def own_modules(folder: Path) -> dict[str, str]:
    """The targets that the folder's file describes, with their modules; none of a wrong file."""
    try:
        return {name: target.module for name, target in registry.load(folder / OWN).items()}
    except RegistryError:
        return {}


def _described_as(module: str, folder: Path) -> str | None:
    """What the file of the folder calls a module already."""
    return next((name for name, own in own_modules(folder).items() if own == module), None)


def _name(options: InitOptions, module: str) -> str:
    """The target's name: letters, digits and `._-`, and none of the suite's own. UsageProblem."""
    taken = {taken for t in registry.shipped().values() for taken in (t.name, t.library)}
    if options.name is not None:
        _check_name(options.name, taken)
        return options.name
    name = re.sub(r"[^A-Za-z0-9._-]", "-", module.partition(".")[0]).strip("-.") or "backend"
    return f"my-{name}" if name in taken else name


def _check_name(name: str, taken: Collection[str]) -> None:
    """Refuse what the file of targets cannot hold, or what another command takes for a file."""
    option = f"--name {name}"
    try:
        registry.check_name(option, name)
    except RegistryError as error:
        raise UsageProblem(str(error), "write --name NAME, such as my-backend") from error
    if name.endswith(".py"):
        raise UsageProblem(f"{option}: `conformance run` takes it for a file", "leave out .py")
    if name in taken:
        raise UsageProblem(f"{option}: the suite itself uses this name", "give another")


def _seen(place: Path, folder: Path) -> str:
    """The folder of the module as it is seen from the project's."""
    inside = place.is_relative_to(folder.resolve())
    return (place.relative_to(folder.resolve()) if inside else place).as_posix()


def files(backend: Backend, folder: Path) -> dict[Path, str]:
    """The text of each file, by its place in the folder."""
    test = Path("tests") if (folder / "tests").is_dir() else Path()
    config = OWN
    texts = {
        Path(OWN): _template("conformance.toml"),
        WORKFLOW: _template("workflow.yml"),
        test / "test_conformance.py": _template("test_module.py"),
    }
    words = {
        "NAME": backend.name,
        "KEY": _quoted(backend.name) if "." in backend.name else backend.name,
        "QUOTED": _quoted(backend.name),
        "MODULE": _quoted(backend.module),
        "EDITION": backend.edition,
        "PATH": _quoted(backend.path),
        "FAMILY": _family(backend),
        "NAMES": _names(backend),
        "INSTALL": _install(folder),
        "CONFIG": config,
    }
    return {place: _filled(text, words) for place, text in texts.items()}


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)


def _quoted(text: str) -> str:
    """The text as TOML, YAML and JSON have it between quotes, whatever is in it."""
    return json.dumps(text)


def _family(backend: Backend) -> str:
    return f'family = "{backend.family}"' if backend.family else '# family = "eager"'


def _names(backend: Backend) -> str:
    listed = ", ".join(f'{name} = "{own}"' for name, own in backend.names.items())
    return f"names = {{ {listed} }}" if listed else '# names = { abs = "absolute" }'


def _install(folder: Path) -> str:
    """How the project is installed, as far as its files show."""
    if (folder / "pyproject.toml").is_file() or (folder / "setup.py").is_file():
        return "python -m pip install ."
    if (folder / "requirements.txt").is_file():
        return "python -m pip install -r requirements.txt"
    return "echo 'write here how the packages that the backend needs are installed'"
