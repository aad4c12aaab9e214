"""The CTC loss: a whole batch at once, one time step after the other.

Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML 2006, section
4.1. The states of a label are its classes with a blank before, between and after them. A path stays
in a state, goes on to the next, or jumps over a blank between different classes. Probabilities are
kept as logarithms. PyTorch's own `ctc_loss` is of no use here: its gradient is that of a softmax
before it, and the probabilities here need not come from one.

The search for the likeliest labels is the one over prefixes (Graves et al., ICML 2006, section
3.2). It keeps two log probabilities for each prefix: of the paths so far that end with a blank, and
of those that do not. The prefixes are in a dictionary, sample by sample. For keras-1, paths have
the form of softmax outputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import torch

from conformance.torch_backend.kernels import KERNELS, Tensor, kernel

NEVER = -math.inf


@dataclass(frozen=True, eq=False)
class TorchLabelStates:
    """The states (samples, states) of a batch of labels."""

    classes: Tensor
    jumps: Tensor
    """Whether a path may reach a state from the state before the last."""
    last: Tensor
    """(samples, 1): the last state, which is a blank."""
    steps: Tensor
    """(samples, 1): the number of time steps."""

    def moved(self, values: Tensor) -> Tensor:
        """The sum over the ways to reach each state from values (samples, states) before."""
        result = torch.logaddexp(values, shifted(values, 1))
        return torch.logaddexp(result, shifted(values, 2).masked_fill(~self.jumps, NEVER))

    def back(self, values: Tensor) -> Tensor:
        """The sum over the ways to go on from each state to values (samples, states) after."""
        result = torch.logaddexp(values, shifted(values, -1))
        return torch.logaddexp(result, shifted(values.masked_fill(~self.jumps, NEVER), -2))

    def begin(self, dtype: Any) -> Tensor:
        """0 for the states in which a path may begin, else -inf."""
        place = torch.arange(self.classes.shape[1])
        return _allowed((place < 2) & (place <= self.last), dtype)

    def end(self, dtype: Any) -> Tensor:
        """0 for the states in which a path may end, else -inf."""
        place = torch.arange(self.classes.shape[1])
        return _allowed((place <= self.last) & (place >= self.last - 1), dtype)

    def emissions(self, y: Tensor) -> Tensor:
        """log of the probabilities of the states' classes: (samples, time_steps, states)."""
        classes = self.classes.unsqueeze(1).expand(-1, y.shape[1], -1)
        return y.log().gather(2, classes)


def _allowed(places: Tensor, dtype: Any) -> Tensor:
    return torch.zeros(places.shape, dtype=dtype).masked_fill(~places, NEVER)


def shifted(values: Tensor, places: int) -> Tensor:
    """The values `places` states later, or earlier; -inf where there is none."""
    widths = (places, -places)
    return torch.nn.functional.pad(values, widths, value=NEVER)


def states_of(labels: Tensor, lengths: Tensor, steps: Tensor, categories: int) -> TorchLabelStates:
    """The states of labels (samples, length), without those beyond the lengths.

    Raises:
        ValueError: a label has a class beyond the categories.
    """
    blank, labels = categories - 1, labels.to(torch.int64)
    inside = torch.arange(labels.shape[1]) < lengths.unsqueeze(1)
    if (((labels < 0) | (labels >= blank)) & inside).any():
        raise ValueError(f"a label has a class outside of 0 to {blank - 1}; {blank} is the blank")
    classes = torch.full((len(labels), 2 * labels.shape[1] + 1), blank)
    classes[:, 1::2] = labels.masked_fill(~inside, blank)
    jumps = torch.zeros(classes.shape, dtype=torch.bool)
    jumps[:, 2:] = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    return TorchLabelStates(
        classes, jumps, 2 * lengths.to(torch.int64).unsqueeze(1), steps.unsqueeze(1)
    )


def checked(lengths: Tensor, least: int, most: int, what: str) -> None:
    """Check that all lengths are in the range.

    Raises:
        ValueError: a length is outside of the range.
    """
    if (lengths < least).any() or (lengths > most).any():
        raise ValueError(f"{what} must be from {least} to {most}, not {lengths.tolist()}")


def _arriving(states: TorchLabelStates, log_y: Tensor) -> Tensor:
    """log of the probability to reach each state, before its class is: as log_y."""
    sums = [states.begin(log_y.dtype)]
    for t in range(1, log_y.shape[1]):
        sums.append(states.moved(sums[-1] + log_y[:, t - 1]))
    return torch.stack(sums, 1)


def _leaving(states: TorchLabelStates, log_y: Tensor) -> Tensor:
    """log of the probability of all that follows each state: as log_y."""
    ending = states.end(log_y.dtype)
    sums, values = [], torch.full_like(ending, NEVER)
    for t in reversed(range(log_y.shape[1])):
        if t + 1 < log_y.shape[1]:
            values = states.back(values + log_y[:, t + 1])
        values = torch.where(states.steps == t + 1, ending, values)
        sums.append(values)
    return torch.stack(sums[::-1], 1)


def _total(states: TorchLabelStates, log_y: Tensor, arriving: Tensor) -> Tensor:
    """log of the probability of each label: (samples, 1)."""
    last = (states.steps.to(torch.int64) - 1).unsqueeze(2).expand(-1, 1, log_y.shape[2])
    reached = (arriving + log_y).gather(1, last).squeeze(1)
    return torch.logsumexp(reached + states.end(log_y.dtype), 1, keepdim=True)


class _Known(NamedTuple):
    """The tensors that the loss leaves for its gradient: as in `_arriving`, and `_total`."""

    states: TorchLabelStates
    log_y: Tensor
    arriving: Tensor
    total: Tensor


class _Cost(torch.autograd.Function):  # type: ignore[misc]
    """The loss of probabilities."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, states: TorchLabelStates) -> Tensor:
        log_y = states.emissions(y)
        arriving = _arriving(states, log_y)
        ctx.known = _Known(states, log_y, arriving, _total(states, log_y, arriving))
        ctx.save_for_backward(y)
        return -ctx.known.total

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return _Slope.apply(*ctx.saved_tensors, upstream, ctx.known), None


class _Slope(torch.autograd.Function):  # type: ignore[misc]
    """For each probability, what arrives before it times what leaves after it."""

    @staticmethod
    def forward(_ctx: Any, y: Tensor, upstream: Tensor, known: _Known) -> Tensor:
        states, log_y, arriving, total = known
        share = (arriving + _leaving(states, log_y) - total.unsqueeze(2)).exp()
        within = torch.arange(log_y.shape[1]) < states.steps
        share = torch.where(within.unsqueeze(2), -share * upstream.unsqueeze(2), 0)
        classes = states.classes.unsqueeze(1).expand(share.shape)
        return torch.zeros_like(y).scatter_add(2, classes, share)

    @staticmethod
    def backward(_ctx: Any, _upstream: Tensor) -> NoReturn:
        raise ValueError("ctc_batch_cost has no second derivative; put K.stop_gradient around it")


@kernel
def ctc_cost(y_pred: Tensor, y_true: Tensor, input_length: Tensor, label_length: Tensor) -> Tensor:
    """-log of the probability of each label."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    checked(label_length, 0, y_true.shape[1], "label_length")
    return _Cost.apply(y_pred, states_of(y_true, label_length, input_length, y_pred.shape[2]))


def inside(steps: int, input_length: Tensor) -> Tensor:
    """(samples, time_steps): whether a time step precedes the end."""
    return torch.arange(steps) < input_length.unsqueeze(1)


@kernel
def ctc_best_labels(y_pred: Tensor, input_length: Tensor) -> Tensor:
    """Repeats merged, then blanks dropped; the rest moved to the front of each row."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    path, blank = y_pred.argmax(2), y_pred.shape[2] - 1
    before = torch.nn.functional.pad(path[:, :-1], (1, 0), value=blank)
    chosen = inside(path.shape[1], input_length) & (path != blank) & (path != before)
    result = torch.full_like(path, -1)
    rows, _ = chosen.nonzero(as_tuple=True)
    result[rows, (chosen.cumsum(1) - 1)[chosen]] = path[chosen]
    return result


def _best_probability(y_pred: Tensor, input_length: Tensor) -> Tensor:
    best = y_pred.amax(2).log()
    return torch.where(inside(best.shape[1], input_length), best, 0).sum(1, keepdim=True)


KERNELS["ctc_best_probability"] = _best_probability


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
    advanced: Beam = {}
    for prefix, (blank, other) in beam.items():
        repeated = other + row[prefix[-1]] if prefix else NEVER
        _add(advanced, prefix, _either(blank, other) + row[-1], repeated)
    for prefix, (blank, other) in beam.items():
        for label, value in enumerate(row[:-1]):
            # a prefix grows by its own last class only after a blank
            before = blank if prefix[-1:] == (label,) else _either(blank, other)
            _add(advanced, (*prefix, label), NEVER, before + value)
    likely = sorted(advanced.items(), key=lambda item: -_either(*item[1]))
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
    best = [state]
    for origin in reversed(origins):
        state = state - origin.gather(1, state)
        best.append(state)
    return states.classes.gather(1, torch.cat(best[::-1], 1))
