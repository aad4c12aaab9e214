"""Conventions: the answers that the suite accepts where the documents are silent.

A *convention* is a named open point, such as `negative-axis` or `special-values`, in
`conventions.yaml`. It states the suite's own answer with its source, the elements or answers that
it concerns, and its *readings*: every other answer that a backend may give. For each document it
names the lines that leave the point open, and for documents that settle it the line that does. A
spec refers to conventions in `unsettled`, with the condition under which a call rests on one.

An answer that is a reading diverges. Any other answer violates, because the documents rule it out
whichever reading is right (`engine.judging.readings`).
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from msgspec import Struct

from conformance.editions import Document, Edition
from conformance.specs.data import read_data
from conformance.specs.records import Line


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the answers that the documents allow beside the suite's own.

    A reading that neither refuses nor is free nor names misfits has code that computes the answer:
    a variant of the oracle (`conformance.oracle.variants`), or an alternative of a check.
    """

    name: str
    says: str
    refuses: bool = False
    """Whether it is an exception in place of an answer."""
    words: list[str] = []
    """Regular expressions: an exception is this refusal only if its message matches one of them.
    A mistake in the library's code never refuses, whatever its words. "Not supported" always
    refuses. Empty: any exception of the library is a refusal."""
    words_in: dict[Edition, list[str]] = {}
    """Such expressions for some editions alone."""
    any_exception: bool = False
    """Whether an exception about the library's own code, such as `AttributeError`, also refuses."""
    free: bool = False
    """Whether anything is allowed in the elements that the convention concerns."""
    misfits: str | None = None
    """The computed reading that a call must not fit for this one to allow anything: then it is a
    wrong call, which is refused or gives another shape."""


class Convention(Struct, frozen=True, forbid_unknown_fields=True):
    """A point that the documents leave open: what the suite chooses, and what else is allowed."""

    name: str
    says: str
    """What the suite expects: its own reading, the first."""
    source: str
    """Whose rule that is."""
    choice: str
    """The name of the suite's own reading."""
    concerns: str
    """Which elements, or which answers, it concerns; all others are settled."""
    readings: list[Reading]
    """The other readings, most common first; empty if no released implementation takes another."""
    rank_follows: bool = False
    """Whether, of the shape of a result, only the rank follows whatever the answer."""
    settled: dict[Document, Line] = {}
    """Documents that settle the point for some of the answers, with the line."""
    silent: dict[Document, str] = {}
    """For each document, the lines that were read and why they leave the point open."""

    @property
    def refusal(self) -> Reading | None:
        """The reading that is an exception, if one is allowed of any call."""
        return next((r for r in self.readings if r.refuses and not r.misfits), None)

    def refusing_words(self, edition: Edition | None) -> list[str]:
        """Regular expressions, one of which a refusal's message has; none where any refuses."""
        if self.refusal is None:
            return []
        own = self.refusal.words_in.get(edition, []) if edition else []
        return self.refusal.words or own

    def is_refused_by(self, message: str, edition: Edition | None) -> bool:
        """Whether an exception with this message is a refusal that the convention allows."""
        words = self.refusing_words(edition)
        return not words or any(re.search(word, message, re.IGNORECASE) for word in words)

    @property
    def of_misfits(self) -> list[Reading]:
        """The readings that only calls may take which do not fit another."""
        return [r for r in self.readings if r.misfits]

    @property
    def freedom(self) -> Reading | None:
        """The reading that allows anything in the elements concerned, if there is one."""
        return next((r for r in self.readings if r.free), None)

    @property
    def variants(self) -> list[Reading]:
        """The readings that code computes."""
        return [r for r in self.readings if not (r.refuses or r.free or r.misfits)]


@cache
def load_conventions() -> dict[str, Convention]:
    """All conventions by name, from `conventions.yaml`."""
    return {c.name: c for c in read_data("conventions.yaml", list[Convention])}


def taken(convention: str, reading: str) -> str:
    """How results name a reading that an implementation takes: "kernel-layout: th"."""
    return f"{convention}: {reading}"


def of_misfit(name: str) -> Reading | None:
    """The reading of this name, as `taken` gives it, if only calls may take it which do not fit
    another."""
    convention, _, reading = name.partition(": ")
    matches = (r for r in load_conventions()[convention].of_misfits if r.name == reading)
    return next(matches, None)


def definite(name: str) -> str | None:
    """The reading that a reading shows to be taken, both named as `taken` names them.

    It is the reading itself if that computes each answer. It is the other reading if only calls
    that do not fit that reading may take it. None if it refuses or allows anything.
    """
    convention, _, reading = name.partition(": ")
    known, misfit = load_conventions()[convention], of_misfit(name)
    shown = reading if misfit is None else str(misfit.misfits)
    says = shown == known.choice or shown in {variant.name for variant in known.variants}
    return taken(convention, shown) if says else None


def unknown(name: str) -> str:
    """What is wrong with a name that no convention has."""
    near = get_close_matches(name, load_conventions(), n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"convention {name!r} is not in conventions.yaml{hint}"
