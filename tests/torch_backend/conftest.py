"""The tests of this folder need PyTorch, which nothing else of the suite does."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]


def pytest_report_header() -> list[str]:
    """Why nothing is collected here."""
    if not collect_ignore_glob:
        return []
    return ["tests/torch_backend: skipped, PyTorch is not installed here; `nox -s torch` runs them"]
