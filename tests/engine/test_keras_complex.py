"""Complex numbers made of pairs and taken apart: right functions pass, wrong ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.generators.compiled import compiled
from conformance.program.model import COMPILED
from tests.engine.keras_calls import prepared, problems

Functions = Mapping[str, Callable[..., Any]]


def floats(x: Any) -> Any:
    return x if x.dtype.kind == "f" else x.astype("float32")


def view_as_complex(x: Any) -> Any:
    return floats(x)[..., 0] + 1j * floats(x)[..., 1]


def view_as_real(x: Any) -> Any:
    return np.stack([x.real, x.imag], -1)


def polar(size: Any, angle: Any) -> Any:
    return floats(size) * np.exp(1j * angle.astype("float64"))


RIGHT: Functions = {
    "view_as_complex": view_as_complex,
    "view_as_real": view_as_real,
    "real": np.real,
    "imag": np.imag,
    "polar": polar,
}
WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("view_as_complex", "conjugate", lambda x: view_as_complex(x).conj()),
    ("view_as_complex", "exchanged", lambda x: view_as_complex(x[..., ::-1])),
    ("view_as_complex", "an axis kept", lambda x: view_as_complex(x)[..., None]),
    ("view_as_real", "the first axis", lambda x: np.stack([x.real, x.imag])),
    ("view_as_real", "exchanged", lambda x: view_as_real(x)[..., ::-1]),
    ("view_as_real", "size and angle", lambda x: np.stack([abs(x), np.angle(x)], -1)),
    ("real", "the size", np.abs),
    ("real", "the imaginary part", np.imag),
    ("real", "without a sign", lambda x: abs(x.real)),
    ("imag", "zero", lambda x: 0 * x.real),
    ("imag", "of the conjugate", lambda x: -x.imag),
    ("imag", "the real part", np.real),
    ("polar", "exchanged", lambda size, angle: polar(angle, size)),
    ("polar", "degrees", lambda size, angle: polar(size, np.deg2rad(angle))),
    ("polar", "turned back", lambda size, angle: polar(size, -angle)),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    assert not [(f.gives, f.demands) for f in problems(name, RIGHT[name])]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong), None) is not None


@pytest.mark.parametrize("name", ["real", "imag", "view_as_real"])
def test_complex_numbers_are_made_before_the_compiled_call(name: str) -> None:
    structures = (compiled(case.structure, whole=True) for case in prepared(name))
    programs = [structure.program for structure in structures if structure is not None]
    assert programs
    for program in programs:
        assert [step.function for step in program.steps] == ["complex_numbers", COMPILED]
