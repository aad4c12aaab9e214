"""The names that a wrong name may have been meant for: one rule for everything that has names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

MOST = 3
"""How many names are proposed."""
ALIKE = 0.6
"""From which likeness on, by difflib's measure, a name may be a slip of the pen."""
LISTED = 24
"""As many names are listed where none is near."""
_LEAST = 3
"""Letters from which on a name may be the beginning of another."""


def near(name: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """The known names that are like `name`, the likeliest first.

    A name is like another if only case, `-`, `_`, spaces or few letters differ, or if one begins
    with the other.
    """
    plain = {candidate: _plain(candidate) for candidate in known}
    plain_name = _plain(name)
    same = [candidate for candidate, text in plain.items() if text == plain_name]
    longer = [candidate for candidate, text in plain.items() if _begins(text, plain_name)]
    shorter = [candidate for candidate, text in plain.items() if _begins(plain_name, text)]
    slips = misspelt(name, plain, most)
    return list(dict.fromkeys([*same, *longer, *slips, *shorter]))[:most]


def misspelt(name: str, known: Iterable[str], most: int = MOST, alike: float = ALIKE) -> list[str]:
    """The known names that have few other letters than `name`, the likeliest first."""
    plain = {candidate: _plain(candidate) for candidate in known}
    close = difflib.get_close_matches(_plain(name), plain.values(), n=most, cutoff=alike)
    return list(
        dict.fromkeys(
            candidate for text in close for candidate in plain if plain[candidate] == text
        )
    )


def question(names: Iterable[str]) -> str:
    """The question whether one of these was meant; empty if there are none."""
    choices = list(names)
    return f"did you mean {' or '.join(choices)}?" if choices else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question whether a near name was meant; empty if none is near."""
    return question(near(name, known))


def proposal(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """The remedy for a wrong name: near ones; else all, or the command that lists many."""
    names = list(known)
    if asked := did_you_mean(name, names):
        return asked
    if listed_by and len(names) > LISTED:
        return f"{listed_by} lists them"
    return f"there are: {', '.join(names)}" if names else "there are none"


def _plain(name: str) -> str:
    return re.sub(r"[-_\s]+", "-", name.strip()).lower()


def _begins(longer: str, shorter: str) -> bool:
    return len(shorter) >= _LEAST and longer != shorter and longer.startswith(shorter)
