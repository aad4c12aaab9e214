"""The layout of images: channels after the spatial axes, or before them.

keras-2.x says `channels_last` and `channels_first` (ko-2.2:66), keras-1 `tf` and `th` (ja-1:58).
"""

from __future__ import annotations

from typing import Any

from conformance.reference.configuration import LAYOUTS, image_data_format
from conformance.reference.edition import EDITION

CHANNELS_FIRST = "channels_first"


def channels_first(data_format: Any, where: str, *, optional: bool = True) -> bool:
    """Whether the channels come first. None stands for the configured layout where it may.

    ValueError for anything but the two words of the edition (ko-2.2:2284 and others).
    """
    older = EDITION == "keras-1"
    words = LAYOUTS if older else {word: word for word in LAYOUTS.values()}
    if data_format is None and optional:
        return image_data_format() == CHANNELS_FIRST
    if not isinstance(data_format, str) or data_format not in words:
        name = "dim_ordering" if older else "data_format"
        raise ValueError(
            f"{where}: {name} is {data_format!r}; write {' or '.join(map(repr, words))}"
        )
    return words[data_format] == CHANNELS_FIRST


def first_spatial(data_format: Any, where: str, *, optional: bool = True) -> int:
    """The first spatial axis of a tensor of images."""
    return 2 if channels_first(data_format, where, optional=optional) else 1
