"""`conformance exec TARGET FILE`: a Python file in the interpreter of a target."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.adapters import environments
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.options import config_option
from conformance.cli.options.types import UserPath
from conformance.cli.targets.known import chosen, known_targets, no_python_file
from conformance.reporting.safe_text import clean

_SIGNALLED = 128
"""The number that a shell adds to the signal that ended a program."""
_STDIN = "-"


def execute(name: str, file: Path, arguments: Sequence[str], config: Path | None) -> int:
    """Run the file; its exit status, or that of a target which is not ready.

    Raises:
        UsageProblem: the file or the target does not exist.
    """
    target = _single_target(name, config)
    if str(file) != _STDIN and not file.is_file():
        raise no_python_file(file)
    state = environments.status(target)
    if isinstance(state, environments.Missing):
        problem = (
            f"error: {target.name} cannot be run: {state.reason.splitlines()[0]}; {state.hint}"
        )
        click.echo(clean(problem), err=True)
        return CANNOT_RUN
    return _run(target, file, arguments)


def _single_target(name: str, config: Path | None) -> Target:
    matches = chosen([name], known_targets(config))
    if len(matches) > 1:
        names = ", ".join(target.name for target in matches)
        raise UsageProblem(f"{name} stands for {len(matches)} targets", f"name one: {names}")
    return matches[0]


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


@click.command("exec", context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("target")
@click.argument("file", type=UserPath(path_type=Path, allow_dash=True))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def exec_command(target: str, file: Path, arguments: tuple[str, ...], config: Path | None) -> None:
    """Run FILE, a Python script, in the interpreter, the environment and the mode of TARGET.

    FILE may be `-`, which reads a pipe. FILE runs in the current folder, with the variables of a
    worker of the target, and after the target's `prepare` and `startup`. It runs without the
    sandbox and the memory limit of a worker. FILE receives the ARGUMENTS. Write `--` before
    arguments that are also options of this command.

    \b
    conformance exec keras-2.2.4-theano script.py
    conformance exec keras-2.2.4-theano -- script.py --help
    conformance show softmax --script | conformance exec keras-2.2.4-cntk -
    conformance replay 83562714c235 --script | conformance exec tf_keras -

    \b
    Exit status:
      the script's own, or 128 plus the number of the signal that ended it
      2   wrong usage
      3   the target is not ready
    """
    raise SystemExit(execute(target, file, arguments, config))
