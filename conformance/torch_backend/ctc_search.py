"""A search for the likeliest labels: that over prefixes of Graves et al., ICML 2006, section 3.2.

It keeps, for each prefix, log of the probability of the paths so far that end with a blank, and of
those that do not. The prefixes are in a dictionary, sample by sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from conformance.torch_backend.ctc import checked
from conformance.torch_backend.kernels import Tensor, kernel

NEVER = -math.inf
Prefix = tuple[int, ...]
Beam = dict[Prefix, tuple[float, float]]


def _either(a: float, b: float) -> float:
    """log of the sum of two probabilities."""
    low, high = sorted((a, b))
    return high if low == NEVER else high + math.log1p(math.exp(low - high))


def _add(beam: Beam, prefix: Prefix, blank: float, other: float) -> None:
    so_far = beam.get(prefix, (NEVER, NEVER))
    beam[prefix] = _either(so_far[0], blank), _either(so_far[1], other)


def _advanced(beam: Beam, row: Sequence[float], width: int) -> Beam:
    """The likeliest prefixes after a time step with log probabilities, the first ones if equal."""
    found: Beam = {}
    for prefix, (blank, other) in beam.items():
        repeated = other + row[prefix[-1]] if prefix else NEVER
        _add(found, prefix, _either(blank, other) + row[-1], repeated)
    for prefix, (blank, other) in beam.items():
        for label, value in enumerate(row[:-1]):
            # a prefix grows by its own last class only after a blank
            before = blank if prefix[-1:] == (label,) else _either(blank, other)
            _add(found, (*prefix, label), NEVER, before + value)
    likely = sorted(found.items(), key=lambda item: -_either(*item[1]))
    return dict(item for item in likely[:width] if _either(*item[1]) > NEVER)


def _searched(rows: Sequence[Sequence[float]], width: int) -> list[tuple[Prefix, float]]:
    beam: Beam = {(): (0.0, NEVER)}
    for row in rows:
        beam = _advanced(beam, row, width)
    return [(prefix, _either(*values)) for prefix, values in beam.items()]


@kernel
def ctc_beam(y_pred: Tensor, input_length: Tensor, width: int, top: int) -> list[Tensor]:
    """A bundle: the likeliest labels (top, samples, time_steps), and log of their probabilities."""
    samples, steps, _ = y_pred.shape
    checked(input_length, 1, steps, "input_length")
    labels = torch.full((top, samples, steps), -1)
    logarithms = torch.full((samples, top), NEVER, dtype=y_pred.dtype)
    log_y = y_pred.detach().log().tolist()
    for i, length in enumerate(input_length.tolist()):
        for place, (prefix, value) in enumerate(_searched(log_y[i][:length], width)[:top]):
            labels[place, i, : len(prefix)] = torch.tensor(prefix, dtype=torch.int64)
            logarithms[i, place] = value
    return [labels, logarithms]
