"""An answer: what an implementation gave for one draw of a call, on its way to a verdict.

Judging takes each answer through four steps (`judge.STEPS`):

1. *Refusal*: an exception, a lost process, or valid values where an exception is demanded.
2. *Value*: the elements against the oracle's expectation, and then against the readings of the
   conventions that the case rests on.
3. *Metadata*: the dtype and the static shape, as delivered and as reported.
4. *Purity*: inputs that the call changed.

A step yields findings. The first two end the way of an answer that has no value.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Allowance, Finding
from conformance.observations import DrawObservation, Returned, TensorMetadata, Value
from conformance.oracle import Expectation
from conformance.oracle.freedom import concerned
from conformance.oracle.ranges import Range, range_of
from conformance.results import Aspect, FindingKind

Array = npt.NDArray[Any]


def only_value(returned: Returned) -> Value | None:
    """The value of the program's result; None if there is not exactly one."""
    values = returned.values.get("result", ())
    return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The answer to one draw, and the conventions that the draw rests on.

    `other` has the dtypes of parameters whose tensors have another dtype than was asked for.
    """

    prepared: Prepared
    number: int
    observed: DrawObservation
    conventions: tuple[str, ...]
    other: dict[str, str]
    container: str = "tensor"
    """The kind of the result before it was evaluated: a tensor, or a list or tuple."""
    held: str | None = None
    """The dtype of the result, where its array does not say it."""
    closed: Container[str] = ()
    """Conventions of which the target takes the suite's own reading."""
    reported: TensorMetadata | None = None
    """The reported metadata of the result, on the first answer with a value."""

    accepts: bool = False
    """Whether what is compared is the evidence of the answer."""
    elements: Array | None = None
    """The answer of which the evidence has an element for each of its own."""

    def finding(self, allowed: Allowance, kind: FindingKind | str, **details: Any) -> Finding:
        """A finding on the value of this answer; `details` are the other fields."""
        held = self.held if "got" in details else None
        return Finding.under(
            allowed, Aspect.VALUE, kind, draw=self.number, got_dtype=held, **details
        )

    def fits(self, got: Array) -> bool:
        """Whether the shape is right, of the evidence if that of the answer is."""
        return self.accepts or got.shape == self.prepared.shape

    @property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays that were fed, by input name."""
        return self.prepared.arrays[self.number]

    def concerned(self, convention: str, expectation: Expectation) -> npt.NDArray[np.bool_]:
        """The elements of the result that rest on a convention."""
        structure = self.prepared.structure
        arguments = self.prepared.oracle_arguments(self.number)
        return concerned(convention, structure.oracle, arguments, expectation)

    @property
    def range(self) -> Range:
        """Which numbers the elements of the result may be, whatever a convention leaves open."""
        arguments = self.prepared.oracle_arguments(self.number)
        return range_of(self.prepared.structure.oracle, arguments)
