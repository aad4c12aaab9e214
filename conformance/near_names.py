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
    """The known names that are like `name`, the likeliest first: the same but for case and for
    `-`, `_` and spaces, longer or shorter ones that begin alike, and those with few other letters.
    """
    plain = {one: _plain(one) for one in known}
    wanted = _plain(name)
    same = [one for one, text in plain.items() if text == wanted]
    longer = [one for one, text in plain.items() if _begins(text, wanted)]
    shorter = [one for one, text in plain.items() if _begins(wanted, text)]
    slips = misspelt(name, plain, most)
    return list(dict.fromkeys([*same, *longer, *slips, *shorter]))[:most]


def misspelt(name: str, known: Iterable[str], most: int = MOST, alike: float = ALIKE) -> list[str]:
    """The known names that have few other letters than `name`, the likeliest first."""
    plain = {one: _plain(one) for one in known}
    close = difflib.get_close_matches(_plain(name), plain.values(), n=most, cutoff=alike)
    return list(dict.fromkeys(one for text in close for one in plain if plain[one] == text))


def question(names: Iterable[str]) -> str:
    """The question whether one of these was meant; empty if there are none."""
    found = list(names)
    return f"did you mean {' or '.join(found)}?" if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question whether a near name was meant; empty if none is near."""
    return question(near(name, known))


def proposal(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """What to write instead of a name: near ones; else all, or what lists them if they are many."""
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
