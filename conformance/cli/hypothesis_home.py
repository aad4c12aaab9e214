"""Where Hypothesis keeps what it remembers: in the user's cache, and in no folder of a project."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""What Hypothesis itself looks at, when it is imported and later."""


def keep_in_cache(environment: MutableMapping[str, str] = os.environ) -> None:
    """Have Hypothesis write into the cache, unless the user or the project says where.

    A project that has a folder `.hypothesis` uses Hypothesis itself, and keeps its own.
    """
    if VARIABLE in environment or Path(".hypothesis").is_dir():
        return
    environment[VARIABLE] = str(_cache() / "hypothesis")


def _cache() -> Path:
    """The folder of `conformance.specs.remembered`, which help need not wait for."""
    if chosen := os.environ.get("CONFORMANCE_CACHE"):
        return Path(os.path.expanduser(chosen)).absolute()  # noqa: PTH111 - it raises nothing
    import platformdirs  # noqa: PLC0415 - help does not wait for it

    return platformdirs.user_cache_path("keras-backend-conformance", appauthor=False)
