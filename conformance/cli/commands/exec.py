"""`conformance exec TARGET FILE`: a file in a target's interpreter."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.options import config_option


@click.command("exec", context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("target")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(target: str, file: Path, arguments: tuple[str, ...], config: Path | None) -> None:
    """Run FILE, a Python script, in the interpreter, the environment and the mode of TARGET.

    FILE may be `-`, which reads a pipe. FILE runs in the folder you are in, with the variables of a
    worker of the target, and after the target's `prepare` and `startup`. It runs without the
    sandbox and the memory limit of a worker. ARGUMENTS go to FILE; write `--` before those that are
    options of this command.

    \b
    conformance exec keras-2.2.4-theano script.py
    conformance exec keras-2.2.4-theano -- script.py --help
    conformance show softmax --script | conformance exec keras-2.2.4-cntk -
    conformance replay 83562714c235 --script | conformance exec tf_keras -

    Exit status: the script's own, 128 and the signal's number if it was ended; 2 wrong usage; 3 the
    target is not ready.
    """
    from conformance.cli.executing import execute  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(execute(target, file, arguments, config))
