"""`conformance install TARGET…`: make the environments of targets, and check that they work."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from conformance.adapters import environments
from conformance.adapters.environments import InstallationError, Ready
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN
from conformance.cli.options import config_option
from conformance.cli.targets.known import chosen, known_targets
from conformance.reporting.safe_text import clean, clean_block


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("--force", is_flag=True, help="Replace existing environments.")
@config_option
@click.pass_context
def install_command(
    ctx: click.Context, targets: tuple[str, ...], force: bool, config: Path | None
) -> None:
    """Install the environment of each TARGET, and check that the target works.

    A TARGET is a name that `conformance targets` lists, or a library's name, which stands for all
    of its targets. Targets that share an environment share the download.

    \b
    Examples:
      conformance install theano                    every target on Theano
      conformance install keras-2.2.4-cntk tf_keras two targets
      conformance install --force tf_keras          replace the environment

    \b
    Exit status:
      0   all targets are ready
      2   a name is unknown
      3   an installation failed; the other targets are ready
    """
    selection = chosen(targets, known_targets(config))
    remade: set[str] = set()
    with _Display() as display:
        done = [_attempt(target, display, force, remade) for target in selection]
    if not all(done):
        ctx.exit(CANNOT_RUN)


def _attempt(target: Target, display: _Display, force: bool, remade: set[str]) -> bool:
    """Make one target ready, print the outcome, and return whether it is ready."""
    display.begin(target)
    try:
        display.succeed(target, _make(target, display, force, remade))
    except InstallationError as error:
        display.fail(target, error.reason, error.hint)
        return False
    return True


def _make(target: Target, display: _Display, force: bool, remade: set[str]) -> dict[str, str]:
    """The versions found in the target's environment, which is made if it has to be.

    `remade` holds the environments that this command has made, so it does not repeat them for other
    targets.
    """
    if (missing := environments.system_problem(target)) is not None:
        raise InstallationError(missing.reason, missing.hint)
    force_now = force and target.venv is not None and target.venv.name not in remade
    state = environments.status(target)
    changes = target.described_in is not None  # a backend that its user is at work on
    if isinstance(state, Ready) and state.versions and not (force_now or changes):
        return state.versions
    if target.venv is not None:
        environments.install(target.venv, on_progress=display.stage, force=force_now)
        remade.add(target.venv.name)
    return environments.check(target, on_progress=display.stage)


class _Display:
    """A moving line for the target at work, and a lasting one for each that is done.

    Where nothing can move, in a pipe or a log, each stage gets a line instead.
    """

    def __init__(self) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._console = self._progress.console
        self._task = self._progress.add_task("", visible=False)
        self._name = ""
        self._stage = ""
        self._started = 0.0

    def __enter__(self) -> _Display:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._progress.stop()

    def begin(self, target: Target) -> None:
        """A target's turn begins."""
        self._name, self._stage, self._started = target.name, "", time.monotonic()
        self._progress.reset(self._task, description=target.name, visible=True)

    def stage(self, stage: str, detail: str) -> None:
        """Show what is going on."""
        self._progress.update(self._task, description=f"{self._name}: {stage}: {clean(detail)}")
        if stage != self._stage and not self._console.is_terminal:
            line = f"{self._name}: {stage}: {clean(detail)}"
            self._console.print(line, markup=False, soft_wrap=True)
        self._stage = stage

    def succeed(self, target: Target, versions: dict[str, str]) -> None:
        """Say that a target is ready."""
        packages = ", ".join(f"{name} {version}" for name, version in versions.items())
        seconds = time.monotonic() - self._started
        self._say(f"[green]ready[/] {target.name}: {escape(clean(packages))} ({seconds:.1f} s)")

    def fail(self, target: Target, reason: str, hint: str) -> None:
        """Say why a target is not ready, and the cure."""
        self._say(f"[red]failed[/] {target.name}: {escape(clean_block(reason))}")
        if hint:
            self._say(f"  [bold]{escape(clean(hint))}[/]")

    def _say(self, text: str) -> None:
        self._progress.update(self._task, visible=False)
        self._console.print(text, highlight=False, soft_wrap=True)
