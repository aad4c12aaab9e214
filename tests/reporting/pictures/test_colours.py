"""The colours of the site and of the pictures can be told from what is behind them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from itertools import combinations

import numpy as np
import pytest

from conformance.reporting.pictures import badge, svg
from conformance.results import Verdict

SHEET = resources.files("conformance.reporting.html").joinpath("static/report.css").read_text()
BARS = ("conforms", "violates", "changed", "unsupported", "crashed", "timed-out")
VERDICTS = (*BARS, "diverges")
# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), severity 1, for linear RGB
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
SHADES = tuple(f"share-{number}" for number in range(1, 5))
PAIRS = [
    *[("ink", shade) for shade in SHADES],
    *[(f"{verdict}-ink", f"{verdict}-bg") for verdict in VERDICTS],
    *[(ink, back) for ink in ("ink", "light", "link") for back in ("page", "raised")],
    ("marked-ink", "marked"),
]


def schemes() -> dict[str, dict[str, str]]:
    """The variables of each scheme, as the style sheet sets them."""
    blocks = re.findall(r":root([^{]*)\{(.*?)\}", SHEET, re.DOTALL)
    names = ("light", "dark by the system", "dark by choice")
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for _, block in blocks]
    return dict(zip(names, colours, strict=True))


def linear_rgb(colour: str) -> list[float]:
    """WCAG 2.2, the parts of a colour without gamma."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    linear = linear_rgb(colour)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(first), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def perceived(colour: str, sight: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Where somebody with this sight sees a colour in Oklab (Ottosson, 2020)."""
    rgb = np.clip(SIGHT[sight] @ linear_rgb(colour), 0, 1)
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.asarray(lab @ np.cbrt(cones @ rgb))


def nearest(colours: Mapping[str, str], sight: str) -> float:
    """How far apart the two colours are that are most alike; 1 is from black to white."""
    seen = {name: perceived(colour, sight) for name, colour in colours.items()}
    return min(float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(seen, 2))


@pytest.mark.parametrize("scheme", ["light", "dark by the system"])
@pytest.mark.parametrize("sight", SIGHT)
def test_everybody_can_tell_the_colours_of_bars_apart(scheme: str, sight: str) -> None:
    colours = schemes()[scheme]
    assert nearest({name: colours[name] for name in BARS}, sight) > 0.1


@pytest.mark.parametrize("scheme", ["light", "dark by the system"])
@pytest.mark.parametrize("sight", SIGHT)
def test_everybody_can_tell_a_fault_from_what_conforms(scheme: str, sight: str) -> None:
    colours = schemes()[scheme]
    assert nearest({name: colours[f"{name}-bg"] for name in ("conforms", "violates")}, sight) > 0.1


@pytest.mark.parametrize("sight", SIGHT)
def test_everybody_can_tell_the_colours_of_pictures_apart(sight: str) -> None:
    for colours in (svg.LIGHT, svg.LIGHT | svg.DARK):
        shown = {str(v): c for v, c in colours.items() if v is not Verdict.NOT_APPLICABLE}
        assert nearest(shown, sight) > 0.08


def test_red_and_green_are_alike_to_the_colour_blind() -> None:
    former = {"conforms": "#2da44e", "violates": "#c3202c", "crashed": "#8b2fb0"}
    assert nearest(former, "normal") > 0.15
    assert nearest(former | {"unsupported": "#7f7f33"}, "deuteranopia") < 0.1


@pytest.mark.parametrize("scheme", ["light", "dark by the system", "dark by choice"])
@pytest.mark.parametrize(("ink", "back"), PAIRS)
def test_text_has_the_contrast_of_wcag_aa(scheme: str, ink: str, back: str) -> None:
    colours = schemes()[scheme]
    assert contrast(colours[ink], colours[back]) >= 4.5


def test_both_ways_to_the_dark_are_the_same() -> None:
    assert schemes()["dark by the system"] == schemes()["dark by choice"]


@pytest.mark.parametrize("colour", [colour for *_, colour in badge._COLOURS])
def test_white_can_be_read_on_a_badge(colour: str) -> None:
    assert contrast("#ffffff", colour) >= 4.5


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
