"""Every accepting oracle, by the name under which the oracle knows what is observed."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.evidence import Evidence
from conformance.oracle.keras_ops import (
    casting,
    counting,
    ctc,
    filters,
    matrices,
    places,
    resizing,
    uniques,
)

EVIDENCE: Mapping[str, Evidence] = {
    **places.EVIDENCE,
    **matrices.EVIDENCE,
    **counting.EVIDENCE,
    **casting.EVIDENCE,
    **filters.EVIDENCE,
    **uniques.EVIDENCE,
    **ctc.EVIDENCE,
    **resizing.EVIDENCE,
}
