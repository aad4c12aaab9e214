"""Drawers: generators of arguments that belong together, by the names that specs call them.

A *kind* draws one parameter for itself, and knows at most the parameters before it. Some arguments
fit each other in ways that no kind says: a condition beside two tensors of its shape, indices that
stay inside a tensor, a matrix and its right-hand side. Then a spec names a drawer (`draw: NAME`),
and writes `kind: drawn` for each parameter that the drawer gives. The other parameters have kinds
as ever; those above the first drawn one have values already when the drawer is called.

A drawer is a function of the call under construction (`CallDraft`). It draws structure alone:
shapes, dtypes, domains, and arguments that are no tensors. The numbers come afterwards, from value
profiles, moved into the domain that the drawer names for each tensor. So the plan's covering array,
the minimiser and gradients treat a drawn argument as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.drawers import (
    attending,
    axes,
    between,
    casting,
    choosing,
    counting,
    dividing,
    ends,
    lettering,
    matrices,
    norms,
    pictures,
    placing,
    planes,
    products,
    ranges,
    resampling,
    sequences,
    totals,
    transforming,
    uniques,
)

DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    **axes.DRAWERS,
    **norms.DRAWERS,
    **between.DRAWERS,
    **choosing.DRAWERS,
    **dividing.DRAWERS,
    **placing.DRAWERS,
    **matrices.DRAWERS,
    **pictures.DRAWERS,
    **products.DRAWERS,
    **ranges.DRAWERS,
    **resampling.DRAWERS,
    **sequences.DRAWERS,
    **attending.DRAWERS,
    **casting.DRAWERS,
    **counting.DRAWERS,
    **ends.DRAWERS,
    **lettering.DRAWERS,
    **planes.DRAWERS,
    **totals.DRAWERS,
    **transforming.DRAWERS,
    **uniques.DRAWERS,
}
"""Each drawer by its name. It passes the parameters of the kind `drawn`, or leaves one with a
default to it."""
