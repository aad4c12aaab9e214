"""Estimates of what each function costs and how often it fails.

`python -m tools.estimates` measures them, and writes the compressed file beside this module. A
function that was never measured costs what its siblings cost, so a new function changes no file.
"""

from __future__ import annotations

import statistics
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from conformance.specs import Spec, load

TABLE = Path(__file__).with_name("estimates.msgpack.zlib")


class Estimates(Struct, frozen=True, forbid_unknown_fields=True):
    """The table."""

    usual: str
    """The library whose seconds are used for libraries that are not in `seconds`."""
    measured: dict[str, list[str]]
    """The measured targets: of a library, or a single one under its own name, where the targets of
    a library differ."""
    published: list[str]
    """The targets whose results `failing` was computed from."""
    failing: dict[str, float]
    """For each theme the share of aspects that fail."""
    seconds: dict[str, dict[str, float]]
    """For each key of `measured` and function, the seconds (wall time) of one worker."""

    def key(self, target: str, library: str) -> str:
        """The key of a target in `seconds`: its own name, if it was measured by itself."""
        return target if target in self.seconds else library

    def cost(self, function: str, library: str = "") -> float:
        """The seconds of a function on a library.

        The first that exists: its own; the median of other libraries for it; the median of its
        siblings on the library; the median of the library.
        """
        own = self.seconds.get(library) or self.seconds[self.usual]
        elsewhere = (known[function] for known in self.seconds.values() if function in known)
        of_siblings = (own[name] for name in siblings(function) if name in own)
        return (
            own.get(function)
            or _median(elsewhere)
            or _median(of_siblings)
            or statistics.median(own.values())
        )

    def risk(self, theme: str) -> float:
        """The share of a theme's aspects that fail; the mean of all themes for an unknown one."""
        known = self.failing.get(theme)
        return statistics.mean(self.failing.values()) if known is None else known


def _median(seconds: Iterable[float]) -> float:
    """The median; 0 of nothing."""
    known = list(seconds)
    return statistics.median(known) if known else 0.0


@cache
def siblings(function: str) -> tuple[str, ...]:
    """The other functions of the same theme with the same kind of error bound."""
    specs = load()
    if function not in specs:
        return ()
    return tuple(
        name
        for name in _themes()[specs.theme(function)]
        if name != function and _bound(specs[name]) == _bound(specs[function])
    )


def _bound(spec: Spec) -> type | None:
    return None if spec.accuracy is None else type(spec.accuracy)


@cache
def _themes() -> Mapping[str, list[str]]:
    """The functions of each theme."""
    themes: dict[str, list[str]] = {}
    for name in load():
        themes.setdefault(load().theme(name), []).append(name)
    return themes


def encoded(table: Estimates) -> bytes:
    """The content of the file: the same for the same table."""
    return zlib.compress(msgspec.msgpack.encode(table), 9)


def decoded(content: bytes) -> Estimates:
    """The table in such a file.

    Raises:
        ValueError: the content is damaged.
    """
    try:
        return msgspec.msgpack.decode(zlib.decompress(content), type=Estimates)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"not a table of estimates: {error}") from error


@cache
def estimates() -> Estimates:
    """The table that ships with the suite."""
    return decoded(TABLE.read_bytes())
