"""The description of the machine of a run."""

from __future__ import annotations

import platform

from conformance.engine.running.machine import machine


def test_the_machine_is_told_without_its_name() -> None:
    assert "core" in machine()
    assert platform.system() in machine()
    assert platform.node() not in machine()
