"""A mutant is an operator, which says what is wrong, and a function that is wrong in this way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.results import Aspect
from conformance.specs import Signature, Spec

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A function of an edition, as far as operators ask for it."""

    spec: Spec
    theme: str
    documented: Signature
    aspects: frozenset[Aspect]
    """What the edition demands of it."""

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
    """One sort of error, and which functions it is made in."""

    name: str
    says: str
    does: str
    """The operator's name in the worker (`conformance_mutant.operators`)."""
    applies: Callable[[Candidate], Iterator[Given]]
    """Gives what the worker's operator needs besides, once for each mutant of a function."""
    given: Given = field(default_factory=dict)
    """What it needs in every mutant."""
    aspects: tuple[Aspect, ...] = ()
    """The aspects in which the error has to be found; all if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One function of a backend with one error."""

    operator: Operator
    function: str
    theme: str
    given: Given

    @property
    def name(self) -> str:
        """Unique among all mutants: `sum: argument ignored (axis)`."""
        details = [v for k, v in sorted(self.given.items()) if k not in self.operator.given]
        shown = ", ".join(v if isinstance(v, str) else json.dumps(v) for v in details)
        return f"{self.function}: {self.operator.name}" + (f" ({shown})" if shown else "")

    def text(self, function: str) -> str:
        """What the worker is told; `function` is the module's own name of the function."""
        told = {"function": function, "operator": self.operator.does, "given": dict(self.given)}
        return json.dumps(told, sort_keys=True)
