"""From options and Python files to targets, and from targets to the subjects of the engine."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from conformance.adapters import interpreters, mappings, registry
from conformance.adapters.configured import Configurable
from conformance.adapters.registry import completed, literal
from conformance.adapters.start_errors import importing_command
from conformance.adapters.target_records import SharedLibrary, Target
from conformance.cli.errors import UsageProblem
from conformance.cli.options.modules import ModuleOptions
from conformance.cli.targets.first_look import settled
from conformance.cli.targets.known import no_python_file
from conformance.engine import Subject
from conformance.engine.planning.estimates import estimates
from conformance.fingerprints import fingerprints
from conformance.results import Replacement
from conformance.scripts import Prelude

Options = TypeVar("Options", bound=ModuleOptions)


def with_file(options: Options) -> Options:
    """The options with the module of a file that is named among the targets.

    The suite imports a file in a package as a part of the package.

    Raises:
        UsageProblem: there is no such file, or more than one file or module.
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


def importable(file: Path) -> tuple[str, Path]:
    """The module's name and the folder that it is imported from.

    Raises:
        UsageProblem: there is no such file.
    """
    if not file.is_file():
        raise no_python_file(file)
    file = file.resolve()
    folder, parts = file.parent, [file.stem] if file.stem != "__init__" else []
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    return ".".join(parts), folder


_COMPANIONS = {
    "python": "python",
    "paths": "path",
    "variables": "env",
    "eager": "eager",
    "names": "name",
    "adapter": "adapter",
    "no_sandbox": "no-sandbox",
}
"""The options that go with --module, by the names of their values."""


def module_targets(options: ModuleOptions) -> list[Target]:
    """The target that --module and its companions describe, if they do.

    Raises:
        UsageProblem: a companion stands without --module.
    """
    if options.module:
        return [module_target(options)]
    if companions := [name for name in _COMPANIONS if getattr(options, name)]:
        option = _COMPANIONS[companions[0]]
        raise UsageProblem(f"--{option} goes with --module", "add --module NAME")
    return []


def module_target(options: ModuleOptions) -> Target:
    """The target that --module and its companions describe."""
    assert options.module is not None
    _check_free(options.module)
    environment = dict(_pair("env", "KEY=VALUE", text) for text in options.variables)
    _check_adapter(options)
    target = Target(
        name=options.module,
        module=options.module,
        edition=options.edition or "keras-2.2",
        family="eager" if options.eager else None,
        names=dict(_pair("name", "NAME=OWN", text) for text in options.names),
        adapter=options.adapter,
        sandbox=not options.no_sandbox,
        python=options.python and interpreters.located(options.python, Path.cwd()),
        environment={k: literal(v) for k, v in environment.items()},
        script_environment=environment,
    )
    folders = [*options.paths, *_here(options.module)]
    return completed(target, list(dict.fromkeys(folder.resolve() for folder in folders)))


def _check_free(module: str) -> None:
    """Refuse a module whose results would stand under the name of a target of the suite's own."""
    shipped = registry.shipped().values()
    if module in {name for target in shipped for name in (target.name, target.library)}:
        hint = "`conformance init FILE.py` describes it under another name"
        raise UsageProblem(f"{module}: the suite itself uses this name for a target", hint)


def _here(module: str) -> list[Path]:
    """The folder that the user is in, if it has the module."""
    top = module.partition(".")[0]
    present = Path(f"{top}.py").is_file() or Path(top).is_dir()
    return [Path.cwd()] if present else []


def _check_adapter(options: ModuleOptions) -> None:
    if options.adapter and options.names:
        raise UsageProblem("--name and --adapter", "write one: an adapter knows its own names")


def _pair(option: str, form: str, text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not (key and sign):
        raise UsageProblem(f"--{option} {text!r}", f"write --{option} {form}")
    return key, value


def subject(target: Target) -> Subject:
    """The target as the engine sees it, after a first look at its module."""
    target = settled(target)
    configurable = Configurable(target)
    tested = Subject(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        open=configurable.plain,
        workers=target.workers,
        library=estimates().key(target.name, target.library),
        lacks=frozenset(target.lacks),
        shortfalls={s.message: s.because for s in target.shortfalls},
        follows=target.follows,
        replacements=_replacements(target),
        cure=_cure(target),
        prelude=_prelude(target),
        open_configured=lambda setup: configurable.open(setup.configuration, setup.environment),
    )
    return replace(tested, fingerprints=partial(fingerprints, target, tested))


def _replacements(target: Target) -> dict[str, Replacement] | None:
    """The rows of a successor's mapping; None for a target that promises its documents."""
    if not target.successor or target.mapping is None:
        return None
    name, rows = target.mapping.name, mappings.load(target.mapping).functions
    return {
        function: Replacement(name, function, row.new.strip()) for function, row in rows.items()
    }


def _prelude(target: Target) -> Prelude:
    """How a script reaches the target; one without the functions of `K` gets those it calls."""
    table = None if target.mapping is None else mappings.load(target.mapping)
    return Prelude(
        [*target.startup, *(table.imports if table else target.script_import)],
        target.script_environment,
        target.module.split(".", 1)[0],
        names=target.names,
        paths=target.script_paths,
        computes=target.adapter is not None,
        eager_inputs=table.eager_inputs if table else False,
        definitions=table.definitions() if table else None,
        short=table.short if table else {},
        eager=target.family == "eager",
        needs=[_need(library) for library in target.libraries],
    )


def _need(library: SharedLibrary) -> str:
    return (
        f"A folder on LD_LIBRARY_PATH must have {library.name}: a link to {library.found_as} "
        f"({library.cure})."
    )


def _cure(target: Target) -> str:
    if target.venv is not None:
        return f"conformance install --force {target.name}"
    command = importing_command(target.python or sys.executable, target.module, target.environment)
    return f"look how `{command}` ends"
