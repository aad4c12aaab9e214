"""From a target to a session with its worker."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters.environments import interpreter, launch_environment
from conformance.adapters.process import Launch
from conformance.adapters.registry import Target
from conformance.adapters.session import Session


def launch(target: Target) -> Launch:
    """How the target's worker is started.

    Raises `PlaceholderError` and `InterpreterNotFoundError` for a target that is not ready
    (`environments.status`).
    """
    return Launch(
        python=str(interpreter(target)),
        module=target.module,
        family=target.family,
        environment=launch_environment(target),
        startup="\n".join(target.startup),
        mapping=None if target.mapping is None else str(target.mapping),
    )


def open_session(target: Target, functions: Sequence[str] = ()) -> Session:
    """A session with the target's worker, which is started when it is first asked.

    `functions` are looked up when the worker starts. Raises as `launch` does.
    """
    return Session(launch(target), functions=functions)
