"""From targets to what the engine examines, and from options to a target that stands nowhere."""

from __future__ import annotations

from pathlib import Path

from conformance.adapters import interpreters, mappings, registry
from conformance.adapters.configured import Configurable
from conformance.adapters.registry import SharedLibrary, Target, completed, literal
from conformance.cli.errors import UsageProblem
from conformance.cli.first_look.settling import settled
from conformance.cli.options.modules import ModuleOptions
from conformance.engine import Subject
from conformance.engine.planning.estimates import estimates
from conformance.program import Prelude
from conformance.results import Replacement

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
    """The target that --module and its companions describe, if they do."""
    if options.module:
        return [module_target(options)]
    if given := [name for name in _COMPANIONS if getattr(options, name)]:
        option = _COMPANIONS[given[0]]
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
    found = Path(f"{top}.py").is_file() or Path(top).is_dir()
    return [Path.cwd()] if found else []


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
    return Subject(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        open=configurable.plain,
        workers=target.workers,
        library=estimates().key(target.name, target.library),
        shortfalls={s.message: s.because for s in target.shortfalls},
        follows=target.follows,
        replacements=_replacements(target),
        cure=_cure(target),
        prelude=_prelude(target),
        open_configured=lambda setup: configurable.open(setup.configuration, setup.environment),
    )


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
    return "the module must be importable there: look at module, path and python"
