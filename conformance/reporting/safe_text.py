"""Text for people: safe to print, safe as the name of a file, and numbers with their nouns."""

from __future__ import annotations

import hashlib
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


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 case`, `2 cases`; `several` is the plural of a noun that takes no s."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


def shortened(text: str, most: int) -> str:
    """The text, cut with an ellipsis if it has more characters than `most`."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


_PLAIN = re.compile(r"[a-z0-9_](?:[a-z0-9_-]|\.(?=[a-z0-9])){0,79}")


def slug(name: str) -> str:
    """The name itself if it is plain; else its plain characters and a digest.

    A slug has lower-case ASCII letters, digits and `_ - .` only. It has no dot in front or twice in
    a row, and at most 80 characters. Therefore it stays in its folder on every file system.
    """
    if _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    text = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{text}-{digest}" if text else digest
