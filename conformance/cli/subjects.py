"""From targets to what the engine examines, and from options to a target that stands nowhere."""

from __future__ import annotations

from conformance.adapters import mappings
from conformance.adapters.access import open_session
from conformance.adapters.configured import Configurable
from conformance.adapters.registry import SharedLibrary, Target, completed, literal
from conformance.cli.errors import UsageProblem
from conformance.cli.options.modules import ModuleOptions
from conformance.engine import Subject
from conformance.program import Prelude


def module_targets(options: ModuleOptions) -> list[Target]:
    """The target that --module and its companions describe, if they do."""
    if options.module:
        return [module_target(options)]
    given = [o for o in ("python", "paths", "variables", "eager", "adapter") if getattr(options, o)]
    if given:
        option = {"paths": "path", "variables": "env"}.get(given[0], given[0])
        raise UsageProblem(f"--{option} goes with --module", "add --module NAME")
    return []


def module_target(options: ModuleOptions) -> Target:
    """The target that --module and its companions describe."""
    assert options.module is not None
    environment = dict(_variable(text) for text in options.variables)
    target = Target(
        name=options.module,
        module=options.module,
        edition=options.edition or "keras-2.2",
        family="eager" if options.eager else "graph",
        adapter=options.adapter,
        python=options.python,
        environment={k: literal(v) for k, v in environment.items()},
        script_environment=environment,
    )
    return completed(target, [folder.resolve() for folder in options.paths])


def _variable(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not (key and sign):
        raise UsageProblem(f"--env {text!r}", "write --env KEY=VALUE")
    return key, value


def subject(target: Target) -> Subject:
    """The target as the engine sees it."""
    configurable = Configurable(target)
    return Subject(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        open=lambda functions, number: open_session(target, functions, number),
        workers=target.workers,
        library=target.library,
        shortfalls={s.message: s.because for s in target.shortfalls},
        follows=target.follows,
        cure=_cure(target),
        prelude=_prelude(target),
        open_configured=lambda setup: configurable.open(setup.configuration, setup.environment),
    )


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
