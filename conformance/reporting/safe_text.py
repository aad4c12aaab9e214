"""Text that is safe to print: no control characters, nothing that hides or reorders."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, ...
    r"|\x1b[ -/]*[0-~]?"
)
_ORDINARY = re.compile(r"[ -~\n]*")
_SPACES = {"Zl", "Zp"}
_INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


def clean(text: str) -> str:
    """The text on one line, safe to print: no control characters, nothing that hides or reorders.

    Terminal sequences and control characters go, line ends become spaces, and invisible characters
    (bidirectional marks, lone surrogates) are written out as escapes.
    """
    return " ".join(clean_block(text).split())


def clean_block(text: str) -> str:
    """Like `clean`, but line ends and spaces stay (a tab becomes four)."""
    if _ORDINARY.fullmatch(text):
        return text
    bare = _ESCAPE_SEQUENCES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(map(_visible, bare.replace("\t", "    ")))


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if character == "\n" or category in _SPACES:
        return "\n"
    if category == "Cc":
        return ""
    if category in _INVISIBLE:
        return character.encode("ascii", "backslashreplace").decode("ascii")
    return character
