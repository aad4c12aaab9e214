"""The CTC loss: a whole batch at once, one time step after the other.

Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML 2006, section
4.1. The states of a label are its classes with a blank before, between and after them; a path stays
in a state, goes on to the next, or jumps over a blank between different classes. Probabilities are
kept as logarithms. PyTorch's own `ctc_loss` is of no use here: its gradient is that of a softmax
before it, and the probabilities here need not come from one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import torch

from conformance.torch_backend.kernels import KERNELS, Tensor, kernel

NEVER = float("-inf")


@dataclass(frozen=True, eq=False)
class TorchLabelStates:
    """The states (samples, states) of a batch of labels."""

    classes: Tensor
    jumps: Tensor
    """Whether a path may come to a state from the state before the last."""
    last: Tensor
    """(samples, 1): the last state, which is a blank."""
    steps: Tensor
    """(samples, 1): the number of time steps."""

    def moved(self, values: Tensor) -> Tensor:
        """The sum over the ways to come to each state from values (samples, states) before."""
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
    """The states of labels (samples, length); what is beyond their lengths is not looked at."""
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
    """ValueError unless all lengths are in the range."""
    if (lengths < least).any() or (lengths > most).any():
        raise ValueError(f"{what} must be from {least} to {most}, not {lengths.tolist()}")


def _arriving(states: TorchLabelStates, log_y: Tensor) -> Tensor:
    """log of the probability to come to each state, before its class is: as log_y."""
    found = [states.begin(log_y.dtype)]
    for t in range(1, log_y.shape[1]):
        found.append(states.moved(found[-1] + log_y[:, t - 1]))
    return torch.stack(found, 1)


def _leaving(states: TorchLabelStates, log_y: Tensor) -> Tensor:
    """log of the probability of all that comes after each state: as log_y."""
    ending = states.end(log_y.dtype)
    found, values = [], torch.full_like(ending, NEVER)
    for t in reversed(range(log_y.shape[1])):
        if t + 1 < log_y.shape[1]:
            values = states.back(values + log_y[:, t + 1])
        values = torch.where(states.steps == t + 1, ending, values)
        found.append(values)
    return torch.stack(found[::-1], 1)


def _total(states: TorchLabelStates, log_y: Tensor, arriving: Tensor) -> Tensor:
    """log of the probability of each label: (samples, 1)."""
    last = (states.steps.to(torch.int64) - 1).unsqueeze(2).expand(-1, 1, log_y.shape[2])
    reached = (arriving + log_y).gather(1, last).squeeze(1)
    return torch.logsumexp(reached + states.end(log_y.dtype), 1, keepdim=True)


class _Known(NamedTuple):
    """What the loss leaves for its gradient: tensors as in `_arriving`, and `_total`."""

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
    """(samples, time_steps): whether a time step comes before the end."""
    return torch.arange(steps) < input_length.unsqueeze(1)


@kernel
def ctc_best_labels(y_pred: Tensor, input_length: Tensor) -> Tensor:
    """Repeats merged, then blanks dropped; the rest moved to the front of each row."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    path, blank = y_pred.argmax(2), y_pred.shape[2] - 1
    before = torch.nn.functional.pad(path[:, :-1], (1, 0), value=blank)
    kept = inside(path.shape[1], input_length) & (path != blank) & (path != before)
    result = torch.full_like(path, -1)
    rows, _ = kept.nonzero(as_tuple=True)
    result[rows, (kept.cumsum(1) - 1)[kept]] = path[kept]
    return result


def _best_probability(y_pred: Tensor, input_length: Tensor) -> Tensor:
    best = y_pred.amax(2).log()
    return torch.where(inside(best.shape[1], input_length), best, 0).sum(1, keepdim=True)


KERNELS["ctc_best_probability"] = _best_probability
