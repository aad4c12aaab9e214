"""What an implementation says that it does not support is no violation, in any aspect."""

from __future__ import annotations

from pathlib import Path

from conformance.results import Aspect, Verdict
from tests.engine.support import TINY, examine, module

REFUSES = """
from conformance.reference import *

def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid",
                     data_format=None, dilation_rate=(1, 1)):
    raise NotImplementedError
"""
SHAPELESS = """
from conformance import reference
from conformance.reference import *

def int_shape(x):
    raise TypeError("not one of mine")

def softmax(x, axis=-1):
    return reference.softmax(x, axis) * 2
"""


def test_a_documented_exception_is_not_asked_of_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "refuses.py").write_text(REFUSES, encoding="utf-8")
    found = examine(module("refuses", tmp_path), ("separable_conv2d",), TINY)
    verdicts = found.verdicts("separable_conv2d")
    assert verdicts["separable_conv2d", Aspect.VALUE] is Verdict.UNSUPPORTED
    assert verdicts["separable_conv2d", Aspect.ERROR] is Verdict.UNSUPPORTED


def test_scripts_do_not_stop_at_a_static_shape_that_nobody_tells(tmp_path: Path) -> None:
    (tmp_path / "shapeless.py").write_text(SHAPELESS, encoding="utf-8")
    found = examine(module("shapeless", tmp_path), ("softmax",), TINY)
    scripts = [f.script for _, _, f in found.failures(Verdict.VIOLATES) if f.script]
    assert scripts
    assert not any("int_shape" in script for script in scripts)
