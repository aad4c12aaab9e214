"""The strip of releases on the page of a function."""

from __future__ import annotations

from conformance.reporting.html.releases import release_strips
from conformance.results import Verdict
from tests.history.cases import NAME, past


def test_a_nightly_build_has_a_short_heading() -> None:
    nightly = "3.16.0.dev2026102704"
    runs = [past("3.15.1", Verdict.CONFORMS), past(nightly, Verdict.VIOLATES)]
    (strip,) = release_strips({"mine": runs}, NAME)
    assert strip.releases == ["3.15.1", "3.16 dev"]
    assert any(nightly in row.words for row in strip.rows)
