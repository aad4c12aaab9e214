"""`conformance init`: the files of a project that tests its backend."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from conformance.adapters import registry
from conformance.adapters.looks import LookError, computes_at_once, look
from conformance.adapters.project import OWN
from conformance.adapters.registry import RegistryError, completed
from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.files.outputs import write_file
from conformance.cli.options.values import InitOptions
from conformance.cli.targets.first_look import (
    DEFAULT,
    another_edition,
    documented,
    last_part,
    looked_for,
)
from conformance.cli.targets.other_names import OTHER_NAMES, proposed
from conformance.cli.targets.subjects import importable
from conformance.editions import Edition
from conformance.files import MOST_SOURCE, read_bounded
from conformance.reporting.safe_text import clean, clean_block
from conformance.specs import load

LEAST = 5
"""So many functions of the API a module has to be taken for a backend."""
_DEEPEST = 4
"""How many folders down is looked."""
_OTHERS = {"tests", "test", "docs", "examples", "build", "dist", "node_modules", "site-packages"}


def likeliest(folder: Path) -> Path | None:
    """The file that defines the most functions of the API; None if none has enough of them."""
    counts = {file: len(_offered(file)) for file in sorted(_sources(folder))}
    best = max(counts, key=lambda file: counts[file], default=None)
    return best if best is not None and counts[best] >= LEAST else None


def _sources(folder: Path, depth: int = 0) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.is_file() and not path.name.startswith("test_"):
            yield path
        elif path.is_dir() and depth < _DEEPEST and not _is_other(path):
            yield from _sources(path, depth + 1)


def _is_other(folder: Path) -> bool:
    return (
        folder.is_symlink()
        or folder.name.startswith((".", "_"))
        or folder.name in _OTHERS
        or (folder / "pyvenv.cfg").is_file()
    )


def _offered(file: Path) -> set[str]:
    """The functions of the API that the file defines or imports by name, also under other names."""
    try:
        body = ast.parse(read_bounded(file, MOST_SOURCE, "")).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = {name for statement in body for name in _bound(statement)}
    own = {n for n in load() if n in names or names.intersection(OTHER_NAMES.get(n, ()))}
    return own | {last_part(n) for n in load() if last_part(n) in names}


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


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
    """Its functions of another edition."""
    problem: str = ""
    """Why it could not be imported."""


def described(options: InitOptions, folder: Path) -> Backend:
    """The backend in `file`, or else in the folder.

    Raises:
        UsageProblem: there is no backend.
    """
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
        available = look(target, looked_for())
    except LookError as error:
        return replace(bare, problem=str(error))
    return _seen_as(bare, available, chosen=options.edition is not None)


def _seen_as(bare: Backend, available: frozenset[str], *, chosen: bool) -> Backend:
    """The backend after a first look; without `chosen`, in the edition of which it has most."""
    other = another_edition(available, bare.edition)
    edition, besides = bare.edition, ""
    if other is not None:
        name, there, own = other
        edition = bare.edition if chosen else name
        share = (bare.edition, own) if edition == name else (name, there)
        besides = f"it also has {share[1]} functions of {share[0]}: --edition {share[0]}"
    names = proposed(documented(edition), available)
    family = "eager" if computes_at_once(available, names) else "graph"
    return replace(bare, edition=edition, family=family, names=names, besides=besides)


def own_modules(folder: Path) -> dict[str, str]:
    """The targets that the folder's file describes, with their modules; none of a wrong file."""
    try:
        return {name: target.module for name, target in registry.load(folder / OWN).items()}
    except RegistryError:
        return {}


def _described_as(module: str, folder: Path) -> str | None:
    """The name of a module in the file of the folder."""
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
    return re.sub(r"@([A-Z]+)@", lambda match: words[match[1]], text)


def _quoted(text: str) -> str:
    """The text as TOML, YAML and JSON have it between quotes, whatever is in it.

    UsageProblem: UTF-8 lacks a character of the text.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageProblem(f"{text!a} is not UTF-8", "rename the file or folder") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _family(backend: Backend) -> str:
    return f'family = "{backend.family}"' if backend.family else '# family = "eager"'


def _names(backend: Backend) -> str:
    pairs = ", ".join(f'{name} = "{own}"' for name, own in backend.names.items())
    return f"names = {{ {pairs} }}" if pairs else '# names = { abs = "absolute" }'


def _install(folder: Path) -> str:
    """How the project is installed, as far as its files show."""
    if (folder / "pyproject.toml").is_file() or (folder / "setup.py").is_file():
        return "python -m pip install ."
    if (folder / "requirements.txt").is_file():
        return "python -m pip install -r requirements.txt"
    return "echo 'write here how the packages that the backend needs are installed'"


def init(options: InitOptions) -> int:
    """Write what is not there yet; the exit status."""
    folder = Path()
    backend = described(options, folder)
    written = files(backend, folder)
    for place, text in written.items():
        click.echo(_written(place, text, force=options.force))
    for line in _report(backend):
        click.echo(clean(line))
    click.echo(clean_block(_next(backend, folder, written[Path(OWN)])))
    return 0


def _written(place: Path, text: str, *, force: bool) -> str:
    there = place.exists()
    if there and not force:
        return f"unchanged: {place} (--force replaces it)"
    write_file(place, text.encode())
    return f"{'written anew' if there else 'written'}: {place}"


def _report(backend: Backend) -> list[str]:
    lines = [
        f"{backend.name} is the module {backend.module} in {backend.path}, to be tested against "
        f"{backend.edition}"
    ]
    if backend.besides:
        lines.append(backend.besides)
    if backend.problem:
        lines.append(f"not yet: {backend.problem}")
    if backend.names:
        pairs = ", ".join(f"`{own}` looks like `{name}`" for name, own in backend.names.items())
        lines.append(f"look at names in conformance.toml: {pairs}")
    return lines


def _next(backend: Backend, folder: Path, text: str) -> str:
    """The next steps: first describe the backend, if an unchanged file does not."""
    if backend.name in own_modules(folder):
        return f"next: conformance run {backend.name} --profile smoke"
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return "\n".join(
        [
            f"{OWN} is unchanged and does not describe {backend.name}; next: add these lines to it "
            "(--force would replace it, without its present lines)",
            *(f"    {line}" for line in lines),
        ]
    )
