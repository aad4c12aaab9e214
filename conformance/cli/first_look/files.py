"""A Python file in the place of a target's name: `conformance run mybackend.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from conformance.cli.errors import UsageProblem
from conformance.cli.options.modules import ModuleOptions
from conformance.near_names import proposal

Options = TypeVar("Options", bound=ModuleOptions)


def with_file(options: Options) -> Options:
    """The options with the module of a file that is named among the targets.

    A file in a package is imported as a part of that. UsageProblem: there is no such file, several
    are named, or --module is given, too.
    """
    targets: tuple[str, ...] = getattr(options, "targets", ())
    modules = [options.module] if options.module else []
    files = [name for name in (*targets, *modules) if name.endswith(".py")]
    if not files:
        return options
    if len({*files, *modules}) > 1:
        raise UsageProblem(
            f"{' and '.join(dict.fromkeys([*files, *modules]))}: one module at a time can be "
            "tested without a description",
            "describe them in conformance.toml; `conformance init FILE` writes one",
        )
    module, folder = importable(Path(files[0]))
    others = tuple(name for name in targets if name not in files)
    return replace(  # type: ignore[call-arg] # of options that name targets
        options, targets=others, module=module, paths=(*options.paths, folder)
    )


def no_python_file(file: Path) -> UsageProblem:
    """That this is none, with those that may be meant."""
    there = [str(one) for one in sorted(file.parent.glob("*.py"))]
    said = f"{file} is a folder" if file.is_dir() else f"there is no file {file}"
    hint = proposal(str(file), there) if there else f"there is no Python file in {file.parent}"
    return UsageProblem(said, f"{hint}; write the path of one")


def importable(file: Path) -> tuple[str, Path]:
    """The module's name and the folder that it is imported from."""
    if not file.is_file():
        raise no_python_file(file)
    file = file.resolve()
    folder, parts = file.parent, [file.stem] if file.stem != "__init__" else []
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    return ".".join(parts), folder
