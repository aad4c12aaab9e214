"""Images, kernels and windows that fit each other."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.generators import Draw, draw_arrays
from conformance.generators.coverage.rows import covering_array
from conformance.generators.gradients import differentiated
from conformance.program import Binding
from conformance.specs import image_rules, load
from tests.editions import OF_K
from tests.generators.support import PAIRS, collected, everything, task

CONVOLUTIONS = [n for n in load() if load().theme(n) in ("convolution", "pooling")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("edition", "name"), [p for p in PAIRS if p[1] in CONVOLUTIONS])
def test_the_data_format_is_the_editions(edition: Edition, name: str) -> None:
    formats = {s.runtime.values["data_format"] for s in collected(edition, name)}
    allowed = {"tf", "th"} if edition == "keras-1" else {None, "channels_last", "channels_first"}
    assert formats <= allowed


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_both_data_formats_and_all_circumstances_are_tried(name: str) -> None:
    values = [s.runtime.values for s in everything(name)]
    assert {"channels_first", "channels_last"} <= {v["data_format"] for v in values}
    for parameter in ("strides", "dilation_rate"):
        if parameter in values[0]:
            assert any(image_rules.OPERATORS["any_above"](v[parameter], 1) for v in values)
    if "padding" in values[0]:
        assert {"valid", "same"} <= {v["padding"] for v in values}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_most_structures_are_settled_and_some_windows_have_several_elements(name: str) -> None:
    settled = [s for s in everything(name) if not s.unsettled]
    assert len(settled) >= 8
    inputs = [i for s in settled for i in s.program.inputs if "kernel" in i.name]
    assert not inputs or any(max(i.shape[:-2]) > 1 for i in inputs)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize("name", ["pool2d", "pool3d"])
def test_a_window_of_one_is_padded_on_every_axis(edition: Edition, name: str) -> None:
    """Keras on Theano computes what is padded of the window, and makes an image without rows."""
    mine = task(edition, name)
    array = covering_array(mine.spec, edition, mine.profile.extents, mine.own_seed)
    settled = [draw.value.runtime.values for draw in array.kept if draw.value.settled]
    windows = [v["pool_size"] for v in settled if v["padding"] == "same"]
    assert [1 in sizes for sizes in zip(*windows, strict=True)] == [True] * int(name[4])


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_channels_are_known_where_dimensions_are_not(name: str) -> None:
    for structure in everything(name):
        for item in structure.program.inputs:
            if item.binding is Binding.PLACEHOLDER_NONE:
                static = structure.static.shapes[item.name]
                assert dict(item.arguments or ())["shape"] == static
                if name != "local_conv1d":  # its documents give sequences no format
                    data_format = structure.runtime.values["data_format"]
                    assert image_rules.channels(static, data_format) is not None
                assert any(static)
                assert all(d in (None, real) for d, real in zip(static, item.shape, strict=True))


def test_mirrored_kernels_are_the_same_when_flipped() -> None:
    seen = set()
    for name in ("conv2d", "conv2d_transpose", "depthwise_conv2d"):
        for structure in everything(name):
            for item in structure.program.inputs:
                if structure.domains[item.name] == "mirrored":
                    kernel = draw_arrays(structure, Draw("ordinary", 5))[item.name]
                    np.testing.assert_array_equal(kernel, kernel[::-1, ::-1])
                    seen.add(name)
    assert len(seen) == 3


@pytest.mark.parametrize("name", ["local_conv1d", "local_conv2d"])
def test_even_weights_are_the_same_for_every_element_of_a_window(name: str) -> None:
    for structure in everything(name):
        if structure.domains["kernel"] == "even":
            kernel = draw_arrays(structure, Draw("ordinary", 5))["kernel"]
            assert (kernel == kernel[:, :1]).all()


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_no_variable_is_made_with_the_arguments_of_a_placeholder(name: str) -> None:
    """A gradient makes variables of some placeholders, which may have unknown dimensions."""
    programs = [d.program for s in everything(name) if (d := differentiated(s)) is not None]
    assert programs
    assert all(
        i.binding is not Binding.VARIABLE or i.arguments is None for p in programs for i in p.inputs
    )


def test_what_no_data_format_stands_for_is_no_document_s_business() -> None:
    unnamed = [
        s for n in CONVOLUTIONS for s in everything(n) if s.runtime.values["data_format"] is None
    ]
    assert unnamed
    assert all("default-data-format" in s.unsettled for s in unnamed)
