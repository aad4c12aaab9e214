"""Paths in the form of softmax outputs: the likeliest one, and that of a word of a dictionary."""

from __future__ import annotations

import torch

from conformance.torch_backend.ctc import (
    NEVER,
    TorchLabelStates,
    checked,
    inside,
    shifted,
    states_of,
)
from conformance.torch_backend.kernels import Tensor, kernel

Words = tuple[tuple[int, ...], ...]


def _written(y_pred: Tensor, path: Tensor, input_length: Tensor) -> Tensor:
    """The probabilities along a path (samples, time_steps), the blank after the end."""
    within = inside(path.shape[1], input_length)
    classes = path.masked_fill(~within, y_pred.shape[2] - 1).unsqueeze(2)
    along = torch.where(within.unsqueeze(2), y_pred.gather(2, classes), 1)
    return torch.zeros_like(y_pred).scatter(2, classes, along)


@kernel
def ctc_best_path(y_pred: Tensor, input_length: Tensor) -> Tensor:
    """The likeliest class of each time step."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    return _written(y_pred, y_pred.argmax(2), input_length)


@kernel
def ctc_word_path(y_pred: Tensor, input_length: Tensor, words: Words, width: int) -> Tensor:
    """The likeliest path of the likeliest word."""
    samples, steps, categories = y_pred.shape
    checked(input_length, 1, steps, "input_length")
    count, longest = len(words), max(map(len, words))
    labels = torch.tensor([[*w, *[0] * (longest - len(w))] for w in words], dtype=torch.int64)
    lengths = torch.tensor([len(word) for word in words])
    states = states_of(
        labels.reshape(count, longest).repeat(samples, 1),
        lengths.repeat(samples),
        input_length.repeat_interleave(count),
        categories,
    )
    log_y = states.emissions(y_pred.repeat_interleave(count, 0))
    chosen = torch.arange(samples) * count + _likeliest(states, log_y, count, width)
    return _written(y_pred, _along(_only(states, chosen), log_y[chosen]), input_length)


def _only(states: TorchLabelStates, rows: Tensor) -> TorchLabelStates:
    return TorchLabelStates(
        states.classes[rows], states.jumps[rows], states.last[rows], states.steps[rows]
    )


def _likeliest(states: TorchLabelStates, log_y: Tensor, count: int, width: int) -> Tensor:
    """The number of each sample's likeliest word; `width` words are kept at each time step."""
    ending = states.end(log_y.dtype)
    values = states.begin(log_y.dtype) + log_y[:, 0]
    ended = torch.logsumexp(values + ending, 1, keepdim=True)
    for t in range(1, log_y.shape[1]):
        values = states.moved(_narrowed(values, count, width)) + log_y[:, t]
        now = torch.logsumexp(values + ending, 1, keepdim=True)
        ended = torch.where(states.steps > t, now, ended)
    return ended.reshape(-1, count).argmax(1)


def _narrowed(values: Tensor, count: int, width: int) -> Tensor:
    """-inf for all but the `width` words of each sample that are likeliest so far."""
    so_far = torch.logsumexp(values, 1).reshape(-1, count)
    rank = so_far.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
    return values.masked_fill((rank >= width).reshape(-1, 1), NEVER)


def _along(states: TorchLabelStates, log_y: Tensor) -> Tensor:
    """The classes of the likeliest path through the states (Viterbi): (samples, time_steps)."""
    values, origins = states.begin(log_y.dtype) + log_y[:, 0], []
    for t in range(1, log_y.shape[1]):
        jumped = shifted(values, 2).masked_fill(~states.jumps, NEVER)
        ways = torch.stack([values, shifted(values, 1), jumped])
        within = states.steps > t
        origins.append(torch.where(within, ways.argmax(0), 0))
        values = torch.where(within, ways.amax(0) + log_y[:, t], values)
    state = (values + states.end(log_y.dtype)).argmax(1, keepdim=True)
    found = [state]
    for origin in reversed(origins):
        state = state - origin.gather(1, state)
        found.append(state)
    return states.classes.gather(1, torch.cat(found[::-1], 1))
