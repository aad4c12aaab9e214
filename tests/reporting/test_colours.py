"""The colours of the site and of the pictures can be told from what is behind them."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from conformance.reporting.pictures import badge

SHEET = resources.files("conformance.reporting.html").joinpath("static/report.css").read_text()
VERDICTS = ("conforms", "violates", "diverges", "unsupported", "crashed", "timed-out")
PAIRS = [
    *[(f"{verdict}-ink", f"{verdict}-bg") for verdict in VERDICTS],
    *[(ink, back) for ink in ("ink", "light", "link") for back in ("page", "raised")],
    ("marked-ink", "marked"),
]


def schemes() -> dict[str, dict[str, str]]:
    """The variables of each scheme, as the style sheet sets them."""
    blocks = re.findall(r":root([^{]*)\{(.*?)\}", SHEET, re.DOTALL)
    names = ("light", "dark by the system", "dark by choice")
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for _, block in blocks]
    return dict(zip(names, found, strict=True))


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


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
