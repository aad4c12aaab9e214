"""The targets that a user can name, and whether each can run here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from msgspec import structs

from conformance.adapters import environments, project, registry
from conformance.adapters.environments import Missing, Ready
from conformance.adapters.patience import CALL_RANGE
from conformance.adapters.registry import RegistryError, UnknownTargetError, resolve
from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem
from conformance.editions import Edition
from conformance.near_names import near, proposal
from conformance.reporting.safe_text import clean


def known_targets(config: Path | None) -> dict[str, Target]:
    """All targets by name.

    Raises:
        UsageProblem: the project's file is wrong.
    """
    try:
        return project.known(config, _tell)
    except RegistryError as error:
        raise UsageProblem(str(error), "docs/targets.md explains every field") from error


def _tell(problem: str) -> None:
    """Print a wrong declaration of an installed package, once for each command."""
    context = click.get_current_context(silent=True)
    problems = set[str]() if context is None else context.meta.setdefault(__name__, set())
    if problem not in problems:
        problems.add(problem)
        click.echo(f"skipped: {clean(problem)}", err=True)


def chosen(names: Sequence[str], known: Mapping[str, Target]) -> list[Target]:
    """The targets that these names stand for.

    Raises:
        UsageProblem: a name is unknown.
    """
    try:
        return [named(target) for target in resolve(names, known)]
    except UnknownTargetError as error:
        raise UsageProblem(str(error), _where_to_look(error.name)) from error


def _where_to_look(name: str) -> str:
    """The files here that the name may mean, and the command that lists targets."""
    files = near(name, [file.name for file in sorted(Path().glob("*.py"))])
    if not files:
        return "`conformance targets` lists them"
    return f"for a file in this folder: {' or '.join(files)}; `conformance targets` lists the rest"


def named(target: Target) -> Target:
    """The target after its user named it; prints the place of its file, if not this folder."""
    if target.found_in is None:
        return target
    folder, here = target.found_in.parent, Path.cwd()
    if folder != here:
        where = "a folder above" if folder in here.parents else "an installed package"
        file = clean(str(target.found_in))
        click.echo(f"{target.name}: as {file} describes it, in {where}", err=True)
    return structs.replace(target, found_in=None)


def in_edition(
    targets: Iterable[Target], edition: Edition | None, *, all_asked_for: bool = True
) -> list[Target]:
    """The targets, to be tested against the edition that an option names, if one does.

    A target without the edition is left out unless it is `asked_for`.

    Raises:
        UsageProblem: a requested target does not offer the edition.
    """
    candidates = list(targets)
    if edition is None:
        return candidates
    lacking = [t for t in candidates if t.editions and edition not in t.editions]
    if lacking and all_asked_for:
        offered = ", ".join(lacking[0].editions)
        hint = "write one of these, or name a target that offers it"
        raise UsageProblem(f"{lacking[0].name} offers {offered}, and not {edition}", hint)
    return [structs.replace(t, edition=edition) for t in candidates if t not in lacking]


def timed(targets: Iterable[Target], seconds: float | None) -> list[Target]:
    """The targets with the `call_timeout` of an option, if there is one.

    Raises:
        UsageProblem: the time is out of range.
    """
    if seconds is None:
        return list(targets)
    least, most = CALL_RANGE
    if not least <= seconds <= most:
        raise UsageProblem(
            f"--call-timeout is {seconds:g} s", f"write a time from {least:g}s to {most:g}s"
        )
    return [structs.replace(target, call_timeout=seconds) for target in targets]


def unnamed(known: Iterable[Target]) -> list[Target]:
    """The targets of a command that names none; says of which file there are more."""
    known = list(known)
    for file in dict.fromkeys(t.found_in for t in known if t.found_in is not None):
        names = ", ".join(t.name for t in known if t.found_in == file)
        click.echo(f"not run unless named: {names}, of {clean(str(file))}", err=True)
    return [target for target in known if target.found_in is None]


_AT_A_TIME = 4


def states(targets: Iterable[Target]) -> list[tuple[Target, Ready | Missing]]:
    """Each target with its state. One of the user's own is imported for it, which tells most."""
    all_targets = list(targets)
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return list(zip(all_targets, threads.map(_state, all_targets), strict=True))


def _state(target: Target) -> Ready | Missing:
    state = environments.status(target)
    if isinstance(state, Missing) or target.name in registry.shipped():
        return state
    from conformance.adapters.probe import tried  # noqa: PLC0415 - it imports NumPy

    check, cure = tried(target)
    if check.problem is None:
        return state
    hint = "mend the import; module, path, python and requirements say what is imported where"
    return Missing(check.problem.partition("\n")[0], cure or hint)


def no_python_file(file: Path) -> UsageProblem:
    """That this is none, with those that may be meant."""
    there = [str(path) for path in sorted(file.parent.glob("*.py"))]
    problem = f"{file} is a folder" if file.is_dir() else f"there is no file {file}"
    hint = proposal(str(file), there) if there else f"there is no Python file in {file.parent}"
    return UsageProblem(problem, f"{hint}; write the path of one")
