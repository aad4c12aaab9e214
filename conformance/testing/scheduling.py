"""How pytest-xdist distributes conformance tests."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

from conformance.testing.names import function_of


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """Keeps all tests of one function of a target together, and any other test apart."""

    def _split_scope(self, nodeid: str) -> str:
        return function_of(nodeid)


def scheduler(config: Any, log: Any) -> LoadScopeScheduling:
    """The scheduler of this session."""
    return _Scheduling(config, log)
