"""Conventions: what the suite expects where the documents are silent."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import resources

import yaml
from msgspec import Struct, convert


class Convention(Struct, frozen=True, forbid_unknown_fields=True):
    """What is expected, and whose rule it is."""

    name: str
    says: str
    source: str


@cache
def load_conventions() -> dict[str, Convention]:
    """All conventions by name, from `conventions.yaml`."""
    text = resources.files(__package__).joinpath("conventions.yaml").read_text("utf-8")
    listed = convert(yaml.safe_load(text), list[Convention])
    return {c.name: c for c in listed}


def unknown(name: str) -> str:
    """What is wrong with a name that no convention has."""
    near = get_close_matches(name, load_conventions(), n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"convention {name!r} is not in conventions.yaml{hint}"
