"""From a target to a session with its worker."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters import bytecode, layout
from conformance.adapters.launching import interpreter, launch_environment
from conformance.adapters.process import Launch
from conformance.adapters.registry import Target
from conformance.adapters.sandbox.switch import switched_off
from conformance.adapters.session import Session
from conformance.adapters.target_texts import placeholders


def launch(target: Target, number: int = 0) -> Launch:
    """How the target's worker is started. Workers with different numbers may run at the same time.

    Raises `PlaceholderError` and `InterpreterNotFoundError` for a target that is not ready
    (`environments.status`).
    """
    environment = launch_environment(target, number)
    bytecode.provide()
    return Launch(
        python=str(interpreter(target)),
        module=target.module,
        family=target.family or "graph",
        environment=environment,
        names=target.names,
        adapter=target.adapter,
        memory_limit=int(target.memory_limit * 2**30),
        cpu_limit=target.cpu_limit,
        startup=target.beginning,
        mapping=None if target.mapping is None else str(target.mapping),
        forget=target.forget,
        fork=target.fork,
        draws_together=target.draws_together,
        writable=_writable(target, number),
    )


def _writable(target: Target, number: int) -> tuple[str, ...] | None:
    """The folders of its own that the worker may write to; None without a sandbox."""
    if not target.sandbox or switched_off():
        return None
    home = layout.target_folder(target) / "home"
    places = [home, layout.cache_folder(target, number)]
    if any("compiled" in placeholders(text) for text in target.environment.values()):
        places.append(layout.compiled_folder(target))
    return tuple(str(place) for place in places if place.is_dir())


def open_session(target: Target, functions: Sequence[str] = (), number: int = 0) -> Session:
    """A session with a worker of the target; the worker is started by the first request.

    The worker looks up the signatures of `functions` when it starts. Raises what `launch` raises.
    """
    return Session(launch(target, number), functions=functions)
