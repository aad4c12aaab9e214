"""`conformance targets`: what can be tested here, and how to get what cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.adapters.environments import Missing, Ready
from conformance.adapters.registry import Target
from conformance.adapters.sandbox.switch import SWITCH, switched_off
from conformance.cli.first_look.states import states
from conformance.cli.known_targets import known_targets
from conformance.cli.options import config_option
from conformance.reporting.safe_text import clean

_UNFOLDED = 2**15
"""Columns of a pipe or a file, where no row folds."""


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
@click.option("--verbose", "-v", is_flag=True, help="Say what the sandbox does here.")
def command(config: Path | None, as_json: bool, verbose: bool) -> None:
    """List the targets: what each is, and whether it is ready or how to make it so.

    \b
    Examples:
      conformance targets
      conformance targets -v
      conformance targets --json
      conformance targets --config mine.toml
      CONFORMANCE_HOME=/big/disk conformance targets

    Environments are kept in the user's data folder, or where CONFORMANCE_HOME says.
    """
    listed = states(known_targets(config).values())
    if as_json:
        encoded = msgspec.json.encode([_as_json(target, state) for target, state in listed])
        click.echo(msgspec.json.format(encoded, indent=2))
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=_UNFOLDED)
    console.print(_table(listed))
    if verbose:
        console.print(f"\n{escape(_sandbox([target for target, _ in listed]))}", soft_wrap=True)


def _table(listed: list[tuple[Target, Ready | Missing]]) -> Table:
    table = Table(
        "target", "edition", "implementation", "python", "state", box=None, pad_edge=False
    )
    for target, state in listed:
        table.add_row(
            target.name,
            target.edition,
            escape(clean(target.implementation)),
            escape(clean(_python(target, state))),
            _state(state),
        )
    return table


def _sandbox(targets: list[Target]) -> str:
    """The sandbox that is in force here, and which targets go without it."""
    from conformance.adapters.sandbox.offer import offer  # noqa: PLC0415 - it imports NumPy

    if switched_off():
        return f"sandbox: none; {SWITCH} switches it off"
    without = [target.name for target in targets if not target.sandbox]
    exceptions = f"\nwithout a sandbox: {', '.join(without)}" if without else ""
    return f"sandbox: {offer()} (docs/safety.md){exceptions}"


def _python(target: Target, state: Ready | Missing) -> str:
    if isinstance(state, Ready):
        return state.python
    return " or ".join(target.venv.python) if target.venv else target.python or ""


def _state(state: Ready | Missing) -> str:
    if isinstance(state, Ready):
        return "[green]ready[/]"
    reason = state.reason.partition("\n")[0]
    return f"[yellow]missing[/]: {escape(clean(reason))}\n  [bold]{escape(clean(state.hint))}[/]"


def _as_json(target: Target, state: Ready | Missing) -> dict[str, Any]:
    ready = isinstance(state, Ready)
    return {
        "name": target.name,
        "library": target.library,
        "edition": target.edition,
        "implementation": target.implementation,
        "module": target.module,
        "python": _python(target, state),
        "ready": ready,
        "sandbox": target.sandbox and not switched_off(),
        "versions": state.versions if isinstance(state, Ready) else {},
        "reason": state.reason if isinstance(state, Missing) else None,
        "hint": state.hint if isinstance(state, Missing) else None,
    }
