"""The rows of the shipped table for Keras 3, run on a fake of Keras 3: a row that fails by itself
is no failure of Keras."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.adapters.worker.conformance_worker.mapping import definition

PATH = shipped()["keras3-numpy"].mapping
assert PATH is not None
TABLE = mappings.load(PATH)


class Recorder:
    """A function that keeps the arguments of its calls and returns nothing."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.calls.append((*args, *kwargs.values()))


def fake() -> SimpleNamespace:
    """As much of Keras 3 as the rows call."""
    ops = SimpleNamespace(
        conv_transpose=Recorder(),
        sparse_categorical_crossentropy=Recorder(),
        moveaxis=np.moveaxis,
        reshape=np.reshape,
        where=np.where,
        expand_dims=np.expand_dims,
        cond=Recorder(),
    )
    config = SimpleNamespace(image_data_format=lambda: "channels_last")
    return SimpleNamespace(ops=ops, config=config, KerasTensor=type("KerasTensor", (), {}))


def row(name: str, keras: Any) -> Callable[..., Any]:
    """The function that the table makes of a row."""
    names: dict[str, Any] = {"keras": keras, "np": np}
    mapping = TABLE.functions[name]
    exec("\n".join(definition(name, {"old": mapping.old, "new": mapping.new})), names)
    call: Callable[..., Any] = names[name]
    return call


@pytest.mark.parametrize(
    ("sizes", "step", "output_size", "extra"),
    [
        ((3, 1), (3, 2), (7, 5), (0, 0)),
        ((3, 1), (3, 2), (9, 6), (2, 1)),
        ((4, 3), (2, 2), (9, 10), (0, 1)),
    ],
)
def test_the_shape_that_is_asked_for_becomes_padding_of_the_output(
    sizes: tuple[int, int],
    step: tuple[int, int],
    output_size: tuple[int, int],
    extra: tuple[int, int],
) -> None:
    keras, (size, width) = fake(), sizes
    x, kernel = np.zeros((1, size, size, 1)), np.zeros((width, width, 1, 1))
    row("conv2d_transpose", keras)(x, kernel, (1, *output_size, 1), step)
    (call,) = keras.ops.conv_transpose.calls
    assert call[2:5] == (step, "valid", extra)


def test_same_padding_is_taken_from_the_output() -> None:
    keras = fake()
    x, kernel = np.zeros((2, 4, 4, 1)), np.zeros((3, 3, 1, 1))
    row("conv2d_transpose", keras)(x, kernel, (2, 7, 8, 1), (2, 2), "same")
    (call,) = keras.ops.conv_transpose.calls
    assert call[2:5] == ((2, 2), "same", (0, 1))


def test_a_shape_that_no_padding_reaches_is_refused() -> None:
    convolve = row("conv2d_transpose", fake())
    kernel = np.zeros((1, 1, 1, 1))
    for size in ((1, 10, 5, 1), (1, 6, 5, 1)):
        with pytest.raises(NotImplementedError):
            convolve(np.zeros((1, 3, 3, 1)), kernel, size, (3, 2))


def test_an_unknown_format_is_left_to_keras() -> None:
    keras = fake()
    kernel = np.zeros((1, 1, 1, 1))
    row("conv2d_transpose", keras)(
        np.zeros((1, 3, 3, 1)), kernel, (1, 50, 50, 1), data_format="channels_middle"
    )
    assert keras.ops.conv_transpose.calls


def test_volumes_are_asked_for_in_both_formats() -> None:
    for data_format, shape, size in (
        ("channels_last", (1, 2, 3, 4, 1), (1, 4, 6, 8, 1)),
        ("channels_first", (1, 1, 2, 3, 4), (1, 1, 4, 6, 8)),
    ):
        keras = fake()
        row("conv3d_transpose", keras)(
            np.zeros(shape), np.zeros((1,) * 5), size, (2, 2, 2), data_format=data_format
        )
        (call,) = keras.ops.conv_transpose.calls
        assert call[4] == (1, 1, 1)


@pytest.mark.parametrize(("rank", "refused"), [(0, True), (1, False), (2, True), (3, False)])
def test_an_addition_does_not_look_at_the_rank_of_a_bias(rank: int, refused: bool) -> None:
    add = row("bias_add", fake())
    x, bias = np.zeros((2, 2, 2, 2)), np.zeros((2,) * rank)
    if refused:
        with pytest.raises(NotImplementedError):
            add(x, bias)
    else:
        assert add(x, bias).shape == x.shape


def test_a_choice_by_elements_does_not_look_at_the_rank_of_the_condition() -> None:
    switch = row("switch", fake())
    x = np.ones((2, 3))
    assert switch(np.array([True, False]), x, -x).shape == (2, 3)
    with pytest.raises(NotImplementedError):
        switch(np.ones((2, 3), bool), np.ones(3), np.ones(3))


@pytest.mark.parametrize("axes", [range(1), {0}, iter([0])])
def test_axes_of_any_iterable_are_those_of_a_list(axes: Any) -> None:
    keras = fake()
    keras.ops.moments = lambda x, axes: (x.mean(tuple(axes)), x.var(tuple(axes)))
    keras.ops.rsqrt = lambda x: 1 / np.sqrt(x)
    x = np.arange(6.0).reshape(3, 2)
    normed, mean, var = row("normalize_batch_in_training", keras)(x, np.ones(2), np.zeros(2), axes)
    np.testing.assert_allclose(normed.mean(0), 0, atol=1e-12)
    assert (mean.tolist(), var.shape) == ([2, 3], (2,))


def test_a_function_refuses_keywords_that_it_does_not_have() -> None:
    function = row("function", fake())
    with pytest.raises(ValueError):
        function([], [], no_such_option=True)
    assert function([], [np.ones(2)])


def test_classes_are_moved_to_the_last_axis() -> None:
    keras = fake()
    loss = row("sparse_categorical_crossentropy", keras)
    loss(np.zeros((1, 3), int), np.zeros((1, 2, 3)), axis=1)
    ((_, output, logits),) = keras.ops.sparse_categorical_crossentropy.calls
    assert (output.shape, logits) == ((1, 3, 2), False)
    with pytest.raises(ValueError, match="axis 3"):
        loss(np.zeros((1, 3), int), np.zeros((1, 2, 3)), axis=3)


def test_what_tells_placeholders_from_other_tensors_is_gone() -> None:
    for name in ("is_keras_tensor", "is_placeholder"):
        assert name in TABLE.absent
        assert name not in TABLE.functions
