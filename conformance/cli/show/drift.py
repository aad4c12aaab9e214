"""`conformance spec drift`: how an installed Keras differs from the release of the edition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from msgspec import Struct, structs
from rich.text import Text

from conformance.adapters import environments, interpreters
from conformance.adapters.docstrings import DocstringsError, docstring_facts
from conformance.adapters.environments import Missing
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.targets.known import chosen, known_targets
from conformance.reporting.paint import make_console
from conformance.reporting.safe_text import clean
from conformance.results.encoding import as_json
from conformance.specs.docstrings import Docstring, described_release, installed_docstrings
from conformance.specs.drift import DriftedFunction, Kind, drift

TITLES: dict[Kind, str] = {
    "added": "new functions",
    "removed": "removed functions",
    "parameter": "changed parameters",
    "default": "changed defaults",
    "signature": "changed signatures",
    "alias": "changed aliases",
    "text": "changed texts",
}


class Drift(Struct, frozen=True):
    """All differences between the release that an edition describes and an installed one."""

    target: str
    document: str
    """The document of the edition, such as `keras-3.15.1`."""
    installed: str
    """The installed release."""
    changes: list[DriftedFunction]


def print_drift(name: str, python: str | None, config: Path | None, form: str) -> int:
    """Print the drift of a target's Keras; the exit status.

    Raises `UsageProblem` for a name that is not one target with a list of docstrings.
    """
    target = _target(name, python, config)
    document, described = _described(target)
    state = environments.status(target)
    if isinstance(state, Missing):
        reason = state.reason.splitlines()[0]
        click.echo(clean(f"error: {target.name} cannot be run: {reason}; {state.hint}"), err=True)
        return CANNOT_RUN
    try:
        installed = installed_docstrings(docstring_facts(target))
    except (DocstringsError, ValueError) as error:
        click.echo(clean(f"error: {target.name}: {error}"), err=True)
        return CANNOT_RUN
    changes = drift(described, installed.by_name())
    _print(Drift(target.name, document, installed.release, changes), form)
    return 1 if changes else 0


def _target(name: str, python: str | None, config: Path | None) -> Target:
    targets = chosen([name], known_targets(config))
    if len(targets) > 1:
        names = ", ".join(target.name for target in targets)
        raise UsageProblem(f"{name} stands for {len(targets)} targets", f"name one: {names}")
    (target,) = targets
    if python is None:
        return target
    interpreter = interpreters.located(python, Path.cwd())
    return structs.replace(target, python=interpreter, venv=None)


def _described(target: Target) -> tuple[str, Mapping[str, Docstring]]:
    if (release := described_release(target.edition)) is not None:
        return release
    raise UsageProblem(
        f"{target.name}: {target.edition} has documents, not the docstrings of a package",
        "name a target of the edition keras-3, such as keras3-ops-numpy",
    )


def _print(outcome: Drift, form: str) -> None:
    if form == "json":
        click.echo(as_json(outcome).decode(), nl=False)
        return
    console = make_console()
    for line in _lines(outcome):
        console.print(line, soft_wrap=not console.is_terminal)


def _lines(outcome: Drift) -> Iterator[Text]:
    for kind, title in TITLES.items():
        changes = [change for change in outcome.changes if change.kind == kind]
        if changes:
            yield Text(f"{title}: {len(changes)}", style="bold")
            yield from (Text(f"  {clean(f'{c.function} {c.change}')}") for c in changes)
    functions = len({change.function for change in outcome.changes})
    if not functions:
        yield Text(f"Keras {clean(outcome.installed)} has no drift from {outcome.document}")
    else:
        counts = Counter(change.kind for change in outcome.changes)
        parts = ", ".join(
            f"{counts[kind]} {title}" for kind, title in TITLES.items() if counts[kind]
        )
        yield Text(
            f"Keras {clean(outcome.installed)} drifts from {outcome.document} in {functions} "
            f"functions: {parts}"
        )
