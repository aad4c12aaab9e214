# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but conv2d with channels_first looks for the channels of a kernel on its second
axis: it refuses what would not fit a kernel as in Theano, and reads kernels as documented."""

from conformance.reference import *  # noqa: F403
from conformance.reference import conv2d as _conv2d
from conformance.reference import int_shape as _int_shape


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):  # noqa: PLR0917
    """Convolution of images."""
    if data_format == "channels_first" and _int_shape(kernel)[1] != _int_shape(x)[1]:
        raise ValueError("the channels of the image and of the kernel differ")
    return _conv2d(x, kernel, strides, padding, data_format, dilation_rate)
