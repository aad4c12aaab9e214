"""Docstrings, failures and runs of invented releases."""

from __future__ import annotations

from typing import Any

from conformance.history import Basis, PastFailure, PastRun, Promises
from conformance.results import Aspect, Citation, Failure, TargetInfo, Verdict
from conformance.specs.docstrings import Docstring

NAME = "keras.ops.dot"
TARGET = TargetInfo(
    name="mine",
    edition="keras-3",
    implementation="mine",
    versions={"keras": "3.4.1"},
    python="3.11",
)


def docstring(signature: str = "(x, axis=-1)", **changes: Any) -> Docstring:
    fields = {"sections": ["Summary", "Returns"], "texts": ["0" * 12, "1" * 12]} | changes
    return Docstring(name=NAME, signature=signature, **fields)


def promises(installed: Docstring | None, release: str = "3.4.1") -> Promises:
    there = {} if installed is None else {NAME: installed}
    return Promises("keras-3.15.1", {NAME: docstring()}, release, there)


def failure(section: str = "Returns", program: dict[str, Any] | None = None) -> Failure:
    return Failure(
        id="0" * 12,
        verdict=Verdict.VIOLATES,
        kind="value",
        message="keras.ops.dot(x) gives 1; expected 2",
        count=1,
        citation=Citation("keras-3.15.1", f"{NAME}: {section}"),
        program=program,
    )


def call(*args: object, function: str = NAME, **kwargs: object) -> dict[str, Any]:
    return {"steps": [{"function": function, "args": [*args], "kwargs": kwargs}]}


def past(version: str, verdict: Verdict, basis: Basis = "release", **changes: Any) -> PastRun:
    """A release with one cell, which has a failure if the verdict is one."""
    fails = PastFailure(
        id="f" * 12,
        function=NAME,
        aspect=Aspect.VALUE,
        verdict=verdict,
        message="wrong",
        basis=basis,
    )
    fields = {
        "cells": {NAME: {Aspect.VALUE: verdict}},
        "failures": [fails] if verdict is Verdict.VIOLATES else [],
    } | changes
    return PastRun(
        package="keras",
        version=version,
        target=TARGET,
        suite_version="1",
        profile="smoke",
        seed=0,
        started="2026-11-29T00:00:00+00:00",
        seconds=1.0,
        **fields,
    )
