"""The editions of the Keras backend API: those of `K`, without Keras 3's functions."""

from __future__ import annotations

from conformance.editions import Edition

OF_K: tuple[Edition, ...] = ("keras-1", "keras-2.0", "keras-2.2")
