"""Fourier transforms: right functions pass, wrong ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.program import Binding
from tests.engine.keras_calls import prepared, problems


def joined(x: Any) -> Any:
    return x[0].astype("float64") + 1j * x[1].astype("float64")


def parts(x: Any) -> tuple[Any, Any]:
    return x.real, x.imag


def of_parts(transform: Callable[..., Any]) -> Callable[..., Any]:
    def called(x: Any) -> Any:
        return tuple(part.astype(x[0].dtype) for part in parts(transform(joined(x))))

    return called


def rfft(x: Any, fft_length: Any = None) -> Any:
    return parts(np.fft.rfft(x.astype("float64"), fft_length))


def irfft(x: Any, fft_length: Any = None) -> Any:
    return np.fft.irfft(joined(x), fft_length)


def placed(window: Any, length: int, longer: int) -> Any:
    """A window in the middle of a longer transform."""
    if window is None or length == 1:
        window = np.ones(length) if window is None or isinstance(window, str) else window
    elif isinstance(window, str):
        share = {"hann": 0.5, "hamming": 0.54}[window]
        window = share - (1 - share) * np.cos(2 * np.pi * np.arange(length) / length)
    before = (longer - length) // 2
    return np.pad(window.astype("float64"), (before, longer - length - before))


def stft(  # noqa: PLR0917 - as documented
    x: Any, length: Any, stride: Any, longer: Any, window: Any = "hann", center: Any = True
) -> Any:
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(longer // 2,) * 2], mode="reflect")
    seen = np.lib.stride_tricks.sliding_window_view(x, longer, -1)[..., ::stride, :]
    return parts(np.fft.rfft(seen * placed(window, length, longer)))


def istft(  # noqa: PLR0917 - as documented
    x: Any,
    sequence_length: Any,
    stride: Any,
    longer: Any,
    length: Any = None,
    window: Any = "hann",
    center: Any = True,
) -> Any:
    w = placed(window, sequence_length, longer)
    seen = np.fft.irfft(joined(x), longer) * w
    count = seen.shape[-2]
    total = np.zeros((*seen.shape[:-2], stride * (count - 1) + longer))
    weights = np.zeros(total.shape[-1])
    for k in range(count):
        total[..., k * stride : k * stride + longer] += seen[..., k, :]
        weights[k * stride : k * stride + longer] += w**2
    start = longer // 2 if center else 0
    end = start + length if length else total.shape[-1] - start
    return (total / np.where(weights > 1e-9, weights, 1))[..., start:end]


RIGHT: Mapping[str, Callable[..., Any]] = {
    "fft": of_parts(np.fft.fft),
    "fft2": of_parts(np.fft.fft2),
    "ifft2": of_parts(np.fft.ifft2),
    "rfft": rfft,
    "irfft": irfft,
    "stft": stft,
    "istft": istft,
}


def always(name: str, **changed: Any) -> Callable[..., Any]:
    """The function with some keyword arguments of its own."""
    return lambda *args, **kwargs: RIGHT[name](*args, **{**kwargs, **changed})


def symmetric(x: Any, n: Any, s: Any, m: Any, window: Any = "hann", **others: Any) -> Any:
    return stft(x, n, s, m, window=np.hanning(n) if window == "hann" else window, **others)


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("fft", "the inverse", of_parts(np.fft.ifft)),
    ("fft", "conjugate", of_parts(lambda x: np.fft.fft(x).conj())),
    ("fft", "along the first axis", of_parts(lambda x: np.fft.fft(x, axis=0))),
    ("fft", "without imaginary parts", lambda x: RIGHT["fft"]((x[0], 0 * x[1]))),
    ("fft2", "along one axis", of_parts(np.fft.fft)),
    ("fft2", "the inverse", of_parts(np.fft.ifft2)),
    ("fft2", "of all axes", of_parts(np.fft.fftn)),
    ("ifft2", "not divided", of_parts(np.fft.fft2)),
    ("ifft2", "along one axis", of_parts(np.fft.ifft)),
    ("ifft2", "orthonormal", of_parts(lambda x: np.fft.ifft2(x, norm="ortho"))),
    ("rfft", "the length ignored", always("rfft", fft_length=None)),
    ("rfft", "all numbers", lambda x, fft_length=None: parts(np.fft.fft(x, fft_length))),
    (
        "rfft",
        "filled in front",
        lambda x, fft_length=None: rfft(x[..., -(fft_length or 99) :], fft_length),
    ),
    ("rfft", "of whole numbers", lambda x, **k: tuple(np.trunc(p) for p in rfft(x, **k))),
    ("irfft", "the length ignored", always("irfft", fft_length=None)),
    (
        "irfft",
        "not divided",
        lambda x, fft_length=None: np.fft.irfft(joined(x), fft_length, norm="forward"),
    ),
    ("irfft", "without imaginary parts", lambda x, **k: irfft((x[0], 0 * x[1]), **k)),
    ("stft", "never centred", always("stft", center=False)),
    ("stft", "always centred", always("stft", center=True)),
    ("stft", "without a window", always("stft", window=None)),
    ("stft", "the window of Hann", always("stft", window="hann")),
    ("stft", "a symmetric window", symmetric),
    ("stft", "steps of one", lambda x, n, s, *a, **k: stft(x, n, 1, *a, **k)),
    ("stft", "sequences as long as transforms", lambda x, n, s, m, **k: stft(x, m, s, m, **k)),
    ("istft", "without a window", always("istft", window=None)),
    ("istft", "the window of Hann", always("istft", window="hann")),
    ("istft", "not divided", lambda x, n, s, *a, **k: istft(x, n, s, *a, **k) * 2),
    ("istft", "never centred", always("istft", center=False)),
    ("istft", "the length ignored", always("istft", length=None)),
    (
        "istft",
        "empty for transforms of one number",
        lambda x, n, s, m, **k: istft(x, n, s, m, **k)[..., : -(m // 2) or None][..., : m - 1],
    ),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    findings = [(f.gives, f.demands) for f in problems(name, RIGHT[name])]
    assert not findings


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong, ValueError, IndexError), None) is not None


@pytest.mark.parametrize("name", ["stft", "istft"])
def test_a_window_is_never_symbolic(name: str) -> None:
    inputs = [item for case in prepared(name) for item in case.structure.program.inputs]
    bindings = {item.binding for item in inputs if item.name == "window"}
    assert bindings
    assert bindings.isdisjoint({Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE})
