"""The targets: read from TOML files, and looked up by name.

The shipped ones are in `targets.toml` beside this file; `load` reads a project's own file; its
tables may also be in a `pyproject.toml`, under `tool.conformance`.
"""

from __future__ import annotations

import os
import re
import reprlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from conformance.adapters import field_texts, interpreters, mappings, target_texts
from conformance.adapters.target_records import StrictRecord, Target, Venv
from conformance.files import read_toml
from conformance.near_names import proposal


class RegistryError(ValueError):
    """A file of targets is wrong; the message names the file, the target and the field."""


class UnknownTargetError(ValueError):
    """No target and no library has this name; the message suggests near ones."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        super().__init__(f"unknown target {name!r}; {proposal(name, sorted(known))}")


R = TypeVar("R", bound=StrictRecord)
PYPROJECT = "pyproject.toml"
DOCUMENTS = "documents"
"""The field that names the folder in which a user has the documents."""
_Tables = dict[str, dict[str, dict[str, Any]]]


def load(path: Path) -> dict[str, Target]:
    """The targets described in a TOML file, by name, in the file's order.

    Raises:
        RegistryError: the file cannot be read, is not TOML, or has a wrong field.
    """
    try:
        return _load(path)
    except RecursionError as error:
        raise RegistryError(f"{path}: nested too deep") from error


def _load(path: Path) -> dict[str, Target]:
    tables = _tables(path)
    venvs = {name: _venv(path, name, table) for name, table in tables.get("venvs", {}).items()}
    return {
        name: _target(path, name, table, venvs) for name, table in tables.get("targets", {}).items()
    }


def shipped() -> dict[str, Target]:
    """The targets that ship with the suite, by name."""
    return dict(_shipped())


def resolve(names: Sequence[str], known: Mapping[str, Target] | None = None) -> list[Target]:
    """The targets that these names stand for: the name of a target, or that of a library for all
    its targets.

    In the order of the names, each target once. Raises `UnknownTargetError`.
    """
    targets = shipped() if known is None else known
    selected: dict[str, Target] = {}
    for name in names:
        selected |= _named(name, targets)
    return list(selected.values())


@cache
def _shipped() -> dict[str, Target]:
    return load(Path(__file__).with_name("targets.toml"))


def documents_folder(path: Path) -> Path | None:
    """The folder that a TOML file names as `documents`, relative to the file; None if it does not.

    Raises:
        RegistryError: the file is wrong.
    """
    content, prefix = _content(path)
    folder = content.get(DOCUMENTS)
    if folder is None:
        return None
    if not isinstance(folder, str) or not folder:
        text = field_texts.shown(folder)
        hint = 'write a folder, such as "texts"'
        raise RegistryError(f"{path}: {prefix}{DOCUMENTS}: found {text}; {hint}")
    return path.parent / Path(folder).expanduser()


def _tables(path: Path) -> _Tables:
    """The tables `targets` and `venvs` of a file."""
    content, prefix = _content(path)
    if unknown := sorted(content.keys() - {"targets", "venvs", DOCUMENTS}):
        raise RegistryError(
            f"{path}: unknown table `{prefix}{unknown[0]}`; write [{prefix}targets.NAME]"
        )
    tables: _Tables = {name: content[name] for name in ("targets", "venvs") if name in content}
    for name, entries in tables.items():
        _check_table(path, name, entries, prefix)
        _check_case(path, f"{prefix}{name}", entries)
    return tables


def _check_table(path: Path, name: str, table: Any, prefix: str) -> None:
    """Refuse a value that is not a table, and a table with other members than tables."""
    inside = table.items() if isinstance(table, dict) else [("", table)]
    for key, value in inside:
        if not isinstance(value, dict):
            place, line = f"{name}.{key}".rstrip("."), field_texts.line_of(path, name, key)
            problem = f"{place}: found {field_texts.shown(value)}"
            raise RegistryError(f"{path}{line}: {prefix}{problem}; write [{prefix}{name}.NAME]")


def _check_case(path: Path, table: str, names: Iterable[str]) -> None:
    """Refuse names that differ in case alone: on macOS and Windows they share their files."""
    others: dict[str, str] = {}
    for name in names:
        other = others.setdefault(name.lower(), name)
        if other != name:
            problem = f"{other!r} and {name!r} share their files where case does not count"
            raise RegistryError(f"{path}: {table}: {problem}; rename one")


def _content(path: Path) -> tuple[dict[str, Any], str]:
    """The suite's part of a file, and the prefix of its tables' names."""
    try:
        content = msgspec.toml.decode(read_toml(path))
    except OSError as error:
        raise RegistryError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # not TOML, not UTF-8, or an integer of thousands of digits
        raise RegistryError(f"{path}: {error}") from error
    if path.name == PYPROJECT:
        return _part(path, content), "tool.conformance."
    return content, ""


def _part(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """The table `tool.conformance` of a pyproject.toml; empty if it has none."""
    tool = content.get("tool", {})
    part = tool.get("conformance", {}) if isinstance(tool, dict) else tool
    if not isinstance(part, dict):
        raise RegistryError(f"{path}: tool.conformance: write [tool.conformance.targets.NAME]")
    return part


def _named(name: str, targets: Mapping[str, Target]) -> dict[str, Target]:
    if name in targets:
        return {name: targets[name]}
    # a file that was merely found adds nothing to a library that others have
    on_it = [t for t in targets.values() if t.library == name]
    if on_it:
        return {t.name: t for t in [t for t in on_it if t.found_in is None] or on_it}
    raise UnknownTargetError(name, sorted({*targets, *(t.library for t in targets.values())}))


def _venv(path: Path, name: str, table: Mapping[str, Any]) -> Venv:
    where = f"{path}: venvs.{name}"
    check_name(where, name)
    python = table.get("python", ())
    fields = {**table, "python": [python] if isinstance(python, str) else python}
    venv = _convert(path, f"venvs.{name}", name, fields, Venv)
    _check_texts(where, fields)
    if not venv.python or not venv.requirements:
        raise RegistryError(f'{where}: give `python` (as "3.11") and `requirements`')
    pythons = tuple(interpreters.located(python, path.parent) for python in venv.python)
    venv = msgspec.structs.replace(venv, python=pythons)
    if venv.lock is None:
        return venv
    lock = _place(where, "lock", path, str(venv.lock))
    if not lock.is_file():
        raise RegistryError(f"{where}: lock: there is no file {lock}")
    venv = msgspec.structs.replace(venv, lock=lock)
    try:
        venv.pins()
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8; name a file of requirements"
        raise RegistryError(f"{where}: lock: {lock}: {problem}") from error
    return venv


def _target(path: Path, name: str, table: Mapping[str, Any], venvs: Mapping[str, Venv]) -> Target:
    where = f"{path}: targets.{name}"
    check_name(where, name)
    fields = {k: v for k, v in table.items() if k not in ("venv", "requirements", "path")}
    if fields.keys() <= {*Target.__struct_fields__} and (
        "module" not in table or "edition" not in table
    ):
        raise RegistryError(f'{where}: give `module` ("my_package.backend") and `edition`')
    target = _convert(path, f"targets.{name}", name, fields, Target)
    _check(where, table, target)
    if target.mapping is not None:
        mapping = _mapping_file(where, path, str(target.mapping))
        _check_mapping(where, mapping)
        target = msgspec.structs.replace(target, mapping=mapping)
    if target.python is not None:
        python = interpreters.located(target.python, path.parent)
        target = msgspec.structs.replace(target, python=python)
    if target.prepare is not None:
        target = msgspec.structs.replace(target, prepare=_file(path, where, target.prepare))
    return completed(
        msgspec.structs.replace(target, venv=_venv_of(path, where, name, table, venvs)),
        _folders(path, where, table.get("path", ())),
    )


def completed(target: Target, folders: Sequence[Path] = ()) -> Target:
    """The target with the defaults that follow from its other fields.

    `folders`, where its modules are, go in front of the PYTHONPATH of its environment.
    """
    paths = [str(folder) for folder in folders]
    inherited = target.environment.get("PYTHONPATH")
    python_path = os.pathsep.join([*map(literal, paths), *([inherited] if inherited else [])])
    return msgspec.structs.replace(
        target,
        library=target.library or target.name,
        implementation=target.implementation or target.module,
        environment=target.environment | ({"PYTHONPATH": python_path} if python_path else {}),
        script_import=target.script_import or (target_texts.importing(target.module),),
        script_paths=target.script_paths or tuple(paths),
        script_environment=target.script_environment or target_texts.plain(target.environment),
    )


def literal(text: str) -> str:
    """The text, escaped for a field that has placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


def _folders(path: Path, where: str, value: Any) -> list[Path]:
    """The folders of the field `path`; relative ones are relative to the file."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise RegistryError(f'{where}: path: write a folder, such as "src", or a list of them')
    folders = [_place(where, "path", path, name).resolve() for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise RegistryError(f"{where}: path: there is no folder {folder}")
    return folders


def _file(path: Path, where: str, name: Path) -> Path:
    """The file that the field `prepare` names, relative to the file of targets."""
    file = _place(where, "prepare", path, str(name)).resolve()
    if not file.is_file():
        raise RegistryError(f"{where}: prepare: there is no file {file}")
    return file


def _mapping_file(where: str, path: Path, name: str) -> Path:
    """The table of this name beside the file, or that which ships with the suite."""
    place = _place(where, "mapping", path, name).absolute()  # a worker has another folder
    shipped_one = Path(mappings.__file__).parent / name
    return place if place.exists() or not shipped_one.is_file() else shipped_one


def _place(where: str, field: str, path: Path, name: str) -> Path:
    """The file or folder of this name; RegistryError if no file can have the name."""
    try:
        place = path.parent / Path(name).expanduser()
        place.exists()
    except (OSError, RuntimeError, ValueError) as error:  # too long, or with a NUL
        shown = reprlib.repr(name)
        problem = (
            f"{shown} cannot be the name of a file ({getattr(error, 'strerror', None) or error})"
        )
        raise RegistryError(f"{where}: {field}: {problem}") from error
    return place


def _check(where: str, table: Mapping[str, Any], target: Target) -> None:
    _check_texts(where, table)
    if target.editions and target.edition not in target.editions:
        raise RegistryError(f"{where}: editions: add {target.edition}, which is its `edition`")
    if target.successor and target.mapping is None:
        raise RegistryError(
            f"{where}: successor: it has no `mapping`; name the table of the calls that replace"
            " the documented functions, or leave the field out"
        )
    if target.names and target.adapter:
        raise RegistryError(
            f"{where}: `names` and `adapter` exclude each other: an adapter knows its own names"
        )


def _check_texts(where: str, table: Mapping[str, Any]) -> None:
    for problem in target_texts.problems(table):
        raise RegistryError(f"{where}: {problem}")


def _venv_of(
    path: Path, where: str, name: str, table: Mapping[str, Any], venvs: Mapping[str, Venv]
) -> Venv | None:
    """The venv that a target names, or that its own `requirements` describe."""
    if "requirements" in table and "venv" in table:
        raise RegistryError(f"{where}: `venv` and `requirements` exclude each other")
    if "requirements" in table:
        running = "{}.{}".format(*sys.version_info)
        own = {
            "python": table.get("python", running),
            "requirements": _requirements(path, where, table["requirements"]),
        }
        return _venv(path, name, own)
    if "venv" not in table:
        return None
    named = table["venv"]
    if not isinstance(named, str) or named not in venvs:
        raise RegistryError(f"{where}: no table [venvs.{named}]")
    return venvs[named]


def _requirements(path: Path, where: str, values: Any) -> list[str]:
    """The requirements; those that are folders are relative to the file."""
    if not isinstance(values, list) or not all(isinstance(g, str) for g in values):
        raise RegistryError(f'{where}: requirements: write a list, such as ["my-package==1.4"]')

    file = path.parent.resolve() / path.name

    def absolute(requirement: re.Match[str]) -> str:
        place = _place(where, "requirements", file, requirement[2])
        return f"{requirement[1] or ''}{place}"

    return [_PATH.sub(absolute, requirement) for requirement in values]


_PATH = re.compile(r"^(-e\s+)?((?:\.{1,2}|~)(?:/.*)?)$")
"""A requirement that is a folder: `.`, `./backend`, `-e ../backend`, `~/backend`."""


def _check_mapping(where: str, path: Path) -> None:
    try:
        mappings.load(path)
    except mappings.MappingError as error:
        raise RegistryError(f"{where}: mapping: {error}") from error


def _convert(path: Path, place: str, name: str, fields: Mapping[str, Any], kind: type[R]) -> R:
    where = f"{path}: {place}"
    if "name" in fields:
        raise RegistryError(f"{where}: `name` is the table's own name; leave the field out")
    for own in ("found_in", "described_in"):
        if own in fields:
            raise RegistryError(f"{where}: unknown field `{own}`")
    try:
        return msgspec.convert({**fields, "name": name}, kind, dec_hook=_decode)
    except msgspec.ValidationError as error:
        problem = field_texts.wrong_field(path, place, fields, kind, str(error))
        raise RegistryError(problem) from error


def _decode(kind: type, value: Any) -> Any:
    return kind(value)


def check_name(where: str, name: str) -> None:
    """Refuse a name that cannot name a folder: venvs and targets have folders of that name.

    Raises:
        RegistryError: the name has other characters.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name):
        what = "letters from a to z, digits and `._-` only, and no `.` or `-` in front"
        raise RegistryError(f"{where}: a name has {what}")
