"""Mutants: a backend with one planted error, to measure which errors the suite detects.

A *mutant* is one documented function with one error, made by an operator (`sum: argument ignored
(axis)`). The suite runs the function on the correct backend and on the mutant, and compares the
verdicts of each cell.

* The mutant is *killed* if a verdict becomes worse. The score is the share of killed mutants.
* It is a *survivor* if no verdict becomes worse: the suite misses this error. Each survivor is
  either a gap in the suite or an *equivalent* mutant, which does what the documents allow
  (`population`, with reasons in `equivalents.toml`).
* It is *masked* if the backend fails in that cell without the error.

An *operator* is data: its name, a sentence for people, its name in the worker, and a condition that
yields functions with options. It makes one mutant for each option, for example one for each
parameter that can be ignored. The worker builds the mutant from `Mutant.text` and the backend's own
functions. Therefore the same mutant exists on every backend.

`code` holds the other kind of mutant: small changes in the source of a released backend.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.results import Aspect
from conformance.specs import Signature, Spec

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantCandidate:
    """A function of an edition, as far as operators ask for it."""

    spec: Spec
    theme: str
    documented: Signature
    aspects: frozenset[Aspect]
    """The aspects that the edition demands."""

    @property
    def name(self) -> str:
        """Its documented name."""
        return self.documented.name

    @property
    def parameters(self) -> list[str]:
        """Its documented parameters."""
        return [p.name for p in self.documented.parameters]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of error, and which functions it is made in."""

    name: str
    says: str
    does: str
    """The operator's name in the worker (`conformance_mutant.operators`)."""
    applies: Callable[[MutantCandidate], Iterator[Given]]
    """Gives what the worker's operator needs besides, once for each mutant of a function."""
    options: Given = field(default_factory=dict)
    """Its options in every mutant."""
    aspects: tuple[Aspect, ...] = ()
    """The aspects in which the error has to be found; all if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One function of a backend with one error."""

    operator: Operator
    function: str
    theme: str
    options: Given

    @property
    def name(self) -> str:
        """Unique among all mutants: `sum: argument ignored (axis)`."""
        details = [v for k, v in sorted(self.options.items()) if k not in self.operator.options]
        shown = ", ".join(v if isinstance(v, str) else json.dumps(v) for v in details)
        return f"{self.function}: {self.operator.name}" + (f" ({shown})" if shown else "")

    def text(self, function: str) -> str:
        """The text for the worker; `function` is the module's own name of the function."""
        order = {"function": function, "operator": self.operator.does, "given": dict(self.options)}
        return json.dumps(order, sort_keys=True)
