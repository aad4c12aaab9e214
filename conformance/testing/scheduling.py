"""How pytest-xdist deals out conformance tests."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

from conformance.testing.names import function_of


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """All tests of one function of a target together; any other test for itself."""

    def _split_scope(self, nodeid: str) -> str:
        return function_of(nodeid)


def scheduler(config: Any, log: Any) -> LoadScopeScheduling:
    """What deals out the tests of this session."""
    return _Scheduling(config, log)
