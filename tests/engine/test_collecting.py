"""Garbage is searched seldom while a run goes on, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from conformance.engine.running.collecting import OBJECTS, seldom


def test_it_is_searched_seldom_and_then_as_before() -> None:
    before = gc.get_threshold()
    with seldom():
        assert gc.get_threshold() == (OBJECTS, *before[1:])
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_an_error_leaves_it_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="the run"), seldom():
        raise ValueError("the run")
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
