"""`conformance targets`: what can be tested here, and how to get what cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from conformance.adapters import registry
from conformance.adapters.environments import Missing, Ready
from conformance.adapters.sandbox.switch import SWITCH, switched_off
from conformance.adapters.target_records import Target
from conformance.cli.options import config_option
from conformance.cli.targets.known import chosen, known_targets, states
from conformance.reporting.safe_text import clean

_UNFOLDED = 2**15
"""Columns of a pipe or a file, where no row folds."""


@click.command()
@click.argument("names", metavar="[TARGET]...", nargs=-1)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
@click.option("--verbose", "-v", is_flag=True, help="Also describe the sandbox on this machine.")
def targets_command(
    names: tuple[str, ...], config: Path | None, as_json: bool, verbose: bool
) -> None:
    """List the targets: name, edition, implementation, and state, or how to make the target ready.

    A TARGET is a name, or a library (tensorflow, theano, cntk) for all of its targets. Without a
    TARGET the suite lists all, your own first.

    \b
    Examples:
      conformance targets
      conformance targets mine
      conformance targets -v
      conformance targets --json
      conformance targets --config mine.toml
      CONFORMANCE_HOME=/big/disk conformance targets

    The suite imports a target of conformance.toml only if you name it, or that file with --config.
    It stores environments in your data folder, or in the folder that CONFORMANCE_HOME names.
    """
    known = known_targets(config)
    own_first = sorted(known.values(), key=lambda target: target.name in registry.shipped())
    rows = states(chosen(names, known) if names else own_first)
    if as_json:
        click.echo(_json([_as_data(target, state) for target, state in rows]), nl=False)
        return
    console = Console()
    if console.is_terminal:
        console.print(_table(rows))
    else:
        console.print(_unpadded(_table(rows)), soft_wrap=True)
    if verbose:
        console.print(f"\n{escape(_sandbox([target for target, _ in rows]))}", soft_wrap=True)


def _json(records: list[dict[str, Any]]) -> bytes:
    from conformance.results.encoding import as_json  # noqa: PLC0415 - it imports NumPy

    return as_json(records, 2)


def _table(rows: list[tuple[Target, Ready | Missing]]) -> Table:
    table = Table(
        "target", "edition", "implementation", "python", "state", box=None, pad_edge=False
    )
    for target, state in rows:
        table.add_row(
            target.name,
            target.edition,
            escape(clean(target.implementation)),
            escape(clean(_python(target, state))),
            _state(target, state),
        )
    return table


def _unpadded(table: Table) -> Text:
    """The table as text without blanks at the ends of lines and without colours."""
    console = Console(width=_UNFOLDED, no_color=True)
    with console.capture() as printed:
        console.print(table)
    return Text("\n".join(line.rstrip() for line in printed.get().splitlines()))


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


def _state(target: Target, state: Ready | Missing) -> str:
    if isinstance(state, Ready):
        return "[green]ready[/]"
    reason = state.reason.partition("\n")[0]
    word = "missing" if target.found_in is None else "not tried"
    return f"[yellow]{word}[/]: {escape(clean(reason))}\n  [bold]{escape(clean(state.hint))}[/]"


def _as_data(target: Target, state: Ready | Missing) -> dict[str, Any]:
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
