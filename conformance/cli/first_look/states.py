"""Whether targets can be run: one of the user's own, too, whose import nobody has tried yet."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from conformance.adapters import environments, registry
from conformance.adapters.environments import Missing, Ready
from conformance.adapters.registry import Target

_AT_A_TIME = 4


def states(targets: Iterable[Target]) -> list[tuple[Target, Ready | Missing]]:
    """Each target with its state. One of the user's own is imported for it, which tells most."""
    listed = list(targets)
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return list(zip(listed, threads.map(_state, listed), strict=True))


def _state(target: Target) -> Ready | Missing:
    state = environments.status(target)
    if isinstance(state, Missing) or target.name in registry.shipped():
        return state
    from conformance.adapters.probe import tried  # noqa: PLC0415 - it imports NumPy

    check, cure = tried(target)
    if check.problem is None:
        return state
    hint = "mend the import; module, path, python and requirements say what is imported where"
    return Missing(check.problem.partition("\n")[0], cure or hint)
