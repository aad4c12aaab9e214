"""How much of a function a covering array shows, and how many draws it takes to find it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from conformance.generators.sizes import ELEMENTS
from conformance.specs import Spec


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of draws."""

    first: int
    """Free draws before the first structure is kept."""
    free: int
    """Free draws in each round."""
    steered: int
    """Draws towards what is missing in each round."""
    least: int
    """Free draws in all, however few rounds there are."""
    tries: int
    """Draws towards each pair that no draw has shown."""


USUAL = Effort(first=40, free=2, steered=2, least=250, tries=2)
"""How much is drawn for each function."""
QUICK = Effort(first=40, free=2, steered=2, least=0, tries=0)
"""How much is drawn where few structures are kept."""
FEW, SMALL = 5, 500
"""How many structures are kept then, and the most elements of a tensor of theirs, about."""
MORE_DRAWN = 3
"""How many more of a function whose arguments a drawer gives."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a covering array goes.

    A plan has several, one for each profile that it contains: the array of a larger extent begins
    with the structures of the smaller one, and adds what they do not show.
    """

    count: int | None = None
    """The most structures; None for as many as it takes to show everything that exists."""
    effort: Effort = USUAL
    elements: int = ELEMENTS
    """The most elements of a tensor, about."""

    @property
    def most(self) -> float:
        """The most structures, as a number."""
        return math.inf if self.count is None else self.count

    def of(self, spec: Spec) -> Extent:
        """The extent for a function. One whose arguments a drawer gives has a few more structures:
        its arguments have many forms and sizes."""
        if self.count is None or not spec.draw:
            return self
        return replace(self, count=self.count + MORE_DRAWN)

    def continues(self, other: Extent) -> bool:
        """Whether both are of one array, which has more structures in one of them."""
        return (self.effort, self.elements) == (other.effort, other.elements)


STORED = (Extent(FEW, QUICK, SMALL), Extent())
"""The extents whose structures come with the suite."""

FIRST = 8
"""Structures that are kept even if later ones show all that they show: a plan of few has them."""
LEAST_SETTLED = 10
"""Structures of a complete plan that the documents settle, if there are so many."""
BROAD = 3
"""One of so many of the first structures rests on conventions. A short plan thereby has other
dtypes and scalars."""
RARE = 300
"""How many structures are drawn at most to find one with something rare."""
REJECTED = 8
"""Rejected draws after which something rare is held not to exist: each was tried many times."""
ENOUGH = 12.0
"""A pair that chance should have drawn so often, and never drew, does not exist."""
OFTEN = 6
"""A class that chance should have drawn so often in settled calls, and never drew, has none."""
