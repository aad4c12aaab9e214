"""How the scripts of a target reach it, now that a worker has said what the target has."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from conformance.editions import Edition
from conformance.engine.planning.plan import documented_names
from conformance.observations import Identity
from conformance.scripts import CONVERTER, HELPERS, Prelude


def asked_for(edition: Edition) -> list[str]:
    """The names that a worker looks up: those of the edition, and what scripts call besides."""
    return list(dict.fromkeys([*documented_names(edition), *HELPERS, CONVERTER]))


def reaching(prelude: Prelude, identity: Identity, absent: Collection[str]) -> Prelude:
    """The prelude without what is absent, and without the helpers that the target lacks, which the
    document of its edition need not have."""
    there = {name for name, function in identity.functions.items() if function.present}
    missing = {name for name in HELPERS if name in identity.functions} - there
    computes = {"function", "eval"} if prelude.computes else set()
    return replace(
        prelude,
        backend=identity.backend or "",
        absent=frozenset({*absent, *missing} - computes),
        converts=CONVERTER in there,
        made_for=_made_for(identity),
        strict=_major(identity.versions.get("numpy", "")) >= _STRICT,
    )


def _major(version: str) -> int:
    """The first number of a version; 0 if it has none."""
    first = re.match(r"\d+", version)
    return 0 if first is None else int(first[0])


_STRICT = 2
"""The first major release of NumPy whose assertions can compare dtypes (`strict`)."""


def _made_for(identity: Identity) -> str:
    """The interpreter and the libraries of the target, in words."""
    versions = [f"{name} {version}" for name, version in sorted(identity.versions.items())]
    return f"Python {identity.python} with {', '.join(versions) or 'its library'}"
