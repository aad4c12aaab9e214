"""From a target to a session with its worker."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters import bytecode, layout
from conformance.adapters.launching import interpreter, launch_environment
from conformance.adapters.patience import CallLimits
from conformance.adapters.process import Launch
from conformance.adapters.sandbox.switch import switched_off
from conformance.adapters.session import Session
from conformance.adapters.target_records import Target
from conformance.adapters.target_texts import placeholders


def launch(target: Target, number: int = 0) -> Launch:
    """How the target's worker is started. Workers with different numbers may run at the same time.

    Raises `PlaceholderError` and `InterpreterNotFoundError` for a target that is not ready
    (`environments.status`).
    """
    sandboxed = target.sandbox and not switched_off()
    environment = launch_environment(target, number, sandboxed=sandboxed)
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
        writable=_writable(layout.OwnFolders(target, number)) if sandboxed else None,
    )


def _writable(own: layout.OwnFolders) -> tuple[str, ...]:
    """The folders of its own that a worker in the sandbox may write to."""
    places = [own.home, own.cache]
    if any("compiled" in placeholders(text) for text in own.target.environment.values()):
        places.append(own.compiled)
    return tuple(str(place) for place in places if place.is_dir())


def limits(target: Target) -> CallLimits:
    """How long the target's workers are waited for."""
    return CallLimits(structure=target.call_timeout)


def open_session(target: Target, functions: Sequence[str] = (), number: int = 0) -> Session:
    """A session with a worker of the target; the worker is started by the first request.

    The worker looks up the signatures of `functions` when it starts. Raises what `launch` raises.
    """
    return Session(launch(target, number), functions=functions, limits=limits(target))
