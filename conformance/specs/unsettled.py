"""What no document settles about a tensor, whatever the function."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from conformance.specs.convention_names import ConventionName

DOCUMENTED_DTYPES = ("float32", "float64")
"""The dtypes that documents show in the examples of most functions."""


def unsettled_of(
    shape: Sequence[int | None], dtype: str, documented: Collection[str] = DOCUMENTED_DTYPES
) -> tuple[ConventionName, ...]:
    """The conventions on which a tensor of this shape and dtype rests, in alphabetical order.

    A dimension that is not known when the graph is built is None. `documented` are the dtypes that
    the documents cover.
    """
    rests = {
        ConventionName.EMPTY: 0 in shape,
        ConventionName.INPUT_DTYPE: dtype not in documented,
        ConventionName.SCALAR: not shape,
    }
    return tuple(name for name, applies in rests.items() if applies)
