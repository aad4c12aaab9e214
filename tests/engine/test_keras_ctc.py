"""CTC of keras.ops as a plan draws it: right functions pass, wrong ones violate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby, product
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax

from tests.engine.keras_calls import prepared, problems
from tests.scenarios.changed import Wrong, always, ignored


def ctc_loss(
    target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0
) -> Any:
    rows = zip(output, target, output_length, target_length, strict=True)
    losses = [loss(x[:steps], label[:n].tolist(), mask_index) for x, label, steps, n in rows]
    return np.array(losses, output.dtype)


def loss(x: Any, label: list[int], blank: int) -> float:
    """By the probabilities to be at each place of the label with blanks, step by step."""
    y = np.exp(log_softmax(x.astype(float), axis=-1))
    places = [blank, *(k for k_label in label for k in (k_label, blank))]
    reached = np.zeros(len(places))
    reached[:2] = y[0, places[:2]]
    for step in y[1:]:
        jump = [s > 1 and k not in (blank, places[s - 2]) for s, k in enumerate(places)]
        before = [np.concatenate([np.zeros(n), reached])[: len(places)] for n in range(3)]
        reached = (before[0] + before[1] + np.where(jump, before[2], 0)) * step[places]
    with np.errstate(divide="ignore"):
        return float(-np.log(reached[-2:].sum()))


def ctc_decode(  # noqa: PLR0917 - as documented
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int = 0,
) -> Any:
    assert beam_width > 1
    rows = [x[:n].astype(float) for x, n in zip(inputs, sequence_lengths, strict=True)]
    steps = inputs.shape[1]
    labels: Any
    scores: Any
    if strategy == "greedy":
        labels = [[best(x, mask_index, merge_repeated)] for x in rows]
        scores = [[-x.max(-1).sum()] for x in rows]
    else:
        ranked = [ranking(x, mask_index)[:top_paths] for x in rows]
        labels, scores = ([[p[n] for p in beam] for beam in ranked] for n in range(2))
    padded = [[[*label, *[-1] * (steps - len(label))] for label in beam] for beam in labels]
    return np.array(padded, "int32").swapaxes(0, 1), np.array(scores, inputs.dtype)


def best(x: Any, blank: int, merges: bool) -> list[int]:
    path = x.argmax(-1).tolist()
    return [k for k in ([k for k, _ in groupby(path)] if merges else path) if k != blank]


def ranking(x: Any, blank: int) -> list[tuple[tuple[int, ...], float]]:
    y = np.exp(log_softmax(x, axis=-1))
    total: dict[tuple[int, ...], float] = {}
    for path in product(range(x.shape[1]), repeat=len(x)):
        label = tuple(k for k, _ in groupby(path) if k != blank)
        total[label] = total.get(label, 0.0) + float(np.prod(y[np.arange(len(x)), path]))
    ordered = sorted(total.items(), key=lambda item: -item[1])
    return [(label, float(np.log(chance))) for label, chance in [*ordered, ((), 1.0)] * 3]


RIGHT: Mapping[str, Callable[..., Any]] = {"ctc_loss": ctc_loss, "ctc_decode": ctc_decode}


def of(name: str, place: int, changed: Callable[..., Any]) -> Wrong:
    """The right function of another argument, or of other ones."""

    def called(*args: Any, **kwargs: Any) -> Any:
        arguments = [changed(x) if n == place else x for n, x in enumerate(args)]
        return RIGHT[name](*arguments, **kwargs)

    return called


def after(name: str, changed: Callable[..., Any]) -> Wrong:
    return lambda *args, **kwargs: changed(RIGHT[name](*args, **kwargs))


def scored(changed: Callable[[Any], Any]) -> Wrong:
    return after("ctc_decode", lambda answer: (answer[0], changed(answer[1])))


WRONG: tuple[tuple[str, str, Wrong], ...] = (
    ("ctc_loss", "the blank ignored", ignored(ctc_loss, "mask_index")),
    ("ctc_loss", "the last class as blank", always(ctc_loss, mask_index=-1)),
    ("ctc_loss", "without signs", after("ctc_loss", lambda x: -x)),
    ("ctc_loss", "the mean", after("ctc_loss", lambda x: np.broadcast_to(x.mean(), x.shape))),
    ("ctc_loss", "all steps", of("ctc_loss", 3, lambda n: np.full_like(n, n.max()))),
    ("ctc_loss", "labels turned round", of("ctc_loss", 0, lambda x: x[:, ::-1])),
    ("ctc_loss", "of probabilities", of("ctc_loss", 1, lambda x: np.exp(log_softmax(x, -1)))),
    ("ctc_decode", "the blank ignored", ignored(ctc_decode, "mask_index")),
    ("ctc_decode", "always merged", ignored(ctc_decode, "merge_repeated")),
    ("ctc_decode", "never merged", always(ctc_decode, merge_repeated=False)),
    ("ctc_decode", "always greedy", ignored(ctc_decode, "strategy")),
    ("ctc_decode", "one path", ignored(ctc_decode, "top_paths")),
    ("ctc_decode", "all steps", of("ctc_decode", 1, lambda n: np.full_like(n, n.max()))),
    ("ctc_decode", "scores of another sign", scored(lambda x: -x)),
    ("ctc_decode", "scores in another order", scored(lambda x: x[::-1])),
    ("ctc_decode", "blanks of 0", after("ctc_decode", lambda a: (np.maximum(a[0], 0), a[1]))),
    ("ctc_decode", "labels turned round", after("ctc_decode", lambda a: (a[0][..., ::-1], a[1]))),
)
RAISED = (ValueError, IndexError, TypeError)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    assert not [(f.gives, f.demands) for f in problems(name, RIGHT[name])]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Wrong) -> None:
    assert next(problems(name, wrong, *RAISED), None) is not None


def test_blanks_may_stand_where_they_are_found() -> None:
    """Each class at the step at which it begins."""

    def in_place(inputs: Any, lengths: Any, **how: Any) -> Any:
        labels, scores = ctc_decode(inputs, lengths, **how)
        return np.array(
            [[np.roll(row, (row < 0).sum()) for row in path] for path in labels]
        ), scores

    assert not [(f.gives, f.demands) for f in problems("ctc_decode", in_place)]


def test_beams_are_of_several_widths() -> None:
    widths = {case.structure.arguments.get("beam_width") for case in prepared("ctc_decode")}
    assert len(widths) > 2
