"""`conformance exec TARGET FILE`: a file in a target's interpreter."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.first_look.files import no_python_file
from conformance.cli.known_targets import chosen, known_targets
from conformance.reporting.safe_text import clean

_SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a program."""
_STDIN = "-"


def execute(name: str, file: Path, arguments: Sequence[str], config: Path | None) -> int:
    """Run the file; its exit status, or that of a target which is not ready."""
    target = _one(name, config)
    if str(file) != _STDIN and not file.is_file():
        raise no_python_file(file)
    state = environments.status(target)
    if isinstance(state, environments.Missing):
        said = f"error: {target.name} cannot be run: {state.reason.splitlines()[0]}; {state.hint}"
        click.echo(clean(said), err=True)
        return CANNOT_RUN
    return _run(target, file, arguments)


def _one(name: str, config: Path | None) -> Target:
    found = chosen([name], known_targets(config))
    if len(found) > 1:
        names = ", ".join(target.name for target in found)
        raise UsageProblem(f"{name} stands for {len(found)} targets", f"name one: {names}")
    return found[0]


_AFTER_BEGINNING = """\
import os, sys
beginning, file = sys.argv[1:3]
del sys.argv[:2]
sys.path.pop(0)
exec(beginning, {'__name__': 'startup'})
if file == '-':
    sys.path.insert(0, '')
    source, name = sys.stdin.buffer.read(), '<stdin>'
else:
    sys.path.insert(0, os.path.dirname(os.path.realpath(file)))
    with open(file, 'rb') as opened:
        source, name = opened.read(), file
    __file__ = file
    del opened
code = compile(source, name, 'exec')
del beginning, file, source, name, os, sys
exec(vars().pop('code'))
"""
"""Runs what a target runs before its import, then the file as Python runs it; for 3.6 and later."""


def _command(target: Target, file: Path, arguments: Sequence[str]) -> list[str]:
    """The program that runs the file in the mode of the target."""
    begun = ["-c", _AFTER_BEGINNING, target.beginning] if target.beginning else []
    return [str(environments.interpreter(target)), *begun, str(file), *arguments]


def _run(target: Target, file: Path, arguments: Sequence[str]) -> int:
    command = _command(target, file, arguments)
    variables = environments.launch_environment(target)
    try:
        status = subprocess.run(command, env=variables, check=False).returncode
    except OSError as error:
        raise UsageProblem(
            f"{command[0]}: {error.strerror or error}", "install it again"
        ) from error
    return status if status >= 0 else _SIGNALLED - status
