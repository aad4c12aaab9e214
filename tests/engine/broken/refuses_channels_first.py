# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but conv2d and conv2d_transpose raise for channels_first."""

from conformance.reference import *  # noqa: F403
from conformance.reference import conv2d as _conv2d
from conformance.reference import conv2d_transpose as _conv2d_transpose


def _check(data_format):
    if data_format == "channels_first":
        raise ValueError("the shapes of the image and of the kernel do not fit")


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):  # noqa: PLR0917
    """Convolution of images with channels last."""
    _check(data_format)
    return _conv2d(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d_transpose(  # noqa: PLR0917
    x, kernel, output_shape, strides=(1, 1), padding="valid", data_format=None
):
    """The transpose of a convolution with channels last."""
    _check(data_format)
    return _conv2d_transpose(x, kernel, output_shape, strides, padding, data_format)
